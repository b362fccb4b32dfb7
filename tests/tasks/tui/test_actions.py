"""Edit, undo, redo and another profile, at the keys, over a store without an engine."""

import pytest
from textual.widgets import Input, TextArea

from frontdesk.config.settings import ConfigError
from frontdesk.outbox import bulk as outbox_bulk
from frontdesk.outbox import queue as outbox_queue
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeState, TaskRecord
from frontdesk.tasks import changes as task_changes
from frontdesk.tasks import store as task_store
from frontdesk.tasks.tui.dialogs import EditDialog
from frontdesk.tui.dialogs.picker import PickerDialog
from frontdesk_api.contract.ids import ConversationId, TaskId
from kit import At, running
from sample_json import raw_task
from tasks.tui.targets import planned, press_anew, refuse
from tui.hosts import text_of, until

pytestmark = pytest.mark.anyio


def task_of(at: At) -> TaskRecord:
    task = record_lookup.task(at.store.reading, at.inbox.targets.current().tasks[0])
    assert task is not None
    return task


async def typed_title(at: At, words: str) -> None:
    await at.press("e")
    await until(lambda: isinstance(at.app.screen, EditDialog) and at.app.screen.focused is not None)
    await at.press(*words)


@pytest.mark.slow
async def test_a_title_is_edited_undone_and_redone(store: Store) -> None:
    async with running(store) as at:
        before = task_of(at).title
        await typed_title(at, "!!")
        await at.press("enter")
        await until(lambda: task_of(at).title == f"{before}!!")
        await at.press("u")
        await until(lambda: task_of(at).title == before)
        whose = f'"{before}" for {task_of(at).customer_name}'
        await until(lambda: f"Undone: Edit title · {whose} · U redoes it" in at.toasts)
        await at.press("U")
        await until(lambda: task_of(at).title == f"{before}!!")
        await until(lambda: "Redone: Edit title · " in at.toasts)
        assert {change.state for change in outbox_queue.recent(at.store.reading)} == {
            ChangeState.HELD,
            ChangeState.UNDONE,
        }


async def test_a_task_goes_from_one_person_to_another_with_enter_and_back_with_undo(store: Store) -> None:
    async with running(
        store, raw_task(1, assignedAgentIds=["ava", "ben"]), raw_task(2, assignedAgentIds=["dan"])
    ) as at:
        at.inbox.navigation.open_conversation(ConversationId("L1#C1"))
        await until(lambda: task_of(at).task_id == "t1")
        await at.press("a", *"dan", "enter")
        await until(lambda: task_of(at).assigned == ("dan",))
        await until(lambda: "Assigned to dan, unassigned from ava, ben:" in at.toasts)
        await at.press("u")
        await until(lambda: task_of(at).assigned == ("ava", "ben"))
        before = at.changed
        await press_anew(at, "a", *"dnna", "enter")
        await at.sees("+dnna: can't be verified")
        await refuse(at)
        assert task_of(at).assigned == ("ava", "ben"), "an id that nobody has isn't assigned by one enter"
        assert at.changed == before


async def test_marked_tasks_of_different_people_go_to_one_of_them_after_a_plan(store: Store) -> None:
    on = {"1": ["ava"], "2": ["ben", "dan"], "3": [], "4": ["dan"]}
    raws = [raw_task(int(number), assignedAgentIds=people) for number, people in on.items()]

    def assigned() -> list[list[str]]:
        found = (record_lookup.task(store.reading, TaskId(f"t{number}")) for number in on)
        return [sorted(each.assigned) for each in found if each is not None]

    async with running(store, *raws) as at:
        await at.press("V", "a", *"dan", "enter")
        assert "3 of 4 will change · 1 unchanged" in await planned(at)
        await at.press("y")
        await until(lambda: assigned() == [["dan"]] * 4)
        await at.press("u")
        await until(lambda: assigned() == [["ava"], ["ben", "dan"], [], ["dan"]])


async def test_tasks_that_are_marked_beside_the_thread_are_counted_and_worked_on(store: Store) -> None:
    raws = [*map(raw_task, (1, 2, 3)), raw_task(7, participantsIdentifiers="L1#C1")]

    def marked() -> str:
        return next((words for words in text_of(at.app)[-1].split("  ") if "marked" in words), "").strip()

    async with running(store, *raws, size=(180, 40)) as at:
        at.inbox.navigation.open_conversation(ConversationId("L1#C1"))
        at.inbox.panes.focus_pane(at.inbox.facts)
        await at.press("V")
        await until(lambda: marked() == "2 marked")
        assert set(at.inbox.targets.current().tasks) == {"t1", "t7"}
        assert at.inbox.targets.current().conversations == ("L1#C1",)
        at.inbox.panes.focus_pane(at.inbox.list)
        await at.press("g", "V")
        await until(lambda: marked() == "3 marked")
        assert len(at.inbox.targets.current().tasks) == len(at.inbox.targets.current().conversations) == 3
        at.inbox.panes.focus_pane(at.inbox.facts)
        await until(lambda: marked() == "2 marked")
        assert set(at.inbox.targets.current().tasks) == {"t1", "t7"}
        await at.press("escape")
        await until(lambda: marked() == "3 marked")
        at.inbox.panes.focus_pane(at.inbox.list)
        await at.press("escape")
        await until(lambda: marked() == "")
        at.inbox.panes.focus_pane(at.inbox.facts)
        await at.press("space")
        assert at.inbox.state().marked == 1
        at.inbox.panes.focus_pane(at.inbox.list)
        await at.press("escape")
        assert at.inbox.state().marked == 0, "from the list they are taken off too"
        assert at.inbox.is_current


async def test_what_cannot_be_undone_or_edited_says_why(store: Store) -> None:
    async with running(store) as at:
        for key, words in (("u", "Nothing to undo."), ("U", "Nothing to redo.")):
            await at.press(key)
            await until(lambda words=words: words in at.toasts)  # type: ignore[misc]
        task_id = task_of(at).task_id
        whose = f'"{task_of(at).title}" for {task_of(at).customer_name}'
        await at.press("c")
        await until(lambda: outbox_bulk.unconfirmed_count(at.store.reading) == 1)
        await until(lambda: f"Completed {whose} · u undo" in at.toasts)
        number = int(task_id[1:])
        confirm_over(store, task_id, raw_task(number, statusCase="standby"))
        await at.press("u")
        await until(lambda: f"Can't undo Status Completed on {whose}: it has changed since then" in at.toasts)
        assert task_of(at).status == "standby"
        await press_anew(at, "V", "e")
        await until(lambda: "only edit one task at a time" in at.toasts)
        assert at.app.screen is at.inbox


def confirm_over(store: Store, task_id: TaskId, raw: dict[str, object]) -> None:
    """The platform has taken the change, and then a colleague's."""

    def job(db: object) -> None:
        (change,) = outbox_queue.live_for(db, task_id)  # type: ignore[arg-type]
        outbox_queue.claim(db, [change], "test", 9e9)  # type: ignore[arg-type]
        sent = (ChangeState.SENDING,)
        outbox_queue.move(db, change.change_id, ChangeState.CONFIRMED, expected=sent, now=1.0)  # type: ignore[arg-type]
        task_store.put(db, [raw])  # type: ignore[arg-type]

    store.write(job).result()


async def test_texts_closed_with_esc_or_not_saved_are_offered_again_and_a_conflict_if_the_task_moved(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError("database or disk is full")

    async with running(store) as at:
        before = task_of(at).title
        with monkeypatch.context() as patch:
            patch.setattr(task_changes, "edit_texts", full)
            await typed_title(at, "!")
            await at.press("enter")
            await until(lambda: "Nothing was done: database or disk is full" in at.toasts)
        await typed_title(at, "")
        await until(lambda: at.app.screen.query_one(Input).value == f"{before}!")
        await at.press("enter")
        await until(lambda: task_of(at).title == f"{before}!")

        await press_anew(at, "j")
        await until(lambda: task_of(at).title != f"{before}!")
        here = task_of(at)
        await typed_title(at, " mine")
        await at.press("tab", "x", "escape")
        await until(lambda: at.app.screen is at.inbox)
        assert task_of(at).title == here.title
        theirs = raw_task(int(here.task_id[1:]), title="Theirs")
        store.write(lambda db: task_store.put(db, [theirs])).result()
        await typed_title(at, "")
        await until(lambda: at.app.screen.query_one(Input).value == f"{here.title} mine")
        assert at.app.screen.query_one(TextArea).text == "x"
        await at.press("enter")
        await until(lambda: "someone else changed this while you were editing" in at.toasts)
        change, _ = outbox_queue.recent(at.store.reading)
        assert change.state is ChangeState.CONFLICT
        assert change.fields == {"title": f"{here.title} mine", "body": "x"}
        assert task_of(at).title == "Theirs"


async def test_another_profile_is_chosen_and_the_program_goes_there(store: Store) -> None:
    others: dict[str, str] = {}

    def profiles() -> dict[str, str]:
        if not others:
            raise ConfigError("config.toml: not valid TOML")
        return others

    async with running(store, profiles=profiles) as at:
        await at.press("ctrl+o")
        await until(lambda: "not valid TOML" in at.toasts)
        assert at.app.is_running, "a config that can't be read is words"
        others["test"] = "http://127.0.0.1:9"
        await press_anew(at, "ctrl+o")
        await until(lambda: "ctrl+k sets up another account" in at.toasts)
        others |= {"acme": "https://a.example", "beta": "https://b.example"}
        await at.opens(PickerDialog, "ctrl+o")
        await refuse(at)
        assert at.app.is_running
        assert at.app.next_profile is None
        await at.press("c")
        await until(lambda: outbox_bulk.unconfirmed_count(at.store.reading) == 1)
        await at.press("ctrl+o")
        await until(lambda: isinstance(at.app.screen, PickerDialog) and list(at.app.screen.rows.keys))
        assert list(at.on(PickerDialog).rows.keys) == ["acme", "beta"]
        await at.press("b", "e", "t", "enter")
        await until(lambda: at.app.is_ending)
        assert at.app.next_profile == "beta"

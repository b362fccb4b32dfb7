"""A row is about the task that words about tasks choose: it shows that task, and keys and marks mean it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import apsw
import pytest

from frontdesk.outbox.changes import COMPLETED
from frontdesk.storage import record_lookup
from frontdesk.storage.coverage import note_listed
from frontdesk.storage.database import Store
from frontdesk.storage.records import ConversationOrder
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import AgentId, ConversationId, TaskId
from frontdesk_lines.content import plain
from kit import At, profile, running
from sample_json import raw_task
from tasks.tui.targets import end_burst, planned
from tui.hosts import quiet, until

pytestmark = pytest.mark.anyio
NOW = 1_700_000_000
DANA, OMAR, ANA = (ConversationId(f"L1#C{number}") for number in (1, 2, 3))


def task_of(number: int, customer: int, title: str, people: list[str], due: int) -> dict[str, object]:
    name = {1: "Dana Levi", 2: "Omar Haddad", 3: "Ana Lima"}[customer]
    whose = {"phoneNumberId": f"C{customer}", "customerName": name}
    here = f"L1#C{customer}"
    return raw_task(
        number, title=title, assignedAgentIds=people, dueDate=due, participantsIdentifiers=here, customer=whose
    )


REFUND = task_of(1, 1, "Refund", ["noa"], NOW - 7_200)
LATE = task_of(7, 1, "Late delivery", ["me"], NOW + 1_800)
CHAIR = task_of(2, 2, "Wobbly chair", ["me"], NOW + 900)
INVOICE = task_of(3, 3, "Invoice", ["noa"], NOW - 60)
ADDRESS = task_of(8, 3, "New address", [], NOW + 90_000)


FIVE = [REFUND, LATE, CHAIR, INVOICE, ADDRESS]
"""A customer of whose two tasks the later one is mine, one with mine, one with nobody's."""


@asynccontextmanager
async def inbox(
    store: Store, *raws: dict[str, object], size: tuple[int, int] = (180, 40), is_listed: bool = True
) -> AsyncIterator[At]:
    store.write(lambda db: task_store.put(db, raws or FIVE)).result()
    if is_listed:
        store.write(note_listed).result()
    agents = {AgentId("noa"): "Noa Bar", AgentId("me"): "Mia"}
    async with running(store, fills=False, as_profile=profile(me="me", agents=agents), size=size) as at:
        at.inbox.list.sort(ConversationOrder.NAME)  # Ana, Dana, Omar
        yield at


async def start_anew(at: At) -> None:
    """Have the five tasks as they were, nothing changed, marked or filtered, and the list in its order by name."""

    def undo_all(db: apsw.Connection) -> None:
        db.execute("DELETE FROM outbox.changes")
        for (task_id,) in [*db.execute("SELECT task_id FROM tasks")]:
            task_store.remove(db, TaskId(str(task_id)))
        task_store.put(db, FIVE)

    await at.close_dialogs()
    at.app.clear_notifications()
    end_burst(at)
    at.inbox.panes.focus_pane(at.inbox.list)
    at.inbox.list.rows.unmark(set(at.inbox.list.rows.keys))
    at.inbox.list.apply_typed("")
    at.store.write(undo_all).result()
    await open_view(at, "all", OMAR)
    at.inbox.list.sort(ConversationOrder.NAME)
    await until(lambda: at.inbox.list.rows.keys == [ANA, DANA, OMAR] and not at.changed)
    await quiet(at.app)


async def open_view(at: At, name: str, row: str = DANA) -> None:
    at.inbox.list.open_view(next(each for each in at.inbox.list.views if each.name == name))
    assert at.inbox.list.rows.move_to(row)
    await quiet(at.app)


def put(at: At, raw: dict[str, object], **fields: object) -> Callable[[], bool]:
    """Let a poll bring a task; the function returned tells whether the customer pane has it."""
    at.store.write(lambda db: task_store.put(db, [{**raw, **fields}])).result()

    def is_shown() -> bool:
        shown = record_lookup.task(at.store.reading, TaskId(str(raw["taskId"])))
        return shown is not None and str(raw["taskId"]) in at.inbox.facts.tasks.keys

    return is_shown


def row(at: At, key: str = DANA) -> str:
    """Return the two lines of a row of the list."""
    rows = at.inbox.list.rows
    line = list(rows.keys).index(key) * rows.row_height
    return "\n".join(plain(painted.line) for painted in rows.frame()[line : line + 2])


async def test_the_footer_names_an_only_task_where_it_is_a_colleague_s_or_completed(store: Store) -> None:
    async with inbox(store, REFUND, CHAIR) as at:
        for size in ((180, 40), (80, 24)):
            await at.pilot.resize_terminal(*size)
            await open_view(at, "all", OMAR)
            await until(lambda: "c complete   " in at.footer)
            await open_view(at, "all")
            await until(lambda: 'c complete "Refund" (Noa Bar\'s)   ' in at.footer)
        await at.press("c")
        for size in ((80, 24), (180, 40)):
            await at.pilot.resize_terminal(*size)
            await until(lambda: 's status "Refund" (Noa Bar\'s): completed   ' in at.footer)
            assert "c complete" not in at.footer, size
        assert at.changed == ["t1"]


async def test_the_footer_names_the_row_s_task_again_where_the_cursor_left_it_and_came_back(store: Store) -> None:
    async with inbox(store, REFUND, CHAIR) as at:
        await open_view(at, "all")
        at.inbox.follower.show_cursor()
        named = at.footer
        assert 'c complete "Refund"' in named
        assert at.inbox.list.rows.move_to(OMAR)
        at.inbox.status_bar.update_hints()  # as a poll does
        assert at.footer != named
        assert at.inbox.list.rows.move_to(DANA)
        at.inbox.follower.show_cursor()
        assert at.footer == named


@pytest.mark.parametrize("view", ["all", "mine"])
async def test_after_a_task_the_customer_s_next_one_is_not_meant_until_the_cursor_moves(
    store: Store, view: str
) -> None:
    next_one = task_of(9, 1, "Call back", ["me"], NOW + 90_000)
    async with inbox(store, LATE, next_one, CHAIR) as at:
        await open_view(at, view)
        await until(lambda: 'complete "Late delivery"' in at.footer)
        await at.press("c")
        await until(lambda: at.changed == ["t7"] and at.inbox.facts.tasks.keys[0] == "t9")
        await quiet(at.app)
        await at.press("c")
        await until(lambda: '"Late delivery" for Dana Levi is already completed' in at.toasts)
        assert at.changed == ["t7"]
        await at.press("j")
        await until(lambda: at.inbox.thread.conversation_id == OMAR)
        await at.press("k")
        await until(lambda: 'complete "Call back"' in at.footer)


async def test_before_all_tasks_are_listed_the_footer_names_the_only_known_one(store: Store) -> None:
    async with inbox(store, LATE, is_listed=False) as at:
        await open_view(at, "mine")
        await until(lambda: 'c complete "Late delivery"' in at.footer)
    async with inbox(store, LATE, size=(60, 15), is_listed=False) as at:
        await open_view(at, "mine")
        object.__setattr__(at.inbox.status_bar.line, "_hints", ())
        at.inbox.status_bar.line.sync()
        await at.press("c")
        assert "Tasks are still loading" in await planned(at)


async def test_without_threads_beside_it_the_list_has_the_same_targets(store: Store) -> None:
    async with inbox(store, size=(80, 24)) as at:
        await at.press("p")
        await open_view(at, "mine")
        await until(lambda: 'c complete "Late delivery"' in at.footer)
        await at.press("c")
        await until(lambda: at.changed == ["t7"])


async def check_in_mine_a_row_shows_my_task_and_keys_work_on_it(at: At) -> None:
    await open_view(at, "mine")
    assert "task: Late delivery" in row(at)
    assert "NB" not in row(at), "the other task is a colleague's"
    await until(lambda: at.inbox.facts.tasks.cursor_key == "t7")
    await until(lambda: 'c complete "Late delivery"   ' in at.footer)
    await at.press("c")
    await until(lambda: at.changed == ["t7"])
    assert at.app.screen is at.inbox


async def check_the_footer_names_the_task_and_whose_it_is(at: At) -> None:
    for view, here, key, wanted, named in (
        ("mine", DANA, "M", "t7", '"Late delivery"'),
        ("unassigned", ANA, "A", "t8", '"New address" (unassigned)'),
        ("overdue", DANA, "c", "t1", '"Refund" (Noa Bar\'s)'),
        ("all", ANA, "c", "t3", '"Invoice" (Noa Bar\'s)'),
    ):
        await start_anew(at)
        await open_view(at, view, here)
        await until(lambda named=named: f"c complete {named}" in at.footer)  # type: ignore[misc]
        await at.press(key)
        await until(lambda wanted=wanted: at.changed == [wanted])  # type: ignore[misc]
        assert at.app.screen is at.inbox, view


async def check_words_about_tasks_hold_for_one_and_the_same_task(at: At) -> None:
    for words, found in (
        ("is:mine is:overdue", []),
        ("is:overdue -is:mine", [ANA, DANA]),
        ("is:unassigned due<2d", [ANA]),
        ("is:unassigned is:overdue", []),
        ("-is:mine", [ANA]),
    ):
        at.inbox.list.apply_typed(words)
        assert list(at.inbox.list.rows.keys) == found, words


async def check_a_key_right_behind_a_change_of_the_list_asks_about_its_task(at: At) -> None:
    await open_view(at, "all")
    await until(lambda: 'complete "Refund"' in at.footer)
    at.inbox.list.run("next_view")  # mine
    selection = at.inbox.targets.current()
    assert selection.tasks == ("t7",)
    assert selection.doubt, "the footer still names the other one"
    at.inbox.list.apply_typed("is:overdue")
    assert not at.inbox.list.rows.keys


async def check_a_poll_does_not_change_the_task_under_the_cursor(at: At) -> None:
    sooner = task_of(9, 1, "Call back", ["me"], NOW + 60)
    await open_view(at, "mine")
    await until(put(at, sooner))
    assert "task: Late delivery" in row(at)
    await at.press("c")
    await until(lambda: at.changed == ["t7"])


async def check_a_row_that_the_cursor_leaves_is_about_what_the_words_choose_now(at: At) -> None:
    sooner = task_of(9, 1, "Call back", ["me"], NOW + 60)
    await open_view(at, "mine")
    await until(put(at, sooner))
    await at.press("j")
    await until(lambda: "task: Call back" in row(at))
    await at.press("k")
    await until(lambda: 'complete "Call back"' in at.footer)


async def check_a_key_before_the_thread_follows_means_the_task_that_the_row_was_drawn_with(at: At) -> None:
    await open_view(at, "mine", OMAR)
    drawn = task_of(9, 1, "Call back", ["me"], NOW + 60)
    at.store.write(lambda db: task_store.put(db, [drawn])).result()
    at.inbox.list.rows.move_to(DANA)  # before the screen shows what is stored
    assert at.inbox.targets.current().tasks == ("t7",)


async def check_a_task_that_is_reassigned_meanwhile_is_named_as_the_colleague_s(at: At) -> None:
    await open_view(at, "mine")
    put(at, LATE, assignedAgentIds=["noa"])
    await until(lambda: 'complete "Late delivery" (Noa Bar\'s)' in at.footer)
    assert at.inbox.list.cursor == DANA
    await at.press("c")
    await until(lambda: at.changed == ["t7"])


async def check_after_my_task_a_colleague_s_is_not_next(at: At) -> None:
    await open_view(at, "mine")
    await at.press("c")
    await until(lambda: at.changed == ["t7"])
    await until(lambda: at.inbox.facts.tasks.cursor_key == "t7")
    await at.press("c")
    await until(lambda: '"Late delivery" for Dana Levi is already completed' in at.toasts)
    assert at.changed == ["t7"]


async def check_after_undo_the_row_s_task_is_meant_without_a_question(at: At) -> None:
    await open_view(at, "all")
    await until(lambda: 'complete "Refund" (Noa Bar\'s)' in at.footer)
    for key, words in (("c", "Completed"), ("c", "already"), ("u", "Undone"), ("u", "Nothing to undo")):
        at.app.clear_notifications()
        at.app._typed_at = 0.0
        await at.press(key)
        await until(lambda words=words: words in at.toasts)  # type: ignore[misc]
        await quiet(at.app)
    await at.press("c")
    await until(lambda: "Completed" in at.toasts)
    assert at.app.screen is at.inbox
    assert set(at.changed) == {"t1"}


async def test_where_the_row_s_task_has_gone_the_question_says_so_and_names_the_one_in_its_place(
    store: Store,
) -> None:
    async with inbox(store) as at:
        await open_view(at, "all")
        await until(lambda: 'complete "Refund"' in at.footer)
        put(at, REFUND, participantsIdentifiers="L1#C2", customer={"phoneNumberId": "C2", "customerName": "Omar"})
        await until(lambda: 'complete "Late delivery"' in at.footer or at.inbox.facts.tasks.keys == ["t7"])
        for _ in range(2):  # no is no choice
            await at.press("c")
            words = await planned(at)
            assert "The list changed" in words
            assert "Dana Levi  Late delivery" in words
            await at.press("escape")
            await until(lambda: at.app.screen is at.inbox)
        assert not at.changed


async def check_a_mark_keeps_the_task_that_its_row_showed(at: At) -> None:
    await open_view(at, "mine")
    await at.press("V")
    await open_view(at, "all")
    await at.press("c")
    words = " ".join((await planned(at)).split())  # the customers stand in a column
    assert "Dana Levi Late delivery" in words
    assert "Omar Haddad Wobbly chair" in words
    assert "Also open, but not changed: Refund (Dana Levi)." in words
    await at.press("y")
    await until(lambda: at.changed == ["t2", "t7"])


async def check_a_marked_row_alone_is_planned_unless_its_task_is_named(at: At) -> None:
    await open_view(at, "mine", OMAR)
    await at.press("space")
    assert at.inbox.list.cursor == OMAR
    await at.press("c")
    await until(lambda: at.changed == ["t2"])
    await open_view(at, "mine")
    await at.press("space", "k", "c")
    assert "Dana Levi  Late delivery" in await planned(at)


async def check_a_task_chosen_in_the_customer_pane_is_what_the_row_shows(at: At) -> None:
    await open_view(at, "mine")
    at.inbox.panes.focus_pane(at.inbox.facts)
    await at.press("k")
    await until(lambda: 'complete "Refund" (Noa Bar\'s)' in at.footer)
    await until(lambda: "task: Refund" in row(at))
    at.inbox.panes.focus_pane(at.inbox.list)
    await at.press("j", "k")
    await until(lambda: at.inbox.list.cursor == DANA)
    assert "task: Refund" in row(at), "as long as the customer pane has it selected"
    await at.press("j")
    await until(lambda: "task: Late delivery" in row(at))


async def check_by_due_date_rows_are_sorted_by_the_date_that_they_show(at: At) -> None:
    await open_view(at, "mine")
    at.inbox.list.sort(ConversationOrder.DUE)
    assert list(at.inbox.list.rows.keys) == [OMAR, DANA], "a colleague's task of Dana's is due before all"


@pytest.mark.slow
async def test_a_row_is_about_the_task_that_words_choose(store: Store) -> None:
    async with inbox(store) as at:
        for check in (
            check_in_mine_a_row_shows_my_task_and_keys_work_on_it,
            check_the_footer_names_the_task_and_whose_it_is,
            check_words_about_tasks_hold_for_one_and_the_same_task,
            check_a_key_right_behind_a_change_of_the_list_asks_about_its_task,
            check_a_poll_does_not_change_the_task_under_the_cursor,
            check_a_row_that_the_cursor_leaves_is_about_what_the_words_choose_now,
            check_a_key_before_the_thread_follows_means_the_task_that_the_row_was_drawn_with,
            check_a_task_that_is_reassigned_meanwhile_is_named_as_the_colleague_s,
            check_after_my_task_a_colleague_s_is_not_next,
            check_after_undo_the_row_s_task_is_meant_without_a_question,
            check_a_mark_keeps_the_task_that_its_row_showed,
            check_a_marked_row_alone_is_planned_unless_its_task_is_named,
            check_a_task_chosen_in_the_customer_pane_is_what_the_row_shows,
            check_by_due_date_rows_are_sorted_by_the_date_that_they_show,
        ):
            await start_anew(at)
            await check(at)


async def test_completed_tasks_are_found_by_their_status(store: Store) -> None:
    done = {**LATE, "statusCase": COMPLETED}
    async with inbox(store, REFUND, done) as at:
        at.inbox.list.apply_typed("is:mine")
        assert not at.inbox.list.rows.keys
        at.inbox.list.apply_typed("is:mine status:completed")
        await quiet(at.app)
        assert at.inbox.targets.current().tasks == ("t7",)
        assert "task: Late delivery" in row(at)


async def test_the_id_of_the_task_under_the_cursor_is_copied(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[str] = []
    monkeypatch.setattr("frontdesk.tui.base_screen.copy", lambda _app, text, _what: copied.append(text))
    async with inbox(store, REFUND) as at:
        await at.press("y")
        at.inbox.panes.focus_pane(at.inbox.facts)
        await until(lambda: at.inbox.facts.tasks.cursor_key is not None)
        await at.press("y")
        await until(lambda: len(copied) == 2)
    assert copied[0] != copied[1] == REFUND["taskId"]

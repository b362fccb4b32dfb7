"""A row is about the task that words about tasks choose: it shows that task, and keys and marks mean it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC

import pytest

from frontdesk.api.contract.ids import AgentId, ConversationId, TaskId
from frontdesk.app.screens import KEYMAP
from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.config.settings import Hosts, Profile, Settings
from frontdesk.inbox.tui.screen import InboxScreen
from frontdesk.outbox import queue
from frontdesk.outbox.changes import COMPLETED
from frontdesk.storage import record_lookup
from frontdesk.storage.coverage import note_listed
from frontdesk.storage.database import Store
from frontdesk.storage.records import ConversationOrder
from frontdesk.tasks import store as task_store
from frontdesk.text.glyphs import glyphs
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.confirm import BulkPlanDialog
from kit import At, Clock
from sample_json import raw_task
from services import Services
from tasks.tui.test_actions import said
from tui.widgets.hosts import quiet, text_of, until

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


@asynccontextmanager
async def inbox(
    store: Store, *raws: dict[str, object], size: tuple[int, int] = (180, 40), is_listed: bool = True
) -> AsyncIterator[At]:
    """An inbox with a customer of whose two tasks the later one is mine, one with mine, one with nobody's."""
    store.write(lambda db: task_store.put(db, raws or [REFUND, LATE, CHAIR, INVOICE, ADDRESS])).result()
    if is_listed:
        store.write(note_listed).result()
    clock = Clock()
    profile = Profile(
        "test",
        Hosts(*["http://127.0.0.1:9"] * 5),
        agent_id=AgentId("me"),
        agents={AgentId("noa"): "Noa Bar", AgentId("me"): "Mia"},
    )
    services = Services(store, profile, Settings(), clock)
    app = FrontdeskApp(AppContext(services.store, services.outbox, glyphs(False), UTC, clock, keymap=KEYMAP))
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(
            lambda: isinstance(app.current_screen, InboxScreen) and app.current_screen.list.rows.cursor_key
        )
        at = At(app, pilot, store, clock)
        at.inbox.list.sort(ConversationOrder.NAME)  # Ana, Dana, Omar
        yield at


async def open_view(at: At, name: str, row: str = DANA) -> None:
    at.inbox.list.open_view(next(each for each in at.inbox.list.views if each.name == name))
    assert at.inbox.list.rows.move_to(row)
    await quiet(at.app)


def footer(at: At) -> str:
    return text_of(at.app)[-1]


def changed(at: At) -> list[str]:
    at.store.write(lambda db: None).result()
    return sorted(each.target for each in queue.recent(at.services.store.reading))


def put(at: At, raw: dict[str, object], **fields: object) -> Callable[[], bool]:
    """Let a poll bring a task; the function returned tells whether the customer pane has it."""
    at.store.write(lambda db: task_store.put(db, [{**raw, **fields}])).result()

    def is_shown() -> bool:
        shown = record_lookup.task(at.services.store.reading, TaskId(str(raw["taskId"])))
        return shown is not None and str(raw["taskId"]) in at.inbox.facts.tasks.keys

    return is_shown


def row(at: At, key: str = DANA) -> str:
    """Return the two lines of a row of the list."""
    rows = at.inbox.list.rows
    line = list(rows.keys).index(key) * rows.row_height + rows.region.y
    return "\n".join(text_of(at.app)[line : line + 2])[: 2 * 180]


async def planned(at: At) -> str:
    await until(lambda: isinstance(at.app.screen, BulkPlanDialog))
    await quiet(at.app)
    return "\n".join(text_of(at.app))


async def test_in_mine_a_row_shows_my_task_and_keys_work_on_it(store: Store) -> None:
    async with inbox(store) as at:
        await open_view(at, "mine")
        assert "task: Late delivery" in row(at)
        assert "NB" not in row(at), "the other task is a colleague's"
        assert at.inbox.facts.tasks.cursor_key == "t7"
        await until(lambda: 'c complete "Late delivery"   ' in footer(at))
        await at.press("c")
        await until(lambda: changed(at) == ["t7"])
        assert at.app.screen is at.inbox


@pytest.mark.parametrize(
    ("view", "here", "key", "wanted", "named"),
    [
        ("mine", DANA, "M", "t7", '"Late delivery"'),
        ("unassigned", ANA, "A", "t8", '"New address" (unassigned)'),
        ("overdue", DANA, "c", "t1", '"Refund" (Noa Bar\'s)'),
        ("all", ANA, "c", "t3", '"Invoice" (Noa Bar\'s)'),
    ],
)
async def test_the_footer_names_the_task_and_whose_it_is(
    store: Store, view: str, here: str, key: str, wanted: str, named: str
) -> None:
    async with inbox(store) as at:
        await open_view(at, view, here)
        await until(lambda: f"c complete {named}" in footer(at))
        await at.press(key)
        await until(lambda: changed(at) == [wanted])
        assert at.app.screen is at.inbox


@pytest.mark.parametrize("size", [(180, 40), (80, 24)])
async def test_the_footer_names_an_only_task_where_it_is_a_colleague_s_or_completed(
    store: Store, size: tuple[int, int]
) -> None:
    async with inbox(store, REFUND, CHAIR, size=size) as at:
        await open_view(at, "all", OMAR)
        await until(lambda: "c complete   " in footer(at))
        await open_view(at, "all")
        await until(lambda: 'c complete "Refund" (Noa Bar\'s)   ' in footer(at))
        await at.press("c")
        await until(lambda: 's status "Refund" (Noa Bar\'s): completed   ' in footer(at))
        assert "c complete" not in footer(at)
        assert changed(at) == ["t1"]


async def test_words_about_tasks_hold_for_one_and_the_same_task(store: Store) -> None:
    async with inbox(store) as at:
        for words, found in (
            ("is:mine is:overdue", []),
            ("is:overdue -is:mine", [ANA, DANA]),
            ("is:unassigned due<2d", [ANA]),
            ("is:unassigned is:overdue", []),
            ("-is:mine", [ANA]),
        ):
            at.inbox.list.apply_typed(words)
            assert list(at.inbox.list.rows.keys) == found, words


async def test_a_key_right_behind_a_change_of_the_list_asks_about_its_task(store: Store) -> None:
    async with inbox(store) as at:
        await open_view(at, "all")
        await until(lambda: 'complete "Refund"' in footer(at))
        at.inbox.list.run("next_view")  # mine
        selection = at.inbox.targets.current()
        assert selection.tasks == ("t7",)
        assert selection.doubt, "the footer still names the other one"
        at.inbox.list.apply_typed("is:overdue")
        assert not at.inbox.list.rows.keys


async def test_a_poll_does_not_change_the_task_under_the_cursor(store: Store) -> None:
    sooner = task_of(9, 1, "Call back", ["me"], NOW + 60)
    async with inbox(store) as at:
        await open_view(at, "mine")
        await until(put(at, sooner))
        assert "task: Late delivery" in row(at)
        await at.press("c")
        await until(lambda: changed(at) == ["t7"])


async def test_a_row_that_the_cursor_leaves_is_about_what_the_words_choose_now(store: Store) -> None:
    sooner = task_of(9, 1, "Call back", ["me"], NOW + 60)
    async with inbox(store) as at:
        await open_view(at, "mine")
        await until(put(at, sooner))
        await at.press("j")
        await until(lambda: "task: Call back" in row(at))
        await at.press("k")
        await until(lambda: 'complete "Call back"' in footer(at))


async def test_a_key_before_the_thread_follows_means_the_task_that_the_row_was_drawn_with(store: Store) -> None:
    async with inbox(store) as at:
        await open_view(at, "mine", OMAR)
        drawn = task_of(9, 1, "Call back", ["me"], NOW + 60)
        at.store.write(lambda db: task_store.put(db, [drawn])).result()
        at.inbox.list.rows.move_to(DANA)  # before the screen shows what is stored
        assert at.inbox.targets.current().tasks == ("t7",)


async def test_a_task_that_is_reassigned_meanwhile_is_named_as_the_colleague_s(store: Store) -> None:
    async with inbox(store) as at:
        await open_view(at, "mine")
        put(at, LATE, assignedAgentIds=["noa"])
        await until(lambda: 'complete "Late delivery" (Noa Bar\'s)' in footer(at))
        assert at.inbox.list.cursor == DANA
        await at.press("c")
        await until(lambda: changed(at) == ["t7"])


async def test_after_my_task_a_colleague_s_is_not_next(store: Store) -> None:
    async with inbox(store) as at:
        await open_view(at, "mine")
        await at.press("c")
        await until(lambda: changed(at) == ["t7"])
        await until(lambda: at.inbox.facts.tasks.cursor_key == "t7")
        await at.press("c")
        await until(lambda: '"Late delivery" for Dana Levi is already completed' in said(at))
        assert changed(at) == ["t7"]


@pytest.mark.parametrize("view", ["all", "mine"])
async def test_after_a_task_the_customer_s_next_one_is_not_meant_until_the_cursor_moves(
    store: Store, view: str
) -> None:
    next_one = task_of(9, 1, "Call back", ["me"], NOW + 90_000)
    async with inbox(store, LATE, next_one, CHAIR) as at:
        await open_view(at, view)
        await until(lambda: 'complete "Late delivery"' in footer(at))
        await at.press("c")
        await until(lambda: changed(at) == ["t7"] and at.inbox.facts.tasks.keys[0] == "t9")
        await quiet(at.app)
        await at.press("c")
        await until(lambda: '"Late delivery" for Dana Levi is already completed' in said(at))
        assert changed(at) == ["t7"]
        await at.press("j")
        await until(lambda: at.inbox.thread.conversation_id == OMAR)
        await at.press("k")
        await until(lambda: 'complete "Call back"' in footer(at))


async def test_after_undo_the_row_s_task_is_meant_without_a_question(store: Store) -> None:
    async with inbox(store) as at:
        await open_view(at, "all")
        await until(lambda: 'complete "Refund" (Noa Bar\'s)' in footer(at))
        for key, words in (("c", "Completed"), ("c", "already"), ("u", "Undone"), ("u", "Nothing to undo")):
            at.app.clear_notifications()
            at.app._typed_at = 0.0
            await at.press(key)
            await until(lambda words=words: words in said(at))  # type: ignore[misc]
            await quiet(at.app)
        await at.press("c")
        await until(lambda: "Completed" in said(at))
        assert at.app.screen is at.inbox
        assert set(changed(at)) == {"t1"}


async def test_where_the_row_s_task_has_gone_the_question_says_so_and_names_the_one_in_its_place(
    store: Store,
) -> None:
    async with inbox(store) as at:
        await open_view(at, "all")
        await until(lambda: 'complete "Refund"' in footer(at))
        put(at, REFUND, participantsIdentifiers="L1#C2", customer={"phoneNumberId": "C2", "customerName": "Omar"})
        await until(lambda: 'complete "Late delivery"' in footer(at) or at.inbox.facts.tasks.keys == ["t7"])
        for _ in range(2):  # no is no choice
            await at.press("c")
            words = await planned(at)
            assert "The list of the customer's tasks changed" in words
            assert "Dana Levi  Late delivery" in words
            await at.press("escape")
            await until(lambda: at.app.screen is at.inbox)
        assert not changed(at)


async def test_a_mark_keeps_the_task_that_its_row_showed(store: Store) -> None:
    async with inbox(store) as at:
        await open_view(at, "mine")
        await at.press("V")
        await open_view(at, "all")
        await at.press("c")
        words = " ".join((await planned(at)).split())  # the customers stand in a column
        assert "Dana Levi Late delivery" in words
        assert "Omar Haddad Wobbly chair" in words
        assert "Also open, but not changed: Refund (Dana Levi)." in words
        await at.press("y")
        await until(lambda: changed(at) == ["t2", "t7"])


async def test_a_marked_row_alone_is_planned_unless_its_task_is_named(store: Store) -> None:
    async with inbox(store) as at:
        await open_view(at, "mine", OMAR)
        await at.press("space")
        assert at.inbox.list.cursor == OMAR
        await at.press("c")
        await until(lambda: changed(at) == ["t2"])
        await open_view(at, "mine")
        await at.press("space", "k", "c")
        assert "Dana Levi  Late delivery" in await planned(at)


async def test_a_task_chosen_in_the_customer_pane_is_what_the_row_shows(store: Store) -> None:
    async with inbox(store) as at:
        await open_view(at, "mine")
        at.inbox.panes.focus_pane(at.inbox.facts)
        await at.press("k")
        await until(lambda: 'complete "Refund" (Noa Bar\'s)' in footer(at))
        await until(lambda: "task: Refund" in row(at))
        at.inbox.panes.focus_pane(at.inbox.list)
        await at.press("j", "k")
        await until(lambda: at.inbox.list.cursor == DANA)
        assert "task: Refund" in row(at), "as long as the customer pane has it selected"
        await at.press("j")
        await until(lambda: "task: Late delivery" in row(at))


async def test_before_all_tasks_are_listed_the_footer_names_the_only_known_one(store: Store) -> None:
    async with inbox(store, LATE, is_listed=False) as at:
        await open_view(at, "mine")
        await until(lambda: 'c complete "Late delivery"' in footer(at))
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
        await until(lambda: 'c complete "Late delivery"' in footer(at))
        await at.press("c")
        await until(lambda: changed(at) == ["t7"])


async def test_by_due_date_rows_are_sorted_by_the_date_that_they_show(store: Store) -> None:
    async with inbox(store) as at:
        await open_view(at, "mine")
        at.inbox.list.sort(ConversationOrder.DUE)
        assert list(at.inbox.list.rows.keys) == [OMAR, DANA], "a colleague's task of Dana's is due before all"


async def test_completed_tasks_are_found_by_their_status(store: Store) -> None:
    done = {**LATE, "statusCase": COMPLETED}
    async with inbox(store, REFUND, done) as at:
        at.inbox.list.apply_typed("is:mine")
        assert not at.inbox.list.rows.keys
        at.inbox.list.apply_typed("is:mine status:completed")
        await quiet(at.app)
        assert at.inbox.targets.current().tasks == ("t7",)
        assert "task: Late delivery" in row(at)

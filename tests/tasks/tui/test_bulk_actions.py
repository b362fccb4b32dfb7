"""Marked rows at the keys: no dialog retargets, a plan first, how far it is, stopped, and what failed."""

import apsw
import pytest

from frontdesk.inbox.tui.screen import InboxScreen
from frontdesk.outbox import bulk as outbox_bulk
from frontdesk.outbox import queue
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeState
from frontdesk.tasks import store as task_store
from frontdesk.tasks.tui.failures_dialog import FailuresDialog
from frontdesk.tasks.tui.screen import BoardScreen
from frontdesk.tui.dialogs.base import Dialog
from frontdesk.tui.dialogs.confirm import ConfirmDialog
from frontdesk_api.contract.ids import ConversationId, TaskId
from kit import At, running
from sample_json import raw_task
from tasks.tui.targets import planned, rows_of, six, to_board
from tui.hosts import until

pytestmark = pytest.mark.anyio

DEEDS: dict[str, tuple[str, ...]] = {
    "status": ("s", "3"),
    "assign": ("a", "x", "enter", "enter"),
    "due": ("d", "3"),
    "tag": ("t", "v", "enter", "enter"),
    "complete": ("c",),
    "edit": ("e", "!", "enter"),
}
"""The key that opens each dialog, and how it is answered."""


async def sort_anew(at: At) -> None:
    """A poll that turns the list over: what was due last is due first; waits until it shows so."""
    before = rows_of(at)
    raws = []
    for due, key in enumerate(reversed(before), start=1_700_000_000):
        kept = task_store.raw_task(at.store.reading, TaskId(f"t{key[-1]}"))
        assert kept is not None
        raws.append({**kept, "dueDate": due})
    at.store.write(lambda db: task_store.put(db, raws)).result()
    await until(lambda: rows_of(at) == before[::-1])


@pytest.mark.slow
@pytest.mark.parametrize("marked", [False, True], ids=["one", "marked"])
@pytest.mark.parametrize("screen", ["inbox", "board"])
async def test_no_dialog_retargets_when_a_poll_sorts_the_list_anew(
    store: Store, screen: str, marked: bool
) -> None:
    async with running(store, *six(), size=(60, 15)) as at:
        at.inbox.list.sort(at.inbox.list.order.DUE)
        if screen == "board":
            await to_board(at)
        for kind in DEEDS if not marked else [each for each in DEEDS if each != "edit"]:
            if marked and not screen_of(at).state().marked:
                await at.press("g", "space", "space")
            await until(lambda: screen_of(at).state().marked == (2 if marked else 0))
            await deed_while_sorted(at, kind, marked)


def screen_of(at: At) -> InboxScreen | BoardScreen:
    screen = at.app.current_screen
    assert isinstance(screen, InboxScreen | BoardScreen)
    return screen


async def deed_while_sorted(at: At, kind: str, marked: bool) -> None:
    """What it is meant for when its key is pressed is what it is done on; undone again."""
    screen = screen_of(at)
    selection = screen.cursor.selection() if isinstance(screen, BoardScreen) else screen.targets.current()
    meant = set(selection.conversations if kind == "tag" else selection.tasks)
    assert len(meant) == (2 if marked else 1)
    key, *answer = DEEDS[kind]
    await at.press(key)
    if answer:
        await until(lambda: isinstance(at.app.screen, Dialog))
        await sort_anew(at)
        await at.press(*answer)
    if marked:
        await until(lambda: isinstance(at.app.screen, ConfirmDialog))
        await sort_anew(at)
        await at.press("y")
    await until(lambda: at.app.screen is screen and outbox_bulk.unconfirmed_count(at.store.reading) == len(meant))
    assert {change.target for change in queue.recent(at.store.reading, len(meant))} == meant, kind
    await at.press("u")
    await until(lambda: not outbox_bulk.unconfirmed_count(at.store.reading))


async def test_a_plan_tells_what_would_be_done_and_nothing_is_done_before(store: Store) -> None:
    async with running(store, *six(t1={"statusCase": "completed"})) as at:
        no_task = store.write(lambda db: open_pair(db)).result()
        await until(lambda: no_task in at.inbox.list.rows.keys)
        await at.press("V", "c")
        shown = await planned(at)
        assert "Complete · 7 marked" in shown
        assert "5 of 7 will change · 1 unchanged · 1 skipped: no task loaded" in shown
        assert "Takes less than a minute (10 requests); press x to stop" in shown
        assert "Press u to undo it." in shown
        assert "Open → Completed" in shown
        assert "Customer 2  Task 2" in shown
        await at.press("escape")
        await until(lambda: at.app.screen is at.inbox)
        assert not queue.recent(at.store.reading)
        await at.press("c")
        await planned(at)
        await at.press("enter")
        await until(lambda: 'Completed "Task 0" for Customer 0 and 4 more · u undo' in at.toasts)


def open_pair(db: apsw.Connection) -> ConversationId:
    from frontdesk.inbox.store import conversations
    from frontdesk_api.contract.ids import CustomerId, LineId

    conversation_id = ConversationId("L1#C77")
    conversations.add_by_pair(db, conversation_id, LineId("L1"), CustomerId("C77"))
    return conversation_id


def settle(store: Store, states: dict[str, ChangeState]) -> None:
    """As the sender would: these tasks' changes end so."""

    def job(db: apsw.Connection) -> None:
        for target, state in states.items():
            (change,) = queue.live_for(db, target)
            queue.claim(db, [change], "test", 1_700_000_001.0)
            if state is not ChangeState.SENDING:
                now, reason = 1_700_000_002.0, "no such status"
                queue.move(db, change.change_id, state, expected=(ChangeState.SENDING,), now=now, reason=reason)

    store.write(job).result()


async def test_how_far_it_is_stands_in_the_status_line_until_it_is_stopped(store: Store) -> None:
    async with running(store, *six()) as at:
        await at.press("V", "c")
        await planned(at)
        await at.press("y")
        await until(lambda: "completing 0 of 6 · x stop" in at.footer)
        settle(store, {"t1": ChangeState.CONFIRMED, "t2": ChangeState.REFUSED, "t3": ChangeState.SENDING})
        await until(lambda: "completing 2 of 6 · 1 failed · x stop" in at.footer)
        await at.press("x")
        await until(lambda: "Stopped: 3 discarded, 3 already sent · u undo those" in at.toasts)
        await until(lambda: "completing" not in at.footer)
        assert outbox_bulk.unconfirmed_count(at.store.reading) == 1, "what is on its way is not taken back"
        await at.press("x")
        await until(lambda: "No bulk change is running." in at.toasts)


@pytest.mark.slow
async def test_what_failed_is_listed_opened_and_sent_again(store: Store) -> None:
    async with running(store, *six()) as at:
        await at.press("X")
        await until(lambda: "No failed changes" in at.toasts)
        await at.press("V", "c")
        await planned(at)
        await at.press("y")
        await until(lambda: "completing 0 of 6" in at.footer)
        failed = {"t1": ChangeState.REFUSED, "t2": ChangeState.REFUSED}
        settle(store, {**failed, **{f"t{each}": ChangeState.CONFIRMED for each in (0, 3, 4, 5)}})
        await until(lambda: "2 of 6 failed · X list" in at.toasts)
        await failures(at)
        await at.press("j", "enter")
        await until(lambda: at.inbox.thread.conversation_id == "L1#C2")
        await failures(at)
        await at.press("R")
        await until(lambda: "Resending 2." in at.toasts)
        assert outbox_bulk.unconfirmed_count(at.store.reading) == 2


async def failures(at: At) -> None:
    await at.press("X")
    await until(lambda: isinstance(at.app.screen, FailuresDialog))
    shown = at.text
    assert "2 failed · Status: Completed" in shown
    assert "no such status" in shown


async def test_undo_of_many_asks_first(store: Store) -> None:
    async with running(store, *[raw_task(number) for number in range(12)]) as at:
        await at.press("V", "c")
        await planned(at)
        await at.press("y")
        await until(lambda: outbox_bulk.unconfirmed_count(at.store.reading) == 12)
        await at.press("u")
        await until(lambda: isinstance(at.app.screen, ConfirmDialog))
        assert "and 11 more?" in at.text
        await at.press("n", "u")
        await until(lambda: isinstance(at.app.screen, ConfirmDialog))
        assert outbox_bulk.unconfirmed_count(at.store.reading) == 12
        await at.press("enter")
        await until(lambda: "Undone: Status Completed · " in at.toasts)
        assert "and 11 more · U redoes it" in at.toasts

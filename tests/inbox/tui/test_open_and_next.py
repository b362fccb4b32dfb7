"""Opening the next unread conversation, completing and going on, and visits from the board."""

from threading import Event
from typing import Any

import apsw
import pytest
from textual.widgets._toast import Toast

from frontdesk.inbox.store import threads
from frontdesk.inbox.tui.screen import InboxScreen
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import ConversationOrder
from frontdesk.tasks.tui.screen import BoardScreen
from frontdesk.tui.dialogs.base import Dialog
from frontdesk.tui.dialogs.confirm import BulkPlanDialog
from frontdesk_api.contract.ids import ConversationId, TaskId
from kit import At, running
from sample_json import raw_message
from tasks.tui.targets import press_anew, rows_of, six, to_board
from tui.hosts import quiet, until
from tui.screen_text import key_event

pytestmark = pytest.mark.anyio


def unread(at: At, conversation_id: str) -> int:
    record = record_lookup.conversation(at.store.reading, ConversationId(conversation_id))
    assert record is not None
    return record.unread


def status_of(at: At, conversation_id: str) -> str:
    (task,) = record_lookup.tasks_of_conversation(at.store.reading, ConversationId(conversation_id))
    return task.status


def write_to(store: Store, *conversations: str) -> None:
    def put(db: apsw.Connection) -> None:
        for each in conversations:
            threads.put_page(db, ConversationId(each), [raw_message(1)], start=None, has_more=False, now=1.0)

    store.write(put).result()


async def test_n_opens_the_next_unread_as_enter_does_and_capital_n_goes_back(store: Store) -> None:
    async with running(store, *six()) as at:
        first, _, third, *_ = rows_of(at)
        write_to(store, third)
        assert unread(at, third) == 1
        await at.press("n")
        await until(lambda: unread(at, third) == 0)
        assert at.inbox.panes.is_at(at.inbox.thread)
        assert at.inbox.thread.conversation_id == third
        await at.press("N")
        await until(lambda: at.inbox.thread.conversation_id == first)


def waits(at: At, conversation_id: str) -> bool:
    record = record_lookup.conversation(at.store.reading, ConversationId(conversation_id))
    return record is not None and record.waiting_since is not None


async def press_twice_before_a_write(at: At, key: str) -> None:
    may_write = Event()
    at.store.write(lambda db: may_write.wait(30))
    at.app.post_message(key_event(key))
    at.app.post_message(key_event(key))
    await quiet(at.app)
    may_write.set()


@pytest.mark.parametrize(
    ("view", "is_open", "is_burst"),
    [("all", False, False), ("waiting > 1h", True, False), ("all", True, True)],
)
async def test_a_second_key_takes_back_that_no_answer_is_needed(
    store: Store, view: str, is_open: bool, is_burst: bool
) -> None:
    async with running(store, *six(), size=(140, 40)) as at:
        first, second, *_ = rows_of(at)
        write_to(store, first, second)
        at.clock.now += 7_200
        at.inbox.list.open_view(next(each for each in at.inbox.list.views if each.name == view))
        await until(lambda: rows_of(at)[:2] == [first, second])
        at.inbox.list.rows.move_to(first)
        await at.press(*["enter"] * is_open)
        await until(lambda: at.inbox.thread.conversation_id == first)
        if is_burst:
            await press_twice_before_a_write(at, "!")
        else:
            await at.press("exclamation_mark")
            await until(lambda: not waits(at, first))
            await until(lambda: at.inbox.list.view_counts.is_at_rest)
            await quiet(at.app)
            assert at.inbox.list.cursor == first
            assert rows_of(at)[:2] == [first, second], "it stays where the person saw it"
            await at.press("exclamation_mark")
        await until(lambda: "Waiting for an answer: Customer" in at.toasts)
        assert waits(at, first)
        assert waits(at, second)
        assert at.inbox.list.cursor == at.inbox.thread.conversation_id == first
        assert unread(at, second), "nobody opened it"
        await at.press("u")
        await until(lambda: not waits(at, first))


async def test_a_row_that_needs_no_answer_goes_to_its_place_once_the_cursor_leaves_it(store: Store) -> None:
    async with running(store, *six(), size=(140, 40)) as at:
        first, second, third, *_ = rows_of(at)
        write_to(store, first, second)
        await until(lambda: rows_of(at)[:2] == [first, second])
        at.inbox.list.rows.move_to(first)
        await at.press("exclamation_mark")
        await until(lambda: not waits(at, first))
        await at.press("j")
        assert at.inbox.list.cursor == second
        await until(lambda: rows_of(at)[0] == second)
        at.inbox.list.rows.move_to(third)
        await at.press("exclamation_mark")
        await until(lambda: "No one is waiting" in at.toasts)


async def test_two_keys_in_a_burst_mark_a_thread_as_read_and_unread_again(store: Store) -> None:
    async with running(store, *six()) as at:
        first, *_ = rows_of(at)
        write_to(store, first)
        await until(lambda: unread(at, first))
        at.inbox.list.rows.move_to(first)
        await press_twice_before_a_write(at, "m")
        at.services.store.flush().result()
        assert unread(at, first)


async def test_a_second_key_counts_the_first_whose_write_ends_while_the_rows_are_read(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(store, *six()) as at:
        first, *_ = rows_of(at)
        write_to(store, first)
        await until(lambda: unread(at, first))
        at.inbox.list.rows.move_to(first)
        read, may_write = record_lookup.conversations, Event()

        def read_as_the_write_ends(*asked: Any) -> Any:
            found = read(*asked)
            may_write.set()
            at.services.store.flush().result()
            return found

        at.store.write(lambda db: may_write.wait(30))
        at.inbox.marks.toggle_read()
        monkeypatch.setattr(record_lookup, "conversations", read_as_the_write_ends)
        at.inbox.marks.toggle_read()
        at.services.store.flush().result()
        assert unread(at, first)


async def test_marked_rows_need_no_answer_after_a_plan(store: Store) -> None:
    async with running(store, *six(), size=(140, 40)) as at:
        first, second, third, *_ = rows_of(at)
        write_to(store, first, second)
        at.inbox.list.rows.mark([first, second, third])
        await at.press("exclamation_mark")
        await until(lambda: isinstance(at.app.screen, BulkPlanDialog))
        assert "in frontdesk only; nothing is sent" in at.text
        await at.press("y")
        await until(lambda: not waits(at, first) and not waits(at, second))


async def test_one_key_completes_and_goes_to_the_next(store: Store) -> None:
    async with running(store, *six()) as at:
        at.inbox.list.sort(ConversationOrder.NAME)  # a message moves no row
        first, second, third, *_ = rows_of(at)
        for is_open in (False, True):
            at.inbox.list.rows.move_to(first)
            write_to(store, second)
            await until(lambda: unread(at, second))
            await press_anew(at, *["enter"] * is_open, "M")
            await until(lambda: status_of(at, first) == "completed")
            assert at.inbox.list.cursor == second
            await until(lambda: at.inbox.thread.conversation_id == second)
            assert at.inbox.panes.is_at(at.inbox.thread) is is_open
            await until(lambda is_open=is_open: unread(at, second) == (0 if is_open else 1))  # type: ignore[misc]
            await at.press("M")
            await until(lambda: status_of(at, second) == "completed" and at.inbox.list.cursor == third)
            await at.press("u")
            await until(lambda: status_of(at, second) != "completed")
            await at.press("u")
            await until(lambda: status_of(at, first) != "completed")
        await at.press("N", "N")
        await until(lambda: at.inbox.list.cursor == first)


async def test_complete_and_next_shows_the_plan_for_marks_and_stays_on_the_last_row(store: Store) -> None:
    async with running(store, *six()) as at:
        rows = rows_of(at)
        await at.press("space", "space", "M")
        await until(lambda: isinstance(at.app.screen, BulkPlanDialog))
        await at.press("y")
        await until(lambda: status_of(at, rows[1]) == "completed")
        assert at.inbox.list.cursor == rows[2], "the cursor was on none of them"
        await at.press("G", "M")
        await until(lambda: status_of(at, rows[5]) == "completed")
        assert at.inbox.list.cursor == rows[5]


async def test_on_the_board_complete_and_next_goes_to_the_next_card(store: Store) -> None:
    async with running(store, *six()) as at:
        await to_board(at)
        first, second, *_ = rows_of(at)
        await at.press("M")
        await until(lambda: (at.board.cursor.task_id, first in rows_of(at)) == (second, False))


@pytest.mark.slow
@pytest.mark.parametrize("key", ["q", "escape"])
@pytest.mark.parametrize("width", [140, 80])
async def test_what_a_card_opened_leads_back_to_the_card(store: Store, key: str, width: int) -> None:
    async with running(store, *six(), size=(width, 24)) as at:
        await at.press("slash", *"Customer", "enter")
        await to_board(at)
        await at.press("j")
        card = at.board.cursor.task_id
        await at.press("enter", "enter")
        await until(lambda: isinstance(at.app.screen, InboxScreen) and at.inbox.panes.is_at(at.inbox.thread))
        task = record_lookup.task(store.reading, TaskId(card or ""))
        assert task is not None
        assert at.inbox.thread.conversation_id == task.conversation_id
        inbox = at.inbox
        await at.press(key)
        await until(lambda: isinstance(at.app.screen, BoardScreen))
        assert at.board.cursor.task_id == card
        assert inbox.list.filtered_by, "the inbox keeps its filter"
        await at.press("1", key)
        assert isinstance(at.app.screen, InboxScreen), "it was left for good, so there is nothing to go back to"


async def test_a_toast_covers_neither_fields_nor_buttons_of_a_dialog(store: Store) -> None:
    async with running(store, *six()) as at:
        await at.opens(Dialog, "d")
        at.app.notify("This is a warning that says what happened, and what to do next.", severity="warning")
        for size in ((140, 30), (80, 24)):
            await at.pilot.resize_terminal(*size)
            await until(lambda: at.app.screen.query(Toast) and at.app.screen.query_one(Toast).region)
            await quiet(at.app)
            box = at.app.screen.query_one(".dialog--box")
            assert not at.app.screen.query_one(Toast).region.overlaps(box.content_region), size

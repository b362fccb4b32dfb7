"""The thread on the screen over a real store: where one reads, what is highlighted, what is opened from it."""

import re
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import Future
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual import events
from textual.widgets import Input

from frontdesk.inbox.commands import InboxCommands
from frontdesk.inbox.store import thread_pages, threads
from frontdesk.inbox.store.thread_pages import MAX_HELD
from frontdesk.inbox.tui.dialogs import CopyPartsDialog
from frontdesk.inbox.tui.thread_pane import ThreadPane
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import MessagePosition
from frontdesk.tui.attention_reporter import READS_SECONDS
from frontdesk.tui.dialogs.confirm import ConfirmDialog
from frontdesk.tui.dialogs.review import RecordDialog
from frontdesk_api.contract.ids import ConversationId, CustomerId, LineId, MessageId
from frontdesk_lines.display_text import NOTHING
from frontdesk_lines.lines import Role
from kit import At, Clock, profile, running
from sample_json import raw_message
from services import Services
from tui.hosts import quiet, until

pytestmark = pytest.mark.anyio
HERE, THERE = ConversationId("L1#C1"), ConversationId("L1#C2")
NOW = 100_000.0


def key(number: int) -> MessagePosition:
    return MessagePosition(number * 1000, MessageId(f"m{number:05}"))


def put(store: Store, here: ConversationId, *numbers: int, has_more: bool = False, **raw: Any) -> None:
    """Messages that come as one page from the newest on."""
    page = [raw_message(number, **raw) for number in sorted(numbers, reverse=True)]
    store.write(lambda db: threads.put_page(db, here, page, start=None, has_more=has_more, now=NOW)).result()


@asynccontextmanager
async def reading(store: Store, environ: Mapping[str, str] | None = None) -> AsyncIterator[At]:
    """An app on the inbox with two conversations, HERE open and the focus in its thread."""
    services = Services(store, profile(), clock=lambda: NOW)
    for customer in ("C1", "C2"):
        services.inbox.open_conversation(LineId("L1"), CustomerId(customer)).result()
    async with running(store, fills=False, clock=Clock(NOW), context={"environ": environ or {}}) as at:
        await until(lambda: at.inbox.list.cursor is not None)
        at.inbox.navigation.open_conversation(HERE)
        at.inbox.panes.focus_pane(at.inbox.thread)
        await quiet(at.app)
        yield at


def top(pane: ThreadPane) -> tuple[str, int] | None:
    return pane.rows.top


def highlighted(at: At) -> list[str]:
    rows = at.inbox.thread.rows
    parts = [part for painted in rows.frame() for part in painted.line]
    return [part.text.text for part in parts if part.role is Role.HIT]


async def test_a_message_far_back_is_opened_with_the_words_in_it_and_what_comes_is_counted(store: Store) -> None:
    put(store, HERE, *range(1, 2_000))
    async with reading(store) as at:
        pane = at.inbox.thread
        pane.open_at(HERE, key(700), "Words 700")
        await quiet(at.app)
        assert pane.rows.cursor_key == "m:m00700"
        assert "words 700" in at.text.casefold()
        assert "700" in highlighted(at)
        assert set(highlighted(at)) == {"words", "700"}
        assert pane.new_below == 0
        before = top(pane)
        put(store, HERE, *range(1_990, 2_003))
        await until(lambda: pane.new_below == 3)
        await until(lambda: "3 new messages below" in at.text)
        assert top(pane) == before
        await at.press("G")
        assert pane.rows.cursor_key == "m:m02002"
        assert pane.new_below == 0
        pane.open(HERE)
        assert highlighted(at) == []
        await at.press("g")
        assert pane.rows.keys[:2] == ("beginning", "day:m00001")


async def test_no_key_and_no_poll_reads_more_than_a_window(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, HERE, *range(1, 2_000))
    async with reading(store) as at:
        pane = at.inbox.thread
        read = 0

        def counted(name: str) -> None:
            plain = getattr(thread_pages, name)

            def call(*given: Any) -> Any:
                nonlocal read
                found = plain(*given)
                read += len(found)
                return found

            monkeypatch.setattr(thread_pages, name, call)

        for name in ("page_before", "page_from", "by_ids"):
            counted(name)
        ends = ("cursor_first", "page_down", "page_down", "cursor_last", "page_up", "cursor_down", "cursor_up")
        for move in ("page_up",) * 30 + ends:
            read = 0
            getattr(pane.rows, f"action_{move}")()
            assert read <= 2 * MAX_HELD
            assert len(pane._entries) <= 2 * MAX_HELD
        read = 0
        put(store, HERE, 1_999, 2_000)
        await until(lambda: pane.new_below == 1)
        assert read <= 2 * MAX_HELD


async def test_a_thread_is_come_back_to_where_it_was_left_also_after_a_restart(store: Store) -> None:
    put(store, HERE, *range(1, 200))
    put(store, THERE, *range(1_000, 1_040))
    async with reading(store) as at:
        pane = at.inbox.thread
        await at.press("pageup", "pageup", "pageup", "pageup", "k", "k")
        left = pane.rows.reading
        at.inbox.navigation.open_conversation(THERE)
        await quiet(at.app)
        assert pane.rows.is_at_end
        put(store, HERE, *range(190, 202))
        at.inbox.navigation.open_conversation(HERE)
        await quiet(at.app)
        assert pane.rows.reading == left
        assert pane.new_below == 2
        put(store, THERE, 1_039, 1_040)
        at.inbox.navigation.open_conversation(THERE)
        await quiet(at.app)
        assert pane.rows.cursor_key == "m:m01040"
        at.inbox.navigation.open_conversation(HERE)
        at.inbox.save_view_state()
    async with reading(store) as at:
        assert at.inbox.thread.rows.reading == left
        assert at.inbox.thread.new_below == 2


async def test_a_gap_far_above_loads_on_its_key_and_says_so_where_it_isnt_seen(store: Store) -> None:
    put(store, HERE, *range(1, 3))
    put(store, HERE, *range(1_000, 1_100), has_more=True)
    async with reading(store) as at:
        pane = at.inbox.thread
        await at.press("L")
        await until(lambda: "loading older" in at.text)
        await until(lambda: at.inbox.older_requests.pending)
        (asked,) = at.inbox.older_requests.pending.values()
        assert asked == key(1_000)
        pane.load_ended(asked, "the platform is down")
        await until(lambda: "not loaded: the platform is down" in at.text)
        await at.press("g")
        await until(lambda: "L tries again" in at.text)
        assert not pane.load_older()


async def test_the_key_for_older_messages_is_hinted_where_it_loads_some_and_nowhere_else(store: Store) -> None:
    put(store, HERE, *range(1, 3))
    put(store, HERE, *range(1_000, 1_020), has_more=True)
    put(store, THERE, 1, 2, 3)

    def is_hinted() -> bool:
        return " L older" in at.footer

    async with reading(store) as at:
        await until(is_hinted)
        await at.press("g")
        await until(lambda: not is_hinted())
        await at.press("G")
        await until(is_hinted)
        await at.press("L")
        await until(lambda: not is_hinted(), 30)
        await until(lambda: at.inbox.older_requests.pending)
        at.inbox.thread.load_ended(key(1_000), "the platform is down")
        await until(is_hinted)
        at.inbox.navigation.open_conversation(THERE)
        await until(lambda: not is_hinted())


async def test_where_the_unread_ones_begin_is_marked_and_the_mark_stays_while_they_are_read(store: Store) -> None:
    put(store, HERE, 1, 2, 3)
    async with reading(store) as at:
        assert at.inbox.thread.rows.keys == (
            "beginning",
            "day:m00001",
            "new:m00001",
            "m:m00001",
            "m:m00002",
            "m:m00003",
        )
        InboxCommands(at.app.app_context.store).mark_read(HERE)
        await until(lambda: thread_pages.first_unread(at.store.reading, HERE) is None)
        put(store, HERE, 3, 4)
        await until(lambda: "m:m00004" in at.inbox.thread.rows.keys)
        assert "new:m00001" in at.inbox.thread.rows.keys
        at.inbox.navigation.open_conversation(THERE)
        at.inbox.navigation.open_conversation(HERE)
        assert "new:m00004" in at.inbox.thread.rows.keys
        assert "new:m00001" not in at.inbox.thread.rows.keys


@pytest.mark.parametrize("stays", [True, False])
async def test_a_thread_opened_before_it_is_known_is_read_when_it_comes_if_one_is_still_there(
    store: Store, stays: bool
) -> None:
    async with reading(store) as at:
        at.inbox.panes.focus_pane(at.inbox.list)
        at.inbox.list.show(HERE)
        await at.press("enter")
        assert at.inbox.thread.conversation_id == HERE
        if not stays:
            await at.press("escape")
        put(store, HERE, 1, 2)
        await until(lambda: "m:m00002" in at.inbox.thread.rows.keys)

        await until(lambda: unread(at) == (0 if stays else 2))
        put(store, HERE, 1, 2, 3)
        await until(lambda: "m:m00003" in at.inbox.thread.rows.keys)
        await until(lambda: unread(at) == (0 if stays else 3))


def unread(at: At) -> int:
    """How many messages of HERE are unread, once all is written."""
    at.app.app_context.store.flush().result()
    record = record_lookup.conversation(at.store.reading, HERE)
    return -1 if record is None else record.unread


async def come(at: At, store: Store, number: int) -> None:
    """Let a message come, and wait until it is in the thread."""
    put(store, HERE, *range(1, number + 1))
    await until(lambda: f"m:m{number:05}" in at.inbox.thread.rows.keys or at.inbox.thread.new_below)
    await quiet(at.app)


async def test_what_arrives_in_the_thread_that_somebody_reads_is_read(store: Store) -> None:
    put(store, HERE, *range(1, 60))
    async with reading(store) as at:
        await come(at, store, 60)
        assert unread(at) == 60, "it is shown beside the list, and nobody has opened it"
        at.inbox.panes.focus_pane(at.inbox.list)
        await at.press("enter")
        await come(at, store, 61)
        assert unread(at) == 0
        await at.press("g")
        await come(at, store, 62)
        assert unread(at) == 1, "it came below what is on the screen"
        await at.press("G")
        await until(lambda: unread(at) == 0)
        await at.press("escape")
        await come(at, store, 63)
        assert unread(at) == 1, "the cursor is in the list"
        await at.press("enter")
        await until(lambda: unread(at) == 0)
        await at.press("m")
        await until(lambda: unread(at) == 1)
        await come(at, store, 64)
        assert unread(at) == 2, "marked unread by hand"


async def test_nothing_is_read_while_nobody_looks_at_the_terminal(store: Store) -> None:
    put(store, HERE, 1)
    async with reading(store) as at:
        at.inbox.panes.focus_pane(at.inbox.list)
        await at.press("enter")
        at.app.post_message(events.AppBlur())
        await until(lambda: not at.app.attention_reporter.is_focused)
        await come(at, store, 2)
        assert unread(at) == 1
        at.app.post_message(events.AppFocus())
        await until(lambda: unread(at) == 0)
        await at.press("ctrl+p")
        await until(lambda: at.app.screen is not at.inbox)
        put(store, HERE, 1, 2, 3)
        await quiet(at.app)
        assert unread(at) == 1, "behind a dialog"
        await at.press("escape")
        await until(lambda: unread(at) == 0)
        at.app.attention_reporter.active_at = NOW - READS_SECONDS
        await come(at, store, 4)
        assert unread(at) == 1, "no key for five minutes"


@pytest.mark.parametrize("remote", [False, True])
async def test_a_message_is_copied_read_whole_and_its_link_opened_after_it_was_shown(
    store: Store, monkeypatch: pytest.MonkeyPatch, remote: bool
) -> None:
    text = "שלום\nlook: https://a.example/x"
    put(store, HERE, 1, message=text)
    opened: list[str] = []
    copied: list[str] = []

    def note(app: object, url: str, environ: object) -> "Future[bool]":
        opened.append(url)
        no_browser: Future[bool] = Future()
        no_browser.set_result(False)
        return no_browser

    monkeypatch.setattr("frontdesk.inbox.tui.dialogs.open_link", note)
    for place in ("frontdesk.tui.base_screen.copy", "frontdesk.inbox.tui.dialogs.copy"):
        monkeypatch.setattr(
            place, lambda app, text, what, why=NOTHING: copied.append(f"{text} {why.text}".strip())
        )
    async with reading(store, {"SSH_TTY": "/dev/pts/1"} if remote else {}) as at:
        await at.press("y")
        await until(lambda: isinstance(at.app.screen, CopyPartsDialog))
        await quiet(at.app)
        shown = at.text
        assert re.search(r"1  all .*https://a.example/x.*\n.*2  https://a.example/x ", shown)
        await at.press("1")
        await until(lambda: copied == [text])
        await at.press("y")
        await until(lambda: isinstance(at.app.screen, CopyPartsDialog))
        await at.press("2")
        await until(lambda: copied == [text, "https://a.example/x"])
        await at.press("o")
        if remote:
            await until(lambda: copied[2:] == ["https://a.example/x over SSH, frontdesk can't open your browser"])
            assert not isinstance(at.app.screen, ConfirmDialog)
        else:
            await until(lambda: isinstance(at.app.screen, ConfirmDialog))
            await quiet(at.app)
            assert "https://a.example/x" in at.text
            assert opened == []
            await at.press("y")
            await until(lambda: not isinstance(at.app.screen, ConfirmDialog))
            assert opened == ["https://a.example/x"]
            told = "Couldn't open a browser here. Open this address yourself: https://a.example/x"
            await until(lambda: told in [str(each.render()) for each in at.app.screen.query("Toast")])
        assert len(copied) == 2 + remote
        await at.press("enter")
        await until(lambda: isinstance(at.app.screen, RecordDialog))
        await quiet(at.app)
        assert "look: https://a.example/x" in at.text


async def test_one_without_parts_is_copied_at_once_and_over_ssh_a_doubtful_link_is_shown_before(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = [raw_message(2, message="Hello, 2 cups at 14:30 please"), raw_message(1, message="http://a.example/x")]
    store.write(lambda db: threads.put_page(db, HERE, page, start=None, has_more=False, now=NOW)).result()
    copied: list[str] = []
    for place in ("frontdesk.tui.base_screen.copy", "frontdesk.inbox.tui.dialogs.copy"):
        monkeypatch.setattr(place, lambda app, text, what, why=NOTHING: copied.append(text))
    async with reading(store, {"SSH_CONNECTION": "1 2 3 4"}) as at:
        await at.press("y")
        await until(lambda: copied == ["Hello, 2 cups at 14:30 please"])
        await at.press("k")
        await at.opens(ConfirmDialog, "o")
        assert len(copied) == 1
        await at.press("y")
        await until(lambda: copied[1:] == ["http://a.example/x"])


async def go_to_date(at: At, key: str, words: str) -> None:
    await at.press(*key)
    await until(lambda: isinstance(at.app.focused, Input))
    at.app.screen.query_one(Input).value = words
    await at.press("enter")


async def test_a_date_is_gone_to_while_older_pages_load_which_can_be_stopped(store: Store) -> None:
    put(store, HERE, *range(86_500, 86_520), has_more=True)
    async with reading(store) as at:
        pane, jump = at.inbox.thread, at.inbox.date_jump
        await go_to_date(at, "D", "99")
        await until(lambda: "isn't a recognized day" in at.text)
        await go_to_date(at, "", "yesterday")
        await until(lambda: "loading back to Yesterday: at Today" in at.text)
        await at.press("escape")
        await until(lambda: not jump.is_loading)
        assert "loading back" not in at.text
        await go_to_date(at, "D", "beginning")
        await until(lambda: jump.is_loading)
        older = [raw_message(each) for each in (86_499, 20, 10)]
        store.write(
            lambda db: threads.put_page(db, HERE, older, start=key(86_500), has_more=False, now=NOW)
        ).result()
        await until(lambda: pane.rows.cursor_key == "m:m00010")
        assert not jump.is_loading
        await go_to_date(at, "D", "today")
        await until(lambda: pane.rows.cursor_key == "m:m86499")


async def test_a_jump_to_a_date_ends_where_older_messages_cant_be_loaded(store: Store) -> None:
    put(store, HERE, *range(86_500, 86_520), has_more=True)
    async with reading(store) as at:
        await go_to_date(at, "D", "beginning")
        await until(lambda: at.inbox.older_requests.pending)
        at.inbox.older_requests.pending.clear()
        at.inbox._end_request(key(86_500), "the platform is down")
        await at.sees("Couldn't load back to the beginning: the platform is down")
        assert not at.inbox.date_jump.is_loading


async def test_the_title_leaves_out_what_the_customer_pane_beside_it_says(store: Store) -> None:
    async with reading(store) as at:
        await until(lambda: "L1" not in str(at.inbox.thread.border_title))
        await at.press("z")  # the thread alone
        await until(lambda: "L1" in str(at.inbox.thread.border_title))

"""Snooze at the keys: in the inbox and on the board, one row or many, undone, and awake again."""

import threading
import time
from datetime import UTC, datetime
from functools import partial

import pytest
from textual.widgets import Input

from frontdesk.outbox import snoozes
from frontdesk.storage.clocks import keep_offset
from frontdesk.storage.database import ProfileStore, Store
from frontdesk.storage.records import ChangeKind
from frontdesk.text.snooze_until import SnoozeWish
from frontdesk.tui.dialogs.due import DueDialog
from frontdesk_api.contract.ids import ConversationId
from kit import At, running
from sample_json import raw_task
from tasks.tui.targets import press_anew, refuse
from tui.hosts import until

pytestmark = pytest.mark.anyio

RAWS = [*map(raw_task, (1, 2, 3))]


def asleep(at: At, kind: ChangeKind = ChangeKind.SNOOZE_CONVERSATION) -> list[str]:
    store = at.services.store
    return sorted(snoozes.asleep_ids(store.reading, kind, store.clock()))


async def type_snooze(at: At, words: str) -> None:
    await at.press("Q")
    await until(lambda: isinstance(at.app.screen, DueDialog) and at.app.screen.focused is not None)
    at.app.screen.query_one(Input).value = words


async def test_a_conversation_is_snoozed_undone_and_listed_by_the_filter_and_woken(store: Store) -> None:
    async with running(store, *RAWS) as at:
        here = at.inbox.list.cursor
        assert here is not None
        await type_snooze(at, "yesterday")
        await at.sees("is in the past")
        await at.press("enter")
        at.app.screen.query_one(Input).value = ""
        await at.sees("not snoozed (in frontdesk only)")
        assert asleep(at) == [], "a time that is over was refused"
        at.app.screen.query_one(Input).value = "tomorrow 9am"
        await at.sees("09:00 UTC or they write")
        await at.press("enter")
        await until(lambda: asleep(at) == [here])
        await until(lambda: here not in at.inbox.list.rows.keys)
        assert at.inbox.list.cursor is not None
        await at.sees("Conversations · 2 · 1 snoozed")
        assert "u undo" in at.toasts
        await at.press("u")
        await until(lambda: here in at.inbox.list.rows.keys)
        assert asleep(at) == []

        await press_anew(at, "g")
        await type_snooze(at, "until they write")
        await at.press("enter")
        await until(lambda: len(asleep(at)) == 1)
        (here,) = asleep(at)
        at.inbox.list.apply_typed("is:snoozed")
        await until(lambda: list(at.inbox.list.rows.keys) == [here])
        await at.sees("until they write")
        at.inbox.list.rows.focus()
        await type_snooze(at, "0")
        await at.sees("wake now")
        await at.press("enter")
        await until(lambda: asleep(at) == [])
        await until(lambda: "Awake again" in at.toasts)


async def test_marked_cards_are_snoozed_at_once_after_a_plan(store: Store) -> None:
    async with running(store, *RAWS, size=(140, 30)) as at:
        await at.press("2")
        await until(lambda: at.app.current_mode == "board" and len(at.board.cursor.column.cards.keys) == 3)
        await at.press("space", "space")
        await type_snooze(at, "fri only")
        await at.press("enter")
        await until(lambda: "nothing is sent" in at.text)
        assert "Snooze 2 tasks" in at.text
        await at.press("y")
        await until(lambda: len(asleep(at, ChangeKind.SNOOZE_TASK)) == 2)
        await until(lambda: len(at.board.cursor.column.cards.keys) == 1)
        await until(lambda: "Open 1 · 2 snoozed" in at.text)
        assert asleep(at) == []
        await at.press("u")
        await until(lambda: len(at.board.cursor.column.cards.keys) == 3)


async def test_what_wakes_is_said_and_by_a_clock_that_is_off_no_time_counts_from_now(store: Store) -> None:
    async with running(store, *RAWS) as at:
        here = ConversationId("L1#C1")
        soon = datetime.fromtimestamp(at.services.store.clock() + 1, UTC)
        at.services.inbox.snooze(SnoozeWish(soon, on_message=True), [here])
        at.app.refresh_times()
        await until(lambda: asleep(at) == [here])
        at.clock.now += 2
        at.app.refresh_times()
        await until(lambda: "Snooze over: Customer 1" in at.toasts)
        await until(lambda: here in at.inbox.list.rows.keys and "woke" in at.text)

        keep = partial(keep_offset, offset=-7_200.0, now=at.services.store.clock(), steady=time.monotonic())
        at.services.store.write(keep).result()
        for key in ("Q", "d"):
            await press_anew(at)
            await at.opens(DueDialog, key)
            await at.sees("your clock is 2 h ahead: set it or type a full date")
            assert "tomorrow 9:00" not in at.text, "no preset counts from now"
            at.app.screen.query_one(Input).value = "+2h"
            await at.sees("✗ your clock is 2 h ahead")
            at.app.screen.query_one(Input).value = "2030-12-24 09:00"
            await at.sees("24 Dec 2030 09:00 UTC")
            at.app.screen.query_one(Input).value = ""
            await refuse(at)


async def test_words_are_parsed_in_a_thread_that_leaves_the_connection_of_the_screen_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers = set[str]()

    def reading(_: ProfileStore) -> object:
        readers.add(threading.current_thread().name)
        return store.reading

    async with running(store, *RAWS) as at:
        monkeypatch.setattr(ProfileStore, "reading", property(reading))
        for key, words in (("Q", "until they write"), ("d", "2030-12-24 09:00")):
            await press_anew(at)
            dialog = await at.opens(DueDialog, key)
            dialog.query_one(Input).value = words
            await at.sees(f"→ {words}" if key == "Q" else "24 Dec 2030 09:00 UTC")
            await refuse(at)
    assert readers == {threading.current_thread().name}

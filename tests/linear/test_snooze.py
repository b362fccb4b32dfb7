"""Snooze in the linear mode: conversations and tasks, listed, woken and undone."""

import time
from functools import partial

from frontdesk.linear.snooze import SnoozeNews
from frontdesk.outbox import snoozes
from frontdesk.storage.clocks import keep_offset
from frontdesk.storage.records import ChangeKind
from linear.running_session import NOW, Desktop


def asleep(at: Desktop, kind: ChangeKind = ChangeKind.SNOOZE_CONVERSATION) -> list[str]:
    return sorted(snoozes.asleep_ids(at.store.reading, kind, NOW))


def test_conversations_are_snoozed_listed_and_woken(at: Desktop) -> None:
    assert "Conversations" in at.say("list by name")
    said = at.say("snooze 1,2 tomorrow 9am")
    assert "in frontdesk only: the platform has no snooze" in said
    assert "To undo, type undo." in said
    assert asleep(at) == ["L1#C1", "L1#C2"]
    assert ", 2 snoozed" in at.say("list by name")
    assert "Customer 01" not in at.say("list by name")
    assert "Conversation, Customer 01, until tomorrow 09:00 or they write." in at.say("snoozed")
    assert "snoozed until tomorrow 09:00" in at.say("find is:snoozed")
    assert "Awake again: Customer 01." in at.say("snooze 1 off")
    assert asleep(at) == ["L1#C2"]
    at.say("undo")
    assert asleep(at) == ["L1#C1", "L1#C2"]


def test_a_task_is_snoozed_off_the_board(at: Desktop) -> None:
    at.say("board open")
    assert "Snoozed until they write" in at.say("snooze 1 until they write")
    assert len(asleep(at, ChangeKind.SNOOZE_TASK)) == 1
    assert ", 1 snoozed" in at.say("board")
    assert "1 task more snoozed" in at.say("board open")
    at.say("undo")
    assert "Nothing is snoozed." in at.say("snoozed")


def test_conversations_and_tasks_are_snoozed_and_woken_as_one_action(at: Desktop) -> None:
    at.say("list by name")
    at.say("mark 1")
    at.say("board open")
    at.say("mark 2")
    assert "Snoozed until they write: Customer 01, " in at.say("snooze until they write")
    assert (len(asleep(at)), len(asleep(at, ChangeKind.SNOOZE_TASK))) == (1, 1)
    at.say("list by name")
    at.say("undo")
    assert asleep(at) == asleep(at, ChangeKind.SNOOZE_TASK) == []


def test_what_is_no_time_is_refused(at: Desktop) -> None:
    at.say("list")
    assert "Until when?" in at.say("snooze 1")
    assert "in the past" in at.say("snooze 1 yesterday")
    assert asleep(at) == []


def test_by_a_clock_that_is_off_nothing_counts_from_now(at: Desktop) -> None:
    at.say("list")
    keep = partial(keep_offset, offset=7_200.0, now=at.services.store.clock(), steady=time.monotonic())
    at.services.store.write(keep).result()
    for words in ("snooze 1 tomorrow 9am", "due 1 +2h"):
        assert "our clock is 2 h behind: set it or type a full date" in at.say(words)
    assert asleep(at) == []
    assert "Snoozed until" in at.say("snooze 1 2030-12-24 09:00")


def test_what_woke_is_told_once(at: Desktop) -> None:
    at.say("list by name")
    at.say("snooze 1,2 in 1h")
    news = SnoozeNews(at.store.reading, at.services.store)
    view = at.session.view()
    assert news({}, view) == []
    at.now += 2 * 3_600
    (line,) = news({}, view._replace(now=at.now))
    assert line.text == "Snooze over: Customer 01, Customer 02."
    assert news({}, view._replace(now=at.now)) == []

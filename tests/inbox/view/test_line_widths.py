"""Lines of a thread fill exactly the width that they were asked for."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.inbox.store.thread_pages import MessageRecord
from frontdesk.inbox.view import message as inbox_message
from frontdesk.inbox.view import thread
from frontdesk.inbox.view.parties import Parties
from frontdesk.storage.records import MessagePosition
from frontdesk_api.contract.ids import MessageId
from frontdesk_lines.lines import Line, width_of
from sample_records import (
    MESSAGES,
    NASTY,
    NOW,
    TIMES,
    VIEW,
    assert_harmless,
    words,
)

WIDEST_MARGINS = 31
"""What stands beside a message's text at most: two margins, and twelve wide letters of an unknown status."""
MARGINS = 8
"""The same with a status that has a sign."""


def assert_fills(lines: tuple[Line, ...], width: int) -> None:
    for line in lines:
        # An empty line parts two blocks of facts: the widget paints it.
        if line:
            assert width_of(line) == width, words(line)


def lay_message(
    raw: dict[str, Any], width: int, *, opens: bool = True, at: float = NOW, highlighted: str = ""
) -> tuple[Line, ...]:
    record = MessageRecord(MessagePosition(at, MessageId("m1")), raw)
    answered = inbox_message.answered_id(raw)
    answers = MessageRecord(MessagePosition(at, MessageId("m0")), {"message": NASTY[0]}) if answered else None
    entry = inbox_message.MessageEntry(record, opens, answered, answers)
    told = inbox_message.MessageRenderer(Parties(NASTY[8], frozenset({"C1"})), highlighted)
    return thread.entry_lines(entry, width, VIEW, told)


@few
@given(MESSAGES, st.booleans(), TIMES, st.integers(WIDEST_MARGINS, 200))
def test_any_message_fills_its_lines_and_is_harmless(
    raw: dict[str, Any], opens: bool, at: float | None, width: int
) -> None:
    lines = lay_message(raw, width, opens=opens, at=at or 0.0)
    assert lines
    assert_fills(lines, width)
    assert_harmless(lines)


@few
@given(MESSAGES, st.sampled_from(["", "sent", "read", "failed", "pending"]), st.integers(MARGINS, WIDEST_MARGINS))
def test_a_message_of_a_known_status_fills_narrow_lines_too(raw: dict[str, Any], status: str, width: int) -> None:
    assert_fills(lay_message(raw | {"status": status}, width), width)


@pytest.mark.parametrize("width", range(1, MARGINS))
def test_a_message_fills_the_narrowest_lines(width: int) -> None:
    assert_fills(lay_message({"messageDirection": "outgoing", "status": "read", "message": "hello"}, width), width)


@pytest.mark.parametrize("width", [1, 2, 3, 5, 8, 13, 21, 45, 46, 47, 80, 200])
@pytest.mark.parametrize("entry", ["day", "gap", "start", "beginning"])
def test_lines_between_messages_fill_every_width(entry: str, width: int) -> None:
    key = MessagePosition(NOW * 1000, MessageId("m1"))
    made: dict[str, thread.Entry] = {
        "day": thread.DayEntry("d", NOW),
        "gap": thread.GapEntry("g", key, is_start=False),
        "start": thread.GapEntry("g", key, is_start=True),
        "beginning": thread.BeginningEntry("b"),
    }
    (line,) = thread.entry_lines(made[entry], width, VIEW, {})
    assert width_of(line) == width

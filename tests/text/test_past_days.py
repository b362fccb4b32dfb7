"""Days in the past, as people type them to go back in a thread."""

import re
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from frontdesk.text.due_parser import PAST_EXAMPLES, DueNotUnderstood, parse_past_day

MONDAY = datetime(2026, 11, 23, 11, 30, tzinfo=timezone(timedelta(hours=2)))


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("today", "2026-11-23"),
        ("Yesterday", "2026-11-22"),
        ("monday", "2026-11-16"),
        ("last tue", "2026-11-17"),
        ("3 oct", "2026-10-03"),
        ("on Oct 3rd", "2026-10-03"),
        ("3 dec", "2025-12-03"),
        ("24 dec 2024", "2024-12-24"),
        ("29 feb", "2024-02-29"),
        ("december", "2025-12-01"),
        ("25/12", "2025-12-25"),
        ("2026-10-03", "2026-10-03"),
        ("two weeks ago", "2026-11-09"),
        ("-3d", "2026-11-20"),
        ("2 months ago", "2026-09-23"),
        ("last week", "2026-11-16"),
        ("last month", "2026-10-01"),
        ("sunday", "2026-11-22"),
        ("tuesday", "2026-11-17"),
        ("november", "2026-11-01"),
        ("last october", "2026-10-01"),
        ("23 nov", "2026-11-23"),
        ("24 nov", "2025-11-24"),
        ("mon 23 nov", "2026-11-23"),
        ("gestern", "2026-11-22"),
        ("hace 3 días", "2026-11-20"),
        ("לפני 3 ימים", "2026-11-20"),
        ("lunes", "2026-11-16"),
        ("13/5", "2026-05-13"),
        ("5/13/24", "2024-05-13"),
        ("1d 2d ago", "2026-11-20"),
        ("- 1 week 1 day", "2026-11-15"),
        ("a month back", "2026-10-23"),
        ("13 months before", "2025-10-23"),
        ("12 hours ago", "2026-11-22"),
        ("11 hours ago", "2026-11-23"),
    ],
)
def test_a_day_without_a_year_is_the_last_such_day(words: str, day: str) -> None:
    assert parse_past_day(words, MONDAY) == date.fromisoformat(day)


@pytest.mark.parametrize(
    ("now", "words", "day"),
    [
        (datetime(2104, 2, 28), "29 feb", "2096-02-29"),
        (datetime(2026, 3, 31), "1 month ago", "2026-02-28"),
        (datetime(2026, 1, 31), "last month", "2025-12-01"),
        (datetime(2026, 1, 1), "january", "2026-01-01"),
        (datetime(2026, 11, 22), "last week", "2026-11-09"),
        (datetime(2026, 1, 1), "1 jan", "2026-01-01"),
        (datetime(2026, 1, 1), "31 dec", "2025-12-31"),
    ],
)
def test_months_and_weeks_end_where_the_calendar_says(now: datetime, words: str, day: str) -> None:
    assert parse_past_day(words, now.replace(tzinfo=UTC)) == date.fromisoformat(day)


@pytest.mark.parametrize("words", ["beginning", " the Beginning ", "start", "the start", "first", "oldest"])
def test_the_beginning_is_no_day(words: str) -> None:
    assert parse_past_day(words, MONDAY) is None


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("tomorrow", "isn't a recognized day; try yesterday"),
        ("", "isn't a recognized day"),
        ("31 feb", "'31' in '31 feb' isn't understood"),
        ("monday foo", f"'foo' in 'monday foo' isn't understood; try {PAST_EXAMPLES}"),
        ("tue 23 nov", "isn't understood"),
        ("999999 weeks ago", "is out of range"),
        ("2026-13-01", "isn't a recognized day"),
        ("3/10", "'3/10' could be two dates; write 2026-10-03 or '3 oct'"),
        (" 24 dec 2027", f"'24 dec 2027' is in the future; try {PAST_EXAMPLES}"),
        ("Mondaz ", f"'Mondaz' isn't a recognized day; try {PAST_EXAMPLES}"),
        ("octx", "isn't a recognized day"),
        ("13/32", "isn't a recognized day"),
        ("0/25", "isn't a recognized day"),
        ("2026-10-033", "isn't a recognized day"),
        ("2026-11-24", "is in the future"),
    ],
)
def test_other_words_are_refused_with_examples(words: str, why: str) -> None:
    with pytest.raises(DueNotUnderstood, match=re.escape(why)):
        parse_past_day(words, MONDAY)

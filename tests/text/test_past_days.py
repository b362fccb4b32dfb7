"""Days in the past, as people type them to go back in a thread."""

from datetime import date, datetime, timedelta, timezone

import pytest

from frontdesk.text.due_parser import DueNotUnderstood, parse_past_day

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
    ],
)
def test_a_day_without_a_year_is_the_last_such_day(words: str, day: str) -> None:
    assert parse_past_day(words, MONDAY) == date.fromisoformat(day)


def test_the_beginning_is_no_day() -> None:
    assert parse_past_day(" the beginning ", MONDAY) is None


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("tomorrow", "isn't a recognized day; try yesterday"),
        ("", "isn't a recognized day"),
        ("31 feb", "isn't a recognized day"),
        ("999999 weeks ago", "isn't a recognized day"),
        ("2026-13-01", "isn't a recognized day"),
        ("3/10", "could be two dates; write 2026-10-03"),
        ("24 dec 2027", "is in the future"),
    ],
)
def test_other_words_are_refused_with_examples(words: str, why: str) -> None:
    with pytest.raises(DueNotUnderstood, match=why):
        parse_past_day(words, MONDAY)

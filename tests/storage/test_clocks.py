"""A clock that is off: kept while it holds, named above a minute; times that count from it are refused."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from frontdesk.campaigns.preflight_facts import parse_when
from frontdesk.storage import change_feed, clients
from frontdesk.storage.clocks import (
    is_relative,
    keep_offset,
    known_offset,
    offset_words,
    parse_by_clock,
    relative_fault,
)
from frontdesk.storage.database import ProfileStore, Store
from frontdesk.text.due_parser import DueNotUnderstood, parse_due, parse_snooze

NOW = datetime(2026, 11, 26, 14, 30, tzinfo=UTC)
BEHIND = 7_200.0


def keep(store: Store, offset: float, now: float, steady: float) -> None:
    store.write(lambda db: keep_offset(db, offset, now, steady)).result()


@pytest.mark.parametrize(
    ("passed", "passed_steadily", "is_known"),
    [(0.0, 0.0, True), (86_400.0, 86_400.0, True), (3.0, 0.0, True), (7_200.0, 0.0, False), (-90.0, 10.0, False)],
)
def test_an_offset_holds_until_the_clock_is_set(
    store: Store, passed: float, passed_steadily: float, *, is_known: bool
) -> None:
    assert known_offset(store.reading, 1_000.0, 10.0) is None
    keep(store, BEHIND, 1_000.0, 10.0)
    found = known_offset(store.reading, 1_000.0 + passed, 10.0 + passed_steadily)
    assert found == (BEHIND if is_known else None)


def test_screens_hear_of_an_offset_only_when_it_differs(store: Store) -> None:
    for offset, is_new in ((BEHIND, True), (BEHIND + 1.5, False), (BEHIND - 1.5, False), (0.2, True)):
        begin = change_feed.position(store.reading)
        keep(store, offset, 1_000.0, 10.0)
        assert [each.kind for each in change_feed.since(store.reading, begin)[1]] == ["health"] * is_new
    assert clients.health(store.reading).clock_offset == 0.2


@pytest.mark.parametrize(
    ("offset", "words"),
    [
        (None, ""), (60.0, ""), (-60.0, ""), (61.0, "1 min behind"), (-89.0, "1 min ahead"),
        (7_199.4, "2 h behind"), (-200_000.0, "2 days 7 h ahead"),
    ],
)  # fmt: skip
def test_it_is_named_above_a_minute(offset: float | None, words: str) -> None:
    assert offset_words(offset) == words
    assert relative_fault(offset).startswith(f"your clock is {words}: " if words else "")
    assert bool(relative_fault(offset)) == bool(words)


RELATIVE = (
    "+2h",
    "in 3 days",
    "tomorrow",
    "today",
    "tomorrow 9am",
    "17:00",
    "fri",
    "next week",
    "eow",
    "in 2 weeks",
)
ABSOLUTE = ("2026-12-24", "2026-12-24 09:00", "2026-12-24T09:00+02:00", "24 dec 2026 9am", "1798102800")


@pytest.mark.parametrize("parse", [parse_due, parse_snooze])
def test_words_count_from_now_or_name_a_moment(parse: Callable[[str, datetime], Any]) -> None:
    assert [each for each in RELATIVE if not is_relative(parse, each, NOW)] == []
    assert [each for each in (*ABSOLUTE, "0") if is_relative(parse, each, NOW)] == []
    assert not is_relative(parse_due, "2020-01-01", NOW), "a past moment is one, too"
    assert not is_relative(parse_snooze, "until they write", NOW)
    assert not is_relative(parse_when, "now", NOW)


@pytest.mark.parametrize("offset", [BEHIND, -BEHIND, 61.0])
def test_by_a_clock_that_is_off_only_moments_are_taken(offset: float) -> None:
    """`+2h` by a clock that is two hours slow is a due date that has passed."""
    for words in RELATIVE:
        with pytest.raises(
            DueNotUnderstood, match=r"your clock is .*: set it or type a full date; for example 2026"
        ):
            parse_by_clock(parse_due, words, NOW, offset)
    for words in ABSOLUTE:
        assert parse_by_clock(parse_due, words, NOW, offset) == parse_due(words, NOW)
    for fine in (None, 0.0, 59.0):
        assert parse_by_clock(parse_due, "+2h", NOW, fine) == parse_due("+2h", NOW)


def test_a_store_knows_the_offset_by_its_own_clock(profile_store: ProfileStore) -> None:
    profile_store.write(lambda db: keep_offset(db, BEHIND, profile_store.clock(), time.monotonic())).result()
    assert profile_store.clock_offset() == BEHIND


@pytest.fixture
def profile_store(store: Store) -> ProfileStore:
    from frontdesk.demo.sandbox_process import demo_profile

    return ProfileStore(store, demo_profile("http://127.0.0.1:1"), clock=NOW.timestamp)

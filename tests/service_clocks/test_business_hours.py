"""Business time, and a model that looks at the wall clock each minute."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.service_clocks.business_hours import MAX_DAYS, BusinessHours

MINUTE, HOUR, DAY = 60, 3_600, 86_400
NINE_TO_SIX = [[(9 * HOUR, 18 * HOUR)]] * 5 + [[], []]
ROME = ZoneInfo("Europe/Rome")

ZONES = (
    "UTC",
    "Europe/Rome",
    "America/New_York",
    "America/St_Johns",
    "America/Sao_Paulo",
    "Australia/Lord_Howe",  # half an hour
    "Asia/Kathmandu",
    "Asia/Jerusalem",
    "Africa/Casablanca",
    "Pacific/Apia",  # had no 30 December 2011
    "Pacific/Chatham",
    "Antarctica/Troll",  # two hours
)
CHANGES = (
    datetime(2026, 3, 8, 7, tzinfo=UTC),
    datetime(2026, 3, 29, 1, tzinfo=UTC),
    datetime(2026, 4, 4, 15, tzinfo=UTC),
    datetime(2026, 10, 25, 1, tzinfo=UTC),
    datetime(2026, 11, 1, 6, tzinfo=UTC),
    datetime(2011, 12, 30, 10, tzinfo=UTC),
    datetime(2010, 11, 7, 2, 31, tzinfo=UTC),  # St. John's went back at one minute past midnight
    datetime(2018, 2, 18, 2, tzinfo=UTC),  # and Sao Paulo at midnight
    datetime(2026, 2, 15, 2, tzinfo=UTC),
)


def changes_there(zone: str, change: datetime) -> bool:
    before, after = (change + timedelta(days=each) for each in (-1, 1))
    return before.astimezone(ZoneInfo(zone)).utcoffset() != after.astimezone(ZoneInfo(zone)).utcoffset()


PLACES = [(zone, each) for zone in ZONES for each in CHANGES if zone == "UTC" or changes_there(zone, each)]


def at(text: str, zone: ZoneInfo = ROME) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=zone).timestamp()


def minutes_by_model(
    zone: ZoneInfo, week: list[list[tuple[int, int]]], holidays: set[date], start: int, end: int
) -> list[int]:
    """The open minutes of a range, each looked up by the wall clock."""
    found = []
    for minute in range(start, end, MINUTE):
        local = datetime.fromtimestamp(minute, UTC).astimezone(zone)
        second = local.hour * HOUR + local.minute * MINUTE + local.second
        periods = [] if local.date() in holidays else week[local.weekday()]
        if any(opens <= second < until for opens, until in periods):
            found.append(minute)
    return found


@st.composite
def weeks(draw: st.DrawFn) -> list[list[tuple[int, int]]]:
    """Weeks with up to three periods a day, which may touch but not overlap."""
    week = []
    for _ in range(7):
        ends = sorted(draw(st.sets(st.integers(0, 48), max_size=6)))
        week.append([(a * 1_800, b * 1_800) for a, b in zip(ends[::2], ends[1::2], strict=False)])
    return week


@given(
    place=st.sampled_from(PLACES),
    week=weeks(),
    before=st.integers(0, DAY // MINUTE),
    length=st.integers(0, 2 * DAY // MINUTE),
    holidays=st.sets(st.integers(-1, 2), max_size=3),
    share=st.floats(0, 1),
)
@settings(max_examples=80)
def test_business_time_is_what_a_look_at_the_wall_clock_each_minute_says(
    place: tuple[str, datetime],
    week: list[list[tuple[int, int]]],
    before: int,
    length: int,
    holidays: set[int],
    share: float,
) -> None:
    zone, change = ZoneInfo(place[0]), place[1]
    start = int(change.timestamp()) // MINUTE * MINUTE - before * MINUTE
    end = start + length * MINUTE
    closed = {change.date() + timedelta(days=each) for each in holidays}
    hours = BusinessHours(zone, week, closed.__contains__)
    model = minutes_by_model(zone, week, closed, start, end)
    assert hours.between(start, end) == len(model) * MINUTE
    wanted = int(share * len(model))
    if wanted:
        assert hours.after(start, wanted * MINUTE) == model[wanted - 1] + MINUTE


def test_an_hour_on_friday_evening_ends_on_monday() -> None:
    hours = BusinessHours(ROME, NINE_TO_SIX)
    assert hours.after(at("2026-11-27 17:30"), HOUR) == at("2026-11-30 09:30")
    assert hours.between(at("2026-11-27 17:30"), at("2026-11-30 09:30")) == HOUR


def test_a_lunch_break_and_a_holiday_are_left_out() -> None:
    week = [[(9 * HOUR, 13 * HOUR), (14 * HOUR, 18 * HOUR)]] * 5 + [[], []]
    hours = BusinessHours(ROME, week, {date(2026, 12, 8)}.__contains__)
    assert hours.after(at("2026-12-07 12:30"), HOUR) == at("2026-12-07 14:30")
    assert hours.after(at("2026-12-07 17:30"), HOUR) == at("2026-12-09 09:30")


def test_the_hour_that_comes_twice_counts_twice() -> None:
    always = BusinessHours(ROME, [[(0, DAY)]] * 7)
    assert always.between(at("2026-10-25 00:00"), at("2026-10-26 00:00")) == 25 * HOUR
    assert always.between(at("2026-03-29 00:00"), at("2026-03-30 00:00")) == 23 * HOUR


def test_nothing_is_between_moments_in_reverse_and_no_time_ends_at_once() -> None:
    hours = BusinessHours(ROME, NINE_TO_SIX)
    assert hours.between(at("2026-11-27 12:00"), at("2026-11-27 11:00")) == 0
    assert hours.after(at("2026-11-28 12:00"), 0) == at("2026-11-28 12:00")


@pytest.mark.parametrize("week", [[[]] * 7, [[(0, MINUTE)], *[[]] * 6]])
def test_a_deadline_beyond_ten_years_is_none(week: list[list[tuple[int, int]]]) -> None:
    assert BusinessHours(ROME, week).after(at("2026-11-27 12:00"), MAX_DAYS * MINUTE) is None

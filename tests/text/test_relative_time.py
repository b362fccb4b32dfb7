"""Times in few words, at a fixed now in a fixed zone: Wednesday 18 November 2026, 14:30."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.text import relative_time
from frontdesk_lines.cell_width import cell_width
from frontdesk_lines.lines import Role
from sample_records import NOW, ZONE, at

HOUR, DAY = 3600, 86_400
NO_TIME = 1e20
ZONES = [timezone(timedelta(hours=hours)) for hours in (-12, 0, 2, 14)]


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        (at(18, 9, 12), "09:12"),
        (at(18, 0), "00:00"),
        (at(18, 23, 59), "23:59"),
        (at(17, 23, 59), "Tue"),
        (at(12, 9), "Thu"),
        (at(11, 9), "11 Nov"),
        (at(19, 9), "19 Nov"),
        (at(3, 9, month=2), "3 Feb"),
        (at(31, 9, month=12, year=2025), "Dec 25"),
        (None, ""),
        (NO_TIME, "?"),
    ],
)
def test_a_stamp_is_as_short_as_its_distance_allows(moment: float | None, said: str) -> None:
    assert relative_time.stamp(moment, NOW, ZONE) == said


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(ZONES))
def test_a_stamp_takes_six_cells_at_most(moment: float, zone: timezone) -> None:
    assert cell_width(relative_time.stamp(moment, NOW, zone)) <= 6


@pytest.mark.parametrize("moment", [253_402_300_799, -62_135_596_800, 1e300, -1e300, float("inf"), float("nan")])
@pytest.mark.parametrize("zone", ZONES, ids=str)
def test_the_ends_of_the_calendar_are_words_in_every_zone(moment: float, zone: timezone) -> None:
    assert relative_time.stamp(moment, NOW, zone)
    assert relative_time.clock(moment, zone)
    assert relative_time.day(moment, NOW, zone)
    assert relative_time.when(moment, NOW, zone)
    assert relative_time.due(moment, NOW, zone) is not None


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-5, "<1m"),
        (59, "<1m"),
        (60, "1m"),
        (7.9 * 60, "7m"),
        (HOUR - 1, "59m"),
        (HOUR, "1h"),
        (2 * HOUR - 1, "1h"),
        (DAY - 1, "23h"),
        (DAY, "1d"),
        (13 * DAY, "13d"),
        (14 * DAY, "2w"),
        (70 * DAY, "10w"),
    ],
)
def test_a_length_is_in_its_largest_unit(seconds: float, said: str) -> None:
    assert relative_time.short_duration(seconds) == said


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        (at(18, 3), "Today"),
        (at(17, 3), "Yesterday"),
        (at(16, 3), "Mon 16 Nov"),
        (at(19, 3), "Thu 19 Nov"),
        (at(16, 3, year=2025), "Sun 16 Nov 2025"),
        (NO_TIME, "unknown day"),
    ],
)
def test_a_day_is_said_as_a_reader_says_it(moment: float, said: str) -> None:
    assert relative_time.day(moment, NOW, ZONE) == said


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        (at(18, 17), "17:00"),
        (at(19, 9), "tomorrow 09:00"),
        (at(17, 9), "yesterday 09:00"),
        (at(20, 9), "Fri 09:00"),
        (at(24, 9), "Tue 09:00"),
        (at(25, 9), "25 Nov"),
        (at(3, 9, month=12), "3 Dec"),
        (at(3, 9, month=1, year=2027), "3 Jan 2027"),
        (at(10, 9), "10 Nov"),
        (NO_TIME, "unknown time"),
    ],
)
def test_a_moment_to_come_is_said_in_few_words(moment: float, said: str) -> None:
    assert relative_time.when(moment, NOW, ZONE) == said


@pytest.mark.parametrize(
    ("due_at", "said", "role"),
    [
        (NOW - 2 * DAY, "! 2d late", Role.BAD),
        (NOW - HOUR, "! 1h late", Role.BAD),
        (NOW - HOUR + 1, "! 59m late", Role.BAD),
        (NOW - 1, "! <1m late", Role.BAD),
        (NOW, "due 14:30", Role.WARN),
        (NOW + 15 * 60, "due 14:45", Role.WARN),
        (NOW + 15 * 60 + 1, "due 14:45", Role.DIM),
        (at(19, 9), "due tomorrow 09:00", Role.DIM),
    ],
)
def test_due_is_loud_once_it_is_and_warns_fifteen_minutes_before(due_at: float, said: str, role: Role) -> None:
    found = relative_time.due(due_at, NOW, ZONE)
    assert found is not None
    assert (found.text.text, found.role) == (said, role)


@pytest.mark.rules("177")
def test_no_due_date_has_no_words() -> None:
    assert relative_time.due(None, NOW, ZONE) is None


def test_late_is_said_in_words_and_not_by_colour_alone() -> None:
    late, early = relative_time.due(NOW - 1, NOW, ZONE), relative_time.due(NOW + 3 * HOUR, NOW, ZONE)
    assert late is not None
    assert early is not None
    assert late.text.text.startswith("! ")
    assert not early.text.text.startswith("!")


def test_the_zone_decides_what_today_is() -> None:
    late_evening = at(18, 23, 30)
    assert relative_time.stamp(late_evening, NOW, ZONE) == "23:30"
    assert relative_time.stamp(late_evening, NOW, timezone(timedelta(hours=3))) == "19 Nov"


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (12, 38, "10 to 40 s"),
        (100, 250, "1.5 to 4.5 min"),
        (100, 300, "1.5 to 5 min"),
        (20, 110, "under 2 min"),
        (400, 640, "6 to 11 min"),
        (0, 5, "under 10 s"),
        (20, 60, "20 to 60 s"),
        (20, 61, "under 1.5 min"),
        (30, 61, "0.5 to 1.5 min"),
        (60, 60, "60 s"),
        (120, 120, "2 min"),
        (90, 600, "1.5 to 10 min"),
        (90, 601, "1 to 11 min"),
        (600, 7_200, "10 to 120 min"),
        (600, 7_201, "0:10 to 2:05 h"),
        (6_300, 8_400, "1:45 to 2:20 h"),
        (100, 7_201, "under 2:05 h"),
        (3_600, 172_800, "1:00 to 48:00 h"),
        (3_600, 172_801, "under 3 days"),
        (100_000, 400_000, "1 to 5 days"),
        (1_000 * DAY, 1_234 * DAY, "1,000 to 1,234 days"),
    ],
)
def test_a_range_is_rounded_outwards_in_the_unit_of_its_end(low: float, high: float, shown: str) -> None:
    assert relative_time.duration_range(low, high) == shown


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (100, 160, "14:31 to 14:33"),
        (10, 20, "14:30 to 14:31"),
        (60, 60, "14:31"),
        (20 * 60, 20 * 60, "14:50"),
        (20 * 60 + 1, 20 * 60 + 1, "14:50 to 14:55"),
        (7_801, 9_299, "16:40 to 17:05"),
        (9 * 3_600, 11 * 3_600, "23:30 to Thu 01:30"),
        (15 * 3_600, 16 * 3_600, "Thu 05:30 to 06:30"),
        (8 * DAY, 9 * DAY, "26 Nov to 27 Nov"),
        (8 * DAY, 8 * DAY + 60, "26 Nov"),
    ],
)
def test_a_range_of_moments_is_rounded_outwards_and_names_another_day(low: float, high: float, shown: str) -> None:
    now = at(18, 14, 30)
    assert relative_time.moment_range(now + low, now + high, now, ZONE) == shown


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-1, "less than a minute"),
        (59.9, "less than a minute"),
        (60, "1 min"),
        (HOUR - 1, "59 min"),
        (HOUR, "1 h"),
        (HOUR + 5 * 60, "1 h 5 min"),
        (48 * HOUR - 1, "47 h 59 min"),
        (48 * HOUR, "2 days"),
        (3 * DAY + 4 * HOUR + 59 * 60, "3 days 4 h"),
        (1234 * DAY, "1,234 days"),
    ],
)
def test_a_duration_is_said_to_the_minute_and_beyond_two_days_to_the_hour(seconds: float, said: str) -> None:
    assert relative_time.duration_words(seconds) == said


@pytest.mark.parametrize(
    ("moment", "said"),
    [(at(18, 17), "17:00"), (at(18, 23, 59), "23:59"), (at(19, 0), "Thu 00:00"), (NO_TIME, "unknown time")],
)
def test_within_a_day_the_weekday_is_said_only_where_it_has_changed(moment: float, said: str) -> None:
    assert relative_time.time_within_day(moment, NOW, ZONE) == said


@pytest.mark.parametrize(
    ("ahead", "said"),
    [
        (0, "now"),
        (29, "now"),
        (31, "in 1 minute"),
        (-31, "1 minute ago"),
        (-90, "2 minutes ago"),
        (2 * HOUR - 31, "in 119 minutes"),
        (2 * HOUR - 30, "in 2 hours"),
        (47 * HOUR, "in 47 hours"),
        (48 * HOUR, "in 2 days"),
        (-13 * DAY, "13 days ago"),
        (14 * DAY, "in 2 weeks"),
        (-10_000 * DAY, "1,429 weeks ago"),
    ],
)
def test_a_distance_is_said_in_the_largest_unit_that_it_has_two_of(ahead: float, said: str) -> None:
    assert relative_time.distance_words(NOW + ahead, NOW) == said


def test_a_moment_in_full_has_its_zone_where_that_has_a_name_and_its_year_where_it_differs() -> None:
    now = datetime(2026, 11, 18, 14, 30)
    assert relative_time.moment(datetime(2026, 11, 5, 9, 7), now) == "Thu 5 Nov 09:07"
    assert relative_time.moment(datetime(2025, 11, 5, 9, 7, tzinfo=ZONE), now) == "Wed 5 Nov 2025 09:07 EET"


def test_the_clock_shows_the_time_of_day_and_a_sign_where_there_is_none() -> None:
    assert relative_time.clock(at(18, 9, 5), ZONE) == "09:05"
    assert relative_time.clock(NO_TIME, ZONE) == "--:--"


@pytest.mark.parametrize("now", [NOW, NO_TIME])
@pytest.mark.parametrize("moment", [NOW, NO_TIME])
def test_without_a_calendar_for_one_of_two_moments_there_is_no_day(moment: float, now: float) -> None:
    found = (
        relative_time.stamp(moment, now, ZONE),
        relative_time.day(moment, now, ZONE),
        relative_time.when(moment, now, ZONE),
        relative_time.time_within_day(moment, now, ZONE),
    )
    is_known = moment == now == NOW
    assert found == (
        ("14:30", "Today", "14:30", "14:30") if is_known else ("?", "unknown day", *["unknown time"] * 2)
    )

"""Days that are counted, and those before."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.metrics.periods import MAX_DAYS, SLOT_SECONDS, PeriodNotUnderstood, parse_period

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 27, 13, 5, tzinfo=BERLIN).timestamp()


def at(day: int, hour: int = 0, minute: int = 0, month: int = 11) -> float:
    return datetime(2026, month, day, hour, minute, tzinfo=BERLIN).timestamp()


@pytest.mark.parametrize(
    ("words", "start", "end", "before"),
    [
        ("", at(27), at(27, 13, 15), (at(26), at(26, 13, 15))),
        ("today", at(27), at(27, 13, 15), (at(26), at(26, 13, 15))),
        ("yesterday", at(26), at(27), (at(25), at(26))),
        ("7", at(21), at(27, 13, 15), (at(14), at(20, 13, 15))),
        ("2026-11-01..2026-11-15", at(1), at(16), (at(17, month=10), at(1))),
        ("2026-10-25", at(25, month=10), at(26, month=10), (at(24, month=10), at(25, month=10))),
    ],
)
def test_days_reach_up_to_now_and_are_compared_with_as_many_before(
    words: str, start: float, end: float, before: tuple[float, float]
) -> None:
    period = parse_period(words, NOW, BERLIN)
    assert (period.start, period.end) == (start, end)
    assert (period.before.start, period.before.end) == before


def test_the_day_on_which_clocks_go_back_has_25_hours() -> None:
    period = parse_period("2026-10-25", NOW, BERLIN)
    assert period.end - period.start == 25 * 3600


@pytest.mark.parametrize(
    "words",
    ["0", "9999", "tomorrow", "2027-01-01", "xyzzy", "2026-11-15..2026-11-01", "2020-01-01..", "..", "beginning"],
)
def test_what_names_no_days_is_refused(words: str) -> None:
    with pytest.raises(PeriodNotUnderstood):
        parse_period(words, NOW, BERLIN)


@few
@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1)),
    st.integers(1, MAX_DAYS),
    st.sampled_from(["Europe/Berlin", "Asia/Kathmandu", "America/St_Johns", "Australia/Lord_Howe", "UTC"]),
)
def test_days_join_without_a_gap_and_begin_with_a_quarter_of_an_hour(
    moment: datetime, days: int, name: str
) -> None:
    zone, now = ZoneInfo(name), moment.replace(tzinfo=UTC).timestamp()
    period = parse_period(str(days), now, zone)
    parts = [*period.each_day()]
    assert len(parts) == days
    assert parts[0].start == period.start
    assert [each.end for each in parts[:-1]] == [each.start for each in parts[1:]]
    assert parts[-1].end == period.end
    assert now < period.end <= now + SLOT_SECONDS
    assert all(each.start % SLOT_SECONDS == 0 for each in parts)
    assert period.before.end <= period.start
    assert period.before.last_day == period.first_day - timedelta(days=1)


def test_a_period_is_named_by_its_days() -> None:
    assert parse_period("yesterday", NOW, BERLIN).name == "Thu 26 Nov 2026"
    assert parse_period("7", NOW, BERLIN).name == "21 to 27 Nov 2026"
    assert parse_period("28", NOW, BERLIN).name == "31 Oct to 27 Nov 2026"
    assert parse_period("2026-11-01..2026-11-02", NOW, BERLIN).first_day == date(2026, 11, 1)

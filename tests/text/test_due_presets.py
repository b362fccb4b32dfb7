"""Due times by a digit: each at its hour, in the zone of now."""

from datetime import datetime, timedelta, timezone

import pytest

from frontdesk.text.due_presets import due_presets

ZONE = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("digit", "label", "expected"),
    [
        ("1", "in 1 hour", datetime(2026, 11, 18, 15, 30, tzinfo=ZONE)),
        ("2", "today 17:00", datetime(2026, 11, 18, 17, tzinfo=ZONE)),
        ("3", "tomorrow 9:00", datetime(2026, 11, 19, 9, tzinfo=ZONE)),
        ("4", "in 3 days 9:00", datetime(2026, 11, 21, 9, tzinfo=ZONE)),
        ("5", "next Monday 9:00", datetime(2026, 11, 23, 9, tzinfo=ZONE)),
        ("0", "no due date", None),
    ],
)
def test_each_digit_is_a_whole_minute_in_the_zone_of_now(
    digit: str, label: str, expected: datetime | None
) -> None:
    presets = {each.digit: each for each in due_presets(datetime(2026, 11, 18, 14, 30, 59, 999_999, tzinfo=ZONE))}
    assert (presets[digit].label, presets[digit].at) == (label, expected)


@pytest.mark.parametrize("day", range(16, 23))
def test_next_monday_is_after_today_and_within_a_week(day: int) -> None:
    now = datetime(2026, 11, day, 3, tzinfo=ZONE)
    monday = next(each.at for each in due_presets(now) if each.digit == "5")
    assert monday == datetime(2026, 11, 23, 9, tzinfo=ZONE)

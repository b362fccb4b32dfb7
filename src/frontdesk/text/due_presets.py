"""Due-date and snooze presets, for the dialogs that ask for a time."""

from datetime import datetime, timedelta
from typing import NamedTuple

from frontdesk.text.snooze_until import UNTIL_THEY_WRITE, SnoozeWish

_MORNING_HOUR, _EVENING_HOUR = 9, 17


class Preset(NamedTuple):
    """A preset, chosen with a digit key; `at` is `None` for no due date, `wish` is the snooze."""

    digit: str
    label: str
    at: datetime | None
    wish: SnoozeWish = SnoozeWish()


def due_presets(now: datetime) -> list[Preset]:
    """Return the due-date presets, in the zone of `now`."""
    monday = now + timedelta(days=7 - now.weekday())
    return [
        Preset("1", "in 1 hour", (now + timedelta(hours=1)).replace(second=0, microsecond=0)),
        Preset("2", f"today {_EVENING_HOUR}:00", _at_hour(now, _EVENING_HOUR)),
        Preset("3", f"tomorrow {_MORNING_HOUR}:00", _at_hour(now + timedelta(days=1), _MORNING_HOUR)),
        Preset("4", f"in 3 days {_MORNING_HOUR}:00", _at_hour(now + timedelta(days=3), _MORNING_HOUR)),
        Preset("5", f"next Monday {_MORNING_HOUR}:00", _at_hour(monday, _MORNING_HOUR)),
        Preset("0", "no due date", None),
    ]


def snooze_presets(now: datetime) -> list[Preset]:
    """Return the snooze presets: due times ahead, until they write, and awake."""
    ahead = [(each.label, each.at) for each in due_presets(now) if each.at is not None and each.at > now]
    wishes = [(label, SnoozeWish(at, on_message=True)) for label, at in ahead]
    wishes.append((UNTIL_THEY_WRITE, SnoozeWish(on_message=True)))
    presets = [Preset(str(digit), label, wish.until, wish) for digit, (label, wish) in enumerate(wishes, start=1)]
    return [*presets, Preset("0", "wake now", None)]


def _at_hour(day: datetime, hour: int) -> datetime:
    return day.replace(hour=hour, minute=0, second=0, microsecond=0)

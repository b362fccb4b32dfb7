"""Due times that are one key away.

Called by the due dialog; all of them are moments of the zone that `now` is in.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

MORNING = 9
EVENING = 17


@dataclass(frozen=True, slots=True)
class Preset:
    """A digit, what it says, and the moment; None for no due date."""

    digit: str
    label: str
    at: datetime | None


def due_presets(now: datetime) -> list[Preset]:
    """The presets at this moment."""
    monday = now + timedelta(days=7 - now.weekday())
    return [
        Preset("1", "in 1 hour", (now + timedelta(hours=1)).replace(second=0, microsecond=0)),
        Preset("2", f"today {EVENING}:00", _at(now, EVENING)),
        Preset("3", f"tomorrow {MORNING}:00", _at(now + timedelta(days=1), MORNING)),
        Preset("4", f"in 3 days {MORNING}:00", _at(now + timedelta(days=3), MORNING)),
        Preset("5", f"next Monday {MORNING}:00", _at(monday, MORNING)),
        Preset("0", "no due date", None),
    ]


def _at(day: datetime, hour: int) -> datetime:
    return day.replace(hour=hour, minute=0, second=0, microsecond=0)

"""The time of a campaign by the clocks of its sender and its recipients, and what is wrong with it; pure."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from frontdesk.api.contract.values import MILLIS_FROM
from frontdesk.campaigns.draft import Draft
from frontdesk.campaigns.preflight_facts import PreflightFinding, ZoneShare, error, quote, warning
from frontdesk.text.display_text import SafeText, trusted
from frontdesk.text.percentages import percent

MIN_LEAD = timedelta(minutes=1)
"""Typing the name and the moment for undo take as long; a time that passed meanwhile isn't sent any more."""

MAX_LEAD = timedelta(days=365)
NIGHT_FROM, NIGHT_TO = 21, 8
"""Hours between which a message needs a warning."""

MIN_CLOCK_SHARE = 0.02
"""A local time that a smaller share of recipients has isn't named."""

MAX_ZONES_NAMED = 2

_WELL_KNOWN = (
    "Europe/London",
    "Europe/Berlin",
    "Europe/Madrid",
    "Europe/Moscow",
    "Asia/Shanghai",
    "America/New_York",
    "America/Chicago",
    "America/Denver",
    "America/Los_Angeles",
    "America/Sao_Paulo",
    "Australia/Sydney",
)
"""Named before others with the same clock: a British number may be of Guernsey, Jersey and the Isle of Man too."""


def check_time(draft: Draft, now: datetime, zones: Sequence[ZoneShare]) -> Iterator[PreflightFinding]:
    """Check the draft's time; `now` is in the sender's zone, `zones` are the audience's."""
    if words := _time_error(draft, now):
        yield error("scheduled_at", words)
        return
    moment = now if draft.scheduled_at is None else datetime.fromtimestamp(draft.scheduled_at, now.tzinfo)
    clocks = _clocks(moment, zones)
    at_night = [each for each in clocks if any(_is_night(time) for time in each.times)]
    if len(at_night) == 1:
        yield warning("scheduled_at", _night_words(at_night[0]))
    elif at_night:
        share = _share(sum(each.share for each in at_night))
        is_sure = all(_is_night(time) for each in at_night for time in each.times)
        sends = "sends" if is_sure else "may send"
        words = f"{sends} between {NIGHT_FROM}:00 and {NIGHT_TO:02}:00 by the clocks of {share}"
        words += "" if is_sure else "; some numbers don't tell the time zone"
        yield warning(
            "scheduled_at", words, (f"{_times(each, '%H:%M')}, {_share(each.share)}" for each in at_night)
        )
    if not clocks and _is_night(moment):
        words = f"sends at {moment:%H:%M} your time; the recipients' time zones are unknown"
        yield warning("scheduled_at", words)


def _night_words(clock: "_Clock") -> str:
    first, last = clock.times[0], clock.times[-1]
    if first == last:
        return f"sends at {first:%H:%M} in {clock.place}, where {_share(clock.share)} are"
    return (
        f"sends between {first:%H:%M} and {last:%H:%M} by the clocks of {_share(clock.share)}; "
        "their numbers don't tell the time zone"
    )


def _time_error(draft: Draft, now: datetime) -> str:
    at = draft.scheduled_at
    if at is None:
        return f"{quote(draft.when_words)} isn't a recognized time" if draft.when_words.strip() else ""
    if abs(at) >= MILLIS_FROM:
        return "the time looks like milliseconds, not seconds; try tomorrow 9am or 2026-12-24 09:00"
    if at <= now.timestamp():
        return "the time has passed"
    if at < (now + MIN_LEAD).timestamp():
        return "the time is less than a minute away; send now, or choose a later time"
    return "the time is more than a year away" if at > (now + MAX_LEAD).timestamp() else ""


def _is_night(moment: datetime) -> bool:
    return moment.hour >= NIGHT_FROM or moment.hour < NIGHT_TO


def moments(draft: Draft, now: datetime, zones: Sequence[ZoneShare]) -> tuple[SafeText, ...]:
    """Return the time by the sender's clock, and by each other clock of the audience."""
    at = draft.scheduled_at
    if at is None or abs(at) >= MILLIS_FROM:
        moment, when = now, "now, " if at is None else ""
    else:
        moment, when = datetime.fromtimestamp(at, now.tzinfo), ""
    lines = [trusted(f"{when}{moment:%a %d %b %Y %H:%M} {moment:%Z}, your time")]
    for clock in _clocks(moment, zones):
        if clock.times != (moment.replace(tzinfo=None),):
            lines.append(trusted(f"{_times(clock, '%a %d %b %H:%M')}, {_share(clock.share)}"))
    return tuple(lines)


@dataclass(frozen=True, slots=True)
class _Clock:
    """A moment by the clock of a share of the audience.

    Attributes:
        times: without a zone, the earliest first; several where the numbers don't tell which.
        place: the zones' names.
    """

    times: tuple[datetime, ...]
    place: str
    share: float


def _times(clock: _Clock, form: str) -> str:
    """Return when it is there, and where that is; `form` is one of `strftime`."""
    times = dict.fromkeys(each.strftime(form) for each in (clock.times[0], clock.times[-1]))
    return f"{' to '.join(times)} in {clock.place}"


def _clocks(moment: datetime, zones: Sequence[ZoneShare]) -> list[_Clock]:
    """Return the clocks of an audience, those of most recipients first; zones with the same time are one clock."""
    shares: defaultdict[tuple[datetime, ...], float] = defaultdict(float)
    places: defaultdict[tuple[datetime, ...], dict[str, None]] = defaultdict(dict)
    for each in zones:
        named: dict[datetime, str] = {}
        for name in sorted(each.names, key=lambda name: (name not in _WELL_KNOWN, name)):
            if (zone := _zone(name)) is not None:
                # A number is in one zone only, so one name stands for all that have the same clock.
                named.setdefault(moment.astimezone(zone).replace(tzinfo=None), name)
        if not named:
            continue
        times = tuple(sorted(named))
        shares[times] += each.share
        places[times] |= dict.fromkeys(named.values())
    most_first = sorted(shares, key=lambda times: -shares[times])
    return [
        _Clock(each, _place(places[each]), shares[each]) for each in most_first if shares[each] >= MIN_CLOCK_SHARE
    ]


def _place(names: Collection[str]) -> str:
    if len(names) <= MAX_ZONES_NAMED:
        return " and ".join(names)
    return f"{next(iter(names))} and {len(names) - 1} more zones"


def _zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):  # this system has no data of that zone
        return None


def _share(share: float) -> str:
    if share > 1 - 1e-9:  # a sum of fractions may miss 1 by a little
        return "all recipients"
    shown = percent(share, 0)
    return f"{shown} of recipients" if shown[0] in "<>" else f"about {shown} of recipients"

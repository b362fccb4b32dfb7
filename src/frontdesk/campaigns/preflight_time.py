"""The time of a campaign by the clocks of its sender and its recipients, and what is wrong with it; pure."""

from collections import Counter, defaultdict
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

_RANGE_DIGITS = 4
"""Digits after the calling code that tell a mobile number, say, from a toll-free one.

Islands that share a calling code (Jamaica, Guernsey) are told apart by more digits; they may
count as their neighbours.
"""

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


def zones_of(numbers: Sequence[str]) -> tuple[ZoneShare, ...]:
    """Return the time zones of these numbers with their shares of all of them, the largest first.

    Each number counts once, also where it may be in several zones, so the shares never exceed 1 in sum. They stay
    below it where some numbers' zones are unknown.
    """
    groups: dict[tuple[str, str, int], list[str]] = defaultdict(list)
    for each in numbers:
        digits = each.lstrip("+")
        groups[_number_range(digits)].append(digits)
    found: Counter[tuple[str, ...]] = Counter()
    for group in groups.values():
        if names := _zones_of_number(group[0]):
            found[names] += len(group)
    return tuple(ZoneShare(names, count / len(numbers)) for names, count in found.most_common())


def _number_range(digits: str) -> tuple[str, str, int]:
    """Return what decides a number's zones: its prefix in the zones' table, its leading digits and its length.

    A lookup takes 30 to 60 µs, and a list may hold 100,000 numbers of a few thousand ranges.
    """
    # The metadata of all countries: a tenth of a second, and the zones' table once more.
    from phonenumbers.tzdata import TIMEZONE_DATA, TIMEZONE_LONGEST_PREFIX

    from frontdesk.campaigns.audience.phone_numbers import calling_code_of

    if not digits.isascii() or not digits.isdecimal():
        return digits, "", len(digits)
    prefixes = (digits[:length] for length in range(TIMEZONE_LONGEST_PREFIX, 0, -1))
    prefix = next((each for each in prefixes if each in TIMEZONE_DATA), "")
    return prefix, digits[: len(calling_code_of(digits[:3])) + _RANGE_DIGITS], len(digits)


def _zones_of_number(digits: str) -> tuple[str, ...]:
    import phonenumbers
    from phonenumbers import timezone

    try:
        number = phonenumbers.parse(f"+{digits}")
    except phonenumbers.NumberParseException:
        return ()
    zones = timezone.time_zones_for_number(number)
    if timezone.UNKNOWN_TIMEZONE in zones:  # its range is unknown, but its country isn't
        zones = timezone.time_zones_for_geographical_number(number)
    return tuple(sorted(set(zones) - {timezone.UNKNOWN_TIMEZONE}))


def check_time(draft: Draft, now: datetime, zones: Sequence[ZoneShare]) -> Iterator[PreflightFinding]:
    """Check the draft's time; `now` is in the sender's zone, `zones` are the audience's."""
    if words := _time_error(draft, now):
        yield error("scheduled_at", words)
        return
    moment = now if draft.scheduled_at is None else datetime.fromtimestamp(draft.scheduled_at, now.tzinfo)
    clocks = _clocks(moment, zones)
    for clock in clocks:
        if not any(_is_night(each) for each in clock.times):
            continue
        if len(clock.times) == 1:
            words = f"sends at {clock.times[0]:%H:%M} in {clock.place}, where {_share(clock.share)} are"
        else:
            words = (
                f"sends between {clock.times[0]:%H:%M} and {clock.times[-1]:%H:%M} by the clocks of "
                f"{_share(clock.share)}; their numbers don't tell the time zone"
            )
        yield warning("scheduled_at", words)
    if not clocks and _is_night(moment):
        words = f"sends at {moment:%H:%M} your time; the recipients' time zones are unknown"
        yield warning("scheduled_at", words)


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
        first, last = clock.times[0], clock.times[-1]
        if len(clock.times) > 1:
            words = f"{first:%a %d %b %H:%M} to {last:%a %d %b %H:%M} in {clock.place}"
        elif first != moment.replace(tzinfo=None):
            words = f"{first:%a %d %b %H:%M} in {clock.place}"
        else:
            continue
        lines.append(trusted(f"{words}, {_share(clock.share)}"))
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


def _clocks(moment: datetime, zones: Sequence[ZoneShare]) -> list[_Clock]:
    """Return the clocks of an audience, those of most recipients first; zones with the same time are one clock."""
    shares: defaultdict[tuple[datetime, ...], float] = defaultdict(float)
    places: defaultdict[tuple[datetime, ...], dict[str, None]] = defaultdict(dict)
    for each in zones:
        there = {name: moment.astimezone(zone) for name in each.names if (zone := _zone(name)) is not None}
        if not there:
            continue
        times = tuple(sorted({at.replace(tzinfo=None) for at in there.values()}))
        shares[times] += each.share
        names = sorted(there, key=lambda name: (name not in _WELL_KNOWN, name))
        # A number is in one zone only, so one name stands for all that have the same clock.
        places[times] |= dict.fromkeys(names[:1] if len(times) == 1 else names)
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

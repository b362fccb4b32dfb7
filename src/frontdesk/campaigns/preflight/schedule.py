"""When a campaign would be read: whether its time can be meant, and which clocks its audience lives by; pure.

Called by `preflight`.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from frontdesk.api.contract.times import MILLIS_FROM
from frontdesk.campaigns.draft import Draft
from frontdesk.campaigns.preflight.finding import PreflightFinding, error, shown, warning
from frontdesk.text.display_text import SafeText, trusted

SOONEST = timedelta(minutes=1)
"""Typing the name and the moment for undo take as long; a time that passed meanwhile isn't sent any more."""

LATEST = timedelta(days=365)
NIGHT_FROM, NIGHT_TO = 21, 8
"""Hours between which people aren't written to without being told of it."""

SAMPLE = 400
"""Of so many recipients the time zones are looked up; a list may be 100,000."""

FEW = 0.02
"""A zone with a smaller share of the audience isn't named."""

Zones = Sequence[tuple[str, float]]
"""Time zones by name with the share of an audience that is in each, the largest first."""


def zones_of(numbers: Sequence[str]) -> tuple[tuple[str, float], ...]:
    """The time zones that these numbers are in, with their shares, the largest first; of a sample.

    A country with several counts for each of them, so shares may add up to more than 1.
    """
    import phonenumbers
    from phonenumbers import timezone

    sample = numbers[:: max(1, len(numbers) // SAMPLE)][:SAMPLE]
    found: Counter[str] = Counter()
    for each in sample:
        try:
            number = phonenumbers.parse(f"+{each.lstrip('+')}")
        except phonenumbers.NumberParseException:
            continue
        zones = timezone.time_zones_for_number(number)
        if timezone.UNKNOWN_TIMEZONE in zones:  # of a range that nobody knows, its country is known all the same
            zones = timezone.time_zones_for_geographical_number(number)
        found.update(zone for zone in set(zones) if zone != timezone.UNKNOWN_TIMEZONE)
    return tuple((zone, count / len(sample)) for zone, count in found.most_common())


def about_time(draft: Draft, now: datetime, zones: Zones) -> list[PreflightFinding]:
    """What speaks against the draft's time.

    Args:
        now: in the sender's zone.
        zones: the audience's; empty where nobody knows them.
    """
    at = draft.scheduled_at
    where = "scheduled_at"
    if at is None and draft.when_words.strip():
        return [error(where, f"{shown(draft.when_words)} is no time that is understood")]
    if at is not None and abs(at) >= MILLIS_FROM:
        return [error(where, "the time is in milliseconds where seconds are meant; say it in words")]
    if at is not None and at <= now.timestamp():
        return [error(where, "the time has passed")]
    if at is not None and at < (now + SOONEST).timestamp():
        return [error(where, "the time is less than a minute away: send it now, or choose a later one")]
    if at is not None and at > (now + LATEST).timestamp():
        return [error(where, "the time is more than a year away")]
    moment = now if at is None else datetime.fromtimestamp(at, now.tzinfo)
    found = []
    known = _known(zones)
    for zone, share in known:
        there = moment.astimezone(zone)
        if there.hour >= NIGHT_FROM or there.hour < NIGHT_TO:
            found.append(warning(where, f"it is {there:%H:%M} then in {zone.key}, where {_share(share)} are"))
    if not known and (moment.hour >= NIGHT_FROM or moment.hour < NIGHT_TO):
        found.append(warning(where, f"it is {moment:%H:%M} then; where the customers are isn't known"))
    return found


def moments(draft: Draft, now: datetime, zones: Zones) -> tuple[SafeText, ...]:
    """When it would go out, by the sender's clock and then by each of the audience's that isn't the same."""
    at = draft.scheduled_at
    if at is None or abs(at) >= MILLIS_FROM:
        moment, when = now, "now, " if at is None else ""
    else:
        moment, when = datetime.fromtimestamp(at, now.tzinfo), ""
    lines = [trusted(f"{when}{moment:%a %d %b %Y %H:%M} {moment:%Z}, your time")]
    others: dict[timedelta | None, tuple[str, float]] = {}
    for zone, share in _known(zones):
        there = moment.astimezone(zone)
        if there.utcoffset() != moment.utcoffset():
            others.setdefault(there.utcoffset(), (f"{there:%a %d %b %H:%M} in {zone.key}", share))
    lines += [trusted(f"{words}, {_share(share)}") for words, share in others.values()]
    return tuple(lines)


def _share(share: float) -> str:
    return "all of them" if share > 0.99 else f"about {max(1, round(share * 100))} % of them"


def _known(zones: Zones) -> list[tuple[ZoneInfo, float]]:
    """The zones that this system knows, without those of hardly anybody."""
    found = []
    for name, share in zones:
        if share >= FEW:
            try:
                found.append((ZoneInfo(name), share))
            except (OSError, ValueError):  # this system has no data of that zone
                continue
    return found

"""The checks before a campaign is sent, since it can't be taken back; pure."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from frontdesk.api.contract.base import JsonObject
from frontdesk.api.contract.ids import LineId
from frontdesk.api.contract.values import MILLIS_FROM
from frontdesk.campaigns.audience.models import Audience
from frontdesk.campaigns.draft import Draft, FromFile, FromTags, OneCustomer, build_body
from frontdesk.campaigns.preflight_facts import (
    SIZE_UNKNOWN,
    AudienceSummary,
    Preflight,
    PreflightFacts,
    PreflightFinding,
    PreflightSeverity,
    error,
    note,
    quote,
    unchecked,
    warning,
)
from frontdesk.campaigns.throughput import expected_pace, expected_seconds
from frontdesk.storage import json_access
from frontdesk.storage.records import Json
from frontdesk.text.display_text import SafeText, counted, show_line, trusted

MANUAL = "Manual Trigger"
NOT_CHECKED = "workflow not checked"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{2,99}")
_COUNTRY = re.compile(r"[A-Z]{2}")
MAX_NAMED = 3


def summary_of(audience: Audience) -> AudienceSummary:
    """Count a list; looks up the time zones of a sample, which takes a moment the first time."""
    numbers = [each.number for each in audience.recipients]
    return AudienceSummary(
        len(numbers), audience.refused.count, audience.duplicates.count, audience.doubtful.count, zones_of(numbers)
    )


def preflight(draft: Draft, facts: PreflightFacts, body: JsonObject | None = None) -> Preflight:
    """Check a draft before it is sent; without a `body`, one is made without recipients."""
    summary = _summary(draft, facts)
    zones = () if summary is None else summary.zones
    found = [
        *_check_name_and_id(draft, facts),
        *_check_audience(draft, summary),
        *_check_line(draft, facts),
        *_check_folder(draft, facts),
        *_check_workflow(draft, facts),
        *facts.workflows.findings,
        *_check_time(draft, facts.now, zones),
    ]
    count = None if summary is None else summary.count
    pace, is_assumed = expected_pace(facts.paces)
    wait = max(0.0, (draft.scheduled_at or 0.0) - facts.now.timestamp())
    return Preflight(
        findings=tuple(sorted(found, key=lambda each: [*PreflightSeverity].index(each.severity))),
        who=_audience_words(draft, summary),
        count=count,
        duration=None if count is None else expected_seconds(count, pace, facts.busy_left or 0.0, wait),
        pace=pace,
        is_pace_assumed=is_assumed,
        at=moments(draft, facts.now, zones),
        body=build_body(draft) if body is None else body,
    )


def _summary(draft: Draft, facts: PreflightFacts) -> AudienceSummary | None:
    if isinstance(draft.audience, OneCustomer):
        number = draft.audience.number
        return AudienceSummary(1 if number else 0, zones=zones_of([number]) if number else ())
    return facts.audience if isinstance(draft.audience, FromFile) else None


def _check_name_and_id(draft: Draft, facts: PreflightFacts) -> Iterator[PreflightFinding]:
    if not draft.name.strip():
        yield error("name", "the campaign has no name")
    if not _ID.fullmatch(draft.campaign_id):
        yield error(
            "campaign_id",
            "the id must have 3 to 100 characters: letters (A-Z, a-z), digits, dots, dashes or underscores, "
            "starting with a letter or digit",
        )
    elif draft.campaign_id in facts.used_ids:
        yield error("campaign_id", f"the id {quote(draft.campaign_id)} is already in use")
    if not draft.folder_id:
        yield error("folder_id", "no folder chosen")
    if draft.country and not _COUNTRY.fullmatch(draft.country):
        yield error("country", "the home country must be two capital letters, such as IL")


def _check_audience(draft: Draft, summary: AudienceSummary | None) -> Iterator[PreflightFinding]:
    audience = draft.audience
    if audience is None:
        yield error("audience", "no audience chosen")
        return
    if isinstance(audience, FromTags):
        yield from _check_tags(audience)
    elif summary is None:
        yield error("audience", "the list hasn't been read yet")
        return
    else:
        yield from _check_people(draft, summary)
    yield note("audience", "frontdesk doesn't know who opted out; the platform leaves them out and counts them")


def _check_people(draft: Draft, summary: AudienceSummary) -> Iterator[PreflightFinding]:
    audience = draft.audience
    if summary.count == 0:
        why = "the audience is empty"
        if summary.refused:
            why = "the list's only number can't be used"
            if summary.refused > 1:
                why = f"none of the list's {summary.refused:,} numbers can be used"
            why += "" if draft.country else "; choose a home country for numbers without a calling code"
        yield error("audience", f"nobody would be messaged: {why}")
    if isinstance(audience, OneCustomer):
        if not audience.number.isascii() or not audience.number.isdecimal():
            yield error("audience", "the customer's number must be digits only, with the calling code")
        yield note("audience", "this counts as a campaign, with one recipient")
    if count := summary.refused:
        left_out = "is left out" if count == 1 else "are left out"
        yield warning("audience", f"{counted(count, 'number')} in the list can't be used and {left_out}")
    if count := summary.doubtful:
        yield warning(
            "audience", f"{counted(count, 'number')} in the list may have been misread but will be messaged"
        )
    if count := summary.duplicates:
        rows = "1 row is a duplicate" if count == 1 else f"{count:,} rows are duplicates"
        yield note("audience", f"{rows}; each number is messaged once")


def _check_tags(audience: FromTags) -> Iterator[PreflightFinding]:
    if not audience.tags:
        yield error("audience", "no tag chosen")
        return
    for tag in audience.tags:
        if not tag.associated_to:
            words = f"the tag {quote(tag.title)} has no account id; set its associated_to in the config"
            yield error("audience", words)
    yield note("audience", SIZE_UNKNOWN)


def _check_line(draft: Draft, facts: PreflightFacts) -> Iterator[PreflightFinding]:
    if not draft.line_id:
        yield error("line_id", "no line chosen")
        return
    if draft.line_id not in facts.lines:
        yield warning("line_id", f"unknown line {quote(draft.line_id)}")
    if facts.busy:
        names, left = ", ".join(map(quote, facts.busy[:MAX_NAMED])), facts.busy_left
        estimate = "the estimate doesn't include that"
        if left is None:
            estimate += ", because the number of recipients left is unknown"
        elif left:
            estimate = f"the estimate includes the {counted(left, 'recipient')} still to be reached there"
        yield warning("line_id", f"this line is also sending {names}, so everything takes longer; {estimate}")


def _check_folder(draft: Draft, facts: PreflightFacts) -> Iterator[PreflightFinding]:
    folder = quote(draft.folder_id)
    if not draft.folder_id or draft.folder_id in facts.folders:
        return
    if facts.folders:
        known = ", ".join(map(quote, sorted(facts.folders)[:MAX_NAMED]))
        yield warning("folder_id", f"no watched campaign uses the folder {folder}; some use {known}")
    else:
        yield note("folder_id", f"can't check the folder {folder}: no watched campaign uses a folder")


def _check_workflow(draft: Draft, facts: PreflightFacts) -> Iterator[PreflightFinding]:
    listed, problem = facts.workflows.records, facts.workflows.problem
    if not draft.workflow_id:
        yield error("workflow_id", "no workflow chosen")
        return
    if listed is None:
        why = problem or "the workflows aren't loaded yet"
        yield unchecked("workflow_id", f"{NOT_CHECKED}: {why}")
        return
    raw = next((each.raw for each in listed if each.document_id == draft.workflow_id), None)
    if raw is None:
        count = counted(len(listed), "workflow")
        words = f"{quote(draft.workflow_id)} isn't in the platform's list ({count})"
        if facts.workflows.more_exist:
            yield unchecked("workflow_id", f"{NOT_CHECKED}: {words}, and more exist")
        else:
            yield error("workflow_id", words)
        return
    name = quote(json_access.text(raw.get("name")) or draft.workflow_id)
    if problem:
        yield unchecked("workflow_id", f"{NOT_CHECKED}: {show_line(problem, 300).text}")
    if raw.get("isActive") is False:
        yield error("workflow_id", f"the workflow {name} is inactive, so nothing would be sent")
    elif raw.get("isActive") is not True:
        yield unchecked("workflow_id", f"can't tell whether the workflow {name} is active")
    line, event = line_of(raw), _event(raw)
    if not line:
        yield warning("workflow_id", f"the workflow {name} has no line")
    elif draft.line_id and line != draft.line_id:
        other = quote(facts.lines.get(LineId(line), line))
        yield error("workflow_id", f"the workflow {name} belongs to the line {other}, not to this one")
    if not event:
        yield warning("workflow_id", f"can't tell what starts the workflow {name}")
    elif event != MANUAL:
        words = f"the workflow {name} is started by {quote(event)}, not manually or by a campaign"
        yield warning("workflow_id", words)


def line_of(raw: Json) -> str:
    """Return the id of a workflow's line; empty where it names none."""
    return json_access.text(raw.get("associatedToBusinessId")) or json_access.text(
        raw.get("associatedToPlatformId")
    )


def _event(raw: Json) -> str:
    trigger = raw.get("trigger")
    data = trigger.get("data") if isinstance(trigger, Mapping) else None
    event = json_access.text(data.get("eventType")) if isinstance(data, Mapping) else ""
    return event or json_access.text(raw.get("triggerType"))


def _audience_words(draft: Draft, summary: AudienceSummary | None) -> SafeText:
    audience = draft.audience
    if isinstance(audience, FromTags):
        return trusted("everyone tagged " + " or ".join(quote(tag.title) for tag in audience.tags))
    if isinstance(audience, OneCustomer):
        name = f"{quote(audience.name)}, " if audience.name else ""
        return trusted(f"one customer: {name}{show_line('+' + audience.number.lstrip('+'), 40).text}")
    if summary is None:
        return trusted("no recipients yet")
    return trusted(counted(summary.count, "recipient"))


MIN_LEAD = timedelta(minutes=1)
"""Typing the name and the moment for undo take as long; a time that passed meanwhile isn't sent any more."""

MAX_LEAD = timedelta(days=365)
NIGHT_FROM, NIGHT_TO = 21, 8
"""Hours between which a message needs a warning."""

MAX_SAMPLE = 400
"""Recipients whose time zones are looked up; a list may be 100,000."""

MIN_ZONE_SHARE = 0.02
"""A zone with a smaller share of the audience isn't named."""

Zones = Sequence[tuple[str, float]]
"""Time zones by name with the share of an audience that is in each, the largest first."""


def zones_of(numbers: Sequence[str]) -> tuple[tuple[str, float], ...]:
    """Return the time zones of a sample of these numbers with their shares, the largest first.

    A country with several zones counts for each, so shares may add up to more than 1.
    """
    # The metadata of all countries: a tenth of a second, and the zones' table once more.
    import phonenumbers
    from phonenumbers import timezone

    sample = numbers[:: max(1, len(numbers) // MAX_SAMPLE)][:MAX_SAMPLE]
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


def _check_time(draft: Draft, now: datetime, zones: Zones) -> Iterator[PreflightFinding]:
    """Check the draft's time; `now` is in the sender's zone, `zones` are the audience's."""
    if words := _time_error(draft, now):
        yield error("scheduled_at", words)
        return
    moment = now if draft.scheduled_at is None else datetime.fromtimestamp(draft.scheduled_at, now.tzinfo)
    known = _known(zones)
    for zone, share in known:
        there = moment.astimezone(zone)
        if _is_night(there):
            words = f"sends at {there:%H:%M} in {zone.key}, where {_share(share)} are"
            yield warning("scheduled_at", words)
    if not known and _is_night(moment):
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


def moments(draft: Draft, now: datetime, zones: Zones) -> tuple[SafeText, ...]:
    """Return the time by the sender's clock, and by each other clock of the audience."""
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
    return "all recipients" if share > 0.99 else f"about {max(1, round(share * 100))} % of recipients"


def _known(zones: Zones) -> list[tuple[ZoneInfo, float]]:
    found = []
    for name, share in zones:
        if share >= MIN_ZONE_SHARE:
            try:
                found.append((ZoneInfo(name), share))
            except (OSError, ValueError, KeyError):  # this system has no data of that zone
                continue
    return found

"""What is looked at before a campaign is sent, since nothing after the POST can be taken back; pure.

The wizard's last page and `campaigns create` show it. An error keeps the campaign from being sent; a warning
is read by a person, who decides.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from frontdesk.campaigns.audience.records import Audience
from frontdesk.campaigns.body import body_of
from frontdesk.campaigns.draft import Draft, FromFile, FromTags, OneCustomer
from frontdesk.contract.base import JsonObject
from frontdesk.contract.ids import LineId
from frontdesk.contract.times import MILLIS_FROM
from frontdesk.frozen import dataclass
from frontdesk.store import loose
from frontdesk.store.records import CampaignRecord, DocumentRecord, Json, Sample
from frontdesk.text import Shown, own, show_line

ASSUMED_PACE = (20.0, 80.0)
"""Recipients a second of a line that has sent nothing yet: busy and calm (field-notes.md, Campaign counters)."""

SPREAD = 0.25
"""How far a pace may be off that was measured only once."""

SOONEST = timedelta(minutes=1)
"""Typing the name and the moment for undo take as long; a time that passed meanwhile isn't sent any more."""

LATEST = timedelta(days=365)
NIGHT_FROM, NIGHT_TO = 21, 8
"""Hours between which people aren't written to without being told of it."""

SAMPLE = 400
"""Of so many recipients the time zones are looked up; a list may be 100,000."""

MEASURED_FROM = 20
"""Of fewer recipients a pace says nothing."""

FEW = 0.02
"""A zone with a smaller share of the audience isn't named."""

MANUAL = "Manual Trigger"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{2,99}")
_COUNTRY = re.compile(r"[A-Z]{2}")
BUSY_NAMED = 3
"""So many campaigns or folders are named at most."""


class Severity(StrEnum):
    """An error keeps a campaign from being sent, a warning is to be read, a note says how things are."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to know before sending, and which part of the draft it is about, by its attribute's name."""

    severity: Severity
    field: str
    words: Shown


@dataclass(frozen=True, slots=True)
class Summary:
    """A list that was read, in a few numbers.

    Attributes:
        count: recipients.
        refused, duplicates, doubtful: rows left out, there twice, and recipients whose number is doubted.
        zones: the recipients' time zones by name with their shares, the largest first; of a sample.
    """

    count: int
    refused: int = 0
    duplicates: int = 0
    doubtful: int = 0
    zones: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known beside the draft.

    Attributes:
        now: in the sender's zone.
        workflows: those listed; None where none were ever listed.
        lines: known ones by id, and what they are called.
        audience: of the list; None where it wasn't read yet, or there is none.
        paces: recipients a second of the last campaigns on the draft's line.
        checked: what the workflow check says of the workflow.
        used_ids: campaigns that are known already.
        busy: names of the campaigns that the draft's line is sending now.
        folders: those that a campaign known here is in.
    """

    now: datetime
    workflows: Sequence[DocumentRecord] | None = None
    lines: Mapping[LineId, str] = field(default_factory=dict)
    audience: Summary | None = None
    paces: tuple[float, ...] = ()
    checked: tuple[Finding, ...] = ()
    used_ids: frozenset[str] = frozenset()
    busy: tuple[str, ...] = ()
    folders: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Preflight:
    """What would be sent, and what speaks against it.

    Attributes:
        findings: the errors first, then the warnings, then the notes.
        who: whom it writes to.
        count: how many those are; None for tags.
        duration: how long it would take, in seconds, at best and at worst; None without a count.
        pace: recipients a second that this is told from, at worst and at best.
        is_pace_assumed: whether nothing was ever measured on this line.
        at: when, once in the sender's zone and then in each of the audience's that isn't the same clock.
        body: what is POSTed, without its recipients where `audience` was given as a summary alone.
    """

    findings: tuple[Finding, ...]
    who: Shown
    count: int | None
    duration: tuple[float, float] | None
    pace: tuple[float, float]
    is_pace_assumed: bool
    at: tuple[Shown, ...]
    body: JsonObject

    @property
    def errors(self) -> tuple[Finding, ...]:
        """What keeps it from being sent."""
        return tuple(each for each in self.findings if each.severity is Severity.ERROR)

    @property
    def can_be_sent(self) -> bool:
        """Whether nothing keeps it from being sent."""
        return not self.errors


def summary_of(audience: Audience) -> Summary:
    """A list in numbers; looks up the time zones of a sample, which takes a moment the first time."""
    numbers = [each.number for each in audience.recipients]
    return Summary(
        len(numbers), audience.refused_count, audience.duplicate_count, audience.doubtful_count, zones_of(numbers)
    )


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


def measured_pace(campaign: CampaignRecord, samples: Sequence[Sample]) -> float | None:
    """Recipients a second of a campaign that was sent or is being sent; None where too little is known.

    Args:
        samples: of its counters since it started, oldest first.
    """
    total, started, ended = campaign.counters.total, campaign.started_at, campaign.completed_at
    if total is not None and total >= MEASURED_FROM and started is not None and ended is not None:
        return total / max(1.0, ended - started)
    begun = [
        (each.at, each.counters.total - each.counters.pending)
        for each in samples
        if each.counters.total is not None and each.counters.pending is not None
    ]
    if len(begun) < 2:
        return None
    (since, before), (until, after) = begun[0], begun[-1]
    return (after - before) / (until - since) if after - before >= MEASURED_FROM and until > since else None


def preflight(draft: Draft, facts: Facts, body: JsonObject | None = None) -> Preflight:
    """Everything that can be said before sending.

    Args:
        body: what is to be sent, where it was made already; else it is made of the draft without recipients.
    """
    summary = _summary(draft, facts)
    found = [
        *_about_name_and_id(draft, facts),
        *_about_audience(draft, summary),
        *_about_line(draft, facts),
        *_about_folder(draft, facts),
        *_about_workflow(draft, facts),
        *facts.checked,
        *_about_time(draft, facts, summary),
    ]
    count = None if summary is None else summary.count
    pace, is_assumed = _pace(facts.paces)
    return Preflight(
        findings=tuple(sorted(found, key=lambda each: [*Severity].index(each.severity))),
        who=_who(draft, summary),
        count=count,
        duration=None if count is None else (count / pace[1], count / pace[0]),
        pace=pace,
        is_pace_assumed=is_assumed,
        at=_at(draft, facts.now, summary),
        body=body_of(draft) if body is None else body,
    )


def _error(field: str, words: str) -> Finding:
    return Finding(Severity.ERROR, field, own(words))


def _warning(field: str, words: str) -> Finding:
    return Finding(Severity.WARNING, field, own(words))


def _note(field: str, words: str) -> Finding:
    return Finding(Severity.NOTE, field, own(words))


def _said(outside: object) -> str:
    """Strangers' words within a sentence of ours."""
    return f'"{show_line(outside, 60).text}"'


def _summary(draft: Draft, facts: Facts) -> Summary | None:
    """Of one customer nothing has to be read."""
    if isinstance(draft.audience, OneCustomer):
        number = draft.audience.number
        return Summary(1 if number else 0, zones=zones_of([number]) if number else ())
    return facts.audience if isinstance(draft.audience, FromFile) else None


def _about_name_and_id(draft: Draft, facts: Facts) -> list[Finding]:
    found = []
    if not draft.name.strip():
        found.append(_error("name", "the campaign has no name"))
    if not _ID.fullmatch(draft.campaign_id):
        found.append(
            _error(
                "campaign_id", "an id is 3 to 100 plain letters, digits, dots, dashes and underscores, no spaces"
            )
        )
    elif draft.campaign_id in facts.used_ids:
        found.append(_error("campaign_id", f"a campaign {_said(draft.campaign_id)} is there already"))
    if not draft.folder_id:
        found.append(_error("folder_id", "no folder is chosen"))
    if draft.country and not _COUNTRY.fullmatch(draft.country):
        found.append(_error("country", "the audience's country is two capital letters, as IL"))
    return found


def _about_audience(draft: Draft, summary: Summary | None) -> list[Finding]:
    audience = draft.audience
    if audience is None:
        return [_error("audience", "nobody is chosen to be written to")]
    if isinstance(audience, FromTags):
        return _about_tags(audience)
    if summary is None:
        return [_error("audience", "the list wasn't read yet")]
    found = []
    if summary.count == 0:
        why = "the audience is empty"
        if summary.refused:
            why = f"none of the {summary.refused:,} numbers can be used"
            why += "" if draft.country else "; say of which country those without a calling code are"
        found.append(_error("audience", f"nobody would be written to: {why}"))
    if isinstance(audience, OneCustomer):
        if not audience.number.isascii() or not audience.number.isdecimal():
            found.append(_error("audience", "the customer's number has to be digits with its calling code"))
        found.append(_note("audience", "it is a campaign with one recipient, and counted as one"))
    for count, words in (
        (summary.refused, "of the list that can't be used: left out"),
        (summary.doubtful, "of the list that may be misread: written to"),
    ):
        if count:
            found.append(_warning("audience", f"{count:,} {'number' if count == 1 else 'numbers'} {words}"))
    if summary.duplicates:
        rows = "row is" if summary.duplicates == 1 else "rows are"
        found.append(
            _note("audience", f"{summary.duplicates:,} {rows} there twice; each number is written to once")
        )
    found.append(
        _note("audience", "who opted out isn't known here: the platform leaves them out, and counts them")
    )
    return found


def _about_tags(audience: FromTags) -> list[Finding]:
    if not audience.tags:
        return [_error("audience", "no tag is chosen")]
    found = [
        _error("audience", f"whose the tag {_said(tag.title)} is isn't known: set its associated_to in the config")
        for tag in audience.tags
        if not tag.associated_to
    ]
    found.append(_note("audience", "how many carry these tags isn't known before they are written to"))
    found.append(
        _note("audience", "who opted out isn't known here: the platform leaves them out, and counts them")
    )
    return found


def _about_line(draft: Draft, facts: Facts) -> list[Finding]:
    if not draft.line_id:
        return [_error("line_id", "no line is chosen to send from")]
    found = []
    if facts.lines and draft.line_id not in facts.lines:
        found.append(_warning("line_id", f"the line {_said(draft.line_id)} isn't among those known here"))
    if facts.busy:
        names = ", ".join(map(_said, facts.busy[:BUSY_NAMED]))
        found.append(_warning("line_id", f"this line is sending {names} now: both take longer than is said here"))
    return found


def _about_folder(draft: Draft, facts: Facts) -> list[Finding]:
    if not draft.folder_id or not facts.folders or draft.folder_id in facts.folders:
        return []
    known = ", ".join(map(_said, sorted(facts.folders)[:BUSY_NAMED]))
    folder = _said(draft.folder_id)
    return [_warning("folder_id", f"no campaign known here is in the folder {folder}; they are in {known}")]


def _about_workflow(draft: Draft, facts: Facts) -> list[Finding]:
    if not draft.workflow_id:
        return [_error("workflow_id", "no workflow is chosen")]
    if facts.workflows is None:
        return [_error("workflow_id", "the workflows weren't listed yet, so this one can't be checked")]
    raw = next((each.raw for each in facts.workflows if each.document_id == draft.workflow_id), None)
    if raw is None:
        count = len(facts.workflows)
        return [_error("workflow_id", f"{_said(draft.workflow_id)} isn't among the {count:,} workflows listed")]
    found = []
    name = _said(loose.text(raw.get("name")) or draft.workflow_id)
    if raw.get("isActive") is not True:
        found.append(_error("workflow_id", f"the workflow {name} is off: nothing would be sent"))
    found += _about_its_line(draft, facts, raw, name)
    event = _event(raw)
    if not event:
        found.append(_note("workflow_id", f"what starts the workflow {name} isn't said"))
    elif event != MANUAL:
        found.append(
            _warning("workflow_id", f"the workflow {name} is started by {_said(event)}, not by hand or a campaign")
        )
    return found


def _about_its_line(draft: Draft, facts: Facts, raw: Json, name: str) -> list[Finding]:
    line = loose.text(raw.get("associatedToBusinessId")) or loose.text(raw.get("associatedToPlatformId"))
    if not line:
        return [_warning("workflow_id", f"the workflow {name} says no line")]
    if draft.line_id and line != draft.line_id:
        other = facts.lines.get(LineId(line), line)
        return [_error("workflow_id", f"the workflow {name} is the line {_said(other)}'s, not this one's")]
    return []


def _event(raw: Json) -> str:
    trigger = raw.get("trigger")
    data = trigger.get("data") if isinstance(trigger, Mapping) else None
    event = loose.text(data.get("eventType")) if isinstance(data, Mapping) else ""
    return event or loose.text(raw.get("triggerType"))


def _about_time(draft: Draft, facts: Facts, summary: Summary | None) -> list[Finding]:
    at = draft.scheduled_at
    where = "scheduled_at"
    if at is None and draft.when_words.strip():
        return [_error(where, f"{_said(draft.when_words)} is no time that is understood")]
    if at is not None and abs(at) >= MILLIS_FROM:
        return [_error(where, "the time is in milliseconds where seconds are meant; say it in words")]
    now = facts.now.timestamp()
    if at is not None and at <= now:
        return [_error(where, "the time has passed")]
    if at is not None and at < now + SOONEST.total_seconds():
        return [_error(where, "the time is less than a minute away: send it now, or choose a later one")]
    if at is not None and at > now + LATEST.total_seconds():
        return [_error(where, "the time is more than a year away")]
    moment = facts.now if at is None else datetime.fromtimestamp(at, facts.now.tzinfo)
    found = []
    for zone, share in _zones(summary):
        there = moment.astimezone(zone)
        if there.hour >= NIGHT_FROM or there.hour < NIGHT_TO:
            found.append(_warning(where, f"it is {there:%H:%M} then in {zone.key}, where {_share(share)} are"))
    if not _zones(summary) and (moment.hour >= NIGHT_FROM or moment.hour < NIGHT_TO):
        found.append(_warning(where, f"it is {moment:%H:%M} then; where the customers are isn't known"))
    return found


def _share(share: float) -> str:
    return "all of them" if share > 0.99 else f"about {max(1, round(share * 100))} % of them"


def _zones(summary: Summary | None) -> list[tuple[ZoneInfo, float]]:
    """The audience's zones that this system knows, without those of hardly anybody."""
    found = []
    for name, share in () if summary is None else summary.zones:
        if share >= FEW:
            try:
                found.append((ZoneInfo(name), share))
            except (OSError, ValueError):  # this system has no data of that zone
                continue
    return found


def _at(draft: Draft, now: datetime, summary: Summary | None) -> tuple[Shown, ...]:
    at = draft.scheduled_at
    if at is None or abs(at) >= MILLIS_FROM:
        moment, when = now, "now, " if at is None else ""
    else:
        moment, when = datetime.fromtimestamp(at, now.tzinfo), ""
    lines = [own(f"{when}{moment:%a %d %b %Y %H:%M} {moment:%Z}, your time")]
    others: dict[timedelta | None, tuple[str, float]] = {}
    for zone, share in _zones(summary):
        there = moment.astimezone(zone)
        if there.utcoffset() != moment.utcoffset():
            others.setdefault(there.utcoffset(), (f"{there:%a %d %b %H:%M} in {zone.key}", share))
    lines += [own(f"{words}, {_share(share)}") for words, share in others.values()]
    return tuple(lines)


def _who(draft: Draft, summary: Summary | None) -> Shown:
    audience = draft.audience
    if isinstance(audience, FromTags):
        return own("everybody tagged " + " or ".join(_said(tag.title) for tag in audience.tags))
    if isinstance(audience, OneCustomer):
        name = f"{_said(audience.name)}, " if audience.name else ""
        return own(f"one customer: {name}{show_line('+' + audience.number.lstrip('+'), 40).text}")
    if summary is None:
        return own("nobody yet")
    people = "recipient" if summary.count == 1 else "recipients"
    return own(f"{summary.count:,} {people}")


def _pace(paces: Sequence[float]) -> tuple[tuple[float, float], bool]:
    """The slowest and the fastest that was measured; one alone may be off."""
    usable = [each for each in paces if each > 0]
    if not usable:
        return ASSUMED_PACE, True
    low, high = min(usable), max(usable)
    return ((low * (1 - SPREAD), high * (1 + SPREAD)) if len(usable) == 1 else (low, high)), False

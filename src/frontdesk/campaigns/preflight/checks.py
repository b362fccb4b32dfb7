"""What is looked at before a campaign is sent, since nothing after the POST can be taken back; pure.

The wizard's last page and `campaigns create` show it. An error keeps the campaign from being sent; a check that
couldn't be made is an error too, which a person may confirm; a warning is read by a person, who decides.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from frontdesk.api.contract.base import JsonObject
from frontdesk.api.contract.ids import LineId
from frontdesk.campaigns.audience.models import Audience
from frontdesk.campaigns.draft import Draft, FromFile, FromTags, OneCustomer
from frontdesk.campaigns.metrics.throughput import expected_pace, expected_seconds
from frontdesk.campaigns.preflight.finding import (
    PreflightFinding,
    PreflightSeverity,
    error,
    note,
    shown,
    unchecked,
    warning,
)
from frontdesk.campaigns.preflight.schedule import about_time, moments, zones_of
from frontdesk.campaigns.request_body import body_of
from frontdesk.storage import json_access
from frontdesk.storage.records import DocumentRecord, Json
from frontdesk.text.display_text import SafeText, show_line, trusted

MANUAL = "Manual Trigger"
NOT_CHECKED = "workflow not checked"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{2,99}")
_COUNTRY = re.compile(r"[A-Z]{2}")
BUSY_NAMED = 3
"""So many campaigns or folders are named at most."""


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
        more_workflows: whether the platform has workflows that it didn't list.
        lines: known ones by id, and what they are called.
        audience: of the list; None where it wasn't read yet, or there is none.
        paces: recipients a second of the last campaigns on the draft's line.
        checked: what the workflow check says of the workflow.
        not_checked: why the workflow wasn't checked as it is now; empty where it was.
        used_ids: campaigns that are known already.
        busy: names of the campaigns that the draft's line is sending now.
        busy_left: recipients that those have still to reach; None where that isn't known of all of them.
        folders: those that a campaign known here is in.
    """

    now: datetime
    workflows: Sequence[DocumentRecord] | None = None
    more_workflows: bool = False
    lines: Mapping[LineId, str] = field(default_factory=dict)
    audience: Summary | None = None
    paces: tuple[float, ...] = ()
    checked: tuple[PreflightFinding, ...] = ()
    not_checked: str = "its document wasn't read"
    used_ids: frozenset[str] = frozenset()
    busy: tuple[str, ...] = ()
    busy_left: float | None = 0.0
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

    findings: tuple[PreflightFinding, ...]
    who: SafeText
    count: int | None
    duration: tuple[float, float] | None
    pace: tuple[float, float]
    is_pace_assumed: bool
    at: tuple[SafeText, ...]
    body: JsonObject

    @property
    def errors(self) -> tuple[PreflightFinding, ...]:
        """What keeps it from being sent, with what couldn't be checked."""
        return tuple(each for each in self.findings if each.severity is PreflightSeverity.ERROR)

    @property
    def unchecked(self) -> tuple[PreflightFinding, ...]:
        """What couldn't be checked, or not as it is now: sent only once a person has confirmed that as well."""
        return tuple(each for each in self.errors if each.is_unchecked or each.is_outdated)

    @property
    def can_be_sent(self) -> bool:
        """Whether nothing keeps it from being sent."""
        return not self.errors

    @property
    def can_be_confirmed(self) -> bool:
        """Whether nothing is known to be wrong, so that a person may send it although checks are missing."""
        return len(self.unchecked) == len(self.errors)


def summary_of(audience: Audience) -> Summary:
    """A list in numbers; looks up the time zones of a sample, which takes a moment the first time."""
    numbers = [each.number for each in audience.recipients]
    return Summary(
        len(numbers), audience.refused_count, audience.duplicate_count, audience.doubtful_count, zones_of(numbers)
    )


def preflight(draft: Draft, facts: Facts, body: JsonObject | None = None) -> Preflight:
    """Everything that can be said before sending.

    Args:
        body: what is to be sent, where it was made already; else it is made of the draft without recipients.
    """
    summary = _summary(draft, facts)
    zones = () if summary is None else summary.zones
    found = [
        *_about_name_and_id(draft, facts),
        *_about_audience(draft, summary),
        *_about_line(draft, facts),
        *_about_folder(draft, facts),
        *_about_workflow(draft, facts),
        *facts.checked,
        *about_time(draft, facts.now, zones),
    ]
    count = None if summary is None else summary.count
    pace, is_assumed = expected_pace(facts.paces)
    wait = max(0.0, (draft.scheduled_at or 0.0) - facts.now.timestamp())
    return Preflight(
        findings=tuple(sorted(found, key=lambda each: [*PreflightSeverity].index(each.severity))),
        who=_who(draft, summary),
        count=count,
        duration=None if count is None else expected_seconds(count, pace, facts.busy_left or 0.0, wait),
        pace=pace,
        is_pace_assumed=is_assumed,
        at=moments(draft, facts.now, zones),
        body=body_of(draft) if body is None else body,
    )


def _summary(draft: Draft, facts: Facts) -> Summary | None:
    """Of one customer nothing has to be read."""
    if isinstance(draft.audience, OneCustomer):
        number = draft.audience.number
        return Summary(1 if number else 0, zones=zones_of([number]) if number else ())
    return facts.audience if isinstance(draft.audience, FromFile) else None


def _about_name_and_id(draft: Draft, facts: Facts) -> list[PreflightFinding]:
    found = []
    if not draft.name.strip():
        found.append(error("name", "the campaign has no name"))
    if not _ID.fullmatch(draft.campaign_id):
        found.append(
            error(
                "campaign_id", "an id is 3 to 100 plain letters, digits, dots, dashes and underscores, no spaces"
            )
        )
    elif draft.campaign_id in facts.used_ids:
        found.append(error("campaign_id", f"a campaign {shown(draft.campaign_id)} is there already"))
    if not draft.folder_id:
        found.append(error("folder_id", "no folder is chosen"))
    if draft.country and not _COUNTRY.fullmatch(draft.country):
        found.append(error("country", "the audience's country is two capital letters, as IL"))
    return found


def _about_audience(draft: Draft, summary: Summary | None) -> list[PreflightFinding]:
    audience = draft.audience
    if audience is None:
        return [error("audience", "nobody is chosen to be written to")]
    if isinstance(audience, FromTags):
        found = _about_tags(audience)
    elif summary is None:
        return [error("audience", "the list wasn't read yet")]
    else:
        found = _about_people(draft, summary)
    opted_out = "who opted out isn't known here: the platform leaves them out, and counts them"
    return [*found, note("audience", opted_out)]


def _about_people(draft: Draft, summary: Summary) -> list[PreflightFinding]:
    audience = draft.audience
    found = []
    if summary.count == 0:
        why = "the audience is empty"
        if summary.refused:
            why = f"none of the {summary.refused:,} numbers can be used"
            why += "" if draft.country else "; say of which country those without a calling code are"
        found.append(error("audience", f"nobody would be written to: {why}"))
    if isinstance(audience, OneCustomer):
        if not audience.number.isascii() or not audience.number.isdecimal():
            found.append(error("audience", "the customer's number has to be digits with its calling code"))
        found.append(note("audience", "it is a campaign with one recipient, and counted as one"))
    for count, words in (
        (summary.refused, "of the list that can't be used: left out"),
        (summary.doubtful, "of the list that may be misread: messaged all the same"),
    ):
        if count:
            found.append(warning("audience", f"{count:,} {'number' if count == 1 else 'numbers'} {words}"))
    if summary.duplicates:
        rows = "row is" if summary.duplicates == 1 else "rows are"
        found.append(
            note("audience", f"{summary.duplicates:,} {rows} there twice; each number is written to once")
        )
    return found


def _about_tags(audience: FromTags) -> list[PreflightFinding]:
    if not audience.tags:
        return [error("audience", "no tag is chosen")]
    found = [
        error("audience", f"whose the tag {shown(tag.title)} is isn't known: set its associated_to in the config")
        for tag in audience.tags
        if not tag.associated_to
    ]
    found.append(note("audience", "how many carry these tags isn't known before they are written to"))
    return found


def _about_line(draft: Draft, facts: Facts) -> list[PreflightFinding]:
    if not draft.line_id:
        return [error("line_id", "no line is chosen to send from")]
    found = []
    if draft.line_id not in facts.lines:
        found.append(warning("line_id", f"the line {shown(draft.line_id)} isn't among those known here"))
    if facts.busy:
        names = ", ".join(map(shown, facts.busy[:BUSY_NAMED]))
        counted = (
            f", with {facts.busy_left:,.0f} still to go counted in" if facts.busy_left else " than is said here"
        )
        if facts.busy_left is None:
            counted += ", and how many are still to go isn't known"
        found.append(warning("line_id", f"this line is sending {names} now: all take longer{counted}"))
    return found


def _about_folder(draft: Draft, facts: Facts) -> list[PreflightFinding]:
    if not draft.folder_id or draft.folder_id in facts.folders:
        return []
    if not facts.folders:
        words = f"whether there is a folder {shown(draft.folder_id)} isn't known: no campaign is known here"
        return [note("folder_id", words)]
    known = ", ".join(map(shown, sorted(facts.folders)[:BUSY_NAMED]))
    folder = shown(draft.folder_id)
    return [warning("folder_id", f"no campaign known here is in the folder {folder}; they are in {known}")]


def _about_workflow(draft: Draft, facts: Facts) -> list[PreflightFinding]:
    if not draft.workflow_id:
        return [error("workflow_id", "no workflow is chosen")]
    if facts.workflows is None:
        why = facts.not_checked or "no workflows were listed yet"
        return [unchecked("workflow_id", f"{NOT_CHECKED}: {why}")]
    raw = next((each.raw for each in facts.workflows if each.document_id == draft.workflow_id), None)
    if raw is None:
        words = f"{shown(draft.workflow_id)} isn't among the {len(facts.workflows):,} workflows listed"
        if facts.more_workflows:
            return [unchecked("workflow_id", f"{NOT_CHECKED}: {words}, and more exist")]
        return [error("workflow_id", words)]
    found = []
    name = shown(json_access.text(raw.get("name")) or draft.workflow_id)
    if facts.not_checked:
        found.append(unchecked("workflow_id", f"{NOT_CHECKED}: {show_line(facts.not_checked, 300).text}"))
    if raw.get("isActive") is False:
        found.append(error("workflow_id", f"the workflow {name} is off: nothing would be sent"))
    elif raw.get("isActive") is not True:
        found.append(unchecked("workflow_id", f"whether the workflow {name} is on isn't known"))
    found += _about_its_line(draft, facts, raw, name)
    event = _event(raw)
    if not event:
        found.append(warning("workflow_id", f"what starts the workflow {name} isn't known"))
    elif event != MANUAL:
        found.append(
            warning("workflow_id", f"the workflow {name} is started by {shown(event)}, not by hand or a campaign")
        )
    return found


def _about_its_line(draft: Draft, facts: Facts, raw: Json, name: str) -> list[PreflightFinding]:
    line = json_access.text(raw.get("associatedToBusinessId")) or json_access.text(
        raw.get("associatedToPlatformId")
    )
    if not line:
        return [warning("workflow_id", f"the workflow {name} says no line")]
    if draft.line_id and line != draft.line_id:
        other = facts.lines.get(LineId(line), line)
        return [error("workflow_id", f"the workflow {name} is the line {shown(other)}'s, not this one's")]
    return []


def _event(raw: Json) -> str:
    trigger = raw.get("trigger")
    data = trigger.get("data") if isinstance(trigger, Mapping) else None
    event = json_access.text(data.get("eventType")) if isinstance(data, Mapping) else ""
    return event or json_access.text(raw.get("triggerType"))


def _who(draft: Draft, summary: Summary | None) -> SafeText:
    audience = draft.audience
    if isinstance(audience, FromTags):
        return trusted("everybody tagged " + " or ".join(shown(tag.title) for tag in audience.tags))
    if isinstance(audience, OneCustomer):
        name = f"{shown(audience.name)}, " if audience.name else ""
        return trusted(f"one customer: {name}{show_line('+' + audience.number.lstrip('+'), 40).text}")
    if summary is None:
        return trusted("nobody yet")
    people = "recipient" if summary.count == 1 else "recipients"
    return trusted(f"{summary.count:,} {people}")

"""The checks before a campaign is sent, since it can't be taken back; pure."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from frontdesk.campaigns.draft import SIZE_UNKNOWN, Draft, FromFile, FromTags, OneCustomer, build_body
from frontdesk.campaigns.number_zones import zones_of
from frontdesk.campaigns.preflight_facts import (
    AudienceSummary,
    Preflight,
    PreflightFacts,
    PreflightFinding,
    PreflightSeverity,
    ZoneShare,
    error,
    note,
    quote,
    unchecked,
    warning,
)
from frontdesk.campaigns.sent_campaigns import describe_repeated, find_repeated
from frontdesk.campaigns.throughput import expected_pace, expected_seconds
from frontdesk.storage.records import DocumentRecord, Json
from frontdesk.text import relative_time
from frontdesk.text.fuzzy import fold_name
from frontdesk.text.percentages import percent
from frontdesk_api import json_access
from frontdesk_api.contract.base import JsonObject
from frontdesk_api.contract.ids import LineId
from frontdesk_api.contract.values import MILLIS_FROM
from frontdesk_lines.display_text import SafeText, counted, show_line, trusted
from frontdesk_lists.models import ROLE_WORDS, ROW_WORDS, Audience, CountryCount, Kind

MIN_LEAD = timedelta(minutes=1)
"""Typing the name and the moment for undo take as long; a time that passed meanwhile isn't sent any more."""

MAX_LEAD = timedelta(days=365)
NIGHT_FROM, NIGHT_TO = 21, 8
"""Hours between which a message needs a warning."""

MIN_CLOCK_SHARE = 0.02
"""A local time that a smaller share of recipients has isn't named."""

MAX_ZONES_NAMED = 2

_WELL_KNOWN = (
    "Europe/London", "Europe/Berlin", "Europe/Madrid", "Europe/Moscow", "Asia/Shanghai", "America/New_York",
    "America/Chicago", "America/Denver", "America/Los_Angeles", "America/Sao_Paulo", "Australia/Sydney",
)  # fmt: skip
"""Named before others with the same clock: a British number may be of Guernsey, Jersey and the Isle of Man too."""


def check_time(draft: Draft, now: datetime, zones: Sequence[ZoneShare]) -> Iterator[PreflightFinding]:
    """Check the draft's time; `now` is in the sender's zone, `zones` are the audience's."""
    if words := _time_error(draft, now):
        yield error("scheduled_at", words)
        return
    moment = now if draft.scheduled_at is None else datetime.fromtimestamp(draft.scheduled_at, now.tzinfo)
    clocks = _clocks(moment, zones)
    at_night = [each for each in clocks if any(_is_night(time) for time in each.times)]
    if at_night:
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


MANUAL = "Manual Trigger"
NOT_CHECKED = "workflow not checked"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{2,99}")
_COUNTRY = re.compile(r"[A-Z]{2}")
MAX_NAMED = 3


def summary_of(audience: Audience, kind: Kind, rivals: Mapping[str, str] | None = None) -> AudienceSummary:
    """Count a list, whose rivals are in words; looks up the numbers' time zones, which takes a moment."""
    numbers = [each.number for each in audience.recipients]
    return AudienceSummary(
        len(numbers),
        audience.refused.count,
        audience.duplicates.count,
        audience.doubtful.count,
        zones_of(numbers),
        audience.rounded,
        audience.countries,
        audience.home,
        audience.skipped,
        ROW_WORDS[kind],
        audience.hidden,
        audience.undecided,
        rivals or {},
    )


def preflight(draft: Draft, facts: PreflightFacts, body: JsonObject | None = None) -> Preflight:
    """Check a draft before it is sent; without a `body`, one is made without recipients."""
    summary = _summary(draft, facts)
    zones = () if summary is None else summary.zones
    body = build_body(draft) if body is None else body
    found = [
        *_check_name_and_id(draft, facts),
        *_check_repeats(draft, facts, body),
        *_check_audience(draft, summary),
        *_check_line(draft, facts),
        *_check_folder(draft, facts),
        *_check_workflow(draft, facts),
        *_check_namesakes(draft, facts),
        *facts.workflows.findings,
        *check_time(draft, facts.now, zones),
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
        body=body,
        has_namesakes=bool(_namesakes(draft, facts)),
    )


def input_errors(draft: Draft, now: datetime) -> tuple[PreflightFinding, ...]:
    """Return what is wrong with a draft whatever else is known, before anything is read or asked for."""
    found = preflight(draft, PreflightFacts(now, audience=AudienceSummary(1)))
    return tuple(each for each in found.errors if not each.is_unchecked)


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
        yield error("country", "the home country must be two letters, such as IL, or none")


def _check_repeats(draft: Draft, facts: PreflightFacts, body: JsonObject) -> Iterator[PreflightFinding]:
    same = find_repeated(draft, body, facts.sent)
    if same:
        words = f"already sent or scheduled within 7 days: {counted(len(same), 'campaign')} like this one"
        yield warning("name", words, describe_repeated(same, body, facts.now))


def _check_audience(draft: Draft, summary: AudienceSummary | None) -> Iterator[PreflightFinding]:
    audience = draft.audience
    if audience is None:
        yield error("audience", "no audience chosen")
        return
    if isinstance(audience, FromTags):
        yield from _check_tags(audience)
    elif summary is None:
        yield error("audience", "the list hasn't been loaded yet")
        return
    else:
        yield from _check_people(draft, summary)
    yield note(
        "audience", "frontdesk doesn't know who opted out; the platform skips these recipients and counts them"
    )


def _check_people(draft: Draft, summary: AudienceSummary) -> Iterator[PreflightFinding]:
    audience = draft.audience
    if summary.count == 0:
        why = "the audience is empty"
        if summary.refused:
            why = "the list's only number can't be used"
            if summary.refused > 1:
                why = f"none of the list's {summary.refused:,} numbers can be used"
            why += "" if draft.country else "; choose a home country for numbers without a calling code"
        yield error("audience", f"no one would receive a message: {why}")
    if isinstance(audience, OneCustomer):
        if not audience.number.isascii() or not audience.number.isdecimal():
            yield error("audience", "the customer's number must be digits only, with the calling code")
        yield note("audience", "this counts as a campaign, with one recipient")
    if count := summary.hidden:
        words = counted(count, "row that Excel hides is", "rows that Excel hides are")
        yield warning("audience", f"{words} skipped")
    if count := summary.refused - summary.skipped - summary.hidden - summary.undecided:
        skipped = "and is skipped" if count == 1 else "and are skipped"
        yield warning("audience", f"{counted(count, 'number')} in the list can't be used {skipped}")
    if count := summary.skipped:
        words = counted(count, "doubtful number in the list is", "doubtful numbers in the list are")
        yield warning("audience", f"{words} skipped, as you chose")
    if count := summary.doubtful:
        yield warning(
            "audience", f"{counted(count, 'number')} in the list may have been misread but will be messaged"
        )
    if count := summary.rounded:
        words = f"{counted(count, 'row')} may hold a number that a spreadsheet rounded; its last digits are lost"
        yield warning("audience", words)
    if isinstance(audience, FromFile):
        for role, columns in summary.rivals.items():
            if role not in audience.confirmed:
                yield error("audience", f"choose the column with {ROLE_WORDS[role]}: it may be {columns}")
        yield from _check_home_country(draft, summary)
        yield from _check_countries(summary)
    if count := summary.duplicates:
        words = counted(count, "row is a duplicate", "rows are duplicates")
        yield note("audience", f"{words}; each number is messaged once")


def _check_home_country(draft: Draft, summary: AudienceSummary) -> Iterator[PreflightFinding]:
    home, country = summary.home, draft.country
    if home is not None:
        numbers = f"{home.valid:,} of {counted(home.looked_at, 'number')} without a calling code"
        words = f"{numbers} would be valid in {home.country}; {home.reason}"
        if draft.is_country_chosen:
            yield warning("country", f"no home country: {words}")
        else:
            yield error("country", f"choose a home country, such as {home.country}, or none: {words}")
    elif summary.undecided and not draft.is_country_chosen:
        numbers = counted(summary.undecided, "number has", "numbers have")
        yield error("country", f"choose a home country, or none: {numbers} no calling code")
    elif country and draft.country_reason:
        yield error(
            "country", f"confirm the home country: {country} was suggested, because {draft.country_reason}"
        )


def _check_countries(summary: AudienceSummary) -> Iterator[PreflightFinding]:
    """Name the recipients that aren't in the country of most; a warning where their country is guessed."""
    if len(summary.countries) < 2:
        return
    most, *others = summary.countries
    count = sum(each.count for each in others)
    named = "; ".join(_country_words(each, summary.row_word) for each in others[:MAX_NAMED])
    more = f"; {len(others) - MAX_NAMED:,} more countries" if len(others) > MAX_NAMED else ""
    verb = counted(count, "recipient is", "recipients are")
    words = f"{verb} in another country than most ({most.place}): {named}{more}"
    yield warning("audience", words) if any(each.guessed for each in others) else note("audience", words)


def _country_words(found: CountryCount, row_word: str) -> str:
    samples = ", ".join(
        f"{show_line(each.value, 30).text} as +{each.number} ({row_word} {each.line:,})"
        for each in found.samples[:2]
    )
    return (
        f"{found.count:,} in {found.place}, such as {samples}" if samples else f"{found.count:,} in {found.place}"
    )


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
        estimate = "the estimate doesn't account for this"
        if left is None:
            estimate += ", because the number of recipients left is unknown"
        elif left:
            estimate = f"the estimate includes its {counted(left, 'remaining recipient')}"
        yield warning("line_id", f"this line is also sending {names}, so expect delays; {estimate}")


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


def _namesakes(draft: Draft, facts: PreflightFacts) -> list[DocumentRecord]:
    listed = facts.workflows.records or ()
    chosen = next((each.name for each in listed if each.document_id == draft.workflow_id), draft.workflow_name)
    name = fold_name(chosen)
    if not draft.workflow_id or not name:
        return []
    return [each for each in listed if fold_name(each.name) == name and each.document_id != draft.workflow_id]


def _check_namesakes(draft: Draft, facts: PreflightFacts) -> Iterator[PreflightFinding]:
    """Say in what the workflows of one name differ: the id, whether it is active, and the last update."""
    others = _namesakes(draft, facts)
    if not others:
        return
    raws = {each.document_id: each.raw for each in facts.workflows.records or ()}
    chosen = raws.get(draft.workflow_id)
    this = "isn't listed" if chosen is None else workflow_difference(chosen, facts.now)
    exist = counted(len(others), "other workflow has", "other workflows have")
    named = [
        f"{show_line(each.document_id, 100).text} {workflow_difference(each.raw, facts.now)}"
        for each in others[:MAX_NAMED]
    ]
    more = [f"{len(others) - MAX_NAMED:,} more"] if len(others) > MAX_NAMED else []
    words = f"this campaign runs {show_line(draft.workflow_id, 100).text}, which {this}; {exist} the same name: "
    yield warning("workflow_id", words + "; ".join([*named, *more]))


def workflow_difference(raw: Json, now: datetime) -> str:
    """Return whether a workflow is active, and its last update: what tells workflows of one name apart."""
    is_active = raw.get("isActive")
    state = "may be active"
    if isinstance(is_active, bool):
        state = "is active" if is_active else "is inactive"
    at = json_access.number(raw.get("lastModified"))
    if at is None or now.tzinfo is None:
        return f"{state}, last update unknown"
    return f"{state}, updated {relative_time.when(at, now.timestamp(), now.tzinfo)}"


def line_of(raw: Json) -> str:
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

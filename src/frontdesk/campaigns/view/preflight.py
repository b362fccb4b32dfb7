"""The preflight of a campaign as a page: who gets what, when and how fast, what was found, and the exact JSON."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from frontdesk.campaigns.draft import Draft, OneCustomer, shorten_body
from frontdesk.campaigns.models import STATUS_WORDS, CampaignRecord
from frontdesk.campaigns.preflight_facts import Preflight, PreflightSeverity
from frontdesk.campaigns.view.change import on_its_way
from frontdesk.config.facts import GAP, Fact, section, signed_fact, text
from frontdesk.config.render_context import RenderContext
from frontdesk.storage.records import NEEDS_PERSON, Change, ChangeState
from frontdesk.text import relative_time
from frontdesk_lines.display_text import SafeText, body_lines, counted, show_line, trusted
from frontdesk_lines.lines import Role


class DraftTestResult(NamedTuple):
    """The sentence, and whether more is to come."""

    words: SafeText
    role: Role = Role.TEXT
    is_open: bool = False


_OPEN = {
    ChangeState.HELD: "sends in a moment; to undo, press esc, then {undo}",
    ChangeState.QUEUED: "waiting to send",
    ChangeState.SENDING: "sending",
    ChangeState.UNKNOWN: "outcome unknown; checking",
}
_TAKEN_BACK = {ChangeState.UNDONE: "undone before sending", ChangeState.DROPPED: "discarded"}


def describe_test(
    number: str, change: Change | None, record: CampaignRecord | None, view: RenderContext
) -> DraftTestResult:
    """Describe the latest test of a draft.

    Args:
        number: one's own; empty where none was given yet.
        change: the latest test's; None without one.
        record: its campaign, where it is watched.
    """
    if change is None:
        if not number:
            return DraftTestResult(trusted("not sent. Press t to add your number."), Role.DIM)
        return DraftTestResult(show_line(f"not sent. Press t to send one to +{number}.", 80), Role.DIM)
    name = show_line(change.fields.get("name"), 100).text
    if change.state in _OPEN:
        why = f": {show_line(change.reason, 160).text}" if change.reason else ""
        words = _OPEN[change.state].format(undo=view.key("change.undo", "u"))
        way = on_its_way(change, view.zone).text
        return DraftTestResult(trusted(f"{words} {way}".rstrip() + why), Role.PENDING, is_open=True)
    if change.state in _TAKEN_BACK:
        return DraftTestResult(trusted(_TAKEN_BACK[change.state]), Role.DIM)
    if change.state in NEEDS_PERSON:
        see = f"see Activity ({view.key('go.activity', '6')})"
        return DraftTestResult(
            trusted(f"failed: {show_line(change.reason, 240).text or 'no reason given'}; {see}"), Role.BAD
        )
    return _created(f'"{name}" on Campaigns', change, record, view)


def _created(where: str, change: Change, record: CampaignRecord | None, view: RenderContext) -> DraftTestResult:
    """Describe what became of a test that the platform has created."""
    at = "" if change.settled_at is None else f" {view.when(change.settled_at)}"
    if record is None:
        words = f"created{at}; no longer watched, so its outcome is unknown"
        return DraftTestResult(trusted(words), Role.WARN)
    if record.problem or record.read_at is None:
        return DraftTestResult(trusted(f"created{at}; not loaded yet: see {where}"), Role.PENDING, is_open=True)
    if fault := _fault(record):
        return DraftTestResult(trusted(f"{fault}; see {where}"), Role.BAD)
    counters = record.counters
    for count, words in ((counters.read, "read"), (counters.delivered, "delivered"), (counters.sent, "sent")):
        if count:
            return DraftTestResult(trusted(f"{words}; see {where}"), Role.GOOD, is_open=words != "read")
    status = show_line(STATUS_WORDS.get(record.status, record.status), 20).text or "status unknown"
    words = f"created{at}, {status}, not sent yet; see {where}"
    return DraftTestResult(trusted(words), Role.PENDING, is_open=True)


def _fault(record: CampaignRecord) -> str:
    """Return why a test reached nobody; empty where nothing says so."""
    if record.failure_reason or record.status == "failed":
        return f"failed: {show_line(record.failure_reason, 240).text or 'no reason given'}"
    if record.counters.failed:
        return "the message failed; its delivery results say why"
    if record.counters.too_many:
        return "not sent: the platform got too many requests (throttled)"
    return "not sent: this number has opted out" if record.counters.opted_out else ""


ONE = "This is a campaign with one recipient."
"""The interface has no message to send: what runs a workflow for one customer is this."""

WHOLE_RECIPIENTS = 1_900
"""Of a list, so many can be read here; it may be megabytes."""
WHOLE_LETTERS, WHOLE_LINES = 400_000, 10_000


def whole_body(found: Preflight) -> tuple[SafeText, ...]:
    """Return the JSON with every recipient; of a long list, as many as can be read."""
    return body_lines(shorten_body(found.body, WHOLE_RECIPIENTS), WHOLE_LETTERS, WHOLE_LINES)


def duration_words(found: Preflight) -> str:
    if found.duration is None:
        return "unknown, because the number of recipients is unknown"
    length = relative_time.duration_range(*found.duration)
    slow, fast = (f"{each:.0f}" if each >= 1 else f"{each:.1f}" for each in found.pace)
    pace = f"{fast} a second" if slow == fast else f"{slow} to {fast} a second"
    why = "assumed; not measured on this line yet" if found.is_pace_assumed else "as measured on this line"
    return f"{length} at {pace} ({why})"


def preflight_facts(draft: Draft, found: Preflight, view: RenderContext) -> Iterator[Fact]:
    if isinstance(draft.audience, OneCustomer):
        yield text(trusted(ONE), Role.STRONG)
        yield GAP
    yield Fact("To", found.who)
    identity = f" ({draft.workflow_id})" if draft.workflow_id and found.has_namesakes else ""
    workflow = show_line(draft.workflow_name or draft.workflow_id).text
    yield Fact("Runs", trusted(f'the workflow "{workflow}"{show_line(identity).text}'))
    yield Fact("From", trusted(f'the line "{view.line(draft.line_id).text}"' if draft.line_id else "no line yet"))
    yield Fact("When", tuple(found.at))
    yield Fact("Takes", trusted(duration_words(found)))
    yield Fact("Id", show_line(draft.campaign_id))
    yield GAP
    yield from _findings(found, view)
    yield GAP
    yield section("JSON to send", view)
    for line in body_lines(shorten_body(found.body)):
        yield text(line, Role.DIM)


def _findings(found: Preflight, view: RenderContext) -> Iterator[Fact]:
    styles = {
        PreflightSeverity.ERROR: (view.glyphs.failed, Role.BAD),
        PreflightSeverity.WARNING: (view.glyphs.warning, Role.WARN),
        PreflightSeverity.NOTE: (view.glyphs.separator.strip(), Role.DIM),
    }
    counts = Counter(each.severity for each in found.findings)
    found_words = [counted(counts[each], each) for each in PreflightSeverity if counts[each]]
    yield section("Findings: " + ", ".join(found_words) if found_words else "No findings", view)
    for each in found.findings:
        sign, role = styles[each.severity]
        yield signed_fact(sign, sentence(each.words), role)
        for detail in each.details:
            yield signed_fact(" ", detail, role)


def sentence(words: SafeText) -> SafeText:
    return SafeText(words.text[:1].upper() + words.text[1:], words.was_sanitized)

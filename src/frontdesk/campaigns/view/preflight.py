"""The preflight of a campaign as a page: who gets what, when and how fast, what was found, and the exact JSON."""

from collections import Counter
from collections.abc import Iterator

from frontdesk.campaigns.draft import Draft, OneCustomer, shorten_body
from frontdesk.campaigns.preflight_facts import Preflight, PreflightSeverity
from frontdesk.config.facts import GAP, Fact, section, signed_fact, text
from frontdesk.config.render_context import RenderContext
from frontdesk.text.display_text import SafeText, body_lines, counted, show_line, trusted
from frontdesk.text.lines import Role

ONE = "This is a campaign with one recipient."
"""The interface has no message to send: what runs a workflow for one customer is this."""

WHOLE_RECIPIENTS = 1_900
"""Of a list, so many can be read here; it may be megabytes."""
WHOLE_LETTERS, WHOLE_LINES = 400_000, 10_000

_MINUTE, _HOUR = 60, 3600


def whole_body(found: Preflight) -> tuple[SafeText, ...]:
    """Return the JSON with every recipient; of a long list, as many as can be read."""
    return body_lines(shorten_body(found.body, WHOLE_RECIPIENTS), WHOLE_LETTERS, WHOLE_LINES)


def lasting(seconds: float) -> str:
    """Return a duration to about two digits: `under a second`, `40 s`, `3 min`, `1 h 20 min`."""
    if seconds < 1:
        return "under a second"
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * _MINUTE:
        return f"{seconds / _MINUTE:.0f} min"
    hours, rest = divmod(round(seconds / _MINUTE), _MINUTE)
    return f"{hours:,} h" if hours > 9 or not rest else f"{hours} h {rest} min"


def duration_words(found: Preflight) -> str:
    """How long it would take, and why that is assumed."""
    if found.duration is None:
        return "unknown, because the number of recipients is unknown"
    best, worst = (lasting(each) for each in found.duration)
    length = best if best == worst else f"{best} to {worst}"
    slow, fast = (f"{each:.0f}" if each >= 1 else f"{each:.1f}" for each in found.pace)
    pace = f"{fast} a second" if slow == fast else f"{slow} to {fast} a second"
    why = "assumed; not measured on this line yet" if found.is_pace_assumed else "as measured on this line"
    return f"{length} at {pace} ({why})"


def preflight_facts(draft: Draft, found: Preflight, view: RenderContext) -> Iterator[Fact]:
    """Tell the preflight; the findings come before the JSON."""
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
    """Return a finding's words with a capital letter."""
    return SafeText(words.text[:1].upper() + words.text[1:], words.was_sanitized)

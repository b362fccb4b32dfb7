"""A preflight as lines: who gets what from which line when, what speaks against it, and the exact JSON.

Called by the wizard's last page.
"""

from collections.abc import Iterator

from frontdesk.campaigns.draft import Draft, OneCustomer
from frontdesk.campaigns.preflight.checks import Preflight
from frontdesk.campaigns.preflight.finding import PreflightSeverity
from frontdesk.campaigns.request_body import shortened
from frontdesk.config.render_context import RenderContext
from frontdesk.text.display_text import SafeText, body_lines, show_line, trusted
from frontdesk.text.labelled_lines import heading, labelled, signed, wrapped
from frontdesk.text.lines import EMPTY, Line, Role

ONE = "This is a campaign with one recipient."
"""The interface has no message to send: what runs a workflow for one customer is this."""

WHOLE_RECIPIENTS = 1_900
"""Of a list, so many can be read here; it may be megabytes."""
WHOLE_LETTERS, WHOLE_LINES = 400_000, 10_000

_MINUTE, _HOUR = 60, 3600


def preflight_lines(draft: Draft, found: Preflight, width: int, view: RenderContext) -> tuple[Line, ...]:
    """All of it, to be read from the top; what speaks against it comes before the JSON."""
    return tuple(_lines(draft, found, max(1, width), view))


def whole_body(found: Preflight) -> tuple[SafeText, ...]:
    """The JSON with every recipient of a list that isn't long; of a longer one it says how many are left out."""
    return body_lines(shortened(found.body, WHOLE_RECIPIENTS), WHOLE_LETTERS, WHOLE_LINES)


def lasting(seconds: float) -> str:
    """How long something takes, to two digits or so: `under a second`, `40 s`, `3 min`, `1 h 20 min`."""
    if seconds < 1:
        return "under a second"
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * _MINUTE:
        return f"{seconds / _MINUTE:.0f} min"
    hours, rest = divmod(round(seconds / _MINUTE), _MINUTE)
    return f"{hours:,} h" if hours > 9 or not rest else f"{hours} h {rest} min"


def takes(found: Preflight) -> str:
    """How long it would take, and what that is told from."""
    if found.duration is None:
        return "nobody knows how long: how many it reaches isn't known"
    best, worst = (lasting(each) for each in found.duration)
    length = best if best == worst else f"{best} to {worst}"
    slow, fast = (f"{each:.0f}" if each >= 1 else f"{each:.1f}" for each in found.pace)
    pace = f"{fast} a second" if slow == fast else f"{slow} to {fast} a second"
    why = "assumed: this line's pace was never seen here" if found.is_pace_assumed else "as this line did before"
    return f"{length}, at {pace}, {why}"


def _lines(draft: Draft, found: Preflight, width: int, view: RenderContext) -> Iterator[Line]:
    if isinstance(draft.audience, OneCustomer):
        yield from wrapped(trusted(ONE), width, Role.STRONG)
        yield EMPTY
    for label, words in _facts(draft, found, view):
        yield from labelled(label, words, width)
    yield EMPTY
    yield from _findings(found, width, view)
    yield EMPTY
    yield heading("What is sent", width, view)
    for line in body_lines(shortened(found.body)):
        yield from wrapped(line, width, Role.DIM)


def _facts(draft: Draft, found: Preflight, view: RenderContext) -> Iterator[tuple[str, SafeText]]:
    yield "To", found.who
    yield "Gets", show_line(f'the workflow "{draft.workflow_name or draft.workflow_id}"')
    yield "From", show_line(f'the line "{view.names.line(draft.line_id)}"' if draft.line_id else "no line yet")
    for place, at in enumerate(found.at):
        yield "When" if not place else "", at
    yield "Takes", trusted(takes(found))
    yield "Id", show_line(draft.campaign_id)


def _findings(found: Preflight, width: int, view: RenderContext) -> Iterator[Line]:
    looks = {
        PreflightSeverity.ERROR: (view.glyphs.failed, Role.BAD),
        PreflightSeverity.WARNING: (view.glyphs.warning, Role.WARN),
        PreflightSeverity.NOTE: (view.glyphs.separator.strip(), Role.DIM),
    }
    counts = [sum(each.severity is severity for each in found.findings) for severity in PreflightSeverity]
    names = ("error", "warning", "note")
    counted = [f"{count} {name}{'s' * (count != 1)}" for count, name in zip(counts, names, strict=True) if count]
    yield heading("Found: " + ", ".join(counted) if counted else "Nothing speaks against it", width, view)
    for each in found.findings:
        sign, role = looks[each.severity]
        yield from signed(sign, sentence(each.words), width, role)


def sentence(words: SafeText) -> SafeText:
    """A finding's words with a capital letter."""
    return SafeText(words.text[:1].upper() + words.text[1:], words.was_sanitized)

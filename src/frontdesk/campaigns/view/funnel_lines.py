"""The funnel of a campaign: its steps on a row, and each on a line of the details."""

from collections.abc import Mapping, Sequence

from frontdesk.campaigns.alert_rules import FAILING_PERCENT
from frontdesk.campaigns.models import Counters, FunnelStep, counter_doubt, funnel
from frontdesk.campaigns.view.charts import bar
from frontdesk.config.render_context import RenderContext
from frontdesk.text.lines import Line, Role, Span, fit, span, width_of
from frontdesk.text.percentages import percent

_LEFT_OUT_LAST = (
    "failed",
    "sent",
    "delivered",
    "read",
    "in flight",
    "opted out",
    "throttled",
    "duplicate",
)
_FURTHER_CELLS = 1


def failing_role(share: float | None) -> Role:
    """Return how failed recipients look: most campaigns have a few, more than usual draw the eye."""
    if not share:
        return Role.DIM
    return Role.BAD if share * 100 > FAILING_PERCENT else Role.TEXT


def funnel_lines(counters: Counters, width: int, *, has_two_lines: bool) -> tuple[list[Span], list[Span]]:
    """Return the steps in their order on one line, or on two where that is too narrow."""
    steps: dict[str, list[Span]] = {}
    is_doubtful = bool(counter_doubt(counters))
    for each in funnel(counters)[2:]:
        label, value = each.label, each.value
        if value is None or (value == 0 and label not in ("sent", "delivered", "read", "failed")):
            continue
        role = failing_role(each.share) if label == "failed" and value else Role.TEXT
        share = "" if each.share is None or is_doubtful else f" {percent(each.share, 0)}"
        steps[label] = [span(f"{value:,.0f}", role), span(f" {label}{share}", Role.DIM)]
    first = dict(steps)
    while has_two_lines and len(first) > 1 and _steps_width(first) > width - _FURTHER_CELLS:
        first.popitem()
    rest = {label: step for label, step in steps.items() if label not in first}
    return _fitting_steps(first, width), _fitting_steps(rest, width)


def _steps_width(steps: Mapping[str, Sequence[Span]]) -> int:
    return sum(width_of(each) + 2 for each in steps.values())


def _fitting_steps(steps: Mapping[str, Sequence[Span]], width: int) -> list[Span]:
    """Return the steps that fit; later ones are left out, `failed` last of all."""
    room = width - _FURTHER_CELLS
    kept: set[str] = set()
    for label in sorted(steps, key=_LEFT_OUT_LAST.index):
        room -= width_of(steps[label]) + 2
        if room < 0:
            break
        kept.add(label)
    words = [part for label, step in steps.items() if label in kept for part in (span("  "), *step)][1:]
    return [*words, span("  …", Role.DIM)] if len(kept) < len(steps) else words


def step_line(step: FunnelStep, width: int, view: RenderContext) -> Line:
    """Draw a step with its share in words and as a bar."""
    if step.value is None:
        return fit([span(f"{step.label:<11}", Role.DIM), span(f"{'unknown':>9}", Role.DIM)], width)
    head = [span(f"{step.label:<11}", Role.DIM), span(f"{step.value:>9,.0f}")]
    if step.share is None:
        return fit(head, width)
    share, of = f" {percent(step.share, 1):>6} ", f"of {step.of_label:<10}"
    has_room = width >= width_of(head) + len(share) + len(of.rstrip())
    room = max(0, min(24, width - 20 - len(share + of)))
    words = share + (of if room else of.rstrip()) if has_room else share
    is_failing = step.label == "failed" and failing_role(step.share) is Role.BAD
    role = Role.BAD if is_failing else Role.ACCENT
    return fit([*head, span(words, Role.DIM), *bar(round(room * step.share), room, role, view.glyphs)], width)

"""The funnel of a campaign: its steps on a row, and each on a line of the details."""

from collections.abc import Mapping, Sequence

from frontdesk.campaigns.alert_rules import FAILING_PERCENT
from frontdesk.campaigns.counters import LOSSES, Counters, FunnelStep, counter_doubt, funnel, share_of_tried
from frontdesk.campaigns.view.charts import bar
from frontdesk.config.render_context import RenderContext
from frontdesk.text.percentages import percent
from frontdesk_lines.cell_width import cell_width
from frontdesk_lines.display_text import SafeText, trusted
from frontdesk_lines.lines import Line, Role, Span, fit, span, width_of

_LEFT_OUT_LAST = ("failed", "sent", "delivered", "read", "opted out", "throttled", "duplicate", "in flight")
_ALWAYS_SHOWN = ("sent", "delivered", "read", "failed")
_FURTHER, _GAP = "  …", 2


def failing_role(share: float | None) -> Role:
    """Return how lost recipients look: most campaigns have a few, more than usual draw the eye."""
    if not share:
        return Role.DIM
    return Role.BAD if share * 100 > FAILING_PERCENT else Role.TEXT


def step_role(label: str, counters: Counters) -> Role:
    """Return how the number of a step looks: a loss by its share of those tried, whatever its share of all."""
    return (
        failing_role(share_of_tried(getattr(counters, LOSSES[label]), counters)) if label in LOSSES else Role.TEXT
    )


def funnel_line(counters: Counters, width: int) -> list[Span]:
    """Return the steps that fit on a line; later ones are left out, `failed` last of all."""
    steps = _steps(counters)
    if width_of(_joined(steps)) <= width:
        return _joined(steps)
    room = width - cell_width(_FURTHER) + _GAP
    kept: set[str] = set()
    for label in sorted(steps, key=_LEFT_OUT_LAST.index):
        room -= width_of(steps[label]) + _GAP
        if room < 0:
            break
        kept.add(label)
    return [*_joined({label: steps[label] for label in steps if label in kept}), span(_FURTHER, Role.DIM)]


def _steps(counters: Counters) -> dict[str, Sequence[Span]]:
    """Return steps by their labels, in the order of a row: in flight comes and goes, so it is the last."""
    found: dict[str, Sequence[Span]] = {}
    is_doubtful = bool(counter_doubt(counters))
    for each in sorted(funnel(counters)[2:], key=lambda step: step.label == "in flight"):
        label, value = each.label, each.value
        if value is None or (value == 0 and label not in _ALWAYS_SHOWN):
            continue
        role = step_role(label, counters) if value else Role.TEXT
        has_share = label in _ALWAYS_SHOWN and not is_doubtful and each.share is not None
        share = f" {percent(each.share or 0.0, 0)}" if has_share else ""
        found[label] = (span(f"{value:,.0f}", role), span(f" {label}{share}", Role.DIM))
    return found


def _joined(steps: Mapping[str, Sequence[Span]]) -> list[Span]:
    return [part for step in steps.values() for part in (span(" " * _GAP), *step)][1:]


def step_words(step: FunnelStep) -> SafeText:
    share = "" if step.share is None else f", {percent(step.share, 0)} of all"
    return trusted("" if step.value is None else f"{step.value:,.0f}{share}")


def step_lines(step: FunnelStep, role: Role, width: int, view: RenderContext) -> tuple[Line, ...]:
    """Draw a step with its share of all recipients and a bar; where it is narrow, two lines."""
    if step.value is None:
        return (fit([span(f"{step.label:<11}", Role.DIM), span(f"{'unknown':>9}", Role.DIM)], width),)
    head = [span(f"{step.label:<11}", Role.DIM), span(f"{step.value:>9,.0f}", role)]
    if step.share is None:
        return (fit(head, width),)
    shared = [*head, span(f" {percent(step.share, 1):>6} ", Role.DIM)]
    if width < width_of(shared):
        return fit(head, width), fit((), width, [span(percent(step.share, 1), Role.DIM)])
    room = min(24, width - width_of(shared))
    drawn = bar(round(room * step.share), room, Role.BAD if role is Role.BAD else Role.ACCENT, view.glyphs)
    return (fit([*shared, *drawn], width),)

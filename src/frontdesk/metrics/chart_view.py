"""Numbers on the screen: rows of measures, and a breakdown as bars."""

from collections.abc import Sequence

from frontdesk.config.render_context import RenderContext
from frontdesk.metrics.models import Breakdown, Measure, NumbersReport, ReportRow
from frontdesk.metrics.view import (
    LABELS,
    NOTHING,
    UNKNOWN,
    change,
    group_name,
    source,
    value,
)
from frontdesk.text.cell_width import cell_width
from frontdesk.text.display_text import trusted
from frontdesk.text.lines import EMPTY, Line, Role, fit, paragraph, span

HEIGHT = 2
"""Lines of a row."""

MAX_NAME = 24
MIN_BAR = 8


def measure_lines(row: ReportRow, report: NumbersReport, width: int, view: RenderContext) -> tuple[Line, ...]:
    """Draw a measure: its value, and below what it was before and what it is counted from."""
    now = value(row.measure, row.now)
    role = Role.DIM if now in (UNKNOWN, NOTHING) else Role.STRONG
    before = value(row.measure, row.before)
    compared = "" if row.measure is Measure.BACKLOG else f"  before {before}"
    changed = change(row)
    sign = f"{view.glyphs.separator}{changed}" if changed and row.measure is not Measure.BACKLOG else ""
    return (
        fit((span(LABELS[row.measure]),), width, (span(now, role),)),
        fit((span(f"{compared}{sign}", Role.DIM),), width, (span(source(row, report, view), Role.DIM),)),
    )


def breakdown_lines(found: Breakdown, measure: Measure, width: int, view: RenderContext) -> Sequence[Line]:
    """Draw one measure of a breakdown: a bar and the number of each group."""
    if measure not in found.measures:
        other = view.key("numbers.by", "b")
        words = f"{LABELS[measure]} can't be counted by {found.by}. Press {other} for another breakdown."
        return paragraph(trusted(words), width, Role.DIM)
    if not found.groups:
        return paragraph(trusted("Nothing to break down."), width, Role.DIM)
    names = [group_name(found.by, each, view) for each in found.groups]
    numbers = [each.numbers[measure] for each in found.groups]
    cells = [value(measure, each) for each in numbers]
    most = max((each.value or 0.0 for each in numbers), default=0.0)
    name_width = min(MAX_NAME, max(map(cell_width, names)))
    value_width = max(map(cell_width, cells))
    room = width - name_width - value_width - 2
    lines = []
    for name, number, cell in zip(names, numbers, cells, strict=True):
        bar = EMPTY
        if room >= MIN_BAR and number.value and most:
            bar = (span(view.glyphs.full * max(1, round(room * number.value / most)), Role.ACCENT),)
        label = fit((span(name),), name_width)
        role = Role.DIM if cell in (UNKNOWN, NOTHING) else Role.TEXT
        lines.append(fit((*label, span(" "), *bar), width, (span(cell, role),)))
    return lines

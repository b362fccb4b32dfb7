"""Numbers on the screen: rows of measures, and a breakdown as bars."""

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
from frontdesk.text.lines import EMPTY, Line, Role, fit, span

HEIGHT = 2
"""Lines of a row."""

MAX_NAME = 24
MIN_BAR = 8


def measure_lines(row: ReportRow, report: NumbersReport, width: int, view: RenderContext) -> tuple[Line, ...]:
    """Draw a measure: its value, and below what it was before and what it is counted from."""
    now = value(row.measure, row.now)
    role = Role.DIM if now in (UNKNOWN, NOTHING) else Role.STRONG
    before = value(row.measure, row.before)
    compared = "" if row.measure is Measure.BACKLOG else f"  was {before}"
    changed = change(row)
    sign = f" ({changed})" if changed and row.measure is not Measure.BACKLOG else ""
    return (
        fit((span(LABELS[row.measure]),), width, (span(now, role),)),
        fit((span(f"{compared}{sign}", Role.DIM),), width, (span(source(row, report, view), Role.DIM),)),
    )


class BarChart:
    """One measure of a breakdown, as a bar and a number for each group."""

    def __init__(self, found: Breakdown, measure: Measure, view: RenderContext):
        self._view, self._groups = view, {each.key: each for each in found.groups}
        self._names = {each.key: group_name(found.by, each.key, view) for each in found.groups}
        self._numbers = {each.key: each.numbers[measure] for each in found.groups}
        self._cells = {key: value(measure, each) for key, each in self._numbers.items()}
        self._most = max((each.value or 0.0 for each in self._numbers.values()), default=0.0)
        self._name_width = min(MAX_NAME, max(map(cell_width, self._names.values()), default=0))
        self._value_width = max(map(cell_width, self._cells.values()), default=0)

    @property
    def keys(self) -> list[str]:
        """Return the keys of the groups, in order."""
        return [*self._groups]

    def line(self, key: str, width: int) -> Line:
        """Draw the bar of one group."""
        number, cell = self._numbers[key], self._cells[key]
        room = width - self._name_width - self._value_width - 2
        bar = EMPTY
        if room >= MIN_BAR and number.value and self._most:
            filled = max(1, round(room * number.value / self._most))
            bar = (span(self._view.glyphs.full * filled, Role.ACCENT),)
        role = Role.DIM if cell in (UNKNOWN, NOTHING) else Role.TEXT
        label = fit((span(self._names[key]),), self._name_width)
        return fit((*label, span(" "), *bar), width, (span(cell, role),))

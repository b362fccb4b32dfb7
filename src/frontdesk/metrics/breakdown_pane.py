"""The breakdown of the number under the cursor: a bar for each group."""

from collections.abc import Callable, Sequence

from textual.timer import Timer

from frontdesk.config.render_context import RenderContext
from frontdesk.metrics.chart_view import BarChart
from frontdesk.metrics.models import Measure, NumbersReport
from frontdesk.metrics.view import LABELS
from frontdesk.text.display_text import trusted
from frontdesk.text.lines import Line
from frontdesk.tui.widgets.pane import Pane
from frontdesk.tui.widgets.row_list import RowList

FOLLOW_SECONDS = 0.15
"""Delay of the breakdown after the cursor's last move, so that a held key costs nothing here."""


class BreakdownPane(Pane):
    """A list of bars, one for each group, by the group's key.

    Args:
        shown: returns the report and the measure under the cursor; None while there is none.
        view: returns the context for names and times.
    """

    def __init__(
        self, shown: Callable[[], tuple[NumbersReport, Measure] | None], view: Callable[[], RenderContext], id: str
    ) -> None:
        self.bars = RowList(self._draw, can_mark=False, seen_blurred=False)
        super().__init__(self.bars, title=trusted("Breakdown"), id=id)
        self._shown, self._view = shown, view
        self._chart: BarChart | None = None
        self._follow: Timer | None = None

    def show_soon(self) -> None:
        """Show the breakdown once the cursor rests."""
        if self._follow is not None:
            self._follow.stop()
        self._follow = self.set_timer(FOLLOW_SECONDS, self.show_now)

    def show_now(self) -> None:
        """Show the breakdown of the measure under the cursor."""
        shown = self._shown()
        if shown is None:
            return
        (report, measure), view = shown, self._view()
        found = report.breakdowns[0]
        self.set_title(trusted(f"{LABELS[measure]}, by {found.by}"))
        if measure in found.measures:
            self._chart = BarChart(found, measure, view)
            self.bars.set_empty("Nothing to break down.")
        else:
            other = view.key("numbers.by", "b")
            self._chart = None
            self.bars.set_empty(
                f"{LABELS[measure]} can't be counted by {found.by}. Press {other} for another breakdown."
            )
        keys = [] if self._chart is None else self._chart.keys
        self.bars.set_keys(keys)
        self.bars.refresh_keys(keys)

    def _draw(self, key: str, width: int) -> Sequence[Line]:
        return () if self._chart is None else (self._chart.line(key, width),)

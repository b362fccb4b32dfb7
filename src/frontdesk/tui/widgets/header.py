"""Header: the title bar, with a tab for each screen, and the profile and line filter at its right."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from frontdesk.text.display_text import SafeText
from frontdesk.text.lines import EMPTY, Line, Role, Span, fit, span, width_of
from frontdesk.tui.widgets.line_bar import LineBar

_GAP = span("  ")


@dataclass(frozen=True, slots=True)
class Tab:
    """A screen's tab in the header.

    Attributes:
        id: the id of `TabChosen`.
        key: its shortcut.
    """

    id: str
    key: str
    label: str


class Header(LineBar):
    """The title bar; where it is narrow it drops the name, the right side, then the names of other tabs."""

    @dataclass
    class TabChosen(Message):
        id: str

    def __init__(
        self,
        name: SafeText,
        tabs: Sequence[Tab],
        current: str = "",
        *,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._title = name
        self._tabs = tuple(tabs)
        self._current = current
        self._right: Line = EMPTY
        self._ranges: list[tuple[range, str]] = []

    def set_right(self, line: Line) -> None:
        self._right = line
        self.sync()

    def compose_line(self, width: int) -> Line:
        right = (*self._right, span(" ")) if self._right else EMPTY
        title = (span(" "), Span(self._title, Role.STRONG), _GAP)
        forms = (
            (title, self._labels(all_names=True), right),
            ((span(" "),), self._labels(all_names=True), right),
            ((span(" "),), self._labels(all_names=False), right),
            ((span(" "),), self._labels(all_names=False), EMPTY),
        )
        for lead, tabs, end in forms:
            parts = [part for _, label in tabs for part in (*label, _GAP)]
            if width_of(lead) + width_of(parts) + width_of(end) <= width:
                return self._compose_tabs(lead, tabs, end, width)
        only = [(tab, label) for tab, label in self._labels(all_names=False) if tab.id == self._current]
        return self._compose_tabs(EMPTY, only, EMPTY, width)

    def on_click(self, event: events.Click) -> None:
        for cells, tab_id in self._ranges:
            if event.x in cells:
                event.stop()
                self.post_message(self.TabChosen(tab_id))

    def _labels(self, *, all_names: bool) -> list[tuple[Tab, Line]]:
        labels: list[tuple[Tab, Line]] = []
        for tab in self._tabs:
            if tab.id == self._current:
                labels.append((tab, (span(f"{tab.key} {tab.label}", Role.BADGE),)))
            elif all_names:
                labels.append((tab, (span(f"{tab.key} ", Role.DIM), span(tab.label, Role.TEXT))))
            else:
                labels.append((tab, (span(tab.key, Role.DIM),)))
        return labels

    def _compose_tabs(self, lead: Line, tabs: list[tuple[Tab, Line]], right: Line, width: int) -> Line:
        at = width_of(lead)
        self._ranges = []
        parts = list(lead)
        for tab, label in tabs:
            size = width_of(label)
            self._ranges.append((range(at, at + size), tab.id))
            parts += [*label, _GAP]
            at += size + width_of((_GAP,))
        return fit(parts, width, right)

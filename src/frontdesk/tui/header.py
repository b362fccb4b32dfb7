"""Header: the title bar of each screen, with the tabs of all."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from textual.message import Message

from frontdesk_lines.display_text import SafeText
from frontdesk_lines.lines import EMPTY, Line, Role, Span, fit, span, width_of
from frontdesk_lines.widgets.line_bar import LineBar

_GAP = span("  ")


class Tab(NamedTuple):
    """A screen's tab in the header; `key` is its shortcut, `short` its label where not all have room."""

    id: str
    key: str
    label: str
    short: str = ""


class Header(LineBar):
    """The title bar, with a tab for each screen and the profile at its right.

    When it is narrow it drops the name, then the end of the right side, shortens names, drops those of other tabs
    from the last on, then the right side.
    """

    @dataclass(repr=False, eq=False)
    class TabChosen(Message):
        id: str

    def __init__(self, name: SafeText, tabs: Sequence[Tab], current: str) -> None:
        super().__init__()
        self._title = name
        self._tabs = tuple(tabs)
        self._current = current
        self._right: Line = EMPTY
        self._end: Line = EMPTY

    def set_right(self, line: Line, end: Line = EMPTY) -> None:
        """Set the right side, and what follows it if there is room for that and all names."""
        self._right, self._end = line, end
        self.sync()

    def compose_line(self, width: int) -> Line:
        blank = span(" ")
        right = (*self._right, blank) if self._right else EMPTY
        whole = (*self._right, *self._end, blank) if self._end else right
        every = len(self._tabs)
        short = [each._replace(label=each.short or each.label) for each in self._tabs]
        forms: list[tuple[Line, Sequence[Tab], int, Line]] = [
            ((blank, Span(self._title, Role.STRONG), _GAP), self._tabs, every, whole)
        ]
        forms += [((blank,), self._tabs, every, each) for each in (whole, right)]
        forms += [((blank,), short, named, right) for named in range(every, -1, -1)]
        forms += [((blank,), short, named, EMPTY) for named in range(every, -1, -1)]
        for lead, tabs, named, end in forms:
            parts = self._compose_tabs(lead, tabs, named)
            if width_of(parts) + width_of(end) <= width:
                return fit(parts, width, end)
        return fit(self._compose_tabs(EMPTY, [tab for tab in self._tabs if tab.id == self._current], 0), width)

    def label_chosen(self, id: str) -> None:
        self.post_message(self.TabChosen(id))

    def _compose_tabs(self, lead: Line, tabs: Iterable[Tab], named: int) -> list[Span]:
        """Compose the tabs; the first `named` ones have their names."""
        parts = list(lead)
        self._labels = []
        for place, tab in enumerate(tabs):
            if tab.id == self._current:
                label: Line = (span(f"{tab.key} {tab.label}", Role.BADGE),)
            elif place < named:
                label = (span(f"{tab.key} ", Role.DIM), span(tab.label))
            else:
                label = (span(tab.key, Role.DIM),)
            self.append_label(parts, label, tab.id)
            parts.append(_GAP)
        return parts

"""Pane: a bordered box with a title and a subtitle, of which only the changed edge is painted."""

from typing import Self

from textual.containers import Vertical
from textual.geometry import Region
from textual.widget import Widget

from frontdesk_lines.content import content
from frontdesk_lines.display_text import SafeText
from frontdesk_lines.lines import EMPTY, Line, first_fitting, span

_CORNERS = 6
"""Cells of an edge that words can't have: at each end the corner, a line and a blank."""


class Pane(Vertical):
    """A bordered box around widgets; the border is bright and the title bold where the focus is.

    Without colours the title is reversed. Both borders have one weight: in many fonts heavy and light lines don't
    meet where two boxes stand side by side.
    """

    DEFAULT_CSS = """
    Pane {
        width: 1fr;
        height: 1fr;
        border: round $border-blurred;
        border-title-color: $text-muted;
        border-subtitle-color: $text-muted;
        background: $background;
        &:focus-within {
            border: round $border;
            border-title-color: $foreground;
            border-title-style: bold;
        }
        &:focus-within:nocolor { border-title-style: bold reverse; }
    }
    """

    def __init__(self, *children: Widget, title: SafeText | Line = EMPTY, id: str | None = None) -> None:
        super().__init__(*children, id=id)
        self._edge: Region | None = None
        self._titles: dict[str, Line] = {"title": EMPTY, "subtitle": EMPTY}
        self._subtitles: tuple[Line, ...] = ()
        self.set_title(title)

    @property
    def title(self) -> Line:
        return self._titles["title"]

    @property
    def subtitle(self) -> Line:
        return self._titles["subtitle"]

    def set_title(self, title: SafeText | Line, *shorter: Line) -> None:
        """Show the first of these that fits the edge, else the last one, which is cut."""
        self._title_forms = (_line(title), *shorter)
        self._fit_title()

    def set_subtitle(self, subtitle: SafeText | Line, *shorter: Line) -> None:
        """Show the first of these that fits the edge, else the last one, which is cut."""
        self._subtitles = (_line(subtitle), *shorter)
        self._fit_subtitle()

    def on_resize(self) -> None:
        self._fit_title()
        self._fit_subtitle()

    def _fit_title(self) -> None:
        words = first_fitting(self._title_forms, self.outer_size.width - _CORNERS)
        self._set_on_edge("title", words, -1)

    def _fit_subtitle(self) -> None:
        words = first_fitting(self._subtitles, self.outer_size.width - _CORNERS)
        self._set_on_edge("subtitle", words, self.outer_size.height - 2)

    def _set_on_edge(self, name: str, words: SafeText | Line, y: int) -> None:
        line = _line(words)
        if line != self._titles[name]:
            self._titles[name] = line
            self._edge = Region(-1, y, self.outer_size.width, 1)
            setattr(self, f"border_{name}", content(line))
            self._edge = None

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        """Repaint only the edge for a new title."""
        if self._edge is not None and not regions and self.is_mounted:
            regions = (self._edge,)
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)


def _line(words: SafeText | Line) -> Line:
    return (span(words),) if isinstance(words, SafeText) else words

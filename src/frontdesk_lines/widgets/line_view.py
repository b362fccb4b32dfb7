"""LineView and PagedView, the base of RowList and ThreadView: only lines that differ are redrawn.

A widget returns its visible lines (`frame`); `sync` compares them with the painted ones and refreshes those that
differ, so that no change means no byte.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style as RichStyle
from textual import events
from textual.cache import LRUCache
from textual.geometry import Offset, Region
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget

from frontdesk_lines.content import role_styles, segments
from frontdesk_lines.copied_text import Cell, selected_cells, selected_text
from frontdesk_lines.glyphs import UNICODE
from frontdesk_lines.lines import EMPTY, Line, Role, fit, span, width_of
from frontdesk_lines.textual_compat.text_selection import SelectableWidget

Words = str | Sequence[Line]

MAX_CACHED = 2048
GUTTER = 2
THUMB = "▐"
BAR = "▌"
NO_BAR = " "


class Painted(NamedTuple):
    """One visible line: gutter, text, style (a key of `LINE_STYLES`) and scroll mark."""

    line: Line = EMPTY
    style: str = ""
    bar: str = NO_BAR
    mark: str = " "
    thumb: bool = False


BLANK = Painted()

# Styles over theme variables, not component classes: each of those is a node that is styled with its widget,
# six times the work of a widget.
LINE_STYLES: Mapping[str, str] = {
    "cursor": "$block-cursor-foreground on $block-cursor-background",
    "cursor-blurred": "on $block-cursor-blurred-background",
}
ANSI_LINE_STYLES: Mapping[str, str] = {"cursor": "bold $foreground on $background"}
"""The same for the terminal's own 16 colours, whose backgrounds can't be blended."""
GUTTER_STYLES: Mapping[str, str] = {
    "bar": "$primary",
    "bar-blurred": "$text-disabled",
    "mark": "bold $text-warning",
    "new": "bold $text-accent",
    "thumb": "$scrollbar",
}
SELECTION_STYLE = "on $screen-selection-background"


@dataclass(repr=False, eq=False)
class ViewMessage(Message):
    """A message about the view that posts it."""

    view: Widget

    @property
    def control(self) -> Widget:
        """The view, for selectors of `on`."""
        return self.view


class LatestViewMessage(ViewMessage):
    """A message of which only the last one of a burst arrives."""

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, type(self)) and message.view is self.view


class LineView(SelectableWidget):
    """A focusable box of lines with a gutter on the left and a scroll mark in its last column.

    There is no scrollbar: one that moves is repainted with every scroll. The mark is part of the lines, which are
    painted then anyway.
    """

    DEFAULT_CSS = """
    LineView {
        width: 1fr;
        height: 1fr;
        background: $background;
        color: $foreground;
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._painted: Sequence[Painted] = ()
        self._role_styles: dict[str, Mapping[Role, RichStyle]] = {}
        self._asked_width: int | None = None
        self._asked_selection: tuple[Offset, Offset] | None = None

    always_active = False

    @property
    def is_active(self) -> bool:
        """True if the cursor looks like the one that keys move."""
        return self.has_focus or self.always_active

    @property
    def line_width(self) -> int:
        """The cells for a line between gutter and scroll mark."""
        return max(0, self.size.width - GUTTER - 1)

    @abstractmethod
    def frame(self) -> Sequence[Painted]:
        """Return the visible lines, at most as many as the widget has."""

    def cursor_row(self) -> int:
        """Return the painted line on which the cursor's row begins; without one the first line that has words."""
        rows = [y for y, painted in enumerate(self._painted) if painted.bar == BAR]
        return next(iter(rows or (y for y, painted in enumerate(self._painted) if painted.line)), 0)

    @abstractmethod
    def redraw(self) -> None:
        """Draw all lines again; only those that differ are painted."""

    def hold_cursor(self) -> None:
        """Keep the cursor in its place from now on, whatever arrives; called before each key."""

    def sync(self) -> None:
        """Paint the lines that differ."""
        if not self.is_mounted or not (size := self.size):
            return
        before, self._painted = self._painted, self.frame()
        self._keep_selection(before)
        dirty = list(_dirty_regions(before, self._painted, size.width, size.height))
        if dirty:
            self.refresh(*dirty)

    def render_line(self, y: int) -> Strip:
        """Return a line to paint, or the places of its cells where Textual asks for the one below the mouse."""
        if self._asked_width is None:  # it paints by `render_lines` alone
            return Strip([Segment(" " * self.size.width, RichStyle.from_meta({"offset": (0, y)}))])
        painted = self._painted[y] if y < len(self._painted) else BLANK
        strip, selection = self._strip(painted, self._asked_width), self._asked_selection
        return strip if selection is None else self._highlight(strip, painted, y, *selection)

    def render_lines(self, crop: Region) -> list[Strip]:
        # Textual searches all widgets for the size: once is enough for all lines.
        self._asked_width, self._asked_selection = self.size.width, self.selected
        try:
            return super().render_lines(crop)
        finally:
            self._asked_width = None

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        start, end = selection
        if start is None or end is None:
            return None
        lines = [each.line for each in self._painted]
        text = selected_text(lines, Cell(start.x - GUTTER, start.y), Cell(end.x - GUTTER, end.y))
        return (text, "\n") if text else None

    def notify_style_update(self) -> None:
        self._role_styles.clear()
        super().notify_style_update()

    def on_resize(self) -> None:
        self._painted = ()
        self.resized()

    def on_show(self) -> None:
        self.sync()

    def resized(self) -> None:
        """Paint for a new size; a subclass lays out first."""
        self.sync()

    def watch_has_focus(self, has_focus: bool) -> None:
        """`on_focus` comes before the focus is really here, on which the cursor's style depends."""
        super().watch_has_focus(has_focus)
        self.sync()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll_lines(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll_lines(-3)

    @abstractmethod
    def scroll_lines(self, count: int) -> None:
        """Scroll by lines; a cursor that would leave the screen is taken along."""

    def _keep_selection(self, before: Sequence[Painted]) -> None:
        """Drop the selection once one of its lines has changed or moved: it would be of another row."""
        if (selected := self.selected) is None:
            return
        lines = slice(selected[0].y, selected[1].y + 1)
        if [each.line for each in before[lines]] != [each.line for each in self._painted[lines]]:
            self.screen.clear_selection()

    def _highlight(self, strip: Strip, painted: Painted, y: int, start: Offset, end: Offset) -> Strip:
        """Highlight what is copied of a line."""
        if not start.y <= y <= end.y:
            return strip
        first = start.x - GUTTER if y == start.y else 0
        stop = end.x - GUTTER if y == end.y else strip.cell_length - GUTTER
        style, parts, at = self._selection_style(painted.style), [], 0
        for cells in selected_cells(painted.line, first, stop):
            begin, after = cells.start + GUTTER, min(cells.stop + GUTTER, strip.cell_length)
            part = strip.crop(begin, after)
            marked = [Segment(text, style if own is None else own + style) for text, own, _ in part]
            parts += [strip.crop(at, begin), Strip(marked, part.cell_length)]
            at = after
        return Strip.join([*parts, strip.crop(at)])

    def _selection_style(self, line_style: str) -> RichStyle:
        if self.app.native_ansi_color or self.app.no_color:
            return RichStyle(reverse=True)
        return RichStyle(bgcolor=(self._base(line_style) + Style.parse(SELECTION_STYLE)).rich_style.bgcolor)

    def _strip(self, painted: Painted, width: int) -> Strip:
        styles = self._styles(painted.style)
        text = styles[Role.TEXT]
        runs = segments(painted.line, styles)
        if painted.mark != " ":
            part = "new" if painted.mark == UNICODE.new else "mark"
            runs.insert(0, Segment(painted.mark, self._gutter_style(part, painted.style)))
        elif runs and _blanks_alike(runs[0].style, text):
            runs[0] = Segment(" " + runs[0].text, runs[0].style)
        else:
            runs.insert(0, Segment(" ", text))
        if painted.bar == NO_BAR:
            runs[0] = Segment(NO_BAR + runs[0].text, runs[0].style)
        else:
            runs.insert(0, Segment(painted.bar, self._gutter_style("bar", painted.style)))
        room = width - 1 if painted.thumb else width
        used = sum(run.cell_length for run in runs)
        if used < room:
            runs[-1] = Segment(runs[-1].text + " " * (room - used), runs[-1].style)
        strip = Strip(runs, max(used, room))
        if used > room:
            strip = strip.crop(0, max(0, room))
        if painted.thumb and width > 0:
            thumb = Segment(THUMB, self._gutter_style("thumb", painted.style))
            strip = Strip([*strip, thumb], width)
        return strip

    def _styles(self, name: str) -> Mapping[Role, RichStyle]:
        if (styles := self._role_styles.get(name)) is None:
            styles = role_styles(self._base(name), own_colours=self.app.native_ansi_color)
            self._role_styles[name] = styles
        return styles

    def _base(self, name: str) -> Style:
        ansi_style = ANSI_LINE_STYLES.get(name) if self.app.native_ansi_color else None
        style = ansi_style or LINE_STYLES.get(name)
        return self.visual_style + Style.parse(style) if style else self.visual_style

    def _gutter_style(self, part: str, line_style: str) -> RichStyle:
        name = f"{part}|{line_style}"
        if (styles := self._role_styles.get(name)) is None:
            kind = "bar-blurred" if part == "bar" and not self.is_active else part
            style = (self._base(line_style) + Style.parse(GUTTER_STYLES[kind])).rich_style
            styles = self._role_styles[name] = {Role.TEXT: style}
        return styles[Role.TEXT]


class PagedView(LineView):
    """A view that keys move by steps and by pages."""

    @property
    @abstractmethod
    def page_sizes(self) -> tuple[int, int]:
        """The number of steps of half a page and of a page."""

    @abstractmethod
    def step(self, by: int) -> None:
        """Move by rows, entries or lines."""

    @abstractmethod
    def page(self, by: int) -> None:
        """Scroll by steps, of which a page has `page_sizes`."""

    def action_cursor_down(self) -> None:
        self.step(1)

    def action_cursor_up(self) -> None:
        self.step(-1)

    def action_half_down(self) -> None:
        self.page(self.page_sizes[0])

    def action_half_up(self) -> None:
        self.page(-self.page_sizes[0])

    def action_page_down(self) -> None:
        self.page(self.page_sizes[1])

    def action_page_up(self) -> None:
        self.page(-self.page_sizes[1])


class LineCache:
    """The lines of keys as they were drawn last, each at its width."""

    def __init__(self, draw: Callable[[str, int], Sequence[Line]]) -> None:
        self._draw = draw
        self._drawn: LRUCache[str, tuple[int, tuple[Line, ...]]] = LRUCache(MAX_CACHED)

    @property
    def keys(self) -> list[str]:
        return list(self._drawn.keys())

    def has(self, key: str, width: int) -> bool:
        return (found := self._drawn.get(key)) is not None and found[0] == width

    def lines(self, key: str, width: int) -> tuple[Line, ...]:
        """Return the lines of a key, drawn unless they are cached for this width."""
        found = self._drawn.get(key)
        if found is None or found[0] != width:
            self._drawn.discard(key)  # the cache doesn't replace a value
            found = self._drawn[key] = (width, tuple(self._draw(key, width)))
        return found[1]

    def discard(self, key: str) -> None:
        self._drawn.discard(key)

    def clear(self) -> None:
        self._drawn.clear()


def _blanks_alike(one: RichStyle | None, other: RichStyle) -> bool:
    """Return whether a blank looks the same in both and so needs no change of style."""
    return one is not None and (one.bgcolor, one.reverse, one.underline) == (
        other.bgcolor,
        other.reverse,
        other.underline,
    )


def thumb_lines(first: int, visible: int, total: int, height: int) -> range:
    """Return the lines that show the scroll mark; none when all is visible."""
    if total <= visible or height <= 0:
        return range(0)
    size = max(1, height * visible // total)
    room = height - size
    hidden = total - visible
    top = round(room * min(first, hidden) / hidden)
    return range(top, top + size)


def empty_lines(words: Words) -> Sequence[Line]:
    """Return the lines that are shown instead of rows; a `str` is frontdesk's own words."""
    return [(span(line, Role.DIM),) for line in words.split("\n")] if isinstance(words, str) else words


def empty_frame(lines: Sequence[Line], width: int, height: int) -> list[Painted]:
    """Centre lines in a box."""
    above = max(0, (height - len(lines)) // 2)
    return [*([BLANK] * above), *(Painted(line=_centred(line, width)) for line in lines[:height])]


def _centred(line: Line, width: int) -> Line:
    before = max(0, (width - width_of(line)) // 2)
    return fit((span(" " * before), *line), width)


def _dirty_regions(before: Sequence[Painted], after: Sequence[Painted], width: int, height: int) -> list[Region]:
    if not before and after:
        return [Region(0, 0, width, height)]
    regions: list[Region] = []
    start = -1
    for y in range(max(len(before), len(after)) + 1):
        old = before[y] if y < len(before) else BLANK
        new = after[y] if y < len(after) else BLANK
        differs = old != new and y < height
        if differs and (part := _part(old, new, width)) is not None:
            regions.append(Region(part.start, y, len(part), 1))
            differs = False
        if differs and start < 0:
            start = y
        elif not differs and start >= 0:
            regions.append(Region(0, start, width, y - start))
            start = -1
    return regions


def _part(old: Painted, new: Painted, width: int) -> range | None:
    """Return the gutter where only it differs: a line is always sent from its start."""
    if (old.style, old.line, old.thumb) != (new.style, new.line, new.thumb):
        return None
    return range(0, min(GUTTER, width))

"""What RowList, ThreadView and RecordView share: a frame of lines, redrawn only where it differs.

A widget says what each visible line shows (`frame`); `sync` compares it with what was painted
last and refreshes the lines that differ, so that nothing changed means no byte.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style as RichStyle
from textual import events
from textual.geometry import Region
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget

from frontdesk.text.display_text import SafeText
from frontdesk.text.lines import EMPTY, Line, Role, Span, fit, span, width_of
from frontdesk.tui.content import role_styles, segments

Words = str | SafeText | Line | tuple[Line, ...]

GUTTER = 2
THUMB = "▐"
BAR = "▌"
NO_BAR = " "


@dataclass(frozen=True, slots=True)
class Painted:
    """One visible line: what is in the gutter, the text, the look it has, and the scroll mark."""

    line: Line = EMPTY
    look: str = ""
    bar: str = NO_BAR
    mark: str = " "
    thumb: bool = False


BLANK = Painted()

# Looks and parts as styles over theme variables. Component classes would say the same in CSS, but
# each of them is a node that is styled anew with its widget: six times the work of a widget.
LOOKS: Mapping[str, str] = {
    "cursor": "$block-cursor-foreground on $block-cursor-background",
    "cursor-blurred": "on $block-cursor-blurred-background",
}
OWN_LOOKS: Mapping[str, str] = {"cursor": "bold $foreground on $background"}
"""Where the theme uses the terminal's own 16 colours: its backgrounds can't be toned down."""
PARTS: Mapping[str, str] = {
    "bar": "$primary",
    "bar-blurred": "$text-disabled",
    "mark": "bold $text-warning",
    "thumb": "$scrollbar",
}


class LineView(Widget):
    """A focusable box of lines with a gutter on the left and a scroll mark in its last column.

    There is no scrollbar: one that moves is repainted with every scroll. The mark is part of the
    lines, which are painted then anyway.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    LineView {
        width: 1fr;
        height: 1fr;
        background: $background;
        color: $foreground;
    }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._painted: Sequence[Painted] = ()
        self._looks: dict[str, Mapping[Role, RichStyle]] = {}
        self._asked_width: int | None = None

    always_active = False

    @property
    def is_active(self) -> bool:
        """Whether the cursor looks like the one that keys move."""
        return self.has_focus or self.always_active

    @property
    def line_width(self) -> int:
        """The cells a line may use between gutter and scroll mark."""
        return max(0, self.size.width - GUTTER - 1)

    def frame(self) -> Sequence[Painted]:
        """What the visible lines show now, at most one for each line of the widget."""
        raise NotImplementedError

    def sync(self) -> None:
        """Paint what differs from what is on the screen."""
        if not self.is_mounted or not (size := self.size):
            return
        before, self._painted = self._painted, self.frame()
        dirty = list(_dirty_regions(before, self._painted, size.width, size.height))
        if dirty:
            self.refresh(*dirty)

    def render_line(self, y: int) -> Strip:
        """The strip of one visible line."""
        painted = self._painted[y] if y < len(self._painted) else BLANK
        return self._strip(painted, self.size.width if self._asked_width is None else self._asked_width)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The strips of a region."""
        self._asked_width = (
            self.size.width
        )  # Textual looks it up among all widgets, which is done once for all lines
        try:
            return super().render_lines(crop)
        finally:
            self._asked_width = None

    def notify_style_update(self) -> None:
        """Forget the styles of the look before."""
        self._looks.clear()
        super().notify_style_update()

    def on_resize(self) -> None:
        self._painted = ()
        self.resized()

    def on_show(self) -> None:
        self.sync()

    def resized(self) -> None:
        """Paint for a new size; a widget brings what it shows in line with it first."""
        self.sync()

    def watch_has_focus(self, has_focus: bool) -> None:
        """The cursor looks different once the focus is really here, which `on_focus` comes before."""
        super().watch_has_focus(has_focus)
        self.sync()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll_lines(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll_lines(-3)

    def scroll_lines(self, count: int) -> None:
        """Scroll by lines without moving the cursor."""
        raise NotImplementedError

    def _strip(self, painted: Painted, width: int) -> Strip:
        styles = self._styles(painted.look)
        text = styles[Role.TEXT]
        runs = segments(painted.line, styles)
        if painted.mark != " ":
            runs.insert(0, Segment(painted.mark, self._gutter_style("mark", painted.look)))
        elif runs and _blanks_alike(runs[0].style, text):
            runs[0] = Segment(" " + runs[0].text, runs[0].style)
        else:
            runs.insert(0, Segment(" ", text))
        if painted.bar == NO_BAR:
            runs[0] = Segment(NO_BAR + runs[0].text, runs[0].style)
        else:
            runs.insert(0, Segment(painted.bar, self._gutter_style("bar", painted.look)))
        room = width - 1 if painted.thumb else width
        used = sum(run.cell_length for run in runs)
        if used < room:
            runs[-1] = Segment(runs[-1].text + " " * (room - used), runs[-1].style)
        strip = Strip(runs, max(used, room))
        if used > room:
            strip = strip.crop(0, max(0, room))
        if painted.thumb and width > 0:
            thumb = Segment(THUMB, self._gutter_style("thumb", painted.look))
            strip = Strip([*strip, thumb], width)
        return strip

    def _styles(self, look: str) -> Mapping[Role, RichStyle]:
        if (styles := self._looks.get(look)) is None:
            styles = role_styles(self._base(look), own_colours=self.app.native_ansi_color)
            self._looks[look] = styles
        return styles

    def _base(self, look: str) -> Style:
        """The style that a look lays below the roles."""
        said = OWN_LOOKS.get(look) if self.app.native_ansi_color else None
        said = said or LOOKS.get(look)
        return self.visual_style + Style.parse(said) if said else self.visual_style

    def _gutter_style(self, part: str, look: str) -> RichStyle:
        name = f"{part}|{look}"
        if (styles := self._looks.get(name)) is None:
            kind = "bar-blurred" if part == "bar" and not self.is_active else part
            style = (self._base(look) + Style.parse(PARTS[kind])).rich_style
            styles = self._looks[name] = {Role.TEXT: style}
        return styles[Role.TEXT]


def _blanks_alike(one: RichStyle | None, other: RichStyle) -> bool:
    """Whether a blank looks the same in both: then it needs no change of style of its own."""
    return one is not None and (one.bgcolor, one.reverse, one.underline) == (
        other.bgcolor,
        other.reverse,
        other.underline,
    )


def thumb_lines(first: int, visible: int, total: int, height: int) -> range:
    """The lines of a box of this height on which the scroll mark stands; none when all is visible."""
    if total <= visible or height <= 0:
        return range(0)
    size = max(1, height * visible // total)
    room = height - size
    hidden = total - visible
    top = round(room * min(first, hidden) / hidden)
    return range(top, top + size)


def empty_lines(words: Words) -> tuple[Line, ...]:
    """What is shown instead of rows, as lines; a `str` is frontdesk's own words."""
    if isinstance(words, str):
        return tuple((span(line, Role.DIM),) for line in words.split("\n"))
    if isinstance(words, SafeText):
        return ((span(words, Role.DIM),),)
    if any(isinstance(part, Span) for part in words):
        return (tuple(part for part in words if isinstance(part, Span)),)
    return tuple(part for part in words if isinstance(part, tuple))


def empty_frame(lines: tuple[Line, ...], width: int, height: int) -> list[Painted]:
    """Lines in the middle of a box."""
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
    """The columns that differ where it is only the gutter: a line is always sent from its start."""
    if (old.look, old.line, old.thumb) != (new.look, new.line, new.thumb):
        return None
    return range(0, min(GUTTER, width))

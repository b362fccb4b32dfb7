"""ViewBar: the named views of a list with their counts, on one line or two."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.widget import Widget

from frontdesk_lines.display_text import SafeText
from frontdesk_lines.keyboard_layouts import layout_characters
from frontdesk_lines.lines import Line, Role, Span, fit, span, width_of
from frontdesk_lines.widgets.line_bar import LineBar

MAX_LINES, MAX_CHOICE_LINES = 2, 8
"""Lines of the bar, and its maximum while it waits for a letter."""

_EARLIER, _MORE = 2, 4
"""Cells of the sign for views before those that are shown, and of the number of those after them."""

MORE = "more"
"""The label with that number; a click shows all views with their letters."""


@dataclass(frozen=True, slots=True)
class ViewTab:
    """A view's name on the bar.

    Attributes:
        count: its rows, in words; empty if nothing is known yet.
        letter: the key that opens it while the bar waits for one.
        is_off: whether it can't be used for now.
    """

    name: SafeText
    count: str = ""
    letter: str = ""
    is_off: bool = False


class ViewBar(LineBar):
    """Named views with their counts; the current one is in brackets and never cut off.

    While it has the focus it shows the letter of each view and waits for one.
    """

    DEFAULT_CSS = "ViewBar { background: $background; }"

    @dataclass(repr=False, eq=False)
    class Chosen(Message):
        index: int

    class ChoiceEnded(Message):
        """The bar doesn't wait for a letter any more."""

    def __init__(self) -> None:
        super().__init__()
        self._tabs: Sequence[ViewTab] = ()
        self._current = 0
        self._height = 1
        self._before: Widget | None = None
        self.is_choosing = False

    def show(self, tabs: Sequence[ViewTab], current: int) -> None:
        if (tuple(tabs), current) != (self._tabs, self._current):
            self._tabs, self._current = tuple(tabs), current
            self.sync()

    def begin_choice(self) -> None:
        """Wait for the letter of a view; any other key ends that, and the focus goes back."""
        self._before = self.screen.focused
        self.can_focus = True
        self.is_choosing = True
        # At once: the letter may have been typed already.
        self.screen.set_focus(self, scroll_visible=False)
        self.sync()

    def on_key(self, event: events.Key) -> None:
        """Take the letter, in any keyboard layout; until then no key of the screen runs."""
        if not self.is_choosing:
            return
        event.stop()
        event.prevent_default()
        typed = event.character or ""
        place = next((at for at, tab in enumerate(self._tabs) if _is_letter(typed, tab.letter)), None)
        if self._before is not None and self._before.is_mounted:
            self.screen.set_focus(self._before, scroll_visible=False)
        self._end_choice()
        if place is not None:
            self.post_message(self.Chosen(place))

    def on_blur(self) -> None:
        self._end_choice()

    def compose_lines(self, width: int) -> Sequence[Line]:
        """Fit as many views as possible, starting as far left as shows the current one whole."""
        make: Callable[[int], Line] = self._lettered if self.is_choosing else self._label
        labels = [make(index) for index in range(len(self._tabs))]
        sizes = [width_of(label) for label in labels]
        first, most = 0, MAX_CHOICE_LINES if self.is_choosing else MAX_LINES
        shown = _placed(sizes, width, first, most)
        while first < self._current and not any(self._current in places for places in shown):
            first += 1
            shown = _placed(sizes, width, first, most)
        lines: list[Line] = []
        for y, places in enumerate(shown):
            parts: list[Span] = [span("… ", Role.DIM)] if first and not y else []
            for index in places:
                self.append_label(parts, labels[index], str(index), y)
            if y == len(shown) - 1 and (more := len(labels) - first - sum(map(len, shown))):
                self.append_label(parts, (span(f" +{more}", Role.DIM),), MORE, y)
            lines.append(fit(parts, width))
        self._set_height(len(lines))
        return lines

    def on_resize(self) -> None:
        self._height = 1
        super().on_resize()

    def label_chosen(self, id: str) -> None:
        if id == MORE:
            self.begin_choice()
        else:
            self.post_message(self.Chosen(int(id)))

    def _set_height(self, lines: int) -> None:
        """Grow, and shrink only with another width or after a choice: the list below shouldn't jump."""
        self._height = max(self._height, min(lines, MAX_LINES))
        height = max(self._height, lines)
        if self.size.height != height:
            self.styles.height = height

    def _end_choice(self) -> None:
        if self.is_choosing:
            self.is_choosing = self.can_focus = False
            self._before = None
            self.sync()
            self.post_message(self.ChoiceEnded())

    def _label(self, index: int) -> Line:
        tab = self._tabs[index]
        count = span(f" {tab.count}" if tab.count else "", Role.DIM)
        if index == self._current:
            return (span("[", Role.ACCENT), Span(tab.name, Role.STRONG), count, span("]", Role.ACCENT))
        return (span(" "), Span(tab.name, Role.RULE if tab.is_off else Role.DIM), count, span(" "))

    def _lettered(self, index: int) -> Line:
        tab = self._tabs[index]
        return (span(" "), span(tab.letter or " ", Role.BADGE), span(" "), Span(tab.name, Role.DIM), span(" "))


def _is_letter(typed: str, letter: str) -> bool:
    return bool(typed and letter) and typed.casefold() in (letter, *layout_characters(letter))


def _placed(sizes: Sequence[int], width: int, first: int, most: int) -> list[list[int]]:
    """Return the views of each line, from `first` on, in `most` lines at most."""
    lines: list[list[int]] = [[]]
    left = width - _EARLIER * bool(first)
    for index in range(first, len(sizes)):
        is_last_line, is_last = len(lines) == most, index == len(sizes) - 1
        needed = sizes[index] + (_MORE if is_last_line and not is_last else 0)
        if needed > left and lines[-1]:
            if is_last_line:
                break
            lines.append([])
            left = width
            is_last_line = len(lines) == most
            if sizes[index] + (_MORE if is_last_line and not is_last else 0) > left:
                break
        lines[-1].append(index)
        left -= sizes[index]
    return [line for line in lines if line] or [[]]

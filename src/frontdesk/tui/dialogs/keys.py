"""KeysLine: the last line of a dialog; where it is narrow its first keys go, and the one that closes stays.

Its words can be pressed with the mouse and do what the key does.
"""

from collections.abc import Sequence

from textual import events
from textual.widgets import Static

from frontdesk.text.lines import Line, Span, span, width_of
from frontdesk.tui.content import content

_GAP = span("  ")
_NAMES = {"esc": "escape", "↓": "down", "↑": "up", "PgDn": "pagedown"}
_PRESSED_FIRST = "enter"


class KeysLine(Static):
    """Keys and what they do."""

    DEFAULT_CSS = "KeysLine { height: 1; margin-top: 1; padding: 0 2; }"

    def __init__(self, line: Line) -> None:
        """A line as `keymap.keys_line` makes it: parts with a gap of two blanks between them."""
        super().__init__(content(line), classes="dialog--keys")
        self._parts = _split(line)
        self._shown = self._parts

    def on_resize(self) -> None:
        self._fit()

    def say(self, line: Line) -> None:
        """Say other keys."""
        self._parts = _split(line)
        self._fit()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        offset = event.get_content_offset(self)
        at = 0
        for part in self._shown if offset is not None else ():
            if offset is not None and at <= offset.x < at + width_of(part):
                self._press(part[0].text.text.split())
                return
            at += width_of(part) + width_of((_GAP,))

    def _press(self, names: Sequence[str]) -> None:
        name = _PRESSED_FIRST if _PRESSED_FIRST in names else names[0]
        key = _NAMES.get(name, name)
        if len(name) == 1 or name in _NAMES or name in (_PRESSED_FIRST, "tab"):
            self.app.simulate_key(key)

    def _fit(self) -> None:
        shown = list(self._parts)
        while len(shown) > 1 and width_of(_joined(shown)) > self.content_size.width:
            shown.pop(0)
        if shown != self._shown:
            self._shown = shown
            self.update(content(_joined(shown)), layout=False)


def _split(line: Line) -> list[Line]:
    """The parts between gaps; a part begins with its key."""
    parts: list[list[Span]] = [[]]
    for each in line:
        if each == _GAP:
            parts.append([])
        else:
            parts[-1].append(each)
    return [tuple(part) for part in parts if part]


def _joined(parts: Sequence[Line]) -> Line:
    line = [each for part in parts for each in (_GAP, *part)]
    return tuple(line[1:])

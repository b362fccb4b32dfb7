"""RunningDialog: how long a command of the person's own has been running, and the key that stops it."""

from collections.abc import Callable, Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget

from frontdesk.tui.dialogs.base import Dialog
from frontdesk.tui.dialogs.prompt import STEP_SECONDS
from frontdesk.tui.keymap import keys_line
from frontdesk_lines.display_text import SafeText, trusted
from frontdesk_lines.keyboard_layouts import with_layout_keys
from frontdesk_lines.lines import Line, Role, span
from frontdesk_lines.widgets.note import Note


class RunningDialog(Dialog[bool]):
    """Answers with True to stop the program, and with False once it has ended by itself.

    Args:
        name: the command's.
        seconds: returns how long it has been running.
        max_seconds: when it is ended.
    """

    accepts_queued_keys = False
    """A key typed before it opened must not stop the program."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(with_layout_keys("x"), "stop", "stop"),
        Binding(with_layout_keys("q"), "close", "close"),
    ]

    def __init__(self, name: SafeText, seconds: Callable[[], float], max_seconds: float) -> None:
        super().__init__(trusted(f"Running · {name.text}"), keys=keys_line(("x", "stop"), ("esc", "let it run")))
        self._seconds, self._max_seconds = seconds, max_seconds
        self._time = Note(self._words())

    def compose_body(self) -> Iterable[Widget]:
        yield self._time

    def on_mount(self) -> None:
        self.set_interval(STEP_SECONDS, lambda: self._time.set_line(self._words()))

    def action_stop(self) -> None:
        self.done(True)

    def _words(self) -> Line:
        most = f" It will be killed after {self._max_seconds:,.0f} s."
        return (span(f"Running for {self._seconds():,.0f} s.", Role.TEXT), span(most, Role.DIM))

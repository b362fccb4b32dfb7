"""The dialog that lists the failures of a bulk action."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from frontdesk.tui.dialogs.base import Dialog
from frontdesk.tui.keymap import keys_line
from frontdesk_lines.display_text import SafeText
from frontdesk_lines.keyboard_layouts import with_layout_keys
from frontdesk_lines.lines import Line, Role, Span, fit, span
from frontdesk_lines.widgets.note import Note
from frontdesk_lines.widgets.row_list import RowList

MAX_ROWS = 10


@dataclass(frozen=True, slots=True)
class Failure:
    """A change that failed: its target, state and reason."""

    id: int
    name: SafeText
    state: SafeText
    reason: SafeText


@dataclass(frozen=True, slots=True)
class FailureChoice:
    """A decision: open the failed change, or send these again."""

    open: int | None = None
    again: tuple[int, ...] = ()


class FailuresDialog(Dialog[FailureChoice]):
    """A list of the changes that had failed when it opened."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(with_layout_keys("r"), "again", "resend"),
        Binding(with_layout_keys("R"), "all_again", "resend all"),
        Binding(with_layout_keys("q"), "close", "close"),
    ]
    DEFAULT_CSS = """
    FailuresDialog {
        & > .dialog--box { width: 100; }
        & RowList { margin-top: 1; min-height: 2; }
    }
    """

    def __init__(self, title: SafeText, failures: Sequence[Failure], *, note: Line) -> None:
        keys = keys_line(("enter", "open"), ("r", "resend"), ("R", "resend all"), ("esc", "close"))
        super().__init__(title, keys=keys)
        self._failures = {str(each.id): each for each in failures}
        self._note = note
        self._rows = RowList(self._draw, row_height=2)

    @property
    def rows(self) -> RowList:
        return self._rows

    def compose_body(self) -> Iterable[Widget]:
        yield Note(self._note)
        yield self._rows

    def on_mount(self) -> None:
        self._rows.set_keys(tuple(self._failures))
        self._rows.focus()

    def on_resize(self) -> None:
        self.set_height(self._rows, 2 * min(len(self._failures), MAX_ROWS), 0.6)

    @on(RowList.Chosen)
    def _opened(self, event: RowList.Chosen) -> None:
        event.stop()
        self.done(FailureChoice(open=int(event.key)))

    def action_again(self) -> None:
        if self._rows.cursor_key is not None:
            self.done(FailureChoice(again=tuple(int(key) for key in self._rows.targets)))

    def action_all_again(self) -> None:
        self.done(FailureChoice(again=tuple(int(key) for key in self._failures)))

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        failure = self._failures[key]
        top = fit((Span(failure.name, Role.STRONG),), width, (Span(failure.state, Role.BAD),))
        return top, fit((span("  "), Span(failure.reason, Role.DIM)), width)

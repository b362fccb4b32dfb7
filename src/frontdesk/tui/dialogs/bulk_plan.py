"""PlanDialog: what a bulk action would do, row by row and in numbers, before it is done.

What can be taken back is one enter away; where something can't be, or a person may not know which row it works
on, no is the answer that is near.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widget import Widget

from frontdesk.text.display_text import NOTHING, SafeText, trusted
from frontdesk.text.lines import EMPTY, Line, Role, Span, fit, span
from frontdesk.tui.dialogs.answer_button import Answer
from frontdesk.tui.dialogs.base import Note
from frontdesk.tui.dialogs.confirm import ConfirmDialog
from frontdesk.tui.dialogs.list_modal import MOVES, ListModal
from frontdesk.tui.keymap import keys_line, with_twins
from frontdesk.tui.widgets.row_list import RowList

MAX_ROWS = 12


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One thing that it works on, and what becomes of it or why nothing does."""

    name: SafeText
    becomes: Line = EMPTY


class PlanDialog(ListModal, ConfirmDialog):
    """Answers with True; no answer is a `Closed`."""

    # The key that opens a plan acts at once where just the cursor's row is the target, so a key typed right
    # after it was not meant as an answer. A plan that nobody saw is not carried out.
    takes_typed_ahead = False

    BINDINGS: ClassVar[list[BindingType]] = [
        *MOVES,
        Binding(with_twins("j"), "move(1)", "next", priority=True),
        Binding(with_twins("k"), "move(-1)", "previous", priority=True),
    ]
    DEFAULT_CSS = """
    PlanDialog {
        & > .dialog--box { width: 76; }
        & RowList { margin-top: 1; min-height: 1; }
    }
    """

    def __init__(
        self,
        title: SafeText,
        says: Sequence[Line],
        keys: Sequence[str],
        row: Callable[[str], PlanRow],
        cannot_undo: Sequence[SafeText] = (),
        *,
        yes: SafeText,
        ways_back: Line = EMPTY,
        doubt: SafeText = NOTHING,
    ) -> None:
        """A plan.

        Args:
            title: what would be done, and on what.
            says: in numbers, a line each.
            keys: what it works on, in the order shown.
            row: what becomes of one of them; asked when it comes into sight.
            cannot_undo: what can't be taken back, a line each.
            yes: what saying yes does.
            ways_back: how it is stopped and taken back, where it can be.
            doubt: why a person may not know what it works on.
        """
        near_yes = not cannot_undo and not doubt
        super().__init__(title, NOTHING, cannot_undo, yes=yes, near_yes=near_yes)
        self._keys_line = keys_line(("j k", "look"), ("y enter" if near_yes else "y", "do it"), ("n esc", "no"))
        self._says = ((Span(doubt, Role.WARN),), *says) if doubt else tuple(says)
        self._ways_back = ways_back
        self._plan = tuple(keys)
        self._row = row
        self._rows = RowList(self._draw, always_active=True)
        self._rows.can_focus = False

    def compose_body(self) -> Iterable[Widget]:
        for line in self._says:
            yield Note(line)
        for words in self._cannot_undo:
            yield Note((span("! ", Role.WARN), Span(words, Role.WARN)))
        if self._ways_back:
            yield Note(self._ways_back, classes="dialog--aside")
        yield self._rows
        with Horizontal(classes="confirm--answers"):
            yield Answer(self._yes, is_yes=True)
            yield Answer(trusted("No"), is_yes=False)

    def on_mount(self) -> None:
        super().on_mount()
        self._rows.set_keys(self._plan)

    def on_resize(self) -> None:
        self.give_height(self._rows, min(len(self._plan), MAX_ROWS))

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        row = self._row(key)
        return (fit((Span(row.name),), width, row.becomes),)

"""ConfirmDialog, a question with its risks; BulkPlanDialog, the same over the rows of a plan; TypedConfirmDialog.

The default is yes only for what can be undone and whose target is certain.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from frontdesk.tui.dialogs.base import Dialog, text_field
from frontdesk.tui.dialogs.filter_list import MOVES, ListModal
from frontdesk.tui.keymap import keys_line
from frontdesk_lines.content import content
from frontdesk_lines.display_text import NOTHING, SafeText, trusted
from frontdesk_lines.keyboard_layouts import with_layout_keys
from frontdesk_lines.lines import EMPTY, Line, Role, Span, fit, max_width_of, sign, span, width_of
from frontdesk_lines.widgets.note import Note
from frontdesk_lines.widgets.row_list import RowList

MIN_NAME = 20
"""Cells that the name of a plan's row has at least."""


class AnswerButton(Static, can_focus=True):
    """A button for one of two answers."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "press", "press")]
    DEFAULT_CSS = """
    AnswerButton {
        width: auto;
        height: 1;
        padding: 0 2;
        margin-right: 2;
        background: $background;
        &:focus {
            background: $block-cursor-background;
            color: $block-cursor-foreground;
            text-style: bold underline;
        }
    }
    """

    @dataclass(repr=False, eq=False)
    class Pressed(Message):
        """Enter or a click."""

        is_yes: bool

    def __init__(self, words: SafeText, *, is_yes: bool) -> None:
        super().__init__(content(words))
        self.is_yes = is_yes

    def on_click(self) -> None:
        self.action_press()

    def action_press(self) -> None:
        self.post_message(self.Pressed(self.is_yes))


class ConfirmDialog(Dialog[bool]):
    """Answers with True; no answer is a `Closed`.

    Args:
        yes: the label of yes, as "Send to 3,120".
        yes_is_default: whether enter means yes, for what can be undone.
        note: a note where there is nothing to warn of.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(with_layout_keys("y"), "yes", "yes"),
        Binding(with_layout_keys("n", "q"), "close", "no"),
        Binding(with_layout_keys("h", "l") + ",left,right", "other", "other answer"),
    ]
    DEFAULT_CSS = """
    ConfirmDialog {
        & .confirm--warning { margin-top: 1; }
        & .confirm--answers { height: 1; margin-top: 1; padding: 0 2; }
    }
    ConfirmDialog.-short .confirm--answers { margin-top: 0; }
    ConfirmDialog.-short .confirm--warning { margin-top: 0; }
    ConfirmDialog.-slim .confirm--answers { padding: 0; }
    """

    def __init__(
        self,
        title: SafeText,
        question: SafeText,
        cannot_undo: Sequence[SafeText] = (),
        *,
        yes: SafeText,
        yes_is_default: bool = False,
        note: SafeText = NOTHING,
    ) -> None:
        self._no = trusted("No" if yes.text == "Yes" else "Cancel")
        self._answer_keys = (("y enter" if yes_is_default else "y", "yes"), ("n esc", self._no.text.lower()))
        super().__init__(title, keys=keys_line(*self._answer_keys))
        self._question = question
        self._cannot_undo = tuple(cannot_undo)
        self._yes = yes
        self._yes_is_default = yes_is_default
        self._note = note
        self._question_line = Note(classes="dialog--note")
        self._note_line = Note(classes="dialog--note confirm--warning")

    def compose_body(self) -> Iterable[Widget]:
        self.set_question(self._question, self._note)
        yield self._question_line
        for line in self._cannot_undo:
            words = (sign("! ", Role.WARN), Span(line, Role.WARN))
            yield Note(words, classes="dialog--note confirm--warning")
        yield self._note_line
        yield self._answers()

    def set_question(self, question: SafeText, note: SafeText = NOTHING) -> None:
        """Ask another question; without a note its line is hidden."""
        self._question_line.set_line((Span(question, Role.STRONG),))
        self._note_line.set_line((Span(note, Role.DIM),))
        self._note_line.display = bool(note)

    def _answers(self) -> Widget:
        yes, no = (
            AnswerButton(self._yes, is_yes=True),
            AnswerButton(self._no, is_yes=False),
        )
        return Horizontal(yes, no, classes="confirm--answers")

    def on_mount(self) -> None:
        answers = self.query(AnswerButton)
        (answers.first() if self._yes_is_default else answers.last()).focus()

    @on(AnswerButton.Pressed)
    def _pressed(self, event: AnswerButton.Pressed) -> None:
        event.stop()
        self.action_yes() if event.is_yes else self.action_close()

    def action_yes(self) -> None:
        self.done(True)

    def action_other(self) -> None:
        self.focus_next()


MAX_ROWS = 12


MAX_MEASURED = 100
"""How many rows make the width of their columns; a longer name further down moves what follows it."""

MIN_PLAN_CELLS, MAX_PLAN_CELLS, PLAN_FRAME = 76, 120, 9
"""The width of a plan at least and at most, and the cells around its rows."""

_PLAN_GAP = 2


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One target, and its outcome or why it is left out; `title` is a task's, whose customer is the name."""

    name: SafeText
    becomes: Line = EMPTY
    title: SafeText = NOTHING


class BulkPlanDialog(ListModal, ConfirmDialog):
    """Shows what a bulk action would do, row by row and in numbers; answers with True.

    Args:
        row: draws a target when it is scrolled into view.
        undo_note: how it is stopped and undone.
        target_warning: why the target may be another than the person thinks.
    """

    # With one target the same key acts at once, so a key typed right after it was not meant as an answer: a plan
    # must be seen before it is confirmed.
    accepts_queued_keys = False

    BINDINGS: ClassVar[list[BindingType]] = [
        *MOVES,
        Binding(with_layout_keys("j"), "move(1)", "next", priority=True),
        Binding(with_layout_keys("k"), "move(-1)", "previous", priority=True),
        Binding(with_layout_keys("g") + ",home", "first", "first", priority=True),
        Binding(with_layout_keys("G") + ",end", "last", "last", priority=True),
        Binding("ctrl+d", "half_page(1)", "half page", priority=True),
        Binding("ctrl+u", "half_page(-1)", "half page", priority=True),
    ]
    DEFAULT_CSS = """
    BulkPlanDialog {
        & RowList { margin-top: 1; min-height: 1; }
    }
    """

    def __init__(
        self,
        title: SafeText,
        summary: Sequence[Line],
        keys: Sequence[str],
        row: Callable[[str], PlanRow],
        cannot_undo: Sequence[SafeText] = (),
        *,
        yes: SafeText,
        undo_note: Line = EMPTY,
        target_warning: SafeText = NOTHING,
    ) -> None:
        yes_is_default = not cannot_undo and not target_warning
        super().__init__(title, NOTHING, cannot_undo, yes=yes, yes_is_default=yes_is_default)
        self._keys_line = keys_line(("j k", "scroll"), *self._answer_keys)
        self._summary = ((Span(target_warning, Role.WARN),), *summary) if target_warning else tuple(summary)
        self._undo_note = undo_note
        self._plan = tuple(keys)
        self._row = row
        measured = [row(each) for each in keys[:MAX_MEASURED]]
        self._name_cells = max((max_width_of([Span(each.name)]) for each in measured), default=0)
        self._title_cells = max((max_width_of([Span(each.title)]) for each in measured), default=0)
        self._becomes_cells = max((width_of(each.becomes) for each in measured), default=0)
        self._rows = RowList(self._draw, always_active=True)
        self._rows.can_focus = False

    def compose_body(self) -> Iterable[Widget]:
        for line in self._summary:
            yield Note(line, classes="dialog--note")
        for words in self._cannot_undo:
            yield Note((span("! ", Role.WARN), Span(words, Role.WARN)))
        if self._undo_note:
            yield Note(self._undo_note, classes="dialog--aside")
        yield self._rows
        yield self._answers()

    def on_mount(self) -> None:
        super().on_mount()
        self._rows.set_keys(self._plan)
        box = self.query_one(".dialog--box")
        wanted = self._name_cells + self._title_cells + self._becomes_cells + 2 * _PLAN_GAP + PLAN_FRAME
        box.styles.width = max(MIN_PLAN_CELLS, min(MAX_PLAN_CELLS, wanted))

    def on_resize(self) -> None:
        self.set_height(self._rows, min(len(self._plan), MAX_ROWS))

    def action_first(self) -> None:
        self._rows.action_cursor_first()
        self.follow_list()

    def action_last(self) -> None:
        self._rows.action_cursor_last()
        self.follow_list()

    def action_half_page(self, halves: int) -> None:
        self._rows.page(halves * self._rows.page_sizes[0])
        self.follow_list()

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        row, gap = self._row(key), span(" " * _PLAN_GAP)
        # Whose row it is must be readable, however much changes.
        least = max(MIN_NAME, width * 2 // 5)
        becomes_cells = min(max(self._becomes_cells, width_of(row.becomes)), width - _PLAN_GAP - least)
        room = width - _PLAN_GAP - becomes_cells
        name_cells = min(max(self._name_cells, max_width_of([Span(row.name)])), room)
        title_cells = min(self._title_cells, room - name_cells - _PLAN_GAP)
        title = (*fit((Span(row.title, Role.DIM),), title_cells), gap) if title_cells > 0 else ()
        line = (*fit((Span(row.name, Role.STRONG),), name_cells), gap, *title, *fit(row.becomes, becomes_cells))
        return ((*line, span(" " * max(0, width - width_of(line)))),)


class TypedConfirmDialog(Dialog[str]):
    """Answers with the id."""

    DEFAULT_CSS = """
    TypedConfirmDialog {
        & #again { margin-top: 1; }
        & .twice--warning { margin-bottom: 1; }
    }
    TypedConfirmDialog.-short { & #again { margin-top: 0; } & .twice--warning { margin-bottom: 0; } }
    """

    def __init__(
        self, title: SafeText, cannot_undo: Sequence[SafeText], *, confirm_label: str, draft: str = ""
    ) -> None:
        super().__init__(
            title, keys=keys_line(("tab", "next"), ("enter", confirm_label), ("esc", "cancel")), draft=draft
        )
        self._cannot_undo = tuple(cannot_undo)
        self._first = text_field("Type the id")
        self._again = text_field("Type the same id again")
        self._again.id = "again"
        self._note = Note(EMPTY, id="note")

    def compose_body(self) -> Iterable[Widget]:
        for line in self._cannot_undo:
            words = (sign("! ", Role.WARN), Span(line, Role.WARN))
            yield Note(words, classes="dialog--note twice--warning")
        yield self._first
        yield self._again
        yield self._note

    def on_mount(self) -> None:
        self.start_typing(self._first)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._note.set_line(EMPTY)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        first, again = self._first.value.strip(), self._again.value.strip()
        if not first:
            self._first.focus()
        elif not again:
            self._again.focus()
        elif first == again:
            self.done(first)
        else:
            self._note.set_line((span("✗ The two ids don't match; nothing was sent.", Role.BAD),))

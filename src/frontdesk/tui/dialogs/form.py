"""FormDialog: questions as a page, with a field for each and a line below it for what is said of the answer."""

import re
from collections.abc import Iterable, Mapping
from typing import ClassVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from frontdesk.text.questions import Answers, Question, table
from frontdesk.tui.dialogs.base import Dialog, T, text_field
from frontdesk.tui.keymap import keys_line
from frontdesk_lines.content import content
from frontdesk_lines.display_text import NOTHING, SafeText, show_line
from frontdesk_lines.lines import EMPTY, Line, Role, Span, span
from frontdesk_lines.textual_compat.text_input import Field
from frontdesk_lines.widgets.note import Note

MAX_LETTERS = 8_300
"""The most characters in a field: a little more than a credential may have."""


class SecretField(Field):
    """An input that shows dots, copies nothing, and takes a pasted text whole or not at all."""

    # A credential has no line break: where a narrow window or a mail wrapped it, it goes on in the next line.
    PASTE_JOINER: ClassVar[str] = ""

    class PasteRefused(Message):
        """Sent when several headers or a very long text is pasted."""

        def __init__(self, field: "SecretField", words: str) -> None:
            self.field, self.words = field, words
            super().__init__()

    def __init__(self, placeholder: str = "", *, select_on_focus: bool = False) -> None:
        super().__init__(placeholder=placeholder, select_on_focus=select_on_focus, password=True)

    def on_paste(self, event: events.Paste) -> None:
        text = event.text.strip()
        has_headers = re.search(r"[\r\n]\s*[\w-]+:\s", text) is not None
        if has_headers or len(text) > MAX_LETTERS:
            event.stop()
            event.prevent_default()
            what = "has several headers" if has_headers else f"is longer than {MAX_LETTERS:,} characters"
            self.post_message(self.PasteRefused(self, f"the pasted text {what}; copy only the value"))

    def action_copy(self) -> None:
        """Copy nothing: a clipboard may be anybody's."""

    def action_cut(self) -> None:
        """Cut nothing, for the same reason."""


class FormRow(Vertical):
    """One question: its label, its field, and a note below them."""

    def __init__(self, question: Question, value: str) -> None:
        super().__init__(id=f"row-{question.key}")
        self.key, self._label = question.key, question.label
        self.field = text_field(question.example, SecretField if question.is_secret else Field)
        self.field.value = value
        self.field.max_length = MAX_LETTERS
        self.note = Note(EMPTY)

    def compose(self) -> Iterable[Widget]:
        with Horizontal():
            yield Static(content((span(self._label),)), classes="form--label")
            yield self.field
        yield self.note


class FormDialog(Dialog[T]):
    """A page of questions; what is typed is in `answers` at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "next", priority=True),
        Binding("tab,down", "step(1)", "next", priority=True),
        Binding("shift+tab,up", "step(-1)", "previous", priority=True),
    ]
    DEFAULT_CSS = """
    FormDialog {
        & FormRow { height: auto; }
        & FormRow Horizontal { height: 1; }
        & FormRow Input { width: 1fr; }
        & Note { height: auto; }
    }
    """

    def __init__(self, title: SafeText, answers: Answers, *, keys: Line) -> None:
        super().__init__(title, keys=keys)
        self.answers = answers
        self.form_rows = {
            key: FormRow(question, answers.typed.get(key, "")) for key, question in answers.questions.items()
        }

    @property
    def draft(self) -> str:
        return self.answers.draft()

    @property
    def focused_row(self) -> FormRow | None:
        return next((each for each in self.form_rows.values() if each.field is self.focused), None)

    def focus_on(self, key: str) -> None:
        self.set_focus(self.form_rows[key].field)  # at once, unlike `focus`

    def action_enter(self) -> None:
        """Answer, or go on."""
        raise NotImplementedError

    def action_step(self, steps: int) -> None:
        self.focus_next() if steps > 0 else self.focus_previous()

    def show_answers(self) -> None:
        """Show what is said of the answers, after one of them is another."""

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        row = next(each for each in self.form_rows.values() if each.field is event.input)
        if self.answers.typed.get(row.key, "") != event.value:
            self.answers.typed[row.key] = event.value
            self.show_answers()


class ShortForm(FormDialog[dict[str, str]]):
    """Asks a few short questions, with one note below them; answers with what isn't empty.

    Args:
        typed: answers to begin with.
        first: the question whose field is focused.
        about: shown while nothing is wrong.
    """

    DEFAULT_CSS = """
    ShortForm {
        & .form--label { width: 12; padding: 0 0 0 2; }
        & #fault { min-height: 1; }
    }
    """

    def __init__(
        self,
        title: SafeText,
        questions: Iterable[Question],
        typed: Mapping[str, str],
        first: str,
        about: SafeText = NOTHING,
    ) -> None:
        keys = keys_line(("tab", "next"), ("enter", "save"), ("esc", "cancel"))
        super().__init__(title, Answers(table(*questions), {**typed}), keys=keys)
        self._first = first
        self._about: Line = (Span(about, Role.DIM),) if about else EMPTY
        self._note = Note(EMPTY, id="fault")

    def compose_body(self) -> Iterable[Widget]:
        for row in self.form_rows.values():
            row.note.display = False
            yield row
        yield self._note

    def on_mount(self) -> None:
        self.focus_on(self._first)
        self.show_answers()

    def action_enter(self) -> None:
        """Save, or go to the first field that is wrong."""
        wrong = self.answers.first_fault()
        if wrong is None:
            self.done({key: text for key in self.form_rows if (text := self.answers.value(key))})
        else:
            self.focus_on(wrong)
            self._show_fault(wrong)

    def show_answers(self) -> None:
        """Show the first fault; that something is missing only once it was to be saved."""
        self._show_fault(next(filter(self.answers.fault, self.form_rows), None))

    def _show_fault(self, key: str | None) -> None:
        if key is None:
            self._note.set_line(self._about)
            return
        fault = f"{self.answers.questions[key].label}: {self.answers.fault(key) or 'required'}"
        self._note.set_line((span("✗ ", Role.BAD), Span(show_line(fault, 300), Role.BAD)))

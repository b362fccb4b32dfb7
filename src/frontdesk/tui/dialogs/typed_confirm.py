"""A dialog in which an id is typed twice, for what can be neither looked up nor undone."""

from collections.abc import Iterable, Sequence

from textual import on
from textual.widget import Widget
from textual.widgets import Input

from frontdesk.tui.dialogs.base import Dialog, text_field
from frontdesk.tui.keymap import keys_line
from frontdesk_lines.display_text import SafeText
from frontdesk_lines.lines import EMPTY, Role, Span, sign, span
from frontdesk_lines.widgets.note import Note


class TypedConfirmDialog(Dialog[str]):
    """Answers with the id.

    Args:
        cannot_undo: warnings, a line each.
        confirm_label: the label of enter.
    """

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

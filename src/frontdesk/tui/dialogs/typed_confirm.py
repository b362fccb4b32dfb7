"""TypedTwiceDialog: an id that is typed twice, for what can't be looked up first nor taken back later."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.widget import Widget
from textual.widgets import Input, Static

from frontdesk.text.display_text import SafeText
from frontdesk.text.lines import EMPTY, Role, Span, span
from frontdesk.tui.content import content
from frontdesk.tui.dialogs.base import Dialog, Note, text_field
from frontdesk.tui.keymap import keys_line


class TypedTwiceDialog(Dialog[str]):
    """Answers with the id."""

    BINDINGS: ClassVar[list[BindingType]] = []
    DEFAULT_CSS = """
    TypedTwiceDialog {
        & #again { margin-top: 1; }
        & .twice--warning { margin-bottom: 1; }
    }
    TypedTwiceDialog.-short { & #again { margin-top: 0; } & .twice--warning { margin-bottom: 0; } }
    """

    def __init__(self, title: SafeText, cannot_undo: Sequence[SafeText], *, does: str, draft: str = "") -> None:
        """An id to be typed.

        Args:
            title: what is done to it.
            cannot_undo: what to know before, a line each.
            does: what enter does with it, in a word for the keys.
            draft: what was typed the first time, before.
        """
        super().__init__(title, keys=keys_line(("tab", "next"), ("enter", does), ("esc", "close")), draft=draft)
        self._cannot_undo = tuple(cannot_undo)
        self._first = text_field("Its id")
        self._again = text_field("The same id once more, typed again")
        self._again.id = "again"
        self._note = Note(EMPTY, id="note")

    def compose_body(self) -> Iterable[Widget]:
        for line in self._cannot_undo:
            words = content((span("! ", Role.WARN), Span(line, Role.WARN)))
            yield Static(words, classes="dialog--note twice--warning")
        yield self._first
        yield self._again
        yield self._note

    def on_mount(self) -> None:
        self.start_typing(self._first)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._note.say(EMPTY)

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
            self._note.say((span("✗ These are two different ids: nothing was sent.", Role.BAD),))

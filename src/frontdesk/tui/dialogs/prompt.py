"""PromptDialog: one line of words, checked before it is taken."""

from collections.abc import Callable, Iterable

from textual import on
from textual.widget import Widget
from textual.widgets import Input

from frontdesk.text.display_text import NOTHING, SafeText
from frontdesk.text.lines import Line, Role, Span, span
from frontdesk.tui.dialogs.base import Dialog, Note, text_field
from frontdesk.tui.keymap import keys_line


class PromptDialog(Dialog[str]):
    """Answers with what was typed, without blanks around it."""

    DEFAULT_CSS = "PromptDialog Note { height: auto; min-height: 1; }"

    def __init__(
        self,
        title: SafeText,
        *,
        says: SafeText = NOTHING,
        placeholder: str = "",
        fault: Callable[[str], SafeText | None] = lambda _: None,
        draft: str = "",
    ) -> None:
        """A question for one line.

        Args:
            title: what is asked.
            says: about what it does, in a few words.
            placeholder: an example, frontdesk's own words.
            fault: what is wrong with the words, or None; called on enter, so it may be strict.
            draft: what was typed before.
        """
        super().__init__(title, keys=keys_line(("enter", "take it"), ("esc", "close")), draft=draft)
        self._says: Line = (Span(says, Role.DIM),) if says else ()
        self._fault = fault
        self._field = text_field(placeholder)
        self._note = Note(self._says, id="note")

    @property
    def note(self) -> Line:
        """What is said below the input."""
        return self._note.line

    def compose_body(self) -> Iterable[Widget]:
        yield self._field
        yield self._note

    def on_mount(self) -> None:
        self.start_typing(self._field)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._note.say(self._says)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        words = event.value.strip()
        fault = self._fault(words)
        if fault is None:
            self.done(words)
        else:
            self._note.say((span("✗ ", Role.BAD), Span(fault, Role.BAD)))

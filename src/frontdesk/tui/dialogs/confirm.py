"""ConfirmDialog: a question, what cannot be undone about it, and no as the answer that is near."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Static

from frontdesk.text.display_text import NOTHING, SafeText
from frontdesk.text.lines import Role, Span, span
from frontdesk.tui.content import content
from frontdesk.tui.dialogs.answer_button import Answer
from frontdesk.tui.dialogs.base import Dialog
from frontdesk.tui.keymap import keys_line, with_twins


class ConfirmDialog(Dialog[bool]):
    """Answers with True; no answer is a `Closed`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(with_twins("y"), "yes", "yes"),
        Binding(with_twins("n", "q"), "close", "no"),
        Binding(with_twins("h", "l") + ",left,right", "other", "other answer"),
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
        near_yes: bool = False,
        says: SafeText = NOTHING,
    ) -> None:
        """A question.

        Args:
            title: what it is about.
            question: what is asked.
            cannot_undo: what cannot be undone, a line each.
            yes: what saying yes does, as "Send to 3,120".
            near_yes: whether enter says yes, for what can be taken back.
            says: what becomes of it either way, where there is nothing to warn of.
        """
        super().__init__(title, keys=keys_line(("y enter" if near_yes else "y", "yes"), ("n esc", "no")))
        self._question = question
        self._cannot_undo = tuple(cannot_undo)
        self._yes = yes
        self._near_yes = near_yes
        self._says_below = says

    def compose_body(self) -> Iterable[Widget]:
        yield Static(content((Span(self._question, Role.STRONG),)), classes="dialog--note")
        for line in self._cannot_undo:
            words = content((span("! ", Role.WARN), Span(line, Role.WARN)))
            yield Static(words, classes="dialog--note confirm--warning")
        if self._says_below:
            words = content((Span(self._says_below, Role.DIM),))
            yield Static(words, classes="dialog--note confirm--warning")
        with Horizontal(classes="confirm--answers"):
            yield Answer(self._yes, is_yes=True)
            yield Answer(SafeText("No"), is_yes=False)

    def on_mount(self) -> None:
        answers = self.query(Answer)
        (answers.first() if self._near_yes else answers.last()).focus()

    @on(Answer.Pressed)
    def _pressed(self, event: Answer.Pressed) -> None:
        event.stop()
        if event.is_yes:
            self.action_yes()
        else:
            self.action_close()

    def action_yes(self) -> None:
        self.done(True)

    def action_other(self) -> None:
        self.focus_next()

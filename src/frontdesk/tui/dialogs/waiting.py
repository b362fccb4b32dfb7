"""WaitingDialog: says what is read beside the screen where that takes a while; Esc gives it up."""

from collections.abc import Iterable

from textual.widget import Widget

from frontdesk.present.lines import Line
from frontdesk.text import Shown
from frontdesk.tui.dialogs.dialog import Dialog, Note
from frontdesk.tui.keymap import keys_line


class WaitingDialog(Dialog[None]):
    """Answers when what it waits for is there; closed, it isn't wanted any more. Nothing in it moves."""

    def __init__(self, title: Shown, words: Line) -> None:
        super().__init__(title, keys=keys_line(("esc", "give up")))
        self._note = Note(words)

    def compose_body(self) -> Iterable[Widget]:
        yield self._note

"""Answer: words to press at the end of a dialog that has several fields or answers."""

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Static

from frontdesk.text.display_text import SafeText
from frontdesk.tui.content import content


class Answer(Static, can_focus=True):
    """Words to press, with a bar where the focus is."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "press", "press")]
    DEFAULT_CSS = """
    Answer {
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

    @dataclass
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

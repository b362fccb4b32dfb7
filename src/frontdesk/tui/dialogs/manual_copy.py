"""ByHandDialog: a text to be selected with the terminal's own mouse and copied by hand.

It fills the screen without a frame, from the first column: what is selected is the text and nothing else.
"""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from frontdesk.text.display_text import SafeText, is_right_to_left
from frontdesk.text.lines import EMPTY, Line, Role, span
from frontdesk.tui.content import content
from frontdesk.tui.keymap import keys_line, with_twins
from frontdesk.tui.textual_compat.driver import report_mouse

LONGEST_SHOWN = 200_000
"""Characters of which a screen can still be made at once."""


class ByHandDialog(ModalScreen[None]):
    """While it is open the mouse is the terminal's."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "close"),
        Binding(with_twins("q", "y"), "close", "close"),
    ]
    DEFAULT_CSS = """
    ByHandDialog {
        background: $background;
        & > Static { height: auto; padding: 0 1; background: $panel; }
        & > VerticalScroll { height: 1fr; padding: 1 0; scrollbar-size-vertical: 0; }
        & > VerticalScroll > Static { height: auto; }
    }
    """

    def __init__(self, text: str, what: SafeText, why: SafeText) -> None:
        """A text that is not shown yet.

        Args:
            text: as it is to be copied; cleaned.
            what: what it is.
            why: why it isn't in the clipboard, and what to do.
        """
        super().__init__()
        self._text = text
        self._what, self._why = what, why

    def compose(self) -> ComposeResult:
        yield Static(content((span(self._what, Role.STRONG), span("  "), span(self._why, Role.DIM))))
        with VerticalScroll():
            yield Static(Content(self._text[:LONGEST_SHOWN]))
        yield Static(content((*keys_line(("PgDn", "further"), ("esc", "close")), *self._hint())))

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()
        report_mouse(self.app, False)

    def on_unmount(self) -> None:
        report_mouse(self.app, True)

    def action_close(self) -> None:
        if self.is_current:
            self.dismiss()

    def _hint(self) -> Line:
        if len(self._text) > LONGEST_SHOWN:
            return (span(f"   the first {LONGEST_SHOWN:,} of {len(self._text):,} characters", Role.WARN),)
        if any(is_right_to_left(line) for line in self._text.split("\n")):
            return (span("   shown in the order in which it is copied", Role.DIM),)
        return EMPTY

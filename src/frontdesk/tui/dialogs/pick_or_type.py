"""PickOrTypeDialog: one that is known by its name, or an id that is typed; nobody lists them all."""

from collections.abc import Sequence

from frontdesk.text.display_text import NOTHING, SafeText, show_line
from frontdesk.text.lines import Line, Role, Span, fit, span
from frontdesk.tui.dialogs.picker import ChoiceDialog, NamedChoice

NEW = "\x00new"


class PickOrTypeDialog(ChoiceDialog):
    """Answers with an id."""

    def __init__(
        self,
        title: SafeText,
        choices: Sequence[NamedChoice],
        *,
        says: SafeText = NOTHING,
        placeholder: str = "",
        at: str = "",
    ) -> None:
        """A choice of what is known, over an input for what isn't; the arguments are `ChoiceDialog`'s."""
        super().__init__(title, choices, says=says, placeholder=placeholder, at=at)
        self._rows.set_empty((span("None is known yet: type an id."),))

    def found(self, typed: str) -> list[str]:
        """Those that match, and what was typed where that isn't one of them."""
        found = super().found(typed)
        return [*found, NEW] if typed and typed not in self._named else found

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        """The line of a choice, or of what is typed."""
        if key != NEW:
            return super().draw(key, width)
        typed = Span(show_line(self.typed, 80), Role.STRONG)
        return (fit((span("  this id: "), typed), width, (span("not known here", Role.WARN),)),)

    def accept(self) -> None:
        """Answer with what the cursor is on."""
        if self._rows.cursor_key is not None:
            self.clicked(self._rows.cursor_key)

    def clicked(self, key: str) -> None:
        """Answer with what was clicked."""
        self.done(self.typed if key == NEW else key)

    def _narrow(self) -> None:
        self._rows.refresh_keys([NEW])  # what is typed stands in its row
        super()._narrow()

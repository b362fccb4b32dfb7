"""ChoiceDialog: one of several by its name; a profile is chosen with it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textual.widget import Widget

from frontdesk.text.display_text import NOTHING, SafeText
from frontdesk.text.lines import Line, Role, Span, fit, span
from frontdesk.tui.dialogs.base import Note
from frontdesk.tui.dialogs.filter_list import Choice, FilterDialog
from frontdesk.tui.keymap import keys_line


@dataclass(frozen=True, slots=True)
class NamedChoice:
    """A row: what it answers with, its name, and what tells it from others of a like name."""

    id: str
    name: SafeText
    says: SafeText = NOTHING


class ChoiceDialog(FilterDialog[str]):
    """Answers with the id of a choice."""

    DEFAULT_CSS = "ChoiceDialog Note { height: auto; }"

    def __init__(
        self,
        title: SafeText,
        choices: Sequence[NamedChoice],
        *,
        says: SafeText = NOTHING,
        placeholder: str = "",
        at: str = "",
        draft: str = "",
    ) -> None:
        """A choice.

        Args:
            title: what is chosen.
            choices: in the order shown.
            says: what to know before choosing.
            placeholder: what to type, frontdesk's own words.
            at: the choice that the cursor stands on first; the first one where there is none such.
            draft: what was typed before.
        """
        super().__init__(
            title,
            [Choice(each.id, f"{each.name.text} {each.says.text}") for each in choices],
            keys=keys_line(("↑ ↓", "pick"), ("enter", "open"), ("esc", "close")),
            placeholder=placeholder,
            empty="None is called so.",
            draft=draft,
        )
        self._named = {each.id: each for each in choices}
        self._says, self._at = says, at

    def on_mount(self) -> None:
        if self._at in self._named and not self._draft:
            # Textual calls this before the one that lists them.
            self.call_later(self._rows.move_to, self._at)

    def compose_body(self) -> Iterable[Widget]:
        yield from super().compose_body()
        if self._says:
            yield Note((Span(self._says, Role.DIM),))

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        """The line of a choice."""
        choice = self._named[key]
        return (fit((span("  "), Span(choice.name, Role.STRONG)), width, (Span(choice.says, Role.DIM),)),)

    def accept(self) -> None:
        """Answer with what the cursor is on."""
        if self._rows.cursor_key is not None:
            self.done(self._rows.cursor_key)

    def clicked(self, key: str) -> None:
        """Answer with what was clicked."""
        self.done(key)

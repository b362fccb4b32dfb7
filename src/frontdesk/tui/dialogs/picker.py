"""PickerDialog: one of several by its name, or an id that is typed where nobody lists them all."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textual.widget import Widget

from frontdesk.text.display_text import NOTHING, SafeText, show_line
from frontdesk.text.lines import Line, Role, Span, fit, span
from frontdesk.tui.dialogs.base import Note
from frontdesk.tui.dialogs.filter_list import Choice, FilterDialog
from frontdesk.tui.keymap import keys_line

NEW = "\x00new"
"""The key of the row for a typed id."""


@dataclass(frozen=True, slots=True)
class NamedChoice:
    """A row: its id, its name, and a note that tells it from others of a like name."""

    id: str
    name: SafeText
    says: SafeText = NOTHING


class PickerDialog(FilterDialog[str]):
    """Answers with the id of a choice.

    Args:
        says: a note on the choice.
        at: the id that the cursor starts on; the first one if it isn't listed.
        can_type: whether a typed id that isn't listed is an answer.
    """

    DEFAULT_CSS = "PickerDialog Note { height: auto; }"

    def __init__(
        self,
        title: SafeText,
        choices: Sequence[NamedChoice],
        *,
        says: SafeText = NOTHING,
        placeholder: str = "",
        at: str = "",
        draft: str = "",
        can_type: bool = False,
    ) -> None:
        super().__init__(
            title,
            [Choice(each.id, f"{each.name.text} {each.says.text}") for each in choices],
            keys=keys_line(("↑ ↓", "pick"), ("enter", "open"), ("esc", "close")),
            placeholder=placeholder,
            empty="None is known yet: type an id." if can_type else "None is called so.",
            draft=draft,
        )
        self._named = {each.id: each for each in choices}
        self._says, self._at, self._can_type = says, at, can_type

    def on_mount(self) -> None:
        if self._at in self._named and not self._draft:
            # Textual calls this before the base class lists the choices.
            self.call_later(self._rows.move_to, self._at)

    def compose_body(self) -> Iterable[Widget]:
        yield from super().compose_body()
        if self._says:
            yield Note((Span(self._says, Role.DIM),))

    def found(self, typed: str) -> list[str]:
        """Return the matching ids, and `NEW` for a typed id that isn't listed."""
        found = super().found(typed)
        return [*found, NEW] if self._can_type and typed and typed not in self._named else found

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        if key == NEW:
            typed = Span(show_line(self.typed, 80), Role.STRONG)
            return (fit((span("  this id: "), typed), width, (span("not known here", Role.WARN),)),)
        choice = self._named[key]
        return (fit((span("  "), Span(choice.name, Role.STRONG)), width, (Span(choice.says, Role.DIM),)),)

    def choose(self, key: str) -> None:
        self.done(self.typed if key == NEW else key)

    def _narrow(self) -> None:
        if self._can_type:
            self._rows.refresh_keys([NEW])  # it contains the typed text
        super()._narrow()

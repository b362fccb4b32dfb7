"""A filter typed as a line, with the known lines, agents and customers to pick from."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from textual import on
from textual.widget import Widget
from textual.widgets import Input

from frontdesk.tasks.filter import last_term
from frontdesk.text.display_text import NOTHING, SafeText, trusted
from frontdesk.text.fuzzy import best
from frontdesk.text.lines import Line, Role, Span, fit, span
from frontdesk.tui.dialogs.base import Note
from frontdesk.tui.dialogs.filter_list import Choice, FilterDialog
from frontdesk.tui.keymap import keys_line


@dataclass(frozen=True, slots=True)
class TermChoice:
    """A term to pick.

    Attributes:
        typed: the term as it is typed, `line:Support`.
        kind: the field, `line`.
        says: further facts.
    """

    typed: str
    kind: str
    name: SafeText
    says: SafeText = NOTHING


class TaskFilterDialog(FilterDialog[str]):
    """A dialog for the filter as it was typed; empty for none."""

    def __init__(
        self,
        choices: Sequence[TermChoice],
        customers: Callable[[str], Sequence[TermChoice]],
        understood: Callable[[str], Line],
        *,
        draft: str = "",
    ) -> None:
        """Prepare the dialog.

        Args:
            choices: lines and agents, in the order shown.
            customers: finds conversations whose customer has these words.
            understood: describes how the text is parsed.
            draft: the current filter, or what was typed before.
        """
        super().__init__(
            trusted("Filter the board"),
            [Choice(each.typed, f"{each.name.text} {each.says.text}") for each in choices],
            keys=keys_line(("tab", "take it"), ("-", "not"), ("enter", "filter"), ("esc", "close")),
            placeholder="words, line:, agent:, conversation:",
            empty="Nothing known by that name: enter looks for the words.",
            draft=draft,
        )
        self._by_typed = {each.typed: each for each in choices}
        self._found: dict[str, TermChoice] = {}
        self._customers = customers
        self._understood = understood
        self._note = Note(classes="dialog--below")
        self._is_picked = False

    def compose_body(self) -> Iterable[Widget]:
        yield from super().compose_body()
        yield self._note

    def on_mount(self) -> None:
        self._update_preview()

    def found(self, typed: str) -> list[str]:  # noqa: ARG002 - the blank at the end counts here
        """Return the choices for the last term of the line."""
        _, _, kind, value = last_term(self._field.value)
        choices = [each for each in self._by_typed.values() if kind in ("", each.kind)]
        if value and kind in ("", "conversation"):
            customers = self._customers(value)
            self._found |= {each.typed: each for each in customers}
        else:
            customers = ()
        known = {each.typed for each in customers}
        choices = [each for each in choices if each.typed not in known]
        if value:
            choices = best(value, [(each, f"{each.name.text} {each.typed}") for each in choices])
        return [each.typed for each in (*choices, *customers)]

    def toggle(self, key: str) -> None:
        """Replace the last term of the line."""
        before, minus, _, _ = last_term(self._field.value)
        self._field.value = f"{before}{minus}{key} "
        self._field.cursor_position = len(self._field.value)
        self._is_picked = False

    def accept(self) -> None:
        """Answer with the line, with the selected choice as its last term."""
        if self._is_picked and self._rows.cursor_key is not None:
            self.toggle(self._rows.cursor_key)
        self.done(self.typed)

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        choice = self._by_typed.get(key) or self._found[key]
        name = (span(f"{choice.kind:<13}", Role.DIM), Span(choice.name, Role.STRONG))
        return (fit(name, width, (Span(choice.says, Role.DIM),)),)

    def action_move(self, rows: int) -> None:
        self._is_picked = True
        super().action_move(rows)

    @on(Input.Changed)
    def _update_preview(self) -> None:
        self._is_picked = False
        self._note.set_line(self._understood(self._field.value))

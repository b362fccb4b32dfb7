"""Dialogs that open a conversation: by line and customer, or by name."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from textual.widget import Widget

from frontdesk.api.contract.ids import ConversationId, LineId
from frontdesk.inbox.phone_numbers import Pair, pair
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.text.lines import Line, Role, Span, fit, span
from frontdesk.tui.dialogs.base import Note
from frontdesk.tui.dialogs.filter_list import FilterDialog
from frontdesk.tui.keymap import keys_line

NO_LINES = "No line is known yet: type its id and the customer's, with a blank between."

NOTHING_TYPED = "Type the customer's number or id first."


class OpenPairDialog(FilterDialog[Pair]):
    """A dialog for a line and a customer that no task names."""

    DEFAULT_CSS = "OpenPairDialog Note { margin-top: 1; }"

    def __init__(
        self, lines: Mapping[LineId, SafeText], *, line_id: LineId | None = None, draft: str = ""
    ) -> None:
        """Prepare the dialog.

        Args:
            lines: the known lines and their names.
            line_id: the line selected first.
        """
        super().__init__(
            trusted("Open a conversation"),
            (),
            keys=keys_line(("↑ ↓", "line"), ("enter", "open"), ("esc", "close")),
            placeholder="The customer: +972 52-123-4567, 052 1234567, or an id",
            empty=NO_LINES,
            draft=draft,
        )
        self._lines = dict(lines)
        self._first = line_id
        self._note = Note()

    def compose_body(self) -> Iterable[Widget]:
        yield from super().compose_body()
        yield self._note

    def on_mount(self) -> None:
        self.list_keys([*self._lines])
        if self._first is not None:
            self._rows.move_to(self._first)

    @property
    def pair(self) -> Pair | None:
        """Return what is typed and selected, as far as it is complete."""
        picked = self._rows.cursor_key
        return pair(self.typed, self._lines, None if picked is None else LineId(picked))

    def found(self, typed: str) -> list[str]:  # noqa: ARG002 - lines are picked, not searched
        """Return all lines: what is typed is the customer."""
        return [*self._lines]

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        name = self._lines[LineId(key)]
        suffix = () if name.text == key else (Span(show_line(key, 30), Role.DIM),)
        return (fit((span("  "), Span(name, Role.STRONG)), width, suffix),)

    def accept(self) -> None:
        """Answer if a line and a customer are given."""
        wanted = self.pair
        if wanted is not None and wanted.line_id is not None:
            self.done(wanted)
        elif not self.typed:
            self._show_note(NOTHING_TYPED, Role.WARN)
        else:
            self._show_note(
                "That is no number with its country, nor an id." if wanted is None else NO_LINES, Role.BAD
            )

    def action_move(self, rows: int) -> None:
        super().action_move(rows)
        self._update_pair()

    def choose(self, key: str) -> None:  # noqa: ARG002 - the click has put the cursor there
        self._update_pair()

    def _narrow(self) -> None:
        """Select a line that is typed; all stay listed."""
        wanted = self.pair
        if wanted is not None and wanted.line_id in self._lines:
            self._rows.move_to(str(wanted.line_id))
        self._update_pair()

    def _update_pair(self) -> None:
        wanted = self.pair
        if wanted is None or wanted.line_id is None:
            self._show_note("")
            return
        name = self._lines.get(wanted.line_id, show_line(wanted.line_id, 30))
        self._show_note(f"→ {show_line(wanted.customer_id, 40).text} on {name.text}", Role.GOOD)

    def _show_note(self, words: str, role: Role = Role.DIM) -> None:
        self._note.set_line((span(trusted(words), role),) if words else ())


Find = Callable[[str], Sequence[ConversationId]]
Draw = Callable[[ConversationId, int], Line]


class JumpDialog(FilterDialog[ConversationId]):
    """A dialog that finds a known conversation by name, number or id."""

    DEFAULT_CSS = "JumpDialog > .dialog--box { width: 84; }"

    def __init__(
        self, find: Find, draw_one: Draw, recent: Sequence[ConversationId], *, opens: str, draft: str = ""
    ) -> None:
        """Prepare the dialog.

        Args:
            find: returns the matches, best first.
            draw_one: draws the line of one.
            recent: listed while nothing is typed.
            opens: the key that opens one that isn't known.
        """
        super().__init__(
            trusted("Jump to a conversation"),
            (),
            keys=keys_line(("↑ ↓", "pick"), ("enter", "open"), ("esc", "close")),
            placeholder="Name, number or id; letters may be left out",
            empty=f"No known conversation is called so; {opens} opens one by its number.",
            draft=draft,
        )
        self._find, self._draw_one = find, draw_one
        self._recent = [str(each) for each in recent]

    def found(self, typed: str) -> list[str]:
        """Return the matching ids, best first; the recent ones while nothing is typed."""
        return [str(each) for each in self._find(typed)] if typed else self._recent

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        return (self._draw_one(ConversationId(key), width),)

    def accept(self) -> None:
        if self._rows.cursor_key is not None:
            self.done(ConversationId(self._rows.cursor_key))

    def choose(self, key: str) -> None:
        self.done(ConversationId(key))

"""JumpDialog: a conversation by its customer's name, number or id, whatever view is shown."""

from collections.abc import Callable, Sequence

from frontdesk.api.contract.ids import ConversationId
from frontdesk.text.display_text import trusted
from frontdesk.text.lines import Line
from frontdesk.tui.dialogs.filter_list import FilterDialog
from frontdesk.tui.keymap import keys_line

Find = Callable[[str], Sequence[ConversationId]]
Draw = Callable[[ConversationId, int], Line]


class JumpDialog(FilterDialog[ConversationId]):
    """Answers with a conversation."""

    DEFAULT_CSS = "JumpDialog > .dialog--box { width: 84; }"

    def __init__(
        self, find: Find, draw_one: Draw, recent: Sequence[ConversationId], *, opens: str, draft: str = ""
    ) -> None:
        """A choice among all known conversations.

        Args:
            find: those that are called as typed, best first.
            draw_one: the line of one.
            recent: those listed while nothing is typed.
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
        """The ids that match, best first; the last ones looked at while nothing is typed."""
        return [str(each) for each in self._find(typed)] if typed else self._recent

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        """The line of a conversation."""
        return (self._draw_one(ConversationId(key), width),)

    def accept(self) -> None:
        """Answer with what the cursor is on."""
        if self._rows.cursor_key is not None:
            self.done(ConversationId(self._rows.cursor_key))

    def clicked(self, key: str) -> None:
        """Answer with what was clicked."""
        self.done(ConversationId(key))

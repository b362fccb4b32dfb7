"""DigitDialog: a short list in which a digit chooses at once."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence

from textual import events, on
from textual.widget import Widget

from frontdesk.tui.dialogs.base import Dialog
from frontdesk.tui.keymap import keys_line
from frontdesk_lines.display_text import SafeText
from frontdesk_lines.lines import Line, Role, Span, span
from frontdesk_lines.widgets.row_list import RowList

DIGITS = "123456789"


class DigitDialog(Dialog[str]):
    """Answers with the id of a row.

    Args:
        ids: the ids, in order; those after the ninth have no digit.
        current: the id that the cursor starts on.
    """

    DEFAULT_CSS = "DigitDialog RowList { min-height: 1; }"

    def __init__(self, title: SafeText, ids: Sequence[str], current: str | None = None) -> None:
        digits = f"1–{min(len(DIGITS), len(ids))}" if len(ids) > 1 else "1"
        super().__init__(title, keys=keys_line((digits, "choose"), ("j k enter", "pick"), ("esc", "cancel")))
        self._ids, self._current = tuple(ids), current
        self._rows = RowList(self.draw, can_mark=False)

    @abstractmethod
    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        """Draw a row in a line that begins with its digit."""

    @property
    def rows(self) -> RowList:
        return self._rows

    def digit(self, key: str) -> Span:
        at = self._ids.index(key)
        return span(f"{DIGITS[at] if at < len(DIGITS) else ' '}  ", Role.ACCENT)

    def compose_body(self) -> Iterable[Widget]:
        yield self._rows

    def on_mount(self) -> None:
        self._rows.set_keys(self._ids)
        if self._current is not None:
            self._rows.move_to(self._current)
        self._rows.focus()

    def on_resize(self) -> None:
        self.set_height(self._rows, len(self._ids), 0.6)

    def on_key(self, event: events.Key) -> None:
        at = DIGITS.find(event.character) if event.character else -1
        if 0 <= at < len(self._ids):
            event.stop()
            self.done(self._ids[at])

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.done(event.key)

    @on(events.Click, "RowList")
    def _clicked(self, event: events.Click) -> None:
        if (key := self._rows.key_at(event.y)) is not None:
            self.done(key)

"""StatusDialog: one status for the tasks it was opened on; a digit chooses at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textual import events, on
from textual.widget import Widget

from frontdesk.text.display_text import NOTHING, SafeText
from frontdesk.text.lines import Line, Role, Span, fit, span
from frontdesk.tui.dialogs.base import Dialog
from frontdesk.tui.keymap import keys_line
from frontdesk.tui.widgets.row_list import RowList

_DIGITS = "123456789"


@dataclass(frozen=True, slots=True)
class StatusChoice:
    """A status, how many tasks have it where that is known, and of many how many of these."""

    id: str
    label: SafeText
    count: int | None = None
    of_these: SafeText = NOTHING


class StatusDialog(Dialog[str]):
    """Answers with the id of a status."""

    DEFAULT_CSS = """
    StatusDialog {
        & > .dialog--box { width: 50; }
        & RowList { min-height: 1; }
    }
    """

    def __init__(self, title: SafeText, statuses: Sequence[StatusChoice], current: str | None = None) -> None:
        """A status dialog.

        Args:
            title: what it works on, as "Status · Late delivery".
            statuses: in the order of the board.
            current: the status all of them have; None where they differ.
        """
        digits = f"1–{min(9, len(statuses))}" if len(statuses) > 1 else "1"
        super().__init__(title, keys=keys_line((digits, "choose"), ("j k enter", "pick"), ("esc", "close")))
        self._statuses = {choice.id: choice for choice in statuses}
        self._current = current
        self._rows = RowList(self._draw, can_mark=False)

    @property
    def rows(self) -> RowList:
        """The list."""
        return self._rows

    def compose_body(self) -> Iterable[Widget]:
        yield self._rows

    def on_mount(self) -> None:
        self._rows.set_keys(tuple(self._statuses))
        if self._current is not None:
            self._rows.move_to(self._current)
        self._rows.focus()

    def on_resize(self) -> None:
        self.give_height(self._rows, len(self._statuses), 0.6)

    def on_key(self, event: events.Key) -> None:
        at = _DIGITS.find(event.character) if event.character else -1
        if 0 <= at < len(self._statuses):
            event.stop()
            self.done(tuple(self._statuses)[at])

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.done(event.key)

    @on(events.Click, "RowList")
    def _clicked(self, event: events.Click) -> None:
        if (key := self._rows.key_at(event.y)) is not None:
            self.done(key)

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        choice = self._statuses[key]
        at = tuple(self._statuses).index(key)
        digit = _DIGITS[at] if at < len(_DIGITS) else " "
        is_now = key == self._current
        name = Span(choice.label, Role.STRONG if is_now else Role.TEXT)
        now = (span("  now", Role.DIM),) if is_now else (span("  "), Span(choice.of_these, Role.DIM))
        count = () if choice.count is None else (span(f"{choice.count:,}", Role.DIM),)
        return (fit((span(f"{digit}  ", Role.ACCENT), name, *now), width, count),)

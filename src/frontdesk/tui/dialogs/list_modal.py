"""OverList: what dialogs share in which something else keeps the focus while the arrows move in a list.

Searching, picking, due times and plans are built on it.
"""

from textual.binding import Binding, BindingType

from frontdesk.tui.widgets.row_list import RowList

MOVES: list[BindingType] = [
    Binding("down,ctrl+n", "move(1)", "next", priority=True),
    Binding("up", "move(-1)", "previous", priority=True),
    Binding("pagedown", "page(1)", "page", priority=True),
    Binding("pageup", "page(-1)", "page", priority=True),
]
"""The keys; a dialog adds them to its own."""


class ListModal:
    """Mixed into a `Dialog`: no widget itself, since Textual takes the CSS of one parent alone."""

    _rows: RowList

    @property
    def rows(self) -> RowList:
        """The list."""
        return self._rows

    def action_move(self, rows: int) -> None:
        """One row down or up."""
        if rows > 0:
            self._rows.action_cursor_down()
        else:
            self._rows.action_cursor_up()

    def action_page(self, pages: int) -> None:
        """A page of the list down or up."""
        if pages > 0:
            self._rows.action_page_down()
        else:
            self._rows.action_page_up()

"""Place the terminal's own cursor on the row that has the focus, which screen readers and braille follow.

Called before each frame, so it uses only what is laid out and painted already.
"""

from typing import Any

from textual.geometry import Offset
from textual.screen import Screen
from textual.widget import Widget


def cursor_cell(screen: Screen[Any]) -> Offset | None:
    """Return the cell for the terminal's cursor, or None if nothing has the focus.

    A field's is its caret. A widget of lines has a `cursor_row`; a dialog whose list moves while a field has the
    focus tells with `followed` which of them the last key changed.
    """
    followed = getattr(screen, "followed", None)
    widget: Widget | None = screen.focused if followed is None else followed()
    if widget is None and screen.is_modal:
        # A dialog without focusable widgets, such as one that shows progress.
        widget = next(iter(screen.query(".dialog--box")), None)
    if widget is None or not widget.region:
        return None
    caret: Offset | None = getattr(widget, "cursor_screen_offset", None)
    if caret is not None:
        return caret
    row = getattr(widget, "cursor_row", None)
    return widget.content_region.offset + Offset(0, 0 if row is None else row())

"""Tell whether an input's cursor is drawn at this moment.

Leans on `Input._cursor_visible` (8.2.8): its blinking has no public name, and `tui.widgets.field` draws
right-to-left lines itself, cursor included.

Guarantees what `Input.render_line` goes by.
"""

from textual.widgets import Input


def is_cursor_drawn(field: Input) -> bool:
    """Whether it has the focus and is not between two blinks."""
    return field.has_focus and field._cursor_visible

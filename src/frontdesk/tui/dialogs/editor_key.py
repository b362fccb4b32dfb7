"""The key with which a dialog's text is edited in the person's own editor."""

import os
from typing import Any

from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import TextArea

from frontdesk.text.display_text import show_line
from frontdesk.text.lines import Role, Span, span
from frontdesk.tui.content import clean_for_input
from frontdesk.tui.editor import NotEdited, edit_text
from frontdesk.tui.widgets.note import Note

EDITOR_KEY = Binding("ctrl+g", "edit_outside", "own editor", priority=True)
"""A dialog with it has `action_edit_outside`."""


def edit_area(dialog: Screen[Any], area: TextArea, note: Note) -> None:
    """Edit a text; what isn't changed stays as it is, and what fails is said in the note."""
    before = area.text
    try:
        after = clean_for_input(edit_text(dialog.app, os.environ, before), lines=True)
    except NotEdited as error:
        note.set_line((span("✗ ", Role.BAD), Span(show_line(str(error), 200), Role.BAD)))
        return
    if after != before:
        area.text = after
        area.move_cursor(area.document.end)
    area.focus()

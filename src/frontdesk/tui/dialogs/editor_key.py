"""The key with which a dialog's text is edited in the person's own editor."""

import os
from collections.abc import Callable
from typing import Any

from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import TextArea

from frontdesk.tui.editor import NotEdited, edit_text
from frontdesk_lines.content import clean_for_input
from frontdesk_lines.display_text import show_line
from frontdesk_lines.lines import Role, Span, span
from frontdesk_lines.widgets.note import Note

EDITOR_KEY = Binding("ctrl+g", "edit_outside", "own editor", priority=True)
"""A dialog with it has `action_edit_outside`."""


def edit_outside(dialog: Screen[Any], text: str, note: Note, check: Callable[[str], str]) -> str | None:
    """Return a text as it was edited; None where it wasn't changed, or the note says what failed.

    Args:
        check: returns why an edited text can't be used, as a sentence.
    """
    try:
        after = edit_text(dialog.app, os.environ, text, check=check)
    except NotEdited as error:
        note.set_line((span("✗ ", Role.BAD), Span(show_line(str(error), 300), Role.BAD)))
        return None
    return None if after == text else after


def edit_area(dialog: Screen[Any], area: TextArea, note: Note, max_letters: int) -> None:
    after = edit_outside(dialog, area.text, note, lambda text: length_fault("text", text, max_letters))
    if after is not None:
        fill_area(area, clean_for_input(after, lines=True))
    area.focus()


def fill_area(area: TextArea, text: str) -> None:
    if text != area.text:
        area.text = text
        area.move_cursor(area.document.end)


def length_fault(name: str, text: str, max_letters: int) -> str:
    """Return a sentence about a text that is too long for its field, or an empty string."""
    return f"The edited {name} has more than {max_letters:,} characters." if len(text) > max_letters else ""

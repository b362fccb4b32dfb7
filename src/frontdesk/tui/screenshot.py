"""Saves a picture of the screen into the profile's folder for exports."""

from datetime import datetime
from pathlib import Path
from typing import Any

from textual.app import App

from frontdesk.config.paths import free_export_path, write_new_file
from frontdesk.tui.context import AppContext
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import show_line, trusted
from frontdesk_lines.privacy import IS_HIDDEN, is_private


def save_screenshot(app: App[Any], context: AppContext) -> None:
    """Save what the terminal shows as an SVG, and say where."""
    if is_private():
        key = context.key("app.privacy")
        words = f"No picture was saved: {IS_HIDDEN.lower()}. Press {key} to show them."
        notify(app, trusted(words), severity="warning")
        return
    taken_at = datetime.fromtimestamp(context.clock(), context.zone)
    path = Path(free_export_path(context.store.folder, f"screenshot-{taken_at:%Y-%m-%d-%H%M%S}", ".svg"))
    try:
        write_new_file(path, app.export_screenshot(), is_private=True)
    except OSError as error:
        words = f"Couldn't write {path}: {error.strerror or error}"
        notify(app, show_line(words, 400), severity="error", timeout_seconds=30)
        return
    notify(app, show_line(f"Saved {path}", 400), timeout_seconds=10)

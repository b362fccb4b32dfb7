"""The dialog of themes: shows each one as the cursor reaches it, and saves the chosen one in config.toml."""

from dataclasses import replace
from typing import Any

from textual import on
from textual.app import App

from frontdesk.config.catalogue_rows import NotSaved, save_setting
from frontdesk.config.settings import THEME_NAMES, config_path
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import on_answer
from frontdesk.tui.dialogs.picker import NamedChoice, PickerDialog
from frontdesk.tui.keymap import keys_line
from frontdesk.tui.themes import apply_theme, find_theme, first_theme
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import SafeText, show_line, trusted
from frontdesk_lines.widgets.row_list import RowList

_ABOUT = {"dark": "the default", "light": "", "terminal": "your terminal's own 16 colors"}


class ThemeDialog(PickerDialog):
    """Answers with the name of a theme, which the app shows by then.

    Args:
        current: the theme to return to if the dialog is closed unanswered.
    """

    keys = keys_line(("↑ ↓", "preview"), ("enter", "save"), ("esc", "cancel"))

    def __init__(self, current: str) -> None:
        choices = [NamedChoice(name, trusted(name), _about(name)) for name in THEME_NAMES]
        super().__init__(trusted("Theme"), choices, placeholder="Type a name, dark or light", at=current)
        self._current = current

    @on(RowList.Highlighted)
    def _preview_soon(self) -> None:
        self.call_later(self._preview)  # of several moves in a row, the last one is shown

    def _preview(self) -> None:
        if self.is_active and (name := self._rows.cursor_key) is not None:
            apply_theme(self.app, name)

    def choose(self, key: str) -> None:
        apply_theme(self.app, key)
        super().choose(key)

    def action_close(self) -> None:
        apply_theme(self.app, self._current)
        super().action_close()


def _about(name: str) -> SafeText:
    return trusted(_ABOUT.get(name, "dark" if find_theme(name).dark else "light"))


def pick_theme(app: App[Any], context: AppContext) -> None:
    if app.no_color:
        why = "NO_COLOR is set" if "NO_COLOR" in context.environ else "This terminal is monochrome"
        notify(app, trusted(f"{why}, so there are no colors to change."))
        return

    def save(name: str) -> None:
        try:
            save_setting(config_path(), "theme", name)
        except NotSaved as error:
            words = show_line(f"{name} is shown until you quit, but couldn't be saved: {error}", 400)
            notify(app, words, severity="error", timeout_seconds=15)
            return
        context.store.settings = replace(context.store.settings, theme=name)
        starts = first_theme(name, app.console.color_system)
        note = (
            ""
            if starts == name
            else f" This terminal has only 16 colors, so frontdesk starts with the theme {starts}."
        )
        notify(app, trusted(f"Saved theme {name}.{note}"), timeout_seconds=3)

    app.push_screen(ThemeDialog(app.theme), on_answer(save))

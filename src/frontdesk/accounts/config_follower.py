"""Applies what was changed in config.toml while the screens run; a file that can't be used changes nothing."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from textual.app import App

from frontdesk.accounts.config_check import keymap_problem
from frontdesk.campaigns.alert_rules import rules
from frontdesk.config.settings import FOLLOWED, ConfigError, Settings, config_path, load_config
from frontdesk.config.toml_places import with_line
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.context import AppContext
from frontdesk.tui.keymap import KeymapError
from frontdesk.tui.themes import apply_theme, first_theme
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import show_line, trusted
from frontdesk_lines.widgets.overlays import remove_welcome


def follow_config(
    app: App[Any], context: AppContext, screens: Callable[[], Iterable[BaseScreen]], refresh: Callable[[], None]
) -> None:
    """Apply the settings of `FOLLOWED` that differ from those in use, and say which; or say what is wrong.

    Args:
        screens: the screens whose welcome goes where hints are off.
        refresh: draws all of them anew.
    """
    before = context.store.settings
    try:
        wanted = load_config().settings
        changed = [key for key in FOLLOWED if getattr(wanted, key) != getattr(before, key)]
        rules(wanted.alerts)
        context.keymap.override(wanted.keymap)
    except (ConfigError, KeymapError) as error:
        fault = keymap_problem(error, wanted.keymap) if isinstance(error, KeymapError) else str(error)
        words = f"{with_line(fault, config_path())}. The current settings apply until you fix it."
        notify(app, show_line(words, 400), severity="error", timeout_seconds=15)
        return
    if changed:
        context.store.settings = replace(before, **{key: getattr(wanted, key) for key in changed})
        _show(app, context, changed, context.store.settings)
        if not context.store.settings.hints:
            for screen in screens():
                remove_welcome(screen)
        refresh()
        notify(app, trusted(f"Applied from config.toml: {', '.join(changed)}."), timeout_seconds=4)


def _show(app: App[Any], context: AppContext, changed: list[str], settings: Settings) -> None:
    if "theme" in changed and not app.no_color:
        apply_theme(app, first_theme(settings.theme, app.console.color_system))
    if "keymap" in changed:
        app.set_keymap(context.keymap.textual_keymap())

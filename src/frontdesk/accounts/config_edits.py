"""Edits of config.toml: in an editor, followed while screens run, repaired; a faulty file changes nothing."""

import os
import sys
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from textual.app import App

from frontdesk.accounts.config_check import check_config, first_problem_line, keymap_problem
from frontdesk.campaigns.alert_rules import rules
from frontdesk.cli.errors import print_error
from frontdesk.config import settings as config_settings
from frontdesk.config.editor_command import NoEditor, find_editor, run_editor
from frontdesk.config.file_access import OpenToOthers, read_own_file
from frontdesk.config.paths import replace_file
from frontdesk.config.settings import FOLLOWED, ConfigError, Settings, config_path, load_config
from frontdesk.config.toml_edits import line_of, parse_toml, with_line
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.context import AppContext
from frontdesk.tui.editor import NotEdited, edit_text
from frontdesk.tui.keymap import KeymapError
from frontdesk.tui.overlays import remove_welcome
from frontdesk.tui.themes import apply_theme, first_theme
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import SafeText, show_line, trusted


def repair_config() -> bool | None:
    """Show what is wrong and offer the editor until the config can be read.

    Returns:
        Whether it was corrected; None where nobody could be asked, or the config isn't what is wrong.
    """
    path = config_settings.config_path()
    is_edited = False
    while (words := _fault()) is not None:
        line = line_of(words, path)
        try:
            command = find_editor(os.environ)
        except NoEditor:
            return None
        if not path.is_file() or not is_terminal():
            return None
        if not _wants_editor(words, command[0], path, line):
            return False
        run_editor(command, path, line)
        is_edited = True
    return True if is_edited else None


def is_terminal() -> bool:
    """Return whether somebody can be asked, and an editor be shown."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _fault() -> str | None:
    try:
        config_settings.load_config()
    except config_settings.ConfigError as error:
        return str(error)
    return None


def _wants_editor(words: str, editor: str, path: Path, line: int | None) -> bool:
    print_error(words)
    where = f"{path.name} at line {line}" if line is not None else path.name
    try:
        return input(f"Open {where} in {editor}? [Y/n] ").strip().lower() in ("", "y", "yes")
    except (EOFError, KeyboardInterrupt):
        print()
        return False


def edit_config(app: App[Any], profile: config_settings.Profile) -> SafeText:
    """Edit the config, and return what to say: whether it was saved, and each part that can't be used."""
    path = config_settings.config_path()
    try:
        before = read_own_file(path) if path.exists() else ""
        after = edit_text(app, os.environ, before, ".toml", check=_edit_fault, line=first_problem_line(profile))
        if after.rstrip() == before.rstrip():
            return show_line(f"{path.name} wasn't changed.")
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(path, f"{after.rstrip()}\n")
    except (NotEdited, OpenToOthers) as error:
        return show_line(str(error), 400)
    except (OSError, UnicodeDecodeError) as error:
        return show_line(f"{path.name} can't be edited: {error}", 400)
    restart = [] if _rest(before) == _rest(after) else ["Restart frontdesk to apply it."]
    unusable = (f"{each.words}." for each in check_config(profile) if each.status)
    return show_line(" ".join([f"Saved {path.name}.", *restart, *unusable]), 600)


def _rest(text: str) -> dict[str, Any] | None:
    """Return what of a config applies at the next start; None if it isn't TOML."""
    try:
        content = parse_toml(text)
    except tomllib.TOMLDecodeError:
        return None
    content.pop("macros", None)
    if isinstance(settings := content.pop("settings", {}), dict):
        settings = {key: value for key, value in settings.items() if key not in FOLLOWED}
    return {**content, "settings": settings}


def _edit_fault(text: str) -> str:
    """Return why frontdesk couldn't start with this config, as a sentence; empty where it could."""
    try:
        config_settings.parse_config(text, config_settings.config_path().name)
    except config_settings.ConfigError as error:
        return f"{error}."
    return ""


def follow_config(
    app: App[Any], context: AppContext, screens: Callable[[], Iterable[BaseScreen]], refresh: Callable[[], None]
) -> bool:
    """Apply the settings of `FOLLOWED` that differ from those in use, and say which; or say what is wrong.

    Args:
        screens: the screens whose welcome goes where hints are off.
        refresh: draws all of them anew.

    Returns:
        Whether the file can be used.
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
        return False
    if changed:
        context.store.settings = replace(before, **{key: getattr(wanted, key) for key in changed})
        _show(app, context, changed, context.store.settings)
        if not context.store.settings.hints:
            for screen in screens():
                remove_welcome(screen)
        refresh()
        notify(app, trusted(f"Applied from config.toml: {', '.join(changed)}."), timeout_seconds=4)
    return True


def _show(app: App[Any], context: AppContext, changed: list[str], settings: Settings) -> None:
    if "theme" in changed and not app.no_color:
        apply_theme(app, first_theme(settings.theme, app.console.color_system))
    if "keymap" in changed:
        app.set_keymap(context.keymap.textual_keymap())

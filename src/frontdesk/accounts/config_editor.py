"""Edits config.toml in the person's own editor: what can't be read isn't saved, what can't be used is named."""

import os
import tomllib
from typing import Any

from textual.app import App

from frontdesk.accounts.config_check import check_config, first_problem_line
from frontdesk.config import settings as config_settings
from frontdesk.config.file_access import OpenToOthers, read_own_file
from frontdesk.config.paths import replace_file
from frontdesk.config.settings import FOLLOWED
from frontdesk.config.toml_edits import parse_toml
from frontdesk.tui.editor import NotEdited, edit_text
from frontdesk_lines.display_text import SafeText, show_line


def edit_config(app: App[Any], profile: config_settings.Profile) -> SafeText:
    """Edit the config, and return what to say: whether it was saved, and each part that can't be used."""
    path = config_settings.config_path()
    try:
        before = read_own_file(path) if path.exists() else ""
        after = edit_text(app, os.environ, before, ".toml", check=_fault, line=first_problem_line(profile))
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
    if isinstance(settings := content.pop("settings", {}), dict):
        settings = {key: value for key, value in settings.items() if key not in FOLLOWED}
    return {**content, "settings": settings}


def _fault(text: str) -> str:
    """Return why frontdesk couldn't start with this config, as a sentence; empty where it could."""
    try:
        config_settings.parse_config(text, config_settings.config_path().name)
    except config_settings.ConfigError as error:
        return f"{error}."
    return ""

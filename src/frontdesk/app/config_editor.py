"""Edits config.toml in the person's own editor: what can't be read isn't saved, what can't be used is named."""

import os
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from textual.app import App

from frontdesk.app.command_keys import add_commands
from frontdesk.app.macro_keys import with_macros
from frontdesk.app.screens import KEYMAP
from frontdesk.app.service_policies import load_policies
from frontdesk.config import settings as config_settings
from frontdesk.config.config_watch import FOLLOWED
from frontdesk.config.file_access import OpenToOthers, read_own_file
from frontdesk.config.paths import replace_file
from frontdesk.config.toml_edits import parse_toml
from frontdesk.config.toml_places import line_of, with_line
from frontdesk.text.display_text import SafeText, show_line
from frontdesk.tui.context import AppContext
from frontdesk.tui.editor import NotEdited, edit_text
from frontdesk.tui.keymap import Keymap, KeymapError


def edit_config(app: App[Any], context: AppContext) -> SafeText:
    """Edit the config, and return what to say: whether it was saved, and each part that can't be used."""
    path = config_settings.config_path()
    try:
        before = read_own_file(path) if path.exists() else ""
        after = edit_text(app, os.environ, before, ".toml", check=_fault, line=_problem_line(context, before))
        if after.rstrip() == before.rstrip():
            return show_line(f"{path.name} wasn't changed.")
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(path, f"{after.rstrip()}\n")
    except (NotEdited, OpenToOthers) as error:
        return show_line(str(error), 400)
    except (OSError, UnicodeDecodeError) as error:
        return show_line(f"{path.name} can't be edited: {error}", 400)
    restart = [] if _rest(before) == _rest(after) else ["Restart frontdesk to apply it."]
    return show_line(" ".join([f"Saved {path.name}.", *restart, *_unusable(context)]), 600)


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
    with tempfile.TemporaryDirectory(prefix="frontdesk-") as folder:
        path = Path(folder) / config_settings.config_path().name
        try:
            path.touch(mode=0o600)
            path.write_text(text, encoding="utf-8")
            config_settings.load_config(path)
        except (config_settings.ConfigError, OSError) as error:
            return f"{str(error).replace(f'{folder}/', '')}."
    return ""


def _problem_line(context: AppContext, text: str) -> int | None:
    """Return the line of the config's first problem; None where it has none."""
    words, path = _fault(text), config_settings.config_path()
    lines = (line_of(each, path) for each in ([words] if words else _unusable(context)))
    return next((each for each in lines if each is not None), None)


def _unusable(context: AppContext) -> list[str]:
    """Return a sentence for each macro, and for the service clocks, that the saved config switches off."""
    config, profile = config_settings.load_config(), context.store.profile
    policies = load_policies(config.settings, profile)
    found = [f"{with_line(policies.fault, config_settings.config_path())}."] if policies.fault else []
    keymap = add_commands(_own_keys(config.settings), config.settings.extensions)[0]
    return [*found, *(f"{each}." for each in with_macros(keymap, profile)[2])]


def _own_keys(settings: config_settings.Settings) -> Keymap:
    try:
        return KEYMAP.with_overrides(settings.keymap)
    except KeymapError:
        return KEYMAP  # the next start names the fault

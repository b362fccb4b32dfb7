"""Offers to correct a broken config.toml in the person's own editor, at the line of the error."""

import os
import sys
from pathlib import Path

from frontdesk.cli.errors import print_error
from frontdesk.config import settings as config_settings
from frontdesk.config.editor_command import NoEditor, find_editor, run_editor
from frontdesk.config.toml_places import line_of


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

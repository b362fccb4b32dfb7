"""Offers to correct a broken config.toml in the person's own editor, at the line of the error."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from frontdesk.cli.errors import print_error
from frontdesk.config import settings as config_settings
from frontdesk.config.processes import child_environment
from frontdesk.config.toml_places import with_line

_TAKES_LINE = frozenset({"vi", "vim", "nvim", "nano", "emacs", "micro", "joe", "jed", "mg", "ne", "kak", "mcedit"})
"""Editors that open a file at `+LINE`."""

_LINE = re.compile(r"\bline (\d+)")


def repair_config() -> bool | None:
    """Show what is wrong and offer the editor until the config can be read.

    Returns:
        Whether it was corrected; None where nobody could be asked, or the config isn't what is wrong.
    """
    path = config_settings.config_path()
    is_edited = False
    while (words := _fault()) is not None:
        found = _LINE.search(words) or _LINE.search(with_line(words, path))
        line = int(found[1]) if found is not None else None
        command = _editor()
        if not command or not path.is_file() or not is_terminal():
            return None
        if not _wants_editor(words, command[0], path, line):
            return False
        subprocess.run(_with_file(command, path, line), env=child_environment(os.environ), check=False)
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


def _editor() -> list[str]:
    named = os.environ.get("VISUAL", "").strip() or os.environ.get("EDITOR", "").strip()
    try:
        return shlex.split(named)
    except ValueError:
        return []


def _with_file(command: list[str], path: Path, line: int | None) -> list[str]:
    takes_line = line is not None and Path(command[0]).name in _TAKES_LINE
    return [*command, *([f"+{line}"] if takes_line else []), str(path)]

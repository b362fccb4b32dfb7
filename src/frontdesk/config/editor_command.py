"""Finds the person's own editor: $VISUAL, else $EDITOR, else one on the PATH, as for git and crontab."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from frontdesk.config.processes import child_environment

FALLBACKS = ("sensible-editor", "nano", "vim", "vi")
"""The editors to try, in this order, if neither variable is set."""

_TAKES_LINE = frozenset(
    {"vi", "vim", "nvim", "nano", "emacs", "micro", "joe", "jed", "mg", "ne", "kak", "mcedit", "sensible-editor"}
)
"""The editors that open a file at `+LINE`."""


class NoEditor(Exception):
    """Raised when there is no editor, or its variable can't be parsed; the text is a sentence with the remedy."""


def find_editor(environ: Mapping[str, str]) -> list[str]:
    """Return the words of the editor's command.

    Raises:
        NoEditor: no editor is set and none is on the PATH, or a quote isn't closed.
    """
    for name in ("VISUAL", "EDITOR"):
        try:
            command = shlex.split(environ.get(name, ""))
        except ValueError:
            raise NoEditor(f"${name} has an unmatched quote. Correct it, then start frontdesk again.") from None
        if command and command[0]:
            return command
    for name in FALLBACKS:
        if (found := shutil.which(name, path=environ.get("PATH"))) is not None:
            return [found]
    raise NoEditor("No editor is set. Set VISUAL or EDITOR, then start frontdesk again.")


def run_editor(command: Sequence[str], path: Path, line: int | None = None) -> int:
    """Open a file in the editor, at a line, and return the editor's exit status."""
    return subprocess.run(
        with_file(command, path, line), env=child_environment(os.environ), check=False
    ).returncode


def with_file(command: Sequence[str], path: Path, line: int | None = None) -> list[str]:
    """Return the command that opens a file, at a line if the editor takes one."""
    takes_line = line is not None and Path(command[0]).name in _TAKES_LINE
    return [*command, *([f"+{line}"] if takes_line else []), str(path)]

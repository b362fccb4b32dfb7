"""Edits a text in the person's own editor, while the screens are suspended.

$VISUAL, else $EDITOR names it; it is split into words, and no shell is used. The text lies in a file
of mode 0600 in a folder of its own, which is removed afterwards.
"""

import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported

from frontdesk.config.processes import child_environment

MAX_BYTES = 1_000_000


class NotEdited(Exception):
    """The text couldn't be edited and is as it was; the text says why, as a sentence."""


def edit_text(app: App[Any], environ: Mapping[str, str], text: str, suffix: str = ".txt") -> str:
    """Return the text as it was saved in the editor; a line break that the editor added at the end is left out.

    Raises:
        NotEdited: there is no editor, it failed, or it left no text that can be read.
    """
    command = _editor_command(environ)
    with tempfile.TemporaryDirectory(prefix="frontdesk-") as folder:
        path = Path(folder) / f"text{suffix}"
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8", errors="replace")
        try:
            with app.suspend():
                ended = subprocess.run([*command, str(path)], env=child_environment(environ), check=False)
        except SuspendNotSupported:
            raise NotEdited("This terminal can't be handed to an editor.") from None
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "its name can't be passed on"
            raise NotEdited(f"Couldn't start the editor {command[0]}: {reason}. Nothing was changed.") from None
        if ended.returncode != 0:
            raise NotEdited(f"{command[0]} ended with status {ended.returncode}. Nothing was changed.")
        return _read(path, text)


def _editor_command(environ: Mapping[str, str]) -> list[str]:
    for name in ("VISUAL", "EDITOR"):
        if not environ.get(name, "").strip():
            continue
        try:
            command = shlex.split(environ[name])
        except ValueError:
            raise NotEdited(f"${name} has a quote without its pair.") from None
        if command and command[0]:
            return command
    raise NotEdited("No editor is set. Set VISUAL or EDITOR, then start frontdesk again.")


def _read(path: Path, before: str) -> str:
    try:
        with path.open("rb") as file:
            body = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise NotEdited(f"The edited text can't be read: {error.strerror}. Nothing was changed.") from None
    if len(body) > MAX_BYTES:
        raise NotEdited("The edited text is too long. Nothing was changed.")
    try:
        after = body.decode("utf-8")
    except UnicodeDecodeError:
        raise NotEdited("The edited text isn't UTF-8. Nothing was changed.") from None
    after = after.replace("\r\n", "\n")
    return after if before.endswith("\n") else after.removesuffix("\n")

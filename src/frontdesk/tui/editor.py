"""Edits a text, also a dialog's, in the person's own editor, while the screens are suspended.

`config.editor_command` finds it, and no shell is used. The text lies in a file of mode 0600
in a folder of its own, which is removed afterwards, unless it has a text that couldn't be taken.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported
from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import TextArea

from frontdesk.config.editor_command import NoEditor, find_editor, with_file
from frontdesk.config.processes import child_environment
from frontdesk_lines.content import clean_for_input
from frontdesk_lines.display_text import show_line
from frontdesk_lines.lines import Role, Span, span
from frontdesk_lines.widgets.note import Note

MAX_BYTES = 1_000_000

_KEYBOARD_SIGNALS = (signal.SIGINT, signal.SIGQUIT)


class NotEdited(Exception):
    """The text couldn't be edited and is as it was; the text says why, as a sentence."""


def edit_text(
    app: App[Any],
    environ: Mapping[str, str],
    text: str,
    suffix: str = ".txt",
    *,
    check: Callable[[str], str] = lambda _: "",
    line: int | None = None,
) -> str:
    """Return the text as it was saved in the editor; a line break that the editor added at the end is left out.

    Args:
        check: returns why an edited text can't be used, as a sentence; empty where it can.
        line: opens the editor at this line.

    Raises:
        NotEdited: there is no editor, it failed, or its text can't be used, and then is kept in its file.
    """
    try:
        command = find_editor(environ)
    except NoEditor as error:
        raise NotEdited(str(error)) from None
    try:
        folder = Path(tempfile.mkdtemp(prefix="frontdesk-"))
    except OSError as error:
        raise NotEdited(f"Couldn't make a file for the editor: {error.strerror}.") from None
    path, is_kept = folder / f"text{suffix}", False
    try:
        written = _write(path, text)
        try:
            _run(app, environ, with_file(command, path, line))
            return _checked(_read(path, text), text, check)
        except NotEdited as error:
            is_kept = _has_other_text(path, written)
            kept = f" What you wrote is in {path}." if is_kept else ""
            raise NotEdited(f"{error}{kept}") from None
    finally:
        if not is_kept:
            shutil.rmtree(folder, ignore_errors=True)


def _write(path: Path, text: str) -> bytes:
    body = text.encode("utf-8", "replace")
    try:
        path.touch(mode=0o600)
        path.write_bytes(body)
    except OSError as error:
        raise NotEdited(f"Couldn't write the file for the editor: {error.strerror}.") from None
    return body


def _run(app: App[Any], environ: Mapping[str, str], command: Sequence[str]) -> None:
    try:
        with app.suspend(), _without_keyboard_signals():
            ended = subprocess.run(command, env=child_environment(environ), check=False)
    except SuspendNotSupported:
        raise NotEdited("This terminal can't be handed to an editor.") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "its name can't be passed on"
        raise NotEdited(f"Couldn't start the editor {command[0]}: {reason}. Nothing was changed.") from None
    if ended.returncode < 0:
        raise NotEdited(f"{command[0]} was killed ({_signal_name(-ended.returncode)}). Nothing was changed.")
    if ended.returncode != 0:
        raise NotEdited(f"{command[0]} ended with status {ended.returncode}. Nothing was changed.")


@contextlib.contextmanager
def _without_keyboard_signals() -> Iterator[None]:
    """Leave ctrl+c to the editor, which starts with the defaults: the terminal sends it to frontdesk too."""
    before = {each: signal.signal(each, lambda *_: None) for each in _KEYBOARD_SIGNALS}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, signal.SIG_DFL if handler is None else handler)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


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
    if before.strip() and not after.strip():
        raise NotEdited("The file was left empty. Nothing was changed; to clear a text, delete it here.")
    after = after.removeprefix("\ufeff").replace("\r\n", "\n")
    return after if before.endswith("\n") else after.removesuffix("\n")


def _checked(after: str, before: str, check: Callable[[str], str]) -> str:
    if after != before and (why := check(after)):
        raise NotEdited(f"{why} Nothing was changed.")
    return after


def _has_other_text(path: Path, written: bytes) -> bool:
    """Whether a file holds something that isn't lost elsewhere."""
    try:
        with path.open("rb") as file:
            body = file.read(MAX_BYTES + 1)
    except OSError:
        return False
    return bool(body.strip()) and body != written


EDITOR_KEY = Binding("ctrl+g", "edit_outside", "own editor", priority=True)
"""A dialog with it has `action_edit_outside`."""


def edit_outside(dialog: Screen[Any], text: str, note: Note, check: Callable[[str], str]) -> str | None:
    """Return a text as it was edited; None where it wasn't changed, or the note says what failed.

    Args:
        check: returns why an edited text can't be used, as a sentence.
    """
    try:
        after = edit_text(dialog.app, os.environ, text, check=check)
    except NotEdited as error:
        note.set_line((span("✗ ", Role.BAD), Span(show_line(str(error), 300), Role.BAD)))
        return None
    return None if after == text else after


def edit_area(dialog: Screen[Any], area: TextArea, note: Note, max_letters: int) -> None:
    after = edit_outside(dialog, area.text, note, lambda text: length_fault("text", text, max_letters))
    if after is not None:
        fill_area(area, clean_for_input(after, lines=True))
    area.focus()


def fill_area(area: TextArea, text: str) -> None:
    if text != area.text:
        area.text = text
        area.move_cursor(area.document.end)


def length_fault(name: str, text: str, max_letters: int) -> str:
    """Return a sentence about a text that is too long for its field, or an empty string."""
    return f"The edited {name} has more than {max_letters:,} characters." if len(text) > max_letters else ""

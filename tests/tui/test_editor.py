"""The person's own editor: it gets the text alone, in a file that only this user can read and that is removed."""

import os
import signal
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.app import SuspendNotSupported

from frontdesk.tui.editor import NotEdited, edit_text

NOTES = "import os, sys; p = sys.argv[2]; open(sys.argv[1], 'w').write(repr((open(p).read(), oct(os.stat(p).st_mode), p, sorted(os.environ))))"  # noqa: E501


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the editor's files are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


class Terminal:
    """An app that can be suspended, or not."""

    def __init__(self, *, is_able: bool = True) -> None:
        self.is_able, self.suspended = is_able, 0

    @contextmanager
    def suspend(self) -> Iterator[None]:
        if not self.is_able:
            raise SuspendNotSupported("headless")
        self.suspended += 1
        yield


def editing(text: str, environ: dict[str, str], app: Any = None) -> str:
    return edit_text(app or Terminal(), {**os.environ, "VISUAL": "", "EDITOR": "", **environ}, text)


def script(tmp_path: Path, body: str, name: str = "editor") -> Path:
    path = tmp_path / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o700)
    return path


def refused(text: str, environ: dict[str, str], app: Any = None) -> str:
    with pytest.raises(NotEdited) as refusal:
        editing(text, environ, app)
    return str(refusal.value)


def test_it_gets_the_text_in_a_private_file_that_is_removed_and_no_credential(tmp_path: Path) -> None:
    out = tmp_path / "out"
    editor = script(tmp_path, f'exec {sys.executable} -c "{NOTES}" {out} "$1"')
    assert editing("Grüße\n[red]", {"EDITOR": str(editor), "FRONTDESK_COOKIE": "token=secret"}) == "Grüße\n[red]"
    text, mode, path, names = eval(out.read_text())
    assert (text, mode) == ("Grüße\n[red]", "0o100600")
    assert not Path(path).exists()
    assert not Path(path).parent.exists()
    assert not [name for name in names if name.startswith("FRONTDESK_")]


def test_visual_goes_first_and_is_split_into_words_without_a_shell(tmp_path: Path) -> None:
    editor = script(tmp_path, 'printf "%s" "$1" > "$2"', "my editor")
    found = editing("before", {"VISUAL": f"'{editor}' '$HOME; touch x'", "EDITOR": "/no/such"})
    assert found == "$HOME; touch x"
    assert not Path("x").exists()


@pytest.mark.parametrize(("before", "after"), [("one", "two"), ("one\n", "two\n")])
def test_a_line_break_that_the_editor_adds_is_no_change(tmp_path: Path, before: str, after: str) -> None:
    adds = script(tmp_path, 'printf "two\\n" > "$1"')
    assert editing(before, {"EDITOR": str(adds)}) == after
    assert editing(before, {"EDITOR": "true"}) == before


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("exit 3", "ended with status 3. Nothing was changed."),
        ('rm "$1"', "can't be read: No such file or directory. Nothing was changed."),
        ('printf "" > "$1"', "left empty. Nothing was changed; to clear a text, delete it here."),
        ('printf " \\n\\n" > "$1"', "left empty. Nothing was changed; to clear a text, delete it here."),
        ("kill -KILL $$", "was killed (SIGKILL). Nothing was changed."),
        ("kill -TERM $$", "was killed (SIGTERM). Nothing was changed."),
    ],
)
def test_what_fails_is_a_sentence_and_leaves_no_file(
    tmp_path: Path, temporary: Path, body: str, words: str
) -> None:
    assert refused("text", {"EDITOR": str(script(tmp_path, body))}).endswith(words)
    assert not list(temporary.iterdir())


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('printf new > "$1"; exit 3', "ended with status 3. Nothing was changed."),
        ('printf new > "$1"; kill -KILL $$', "was killed (SIGKILL). Nothing was changed."),
        ('printf "\\377" > "$1"', "isn't UTF-8. Nothing was changed."),
        ('head -c 1000001 /dev/zero > "$1"', "too long. Nothing was changed."),
        ('printf refused > "$1"', "It is refused. Nothing was changed."),
    ],
)
def test_what_was_written_and_cannot_be_taken_is_kept_in_its_file(
    tmp_path: Path, temporary: Path, body: str, words: str
) -> None:
    def check(text: str) -> str:
        return "It is refused." if text == "refused" else ""

    app: Any = Terminal()
    with pytest.raises(NotEdited) as refusal:
        edit_text(app, {**os.environ, "VISUAL": str(script(tmp_path, body))}, "text", check=check)
    (kept,) = temporary.glob("*/text.txt")
    assert str(refusal.value).endswith(f"{words} What you wrote is in {kept}.")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700


def test_line_breaks_of_other_systems_are_no_change(tmp_path: Path) -> None:
    adds = script(tmp_path, 'printf "\\357\\273\\277one\\r\\ntwo\\r\\n" > "$1"')
    assert editing("before", {"EDITOR": str(adds)}) == "one\ntwo"


def test_ctrl_c_ends_the_editor_and_not_frontdesk(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT)
    ends = script(tmp_path, f"kill -INT {os.getpid()}; kill -INT $$")
    assert "was killed (SIGINT)" in refused("text", {"EDITOR": str(ends)})
    assert signal.getsignal(signal.SIGINT) is before


def test_without_room_for_the_file_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "mkdtemp", full)
    assert refused("text", {"EDITOR": "true"}) == "Couldn't make a file for the editor: No space left on device."


def test_without_the_variables_an_editor_on_the_path_is_used(tmp_path: Path) -> None:
    script(tmp_path, 'printf "by vi" > "$1"', "vi")
    path = {"PATH": f"{tmp_path}:/usr/bin:/bin", "VISUAL": " "}
    script(tmp_path, 'printf "by nano $1" > "$2"', "sensible-editor")
    assert edit_text(Terminal(), {**path, "EDITOR": ""}, "text", line=7) == "by nano +7"  # type: ignore[arg-type]
    only = tmp_path / "only"
    only.mkdir()
    (only / "vi").symlink_to(tmp_path / "vi")
    assert editing("text", {"PATH": str(only)}) == "by vi"


def test_without_an_editor_it_is_told_what_to_set(tmp_path: Path) -> None:
    assert (
        refused("text", {"PATH": str(tmp_path)})
        == "No editor is set. Set VISUAL or EDITOR, then start frontdesk again."
    )
    assert "No such file or directory. Nothing was changed." in refused("text", {"EDITOR": "/no/such/editor"})
    assert "can't be passed on" in refused("text", {"EDITOR": "vi\0"})
    unmatched = "$VISUAL has an unmatched quote. Correct it, then start frontdesk again."
    assert refused("text", {"VISUAL": "'vi"}) == unmatched
    assert "can't be handed to an editor" in refused("text", {"EDITOR": "true"}, Terminal(is_able=False))

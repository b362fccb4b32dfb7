"""The person's own editor: it gets the text alone, in a file that only this user can read and that is removed."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.app import SuspendNotSupported

from frontdesk.tui.editor import NotEdited, edit_text

NOTES = "import os, sys; p = sys.argv[2]; open(sys.argv[1], 'w').write(repr((open(p).read(), oct(os.stat(p).st_mode), p, sorted(os.environ))))"  # noqa: E501


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
        ('printf "\\377" > "$1"', "isn't UTF-8. Nothing was changed."),
        ('rm "$1"', "can't be read: No such file or directory. Nothing was changed."),
        ('head -c 1000001 /dev/zero > "$1"', "too long. Nothing was changed."),
    ],
)
def test_what_fails_is_a_sentence_and_leaves_no_file(tmp_path: Path, body: str, words: str) -> None:
    assert refused("text", {"EDITOR": str(script(tmp_path, body)), "TMPDIR": str(tmp_path)}).endswith(words)


def test_without_an_editor_it_is_told_what_to_set() -> None:
    assert refused("text", {}) == "No editor is set. Set VISUAL or EDITOR, then start frontdesk again."
    assert "No such file or directory. Nothing was changed." in refused("text", {"EDITOR": "/no/such/editor"})
    assert "can't be passed on" in refused("text", {"EDITOR": "vi\0"})
    assert refused("text", {"VISUAL": "'vi"}) == "$VISUAL has a quote without its pair."
    assert "can't be handed to an editor" in refused("text", {"EDITOR": "true"}, Terminal(is_able=False))

"""The open thread in a file, from the linear mode."""

import stat
from pathlib import Path
from typing import Any

import pytest

from frontdesk_lines.privacy import set_private
from linear.running_session import Desktop


@pytest.fixture
def desk(tmp_path: Path) -> Any:
    made = Desktop(tmp_path / "profile")
    made.thread(1, 2)
    yield made
    made.store.close()


def test_a_thread_is_exported_under_a_chosen_or_a_typed_name(desk: Desktop, tmp_path: Path) -> None:
    assert "No conversation is open" in desk.say("export")
    desk.say("open L1 C1")
    said = desk.say("export")
    (path,) = (tmp_path / "profile" / "exports").iterdir()
    assert f"Saved {path}." in said
    assert "Not the whole conversation" in said or "The whole conversation" in said
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text().startswith("# Conversation with ")
    page = tmp_path / "page.html"
    desk.say(f"export {page}")
    assert page.read_text().startswith("<!doctype html>")


def test_what_cannot_be_written_is_a_sentence(desk: Desktop, tmp_path: Path) -> None:
    desk.say("open L1 C1")
    taken = tmp_path / "taken.md"
    taken.write_text("mine")
    assert "That file already exists. Choose another name. Nothing was exported." in desk.say(f"export {taken}")
    assert taken.read_text() == "mine"
    assert "End the name in .md or .html. Nothing was exported." in desk.say(f"export {tmp_path / 'x.txt'}")
    long = tmp_path / f"{'x' * 300}.md"
    assert f"Couldn't write {str(long)[:100]}" in desk.say(f"export {long}")


def test_hidden_names_are_not_exported(desk: Desktop, tmp_path: Path) -> None:
    desk.say("open L1 C1")
    set_private(True)
    try:
        assert "Nothing was exported" in desk.say(f"export {tmp_path / 'x.md'}")
    finally:
        set_private(False)
    assert not (tmp_path / "x.md").exists()

"""A config with which nothing starts is opened in the person's editor, at its line."""

from pathlib import Path

import pytest

from frontdesk.accounts import config_edits as config_follower
from frontdesk.cli import main as cli_main
from frontdesk.config.settings import config_path

BROKEN = '[settings]\ntheme = "dark"\n\nno = [toml\n'
UNUSABLE = '[settings]\nbell = true\ntheme = "pink"\n'


@pytest.fixture
def broken(at_home: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A config that can't be read, and an editor named vi that corrects it and keeps its arguments."""
    editor = tmp_path / "vi"
    editor.write_text('#!/bin/sh\necho "$1" >> "$0.arguments"\necho "default_profile = \\"x\\"" > "$2"\n')
    editor.chmod(0o700)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.setattr(config_follower, "is_terminal", lambda: True)
    config_path().parent.mkdir(parents=True)
    config_path().touch(mode=0o600)
    return tmp_path / "vi.arguments"


@pytest.mark.parametrize(("text", "line"), [(BROKEN, 4), (UNUSABLE, 3)])
def test_the_editor_opens_at_the_line(
    text: str, line: int, broken: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    config_path().write_text(text)
    asked: list[str] = []
    monkeypatch.setattr("builtins.input", lambda words: asked.append(words) or "")
    assert cli_main.run([]) == 2
    assert broken.read_text() == f"+{line}\n"
    assert asked[0].startswith(f"Open config.toml at line {line} in ")
    assert "frontdesk has no profile yet" in capfd.readouterr().out  # it starts


@pytest.mark.parametrize("answer", ["n", None])
def test_without_a_yes_nothing_is_opened_and_it_is_said_once(
    answer: str | None, broken: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    config_path().write_text(BROKEN)

    def reply(_: str) -> str:
        if answer is None:
            raise EOFError
        return answer

    monkeypatch.setattr("builtins.input", reply)
    assert cli_main.run([]) == 2
    assert not broken.exists()
    assert capfd.readouterr().err.count("not valid TOML") == 1
    assert config_path().read_text() == BROKEN


def test_a_command_and_a_pipe_ask_nothing(
    broken: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    config_path().write_text(BROKEN)
    monkeypatch.setattr("builtins.input", lambda _: pytest.fail("it asked"))
    assert cli_main.run(["tasks", "list"]) == 2
    monkeypatch.delenv("EDITOR")
    monkeypatch.setenv("PATH", str(config_path().parent))  # there is no editor
    assert cli_main.run([]) == 2
    assert not broken.exists()
    assert capfd.readouterr().err.count("not valid TOML") == 2

"""What a process with credentials leaves to others: to its children, and on disk when it crashes."""

import re
import resource

import pytest

from frontdesk.cli import main as cli_main
from frontdesk.config import processes
from frontdesk.config import settings as config_settings
from frontdesk.config.processes import child_environment
from frontdesk.engine import main as engine_main
from source_tree import place_of, source_files

STARTS = re.compile(r"\b(?:subprocess\.(?:Popen|run|check_\w+|call)|create_subprocess_\w+)\(")
WITH_THE_ACCOUNT = {"engine/supervisor.py", "linear/command_line.py", "web/terminal.py"}
"""They start frontdesk itself, which works with the account of its parent: the engine, a command, a tab."""

OTHERWISE = {*WITH_THE_ACCOUNT, "frontdesk_lists/subprocess_reader.py"}
"""The reader of lists gets only what Python itself needs."""

IN_A_CHILD = 'sys.exit(not webbrowser.open(sys.argv[1]))"'
"""What `tui.desktop` starts a process for: `webbrowser` passes on the whole environment."""


def test_a_child_gets_no_variable_of_frontdesk_and_no_other_credential() -> None:
    environ = {"PATH": "/bin", "FRONTDESK_COOKIE": "a=b", "FRONTDESK_BASE_URL": "https://h", "MY_FRONTDESK_X": "1"}
    environ |= {"PGPASSWORD": "x", "PGPASSFILE": "p", "KEYRING_PROPERTY_KEYRING_KEY": "k"}
    kept = {"PATH": "/bin", "MY_FRONTDESK_X": "1", "PGPASSFILE": "p"}
    assert child_environment(environ) == kept
    assert child_environment(environ, opens_keyring=True) == {**kept, "KEYRING_PROPERTY_KEYRING_KEY": "k"}


def starting_files() -> set[str]:
    """Return the modules that start a process, and fail for one that hands on its whole environment."""
    starting = set()
    for path in source_files():
        text, name = path.read_text(), place_of(path)
        assert "webbrowser.open" not in text.replace(IN_A_CHILD, ""), name
        assert ".open_url(" not in text, f"{name}: it hands on the whole environment; tui.desktop doesn't"
        for call in STARTS.finditer(text):
            starting.add(name)
            assert "env=" in text[call.end() : call.end() + 600], name
            assert name in OTHERWISE or "child_environment(" in text, name
    return starting


def test_every_child_is_started_with_such_an_environment() -> None:
    assert len(starting_files()) == 11


def test_no_child_finds_modules_in_the_folder_that_it_was_started_in() -> None:
    texts = [path.read_text() for path in source_files()]
    first = [option for text in texts for option in re.findall(r'sys\.executable,\s*("[^"]*")', text)]
    assert first == ['"-P"'] * 7


def test_commands_screens_and_the_engine_write_no_core_file(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[object] = []
    monkeypatch.setattr(processes.resource, "setrlimit", lambda *limit: limits.append(limit))
    monkeypatch.setattr(cli_main, "_dispatch", lambda _arguments: limits.append("loads credentials") or 0)
    assert cli_main.run([]) == 0

    def refuse() -> None:
        limits.append("loads credentials")
        raise config_settings.ConfigError("refused")

    monkeypatch.setattr(config_settings, "load_config", refuse)
    assert engine_main.main([]) == 2
    assert limits == [(resource.RLIMIT_CORE, (0, 0)), "loads credentials"] * 2

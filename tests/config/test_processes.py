"""What the children of this process get of its environment."""

import re
from pathlib import Path

import frontdesk
from frontdesk.config.processes import child_environment

STARTS = re.compile(r"\b(?:subprocess\.(?:Popen|run|check_\w+|call)|create_subprocess_\w+)\(")
WITH_THE_ACCOUNT = {"app/profile_switcher.py"}
"""It starts the engine, which works with the account of its parent."""


def test_a_child_gets_no_variable_of_frontdesk() -> None:
    environ = {"PATH": "/bin", "FRONTDESK_COOKIE": "a=b", "FRONTDESK_BASE_URL": "https://h", "MY_FRONTDESK_X": "1"}
    assert child_environment(environ) == {"PATH": "/bin", "MY_FRONTDESK_X": "1"}


def test_every_child_is_started_with_such_an_environment() -> None:
    root = Path(frontdesk.__file__).parent
    starting = set()
    for path in root.rglob("*.py"):
        text, name = path.read_text(), str(path.relative_to(root))
        assert "webbrowser.open" not in text, name
        assert ".open_url(" not in text, f"{name}: it hands on the whole environment; tui.browser doesn't"
        for call in STARTS.finditer(text):
            starting.add(name)
            assert "env=" in text[call.end() : call.end() + 600], name
            assert name in WITH_THE_ACCOUNT or "child_environment(" in text, name
    assert len(starting) == 5

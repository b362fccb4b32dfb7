"""JSON on a terminal, where nothing may be hidden, and in a pipe, where nothing is changed without need."""

import json

import pytest

from frontdesk.cli.output import print_json

HIDDEN = "a\u200db\u200bc\ufeffd\xade\ufe0ff\U000e0041g\u3164h"
KEPT = 'שלום 👍 é \n " \u00a0'


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_terminal_shows_the_letters_that_have_no_look(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *, is_terminal: bool
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: is_terminal)
    value = {"hidden": HIDDEN, "kept": KEPT, "controls": "\x1b]0;x\x07\x9b\u202e"}
    print_json(value)
    printed = capsys.readouterr().out
    assert json.loads(printed) == value
    assert json.dumps(KEPT, ensure_ascii=False) in printed
    assert r"\u001b]0;x\u0007\u009b\u202e" in printed
    escaped = json.dumps(HIDDEN)
    assert (escaped in printed, HIDDEN in printed) == (is_terminal, not is_terminal)

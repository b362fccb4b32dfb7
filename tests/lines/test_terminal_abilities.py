"""What a terminal can do, by TERM, COLORTERM and the locale."""

import pytest

from frontdesk_lines.terminal_abilities import TerminalAbilities, is_utf8, terminal_abilities
from frontdesk_lines.textual_compat.line_filters import plain_letters


@pytest.mark.parametrize(("environ", "expected"), [
    ({}, True),
    ({"LANG": "en_US.UTF-8"}, True),
    ({"LANG": "C.utf8"}, True),
    ({"LANG": "C"}, False),
    ({"LANG": "de_DE.ISO-8859-1"}, False),
    ({"LANG": "de_DE"}, False),
    ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, False),
    ({"LANG": "C", "LC_CTYPE": "en_US.UTF-8"}, True),
    ({"LC_CTYPE": "C.UTF-8"}, True),
    ({"LANG": "en_US.UTF-8", "LC_ALL": "POSIX"}, False),
    ({"LANG": "C", "LC_ALL": "C.UTF-8"}, True),
])  # fmt: skip
def test_the_locale_tells_which_letters_arrive(environ: dict[str, str], expected: bool) -> None:
    assert is_utf8(environ) is expected


@pytest.mark.parametrize(("environ", "expected"), [
    ({"TERM": "xterm-256color"}, TerminalAbilities()),
    ({"TERM": "xterm"}, TerminalAbilities()),
    ({"TERM": "screen"}, TerminalAbilities()),
    ({"TERM": "vt100"}, TerminalAbilities(has_signs=False, has_colors=False, is_xterm_like=False)),
    ({"TERM": "vt220", "COLORTERM": "1"}, TerminalAbilities(has_signs=False, is_xterm_like=False)),
    ({"TERM": "linux"}, TerminalAbilities(has_signs=False, is_xterm_like=False)),
    ({"TERM": "ansi"}, TerminalAbilities(has_signs=False, is_xterm_like=False)),
    ({"TERM": "xterm-mono"}, TerminalAbilities(has_colors=False)),
    ({"TERM": "xterm", "LANG": "C"}, TerminalAbilities(has_letters=False, has_signs=False)),
])  # fmt: skip
def test_each_terminal_gets_what_it_can_show(environ: dict[str, str], expected: TerminalAbilities) -> None:
    assert terminal_abilities(environ) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("plain", "plain"),
    ("Élena · ñ", "Elena - n"),
    ("שלום", "????"),
    ("日本", "????"),
    ("→ e\u0301", "> e"),
])  # fmt: skip
def test_letters_are_replaced_in_as_many_cells(text: str, expected: str) -> None:
    assert plain_letters(text) == expected

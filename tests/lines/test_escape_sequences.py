"""What is sent to the terminal itself: exact bytes, and nothing of a stranger's that ends or begins a sequence."""

import base64
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk_lines.display_text import show_line, trusted
from frontdesk_lines.textual_compat.escape_sequences import (
    LONGEST_COPY,
    Multiplexer,
    clipboard,
    multiplexer,
    notification,
    takes_clipboard,
    title,
    wrap_for_multiplexer,
)

NONE, TMUX, SCREEN = Multiplexer.NONE, Multiplexer.TMUX, Multiplexer.SCREEN


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"TERM": "xterm-256color"}, NONE),
        ({"TERM": "tmux-256color"}, TMUX),
        ({"TERM": "screen-256color", "TMUX": "/tmp/tmux,1,0"}, TMUX),
        ({"TERM": "screen", "STY": "1.pts"}, SCREEN),
        ({"TERM": "screen-256color"}, NONE),
        ({}, NONE),
    ],
)
def test_what_stands_between_is_told_from_the_environment(environ: dict[str, str], expected: Multiplexer) -> None:
    assert multiplexer(environ) is expected


def test_a_notification_in_both_ways_and_through_both() -> None:
    who, what = trusted("Dana"), trusted("Where is it?")
    assert notification("osc9", who, what, NONE) == "\x1b]9;Dana: Where is it?\a"
    assert notification("osc9", who, trusted(""), NONE) == "\x1b]9;Dana\a"
    assert notification("osc777", who, what, NONE) == "\x1b]777;notify;Dana;Where is it?\a"
    assert notification("osc9", who, what, TMUX) == "\x1bPtmux;\x1b\x1b]9;Dana: Where is it?\a\x1b\\"
    assert notification("osc9", who, what, SCREEN) == "\x1bP\x1b]9;Dana: Where is it?\a\x1b\\"


@given(st.text(), st.text(), st.sampled_from(["osc9", "osc777"]))
def test_a_stranger_gets_one_field_and_no_more(who: str, said: str, style: str) -> None:
    sent = notification(style, show_line(who), show_line(said), NONE)
    inner = sent.removeprefix("\x1b]").removesuffix("\a")
    assert not re.search("[\x00-\x1f\x7f-\x9f]", inner)
    assert inner.count(";") == {"osc9": 1, "osc777": 3}[style]
    assert not re.search("[\x00-\x1f\x7f-\x9f]", title(show_line(who)).removeprefix("\x1b]2;").removesuffix("\a"))


def test_the_clipboard_gets_what_was_written_in_its_order() -> None:
    sent = clipboard("שלום 12", NONE)
    assert sent is not None
    assert base64.b64decode(sent.removeprefix("\x1b]52;c;").removesuffix("\a")).decode() == "שלום 12"


def test_tmux_gets_a_copy_for_itself_and_one_for_the_terminal_outside() -> None:
    assert clipboard("hi", TMUX) == "\x1b]52;c;aGk=\a\x1bPtmux;\x1b\x1b]52;c;aGk=\a\x1b\\"


def test_screen_gets_pieces_that_it_passes_on_whole() -> None:
    sent = clipboard("x" * 5_000, SCREEN)
    assert sent is not None
    pieces = re.findall("\x1bP(.*?)\x1b\\\\", sent, re.DOTALL)
    assert all(len(f"\x1bP{piece}\x1b\\") <= 768 for piece in pieces)
    assert sent == "".join(f"\x1bP{piece}\x1b\\" for piece in pieces)
    assert "".join(pieces) == clipboard("x" * 5_000, NONE)


def test_what_is_too_long_is_not_sent_cut() -> None:
    most = LONGEST_COPY // 4 * 3
    assert clipboard("x" * most, NONE) is not None
    assert clipboard("x" * (most + 3), NONE) is None


@pytest.mark.parametrize(
    ("environ", "takes"),
    [
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "linux"}, False),
        ({"TERM": "vt220"}, False),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, False),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7402"}, False),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7800"}, True),
        ({"TERM": "xterm-256color", "KONSOLE_VERSION": "230804"}, False),
        ({"TERM": "tmux-256color", "VTE_VERSION": "7402"}, True),
    ],
)
def test_terminals_known_not_to_take_it_are_known(environ: dict[str, str], takes: bool) -> None:
    assert takes_clipboard(environ) is takes


def test_nothing_between_changes_nothing() -> None:
    assert wrap_for_multiplexer("\x1b]9;x\a", NONE) == "\x1b]9;x\a"

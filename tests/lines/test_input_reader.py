"""What a terminal sends is a key, a click or a paste, or nothing: however it is cut, and in whatever bytes."""

import re
from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual.message import Message

from frontdesk_lines.textual_compat.input_reader import SILENCE_SECONDS, InputReader, UnmarkedPaste
from lab.hostile.terminal_input import SETTINGS, sequences

TICK = 0.05
SILENCE = SILENCE_SECONDS + TICK
Step = str | bytes | float
"""What comes in one piece, or for how long nothing does."""


def read(*steps: Step) -> list[Message]:
    reader, now = InputReader(), 100.0
    messages: list[Message] = []
    for step in steps:
        if isinstance(step, float):
            for _ in range(round(step / TICK)):
                now += TICK
                is_at_rest = not reader.is_within_input
                expired = reader.expire(now)
                assert not (is_at_rest and expired), "the driver rests until more comes"
                messages += expired
        else:
            messages += reader.feed(step.encode() if isinstance(step, str) else step, now)
    return messages


def said(*steps: Step) -> list[str]:
    """The names of keys, texts of pastes and kinds of others."""
    return [*map(_say, read(*steps))]


def _say(message: Message) -> str:
    if isinstance(message, events.Key):
        return message.key
    return f"paste:{message.text}" if isinstance(message, events.Paste) else type(message).__name__


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (["\x1b]11;rgb:0c0c/0c0c/0c0c\x1b\\", "j"], ["j"]),
        (["\x1b[>41;354;0c", "j"], ["j"]),
        (["\x1b", 0.25, "[A"], ["escape", "up"]),
        (["\x1b", 0.2, "[<0;8;9M"], ["escape", "MouseDown"]),
        (["\x1b[<0;8", 1.5, ";9M"], ["MouseDown"]),
        (["\x1b", 0.15, "]", 0.15, "1", 0.15, "1", 0.15, ";c", 0.15, "\x07j"], ["escape", "j"]),
        (["\x1b[1;5", SILENCE, "j"], ["j"]),
        (["\x1b]11;rgb:0c", SILENCE, "j"], ["j"]),
        (["\x1b]11;rgb:0c", "\x1b[Bj"], ["down", "j"]),
        (["\x1b", 0.15, "j"], ["escape", "j"]),
        (["\x1b", 0.25, "]"], ["escape", "right_square_bracket"]),
        (["\x1b", 0.25, "O", 0.3, "0", 0.2, "\r"], ["escape", "O", "0", "enter"]),
        (["\x1b]", 0.3, "h", 0.3, "e", 0.3, "y"], ["e", "y"]),
        (["\x1b]0;x", 0.3, "\x07", "\x1b]0;x", 0.3, "\x07", "j"], ["j"]),
        (["\x1b]0;x\x1b", "\\j"], ["j"]),
        (["\x1b]0;", "xy\x1b", 0.3, "\x1b", 0.3, "j"], ["escape", "j"]),
        (["\x1bj"], ["escape", "j"]),
        (["\x1b2"], ["escape", "2"]),
        (["\x1bש"], ["escape", "ש"]),
        (["\x1b/x"], ["escape", "slash", "x"]),
        (["\x1b\x1b[A"], ["escape", "up"]),
        (["\x1bb\x1b\x7f\x1b\t"], ["ctrl+left", "ctrl+w", "shift+tab"]),
        (["\x1bfj"], ["ctrl+right", "j"]),
        (["\x1bc", "j"], ["j"]),
        (["\x1b[99;1A\x1b[65;1P\x1b[97:65;2u\x1b[55296u\x1b[9999999u", "j"], ["j"]),
        (["\x1b[99u\x1b[99;5u\x1b[27u\x1b[1;5C"], ["c", "ctrl+c", "escape", "ctrl+right"]),
        (["\x1bOA\x1bOP\x1b[[A\x1b[7$"], ["up", "f1", "f1", "shift+home"]),
        (["\x1b[3~\x1b[15~\x1b[Z"], ["delete", "f5", "shift+tab"]),
        (["\x1b[M !!j"], ["j"]),
        (["\x1b[I\x1b[O\x1b[48;24;80;480;640t"], ["AppFocus", "AppBlur"]),
        (["\x1b[?2026;2$y"], ["TerminalSupportsSynchronizedOutput"]),
        (["\r\t\x7f\x04 "], ["enter", "tab", "backspace", "ctrl+d", "space"]),
    ],
)  # fmt: skip
def test_keys_are_keys_and_the_rest_of_a_sequence_is_none(steps: list[Step], expected: list[str]) -> None:
    assert said(*steps) == expected


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (["\x1b[200~Ruby\nLloyd\x1b[201~j"], ["paste:Ruby\nLloyd", "j"]),
        (["\x1b[200~a\x1b[Ab\x1b[31m\x1b]0;x\x07\x1b[201~j"], ["paste:a�[Ab�[31m�]0;x�", "j"]),
        (["\x1b[200~one", SILENCE, "j"], ["paste:one", "j"]),
        (["\x1b[200~one\x1b[20", SILENCE, "j"], ["paste:one�[20", "j"]),
        (["\x1b[200~on", 1.9, "e\x1b[2", 1.9, "01~j"], ["paste:one", "j"]),
        (["\x1b[200~\x1b[201~\x1b[201~j"], ["j"]),
        (["\x1b[200~\x1b[200~\0\x1b[201~j"], ["paste:�[200~", "j"]),
        ([b"\x1b[200~caf\xe9 \xc3", b"\xa9\x1b[201~"], ["paste:caf� é"]),
    ],
)
def test_a_paste_is_text_up_to_its_end_or_a_silence(steps: list[Step], expected: list[str]) -> None:
    assert said(*steps) == expected


@pytest.mark.parametrize("steps", [[b"\xe9x"], [b"\xe9", 1.0, b"x"], [b"\xffx"], [b"\x80x"]])
def test_a_byte_outside_utf_8_is_a_replacement_sign(steps: list[Step]) -> None:
    assert [each.character for each in read(*steps) if isinstance(each, events.Key)] == [*"\ufffdx"]


def test_a_letter_that_a_slow_line_cuts_is_that_letter() -> None:
    assert said(b"\xd7", 0.3, b"\xa9") == ["ש"]


@pytest.mark.parametrize(
    ("typed", "is_pasted"),
    [
        ("jjjjjjjjjjjjjjjc", False),
        ("s2", False),
        ("cc\r", False),
        ("adan\r", True),
        ("Ruby Lloyd", True),
        ("one\rtwo\r", True),
        ("Please call me back.\nThanks", True),
    ],
)
def test_several_letters_in_one_piece_may_be_a_paste(typed: str, is_pasted: bool) -> None:
    messages = read(typed)
    assert [type(each) for each in messages] == ([UnmarkedPaste] if is_pasted else [events.Key] * len(typed))
    if isinstance(paste := messages[0], UnmarkedPaste):
        assert (paste.text, len(paste.keys)) == (typed, len(typed))


def test_what_stands_between_pasted_letters_keeps_its_place() -> None:
    assert said("alexandra kl\x1b[B\r") == ["paste:alexandra kl", "down", "paste:\r"]
    assert said("abcdefgh\x1b[Hxyz\x1b[Fj") == ["paste:abcdefgh", "home", "paste:xyz", "end", "paste:j"]


def test_the_end_of_a_long_paste_that_comes_by_itself_is_still_one() -> None:
    assert said("x y" * 100, TICK, "c", 1.0, "c") == ["paste:" + "x y" * 100, "paste:c", "c"]


HARMLESS = {
    "escape",
    "replacement_character",
    "up",
    "down",
    "left",
    "right",
    "home",
    "end",
    "insert",
    "delete",
    "pageup",
    "pagedown",
}
KEYS = re.compile(rf"(?:(?:alt|ctrl|shift|super|hyper|meta)\+)*(?:{'|'.join(HARMLESS)}|f\d+)")


def letters(messages: Iterable[Message]) -> list[str]:
    """What would be typed: every key that isn't one of movement."""
    return [_say(each) for each in messages if isinstance(each, events.InputEvent | events.Paste)
            and not (isinstance(each, events.Key) and KEYS.fullmatch(each.key))]  # fmt: skip


PAUSES: list[tuple[Step, ...]] = [(), (TICK,), (0.25,), (1.5,)]


def test_no_reply_or_report_of_a_terminal_is_a_letter_wherever_it_is_cut() -> None:
    corpus = sequences()
    assert len(corpus) >= 1000
    for setting in SETTINGS:
        assert said(setting, "j") == ["j"]
    for number, sequence in enumerate(corpus):
        assert letters(read(sequence)) == [], sequence
        for at in range(1 + number % 3, len(sequence), 3):  # its neighbours in the corpus at the other places
            pause = PAUSES[(number + at) % len(PAUSES)]
            assert letters(read(sequence[:at], *pause, sequence[at:])) == [], (sequence, at, pause)


@pytest.mark.slow
def test_no_reply_or_report_of_a_terminal_is_a_letter_after_any_pause() -> None:
    for sequence in sequences():
        for at in range(1, len(sequence)):
            for pause in PAUSES:
                assert letters(read(sequence[:at], *pause, sequence[at:])) == [], (sequence, at, pause)


def test_no_reply_that_drips_is_a_letter() -> None:
    for sequence in sequences():
        drops = [step for byte in sequence for step in (bytes([byte]), 0.15)]
        assert letters(read(*drops)) == [], sequence


@given(st.lists(st.one_of(st.binary(max_size=20), st.sampled_from(sequences()), st.floats(0, 3)), max_size=12))
def test_no_bytes_end_the_reader_and_after_a_silence_a_key_is_a_key(steps: list[Step]) -> None:
    assert said(*steps, SILENCE, 3.0, "j")[-1] == "j"


@given(
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40), st.lists(st.integers(1, 60), max_size=4)
)
def test_a_marked_paste_is_the_same_text_wherever_it_is_cut(text: str, cuts: list[int]) -> None:
    data = f"\x1b[200~{text}\x1b[201~".encode()
    places = sorted({0, len(data), *(each for each in cuts if each < len(data))})
    pieces = [data[start:end] for start, end in pairwise(places)]
    assert said(*pieces, "j") == ([f"paste:{text}"] if text else []) + ["j"]

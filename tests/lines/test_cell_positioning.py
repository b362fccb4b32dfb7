"""Emoji families, flags and marks never break a column, checked on a terminal emulator's cells."""

import pyte
import pytest
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widgets import Static

from frontdesk_lines.wide_cells import SAVE, position_cells
from tui.hosts import Host, quiet

HARD = {
    "family": "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "flag": "\U0001f1ea\U0001f1f8",
    "two flags": "\U0001f1ea\U0001f1f8\U0001f1ee\U0001f1f1",
    "skin": "\U0001f44d\U0001f3fd",
    "heart with VS16": "\u2764\ufe0f",
    "keycap": "1\ufe0f\u20e3",
    "facepalm": "\U0001f926\u200d\u2640\ufe0f",
    "niqqud": "\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd",
    "tashkil": "\u0634\u064f\u0643\u0652\u0631\u0627\u064b",
    "devanagari": "\u0928\u093f\u092e\u0938\u094d\u0924\u0947",
    "accents": "e\u0301a\u0300",
    "wide": "\u65e5\u672c\u8a9e",
    "plain": "hello",
}


@pytest.mark.parametrize("words", HARD.values(), ids=HARD.keys())
def test_what_follows_hard_words_stands_in_its_column(words: str) -> None:
    strip = Strip([Segment("ab", Style()), Segment(words, Style(bold=True)), Segment("|end", Style())])
    screen = pyte.Screen(60, 1)
    pyte.Stream(screen).feed(position_cells(strip.render(Console(color_system="truecolor"))))
    column = 2 + Segment(words).cell_length
    assert screen.buffer[0][column].data == "|"
    assert "".join(screen.buffer[0][column + offset].data for offset in range(4)) == "|end"


def test_what_has_no_cell_of_its_own_takes_none_away_from_what_follows() -> None:
    """A skin tone without a hand, of another look than the blanks behind it: Textual gives it no cell."""
    strip = Strip([Segment("ab \U0001f3fd", Style()), Segment("  |", Style(bold=True))])
    screen = pyte.Screen(20, 1)
    pyte.Stream(screen).feed(position_cells(strip.render(Console(color_system="truecolor"))))
    assert screen.display[0].rstrip() == "ab   |"


def test_a_mark_whose_letter_was_cut_off_joins_nothing() -> None:
    assert position_cells("\x1b[1;9H\ufe0f  ok") == "\x1b[1;9H  ok"


def test_what_was_there_before_is_wiped() -> None:
    words = HARD["family"]
    screen = pyte.Screen(20, 1)
    stream = pyte.Stream(screen)
    stream.feed("XXXXXXXXXX\r")
    stream.feed(position_cells(Strip([Segment(words, Style())]).render(Console(color_system="truecolor"))))
    assert "X" not in "".join(screen.buffer[0][column].data for column in range(Segment(words).cell_length))


def test_a_terminal_that_erases_in_colour_gets_no_blanks() -> None:
    words = HARD["family"]
    screen = pyte.Screen(20, 1)
    stream = pyte.Stream(screen)
    stream.feed("\x1b[44mXXXXXXXXXX\r")
    sent = position_cells(f"\x1b[38;5;188;44m{words}      |", erases=True)
    stream.feed(sent)
    assert "  " not in sent
    assert screen.buffer[0][8].data == "|"
    assert {screen.buffer[0][column].bg for column in range(9)} == {"blue"}
    assert "X" not in "".join(screen.buffer[0][column].data for column in range(9))


@pytest.mark.parametrize("look", ["4", "7", "9", "22;4", "1;7;38;5;188"])
def test_a_line_through_blanks_is_not_erased(look: str) -> None:
    blanks = " " * Segment(HARD["family"]).cell_length
    assert f"\x1b7{blanks}\x1b8" in position_cells(f"\x1b[{look}m{HARD['family']}", erases=True)


def test_plain_words_cost_nothing_extra() -> None:
    rendered = Strip([Segment("hello", Style())]).render(Console(color_system="truecolor"))
    assert rendered == "hello"


class Tab(Host):
    """An app in a tab of `textual serve`, whose driver writes what it gets."""

    @property
    def is_web(self) -> bool:
        return True


@pytest.mark.anyio
async def test_words_are_positioned_in_a_browser_too(wire: list[str]) -> None:
    app = Tab(Static(f"{HARD['flag']} ok"))
    async with app.run_test(size=(20, 3)):
        await quiet(app)
        assert f"{SAVE}{HARD['flag']}" in "".join(wire)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"

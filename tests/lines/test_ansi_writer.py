"""Cells written in few bytes, drawn by a terminal emulator in whatever order they come."""

import random

import pyte
import pytest
from rich.console import Console
from rich.style import Style

from frontdesk_lines.textual_compat.ansi_writer import PLAIN, AnsiWriter, Cell

WIDTH, HEIGHT = 130, 45
LOOKS = (PLAIN, Style(bold=True), Style(color="red"), Style(color="red", bgcolor="blue"), Style(underline=True))


def drawn(writer: AnsiWriter) -> pyte.Screen:
    screen = pyte.Screen(WIDTH, HEIGHT)
    pyte.Stream(screen).feed(writer.text())
    return screen


def new_writer() -> AnsiWriter:
    return AnsiWriter(Console(color_system="truecolor", force_terminal=True), WIDTH)


def cells(text: str, look: Style = PLAIN) -> list[Cell]:
    return [(letter, look) for letter in text]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_each_piece_stands_in_its_place_from_wherever_the_cursor_comes(seed: int) -> None:
    chance = random.Random(seed)
    writer, wanted = new_writer(), {}
    for y in chance.sample(range(HEIGHT), 30):
        for x in sorted(chance.sample(range(0, WIDTH, 10), 3)):
            text = "".join(chance.choices("abc ", k=chance.randrange(1, 10)))
            writer.write(y, x, cells(text, chance.choice(LOOKS)))
            wanted[y, x] = text
    screen = drawn(writer)
    for (y, x), text in wanted.items():
        assert "".join(screen.buffer[y][x + at].data for at in range(len(text))) == text
    display = screen.display  # drawn anew each time
    assert set(display) - {" " * WIDTH} == {display[y] for y, _ in wanted} - {" " * WIDTH}


@pytest.mark.parametrize(
    ("to", "sequence"),
    [
        ((5, 9), ""),
        ((5, 14), "\x1b[5C"),
        ((5, 0), "\r"),
        ((5, 7), "\x1b[2D"),
        ((6, 9), "\x1b[B"),
        ((4, 8), "\x1b[A\x1b[D"),
        ((6, 4), "\x1b[7;5H"),
        ((0, 0), "\x1b[H"),
        ((40, 100), "\x1b[41;101H"),
    ],
)
def test_the_cursor_takes_the_shortest_way(to: tuple[int, int], sequence: str) -> None:
    writer = new_writer()
    writer.write(5, 8, cells("a"))
    writer.write(*to, cells("b"))
    assert writer.text() == f"\x1b[6;9Ha{sequence}b"


def test_after_the_last_column_the_cursor_is_set_anew() -> None:
    """Terminals differ in where it is then."""
    writer = new_writer()
    writer.write(5, WIDTH - 1, cells("a"))
    writer.write(6, WIDTH - 1, cells("b"))
    assert writer.text() == f"\x1b[6;{WIDTH}Ha\x1b[7;{WIDTH}Hb"


def test_letters_that_are_shown_are_written_only_where_that_saves_a_move() -> None:
    shown = cells("ab cd")
    writer = new_writer()
    writer.write(0, 0, cells("AB cd"), shown)
    assert writer.text() == "\x1b[HAB"
    writer.write(0, 5, cells("e"))
    assert writer.text() == "\x1b[HAB cde"


def test_a_blank_takes_the_style_of_what_is_written_before_it() -> None:
    writer = new_writer()
    writer.write(0, 0, cells("a", Style(color="red")))
    writer.write(1, 0, cells("   "))
    writer.write(2, 0, cells("b", Style(color="red")))
    assert writer.text().count("m") == 2
    lined = new_writer()
    lined.write(0, 0, cells("a", Style(underline=True)))
    lined.write(1, 0, cells("   "))
    assert not drawn(lined).buffer[1][0].underscore

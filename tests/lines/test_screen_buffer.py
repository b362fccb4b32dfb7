"""Only the cells that differ are sent, and a terminal then shows exactly what was wanted."""

import random

import pyte
import pytest
from pyte.screens import Char
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.geometry import Region, Size
from textual.strip import Strip

from frontdesk_lines.textual_compat.screen_buffer import ScreenBuffer
from frontdesk_lines.wide_cells import position_cells
from terminal.terminal import Screen

WIDTH, HEIGHT = 36, 4
SIZE = Size(WIDTH, HEIGHT)
PLAIN = Style()
LOOKS = [PLAIN, Style(color="#ff0000"), Style(bgcolor="#0000ff", bold=True), Style(color="#00ff00", italic=True)]
LOOKS += [Style(underline=True), Style(reverse=True, color="#ff0000")]
WORDS = ["a", "order 12", "日本", "שלום", "é", " ", "    ", "x" * 9, "✓✓", "한국어", "─" * 5]
WORDS += ["👨‍👩‍👧 ok", "🇪🇸", "👍🏽 ", " " * 14]


class Watched:
    """A terminal beside the cells that are thought to be on it."""

    def __init__(self, *, erases: bool = False) -> None:
        self._erases = erases
        self.cells = ScreenBuffer(erases=erases)
        self.screen = Screen(WIDTH, HEIGHT)
        self._stream = pyte.ByteStream(self.screen)
        self._console = Console(color_system="truecolor", force_terminal=True)

    def show(self, update: LayoutUpdate | ChopsUpdate) -> str:
        sent = self.cells.difference(update, SIZE, self._console)
        assert sent is not None
        self._stream.feed(position_cells(sent, erases=self._erases).encode())  # as the driver does
        return sent

    def looks(self) -> list[list[tuple[object, ...]]]:
        """What is seen of each cell: of a blank, its background and the lines through it."""
        return [[look(self.screen.buffer[y][x]) for x in range(WIDTH)] for y in range(HEIGHT)]


def look(cell: Char) -> tuple[object, ...]:
    lines = cell.underscore, cell.reverse
    if cell.data == " " and not any(lines):
        return cell.data, cell.bg
    return cell.data, cell.fg, cell.bg, cell.bold, cell.italics, *lines


def whole(*lines: Strip) -> LayoutUpdate:
    """A repaint of everything."""
    return LayoutUpdate([[line] for line in lines], Region(0, 0, WIDTH, HEIGHT))


def line(*parts: tuple[str, Style]) -> Strip:
    """A strip of the terminal's width."""
    strip = Strip([Segment(text, look) for text, look in parts])
    # Room is kept for what a terminal may make of the last words: none has its line wrapped by them.
    return strip.crop(0, WIDTH - 8).adjust_cell_length(WIDTH, PLAIN)


def rows(*words: str) -> LayoutUpdate:
    return whole(*(line((each, PLAIN)) for each in (*words, *[""] * (HEIGHT - len(words)))))


def test_what_stands_there_is_not_sent_again() -> None:
    watched = Watched()
    assert "second" in watched.show(rows("first", "second"))
    assert watched.show(rows("first", "second")) == ""


def test_a_letter_that_differs_is_all_that_is_sent() -> None:
    watched = Watched()
    watched.show(rows("the same line", "due at 17:00"))
    assert watched.show(rows("the same line", "due at 17:05")) == "\x1b[2;12H5"


def test_the_offsets_by_which_text_is_selected_are_no_look() -> None:
    watched = Watched()
    for offset in ((0, 0), (3, 1)):
        look = Style(color="#ff0000") + Style.from_meta({"offset": offset})
        sent = watched.show(whole(*(line(("words", look)) for _ in range(HEIGHT))))
    assert sent == ""


def test_a_look_that_differs_is_sent_where_it_differs() -> None:
    watched = Watched()
    watched.show(whole(*(line(("name", PLAIN), (" and words", PLAIN)) for _ in range(HEIGHT))))
    bold = line(("name", Style(bold=True)), (" and words", PLAIN))
    sent = watched.show(whole(bold, *(line(("name and words", PLAIN)) for _ in range(HEIGHT - 1))))
    assert sent == "\x1b[H\x1b[1mname\x1b[0m"


def test_after_something_else_may_have_drawn_everything_is_sent() -> None:
    watched = Watched()
    watched.show(rows("first"))
    watched.cells.forget()
    assert "first" in watched.show(rows("first"))


def test_a_repainted_region_sends_only_what_differs_in_it() -> None:
    watched = Watched()
    watched.show(rows("left part   right part"))
    right = Strip([Segment("right pary  ", PLAIN)])
    chops = [{0: None, 12: right}, {}, {}, {}]
    update = ChopsUpdate(chops, [(0, 12, WIDTH)], [[12, WIDTH], [], [], []])
    assert watched.show(update) == "\x1b[1;22Hy"
    assert watched.screen.display[0].rstrip() == "left part   right pary"


def test_words_that_stand_with_a_grapheme_of_disputed_width_are_written_with_it() -> None:
    """Where a terminal draws it wider, what stands behind it is not in the cells it is thought to be in."""
    watched = Watched()
    watched.show(rows("a 👨‍👩‍👧 and words      17:00"))
    assert "👨‍👩‍👧 and swords" in watched.show(rows("a 👨‍👩‍👧 and swords     17:00"))
    watched.show(rows("👨‍👩‍👧 and           17:00"))
    assert watched.show(rows("👨‍👩‍👧 and           17:05")) == "\x1b[1;22H5", "what is far behind it stands alone"


def test_a_link_is_sent_as_textual_says_it() -> None:
    watched = Watched()
    watched.show(rows("see the page"))
    linked = line(("see the page", Style(link="https://example.org")))
    assert "\x1b]8;" in watched.show(whole(linked, *(line(("", PLAIN)) for _ in range(HEIGHT - 1))))
    assert "see the page" in watched.show(rows("see the page")), "what is not known is sent"


def test_blanks_are_erased_where_the_terminal_keeps_the_background() -> None:
    blue = Style(bgcolor="#0000ff")
    lines = [line((" " * 20 + "end" + " " * 30, blue))] * HEIGHT
    plain, erasing = Watched(), Watched(erases=True)
    sizes = [len(each.show(whole(*lines))) for each in (plain, erasing)]
    assert erasing.looks() == plain.looks()
    assert sizes[1] < sizes[0]


def test_a_blank_is_not_sent_again_for_a_colour_that_is_not_seen_on_it() -> None:
    watched = Watched()
    watched.show(rows("one two"))
    red = line(("one", PLAIN), (" ", Style(color="#ff0000", bold=True)), ("two", PLAIN))
    assert watched.show(whole(red, *(line(("", PLAIN)) for _ in range(HEIGHT - 1)))) == ""
    ruled = line(("one", PLAIN), (" ", Style(underline=True)), ("two", PLAIN))
    assert "\x1b[4m" in watched.show(whole(ruled, *(line(("", PLAIN)) for _ in range(HEIGHT - 1))))


def test_many_short_words_of_a_few_styles_name_each_style_once() -> None:
    watched = Watched()
    watched.show(rows(*[" " * WIDTH] * HEIGHT))
    sent = watched.show(
        whole(*(line(("ab", LOOKS[1]), (" 1  ", PLAIN), ("cd", LOOKS[3]), (" 2", PLAIN)) for _ in range(HEIGHT)))
    )
    assert sent.count("\x1b[38") <= 2, sent


@pytest.mark.parametrize("erases", [False, True])
@pytest.mark.parametrize("seed", [7, *(pytest.param(each, marks=pytest.mark.slow) for each in range(3))])
def test_a_terminal_that_got_differences_shows_what_one_that_got_everything_does(seed: int, erases: bool) -> None:
    chance = random.Random(seed)
    watched = Watched(erases=erases)
    for _ in range(60):
        lines = [
            line(*((chance.choice(WORDS), chance.choice(LOOKS)) for _ in range(chance.randrange(1, 6))))
            for _ in range(HEIGHT)
        ]
        watched.show(whole(*lines))
        fresh = Watched()
        fresh.show(whole(*lines))
        assert watched.looks() == fresh.looks(), lines

"""Frames as an animated SVG: shared parts once, each visible at its times."""

import re

import pytest
from animation import Frame, animate
from terminal_rows import Styles, screen_rows, screen_text

from .svg_film import Film

SCREEN = """<svg xmlns="http://www.w3.org/2000/svg"><style>
.terminal-r1 { fill: #d7d7d7;font-weight: bold }
.terminal-r2 { fill: #87afff }
</style><g transform="translate(9, 41)">
<rect fill="#1c1c1c" x="0" y="1.5" width="24.4" height="24.65"/><rect fill="#2b3548" x="24.4" y="1.5"
 width="12.2" height="24.65"/><rect fill="#2b3548" x="36.6" y="1.5" width="24.4" height="24.65"/>
<g class="terminal-matrix"><text class="terminal-r2" x="0" y="20" textLength="61">╭──╮▌</text>
<text class="terminal-r1" x="0" y="44.4" textLength="73.2"> a &lt;b </text>
<text class="terminal-r1" x="0" y="68.8" textLength="73.2">a 👩‍👩b</text>
<text class="terminal-r2" x="61" y="68.8" textLength="12.2">c</text></g></g></svg>"""


def label(words: str) -> str:
    return f'<text x="1" y="2">{words}</text>'


def film(*frames: tuple[str, float], poster: int = 0) -> tuple[str, Film]:
    drawn = [Frame([label(part) for part in parts.split()], seconds) for parts, seconds in frames]
    svg = animate(drawn, view_box=(0, 0, 9, 9), css="", title="a title", poster=poster)
    return svg, Film(svg)


def test_a_part_is_in_it_once_and_visible_in_all_of_its_frames() -> None:
    svg, made = film(("a b", 1), ("a c", 2), ("a b", 1))
    assert [svg.count(label(part)) for part in "abc"] == [1, 1, 1]
    assert [made.text_at(at) for at in (0, 0.9, 1.1, 2.9, 3.1, 3.9)] == ["a b", "a b", "a c", "a c", "a b", "a b"]


def test_the_poster_is_one_frame() -> None:
    assert film(("a", 1), ("b", 1), ("a b", 1), poster=1)[1].poster_text() == "b"


def test_lines_and_blocks_are_drawn_and_blanks_left_out() -> None:
    styles = Styles()
    first, second, _ = screen_rows(SCREEN, "#1c1c1c", styles)
    assert "<text" not in first
    assert first.count("<path") == 2
    assert '<rect fill="#2b3548" x="24.4" y="0" width="36.6"' in first
    assert "#1c1c1c" not in first
    assert second == '<text class="s0" x="12.2" y="44.4" textLength="48.8">a &lt;b</text>'


def test_an_emoji_stands_by_itself_and_moves_nothing() -> None:
    styles = Styles()
    *_, third = screen_rows(SCREEN, "#1c1c1c", styles)
    places = re.findall(r'class="(\w+)" x="([\d.]+)" y="68.8" textLength="([\d.]+)">(.+?)<', third)
    bold, blue = "s0", "s1"
    assert places == [
        (bold, "0", "12.2", "a"),
        (bold, "24.4", "24.4", "👩‍👩"),
        (bold, "48.8", "12.2", "b"),
        (blue, "61", "12.2", "c"),
    ]
    assert styles.css() == ".s0{fill:#d7d7d7;font-weight:bold}.s1{fill:#87afff}"


@pytest.mark.parametrize("words", ["╭──╮▌", " a <b ", "b"])
def test_the_words_of_a_screen_are_found(words: str) -> None:
    assert words in screen_text(SCREEN)

"""LeanStrip: fewer bytes, and the same screen."""

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.color import Color, ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from frontdesk.tui.widgets.lean import LeanStrip

COLOURS = [None, Color.parse("#1c1c1c"), Color.parse("#303a4e"), Color.parse("#d7d7d7"), Color.parse("red")]
STYLES = st.builds(
    Style,
    color=st.sampled_from(COLOURS),
    bgcolor=st.sampled_from(COLOURS),
    bold=st.booleans(),
    italic=st.booleans(),
    underline=st.booleans(),
    reverse=st.booleans(),
    strike=st.booleans(),
)
SEGMENTS = st.lists(
    st.builds(Segment, st.text("ab ●", min_size=1, max_size=6), st.one_of(st.none(), STYLES)), max_size=6
)


def painted(strip: Strip) -> list[tuple[object, ...]]:
    screen = pyte.Screen(60, 1)
    stream = pyte.Stream(screen)
    stream.feed(strip.render(Console(color_system="truecolor")))
    stream.feed("after")
    return [tuple(screen.buffer[0][x]) for x in range(60)]


@settings(max_examples=100, deadline=None)
@given(SEGMENTS)
def test_it_paints_the_same_screen(segments: list[Segment]) -> None:
    plain = Strip(segments)
    assert painted(LeanStrip.of(plain)) == painted(plain)


def test_it_is_shorter() -> None:
    base = Style(color="#d7d7d7", bgcolor="#1c1c1c")
    row = [Segment("Dana", base + Style(bold=True)), Segment(" " * 20, base), Segment("2m", base)]
    console = Console(color_system="truecolor")
    assert len(LeanStrip.of(Strip(row)).render(console)) < len(Strip(row).render(console)) * 0.55


def test_a_link_is_left_to_textual() -> None:
    strip = Strip([Segment("x", Style(link="https://example.org"))])
    assert LeanStrip.of(strip) is strip


def test_fewer_colours_are_obeyed() -> None:
    strip = Strip([Segment("x", Style(color="#123456"))])
    console = Console(color_system="standard")
    assert console._color_system is ColorSystem.STANDARD
    assert "38;2" not in LeanStrip.of(strip).render(console)


@pytest.mark.parametrize(("start", "end"), [(0, 3), (2, 5), (1, None)])
def test_a_part_of_it_is_lean_too(start: int, end: int | None) -> None:
    strip = LeanStrip.of(Strip([Segment("abc", Style(bold=True)), Segment("def", Style(bold=True, italic=True))]))
    assert isinstance(strip.crop(start, end), LeanStrip)
    assert strip.crop(start, end).text == "abcdef"[start:end]

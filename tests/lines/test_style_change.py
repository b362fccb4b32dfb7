"""A change of style: fewer bytes, and the same screen."""

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.color import Color, ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from frontdesk_lines.textual_compat.ansi_writer import PLAIN, RESET, is_special, style_change

CONSOLE = Console(color_system="truecolor")
COLOURS = [None, Color.parse("#1c1c1c"), Color.parse("#303a4e"), Color.parse("#d7d7d7"), Color.parse("red")]
STYLES = st.builds(
    Style,
    color=st.sampled_from(COLOURS),
    bgcolor=st.sampled_from(COLOURS),
    bold=st.booleans(),
    italic=st.booleans(),
    underline=st.booleans(),
    blink=st.booleans(),
    reverse=st.booleans(),
    strike=st.booleans(),
)
SEGMENTS = st.lists(
    st.builds(Segment, st.text("ab ●", min_size=1, max_size=6), st.one_of(st.none(), STYLES)), max_size=6
)


def painted(text: str) -> list[tuple[object, ...]]:
    screen = pyte.Screen(60, 1)
    stream = pyte.Stream(screen)
    stream.feed(text)
    stream.feed("after")
    return [tuple(screen.buffer[0][x]) for x in range(60)]


def written(segments: list[Segment], system: ColorSystem = ColorSystem.TRUECOLOR) -> str:
    """The segments, each with the change of style that it needs."""
    parts, before = [], PLAIN
    for segment in segments:
        after = segment.style or PLAIN
        parts.append(style_change(before, after, system) + segment.text)
        before = after
    return "".join(parts) + RESET


@settings(max_examples=40)
@given(SEGMENTS)
def test_it_paints_the_same_screen(segments: list[Segment]) -> None:
    assert painted(written(segments)) == painted(Strip(segments).render(CONSOLE))


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (PLAIN, Style(dim=True), "\x1b[2m"),
        (Style(dim=True), PLAIN, "\x1b[22m"),
        (Style(bold=True, dim=True), Style(bold=True), "\x1b[22;1m"),
        (Style(bold=True, dim=True), Style(dim=True), "\x1b[22;2m"),
    ],
)
def test_dim_which_no_emulator_here_paints_begins_and_ends(before: Style, after: Style, change: str) -> None:
    assert style_change(before, after, ColorSystem.TRUECOLOR) == change


def test_it_is_shorter() -> None:
    base = Style(color="#d7d7d7", bgcolor="#1c1c1c")
    row = [Segment("Dana", base + Style(bold=True)), Segment(" " * 20, base), Segment("2m", base)]
    assert len(written(row)) < len(Strip(row).render(CONSOLE)) * 0.55


def test_what_textual_renders_itself_is_told() -> None:
    assert is_special(Style(link="https://example.org"))
    assert not is_special(Style(bold=True))


def test_fewer_colours_are_obeyed() -> None:
    assert "38;2" not in written([Segment("x", Style(color="#123456"))], ColorSystem.STANDARD)

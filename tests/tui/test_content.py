"""What reaches the terminal: no markup, no control character, and colours that can be read."""

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.theme import Theme
from textual.widgets import Static

from frontdesk.config.settings import TEXTUAL_THEMES
from frontdesk.tui.themes import DARK, LIGHT, TERMINAL, THEMES, apply_theme
from frontdesk_lines.content import ROLE_STYLES, SafetyFilter, content, notify, segments
from frontdesk_lines.display_text import SafeText, show_line, trusted
from frontdesk_lines.lines import Role, Span, fit, span
from frontdesk_lines.widgets.row_list import RowList
from tui.hosts import Host, quiet, text_of, wire

__all__ = ["wire"]

MARKUP = "[@click=app.quit]x[/] [/foo] [red]y [$5] [b"
CONTROLS = [
    *range(0x20),
    0x7F,
    *range(0x80, 0xA0),
    0x061C,
    0x200E,
    0x200F,
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
]
BACKGROUND = Color(0, 0, 0)


def contrast(one: Color, two: Color) -> float:
    """The contrast ratio of WCAG 2."""
    light, dark = sorted((luminance(one), luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: Color) -> float:
    parts = [part / 255 for part in (colour.r, colour.g, colour.b)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_content_is_never_parsed() -> None:
    assert content(trusted(MARKUP)).plain == MARKUP
    assert content((span(MARKUP, Role.BAD), span("z"))).plain == f"{MARKUP}z"
    assert not content(trusted(MARKUP)).spans


@pytest.mark.anyio
async def test_a_toast_is_never_parsed() -> None:
    app = Host()
    async with app.run_test(size=(80, 20), notifications=True):
        notify(app, trusted(MARKUP), title=trusted("[/bar] title"))
        await quiet(app)
        shown = " ".join(" ".join(text_of(app)).replace("▌", " ").split())
        assert "[red]y [$5] [b" in shown
        assert "[/bar] title" in shown


@pytest.mark.anyio
async def test_a_toast_that_begins_with_a_right_to_left_name_reads_as_the_english_sentence_it_is() -> None:
    app = Host()
    async with app.run_test(size=(80, 20), notifications=True):
        notify(app, trusted('"איחור" for דנה is already completed.'))
        await quiet(app)
        assert [each.message for each in app._notifications] == ['"רוחיא" for הנד is already completed.']


@pytest.mark.parametrize("code", CONTROLS)
def test_the_filter_replaces_every_control(code: int) -> None:
    (segment,) = SafetyFilter().apply([Segment(f"a{chr(code)}bcd")], BACKGROUND)
    assert chr(code) not in segment.text
    assert segment.text.startswith("a\ufffdb")


def test_the_filter_leaves_letters_and_control_segments_alone() -> None:
    line = [Segment("שלום 👨‍👩‍👧 é"), Segment("\x1b[1;1H", None, [(1,)])]  # type: ignore[list-item]
    assert SafetyFilter().apply(line, BACKGROUND) is line


def test_the_filter_drops_a_link_that_breaks_out() -> None:
    bad = Style(link="https://x\x1b]0;owned\x07", bold=True)
    good = Style(link="https://example.org")
    out = SafetyFilter().apply([Segment("x", bad), Segment("y", good)], BACKGROUND)
    assert out[0].style is not None
    assert out[0].style.link is None
    assert out[0].style.bold
    assert out[1].style == good


def test_a_skin_tone_without_a_hand_does_not_join_what_is_written_before_it() -> None:
    """Textual gives it no cell, and drew it into the cell of the word before, in that word's look."""
    line = (span("task: ", Role.DIM), Span(show_line("\U0001f3fd and 👍\U0001f3fd"), Role.STRONG))
    assert [each.text for each in segments(line, {role: Style(bold=role is Role.STRONG) for role in Role})] == [
        "task: ",
        "\ufffd\ufffd and 👍\U0001f3fd",
    ]


def test_what_is_replaced_never_makes_the_line_wider() -> None:
    line = [Segment("\x1b]52;c;AAAA\x07 hello"), Segment("right")]
    out = SafetyFilter().apply(line, BACKGROUND)
    assert sum(part.cell_length for part in out) <= sum(part.cell_length for part in line)


@pytest.mark.anyio
async def test_raw_text_in_any_widget_does_not_reach_the_terminal(wire: list[str]) -> None:
    raw = "\x1b]52;c;aGk=\x1b\\ \x1b[2J \x9b31m \x07 \u202e \x1b[c"
    rows = RowList(lambda key, width: (fit((span(SafeText(raw)),), width),))
    app = Host(Static(raw, markup=False), rows)
    async with app.run_test(size=(80, 10)):
        rows.set_keys(["1"])
        await quiet(app)
        # The shape of the mouse pointer is Textual's own.
        written = "".join(wire).replace("\x1b]22;default\x07", "")
        for attack in ("]52;", "[2J", "\x9b", "\x07", "\u202e", "\x1b[c"):
            assert f"\x1b{attack}" not in written
            assert attack not in written or attack in ("]52;", "[2J")
        assert "\ufffd" in written


def test_blanks_take_the_style_beside_them() -> None:
    bold, plain = Style(bold=True), Style()
    styles = dict.fromkeys(Role, plain) | {Role.STRONG: bold}
    runs = segments((span("Dana", Role.STRONG), span("   "), span("2m", Role.DIM)), styles)
    assert [(run.text, run.style) for run in runs] == [("Dana   ", bold), ("2m", plain)]


@pytest.mark.anyio
@pytest.mark.parametrize("theme", [DARK.name, LIGHT.name, *TEXTUAL_THEMES])
async def test_text_can_be_read_on_its_background(theme: str) -> None:
    """WCAG 2 AA: 4.5 to 1 for every role, on rows, bars and under the cursor."""
    app = Host(RowList(lambda key, width: ()), theme=DARK)
    async with app.run_test(size=(40, 10)):
        apply_theme(app, theme)
        variables = app.theme_variables
        backgrounds = [
            variables[name]
            for name in (
                "background",
                "surface",
                "panel",
                "block-cursor-background",
                "block-cursor-blurred-background",
            )
        ]
        names = {part[1:] for style in ROLE_STYLES.values() for part in style.split() if part.startswith("$")}
        for background in map(Color.parse, backgrounds):
            for name in (*names, "foreground", "primary"):
                colour = Color.parse(variables[name])
                assert contrast(background, colour) >= 4.5, (theme, name, background.hex)
        cursor = Color.parse(variables["block-cursor-background"])
        assert contrast(cursor, Color.parse(variables["block-cursor-foreground"])) >= 4.5


@pytest.mark.anyio
@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
async def test_every_theme_paints_every_role(theme: Theme) -> None:
    rows = RowList(lambda key, width: (fit([span(role, role) for role in Role], width),))
    app = Host(rows, theme=theme)
    async with app.run_test(size=(120, 10)):
        rows.set_keys(["1", "2"])
        await quiet(app)
        assert "pending" in text_of(app)[1]


@pytest.mark.anyio
async def test_the_terminals_own_colours_are_named_by_number_only(wire: list[str]) -> None:
    rows = RowList(lambda key, width: (fit([span(role, role) for role in Role], width),))
    app = Host(rows, theme=TERMINAL)
    async with app.run_test(size=(120, 10)) as pilot:
        rows.set_keys(["1", "2"])
        await quiet(app)
        wire.clear()
        await pilot.press("j")
        await quiet(app)
        assert "".join(wire)
        assert "38;2" not in "".join(wire)
        assert "48;2" not in "".join(wire)


@pytest.mark.anyio
async def test_no_color_is_obeyed(wire: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    rows = RowList(lambda key, width: (fit((span("late", Role.BAD), span(" ok", Role.GOOD)), width),))
    app = Host(rows)
    assert app.no_color
    async with app.run_test(size=(40, 4)):
        rows.set_keys(["1", "2"])
        await quiet(app)
        assert "late" in "".join(wire)
        assert "255;135;135" not in "".join(wire)
        assert "38;5;210" not in "".join(wire)


def test_altered_text_goes_through_as_it_is() -> None:
    assert content(show_line("a\x1b[2Jb")).plain == "a␛[2Jb"

"""Pasted lines are joined, and what is typed in Hebrew or Arabic can be read while it is typed."""

import pytest
from textual.app import App, ComposeResult
from textual.events import Paste

from frontdesk_lines.display_text import lay_out_typed
from frontdesk_lines.textual_compat.text_input import Field
from tui.hosts import text_of, until


@pytest.mark.parametrize(
    ("typed", "cursor", "painted", "on"),
    [
        ("שלום", 4, " םולש", " "),
        ("שלום", 0, "םולש", "ש"),
        ("שלום", 3, "םולש", "ם"),
        ("שָׁלום (VIP)", 4, "(VIP) םולשָׁ", "ו"),
        ("abc שלום", 8, "abc םולש ", " "),
        ("abc שלום", 4, "abc םולש", "ש"),
        ("טל +972 52-123-4567", 4, "+972 52-123-4567 לט", "9"),
    ],
)
def test_the_cursor_is_on_the_letter_that_it_is_at(typed: str, cursor: int, painted: str, on: str) -> None:
    laid = lay_out_typed(typed, cursor)
    assert laid is not None
    assert laid[0] == painted
    assert laid[0][laid[1]] == on


def test_what_reads_from_the_left_is_textuals() -> None:
    assert lay_out_typed("hello", 2) is None
    assert lay_out_typed("日本", 1) is None


class Host(App[None]):
    def compose(self) -> ComposeResult:
        yield Field(id="field", compact=True)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("pasted", "value"),
    [
        ("Ruby\nLloyd", "Ruby Lloyd"),
        ("\r\nRuby Lloyd", "Ruby Lloyd"),
        ("  Ruby \r\r   Lloyd\n", "Ruby Lloyd"),
        ("דנה\nלוי", "דנה לוי"),
        ("Ruby ", "Ruby "),
        ("\n", ""),
    ],
)
async def test_pasted_lines_are_joined(pasted: str, value: str) -> None:
    app = Host()
    async with app.run_test(size=(30, 3)) as pilot:
        field = app.query_one(Field)
        field.value = "ab"
        field.cursor_position = 1
        field.post_message(Paste(pasted))
        await pilot.pause()
        assert field.value == f"a{value}b"


@pytest.mark.anyio
async def test_hebrew_stands_at_the_right_edge_in_the_order_it_is_read() -> None:
    app = Host()
    async with app.run_test(size=(30, 3)) as pilot:
        await pilot.press(*"שלום")
        await until(lambda: text_of(app)[0].rstrip().endswith("םולש"))
        assert app.query_one(Field).value == "שלום"
        await pilot.press("home")
        await pilot.press("delete")
        await until(lambda: text_of(app)[0].rstrip().endswith(" םול"))

"""Cells of a text where terminals disagree: the right number, and that of the least able terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk_lines.cell_width import cell_width, first_disputed, graphemes, is_disputed, last_disputed, max_cells

FAMILY = "👩\u200d👩\u200d👧"


@pytest.mark.parametrize(
    ("text", "cells", "most"),
    [
        ("plain", 5, 5),
        ("é", 1, 1),
        ("漢字", 4, 4),
        ("שלום", 4, 4),
        ("🇩🇪", 2, 4),
        (FAMILY, 2, 6),
        ("❤\ufe0f", 2, 2),
        ("👍🏽", 2, 4),
        ("\u0915\u093f", 2, 2),
        ("e\u0301", 1, 1),
        ("\u1100\u1161\u11a8", 2, 4),
        ("\U0001f1e9", 2, 2),
    ],
)
def test_a_joined_letter_takes_the_cells_of_its_parts_where_it_is_not_joined(
    text: str, cells: int, most: int
) -> None:
    assert (cell_width(text), max_cells(text)) == (cells, most)
    assert max_cells(f"a{text} {text}") == 2 + 2 * most


@given(st.text(st.sampled_from("aé漢ש🇩🇪👩\u200d\u0301\ufe0f❤\u0915\u093f"), max_size=8))
def test_no_terminal_takes_less_than_the_right_number_and_the_parts_are_the_text(text: str) -> None:
    assert max_cells(text) >= cell_width(text)
    assert "".join(graphemes(text)) == text
    disputed = [place for place, letter in enumerate(text) if is_disputed(letter)]
    assert is_disputed(text) == bool(disputed)
    assert first_disputed(text) == (disputed[0] if disputed else None)
    assert last_disputed(text) == (disputed[-1] if disputed else -1)


@pytest.mark.parametrize(
    ("letter", "most"),
    [
        ("\u1160", 1),
        ("\u11ff", 1),
        ("\u115f", 2),
        ("\u1200", 1),
        ("\ud7b0", 1),
        ("\ud7fb", 1),
        ("\u0903", 1),
        ("\u0301", 0),
        ("\U0001f1e6", 2),
        ("\U0001f1ff", 2),
        ("☎\ufe0f", 2),
        ("👍\ufe0f", 2),
        ("☎", 1),
    ],
)
def test_a_sign_that_some_terminals_draw_apart_takes_a_cell_there(letter: str, most: int) -> None:
    assert max_cells(letter) == most

"""What is copied of shown lines: no signs, letters in the order in which they are read, and no wrapping."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk_lines.copied_text import Cell, selected_cells, selected_text
from frontdesk_lines.display_text import lay_out, set_terminal, show_line, trusted
from frontdesk_lines.lines import EMPTY, Line, Role, fit, fit_reading, labelled, paragraph, sign, span, width_of
from sample_texts import TEXTS

HEBREW = "שלום עולם, מה נשמע"
MIXED = "הזמנה 12514 מאת Dana, טלפון +972 52-123-4567 תודה"


def all_of(lines: list[Line]) -> str:
    """What is copied where everything is selected."""
    return selected_text(lines, Cell(0, 0), Cell(1000, len(lines) - 1))


def test_a_part_of_a_line_is_copied_from_cell_to_cell() -> None:
    line = fit((span("one "), span("two", Role.STRONG)), 20)
    assert selected_text([line], Cell(2, 0), Cell(6, 0)) == "e tw"
    assert selected_cells(line, 2, 6) == [range(2, 6)]


def test_a_wide_letter_is_copied_where_its_first_cell_is_selected() -> None:
    line = (span("a日本b"),)
    assert selected_text([line], Cell(1, 0), Cell(4, 0)) == "日本"
    assert selected_cells(line, 1, 4) == [range(1, 5)]
    assert selected_text([line], Cell(2, 0), Cell(4, 0)) == "本"
    assert selected_cells(line, 2, 4) == [range(3, 5)]


def test_signs_their_blanks_and_fill_are_left_out() -> None:
    line = fit((sign("● "), span("Dana"), sign(" ■"), span(" "), span("VIP")), 30, (span("12m"), sign(" ~")))
    assert all_of([line]) == "DanaVIP  12m"
    assert selected_cells(line, 0, 30) == [range(2, 6), range(9, 28)]


def test_right_to_left_text_is_copied_in_the_order_in_which_it_is_read() -> None:
    for text in (HEBREW, MIXED, "قهوة (2) من فضلك"):
        for line in (
            fit((span(text),), 70),
            fit_reading(span(text), 70, (span("12m"),)),
            paragraph(show_line(text), 70)[0],
        ):
            assert all_of([line]).removesuffix("  12m") == text


def test_a_part_of_right_to_left_text_has_the_letters_of_its_cells() -> None:
    line = fit((span(HEBREW),), len(HEBREW))
    # The first word stands at the right edge.
    assert selected_text([line], Cell(len(HEBREW) - 4, 0), Cell(len(HEBREW), 0)) == "שלום"
    assert selected_text([line], Cell(0, 0), Cell(4, 0)) == "נשמע"
    shown = lay_out(MIXED)
    at = shown.index("12514")
    assert selected_text([fit((span(MIXED),), 70)], Cell(at, 0), Cell(at + 5, 0)) == "12514"
    at = shown.index("+972")
    assert selected_text([fit((span(MIXED),), 70)], Cell(at, 0), Cell(at + 7, 0)) == "+972 52"


def test_a_terminal_that_orders_text_itself_has_each_letter_in_the_cell_where_it_was_written() -> None:
    set_terminal(lays_out=False)
    try:
        line = paragraph(show_line(HEBREW), 30)[0]
        fill = 30 - len(HEBREW)
        assert selected_text([line], Cell(fill, 0), Cell(fill + 4, 0)) == "שלום"
        assert selected_text([line], Cell(fill, 0), Cell(fill + 3, 0)) == "שלו"
        line = fit_reading(span(HEBREW), 30, (span("12m"),))
        start = 30 - 5 - len(HEBREW)
        assert selected_text([line], Cell(start, 0), Cell(start + 4, 0)) == "שלום"
    finally:
        set_terminal(lays_out=True)


def test_wrapped_lines_are_copied_as_the_one_line_that_they_are() -> None:
    for text in ("the quick brown fox jumps over the lazy dog", "https://example.org/" + "x" * 70, MIXED):
        lines = paragraph(show_line(text), 20)
        assert len(lines) > 2
        assert all_of(lines) == text
    assert all_of(list(labelled("about", trusted("one two three four"), 17))) == "about   one two three four"


def test_lines_before_the_first_cell_and_behind_the_last_are_left_out() -> None:
    lines = [paragraph(show_line(word), 20)[0] for word in ("before", "one", "two", "behind")]
    assert selected_text(lines, Cell(1, 1), Cell(2, 2)) == "ne\ntw"


def test_lines_of_their_own_stay_so() -> None:
    lines = [*paragraph(show_line("one"), 20), EMPTY, *paragraph(show_line("  two"), 20)]
    assert all_of(lines) == "one\n\n  two"


def test_nothing_but_signs_is_nothing() -> None:
    assert all_of([(sign("│ "),), (sign("──"), span(" "))]) == ""


@pytest.mark.parametrize("width", [12, 40])
@given(text=TEXTS)
def test_any_text_is_copied_whole_and_in_parts(width: int, text: str) -> None:
    shown = show_line(text)
    lines = paragraph(shown, width)
    assert all_of(lines).split() == shown.text.split() or "…" in all_of(lines)
    for line in lines:
        for cells in (range(3, 9), range(width)):
            copied = selected_text([line], Cell(cells.start, 0), Cell(cells.stop, 0))
            assert set(copied) <= set(shown.text) | {"…"}
        assert width_of(line) == width


@given(text=st.text(alphabet="אבגד ab12", min_size=1, max_size=20))
def test_two_halves_have_all_letters(text: str) -> None:
    line = fit((span(show_line(text)),), 30)
    for middle in (3, 7):
        halves = selected_text([line], Cell(0, 0), Cell(middle, 0)) + selected_text(
            [line], Cell(middle, 0), Cell(30, 0)
        )
        assert sorted(halves.replace(" ", "")) == sorted(text.replace(" ", ""))

"""Lines of spans: fitted to a width, cut with a sign."""

from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.text.display_text import show_line
from frontdesk.text.lines import fit, paragraph, span, width_of
from sample_records import (
    TEXTS,
    WIDTHS,
    words,
)


@settings(deadline=None, max_examples=100)
@given(st.lists(TEXTS, max_size=3), st.lists(TEXTS, max_size=2), st.integers(0, 200))
def test_fit_makes_a_line_of_any_spans(left: list[str], right: list[str], width: int) -> None:
    line = fit([span(show_line(each)) for each in left], width, [span(show_line(each)) for each in right])
    assert width_of(line) == width


@settings(deadline=None, max_examples=100)
@given(TEXTS, WIDTHS)
def test_every_line_of_a_paragraph_is_filled(text: str, width: int) -> None:
    for line in paragraph(show_line(text), width):
        assert width_of(line) == width


def test_what_does_not_fit_is_cut_with_a_sign_and_the_right_edge_stays() -> None:
    assert words(fit([span("a long name")], 10, [span("09:12")])) == "a l… 09:12"
    assert words(fit([span("a long name")], 3, [span("09:12")])) == "09…"


def test_right_to_left_text_is_cut_at_its_end_and_then_laid_out() -> None:
    """The first letters stay, and stand at the right of what is painted."""
    assert words(fit([span("שלום עולם")], 6)) == "…" + "שלום "[::-1]

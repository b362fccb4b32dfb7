"""Lines of spans: fitted to a width, cut with a sign."""

from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk_lines.display_text import show_line
from frontdesk_lines.glyphs import UNICODE
from frontdesk_lines.lines import (
    EMPTY,
    Role,
    Span,
    TableColumn,
    crop,
    first_fitting,
    fit,
    fit_reading,
    fitting_columns,
    heading,
    labelled,
    paragraph,
    signed,
    span,
    width_of,
    wrapped,
)
from sample_texts import (
    TEXTS,
    WIDTHS,
    words,
)


@settings(deadline=None, max_examples=60)
@given(st.lists(TEXTS, max_size=3), st.lists(TEXTS, max_size=2), st.integers(0, 200))
def test_fit_makes_a_line_of_any_spans(left: list[str], right: list[str], width: int) -> None:
    line = fit([span(show_line(each)) for each in left], width, [span(show_line(each)) for each in right])
    assert width_of(line) == width


@settings(deadline=None, max_examples=60)
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


def test_words_behind_a_sign_or_a_label_stay_behind_it() -> None:
    assert [words(each) for each in signed("!", show_line("one two three"), 8, Role.BAD)] == [
        "! one   ",
        "  two   ",
        "  three ",
    ]
    assert {part.role for each in signed("!", show_line("one"), 5, Role.BAD) for part in each} == {Role.BAD}
    assert [words(each) for each in labelled("to", show_line("one two three"), 14, Role.STRONG)] == [
        "to      one   ",
        "        two   ",
        "        three ",
    ]
    first = next(labelled("to", show_line("one"), 14, Role.STRONG))
    assert [part.role for part in first if part.text.text.strip()] == [Role.DIM, Role.STRONG]
    assert words(next(labelled("to", show_line("one"), 9, cells=4))) == "to  one  "
    assert [words(each) for each in wrapped(show_line("one two"), 5, Role.WARN)] == ["one  ", "two  "]
    assert wrapped(show_line("one"), 3, Role.WARN)[0][0].role is Role.WARN
    assert [words(each) for each in signed("!", show_line("a b"), 2, Role.BAD)] == ["! ", "  "]
    assert [words(each) for each in wrapped(show_line("a b"), 0, Role.BAD)] == ["", ""]


def test_a_heading_is_a_rule_with_words_in_it() -> None:
    line = heading("Lines", 14, UNICODE)
    assert words(line) == "── Lines ─────"
    assert [(part.text.text, part.role) for part in line] == [("── Lines ", Role.STRONG), ("─────", Role.RULE)]
    assert words(heading("Lines", 9, UNICODE)) == "── Lines "
    assert words(heading("Lines", 5, UNICODE)) == "── L…"


def test_a_column_is_dropped_with_all_that_matter_less() -> None:
    columns = [TableColumn("sent", 6, 1), TableColumn("read", 5, 3), TableColumn("failed", 9, 2)]
    fitting = {room: [each.label for each in fitting_columns(columns, room)] for room in range(25)}
    for room, labels in fitting.items():
        if room < 6:
            assert labels == []
        elif room < 15:
            assert labels == ["sent"], "there is room for the least important one, but not before its betters"
        else:
            assert labels == (["sent", "failed"] if room < 20 else ["sent", "read", "failed"])


def test_a_line_is_cropped_without_being_laid_out_again() -> None:
    line = fit([span("one", Role.STRONG), span("two", Role.DIM)], 6)
    assert [(part.text.text, part.role) for part in crop(line, 4)] == [("one", Role.STRONG), ("…", Role.DIM)]
    assert crop(line, 6) == line
    assert words(crop(line, 3)) == "one"
    assert words(crop((*line, span("x")), 5)) == "onet…"


def test_the_first_line_that_fits_is_taken_and_else_the_last() -> None:
    lines = [(span("a long one"),), (span("short"),), (span("s"),)]
    assert [first_fitting(lines, width) for width in (10, 9, 5, 4, 0)] == [
        lines[0],
        lines[1],
        lines[1],
        lines[2],
        lines[2],
    ]
    assert first_fitting([], 5) == EMPTY


def test_words_are_read_from_their_own_side() -> None:
    """Right-to-left words stand at the right, two cells before what is there; others stand as in `fit`."""
    assert words(fit_reading(span("name"), 14, [span("09:12")], [span("* ")])) == "* name   09:12"
    line = fit_reading(span(show_line("שלום"), Role.STRONG), 16, [span("09:12")], [span("* ")])
    assert words(line) == "*    " + "שלום"[::-1] + "  09:12"
    assert [part.role for part in line if "ש" in part.text.text] == [Role.STRONG]
    assert words(fit_reading(span(show_line("שלום")), 7)) == "   " + "שלום"[::-1]
    assert words(fit_reading(span(show_line("שלום")), 4)) == "שלום"[::-1]
    assert words(fit_reading(span(show_line("שלום")), 10, [span("09:12")])) == "…" + "של"[::-1] + "  09:12"
    assert words(fit_reading(span(show_line("שלום")), 7, [span("09:12")])) == words(
        fit([span(show_line("שלום"))], 7, [span("09:12")])
    )


@given(st.text("שלום é🇩🇪👩\u200d🚀ab ", max_size=12), st.integers(0, 24))
def test_a_reading_line_is_filled(text: str, width: int) -> None:
    line = fit_reading(span(show_line(text)), width, [span("09:12")], [span("* ")])
    assert width_of(line) == width


def test_what_was_sanitized_says_so_however_it_is_fitted() -> None:
    """So does its role; what wasn't says nothing."""
    for text, was_sanitized in (("evil\x1b[2J name", True), ("plain long name", False), ("שלום\x1b עולם", True)):
        part = Span(show_line(text), Role.BAD)
        lines = [
            fit([part], 8),
            fit([part], 60),
            fit((), 8, [part]),
            fit_reading(part, 8),
            fit_reading(part, 60),
            crop([part], 8),
            *paragraph(part.text, 8, Role.BAD),
            *wrapped(part.text, 8, Role.BAD),
        ]
        for line in lines:
            own = [each for each in line if each.text.text.strip()]
            assert {(each.role, each.text.was_sanitized) for each in own} == {(Role.BAD, was_sanitized)}


def test_what_a_terminal_may_widen_at_the_right_edge_gets_room_there() -> None:
    line = fit([span("name")], 12, [span(show_line("🇩🇪"))])
    assert words(line) == "name    🇩🇪  "
    assert [words(fit([span("name")], width, [span(show_line("🇩🇪"))])) for width in (7, 6, 5)] == [
        "n… 🇩🇪  ",
        "… 🇩🇪  ",
        " 🇩🇪  ",
    ]
    assert [words(fit([span("left")], width, [span("right")])) for width in (8, 7, 6, 5)] == [
        "l… right",
        "… right",
        " right",
        "right",
    ]


def test_right_to_left_paragraphs_stand_at_the_right_and_others_at_the_left() -> None:
    assert [words(line) for line in paragraph(show_line("one two"), 5)] == ["one  ", "two  "]
    assert [words(line) for line in paragraph(show_line("שלום עולם"), 6)] == [
        "  " + "שלום"[::-1],
        "  " + "עולם"[::-1],
    ]
    assert [words(line) for line in paragraph(show_line("🇩🇪 one"), 8)] == ["🇩🇪 one  "]
    assert [words(line) for line in paragraph(show_line("שלום 🇩🇪"), 12)] == ["   🇩🇪 " + "שלום"[::-1] + "  "]

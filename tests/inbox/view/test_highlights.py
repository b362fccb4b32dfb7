"""Found words are shown where the index finds them, in any script and over any line break."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from call_counts import count_calls
from examples import few
from frontdesk.inbox.view import highlights
from frontdesk.storage.records import SearchHit
from frontdesk_lines import lines
from frontdesk_lines.display_text import show_line
from frontdesk_lines.lines import Role, width_of
from sample_records import TEXTS, VIEW, WIDTHS, words


@pytest.mark.parametrize(
    ("text", "wanted", "found"),
    [
        ("Where is my Order? I have ordered", "order", ["Order", "order"]),
        ("reorder the order", "order", ["order"]),
        ("résumé RESUME resumés", "resume", ["résumé", "RESUME", "resumé"]),
        ("cafe\u0301 now", "café", ["cafe"]),
        ("שָׁלוֹם עולם שלום", "שלום", ["שָׁלוֹם", "שלום"]),
        ("أهلا وسهلا", "اهلا", ["أهلا"]),
        ("call 054-123 4567", "054-123", ["054-123"]),
        ("a cab a", "a", ["a", "a"]),
        ("漢字かな 漢字", "字か", ["字か"]),
        ("hi👍 ok", "👍", ["👍"]),
        ("Straße", "strasse", ["Straße"]),
        ("two words", "words two", ["two", "words"]),
        ("nothing", "", []),
        ("nothing", "...", []),
        ("", "x", []),
    ],
)
def test_words_are_found_as_the_index_finds_them(text: str, wanted: str, found: list[str]) -> None:
    assert [text[each.start : each.stop] for each in highlights.match_ranges(text, wanted)] == found


@pytest.mark.parametrize("before", [0, 1, 3_990, 3_999, 4_000, 4_001, 8_000, 100_000])
@pytest.mark.parametrize("sign", ["x", "é", "ש", "\u0316\u0301", " "])
def test_an_excerpt_is_around_the_word_however_far_it_stands(before: int, sign: str) -> None:
    text = (sign * before)[:before] + " Résumé, sent"
    assert "Résumé, sent" in highlights.excerpt(text, "resume", 60)
    assert highlights.excerpt(f"{text} {'x' * 70}", "resume", 60).endswith("…")


def test_the_rest_of_a_long_word_is_no_word() -> None:
    for long in range(3_990, 4_010):
        found = highlights.excerpt(f"{'x' * long}sofa and the sofa here", "sofa", 60)
        assert "the sofa here" in found, long


def test_a_long_text_is_not_looked_at_letter_by_letter() -> None:
    hit = SearchHit("task", None, "n" * 2_000_000, "a" * 2_000_000 + " needle", None)
    assert count_calls(lambda: highlights.hit_row(hit, "needle", 80, VIEW)) < 50_000


def marked(text: str, wanted: str, width: int) -> list[str]:
    return [
        part.text.text
        for line in highlights.paragraph(show_line(text), width, wanted)
        for part in line
        if part.role is Role.HIT
    ]


def test_a_word_broken_over_lines_is_marked_on_each() -> None:
    assert marked("x abcdefghijkl y", "abcdefghijkl", 5) == ["abcde", "fghij", "kl"]


def test_a_mark_is_shown_with_its_letter() -> None:
    assert marked("cafe\u0301 now", "cafe", 20) == ["cafe\u0301"]


def test_words_from_right_to_left_are_marked_where_they_are_painted() -> None:
    assert marked("שלום עולם הזמנה 10433", "עולם", 40) == ["עולם"[::-1]]
    assert marked("שלום עולם הזמנה 10433", "104", 40) == ["104"]
    assert marked("abc שלום def", "שלום def", 40) == ["שלום"[::-1], "def"]
    assert marked("مرحبا بالعالم, رقم 12 abc", "مرحبا", 40) == ["مرحبا"[::-1]]


@few
@given(TEXTS, TEXTS | st.sampled_from(["שלום", "a", "10"]), WIDTHS)
def test_marking_changes_nothing_but_the_look(text: str, wanted: str, width: int) -> None:
    shown = show_line(text)
    plain = lines.paragraph(shown, width)
    with_hits = highlights.paragraph(shown, width, wanted)
    assert words(*with_hits) == words(*plain)
    assert [width_of(line) for line in with_hits] == [width] * len(plain)

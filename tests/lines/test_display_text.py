"""Strangers' text is safe to show."""

import io
import logging
import sys
import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk_api.redaction import KNOWN
from frontdesk_lines.bidi import is_right_to_left
from frontdesk_lines.cell_width import cell_width
from frontdesk_lines.display_text import (
    BODY_LINES,
    LINE_LIMIT,
    MAX_LOG_LINE,
    CleanLines,
    SafeText,
    body_lines,
    clean_stray_logs,
    counted,
    cut,
    enumerate_names,
    file_size,
    is_blank,
    is_invisible,
    lay_out,
    lay_out_typed,
    pad,
    set_terminal,
    show_label,
    show_line,
    show_name,
    trusted,
    visible_name,
    wrap,
)
from frontdesk_lines.privacy import set_private

JOINERS = {"\u200c", "\u200d"}  # emoji families, Persian and Indic words need them
# Signs around numbers in Arabic, Syriac and Kaithi: Unicode counts them as formats, but they are visible.
NUMBER_SIGNS = set(map(chr, (*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD)))


@pytest.mark.slow
def test_no_code_point_of_unicode_leaves_a_control_or_an_invisible_letter() -> None:
    each_line = LINE_LIMIT // 2
    for first in range(0, sys.maxunicode + 1, each_line):
        # Each stands after a letter of its own, so that none is left out as one mark too many.
        line = "".join(f"a{chr(code)}" for code in range(first, min(first + each_line, sys.maxunicode + 1)))
        for char in set(show_line(line).text) - JOINERS - NUMBER_SIGNS:
            category = unicodedata.category(char)
            assert category not in ("Cc", "Cf", "Cs", "Zl", "Zp"), (hex(first), hex(ord(char)))


@pytest.mark.parametrize("code", [0x13430, 0x1343F, 0x1BCA0, 0x1BCA3, 0x1D173, 0x1D17A])
def test_controls_of_rare_scripts_are_taken_out(code: int) -> None:
    shown = show_line(f"a{chr(code)}b")
    assert (shown.text, shown.was_sanitized) == ("ab", True)


def test_an_escape_sequence_is_shown_and_not_obeyed() -> None:
    assert show_line("\x1b]52;c;eA==\x07").text == "␛]52;c;eA==␇"


def test_what_was_replaced_is_said() -> None:
    assert show_line("\u202eevil").was_sanitized
    assert not show_line("שלום").was_sanitized


def test_selectors_of_the_supplement_can_hide_no_text_behind_a_letter() -> None:
    hidden = "".join(chr(0xE0100 + byte) for byte in b"secret")
    shown = show_line(f"a{hidden}\U000e01efb")
    assert (shown.text, shown.was_sanitized) == ("ab", True)
    assert all(is_invisible(each) for each in hidden)


def test_a_joiner_before_a_selector_that_goes_has_nothing_to_join() -> None:
    shown = show_line("ש\u200d\ufe0e b")
    assert shown.text == "ש b"
    assert show_line("☎\ufe0e").text == "☎"
    assert not show_line("☎\ufe0e").was_sanitized


def test_a_line_break_in_a_one_line_field_is_visible() -> None:
    assert show_line("a\nb").text == "a␤b"


def test_four_marks_a_letter_and_no_more() -> None:
    assert show_line("a" + "\u0301" * 100).text == "a" + "\u0301" * 4


def test_a_flood_is_cut_and_says_so() -> None:
    lines = body_lines("x\n" * 100_000)
    assert len(lines) == BODY_LINES + 1
    assert "200,000 characters" in lines[-1].text


def test_shown_is_no_string() -> None:
    assert not issubclass(SafeText, str)


@given(st.text(), st.integers(min_value=0, max_value=60))
def test_cut_never_takes_more_cells_than_there_are(text: str, width: int) -> None:
    assert cell_width(cut(show_line(text).text, width)) <= width


@given(st.text(), st.integers(min_value=1, max_value=60))
def test_pad_fills_exactly(text: str, width: int) -> None:
    assert cell_width(pad(show_line(text).text, width)) == width


@given(st.text(min_size=1), st.integers(min_value=2, max_value=40))
def test_wrapping_loses_nothing_but_spaces_and_keeps_the_width(text: str, width: int) -> None:
    shown = show_line(text)
    lines = wrap(shown, width)
    assert all(cell_width(line.text) <= width for line in lines)
    assert "".join("".join(line.text for line in lines).split()) == "".join(shown.text.split())


@pytest.mark.parametrize(
    ("logical", "painted"),
    [
        ("שלום", "םולש"),
        ("order 10433 שלום", "order 10433 םולש"),
        ("שלום 10433", "10433 םולש"),
        ("hello", "hello"),
    ],
)
def test_right_to_left_text_is_laid_out_for_the_eye(logical: str, painted: str) -> None:
    assert lay_out(logical) == painted


def test_an_emoji_family_survives_being_laid_out() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert family in lay_out(f"שלום {family} היום")


@given(st.text(alphabet="אבגדשלוםabc 123,.!\u0301👍"))
def test_laying_out_keeps_the_width(text: str) -> None:
    shown = show_line(text).text
    assert cell_width(lay_out(shown)) == cell_width(shown)


def test_direction_is_that_of_the_first_letter_that_has_one() -> None:
    assert is_right_to_left("123 שלום hello")
    assert not is_right_to_left("hello שלום")


def test_own_words_are_taken_as_they_are() -> None:
    assert trusted("a").text == "a"


def test_a_joiner_stays_only_between_letters_that_join() -> None:
    joiner = "\u200d"
    texts = ("بJب", "بJa", "aJب", "بJ", "Jب", "بJJب", "aJb")
    shown = {text: show_line(text.replace("J", joiner)).text for text in texts}
    assert shown == {
        "بJب": f"ب{joiner}ب",
        "بJa": "بa",
        "aJب": "aب",
        "بJ": "ب",
        "Jب": "ب",
        "بJJب": f"ب{joiner}ب",
        "aJb": "ab",
    }


BLANKS = "\u3164\u200b\u2060\u200e\u2800\ufeff\u115f\uffa0\u0301\U000e0041 \t\n\u00a0\u3000\x00\U0001d159\ufe0f"


@given(st.text(BLANKS), st.text(BLANKS))
def test_a_name_that_nobody_sees_counts_as_none(name: str, nickname: str) -> None:
    assert is_blank(name)
    assert visible_name(name, nickname, None, "+44 7955 550001", "id") == "+44 7955 550001"
    assert visible_name(name, f"{nickname}Bob{name}") == f"{nickname}Bob{name}"
    assert visible_name(name, nickname) == ""


@given(st.text() | st.text(BLANKS + "a א🇪🇸ـ"))
def test_whatever_is_not_blank_is_seen(name: str) -> None:
    if not is_blank(name):
        assert show_line(name).text.strip(" \u00a0\u2800")


def test_blanks_that_are_cut_leave_no_sign() -> None:
    assert cut(" " * 5, 3) == " " * 3
    assert cut(" " * 4 + "x", 3) == "  …"
    assert [cut("long", width) for width in (4, 1, 0, -1)] == ["long", "…", "", ""]


@pytest.mark.parametrize(
    ("raw", "line", "body"),
    [
        (None, "", ()),
        ("", "", ("",)),
        (12.5, "12.5", ("12.5",)),
        (True, "True", ("True",)),
        ("a\tb", "a    b", ("a    b",)),
        ("a\r\nb", "a␤b", ("a", "b")),
        ("a\x85b\u2028c\u2029d", "a␤b␤c␤d", ("a", "b", "c", "d")),
        ("\x00\x1f\x7f\x9f", "␀␟␡�", ("␀␟␡�",)),
        ("a\u200b\u00adb", "ab", ("ab",)),
    ],
)
def test_any_value_is_one_safe_line_or_several(raw: object, line: str, body: tuple[str, ...]) -> None:
    assert show_line(raw).text == line
    assert tuple(each.text for each in body_lines(raw)) == body


@pytest.mark.parametrize(("length", "is_cut"), [(9, False), (10, False), (11, True)])
def test_a_line_has_so_many_letters_and_a_sign_for_the_rest(length: int, is_cut: bool) -> None:
    for letter in "aé":
        shown = show_line(letter * length, 10)
        assert shown == SafeText(letter * min(length, 10) + "…" * is_cut)
    lines = body_lines("a" * length, 10)
    assert [each.text for each in lines][1:] == (
        [f"… {length} characters in total; the rest isn't shown"] if is_cut else []
    )


def test_a_body_has_so_many_lines_and_says_how_much_there_is() -> None:
    assert [each.text for each in body_lines("a\nb\nc", 10, 3)] == ["a", "b", "c"]
    assert [each.text for each in body_lines("a\nb\nc", 10, 2)] == [
        "a",
        "b",
        "… 5 characters in total; the rest isn't shown",
    ]


@pytest.mark.parametrize(
    ("size", "expected"),
    [(0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (1_550, "1.6 kB"), (999_999, "1,000.0 kB"),
     (1_000_000, "1.0 MB"), (2_500_000_000, "2.5 GB")],
)  # fmt: skip
def test_a_files_size_is_in_its_largest_unit(size: int, expected: str) -> None:
    assert file_size(size).text == expected


@pytest.mark.parametrize(
    ("count", "expected"), [(0, "0 boxes"), (1, "1 box"), (2, "2 boxes"), (1_234_567, "1,234,567 boxes")]
)
def test_a_count_has_its_word_in_the_right_number(count: int, expected: str) -> None:
    assert counted(count, "box", "boxes") == expected
    assert counted(count, "change") == expected.replace("boxes", "changes").replace("box", "change")


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("one two", 7, ["one two"]),
        ("one two", 6, ["one", "two"]),
        ("one  two", 4, ["one", "two"]),
        ("a longer", 4, ["a", "long", "er"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("漢字漢", 4, ["漢字", "漢"]),
        ("漢字", 1, ["漢", "字"]),
        ("a   ", 2, ["a"]),
        ("abcdefghi jklm nopq", 9, ["abcdefghi", "jklm nopq"]),
        ("abc abcde fg", 8, ["abc", "abcde fg"]),
        ("abcdefghijk lmno", 8, ["abcdefgh", "ijk lmno"]),
        ("ab cdefghij", 4, ["ab", "cdef", "ghij"]),
        ("", 3, [""]),
    ],
)
def test_text_is_wrapped_at_blanks_and_inside_a_word_where_that_is_longer(
    text: str, width: int, expected: list[str]
) -> None:
    assert [each.text for each in wrap(trusted(text), width)] == expected


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("long name", 6, "long …"),
        ("漢字漢字", 8, "漢字漢字"),
        ("漢字漢字", 7, "漢字漢…"),
        ("漢字漢字", 6, "漢字…"),
        ("漢", 1, "…"),
        ("ab\u200d漢字", 4, "ab…"),
    ],
)
def test_a_cut_text_fits_with_its_sign(text: str, width: int, expected: str) -> None:
    assert cut(text, width) == expected
    assert pad(text, width) == expected + " " * (width - cell_width(expected))


def test_signs_of_names_in_a_sentence_keep_right_to_left_neighbours_in_their_order() -> None:
    assert enumerate_names(["Noa", "דנה"]) == "Noa, \u200eדנה\u200e"
    assert lay_out("a\u200eb\u200e ש") == "ab ש"


@pytest.mark.parametrize(
    ("letter", "expected"),
    [("a", False), ("\u200d", True), ("\ufe0f", True), ("\ufe00", True), ("\ufdff", False), ("\ufe10", False),
     ("\U000e0000", True), ("\U000e0fff", True), ("\U000e1000", False), ("\u3164", True), ("\u0600", True),
     ("é", False), ("\x7f", False)],
)  # fmt: skip
def test_a_letter_without_a_place_of_its_own_is_invisible(letter: str, expected: bool) -> None:
    assert is_invisible(letter) is expected


def test_a_process_without_a_log_file_prints_its_warnings_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(logging, "lastResort", logging.StreamHandler(out))
    clean_stray_logs()
    record = logging.LogRecord("x", logging.WARNING, "", 1, "bad \x1b[2J %s", ("a\nb\x07",), None)
    logging.lastResort.handle(record)  # type: ignore[union-attr]
    assert out.getvalue() == "frontdesk: bad ␛[2J a\nb␇\n"
    monkeypatch.setattr(logging, "lastResort", None)
    clean_stray_logs()


def test_a_line_of_a_log_is_bounded() -> None:
    record = logging.LogRecord("x", logging.WARNING, "", 1, "y" * (MAX_LOG_LINE + 1), None, None)
    assert CleanLines("%(message)s").format(record) == "y" * MAX_LOG_LINE + "…"


@pytest.fixture
def terminal() -> Iterator[None]:
    yield
    set_terminal(lays_out=True, emoji_as_text=False)


@pytest.mark.usefixtures("terminal")
def test_a_terminal_is_told_what_it_can_show_and_keeps_the_rest() -> None:
    set_terminal(emoji_as_text=True)
    assert show_line("a ❤️ b").text == "a :red heart: b"
    assert show_line("© ☎ 👍").text == "© :telephone: :thumbs up:"
    assert show_line("👍👍", 12).text == ":thumbs up::…"
    assert not show_line("👍").was_sanitized
    assert lay_out("שלום") == "םולש"
    set_terminal(lays_out=False)
    assert lay_out("שלום") == "שלום"
    assert show_line("👍").text == ":thumbs up:"
    assert lay_out_typed("שלום", 0) is None
    set_terminal()
    assert (lay_out("שלום"), show_line("👍").text) == ("שלום", ":thumbs up:")
    set_terminal(lays_out=True, emoji_as_text=False)
    assert lay_out_typed("שלום", 0) == ("םולש", 3)


def test_while_privacy_is_on_lines_are_hidden_people_have_aliases_and_labels_stay() -> None:
    set_private(True)
    assert show_line("Noa 4711, ok") == SafeText("••• ••••, ••")
    assert show_line("\x1bN").was_sanitized
    first = show_name("Noa", kind="Customer", key="c1").text
    assert first.startswith("Customer ")
    assert show_name("Noa", kind="Customer", key="c1").text == first
    assert show_name("Noa", kind="Customer", key="c2").text != first
    assert show_name("Noa", kind="Customer", key="").text == "•••"
    assert show_name(None, kind="Agent", key="a1").text.startswith("Agent ")
    assert show_label("Open").text == "Open"
    set_private(False)
    assert show_name("Noa\x1b", 2, kind="Customer", key="c1").text == "No…"


def test_half_of_a_credential_is_not_shown_where_a_text_is_cut() -> None:
    KNOWN.add([("api_key", "canary-key-4711")])
    for raw in ("x" * 8 + "canary-key-4711", "x" * 8 + "canary-key-4711" + "y" * 60_000):
        assert show_line(raw, 10).text == "x" * 8 + "[c…"
        assert body_lines(raw, 10)[0].text == "x" * 8 + "[c"

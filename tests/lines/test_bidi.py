"""Right-to-left text in the order of its cells, and lines that fit any terminal: laws that hold for all text."""

from collections import Counter
from collections.abc import Iterator

import pytest
import wcwidth
from bidi.mirror import MIRRORED
from hypothesis import given
from hypothesis import strategies as st

from frontdesk_lines import display_text
from frontdesk_lines.bidi import is_right_to_left, lay_out_typed
from frontdesk_lines.cell_width import _NARROW, cell_width, graphemes, is_disputed, max_cells
from frontdesk_lines.display_text import SafeText, cut, enumerate_names, lay_out, set_terminal, show_line, wrap
from frontdesk_lines.lines import fit, fit_reading, paragraph, span, width_of
from terminal.hard_strings import HARD

HARD_TEXT = st.lists(st.sampled_from(HARD) | st.text(max_size=6), max_size=5).map(" ".join)
BIDI_TEXT = st.text(alphabet="אבגשלום سَلام abcABC 0123456789 .,:;-+()[]<>{}«»/#₪%‎👍🏽\u05b8\u0301\u200d\u0650")
UNMIRRORED = {char: min(char, other) for char, other in MIRRORED.items()}


@pytest.fixture
def terminal() -> Iterator[None]:
    yield
    set_terminal(lays_out=True, emoji_as_text=False)


@given(BIDI_TEXT | HARD_TEXT, st.sampled_from([None, True, False]))
def test_laying_out_moves_letters_and_mirrors_brackets_and_does_nothing_else(text: str, base: bool | None) -> None:
    shown = show_line(text).text
    laid = lay_out(shown, base)
    assert cell_width(laid) == cell_width(shown)
    assert Counter(UNMIRRORED.get(char, char) for char in laid) == Counter(
        UNMIRRORED.get(char, char) for char in shown
    )


@given(st.text(alphabet="אבגדהו\u05b8\u05bc שלום"))
def test_a_letter_keeps_its_points(text: str) -> None:
    shown = show_line(text).text
    assert Counter(graphemes(lay_out(shown))) == Counter(graphemes(shown))


@pytest.mark.parametrize(
    ("logical", "painted"),
    [
        ("(שלום)", "(םולש)"),
        ("ראו (דף 5) [שם]", "[םש] (5 ףד) ואר"),
        ("חייגו +972 52-123-4567 היום", "םויה +972 52-123-4567 וגייח"),
        ("Call דנה +972 52-123-4567 now", "Call הנד +972 52-123-4567 now"),
        ("טלפון 03-1234567.", ".03-1234567 ןופלט"),
        ("ב-18/11/2026 בין 10:00-12:00", "10:00-12:00 ןיב 18/11/2026-ב"),
        ("מחיר 249.90 ₪, 10% הנחה", "החנה 10% ,₪ 249.90 ריחמ"),
        ("ראו https://acme.example/a/?id=5.", ".https://acme.example/a/?id=5 ואר"),
        ("כתבו אל dana@acme.example היום", "םויה dana@acme.example לא ובתכ"),
        ("الهاتف +971 4 123 4567 (مكتب)", "(بتكم) +971 4 123 4567 فتاهلا"),
        ("הזמנה #10433 של Dana Levi", "Dana Levi לש #10433 הנמזה"),
        ("שָׁלוֹם", "םוֹלשָׁ"),
    ],
)
def test_numbers_addresses_and_brackets_read_right(logical: str, painted: str) -> None:
    assert lay_out(logical) == painted


@given(HARD_TEXT, st.integers(min_value=0, max_value=60))
def test_what_is_cut_fits_any_terminal_and_ends_with_a_whole_letter(text: str, width: int) -> None:
    shown = show_line(text).text
    kept = cut(shown, width)
    assert max_cells(kept) <= width
    letters = graphemes(shown)
    whole = {"".join(letters[:count]).rstrip("\u200c\u200d") for count in range(len(letters) + 1)}
    assert kept.removesuffix("…") in whole or kept in whole


@given(HARD_TEXT, st.integers(min_value=9, max_value=60))
def test_wrapped_lines_fit_any_terminal_and_split_no_letter(text: str, width: int) -> None:
    shown = show_line(text)
    lines = wrap(shown, width)
    assert all(max_cells(line.text) <= max(width, *map(max_cells, graphemes(line.text) or [""])) for line in lines)
    assert "".join("".join(line.text for line in lines).split()) == "".join(shown.text.split())
    parts = [letter for line in lines for letter in graphemes(line.text) if letter.strip()]
    assert parts == [letter for letter in graphemes(shown.text) if letter.strip()]


@given(HARD_TEXT, HARD_TEXT, st.integers(min_value=4, max_value=60))
def test_a_row_has_room_for_what_any_terminal_makes_of_it(left: str, right: str, width: int) -> None:
    line = fit([span(show_line(left))], width, [span(show_line(right, 12))])
    assert width_of(line) == width
    for each in (line, *paragraph(show_line(left), width)):
        assert width_of(each) == width
        assert sum(max_cells(part.text.text.strip(" ")) for part in each) <= width


def test_what_no_terminal_disputes_has_one_width() -> None:
    for text in ("hello", "שלום", "日本", "│ ─", "café", "привет"):
        assert not is_disputed(text)
        assert max_cells(text) == cell_width(text)
    assert (cell_width("👨\u200d👩\u200d👧"), max_cells("👨\u200d👩\u200d👧")) == (2, 6)
    assert max_cells("🇮🇱") == 4
    assert max_cells("\u1018\u102c") == 2, "a vowel sign that is a letter of its own"


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(
    ("names", "painted"),
    [
        (["דנה", "Omar", "עומר"], "הנד, Omar, רמוע and 3 more"),
        (["דנה", "עומר"], "הנד, רמוע and 3 more"),
        (['"איחור" for דנה', '"צבע" for עומר'], '"רוחיא" for הנד, "עבצ" for רמוע and 3 more'),
    ],
)
def test_names_in_a_sentence_keep_their_order(names: list[str], painted: str) -> None:
    sentence = f"{enumerate_names(names)} and 3 more"
    assert lay_out(sentence) == painted
    assert cell_width(sentence) == len(painted)
    set_terminal(lays_out=False)
    assert lay_out(sentence) == f"{', '.join(names)} and 3 more"


@pytest.mark.usefixtures("terminal")
def test_a_terminal_that_orders_lines_itself_is_given_them_as_they_are() -> None:
    set_terminal(lays_out=False)
    assert lay_out("שלום (10)") == "שלום (10)"
    assert paragraph(SafeText("שלום"), 10)[0][-1].text.text == "שלום"


@pytest.mark.usefixtures("terminal")
def test_emoji_can_be_named() -> None:
    set_terminal(emoji_as_text=True)
    assert show_line("thanks 👍🏽 ❤️").text == "thanks :thumbs up medium skin tone: :red heart:"
    assert show_line("👨\u200d👩\u200d👧 🇮🇱 1️⃣").text == ":family man woman girl: :Israel: :keycap 1:"
    assert show_line("© שלום 日本").text == "© שלום 日本"
    assert len(show_line("👍" * 100, 50).text) == 51


@pytest.mark.usefixtures("terminal")
def test_without_the_package_emoji_stay_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display_text, "find_spec", lambda _: None)
    set_terminal(emoji_as_text=True)
    assert show_line("thanks 👍🏽").text == "thanks 👍🏽"


def test_a_joiner_that_joins_nothing_is_taken_out() -> None:
    assert show_line("\u200da").text == "a"
    assert show_line("a\u200d").text == "a"
    assert show_line("a\u200db").text == "ab"
    assert show_line("می\u200cخواهم").text == "می\u200cخواهم"
    assert show_line("\u0301a").text == "a"


def test_a_column_has_right_to_left_words_at_its_right_edge_apart_from_what_stands_there() -> None:
    def line(text: str, width: int = 24) -> str:
        made = fit_reading(span(show_line(text)), width, [span("09:12")], [span("> ")])
        assert width_of(made) == width
        return "".join(part.text.text for part in made)

    assert line("Dana Levi") == "> Dana Levi        09:12"
    assert line("דנה לוי") == ">         יול הנד  09:12"
    assert line("דנה לוי " * 9) == "> …ול הנד יול הנד  09:12"
    assert line("דנה", 6) == " 09:12"


@given(HARD_TEXT, st.integers(0, 40))
def test_a_column_takes_its_width_whatever_is_written_in_it(text: str, width: int) -> None:
    right, lead = [span("09:12")], [span("> ")]
    assert width_of(fit_reading(span(show_line(text)), width, right, lead)) == width


def test_what_is_counted_without_tables_takes_one_cell_each_and_joins_nothing() -> None:
    """Against wcwidth, character by character and in pairs of neighbours."""
    narrow = [char for char in map(chr, range(0x80, 0x11000)) if _NARROW.fullmatch(char)]
    assert len(narrow) > 1500
    assert all(wcwidth.width(char) == 1 and not is_disputed(char) for char in narrow)
    text = "".join(narrow)
    assert wcwidth.width(text) == cell_width(text) == len(text)
    assert list(wcwidth.iter_graphemes(text)) == graphemes(text) == narrow


def test_a_line_with_more_different_letters_than_there_are_stand_ins_stays_as_it_is() -> None:
    """Sixty digits with marks; there are fifty signs to stand for numbers."""
    letters = [f"{digit}{mark}" for digit in "0123456789" for mark in "\u0301\u0302\u0303\u0304\u0306\u0307"]
    for count, is_ordered in ((50, True), (51, False)):
        text = f"שלום {''.join(letters[:count])}"
        assert (lay_out(text) != text) is is_ordered


@pytest.mark.parametrize(
    ("logical", "painted"),
    [
        ("abc () שלום", "abc () םולש"),
        ("f(a)(b) שלום", "f(a)(b) םולש"),
        ("abc ([x]) שלום", "abc ([x]) םולש"),
        ("שלום f(a)[b]", "f(a)[b] םולש"),
        ("שלום ()[]", "[]() םולש"),
        ("((שלום))", "((םולש))"),
        ("(שלום) (a)", "(a) (םולש)"),
    ],
)
def test_brackets_side_by_side_keep_their_directions(logical: str, painted: str) -> None:
    assert lay_out(logical) == painted


@given(st.text("אבש ab1()[]<«־", max_size=12), st.data())
def test_where_the_cursor_is_changes_nothing_that_is_painted(text: str, data: st.DataObject) -> None:
    """It is at the letter that it is on, and behind the last one on a blank at the end that is written to."""
    cursor = data.draw(st.integers(0, len(text)))
    found = lay_out_typed(text, cursor)
    if found is None:
        assert lay_out(text) == text
        return
    laid, at = found
    if cursor == len(text):
        assert (laid, at) in ((f" {lay_out(text)}", 0), (f"{lay_out(text)} ", len(text)))
        assert (at == 0) is is_right_to_left(text)
        return
    assert laid == lay_out(text)
    assert laid[at] in (text[cursor], MIRRORED.get(text[cursor]))
    places = [lay_out_typed(text, place) for place in range(len(text))]
    assert sorted(each[1] for each in places if each is not None) == list(range(len(text)))


def test_inside_what_is_never_split_the_cursor_is_where_it_is_written() -> None:
    text = "טל +972 52-123-4567 כן"
    for cursor in range(3, 19):
        found = lay_out_typed(text, cursor)
        assert found is not None
        assert found[0][found[1]] == text[cursor]
    assert lay_out_typed(text, 2) == (lay_out(text), 19)
    pointed = "שָׁלוֹם"
    assert [lay_out_typed(pointed, cursor) for cursor in (0, 2, 3)] == [
        (lay_out(pointed), 4),
        (lay_out(pointed), 4),
        (lay_out(pointed), 3),
    ]

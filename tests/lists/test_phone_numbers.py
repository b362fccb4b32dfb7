"""Numbers as people and spreadsheets write them; what isn't certain is refused and never guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk_lists import phone_numbers
from frontdesk_lists.models import NO_COUNTRY, iso_code
from frontdesk_lists.phone_numbers import (
    BadNumber,
    CountryNeeded,
    Form,
    Number,
    country_code,
    customer_key,
    platform_number,
    read_number,
)
from lists import number_table
from lists.number_table import Result

DANA = "972502345678"


@pytest.mark.parametrize(
    "written",
    [
        "+972502345678",
        "+972-50-234-5678",
        "+972 50 234 5678",
        "+972 (0)50-2345678",
        "(+972) 50 2345678",
        "00972502345678",
        "00 972 50 234 5678",
        "972502345678",
        "050-234-5678",
        "050.234.5678",
        "050/2345678",
        "(050) 2345678",
        "0502345678",
        "502345678",
        "  0502345678\t",
        "'0502345678",
        "\u200f050-2345678\u200e",
        "\u202d+972502345678\u202c",
        "\ufeff0502345678",
        "050\u20112345678",
        "050\u00a02345678",
        "٠٥٠٢٣٤٥٦٧٨",
        "＋972502345678",
        "972502345678.0",
        "+972502345678.00",
        "0502345678,0",
        "013 972 50 234 5678",
    ],
)
def test_one_number_however_it_is_written(written: str) -> None:
    number = read_number(written, "IL")
    assert (number.digits, number.doubt, number.other) == (DANA, "", "")


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("", "missing"),
        ("   ", "missing"),
        ("\u200f", "missing"),
        ("Dana", "no digits"),
        ("9.72521E+11", "rounded"),
        ("9,72521E+11", "rounded"),
        ("9.7e11", "rounded"),
        ("=0502345678", "formula"),
        ('="0502345678"', "formula"),
        ("@SUM(A1)", "formula"),
        ("050-2345678 ext 12", "extension"),
        ("050-2345678 x12", "extension"),
        ("050-2345678#12", "extension"),
        ("050-2345678 שלוחה 3", "extension"),
        ("050-2345678, 052-2345678", "several"),
        ("050-2345678; 052-2345678", "several"),
        ("050-2345678 / 03-6123456", "several"),
        ("050-2345678 or 052-2345678", "several"),
        ("0502345678 0522345678", "several"),
        ("0502345678\n0522345678", "several"),
        ("+972502345678 +972522345678", "several"),
        ("1-800-FLOWERS", "letters"),
        ("050-2345678 (Dana)", "letters"),
        ("050*2345678", "characters"),
        ("050\x002345678", "characters"),
        ("-0502345678", "minus"),
        ("0502345678.5", "decimals"),
        ("+972502345678.123", "decimals"),
        ("050-2345678/2345679", "several"),
        ("050-2345678/79", "several"),
        ("972502345678+", "+"),
        ("12", "too short"),
        ("05023", "too short"),
        ("0721234567890123", "too long"),
        ("+49 301234567890123", "has .* at most"),
        ("9" * 40, "has .* at most"),
        ("+999123456789", "no country"),
        ("+0502345678", "no country"),
        ("00", "no country"),
        ("+", "no digits"),
    ],
)
def test_what_is_refused_says_why(written: str, why: str) -> None:
    with pytest.raises(BadNumber, match=".*" + why.replace("+", r"\+")):
        read_number(written, "IL")


def test_a_calling_code_is_kept_whatever_the_country() -> None:
    for written, country in (("+49 30 123456", "IL"), ("0049-30-123456", None), ("0049-30-123456", NO_COUNTRY)):
        assert read_number(written, country).digits == "4930123456"


def test_what_is_valid_at_home_wins_then_the_digits_are_international() -> None:
    assert read_number("2015550123", "US").digits == "12015550123"
    abroad = read_number("4930123456", "IL")
    assert (abroad.digits, abroad.form) == ("4930123456", Form.FOREIGN)
    assert read_number("4930123456", NO_COUNTRY).form is Form.BARE


@pytest.mark.parametrize("written", ["0502345678", "502345678", "51987654321", DANA])
def test_digits_alone_are_no_number_before_a_person_decides_what_they_are(written: str) -> None:
    with pytest.raises(CountryNeeded, match="choose a home country, or none"):
        read_number(written, None)


def test_where_digits_are_said_to_be_international_no_other_reading_is_tried() -> None:
    assert read_number("4915123456789", NO_COUNTRY).digits == "4915123456789"
    with pytest.raises(BadNumber, match="choose a home country"):
        read_number("0502345678", NO_COUNTRY)


def test_possible_in_no_range_is_taken_and_doubted() -> None:
    assert read_number("052-1234567", "IL") == Number(
        "972521234567", "right length for IL (+972), but in an unused number range"
    )


@pytest.mark.parametrize(
    ("written", "country", "digits"),
    [
        ("4915123456789", "DE", "4915123456789"),
        ("62812345678", "ID", "62812345678"),
        ("972521234567", "IL", "972521234567"),
        ("12015550125", "US", "12015550125"),
    ],
)
def test_a_home_country_s_own_calling_code_is_found_without_a_plus(
    written: str, country: str, digits: str
) -> None:
    assert (read_number(written, country).digits, read_number(written, country).other) == (digits, "")


@pytest.mark.parametrize(
    ("written", "country", "digits", "other"),
    [
        ("51987654321", "BR", "5551987654321", "51987654321"),
        ("15123456789", "DE", "4915123456789", "15123456789"),
        ("1 55 1234 5678", "MX", "525512345678", "15512345678"),
        ("6591234567", "US", "6591234567", "16591234567"),
    ],
)
def test_digits_of_two_numbers_have_both(written: str, country: str, digits: str, other: str) -> None:
    number = read_number(written, country)
    assert (number.digits, number.other) == (digits, other)


@pytest.mark.parametrize(
    ("written", "country", "first", "second"),
    [
        ("436641234567", "DE", "49436641234567", "436641234567"),
        ("04915123456789", "DE", "494915123456789", "4915123456789"),
        ("005551987654321", "BR", "51987654321", "5551987654321"),
        ("6031234", "GA", "2416031234", "24106031234"),
        ("+39 (0)312 345 6789", None, "393123456789", "3903123456789"),
    ],
)
def test_where_no_other_row_can_tell_both_readings_are_named(
    written: str, country: str | None, first: str, second: str
) -> None:
    with pytest.raises(BadNumber, match=rf"could be \+{first} or \+{second}"):
        read_number(written, country)


@pytest.mark.parametrize(
    ("written", "country", "digits", "doubt"),
    [
        ("5215512345678", "MX", "525512345678", ""),
        ("+52 1 55 1234 5679", None, "525512345679", ""),
        ("044 55 1234 5678", "MX", "525512345678", ""),
        ("011 15-2345-6789", "AR", "5491123456789", ""),
        ("+54 11 15 2345 6789", None, "5491123456789", ""),
        ("+55 51 8765-4321", None, "5551987654321", "ninth digit"),
        ("648801234", "IT", "390648801234", "leading zero"),
        ("+39 (0)6 4880 1234", None, "390648801234", ""),
        ("+43 (0)5574/123456", "DE", "435574123456", ""),
        ("0049 (0)211/1234567", "DE", "492111234567", ""),
        ("0211/1234568", "DE", "492111234568", ""),
        ("+43/664/1234567", None, "436641234567", ""),
        ("011 44 20 7946 0018", "US", "442079460018", ""),
        ("8 10 44 20 7946 0018", "RU", "442079460018", ""),
    ],
)
def test_what_the_library_can_not_read_is_mended(
    written: str, country: str | None, digits: str, doubt: str
) -> None:
    number = read_number(written, country)
    assert (number.digits, number.other) == (digits, "")
    assert doubt in number.doubt
    assert bool(doubt) == bool(number.doubt)


def test_argentina_s_mobiles_are_one_customer_with_and_without_their_9() -> None:
    assert customer_key("5491123456789") == customer_key("541123456789") != customer_key("5411234567890")


@pytest.mark.slow
@pytest.mark.parametrize("spelling", number_table.SPELLINGS)
def test_no_spelling_of_any_country_is_read_as_somebody_else_s_number(spelling: str) -> None:
    found, wrong = number_table.count(spelling)
    assert wrong == []
    if "undecided" in spelling:
        assert [*found] == [Result.REFUSED], "a guess"
    elif spelling == "bare digits, other home" or spelling.startswith("mistyped"):
        assert found[Result.RIGHT] + found[Result.DOUBTED] < 0.6 * found.total(), "its list tells"
    elif spelling not in ("exit codes, zeros lost", "0 and bare digits"):
        assert found[Result.RIGHT] > 0.9 * found.total()


def test_possible_in_two_countries_and_valid_in_none_is_refused() -> None:
    with pytest.raises(BadNumber, match=r"could be \+.* or \+"):
        read_number("9721112223", "US")


def test_an_italian_number_keeps_its_zero() -> None:
    assert read_number("+39 06 1234567", None).digits == "39061234567"


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("IL", "IL"),
        (" il ", "IL"),
        ("+972", "IL"),
        ("00972", "IL"),
        ("972.0", "IL"),
        ("1", "US"),
        ("UK", "GB"),
        ("ישראל", "IL"),
        ("Israel", "IL"),
        ("Österreich", "AT"),
        ("osterreich", "AT"),
        ("Bosnia & Herzegovina", "BA"),
        ("Bosnia and Herzegovina", "BA"),
        ("Côte d\u2019Ivoire", "CI"),
        ("Россия", "RU"),
        ("U.S.A.", "US"),
        ("日本", "JP"),
        ("+1-876", "JM"),
        ("1 876", "JM"),
        ("1-416", "CA"),
        ("44-1481", "GG"),
        ("+7-7", "KZ"),
        ("GBR", "GB"),
        ("deu", "DE"),
    ],
)
def test_a_country_is_a_code_or_a_name(said: str, code: str | None) -> None:
    assert country_code(said) == code
    assert country_code("Atlantis") is country_code("") is country_code("999") is None
    assert country_code("10115") is None, "a postal code"


def test_a_country_is_sent_by_its_code_in_iso() -> None:
    assert [iso_code(each) for each in ("uk", " il ", "USA", "")] == ["GB", "IL", "US", ""]


def test_what_the_platform_may_make_of_digits_with_a_country_is_known() -> None:
    assert platform_number("4232015550", "US") == "14232015550"
    assert platform_number("4915123456789", "DE") == "494915123456789"
    assert platform_number("4915123456789", None) == "4915123456789"
    assert platform_number(DANA, "IL") == DANA


@few
@given(st.text(max_size=30), st.sampled_from(["IL", "US", None]))
def test_any_text_is_a_number_or_is_refused(text: str, country: str | None) -> None:
    try:
        digits = read_number(text, country).digits
    except BadNumber:
        return
    assert digits.isascii()
    assert digits.isdecimal()
    assert 5 <= len(digits) <= phone_numbers.MAX_DIGITS

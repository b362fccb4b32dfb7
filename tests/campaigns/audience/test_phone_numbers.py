"""Numbers as people and spreadsheets write them; what isn't certain is refused and never guessed."""

import phonenumbers
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from frontdesk.campaigns.audience import phone_numbers
from frontdesk.campaigns.audience.models import iso_code
from frontdesk.campaigns.audience.phone_numbers import (
    BadNumber,
    Number,
    country_code,
    other_reading,
    read_number,
)

DANA = "972502345678"
COUNTRIES = sorted(phonenumbers.SUPPORTED_REGIONS)


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
    ],
)
def test_one_number_however_it_is_written(written: str) -> None:
    assert read_number(written, "IL") == Number(DANA)


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
    assert read_number("+49 30 123456", "IL") == read_number("0049-30-123456", None) == Number("4930123456")


def test_what_is_valid_at_home_wins_then_the_digits_are_international() -> None:
    assert read_number("2015550123", "US").digits == "12015550123"
    assert read_number("4930123456", "IL").digits == "4930123456"


def test_without_a_country_a_national_number_is_refused_with_what_to_do() -> None:
    for written in ("0502345678", "502345678"):
        with pytest.raises(BadNumber, match="country"):
            read_number(written, None)


def test_possible_in_no_range_is_taken_and_doubted() -> None:
    assert read_number("052-1234567", "IL") == Number(
        "972521234567", "right length for IL (+972), but in an unused number range"
    )


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
    ],
)
def test_a_country_is_a_code_or_a_name(said: str, code: str | None) -> None:
    assert country_code(said) == code
    assert country_code("Atlantis") is country_code("") is country_code("999") is None


def test_a_country_is_sent_by_its_code_in_iso() -> None:
    assert [iso_code(each) for each in ("uk", " il ", "USA", "")] == ["GB", "IL", "US", ""]


def test_digits_that_a_platform_may_take_for_a_number_at_home_are_told() -> None:
    assert other_reading("4232015550", "US") == "14232015550"
    assert other_reading(DANA, "IL") is None


@given(
    st.sampled_from(COUNTRIES),
    st.sampled_from(COUNTRIES),
    st.booleans(),
    st.sampled_from(["", "0", "1", "8", "00", "011"]),
    st.text("0123456789", max_size=4),
    st.text("0123456789", min_size=7, max_size=14) | st.none(),
)
@example("IL", "IL", False, "0", "", None)
def test_the_quick_way_answers_as_the_library(
    country: str, home: str, international: bool, prefix: str, ending: str, digits: str | None
) -> None:
    if digits is None:
        model = phonenumbers.example_number(country)
        digits = str(phonenumbers.national_significant_number(model))
        digits = prefix + digits[: len(digits) - len(ending)] + ending
        if international:
            digits = f"{model.country_code}{digits}"
    quick = phone_numbers.read_quickly(digits, international, home)
    if quick is not None:
        assert quick == phone_numbers.read_by_library(digits, international, home)


@given(st.text(max_size=30), st.sampled_from(["IL", "US", None]))
def test_any_text_is_a_number_or_is_refused(text: str, country: str | None) -> None:
    try:
        digits = read_number(text, country).digits
    except BadNumber:
        return
    assert digits.isascii()
    assert digits.isdecimal()
    assert 5 <= len(digits) <= phone_numbers.MAX_DIGITS

"""Phone numbers as people and spreadsheets write them, converted to international digits or refused.

The library parses a cell first; only what it can't parse is mended. A cell with one valid reading is taken; one
with two is refused or, where the rest of its list can tell, has the other one, too:

- Digits alone that are a number of another country only are refused until more of the list's numbers begin with
  their own country's calling code than are national ones: a home number with a wrong digit is often valid
  abroad.
- Digits that are valid with and without a calling code are the home country's, unless at least as many numbers
  of the list begin with its calling code as don't. A mobile abroad that is only a landline at home is refused in
  any case, and so is an exit code with two readings; a mobile at home that is only a landline abroad is taken.
"""

import re
import unicodedata
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any

import phonenumbers
from phonenumbers import CountryCodeSource, PhoneMetadata, PhoneNumber, PhoneNumberType, ValidationResult

from frontdesk_lists.models import NO_COUNTRY, iso_code

_SIGNS = re.compile(r"[\W_]+")


def fold_name(name: str) -> str:
    """Return a name without case, accents and punctuation, with `and` for an ampersand."""
    plain = "".join(
        sign for sign in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(sign)
    )
    return _SIGNS.sub(" ", plain.replace("&", " and ")).strip()


@cache
def _codes() -> dict[str, str]:
    lines = files(__package__).joinpath("country_names.txt").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines)
    return {name: code for code, names in rows for name in names.split("|")}


_INVISIBLE = dict.fromkeys(
    (0xAD, 0x61C, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF)
)
PLAIN_SIGNS: dict[int, str | None] = {
    **_INVISIBLE,
    **dict.fromkeys((*range(0x2010, 0x2016), 0x2212, 0xFF0D, 0xFE63), "-"),
    **dict.fromkeys((0xFF0B, 0xFE62), "+"),
    **dict.fromkeys((0xA0, 0x202F, 0x2007, 0x2009, 0x3000), " "),
    0xFF08: "(",
    0xFF09: ")",
}
"""Signs that mean another one, and those that nobody sees."""


def country_code(text: str, *, by_name: bool = True) -> str | None:
    """Return the ISO code of a country written as code, calling code or, `by_name`, in words."""
    typed = text.translate(PLAIN_SIGNS).strip()
    code = iso_code(typed)
    if code in phonenumbers.SUPPORTED_REGIONS:
        return code
    if re.fullmatch(r"\+?\d[\d ()-]{0,8}(?:\.0)?", typed, re.ASCII):
        return _country_of_digits(re.sub(r"\D", "", typed.removesuffix(".0")).lstrip("0"))
    if not by_name or (len(typed) < 3 and typed.isascii()) or not any(sign.isalpha() for sign in typed):
        return None
    return _codes().get(fold_name(typed))


@cache
def _country_of_digits(digits: str) -> str | None:
    """Return the country of a calling code, which may be followed by an area code: 44, 1876, 441481."""
    calling_code = calling_code_of(digits[:3])
    area, regions = digits[len(calling_code) :], countries_of(calling_code)
    if not area or not regions:
        return next(iter(regions), None)
    for region in regions:
        leading = metadata_of(region).leading_digits
        if leading is not None and re.match(leading, area):
            return region
    # Others are told by numbers that begin so.
    lengths = metadata_of(regions[0]).general_desc.possible_length
    numbers = (PhoneNumber(int(calling_code), int(f"{area}2345678"[:length])) for length in lengths)
    found = next(filter(None, map(phonenumbers.region_code_for_number, numbers)), None)
    return regions[0] if found is None and calling_code != "1" else found


def metadata_of(country: str) -> Any:
    """Return what the library knows of a country's numbers; its types leave most out."""
    return PhoneMetadata.metadata_for_region(country)


@cache
def calling_code_of(prefix: str) -> str:
    """Return the calling code that the first three digits of a number begin with; empty for none."""
    return next((prefix[:end] for end in (1, 2, 3) if int(prefix[:end] or 0) in _CODES), "")


_CODES = phonenumbers.COUNTRY_CODE_TO_REGION_CODE


def countries_of(calling_code: str) -> tuple[str, ...]:
    """Return the ISO codes of the countries that share a calling code; none for one of no country."""
    return tuple(each for each in _CODES.get(int(calling_code or 0), ()) if each != "001")


@cache
def place_of(calling_code: str) -> str:
    """Return a calling code with its main country: `IL (+972)`."""
    where = main_country(calling_code)
    return f"{where} (+{calling_code})" if where else f"+{calling_code}"


def main_country(calling_code: str) -> str:
    """Return the ISO code of a calling code's main country; empty for one of no country."""
    return next(iter(countries_of(calling_code)), "")


ROUNDED = (
    "Excel rounded this number, so its last digits are lost; "
    "in the spreadsheet, format the column as Number with no decimals and save the list again"
)
_ROUNDED_FROM = re.compile(r"[1-9]\d{3,}0{5,}(?:[.,]00?)?")
"""Digits alone, as a spreadsheet saves 9.72505E+11; what is written with + or dashes was typed."""

FORMULA = "a formula, which isn't calculated here; put the number itself in the cell"

# Most numbers are written so, and can be nothing else: not several, no extension, not rounded.
_PLAIN = re.compile(r"\+?(?:[0-9]{6,15}|[0-9]{1,4}(?:[ -][0-9]{2,7}){1,3})")
_SCIENTIFIC = re.compile(r"[+-]?\d+(?:[.,]\d*)?[eE][+-]?\d+")
_NO_DECIMALS = re.compile(r"(\+?\d{4,})[.,]00?")
_DECIMALS = re.compile(r"\+?\d{6,}[.,]\d+")
_EXTENSION = re.compile(r"\d[\s.,;-]*(?:ext(?:ension)?|x|#|int|доб|שלוחה|تحويلة)[\s.:=]*\d", re.IGNORECASE)
_BETWEEN_NUMBERS = re.compile(r"[;,|/&\n\r\t]|\s{2,}|\s(?=\+)|\b(?:or|and|או)\b", re.IGNORECASE)
_OF_A_NUMBER = re.compile(r"[0-9 +().\-/]*")
NO_DIGIT = re.compile(r"[^0-9]")
_MAX_AREA_DIGITS = 5
"""Maximum length of an area code, after which German and Austrian letterheads put a slash."""


class BadNumber(Exception):
    """Raised when a cell holds no usable number; the text says why, and what can be done."""


def has_calling_code(cell: str) -> bool:
    """Return whether a cell says its country itself, by + or 00."""
    return cell.translate(PLAIN_SIGNS).lstrip(" '`’(").startswith(("+", "00"))


def clean_cell(text: str) -> str:
    """Return the digits and signs of one number; raises `BadNumber` for anything else."""
    text = text.strip()
    if _PLAIN.fullmatch(text):
        return text
    if not text.isascii():
        text = "".join(
            str(unicodedata.decimal(sign)) if sign > "\x7f" and sign.isdecimal() else sign
            for sign in text.translate(PLAIN_SIGNS)
        ).strip()
    if text[:1] in ("=", "@"):
        raise BadNumber(FORMULA)
    if text[:1] in ("'", "`", "’"):
        text = text[1:].lstrip()
    if _SCIENTIFIC.fullmatch(text):
        raise BadNumber(ROUNDED)
    if whole := _NO_DECIMALS.fullmatch(text):
        return whole[1]
    if _DECIMALS.fullmatch(text):
        raise BadNumber("has decimals; format the column as text, or as Number with no decimals")
    _refuse_non_number(text)
    return text


def _refuse_non_number(text: str) -> None:
    if not any(sign.isdigit() for sign in text):
        raise BadNumber("no digits" if text else "the number is missing")
    if _EXTENSION.search(text):
        raise BadNumber("has an extension, which can't receive messages")
    joined = _without_area_slash(text)
    parts = [len(NO_DIGIT.sub("", part)) for part in _BETWEEN_NUMBERS.split(joined)]
    words = [len(NO_DIGIT.sub("", word)) for word in text.split()]
    if "/" in joined or sum(part >= 6 for part in parts) > 1 or sum(word >= 9 for word in words) > 1:
        raise BadNumber("several numbers in one cell; put each in its own row")
    if not _OF_A_NUMBER.fullmatch(text):
        letters = any(sign.isalpha() for sign in text)
        raise BadNumber("has letters" if letters else "has characters that phone numbers don't have")
    if text.startswith("-"):
        raise BadNumber("starts with a minus sign")
    if "+" in text.lstrip(" (")[1:]:
        raise BadNumber("has a + that isn't at the start")


def _without_area_slash(text: str) -> str:
    """Return the text without the slashes that stand after its calling code and its area code."""
    while "/" in text:
        before, _, after = text.partition("/")
        area = NO_DIGIT.sub("", before.replace("(0)", "")).lstrip("0")
        if has_calling_code(before):
            area = area[len(calling_code_of(area[:3])) :]
        if len(area) > _MAX_AREA_DIGITS or after.lstrip().startswith(("0", "+")):
            break
        text = f"{before}-{after}"
    return text


def looks_rounded(text: str) -> bool:
    """Return whether a cell holds a number that a spreadsheet has rounded, or may have."""
    text = text.strip()
    return text[-5:].strip("0.,") == "" and _ROUNDED_FROM.fullmatch(text) is not None


def rounding_doubt(text: str) -> str:
    digits = re.split("[.,]", text.strip())[0]
    zeros = len(digits) - len(digits.rstrip("0"))
    return f"ends in {zeros} zeros, so a spreadsheet may have rounded it; compare it with the source"


MIN_DIGITS = 6
"""Minimum of a number without its calling code; fewer are taken only if the country is known to have such."""
MAX_DIGITS = 15
"""Maximum of a number with its calling code (E.164)."""
_MAX_EXIT_DIGITS = 6
"""Maximum length of the digits that are dialed before a calling code."""


class CountryNeeded(BadNumber):
    """Raised for a number without a calling code, while nobody has decided what such numbers are."""


class Form(StrEnum):
    """Forms of a number: with or without a calling code; `BARE` digits begin with one without saying it.

    `FOREIGN` ones are bare, too, but of another country than is chosen, whose own look so with a digit wrong.
    """

    INTERNATIONAL = "international"
    BARE = "bare"
    FOREIGN = "foreign"
    NATIONAL = "national"


@dataclass(frozen=True, slots=True)
class Number:
    """A number that can be messaged.

    Attributes:
        digits: with the calling code, without +.
        doubt: why it may reach nobody; mostly empty.
        other: the digits of another number that the cell may mean; mostly empty.
    """

    digits: str
    doubt: str = ""
    form: Form = Form.NATIONAL
    other: str = ""


def read_number(text: str, country: str | None) -> Number:
    """Parse the number in a cell.

    Args:
        country: ISO code for numbers without a calling code; `NO_COUNTRY` if all digits begin with one; None while
            nobody has decided that.

    Raises:
        BadNumber: it is none, or more than one, or not known for certain.
    """
    cell = clean_cell(text)
    number = _read_both_zeros(cell, country) if "(0)" in cell else _read(cell, country)
    if not number.doubt and looks_rounded(text):
        return replace(number, doubt=rounding_doubt(text))
    return number


def platform_number(text: str, country: str | None) -> str:
    """Return the digits as which the platform is known to read a number with a country (docs/interface.md)."""
    digits = "".join(str(int(sign)) for sign in text if sign.isdecimal())
    if text.strip().startswith("+") or digits.startswith("00"):
        return digits.removeprefix("00")
    found = None if country is None else _parsed(digits, country)
    if found is None or not (digits.startswith("0") or phonenumbers.is_valid_number(found)):
        return digits
    return _digits(found)


def customer_key(digits: str) -> str:
    """Return what is the same for all numbers of one customer: Argentina's mobiles have a 9, or don't."""
    return "54" + digits[3:] if digits.startswith("549") else digits


def _read(cell: str, country: str | None) -> Number:
    digits = NO_DIGIT.sub("", cell)
    if len(digits) > MAX_DIGITS + _MAX_EXIT_DIGITS:
        raise BadNumber(_too_many(digits))
    if cell.lstrip(" (").startswith("+"):
        number = _read_international(digits)
    elif country is None and not digits.startswith("00"):
        if len(digits) < MIN_DIGITS:
            raise BadNumber("too short for a phone number")
        raise CountryNeeded(
            f"no + or 00; choose a home country, or {NO_COUNTRY} if the digits begin with a calling code"
        )
    else:
        home = None if country == NO_COUNTRY else country
        number = _read_digits(digits, home)
        if home is not None and digits.startswith("00"):
            number = replace(number, other=_mistyped_exit_code(digits, home, number.digits))
    if len(number.digits) > MAX_DIGITS:
        raise BadNumber(_too_many(number.digits))
    return number


def _read_both_zeros(cell: str, country: str | None) -> Number:
    """Parse a cell with (0), which is dialed at home; some countries, such as Italy, keep it from abroad."""
    found: list[Number] = []
    for each in (cell.replace("(0)", ""), cell):
        try:
            found.append(_read(each, country))
        except BadNumber:
            if each == cell and not found:
                raise
    sound = [each for each in found if not each.doubt]
    if len({each.digits for each in sound}) > 1:
        raise two_readings(*(each.digits for each in sound))
    return [*sound, *found][0]


def _too_many(digits: str) -> str:
    return f"has {len(digits)} digits; a number with its calling code has {MAX_DIGITS} at most"


def two_readings(first: str, second: str) -> BadNumber:
    return BadNumber(f"could be +{first} or +{second}; write it with + and its calling code")


def foreign_number(number: Number, country: str | None) -> BadNumber:
    place = place_of(calling_code_of(number.digits[:3]))
    return BadNumber(
        f"not a number in {country}, but +{number.digits} may be one in {place}; "
        f"if that is meant, write it with +, or choose {NO_COUNTRY} if all digits begin with a calling code"
    )


@dataclass(frozen=True, slots=True)
class _Valid:
    """A valid number; `doubt` says what was mended."""

    parsed: PhoneNumber
    digits: str
    doubt: str = ""

    @property
    def can_be_mobile(self) -> bool:
        return phonenumbers.number_type(self.parsed) in (
            PhoneNumberType.MOBILE,
            PhoneNumberType.FIXED_LINE_OR_MOBILE,
        )


def _read_international(digits: str) -> Number:
    parsed = _parsed_abroad(digits)
    if parsed is None:
        raise BadNumber("no country has this calling code")
    found = _valid(parsed)
    if found is None:
        return _possible(parsed, Form.INTERNATIONAL)
    return Number(found.digits, found.doubt, Form.INTERNATIONAL)


def _read_digits(digits: str, country: str | None) -> Number:
    """Parse digits without +: as numbers of `country` are dialed there, and with their calling code."""
    home = None if country is None else _parsed(digits, country)
    source = None if home is None else home.country_code_source
    has_exit_code = digits.startswith("00") or source == CountryCodeSource.FROM_NUMBER_WITH_IDD
    at_home, abroad = _valid(home), None
    if at_home is not None and source == CountryCodeSource.FROM_NUMBER_WITHOUT_PLUS_SIGN:
        outside: _Valid | None = at_home
    else:
        abroad = _parsed_abroad(digits.removeprefix("00"))
        outside = _valid(abroad)
    code_abroad = outside.parsed if outside is not None else abroad
    is_own = home is not None and code_abroad is not None and code_abroad.country_code == home.country_code
    bare = Form.BARE if is_own or country is None else Form.FOREIGN
    if at_home is None and outside is None:
        return _read_possible(home, abroad, Form.INTERNATIONAL if has_exit_code else bare)
    if at_home is not None and (outside is None or outside.digits == at_home.digits):
        if not has_exit_code and (mistaken := _with_another_zero(digits, at_home)) is not None:
            raise two_readings(at_home.digits, mistaken.digits)
        form = Form.INTERNATIONAL if has_exit_code else Form.NATIONAL
        # Where 1 is dialed before an area code, too, it doesn't tell that calling codes are written.
        if form is Form.NATIONAL and outside is not None and not digits.startswith("1"):
            form = Form.BARE
        return Number(at_home.digits, at_home.doubt, form)
    assert outside is not None
    if has_exit_code:
        if at_home is not None:
            raise two_readings(at_home.digits, outside.digits)
        return Number(outside.digits, outside.doubt, Form.INTERNATIONAL)
    if country is not None and not is_own and (dialed := _dialed_without_zeros(digits, country, outside)):
        raise two_readings((at_home or outside).digits, dialed.digits)
    if at_home is None:
        other = "" if home is None or is_own or not _has_mobile_length(home) else _digits(home)
        return Number(outside.digits, outside.doubt, bare, other)
    if outside.can_be_mobile and not at_home.can_be_mobile:
        # Some countries take nearly any digits for a landline, also their own mobiles with the calling code.
        if is_own:
            return Number(outside.digits, outside.doubt, Form.BARE)
        raise two_readings(at_home.digits, outside.digits)
    # Beside a mobile at home, hardly anybody means a landline abroad.
    is_settled = not is_own and at_home.can_be_mobile and not outside.can_be_mobile
    return Number(at_home.digits, at_home.doubt, Form.NATIONAL, "" if is_settled else outside.digits)


def _dialed_without_zeros(digits: str, country: str, outside: _Valid) -> _Valid | None:
    """Return another number that these digits are after an exit code whose zeros a spreadsheet dropped."""
    if metadata_of(country).international_prefix == "00":
        return None
    for zeros in ("0", "00"):
        dialed = _parsed(zeros + digits, country)
        if dialed is not None and dialed.country_code_source == CountryCodeSource.FROM_NUMBER_WITH_IDD:
            found = _valid(dialed)
            if found is not None and found.digits != outside.digits:
                return found
    return None


def _mistyped_exit_code(digits: str, country: str, read: str) -> str:
    """Return a mobile of the home country, other than `read`, that begins with 00 by mistake.

    Its first zero was typed twice, or the digit between its first two zeros wasn't.
    """
    could_be = [digits[1:]]
    if len(digits) in metadata_of(country).general_desc.possible_length:
        could_be += [f"0{lost}{digits[1:]}" for lost in range(1, 10)]
    mobiles = [found for each in could_be if (found := _valid(_parsed(each, country))) and found.can_be_mobile]
    return next((each.digits for each in mobiles if each.digits != read), "")


def _with_another_zero(digits: str, found: _Valid) -> _Valid | None:
    """Return a mobile number that these digits are with a zero more or less than a spreadsheet left of them."""
    code = str(found.parsed.country_code)
    if digits.startswith(f"0{code}"):
        other = _valid(_parsed_abroad(digits[1:]))
        is_other = other is not None and other.can_be_mobile and not found.can_be_mobile
    elif not digits.startswith("0") and _keeps_zeros(code):
        other = _valid(_parsed_abroad(f"{code}0{digits.removeprefix(code)}"))
        is_other = other is not None and other.can_be_mobile and not other.doubt
    else:
        return None
    return other if is_other and other is not None and other.digits != found.digits else None


def _read_possible(home: PhoneNumber | None, abroad: PhoneNumber | None, form_abroad: Form) -> Number:
    read = [(each, form) for each, form in ((home, Form.NATIONAL), (abroad, form_abroad)) if each is not None]
    possible = [
        (each, form)
        for each, form in read
        if phonenumbers.is_possible_number_with_reason(each) == ValidationResult.IS_POSSIBLE
    ]
    if len({_digits(each) for each, _ in possible}) > 1:
        raise two_readings(*(_digits(each) for each, _ in possible))
    if possible:
        return _possible(*possible[0])
    if home is not None:
        return _possible(home, Form.NATIONAL)
    if form_abroad is Form.INTERNATIONAL:
        raise BadNumber("no country has this calling code")
    raise BadNumber("no valid calling code; choose a home country for numbers without one")


def _possible(parsed: PhoneNumber, form: Form) -> Number:
    place, length = place_of(str(parsed.country_code)), phonenumbers.is_possible_number_with_reason(parsed)
    if length in _IMPOSSIBLE:
        raise BadNumber(_IMPOSSIBLE[length].format(place=place))
    return Number(_digits(parsed), f"right length for {place}, but in an unused number range", form)


_IMPOSSIBLE = {
    ValidationResult.TOO_SHORT: "too short for {place}",
    ValidationResult.TOO_LONG: "too long for {place}",
    ValidationResult.IS_POSSIBLE_LOCAL_ONLY: "missing the area code for {place}",
    ValidationResult.INVALID_LENGTH: "wrong number of digits for {place}",
    ValidationResult.INVALID_COUNTRY_CODE: "no country has this calling code",
}


def _has_mobile_length(parsed: PhoneNumber) -> bool:
    length = phonenumbers.is_possible_number_for_type_with_reason(parsed, PhoneNumberType.MOBILE)
    return bool(length == ValidationResult.IS_POSSIBLE)


def _valid(parsed: PhoneNumber | None) -> _Valid | None:
    """Return a number that is valid, if need be once it is mended."""
    if parsed is None:
        return None
    if phonenumbers.is_valid_number(parsed):
        return _Valid(parsed, _digits(parsed))
    code, national = parsed.country_code, phonenumbers.national_significant_number(parsed)
    for mended, doubt in _mended(str(code), national):
        found = _parsed_abroad(f"{code}{mended}")
        if found is not None and phonenumbers.is_valid_number(found):
            return _Valid(found, _digits(found), doubt)
    return None


_MEXICAN_PREFIX = re.compile(r"(?:1|01|04[45])(\d{10})")
"""Digits that were dialed before mobile numbers until 2019; WhatsApp still writes the 1."""
_WITHOUT_NINTH_DIGIT = re.compile(r"\d\d[6-9]\d{7}")


def _mended(code: str, national: str) -> list[tuple[str, str]]:
    """Return how a number is written today, with the doubt that this leaves."""
    if code == "52" and (found := _MEXICAN_PREFIX.fullmatch(national)):
        return [(found[1], "")]
    if code == "55" and _WITHOUT_NINTH_DIGIT.fullmatch(national):
        return [(f"{national[:2]}9{national[2:]}", "a mobile number without its ninth digit; the 9 was added")]
    if _keeps_zeros(code):
        if national.startswith("0"):
            return [(national[1:], "leading zero removed, because it isn't part of the number")]
        return [(f"0{national}", "leading zero added, because a spreadsheet may have dropped it")]
    return []


@cache
def _keeps_zeros(code: str) -> bool:
    """Return whether some numbers with this calling code have a leading zero after it, as in Italy."""
    examples = (
        phonenumbers.example_number_for_type(region, kind)
        for region in countries_of(code)
        for kind in (PhoneNumberType.MOBILE, PhoneNumberType.FIXED_LINE)
    )
    return any(each is not None and each.italian_leading_zero for each in examples)


def _parsed_abroad(digits: str) -> PhoneNumber | None:
    # No calling code begins with 0; the library would take the zero for the prefix of a trunk.
    return None if digits.startswith("0") else _parsed("+" + digits, None)


def _parsed(text: str, country: str | None) -> PhoneNumber | None:
    try:
        return phonenumbers.parse(text, country, keep_raw_input=True)
    except phonenumbers.NumberParseException:
        return None


def _digits(parsed: PhoneNumber) -> str:
    return f"{parsed.country_code}{phonenumbers.national_significant_number(parsed)}"

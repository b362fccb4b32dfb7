"""Phone numbers as people and spreadsheets write them, converted to international digits or refused.

The rule (docs/audiences.md): a leading + or 00 keeps its country; else what is valid in the default country wins;
else the digits are international already. What isn't possible is refused, never mended; what is possible and in
no range in use is taken and doubted.
"""

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import phonenumbers
from phonenumbers import PhoneMetadata, PhoneNumber, ValidationResult

from frontdesk.campaigns.audience.country_names import country_named
from frontdesk.campaigns.audience.models import iso_code

MAX_DIGITS = 15
"""Of a number with its calling code (E.164)."""

ROUNDED = (
    "Excel rounded this number, so its last digits are lost; "
    "in the spreadsheet, format the column as Number with no decimals and save the list again"
)
_ROUNDED_FROM = re.compile(r"[1-9]\d{3,}0{5,}(?:\.0)?")
"""Digits alone, as a spreadsheet saves 9.72505E+11; what is written with + or dashes was typed."""

FORMULA = "a formula, which isn't calculated here; put the number itself in the cell"

_INVISIBLE = dict.fromkeys(
    (0xAD, 0x61C, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF)
)
_SPELLED: dict[int, str | None] = {
    **_INVISIBLE,
    **dict.fromkeys((*range(0x2010, 0x2016), 0x2212, 0xFF0D, 0xFE63), "-"),
    **dict.fromkeys((0xFF0B, 0xFE62), "+"),
    **dict.fromkeys((0xA0, 0x202F, 0x2007, 0x2009, 0x3000), " "),
    0xFF08: "(",
    0xFF09: ")",
}
# Most numbers are written so, and can be nothing else: not several, no extension, not rounded.
_PLAIN = re.compile(r"\+?(?:[0-9]{6,15}|[0-9]{1,4}(?:[ -][0-9]{2,7}){1,3})")
_SCIENTIFIC = re.compile(r"[+-]?\d+(?:[.,]\d*)?[eE][+-]?\d+")
_WHOLE_FLOAT = re.compile(r"([1-9]\d{6,14})\.0")
_EXTENSION = re.compile(r"\d[\s.,;-]*(?:ext(?:ension)?|x|#|int|доб|שלוחה|تحويلة)[\s.:=]*\d", re.IGNORECASE)
_BETWEEN_NUMBERS = re.compile(r"[;,|/&\n\r\t]|\s{2,}|\s(?=\+)|\b(?:or|and|או)\b", re.IGNORECASE)
_OF_A_NUMBER = re.compile(r"[0-9 +().\-/]*")
_NO_DIGIT = re.compile(r"[^0-9]")


class BadNumber(Exception):
    """A cell holds no usable number; the text says why, and what can be done."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number that can be messaged.

    Attributes:
        digits: with the calling code, without +.
        doubt: why it may reach nobody; mostly empty.
    """

    digits: str
    doubt: str = ""


def country_code(text: str, *, by_name: bool = True) -> str | None:
    """Return the ISO code of a country written as ISO code, calling code or name; None for no country.

    Args:
        by_name: False leaves names out.
    """
    typed = text.translate(_SPELLED).strip()
    code = iso_code(typed)
    if code in phonenumbers.SUPPORTED_REGIONS:
        return code
    digits = re.sub(r"\.0$", "", code).lstrip("+0")
    if digits.isascii() and digits.isdecimal() and len(digits) <= 3:
        found = phonenumbers.region_code_for_country_code(int(digits))
        return None if found in ("ZZ", "001") else str(found)
    if not by_name or (len(typed) < 3 and typed.isascii()) or not any(sign.isalpha() for sign in typed):
        return None
    return country_named(typed)


def read_number(text: str, country: str | None) -> Number:
    """Read the number in a cell; `country` is the ISO code for numbers without a calling code.

    Raises:
        BadNumber: it is none, or more than one, or not known for certain.
    """
    international, digits = _spelled_out(text)
    number = read_quickly(digits, international, country) or read_by_library(digits, international, country)
    if len(number.digits) > MAX_DIGITS:
        raise BadNumber(_too_many(number.digits))
    return replace(number, doubt=rounding_doubt(text)) if not number.doubt and looks_rounded(text) else number


def looks_rounded(text: str) -> bool:
    """Whether a cell holds a number that a spreadsheet has rounded, or may have."""
    text = text.strip()
    return text[-5:].strip("0.") == "" and _ROUNDED_FROM.fullmatch(text) is not None


def rounding_doubt(text: str) -> str:
    """Return why the last digits of such a cell may be lost."""
    digits = text.strip().removesuffix(".0")
    zeros = len(digits) - len(digits.rstrip("0"))
    return f"ends in {zeros} zeros, so a spreadsheet may have rounded it; compare it with the source"


def other_reading(digits: str, country: str) -> str | None:
    """Return the other number that these international digits are when read as one of `country`; mostly None.

    The platform gets digits and the audience's country, and may read them in that country first.
    """
    if digits.startswith(str(_plan(country).calling_code)):
        return None
    national = _national(digits, country, certain=False)
    return national.digits if national is not None and national.digits != digits else None


def _spelled_out(text: str) -> tuple[bool, str]:
    text = text.strip()
    if _PLAIN.fullmatch(text):
        digits = text.replace("-", "").replace(" ", "")
        if digits[0] == "+":
            return True, digits[1:]
        return (True, digits[2:]) if digits.startswith("00") else (False, digits)
    if not text.isascii():
        text = "".join(
            str(unicodedata.decimal(sign)) if sign > "\x7f" and sign.isdecimal() else sign
            for sign in text.translate(_SPELLED)
        ).strip()
    if text[:1] in ("=", "@"):
        raise BadNumber(FORMULA)
    if text[:1] in ("'", "`", "’"):
        text = text[1:].lstrip()
    if _SCIENTIFIC.fullmatch(text):
        raise BadNumber(ROUNDED)
    whole = _WHOLE_FLOAT.fullmatch(text)
    if whole:
        return False, whole[1]
    _refuse_non_number(text)
    bare = text.lstrip(" (")
    digits = _NO_DIGIT.sub("", bare)
    if bare.startswith("+"):
        return True, digits
    return (True, digits[2:]) if digits.startswith("00") else (False, digits)


def _refuse_non_number(text: str) -> None:
    if not any(sign.isdigit() for sign in text):
        raise BadNumber("no digits" if text else "the number is missing")
    if _EXTENSION.search(text):
        raise BadNumber("has an extension, which can't receive messages")
    parts = [len(_NO_DIGIT.sub("", part)) for part in _BETWEEN_NUMBERS.split(text)]
    words = [len(_NO_DIGIT.sub("", word)) for word in text.split()]
    if sum(part >= 6 for part in parts) > 1 or sum(word >= 9 for word in words) > 1:
        raise BadNumber("several numbers in one cell; put each in its own row")
    if not _OF_A_NUMBER.fullmatch(text):
        letters = any(sign.isalpha() for sign in text)
        raise BadNumber("has letters" if letters else "has characters that phone numbers don't have")
    if text.startswith("-"):
        raise BadNumber("starts with a minus sign")
    if "+" in text.lstrip(" (")[1:]:
        raise BadNumber("has a + that isn't at the start")


def read_by_library(digits: str, international: bool, country: str | None) -> Number:
    """Read a number with the library, with words for what is wrong; `read_quickly` handles most."""
    if len(digits) > MAX_DIGITS + 3:
        raise BadNumber(_too_many(digits))
    # No calling code begins with 0.
    abroad = None if digits.startswith("0") else _parsed("+" + digits, None)
    if international:
        if abroad is None:
            raise BadNumber("no country has this calling code")
        return _checked(abroad, phonenumbers.is_valid_number(abroad))
    at_home = _parsed(digits, country) if country is not None else None
    read = [each for each in (at_home, abroad) if each is not None]
    for each in read:
        if phonenumbers.is_valid_number(each):
            return Number(_digits(each))
    possible = [each for each in read if _is_possible(each)]
    if len({_digits(each) for each in possible}) > 1:
        raise BadNumber(
            f"could be +{_digits(possible[0])} or +{_digits(possible[1])}; write it with + and its calling code"
        )
    if possible:
        return _checked(possible[0], False)
    if at_home is not None:
        return _checked(at_home, False)
    raise BadNumber("no valid calling code; choose a home country for numbers without one")


def _too_many(digits: str) -> str:
    return f"has {len(digits)} digits; a number with its calling code has {MAX_DIGITS} at most"


def _checked(parsed: PhoneNumber, is_valid: bool) -> Number:
    if is_valid:
        return Number(_digits(parsed))
    length = phonenumbers.is_possible_number_with_reason(parsed)
    if length in _IMPOSSIBLE:
        raise BadNumber(_IMPOSSIBLE[length].format(place=_place(parsed.country_code or 0)))
    return Number(_digits(parsed), _doubt(parsed.country_code or 0))


@cache
def _doubt(calling_code: int) -> str:
    return f"right length for {_place(calling_code)}, but in an unused number range"


@cache
def calling_code_of(prefix: str) -> str:
    """Return the calling code that the first three digits of a number begin with; empty for none."""
    return next((prefix[:end] for end in (1, 2, 3) if int(prefix[:end] or 0) in _CODES), "")


_CODES = phonenumbers.COUNTRY_CODE_TO_REGION_CODE


def countries_of(calling_code: str) -> tuple[str, ...]:
    """Return the ISO codes of the countries that share a calling code; none for one of no country."""
    return tuple(each for each in _CODES.get(int(calling_code or 0), ()) if each != "001")


def place_of(calling_code: str) -> str:
    """Return a calling code with its main country: `IL (+972)`."""
    return _place(int(calling_code))


def main_country(calling_code: str) -> str:
    """Return the ISO code of a calling code's main country; empty for one of no country."""
    return _main_country(calling_code) or ""


def _place(calling_code: int) -> str:
    where = phonenumbers.region_code_for_country_code(calling_code)
    return f"+{calling_code}" if where in ("001", "ZZ") else f"{where} (+{calling_code})"


_IMPOSSIBLE = {
    ValidationResult.TOO_SHORT: "too short for {place}",
    ValidationResult.TOO_LONG: "too long for {place}",
    ValidationResult.IS_POSSIBLE_LOCAL_ONLY: "missing the area code for {place}",
    ValidationResult.INVALID_LENGTH: "wrong number of digits for {place}",
    ValidationResult.INVALID_COUNTRY_CODE: "no country has this calling code",
}


def _is_possible(parsed: PhoneNumber) -> bool:
    return bool(phonenumbers.is_possible_number_with_reason(parsed) == ValidationResult.IS_POSSIBLE)


def _parsed(text: str, country: str | None) -> PhoneNumber | None:
    try:
        return phonenumbers.parse(text, country)
    except phonenumbers.NumberParseException:
        return None


def _digits(parsed: PhoneNumber) -> str:
    return f"{parsed.country_code}{phonenumbers.national_significant_number(parsed)}"


# The quick way: parsing costs 40 to 70 µs, checking 9. What is plain enough is taken apart here and only checked
# by the library; anything else, and everything that isn't valid, goes the slow way. Both answer alike.


@dataclass(frozen=True, slots=True)
class _Plan:
    """Patterns of the library's metadata for a country's numbers.

    Attributes:
        valid: None where another country of the same calling code is asked first.
        is_alone: no other country has the calling code.
    """

    calling_code: int
    general: re.Pattern[str]
    valid: re.Pattern[str] | None
    lengths: frozenset[int]
    prefix: re.Pattern[str] | None
    international: re.Pattern[str] | None
    is_plain: bool
    is_alone: bool


@cache
def _plan(country: str) -> _Plan:
    data: Any = PhoneMetadata.metadata_for_region(country)
    prefix = re.compile(data.national_prefix_for_parsing) if data.national_prefix_for_parsing else None
    return _Plan(
        calling_code=data.country_code,
        general=re.compile(data.general_desc.national_number_pattern),
        valid=_valid_pattern(data),
        lengths=frozenset(data.general_desc.possible_length),
        prefix=prefix,
        international=re.compile(data.international_prefix) if data.international_prefix else None,
        is_alone=len(phonenumbers.COUNTRY_CODE_TO_REGION_CODE[data.country_code]) == 1,
        is_plain=data.national_prefix_transform_rule is None and (prefix is None or not prefix.groups),
    )


def _valid_pattern(data: Any) -> re.Pattern[str] | None:
    """One pattern for all kinds of a country's numbers, which `is_valid_number` tries one after the other."""
    first, *others = phonenumbers.COUNTRY_CODE_TO_REGION_CODE[data.country_code]
    if others and (data.id != first or data.leading_digits is not None):
        return None
    parts = []
    for name in _KINDS:
        kind = getattr(data, name)
        if kind is not None and kind.national_number_pattern:
            lengths = "|".join(rf"\d{{{length}}}" for length in kind.possible_length)
            parts.append((f"(?=(?:{lengths})$)" if lengths else "") + f"(?:{kind.national_number_pattern})")
    return re.compile("|".join(parts))


_KINDS = (
    "mobile",
    "fixed_line",
    "voip",
    "premium_rate",
    "toll_free",
    "shared_cost",
    "personal_number",
    "pager",
    "uan",
    "voicemail",
)


@cache
def _main_country(calling_code: str) -> str | None:
    regions = phonenumbers.COUNTRY_CODE_TO_REGION_CODE.get(int(calling_code))
    return None if regions is None or regions[0] == "001" else str(regions[0])


def read_quickly(digits: str, international: bool, country: str | None) -> Number | None:
    """Return the number where it is plain and possible; None where the library has to decide."""
    if len(digits) > MAX_DIGITS or len(digits) < 7:
        return None
    if not international and country is not None:
        # What begins with 0 can be no number of another country, so that it need not be valid.
        return _national(digits, country, certain=digits.startswith("0"))
    for length in (1, 2, 3):
        home = None if digits[0] == "0" else _main_country(digits[:length])
        if home is not None:
            plan, national = _plan(home), digits[length:]
            if plan.is_plain and not (plan.prefix and plan.prefix.match(national)):
                return _validated(plan, national, certain=international)
            return None
    return None


def _national(digits: str, country: str, *, certain: bool) -> Number | None:
    plan = _plan(country)
    if not plan.is_plain or (plan.international and plan.international.match(digits)):
        return None
    code = str(plan.calling_code)
    prefixed = plan.prefix.match(digits) if plan.prefix else None
    if digits.startswith(code):
        national = digits[len(code) :]
        if plan.general.fullmatch(digits) or (plan.prefix and plan.prefix.match(national)):
            return None
        return _validated(plan, national, certain=False)
    if prefixed and prefixed.end():
        if plan.general.fullmatch(digits):
            return None
        return _validated(plan, digits[prefixed.end() :], certain)
    return _validated(plan, digits, certain)


def _validated(plan: _Plan, national: str, certain: bool) -> Number | None:
    """Return the number if it is valid or, where nothing else can be meant, possible."""
    if national.startswith("0"):
        return None
    digits = f"{plan.calling_code}{national}"
    if plan.valid is not None and plan.general.fullmatch(national) and plan.valid.fullmatch(national):
        return Number(digits)
    if plan.is_alone:
        return Number(digits, _doubt(plan.calling_code)) if certain and len(national) in plan.lengths else None
    number = PhoneNumber(country_code=plan.calling_code, national_number=int(national))
    return Number(digits) if phonenumbers.is_valid_number(number) else None

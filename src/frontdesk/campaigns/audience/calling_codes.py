"""Countries as lists name them, and the calling codes that numbers begin with."""

import re
from functools import cache
from typing import Any

import phonenumbers
from phonenumbers import PhoneMetadata, PhoneNumber

from frontdesk.campaigns.audience.country_names import country_named
from frontdesk.campaigns.audience.models import iso_code

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
"""Signs that stand for others, and those that nobody sees."""


def country_code(text: str, *, by_name: bool = True) -> str | None:
    """Return the ISO code of a country written as ISO code, calling code or name; None for no country.

    Args:
        by_name: False leaves names and ISO codes of three letters out.
    """
    typed = text.translate(PLAIN_SIGNS).strip()
    code = iso_code(typed)
    if code in phonenumbers.SUPPORTED_REGIONS:
        return code
    if re.fullmatch(r"\+?\d[\d ()-]{0,8}(?:\.0)?", typed, re.ASCII):
        return _country_of_digits(re.sub(r"\D", "", typed.removesuffix(".0")).lstrip("0"))
    if not by_name or (len(typed) < 3 and typed.isascii()) or not any(sign.isalpha() for sign in typed):
        return None
    return country_named(typed)


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

"""Read a customer's id from a number in any common notation, or from a name of another channel."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from frontdesk.api.contract.ids import CustomerId, LineId

MIN_DIGITS, MAX_DIGITS = 6, 15
"""Of a number with its country (E.164 allows 15)."""

_WRITTEN_AS_NUMBER = re.compile(r"[\d\s()+./\u2010-\u2015\u202f\u00a0-]+")

_TWO_DIGIT_CODES = (
    "20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56"
    " 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98"
)
"""Calling codes of two digits (E.164); 1 and 7 have one, all others three."""
_CODES_WITH_ZERO = ("39",)
"""Numbers in Italy keep their leading zero when they are called from abroad."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A line and a customer; `line_id` is None where none was given."""

    line_id: LineId | None
    customer_id: CustomerId


Find = Callable[[str, LineId], CustomerId | None]
"""Looks a customer up who has written to a line."""


def pair(
    typed: str, lines: Collection[LineId], line_id: LineId | None = None, find: Find | None = None
) -> Pair | None:
    """Parse a line and a customer; None while it can't be one.

    Args:
        typed: a number in any form, an id, a conversation's id, or a line's id and a customer's.
        line_id: the selected line: a number without its country is of that line's.
        find: who a number without its country is, before it is taken for one of the line's country.
    """
    parts = [part for part in re.split(r"[#\s]+", typed.strip()) if part]
    if len(parts) == 2:
        first, second = (_bare(part) for part in parts)
        for line, customer in ((first, second), (second, first)):
            if line in lines:
                return _pair(LineId(line), customer, find)
        if "#" in typed or (_is_long(first) and _is_long(second)):
            return _pair(LineId(first), second, find)
    return _pair(line_id, typed, find)


def customer_id(typed: str, line_id: LineId | None) -> CustomerId | None:
    """Parse a customer's id; None while it is too short or no valid number."""
    typed = typed.strip()
    if not _WRITTEN_AS_NUMBER.fullmatch(typed):
        return CustomerId(typed) if typed and not re.search(r"\s|#", typed) else None
    # +972 (0)52: the zero in brackets is for calls from within the country.
    digits = _digits(typed.replace("(0)", ""))
    if not typed.startswith("+"):
        if digits.startswith("00"):
            digits = digits[2:]
        elif digits.startswith("0"):
            country = _country_of(line_id)
            kept = digits if country in _CODES_WITH_ZERO else digits[1:]
            digits = "" if country is None else country + kept
    return CustomerId(digits) if MIN_DIGITS <= len(digits) <= MAX_DIGITS else None


def national_digits(typed: str) -> str:
    """Return the digits after the country of a number that is written without one; "" for other text."""
    digits = _digits(typed) if _WRITTEN_AS_NUMBER.fullmatch(typed.strip()) else ""
    is_national = re.match(r"0[1-9]", digits) and not typed.strip().startswith("+")
    return digits[1:] if is_national and MIN_DIGITS <= len(digits) <= MAX_DIGITS else ""


def _pair(line_id: LineId | None, typed: str, find: Find | None) -> Pair | None:
    known = find(typed, line_id) if find and line_id and national_digits(typed) else None
    customer = known or customer_id(typed, line_id)
    return None if customer is None or str(customer) == line_id else Pair(line_id, customer)


def _country_of(line_id: LineId | None) -> str | None:
    if line_id is None or not line_id.isdecimal():
        return None
    if line_id[0] in "17":
        return line_id[0]
    return line_id[:2] if line_id[:2] in _TWO_DIGIT_CODES.split() else line_id[:3]


def _bare(part: str) -> str:
    return _digits(part) if _WRITTEN_AS_NUMBER.fullmatch(part) else part


def _is_long(part: str) -> bool:
    return part.isdecimal() and MIN_DIGITS <= len(part) <= MAX_DIGITS and not part.startswith("0")


def _digits(text: str) -> str:
    return "".join(str(int(sign)) for sign in text if sign.isdecimal())

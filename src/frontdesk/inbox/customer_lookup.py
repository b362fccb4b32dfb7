"""Find the conversations of a customer by what a person types: a number, an id, or a line and a customer."""

import re
from collections.abc import Callable, Collection
from typing import NamedTuple

from frontdesk.storage import record_lookup
from frontdesk.storage.sql import ReadConnection
from frontdesk_api.contract.ids import ConversationId, CustomerId, LineId
from frontdesk_lines.display_text import show_line

MIN_DIGITS, MAX_DIGITS = 6, 15
"""Of a number with its country (E.164 allows 15)."""

_WRITTEN_AS_NUMBER = r"[\d\s()+./\u2010-\u2015\u202f\u00a0-]+"

_TWO_DIGIT_CODES = (
    "20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56"
    " 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98"
)
"""Calling codes of two digits (E.164); 1 and 7 have one, all others three."""
_CODES_WITH_ZERO = ("39",)
"""Numbers in Italy keep their leading zero when they are called from abroad."""


class Pair(NamedTuple):
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
    if not re.fullmatch(_WRITTEN_AS_NUMBER, typed):
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
    digits = _digits(typed) if re.fullmatch(_WRITTEN_AS_NUMBER, typed.strip()) else ""
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
    return _digits(part) if re.fullmatch(_WRITTEN_AS_NUMBER, part) else part


def _is_long(part: str) -> bool:
    return part.isdecimal() and MIN_DIGITS <= len(part) <= MAX_DIGITS and not part.startswith("0")


def _digits(text: str) -> str:
    return "".join(str(int(sign)) for sign in text if sign.isdecimal())


class NotOneCustomer(ValueError):
    """Raised for a number that may be several customers', or nobody's; the text says what to write."""


def conversations_of_customer(
    db: ReadConnection, typed: str, line_id: LineId | None = None
) -> list[ConversationId]:
    """Return a customer's conversations, the latest first; a number without its country may be of any.

    Args:
        line_id: the line on which they are; None for all, or for the one that is typed.

    Raises:
        NotOneCustomer: a number without its country is that of several, of whom one in the line's country may not
            be stored.
    """
    named = pair(typed, [] if line_id else record_lookup.lines_seen(db), line_id)
    wanted = set() if named is None else {named.customer_id}
    found = record_lookup.conversations_with_customer(db, wanted, national_digits(typed))
    line_id = line_id or (None if named is None else named.line_id)
    if line_id is not None:
        of_lines = record_lookup.lines_of(db, found)
        found = [each for each in found if of_lines.get(each) == line_id]
    if found and national_digits(typed):
        records = filter(None, (record_lookup.conversation(db, each) for each in found))
        numbers = ("".join(filter(str.isdecimal, each.number)) or each.customer_id or "" for each in records)
        # The line's country says whom it means, unless it's too short or too long there.
        at_home = filter(_has_mobile_length, wanted)
        _require_one(dict.fromkeys((*at_home, *numbers)), typed)
    return found


def customer_on_line(db: ReadConnection, typed: str, line_id: LineId) -> CustomerId | None:
    """Return the id of the customer that has a conversation on this line; None if there is none.

    Raises:
        NotOneCustomer: several have, or one from abroad for a number that may be of the line's country.
    """
    records = [record_lookup.conversation(db, each) for each in conversations_of_customer(db, typed, line_id)]
    ids = dict.fromkeys(each.customer_id for each in records if each and each.customer_id)
    if (exact := customer_id(typed, None)) in ids:
        return exact
    _require_one(ids, typed)
    return CustomerId(next(iter(ids))) if ids else None


def id_on_line(typed: str, line_id: LineId) -> CustomerId:
    """Return the id of a customer that isn't stored; a number without its country is of the line's.

    Raises:
        NotOneCustomer: the line has no country.
    """
    if (found := customer_id(typed, line_id)) is not None:
        return found
    if national_digits(typed):
        raise NotOneCustomer(f"{typed!r} has no calling code; add it, as in +44 7700 900123")
    return CustomerId(typed)


def _has_mobile_length(number: str) -> bool:
    import phonenumbers  # its tables are large, and hardly anybody types a number without its country

    try:
        parsed = phonenumbers.parse(f"+{number}")
    except phonenumbers.NumberParseException:
        return False
    return phonenumbers.is_possible_number_for_type(parsed, phonenumbers.PhoneNumberType.MOBILE)


def _require_one(found: Collection[str], typed: str) -> None:
    if len(found) > 1:
        shown = ", ".join(show_line(each, 40).text for each in found)
        raise NotOneCustomer(f"{typed!r} may be {shown}; write the number with its calling code")

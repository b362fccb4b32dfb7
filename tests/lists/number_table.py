"""How the example mobiles of all countries are read in each spelling that lists have; prints the counts.

LAB=all PYTHONPATH=tests .venv/bin/python -m campaigns.audience.number_table
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cache
from itertools import product

import phonenumbers
from phonenumbers import PhoneMetadata, PhoneNumber, PhoneNumberFormat, PhoneNumberType

from frontdesk_lists.models import NO_COUNTRY
from frontdesk_lists.phone_numbers import BadNumber, Form, read_number
from lab.sample import count as so_many

COUNTRIES = sorted(phonenumbers.SUPPORTED_REGIONS)
ONE_IN = so_many(12, 1)
"""Of the pairs of a home and another country; each country is in 20 of them as either."""
ABROAD = ("972502345678", "4915123456789", "12015550123", "5215512345678")
"""Numbers that are dialed with an exit code."""
ARABIC, DEVANAGARI = ({ord("0") + each: zero + each for each in range(10)} for zero in (0x660, 0x966))


class Result(StrEnum):
    """What becomes of a cell; two readings, of which one may be abroad, are decided by the rest of its list."""

    RIGHT = "right"
    DOUBTED = "doubted"
    TWO = "two readings"
    REFUSED = "refused"
    WRONG = "wrong"


Case = tuple[str, str | None, str]
"""A cell, the home country, and the digits that are meant, or what they begin with and a star."""


def example(country: str) -> PhoneNumber:
    """A mobile number of a country, or another one where it has none."""
    found = phonenumbers.example_number_for_type(country, PhoneNumberType.MOBILE)
    return found or phonenumbers.example_number(country)


def digits_of(number: PhoneNumber) -> str:
    """Its digits with the calling code."""
    return phonenumbers.format_number(number, PhoneNumberFormat.E164)[1:]


@cache
def exit_codes(pattern: str) -> tuple[str, ...]:
    """What is dialed before a calling code, up to four digits."""
    dialed = ("".join(digits) for length in range(1, 5) for digits in product("0123456789", repeat=length))
    return tuple(each for each in dialed if re.fullmatch(pattern, each))


def exit_codes_of(country: str) -> tuple[str, ...]:
    """What is dialed in a country before a calling code."""
    return exit_codes(PhoneMetadata.metadata_for_region(country).international_prefix)


def result(case: Case) -> Result:
    """Read a cell."""
    cell, country, meant = case
    try:
        number = read_number(cell, country)
    except BadNumber:
        return Result.REFUSED
    if number.other or number.form is Form.FOREIGN:
        return Result.TWO
    if number.doubt:
        return Result.DOUBTED
    return Result.RIGHT if fnmatchcase(number.digits, meant) else Result.WRONG


Spelling = Callable[[str, PhoneNumber], Iterator[Case]]


def _own(write: Callable[[str, PhoneNumber], str], *homes: str | None) -> Spelling:
    def cases(country: str, number: PhoneNumber) -> Iterator[Case]:
        for home in homes or (country,):
            yield write(country, number), home, digits_of(number)

    return cases


def _national(number: PhoneNumber) -> str:
    return phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL)


def _national_digits(number: PhoneNumber) -> str:
    return re.sub(r"\D", "", _national(number))


def _significant(number: PhoneNumber) -> str:
    return phonenumbers.national_significant_number(number)


def _with_exit_code(country: str, number: PhoneNumber) -> Iterator[Case]:
    for code in exit_codes_of(country):
        for meant in (digits_of(number), *ABROAD):
            yield f"{code} {meant}", country, "525512345678" if meant.startswith("521") else meant


def _without_zeros_of_exit_code(country: str, number: PhoneNumber) -> Iterator[Case]:
    for cell, home, meant in _with_exit_code(country, number):
        yield cell.replace(" ", "").lstrip("0"), home, meant


def _abroad(country: str, _: PhoneNumber) -> Iterator[Case]:
    for other in COUNTRIES[COUNTRIES.index(country) % ONE_IN :: ONE_IN]:
        if phonenumbers.example_number_for_type(other, PhoneNumberType.MOBILE) is not None:
            meant = digits_of(example(other))
            yield meant, country, meant


def _mistyped(write: Callable[[PhoneNumber], str]) -> Spelling:
    """With each digit left out and each typed twice; another number of the same country can't be told from it."""

    def cases(country: str, number: PhoneNumber) -> Iterator[Case]:
        digits = write(number)
        for at, digit in enumerate(digits):
            for typed in ("", 2 * digit):
                yield f"{digits[:at]}{typed}{digits[at + 1 :]}", country, f"{number.country_code}*"

    return cases


SPELLINGS: dict[str, Spelling] = {
    "+ and digits": _own(lambda _, number: f"+{digits_of(number)}", None, NO_COUNTRY, "IL", "DE", "US"),
    "international, spaces": _own(
        lambda _, number: phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL), None, "DE"
    ),
    "+ and decimals": _own(lambda _, number: f"+{digits_of(number)}.0", None),
    "00 and digits": _own(lambda _, number: f"00{digits_of(number)}", None, NO_COUNTRY),
    "00 at home": _own(lambda _, number: f"00{digits_of(number)}"),
    "exit codes": _with_exit_code,
    "exit codes, zeros lost": _without_zeros_of_exit_code,
    "bare digits, undecided": _own(lambda _, number: digits_of(number), None),
    "bare digits, none": _own(lambda _, number: digits_of(number), NO_COUNTRY),
    "bare digits, home": _own(lambda _, number: digits_of(number)),
    "bare digits, decimals": _own(lambda _, number: f"{digits_of(number)}.00"),
    "0 and bare digits": _own(lambda _, number: f"0{digits_of(number)}"),
    "bare digits, other home": _abroad,
    "national": _own(lambda _, number: _national(number)),
    "national, undecided": _own(lambda _, number: _national(number), None),
    "national digits": _own(lambda _, number: _national_digits(number)),
    "national, decimals": _own(lambda _, number: f"{_national_digits(number)}.0"),
    "zero lost": _own(lambda _, number: _significant(number)),
    "all zeros lost": _own(lambda _, number: _significant(number).lstrip("0")),
    "+ and (0)": _own(lambda _, number: f"+{number.country_code} (0){_significant(number)}", None),
    "slash": _own(lambda _, number: f"+{number.country_code}/{_significant(number)}", None),
    "Arabic digits": _own(lambda _, number: _national(number).translate(ARABIC)),
    "mistyped, national": _mistyped(_national_digits),
    "mistyped, zero lost": _mistyped(_significant),
    "mistyped, bare digits": _mistyped(digits_of),
    "Devanagari digits": _own(lambda _, number: f"+{digits_of(number)}".translate(DEVANAGARI), None),
}


def count(spelling: str) -> tuple[Counter[Result], list[Case]]:
    """How often each result comes of a spelling over all countries, and the cells that are read wrong."""
    found: Counter[Result] = Counter()
    wrong = []
    for country in COUNTRIES:
        for case in SPELLINGS[spelling](country, example(country)):
            found[each := result(case)] += 1
            if each is Result.WRONG:
                wrong.append(case)
    return found, wrong


def main() -> None:
    """Print the table."""
    print(f"{'':24}" + "".join(f"{each:>14}" for each in Result))  # noqa: T201 - the table
    for spelling in sys.argv[1:] or SPELLINGS:
        found, wrong = count(spelling)
        print(f"{spelling:24}" + "".join(f"{found[each]:>14,}" for each in Result), *wrong[:5])  # noqa: T201


if __name__ == "__main__":
    main()

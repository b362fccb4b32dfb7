"""Count a list's numbers by country, and suggest a home country for those that don't say theirs."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from frontdesk_lists.models import CountryCount, CountrySample, HomeCountry
from frontdesk_lists.phone_numbers import (
    MIN_DIGITS,
    BadNumber,
    calling_code_of,
    countries_of,
    main_country,
    place_of,
    read_number,
)

MAX_LOOKED_AT = 300
"""Cells without a calling code that are tried in each country: each costs 40 µs."""
MAX_TRIED = 3
MAX_SAMPLES = 3
_KEPT_OF_A_CELL = 60

OF_LIST = "most numbers in the list that have a calling code are of {place}"
OF_CUSTOMERS = "most of your customers are in {place}"


class CountryTally:
    """The recipients of a list by their calling codes, counted row by row."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._guessed: Counter[str] = Counter()
        self._samples: defaultdict[tuple[str, bool], list[CountrySample]] = defaultdict(list)
        self._without_code: list[tuple[str, str]] = []

    def add(self, line: int, cell: str, digits: str, *, is_guessed: bool) -> None:
        """Count a recipient; `is_guessed` where neither its cell nor its row says the country."""
        code = calling_code_of(digits[:3])
        self._counts[code] += 1
        self._guessed[code] += is_guessed
        samples = self._samples[code, is_guessed]
        if len(samples) < MAX_SAMPLES:
            samples.append(CountrySample(line, cell[:_KEPT_OF_A_CELL], digits))

    def add_without_code(self, cell: str, digits: str) -> None:
        """Remember a cell that doesn't say its country, with its digits, empty for no number."""
        if len(self._without_code) < MAX_LOOKED_AT and (digits or sum(map(str.isdecimal, cell)) >= MIN_DIGITS):
            self._without_code.append((cell, digits))

    def build(self) -> tuple[CountryCount, ...]:
        return tuple(
            CountryCount(
                place_of(code) if code else "no country",
                count,
                self._guessed[code],
                tuple([*self._samples[code, True], *self._samples[code, False]][:MAX_SAMPLES]),
            )
            for code, count in self._counts.most_common()
        )

    def suggest(self, customers: Iterable[str]) -> HomeCountry | None:
        """Suggest a home country for the numbers without a calling code.

        Args:
            customers: numbers of customers with their calling codes.
        """
        if not self._without_code:
            return None
        written = Counter({code: count - self._guessed[code] for code, count in self._counts.items()})
        nearby = Counter(calling_code_of(each[:3]) for each in customers if each[:3].isdecimal())
        tried: dict[str, str] = {}
        for codes, reason in ((+written, OF_LIST), (nearby, OF_CUSTOMERS)):
            for code, _ in codes.most_common(MAX_TRIED):
                if code and (country := main_country(code)):
                    tried.setdefault(country, reason.format(place=place_of(code)))
        found = {country: self._valid_in(country) for country in tried}
        best = max(tried, key=lambda country: len(found[country]), default="")
        # Those that are the same number with and without a home country don't need one.
        in_question = {at for at, (_, digits) in enumerate(self._without_code) if not digits}.union(
            *found.values()
        )
        if not best or not found[best] or len(found[best]) * 2 < len(in_question):
            return None
        return HomeCountry(best, tried[best], len(found[best]), len(in_question))

    def _valid_in(self, country: str) -> set[int]:
        """Return the places of cells that are a country's numbers, and another number than without it."""
        return {
            at for at, (cell, digits) in enumerate(self._without_code) if _valid(cell, country) not in ("", digits)
        }


def _valid(cell: str, country: str) -> str:
    try:
        number = read_number(cell, country)
    except BadNumber:
        return ""
    is_there = country in countries_of(calling_code_of(number.digits[:3]))
    return number.digits if is_there and not number.doubt else ""

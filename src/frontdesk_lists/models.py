"""Lists of recipients: how one is laid out, who is in it, and which rows are skipped.

Cells stay as they are in the file, for `display_text.show_line`.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

MAX_ROWS = 1_000_000
MAX_COLUMNS = 1_000
MAX_LISTED = 1_000
"""Rows kept of each kind that is skipped or doubted; the others are counted."""
HEAD_ROWS = 20

Kind = Literal["csv", "xlsx"]

ROW_WORDS: dict[Kind, str] = {"csv": "line", "xlsx": "row"}
"""The word for a row of each kind of file: a text file's line, or a sheet's row."""

NO_COUNTRY = "none"
"""Chosen as the home country where the digits of every number begin with its calling code."""

INTERFACE_HEADING = "phoneNumberId"
"""Heading of a column whose digits begin with a calling code (docs/interface.md); lists of frontdesk have it."""

ROLE_WORDS = {"number": "the phone numbers", "name": "the names", "country": "the countries"}
"""The contents of a column, by the field of `ColumnMapping`."""

Progress = Callable[[int, float], None]
"""Called now and then with the number of rows and the share of the file that is done, 0 to 1."""


class AudienceError(Exception):
    """Raised when a list can't be used; the text says what to do. It may hold text from the file."""


class ReadStopped(AudienceError):
    """Raised when the caller has stopped reading."""


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """The columns of numbers, names and countries, counted from 0; None if there is none."""

    number: int
    name: int | None
    country: int | None
    has_header: bool

    def with_column(self, field: str, column: int | None) -> "ColumnMapping":
        """Return a copy with another column for `number`, `name` or `country`; no column holds two of them."""
        is_taken = column == self.number or (field == "number" and column is None)
        values: dict[str, Any] = {} if is_taken else {field: column}
        columns = replace(self, **values)
        name, country = (None if each == columns.number else each for each in (columns.name, columns.country))
        if name is not None and name == country:
            name, country = (name, None) if field == "name" else (None, country)
        return replace(columns, name=name, country=country)


@dataclass(frozen=True, slots=True)
class ListFile:
    """A list of recipients, with the options for reading it; None is guessed.

    Attributes:
        country: ISO code of numbers without a calling code, if the row has none; `NO_COUNTRY` if they all have
            one; None while nobody has decided that, and they are skipped.
        skips_doubtful: doubtful rows are skipped.
        customers: numbers of customers, from which a home country may be suggested.
        title_rows: those above the headings, or above the first recipient; they are skipped.
        country_rivals: the columns that may hold the countries; compared with the one that is used.
    """

    path: str
    sheet: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    country: str | None = None
    skips_doubtful: bool = False
    customers: tuple[str, ...] = ()
    title_rows: int = 0
    country_rivals: tuple[int, ...] = ()

    def read_as(self, layout: "ListLayout") -> "ListFile":
        return replace(
            self,
            sheet=layout.sheet or None,
            encoding=layout.encoding or None,
            delimiter=layout.delimiter or None,
            title_rows=layout.title_rows,
            country_rivals=layout.rivals.get("country", ()),
        )


@dataclass(frozen=True, slots=True)
class HomeCountry:
    """A home country that is suggested for the numbers without a calling code.

    Attributes:
        country: ISO code.
        reason: as a sentence without its end.
        valid: numbers that are valid there, of those that were looked at.
    """

    country: str
    reason: str
    valid: int
    looked_at: int


@dataclass(frozen=True, slots=True)
class ListLayout:
    """The layout that a list seems to have, for a person to correct before reading it.

    Attributes:
        encoding, delimiter: empty for Excel.
        sheet: the chosen one; empty for CSV.
        head: the first rows that aren't empty, below any title, with every cell cut to a readable length.
        columns: None if no column looks like numbers.
        home: suggested by the first rows, unless one was given.
        title_rows: how many are above the headings.
        rivals: by field of `columns`, if its guess isn't certain: the columns that may hold it.
    """

    kind: Kind
    encoding: str = ""
    delimiter: str = ""
    sheets: tuple[str, ...] = ()
    head: tuple[tuple[str, ...], ...] = ()
    columns: ColumnMapping | None = None
    size_bytes: int = 0
    sheet: str = ""
    notes: tuple[str, ...] = ()
    home: HomeCountry | None = None
    title_rows: int = 0
    rivals: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def uncertain(self, audience: "Audience | None") -> dict[str, tuple[int, ...]]:
        """Return the `rivals` of which a person has to choose one; for countries, after reading the list."""
        is_contradicted = audience is not None and audience.contradicted > 0
        return {role: each for role, each in self.rivals.items() if role != "country" or is_contradicted}


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A row that is skipped or doubted, with the cell as it is in the file."""

    line: int
    reason: str
    value: str


@dataclass(frozen=True, slots=True)
class RefusedRows:
    """Rows that are skipped or doubted: the first `MAX_LISTED`, and how many there are."""

    kept: tuple[RefusedRow, ...] = ()
    count: int = 0


@dataclass(frozen=True, slots=True)
class ListedRecipient:
    """A recipient of a list.

    Attributes:
        number: digits with the country's calling code, without +.
        country: ISO code in this row; empty without one, and where the platform would misread the number by it.
        line: of the file, or row of the sheet, counted from 1.
    """

    number: str
    name: str
    country: str
    line: int


@dataclass(frozen=True, slots=True)
class CountrySample:
    """A row of one country, with the cell as it is in the file and its digits."""

    line: int
    value: str
    number: str


@dataclass(frozen=True, slots=True)
class CountryCount:
    """The recipients with one calling code.

    Attributes:
        place: as `IL (+972)`; the main country where several share the code.
        guessed: how many neither have a calling code in the file nor a country in their row.
        samples: the first ones, guessed ones before others.
    """

    place: str
    count: int
    guessed: int
    samples: tuple[CountrySample, ...] = ()


@dataclass(frozen=True, slots=True)
class Audience:
    """The recipients of a whole list, and its other rows.

    Attributes:
        recipients: in the list's order, each number once: the first one counts.
        doubtful: with a number that is in no range in use or can be misread.
        rows: how many aren't empty, without the header.
        digest: SHA-256 in hex over the recipients' numbers, sorted, a line feed after each.
        skipped: doubtful rows among the refused ones, skipped by choice.
        hidden: rows among the refused ones that Excel doesn't show.
        undecided: rows among the refused ones that need a home country.
        rounded: rows with a number that a spreadsheet seems to have rounded, whatever became of them.
        contradicted: rows without a calling code for which a column that may hold the countries says another one
            than the column that is used, whatever became of them.
        countries: the recipients by calling code, most first.
        home: suggested where numbers lack a calling code and no home country was given.
    """

    recipients: tuple[ListedRecipient, ...]
    rows: int
    digest: str
    refused: RefusedRows = RefusedRows()
    duplicates: RefusedRows = RefusedRows()
    doubtful: RefusedRows = RefusedRows()
    skipped: int = 0
    hidden: int = 0
    undecided: int = 0
    rounded: int = 0
    contradicted: int = 0
    countries: tuple[CountryCount, ...] = ()
    home: HomeCountry | None = None


def members_digest(members: Iterable[str]) -> str:
    """Return SHA-256 in hex over numbers or ids, a line feed after each; their order makes no difference."""
    digest = hashlib.sha256()
    for each in sorted(members):
        digest.update(each.encode("utf-8", "replace") + b"\n")
    return digest.hexdigest()


_ALSO = {"UK": "GB", "USA": "US", "UAE": "AE", "KSA": "SA"}


def iso_code(name: str) -> str:
    """Return the name in capitals, or the ISO code of a country that is often called otherwise."""
    code = name.strip().upper()
    return _ALSO.get(code, code)

"""Read a list: its layout, and each row as a recipient or with the reason why it is left out."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from frontdesk.campaigns.audience.csv_rows import (
    Cell,
    CsvRow,
    UnusableCell,
    guess_delimiter,
    guess_encoding,
    text_rows,
    too_many_rows,
)
from frontdesk.campaigns.audience.home_country import CountryTally, has_calling_code
from frontdesk.campaigns.audience.layout import guess_columns, kind_of, size_of
from frontdesk.campaigns.audience.models import (
    HEAD_ROWS,
    MAX_LISTED,
    MAX_ROWS,
    ROW_WORDS,
    Audience,
    AudienceError,
    ColumnMapping,
    HomeCountry,
    Kind,
    ListedRecipient,
    ListFile,
    ListLayout,
    Progress,
    RefusedRow,
    RefusedRows,
)
from frontdesk.campaigns.audience.phone_numbers import (
    ROUNDED,
    BadNumber,
    Number,
    country_code,
    looks_rounded,
    other_reading,
    read_number,
)
from frontdesk.text.display_text import show_line, visible_name

_SAMPLE_ROWS = 300
_SHOWN_OF_A_CELL = 200
_KEPT_OF_A_CELL = 500
_KEPT_OF_A_NAME = 200
_REPORT_EVERY = 1000
_EMPTY = "the list is empty; add one row per recipient, with phone numbers in one column"


def read_layout(file: ListFile) -> ListLayout:
    """Guess how a file is laid out; raises `AudienceError` for one that can't be used."""
    path = Path(file.path)
    size = size_of(path)
    country = _country(file.country)
    if kind_of(path) == "xlsx":
        layout, rows = _workbook_layout(path, file.sheet)
    else:
        layout, rows = _csv_layout(path, file)
    if not rows:
        raise AudienceError("this sheet is empty; choose another" if len(layout.sheets) > 1 else _EMPTY)
    texts = [[_text(cell) for cell in row.cells] for row in rows]
    sound = [text for text, row in zip(texts, rows, strict=True) if not row.fault]
    columns = guess_columns(sound, country)
    return replace(
        layout,
        head=tuple(tuple(text[:_SHOWN_OF_A_CELL] for text in row) for row in texts[:HEAD_ROWS]),
        columns=columns,
        size_bytes=size,
        home=None if columns is None else _home_country(file, columns, rows),
    )


def _home_country(file: ListFile, columns: ColumnMapping, rows: Iterable[CsvRow]) -> HomeCountry | None:
    """Suggest a home country by the first rows; a person may choose other columns afterwards."""
    builder = _AudienceBuilder("csv", columns, file)
    for row in rows:
        builder.add_row(row)
    return builder.suggest_home()


def _csv_layout(path: Path, file: ListFile) -> tuple[ListLayout, list[CsvRow]]:
    notes: tuple[str, ...] = ()
    encoding = file.encoding
    if encoding is None:
        encoding = guess_encoding(path)
        if encoding not in ("utf-8", "utf-16", "utf-32"):
            notes = (f"guessed the encoding ({encoding}); check that the names look right",)
    delimiter = file.delimiter or guess_delimiter(path, encoding)
    rows = list(islice(text_rows(path, encoding, delimiter), _SAMPLE_ROWS))
    return ListLayout("csv", encoding, delimiter, notes=notes), rows


def read(file: ListFile, columns: ColumnMapping, report: Progress = lambda _rows, _share: None) -> Audience:
    """Read the whole list; raises `AudienceError` for one that can't be used."""
    path = Path(file.path)
    size = size_of(path)
    kind = kind_of(path)
    builder = _AudienceBuilder(kind, columns, file)

    def at(share: float) -> None:
        report(builder.rows, share)

    if kind == "xlsx":
        for height, row in _workbook_rows(path, file.sheet, at):
            builder.add_row(row)
            if builder.rows % _REPORT_EVERY == 0:
                at(0.5 + 0.5 * row.line / height)
    else:
        encoding = file.encoding or guess_encoding(path)
        delimiter = file.delimiter or guess_delimiter(path, encoding)
        for row in text_rows(path, encoding, delimiter, lambda done: at(min(done / size, 1.0))):
            builder.add_row(row)
    at(1.0)
    return builder.build()


class _AudienceBuilder:
    def __init__(self, kind: Kind, columns: ColumnMapping, file: ListFile) -> None:
        self.rows = 0
        self._row_word = ROW_WORDS[kind]
        self._columns, self._file = columns, file
        self._country = _country(file.country)
        self._tally, self._rounded, self._skipped = CountryTally(), 0, 0
        self._is_first = True
        self._lines: dict[str, int] = {}
        self._recipients: list[ListedRecipient] = []
        self._refused, self._duplicates, self._doubtful = _BoundedRows(), _BoundedRows(), _BoundedRows()

    def add_row(self, row: CsvRow) -> None:
        if self._is_first:
            self._is_first = False
            if self._columns.has_header:
                return
        self.rows += 1
        if self.rows > MAX_ROWS:
            raise AudienceError(too_many_rows())
        cell = _cell(row, self._columns.number)
        if row.fault:
            self._refused.add(row.line, row.fault, str(row.cells[0]))
            return
        if isinstance(cell, UnusableCell):
            self._refused.add(row.line, cell.reason, cell.text)
            return
        own, digits = None, ""
        is_rounded = looks_rounded(cell)
        self._rounded += is_rounded
        try:
            own = self._country_of(row, cell)
            number = read_number(cell, own or self._country)
        except BadNumber as error:
            self._rounded += str(error) == ROUNDED
            self._refused.add(row.line, str(error), cell)
        else:
            digits = number.digits
            self._add_number(row, cell, number, own, is_rounded=is_rounded)
        if own is None and self._country is None and not has_calling_code(cell):
            self._tally.add_without_code(cell, digits)

    def _add_number(self, row: CsvRow, cell: str, number: Number, own: str | None, *, is_rounded: bool) -> None:
        doubt = number.doubt or _ambiguity(number.digits, own or self._country)
        if doubt and self._file.skips_doubtful:
            self._skipped += 1
            self._refused.add(row.line, doubt, cell)
            return
        first = self._lines.setdefault(number.digits, row.line)
        if first != row.line:
            same = "rounded number" if is_rounded else "number"
            self._duplicates.add(row.line, f"same {same} as {self._row_word} {first:,}", cell)
            return
        if doubt:
            self._doubtful.add(row.line, doubt, cell)
        is_guessed = own is None and not has_calling_code(cell)
        self._tally.add(row.line, cell, number.digits, is_guessed=is_guessed)
        self._recipients.append(ListedRecipient(number.digits, self._name_of(row), own or "", row.line))

    def suggest_home(self) -> HomeCountry | None:
        return None if self._country is not None else self._tally.suggest(self._file.customers)

    def build(self) -> Audience:
        if self.rows == 0:
            is_header_alone = self._columns.has_header and not self._is_first
            raise AudienceError("the list has a header row but no recipients" if is_header_alone else _EMPTY)
        digest = hashlib.sha256()
        for recipient in self._recipients:
            digest.update(recipient.number.encode("ascii") + b"\n")
        return Audience(
            recipients=tuple(self._recipients),
            rows=self.rows,
            digest=digest.hexdigest(),
            refused=self._refused.build(),
            duplicates=self._duplicates.build(),
            doubtful=self._doubtful.build(),
            skipped=self._skipped,
            rounded=self._rounded,
            countries=self._tally.build(),
            home=self.suggest_home(),
        )

    def _country_of(self, row: CsvRow, number: str) -> str | None:
        if self._columns.country is None:
            return None
        cell = _cell(row, self._columns.country)
        typed = cell.text if isinstance(cell, UnusableCell) else cell.strip()
        if not typed:
            return None
        code = country_code(typed)
        if code is None and not number.lstrip(" '(\u200e\u200f").startswith(("+", "00")):
            raise BadNumber(_unknown_country(show_line(typed, 40).text))
        return code

    def _name_of(self, row: CsvRow) -> str:
        if self._columns.name is None:
            return ""
        cell = _cell(row, self._columns.name)
        text = cell.text if isinstance(cell, UnusableCell) else cell
        return visible_name(" ".join(text[:_KEPT_OF_A_CELL].split())[:_KEPT_OF_A_NAME])


class _BoundedRows:
    """Rows with their reasons, the first ones kept and all counted."""

    def __init__(self) -> None:
        self._kept: list[RefusedRow] = []
        self._count = 0

    def add(self, line: int, reason: str, value: str) -> None:
        self._count += 1
        if len(self._kept) < MAX_LISTED:
            self._kept.append(RefusedRow(line, reason, value[:_KEPT_OF_A_CELL]))

    def build(self) -> RefusedRows:
        return RefusedRows(tuple(self._kept), self._count)


def _workbook_layout(path: Path, sheet: str | None) -> tuple[ListLayout, list[CsvRow]]:
    from frontdesk.campaigns.audience import excel_rows  # brings a library that CSV doesn't need

    errors = excel_rows.check(path)
    sheets = excel_rows.sheets_of(path)
    chosen = sheet or _first_shown(sheets.names, sheets.hidden)
    _, rows = excel_rows.sheet_rows(path, chosen)
    notes = []
    if sheets.has_macros:
        notes.append("the workbook has macros; they aren't run, and only its cell values are read")
    if len(sheets.names) > 1:
        notes.append(f"reading 1 of {len(sheets.names)} sheets: {show_line(chosen, 60).text}")
    if errors:
        cells = "1 cell shows" if errors == 1 else f"{errors:,} cells show"
        notes.append(f"{cells} an error such as #N/A; treated as empty")
    layout = ListLayout("xlsx", sheets=sheets.names, sheet=chosen, notes=tuple(notes))
    return layout, list(islice(rows, _SAMPLE_ROWS))


def _workbook_rows(path: Path, sheet: str | None, at: Callable[[float], None]) -> Iterator[tuple[int, CsvRow]]:
    from frontdesk.campaigns.audience import excel_rows

    excel_rows.check(path, lambda done: at(0.2 * done))
    if sheet is None:
        sheets = excel_rows.sheets_of(path)
        sheet = _first_shown(sheets.names, sheets.hidden)
    height, rows = excel_rows.sheet_rows(path, sheet)
    at(0.5)
    for row in rows:
        yield height, row


def _first_shown(names: tuple[str, ...], hidden: frozenset[str]) -> str:
    return next((name for name in names if name not in hidden), names[0])


def _country(typed: str | None) -> str | None:
    if typed is None or not typed.strip():
        return None
    code = country_code(typed)
    if code is None:
        raise AudienceError(_unknown_country(typed))
    return code


def _unknown_country(typed: str) -> str:
    return f"unknown country {typed!r}; use its ISO code, such as IL, or its calling code"


def _ambiguity(digits: str, country: str | None) -> str:
    """Why the platform, which gets digits and a country, may take them for a number of that country."""
    other = other_reading(digits, country) if country else None
    return f"could also be a number in {country}; the message may go to +{other}" if other else ""


def _cell(row: CsvRow, at: int) -> Cell:
    return row.cells[at] if 0 <= at < len(row.cells) else ""


def _text(cell: Cell) -> str:
    return cell.text if isinstance(cell, UnusableCell) else cell

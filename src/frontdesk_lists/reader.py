"""Parse a list: its layout, and each row as a recipient or with the reason why it is refused."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from frontdesk_lines.display_text import counted, show_line, visible_name
from frontdesk_lists.csv_rows import (
    TOO_MANY_ROWS,
    Cell,
    CsvRow,
    UnusableCell,
    guess_delimiter,
    guess_encoding,
    text_rows,
)
from frontdesk_lists.layout import CountryTally, count_title_rows, guess_columns, kind_of, rival_columns, size_of
from frontdesk_lists.models import (
    HEAD_ROWS,
    INTERFACE_HEADING,
    MAX_LISTED,
    MAX_ROWS,
    NO_COUNTRY,
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
    members_digest,
)
from frontdesk_lists.phone_numbers import (
    PLAIN_SIGNS,
    ROUNDED,
    BadNumber,
    CountryNeeded,
    Form,
    Number,
    country_code,
    customer_key,
    foreign_number,
    has_calling_code,
    looks_rounded,
    platform_number,
    read_number,
    two_readings,
)

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
    iso = None if country == NO_COUNTRY else country
    title_rows = count_title_rows([_texts(row) for row in rows if not row.fault])
    rows = list(_below_titles(rows, title_rows))
    header = next((row for row in rows if not row.fault), rows[0])
    rows = [header, *(row for row in rows if row is not header)]
    sound = [_texts(row) for row in rows if not row.fault]
    columns = guess_columns(sound, iso)
    notes = [f"skipping {counted(title_rows, 'row')} above the headings"] if title_rows else []
    return replace(
        layout,
        head=tuple(tuple(text[:_SHOWN_OF_A_CELL] for text in _texts(row)) for row in rows[:HEAD_ROWS]),
        columns=columns,
        size_bytes=size,
        notes=(*layout.notes, *notes),
        home=None if columns is None else _home_country(file, columns, rows),
        title_rows=title_rows,
        rivals={} if columns is None else rival_columns(sound, columns, iso),
    )


def _below_titles(rows: Iterable[CsvRow], title_rows: int) -> Iterator[CsvRow]:
    """Yield the rows without those above the headings; a broken or hidden one doesn't count as one of them."""
    for row in rows:
        if row.fault or title_rows == 0:
            yield row
        else:
            title_rows -= 1


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
    """Parse the whole list; raises `AudienceError` for one that can't be used."""
    path = Path(file.path)
    size = size_of(path)
    kind = kind_of(path)
    builder = _AudienceBuilder(kind, columns, file)

    def at(share: float) -> None:
        report(builder.rows, share)

    if kind == "xlsx":
        height, rows = _workbook_rows(path, file.sheet, at)
        for row in _below_titles(rows, file.title_rows):
            builder.add_row(row)
            if builder.rows % _REPORT_EVERY == 0:
                at(0.5 + 0.5 * row.line / height)
    else:
        encoding = file.encoding or guess_encoding(path)
        delimiter = file.delimiter or guess_delimiter(path, encoding)
        rows = text_rows(path, encoding, delimiter, lambda done: at(min(done / size, 1.0)))
        for row in _below_titles(rows, file.title_rows):
            builder.add_row(row)
    at(1.0)
    return builder.build()


class _ReadRow(NamedTuple):
    line: int
    cell: str
    number: Number
    own: str | None
    name: str


class _AudienceBuilder:
    def __init__(self, kind: Kind, columns: ColumnMapping, file: ListFile) -> None:
        self.rows = 0
        self._row_word = ROW_WORDS[kind]
        self._columns, self._file = columns, file
        self._country = _country(file.country)
        self._tally, self._rounded, self._skipped = CountryTally(), 0, 0
        self._hidden = self._undecided = self._contradicted = 0
        self._awaits_header = columns.has_header
        self._read: list[_ReadRow] = []
        self._lines: dict[str, ListedRecipient] = {}
        self._recipients: list[ListedRecipient] = []
        self._refused, self._duplicates, self._doubtful = _BoundedRows(), _BoundedRows(), _BoundedRows()

    def add_row(self, row: CsvRow) -> None:
        cell = _cell(row, self._columns.number)
        if self._awaits_header and not row.fault:
            self._awaits_header = False
            if self._country is None and cell == INTERFACE_HEADING:
                self._country = NO_COUNTRY
            return
        self.rows += 1
        if self.rows > MAX_ROWS:
            raise AudienceError(TOO_MANY_ROWS)
        if row.fault:
            self._hidden += row.is_hidden
            self._refused.add(row.line, row.fault, _text(cell if row.is_hidden else row.cells[0]))
            return
        if isinstance(cell, UnusableCell):
            self._refused.add(row.line, cell.reason, cell.text)
            return
        own, digits = None, ""
        self._rounded += looks_rounded(cell)
        self._contradicted += self._is_contradicted(row, cell)
        try:
            own = self._country_of(row, cell)
            number = read_number(cell, own or self._country)
        except BadNumber as error:
            self._rounded += str(error) == ROUNDED
            self._undecided += isinstance(error, CountryNeeded)
            self._refused.add(row.line, str(error), cell)
        else:
            digits = number.digits
            self._read.append(_ReadRow(row.line, cell, number, own, self._name_of(row)))
        if own is None and self._country in (None, NO_COUNTRY) and not has_calling_code(cell):
            self._tally.add_without_code(cell, digits)

    def _settle(self) -> None:
        """Decide on the rows that rest on a guess by how the list writes its other numbers; then count all."""
        rows, self._read = self._read, []
        sure = [each for each in rows if not each.number.other]
        forms = Counter(each.number.form for each in sure)
        # Another country's number proves nothing: one of the list's own with a digit wrong may look so.
        with_code, national = forms[Form.BARE], forms[Form.NATIONAL]
        dials_out = any(
            each.number.form is Form.INTERNATIONAL and "+" not in each.cell.translate(PLAIN_SIGNS) for each in sure
        )
        for each in rows:
            number = each.number
            if number.form is Form.FOREIGN:
                is_guess = bool(each.own and number.other) or (
                    self._country != NO_COUNTRY and with_code <= national
                )
            elif number.form is Form.INTERNATIONAL:
                is_guess = not dials_out
            else:
                is_guess = not each.own and with_code >= max(1, national)
            if is_guess and number.other:
                self._refused.add(each.line, str(two_readings(number.digits, number.other)), each.cell)
            elif is_guess and number.form is Form.FOREIGN:
                self._refused.add(each.line, str(foreign_number(number, each.own or self._country)), each.cell)
            elif number.doubt and self._file.skips_doubtful:
                self._skipped += 1
                self._refused.add(each.line, number.doubt, each.cell)
            else:
                self._add_number(each)

    def _add_number(self, row: _ReadRow) -> None:
        digits = row.number.digits
        # With a country the platform may read the digits as another number; without one, it takes them as such.
        country = row.own if row.own and platform_number(digits, row.own) == digits else ""
        recipient = ListedRecipient(digits, row.name, country, row.line)
        first = self._lines.setdefault(customer_key(digits), recipient)
        if first is not recipient:
            same = "rounded number" if looks_rounded(row.cell) else "number"
            words = f"same {same} as {self._row_word} {first.line:,}"
            if first.number != digits:
                words = f"same customer as {self._row_word} {first.line:,}, which is messaged at +{first.number}"
            self._duplicates.add(row.line, words, row.cell)
            return
        if row.number.doubt:
            self._doubtful.add(row.line, row.number.doubt, row.cell)
        is_guessed = row.own is None and row.number.form is not Form.INTERNATIONAL
        self._tally.add(row.line, row.cell, digits, is_guessed=is_guessed)
        self._recipients.append(recipient)

    def suggest_home(self) -> HomeCountry | None:
        self._settle()
        return self._tally.suggest(self._file.customers) if self._country in (None, NO_COUNTRY) else None

    def build(self) -> Audience:
        if self.rows == 0:
            is_header_alone = self._columns.has_header and not self._awaits_header
            raise AudienceError("the list has a header row but no recipients" if is_header_alone else _EMPTY)
        self._settle()
        return Audience(
            recipients=tuple(self._recipients),
            rows=self.rows,
            digest=members_digest(each.number for each in self._recipients),
            refused=self._refused.build(),
            duplicates=self._duplicates.build(),
            doubtful=self._doubtful.build(),
            skipped=self._skipped,
            hidden=self._hidden,
            undecided=self._undecided,
            rounded=self._rounded,
            contradicted=self._contradicted,
            countries=self._tally.build(),
            home=self.suggest_home(),
        )

    def _country_of(self, row: CsvRow, number: str) -> str | None:
        if self._columns.country is None:
            return None
        typed = _text(_cell(row, self._columns.country)).strip()
        if not typed:
            return None
        code = country_code(typed)
        if code is None and not has_calling_code(number):
            raise BadNumber(_unknown_country(show_line(typed, 40).text))
        return code

    def _is_contradicted(self, row: CsvRow, number: str) -> bool:
        if not self._file.country_rivals or not number.strip() or has_calling_code(number):
            return False
        said = {text for at in self._file.country_rivals if (text := _text(_cell(row, at)).strip())}
        used = "" if self._columns.country is None else _text(_cell(row, self._columns.country)).strip()
        return bool(said - {used}) and len({country_code(each) for each in (used, *said)}) > 1

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
        return RefusedRows(tuple(sorted(self._kept, key=lambda each: each.line)), self._count)


def _workbook_layout(path: Path, sheet: str | None) -> tuple[ListLayout, list[CsvRow]]:
    from frontdesk_lists import excel_rows  # brings a library that CSV doesn't need

    hidden, errors = excel_rows.check(path)
    names, shown = excel_rows.sheets_of(path)
    chosen = sheet or shown
    _, rows = excel_rows.sheet_rows(path, chosen, hidden)
    notes = [f"reading 1 of {len(names)} sheets: {show_line(chosen, 60).text}"] if len(names) > 1 else []
    if errors:
        notes.append(f"cells with an error such as #N/A: {errors:,}; treated as empty")
    return ListLayout("xlsx", sheets=names, sheet=chosen, notes=tuple(notes)), list(islice(rows, _SAMPLE_ROWS))


def _workbook_rows(path: Path, sheet: str | None, at: Callable[[float], None]) -> tuple[int, Iterator[CsvRow]]:
    from frontdesk_lists import excel_rows

    hidden, _ = excel_rows.check(path, lambda done: at(0.2 * done))
    found = excel_rows.sheet_rows(path, sheet or excel_rows.sheets_of(path)[1], hidden)
    at(0.5)
    return found


def _country(typed: str | None) -> str | None:
    if typed is None or not typed.strip():
        return None
    if typed.strip().casefold() == NO_COUNTRY:
        return NO_COUNTRY
    code = country_code(typed)
    if code is None:
        raise AudienceError(_unknown_country(typed))
    return code


def _unknown_country(typed: str) -> str:
    return f"unknown country {typed!r}; use its ISO code, such as IL, or its calling code"


def _cell(row: CsvRow, at: int) -> Cell:
    return row.cells[at] if 0 <= at < len(row.cells) else ""


def _text(cell: Cell) -> str:
    return cell.text if isinstance(cell, UnusableCell) else cell


def _texts(row: CsvRow) -> list[str]:
    return [_text(cell) for cell in row.cells]

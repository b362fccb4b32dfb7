"""Excel workbooks, opened only when known to be small enough, and read for their values alone.

Macros and formulas are never run: a formula's cell counts with the value that Excel stored in it.
"""

import posixpath
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from python_calamine import CalamineWorkbook, PasswordError, SheetTypeEnum, SheetVisibleEnum

from frontdesk_lists.csv_rows import TOO_MANY_ROWS, Cell, CsvRow, UnusableCell, too_many_columns
from frontdesk_lists.layout import DAMAGED, PROTECTED
from frontdesk_lists.models import MAX_COLUMNS, MAX_ROWS, AudienceError

MAX_UNPACKED = 1 << 29
"""Bytes of a workbook's parts once unpacked: a million rows of three columns take 150 MB."""
MAX_PARTS = 2_000
MAX_RATIO = 250
"""Maximum growth of a part of over 16 MB when unpacked: lists come to 10 or 20, zip bombs to 1,000."""
MAX_CELLS = 8_000_000
"""Maximum area that a sheet's cells span: the library keeps each of them, the empty ones too."""
EXACT = 2**53
"""Whole numbers below this are kept exactly in a cell of Excel's."""

_PIECE = 1 << 20
_OVERLAP = 2_000
_CELL = re.compile(
    rb"""<(?:\w{1,20}:)?c\s(?:[^<>]{0,200}\s)?r\s?=\s?["']([A-Za-z]{1,4})(\d{1,9})["']([^<>]{0,200})(?<!/)>"""
)
_ROW = re.compile(rb"""<(?:\w{1,20}:)?row\b([^<>]{0,1000})>""")
_ROW_NUMBER = re.compile(rb"""\sr\s?=\s?["'](\d{1,9})["']""")
_HIDDEN_ROW = re.compile(rb"""\shidden\s?=\s?["'](?:1|true)["']""")
HIDDEN = "hidden in Excel, by a filter or by hand; show the row there to include it"
_SHEET_PART = re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE)


HiddenRows = Mapping[str, frozenset[int]]
"""The numbers of the rows that Excel doesn't show, by the part that has a sheet; the library doesn't tell."""

_ERROR = re.compile(rb"""\bt\s?=\s?["']e["']""")


def check(path: Path, at: Callable[[float], None] = lambda _: None) -> tuple[HiddenRows, int]:
    """Unpack everything once, a megabyte at a time, before a library does so all at once.

    Return the hidden rows, and the number of cells with an error such as #N/A, which the library reads as empty.

    Args:
        at: called with the share that is done, 0 to 1.

    Raises:
        AudienceError: it would be too large, or is damaged.
    """
    with _translate_errors(), zipfile.ZipFile(path) as archive:
        _check_sizes(archive.infolist())
        parts = [part for part in archive.infolist() if part.filename.lower().endswith((".xml", ".rels"))]
        total, done = sum(part.file_size for part in parts) or 1, 0
        hidden, errors = {}, 0
        for part in parts:
            span = _Span() if _SHEET_PART.fullmatch(part.filename) else None
            with archive.open(part) as opened:
                while piece := opened.read(_PIECE):
                    done += len(piece)
                    at(done / total)
                    if span is not None:
                        span.feed(piece)
            if span is not None:
                errors += span.errors
                if span.hidden:
                    hidden[part.filename.lower()] = frozenset(span.hidden)
        return hidden, errors


class _Span:
    def __init__(self) -> None:
        self.hidden: set[int] = set()
        self.errors = 0
        self._row = 0
        self._kept = b""
        self._rows = (1 << 30, 0)
        self._columns: set[bytes] = set()

    def feed(self, piece: bytes) -> None:
        piece = self._kept + piece
        end = piece.rfind(b">") + 1
        self._kept, piece = piece[max(end, len(piece) - _OVERLAP) :], piece[:end]
        for found in _ROW.finditer(piece):
            number = _ROW_NUMBER.search(found[1])
            self._row = int(number[1]) if number else self._row + 1
            if _HIDDEN_ROW.search(found[1]):
                self.hidden.add(self._row)
        rows: list[bytes] = []
        for found in _CELL.finditer(piece):
            rows.append(found[2])
            self.errors += _ERROR.search(found[3]) is not None
            self._columns.add(found[1])
        if not rows:
            return
        numbers = [int(row) for row in rows]
        self._rows = (min(self._rows[0], *numbers), max(self._rows[1], *numbers))
        columns = [_column(name) for name in self._columns]
        area = (self._rows[1] - self._rows[0] + 1) * (max(columns) - min(columns) + 1)
        if area > MAX_CELLS:
            raise AudienceError(
                f"a sheet spans {area:,} cells, most of them empty (limit: {MAX_CELLS:,}); "
                "copy only the list into a new workbook, or save it as CSV"
            )


def _column(name: bytes) -> int:
    number = 0
    for letter in name.upper():
        number = number * 26 + letter - 64
    return number


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except AudienceError:
        raise
    except PasswordError:
        raise AudienceError(PROTECTED) from None
    except (KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError):
        raise
    except BaseException as error:  # the library is written in Rust, and its panics are no Exception
        if isinstance(error, RuntimeError) and "password" in str(error):
            raise AudienceError(PROTECTED) from None
        raise AudienceError(DAMAGED) from None


def sheets_of(path: Path) -> tuple[tuple[str, ...], str]:
    """Return the names of a workbook's sheets and the first that Excel shows; call `check` first."""
    with _translate_errors(), CalamineWorkbook.from_path(path) as book:
        found = [each for each in book.sheets_metadata if each.typ == SheetTypeEnum.WorkSheet]
    if not found:
        raise AudienceError("the workbook has no worksheets")
    shown = [each.name for each in found if each.visible == SheetVisibleEnum.Visible]
    return tuple(each.name for each in found), (shown or [found[0].name])[0]


def sheet_rows(path: Path, sheet: str, hidden: HiddenRows) -> tuple[int, Iterator[CsvRow]]:
    """Return how many rows a sheet spans, and those that aren't empty; `hidden` is from `check`."""
    with _translate_errors(), CalamineWorkbook.from_path(path) as book:
        if sheet not in book.sheet_names:
            raise AudienceError(f"no sheet named {sheet!r}; choose one of: {', '.join(book.sheet_names[:20])}")
        found = book.get_sheet_by_name(sheet)
        start, end = found.start, found.end
        rows = found.iter_rows()
    if start is None or end is None:
        return 0, iter(())
    if end[0] > MAX_ROWS:
        raise AudienceError(TOO_MANY_ROWS)
    if end[1] >= MAX_COLUMNS:
        raise AudienceError(too_many_columns("the sheet"))
    of_sheet = hidden.get(_part_of(path, sheet), frozenset()) if hidden else frozenset()
    return end[0] + 1, _rows(rows, [""] * start[1], of_sheet)


def _part_of(path: Path, sheet: str) -> str:
    with _translate_errors(), zipfile.ZipFile(path) as archive:
        book, links = (ElementTree.fromstring(archive.read(f"xl/{name}")) for name in _BOOK_PARTS)
        found = next(each for each in book.iterfind("{*}sheets/{*}sheet") if each.get("name") == sheet)
        link = next(value for name, value in found.items() if name.endswith("}id"))
        target = next(str(each.get("Target")) for each in links if each.get("Id") == link)
        return posixpath.normpath(posixpath.join("/xl", target)).lstrip("/").lower()


_BOOK_PARTS = ("workbook.xml", "_rels/workbook.xml.rels")


def _rows(rows: Iterator[Any], before: list[str], hidden: frozenset[int]) -> Iterator[CsvRow]:
    """Yield rows from the first of the sheet; `before` fills the columns before its first cell."""
    with _translate_errors():
        for line, values in enumerate(rows, 1):
            if any(value != "" for value in values):
                cells: list[Cell] = [
                    *before,
                    *(value if isinstance(value, str) else _cell(value) for value in values),
                ]
                yield CsvRow(line, cells, *((HIDDEN, True) if line in hidden else ()))


def _cell(value: object) -> Cell:
    if isinstance(value, bool):
        return UnusableCell(str(value).upper(), "TRUE or FALSE, not a number")
    if isinstance(value, float | int):
        if not abs(value) < EXACT:  # which NaN isn't either
            return UnusableCell(str(value), "more digits than Excel can store")
        if value != int(value):
            return UnusableCell(str(value), "a decimal number")
        return str(int(value)) if value >= 0 else UnusableCell(str(int(value)), "a negative number")
    if isinstance(value, datetime | date | time | timedelta):
        return UnusableCell(str(value), "a date or time; format the column as Number with no decimals")
    return UnusableCell(str(value), "neither text nor a number")


def _check_sizes(parts: list[zipfile.ZipInfo]) -> None:
    if len(parts) > MAX_PARTS:
        raise AudienceError(
            f"the workbook contains too many internal files ({len(parts):,}); save only the sheet with the list"
        )
    for part in parts:
        ratio = part.file_size / max(part.compress_size, 1)
        if part.file_size > 1 << 24 and ratio > MAX_RATIO:
            raise AudienceError(
                f"part of the workbook unpacks to {ratio:,.0f} times its size, which is unusual for a list; "
                "if the file really is a list, save the sheet as CSV"
            )
        if part.flag_bits & 1:
            raise AudienceError(PROTECTED)
    total = sum(part.file_size for part in parts)
    if total > MAX_UNPACKED:
        raise AudienceError(
            f"the workbook is {total >> 20:,} MB when unpacked (limit: {MAX_UNPACKED >> 20} MB); "
            "save only the sheet with the list, or save that sheet as CSV"
        )

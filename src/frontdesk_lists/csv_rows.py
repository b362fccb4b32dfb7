"""CSV files: their encoding and delimiter, and their rows with line numbers, bounded in memory."""

import codecs
import csv
import io
import re
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import BinaryIO

from frontdesk_lists.layout import NO_LIST, reason_of
from frontdesk_lists.models import MAX_COLUMNS, MAX_ROWS, AudienceError

DELIMITERS = (",", ";", "\t", "|")
MAX_OF_A_LINE = 1 << 20
"""Characters."""
_GUESSED_FROM = 60
_REPORT_EVERY = 1000
_LONG_NUMBER = re.compile(r"\d[\d ().-]{5,}\d")
_OPEN_QUOTE = "a quotation mark isn't closed, so this row can't be split into columns"
_DAMAGED = "damaged: some of its bytes aren't UTF-8; correct the row, or save the whole list as UTF-8 again"
_NO_UTF_8 = re.compile("[\udc80-\udcff]")
"""Bytes as `surrogateescape` leaves them."""


@dataclass(frozen=True, slots=True)
class UnusableCell:
    """A cell that holds no text and no number: what it would show, and why it can be no phone number."""

    text: str
    reason: str


Cell = str | UnusableCell


@dataclass(frozen=True, slots=True)
class CsvRow:
    """A row that isn't empty.

    Attributes:
        line: counted from 1, in the file or the sheet.
        fault: why it can't be used; unless it is hidden, it has one cell, with the text of its line.
    """

    line: int
    cells: list[Cell] | list[str]
    fault: str = ""
    is_hidden: bool = False


def text_rows(
    path: Path, encoding: str, delimiter: str, at: Callable[[int], None] = lambda _: None
) -> Iterator[CsvRow]:
    """Yield the rows of a file; `at` gets the bytes read now and then. Raises `AudienceError`."""
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise AudienceError("invalid delimiter; use one character, such as , ; | or a tab")
    for row in _records(_Lines(_lines(path, encoding, at)), delimiter):
        text = delimiter.join(map(str, row.cells))
        if not text.isascii() and _NO_UTF_8.search(text):
            row = CsvRow(row.line, [_NO_UTF_8.sub("\ufffd", text)], row.fault or _DAMAGED)
        yield row


def guess_delimiter(path: Path, encoding: str) -> str:
    """Return the delimiter that gives most of the first rows the same number of columns."""
    lines = _lines(path, encoding)
    first = list(islice(lines, _GUESSED_FROM))
    lines.close()
    declared = _declared_delimiter(first[0]) if first else None
    if declared is not None:
        return declared
    best, most = ",", 0.0
    for delimiter in DELIMITERS:
        widths = [len(row.cells) for row in _records(_Lines(iter(first)), delimiter) if not row.fault]
        if widths:
            usual = max(set(widths), key=widths.count)
            worth = widths.count(usual) / len(widths) * (min(usual, 10) + 10) if usual > 1 else 0.0
            if worth > most:
                best, most = delimiter, worth
    return best


TOO_MANY_ROWS = f"more than {MAX_ROWS:,} rows; split the list and create a campaign for each part"


def too_many_columns(where: str) -> str:
    return f"{where} has more than {MAX_COLUMNS:,} columns; save a list with only the number, name and country"


def _lines(path: Path, encoding: str, at: Callable[[int], None] = lambda _: None) -> Generator[str, None, None]:
    number = 0
    # One damaged row doesn't make another encoding of the file.
    errors = "surrogateescape" if encoding == "utf-8" else "strict"
    try:
        with path.open("rb") as raw, io.TextIOWrapper(raw, codec_of(encoding), errors, newline="") as text:
            while line := text.readline(MAX_OF_A_LINE):
                number += 1
                if len(line) == MAX_OF_A_LINE:
                    raise AudienceError(_too_long(number, line))
                if number % _REPORT_EVERY == 0:
                    at(raw.tell())
                yield line
    except UnicodeError:
        raise AudienceError(
            f"the text at or shortly after line {number + 1:,} isn't valid {encoding}; choose another encoding"
        ) from None
    except OSError as error:
        raise AudienceError(f"the file can't be read: {reason_of(error)}") from None


def _too_long(number: int, line: str) -> str:
    if max(line.count(sign) for sign in DELIMITERS) >= MAX_COLUMNS:
        return too_many_columns(f"line {number:,}")
    return f"line {number:,} is over {MAX_OF_A_LINE:,} characters long; this doesn't look like a list"


def _declared_delimiter(line: str) -> str | None:
    declared = line.rstrip("\r\n")
    return (
        declared[4]
        if len(declared) == 5 and declared.lower().startswith("sep=") and declared[4] in DELIMITERS
        else None
    )


class _Lines:
    """Numbered lines; the last ones can be given back."""

    def __init__(self, lines: Iterator[str]) -> None:
        self.number = 0
        self.taken: list[str] = []
        self._lines = lines
        self._back: deque[str] = deque()

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._back.popleft() if self._back else next(self._lines)
        self.number += 1
        self.taken.append(line)
        return line

    def push_back(self) -> None:
        again = self.taken[1:]
        self._back.extendleft(reversed(again))
        self.number -= len(again)


def _records(lines: _Lines, delimiter: str) -> Iterator[CsvRow]:
    """Rows that are not empty. Where the quotes of one don't close, only its first line is given up."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        lines.taken.clear()
        line = lines.number + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            cells = None
        if cells is None or (len(lines.taken) > 1 and _has_swallowed(cells, delimiter)):
            row = CsvRow(line, [lines.taken[0].rstrip("\r\n")], _OPEN_QUOTE)
            lines.push_back()
            yield row
        elif len(cells) > MAX_COLUMNS:
            raise AudienceError(too_many_columns(f"line {line:,}"))
        elif any(cell and not cell.isspace() for cell in cells) and not (
            line == 1 and _declared_delimiter(lines.taken[0])
        ):
            yield CsvRow(line, cells)


def _has_swallowed(cells: list[str], delimiter: str) -> bool:
    """Return whether a cell of several lines seems to hold rows: its quote was closed by that of another row."""
    return any(
        delimiter in line and _LONG_NUMBER.search(line)
        for cell in cells
        if "\n" in cell or "\r" in cell
        for line in cell.splitlines()[1:]
    )


_WITH_MARK = ("utf-8", "utf-16", "utf-32")
ENCODINGS = (*_WITH_MARK, "utf-16-le", "utf-16-be", "cp1255", "cp1256", "cp1251", "cp1252", "latin-1")
"""Those that can be chosen; utf-8, utf-16 and utf-32 take their mark off."""

_PIECE = 1 << 20
_LOOKED_AT = 64 << 20
_SAMPLE = 1 << 18
_CONTROLS = bytes([*range(9), *range(14, 32)])
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def guess_encoding(path: Path) -> str:
    """Guess one of `ENCODINGS` from up to 64 MB; raises `AudienceError` for what isn't text."""
    with path.open("rb") as file:
        head = file.read(_SAMPLE)
        for mark, name in _MARKS:
            if head.startswith(mark):
                return name
        if len(head) - len(head.translate(None, _CONTROLS)) > 8 + len(head) // 20:
            raise AudienceError(NO_LIST)
        high = _other_than_utf_8(file, head)
    if high is None:
        return "utf-8"
    if _is_hebrew(high) and _decodes(high, "cp1255"):
        return "cp1255"
    return "cp1252" if _decodes(high, "cp1252") else "latin-1"


def codec_of(encoding: str) -> str:
    """Return Python's name of an encoding, one that skips a byte order mark; raises `AudienceError`."""
    if encoding not in ENCODINGS:
        raise AudienceError(f"unknown encoding; choose one of: {', '.join(ENCODINGS)}")
    return "utf-8-sig" if encoding == "utf-8" else encoding


def _other_than_utf_8(file: BinaryIO, head: bytes) -> bytes | None:
    """Return a sample around the first bytes that aren't UTF-8, or None if most signs beyond ASCII are."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    piece, read, sample = head, 0, None
    broken = sound = 0
    while piece:
        if not piece.isascii():
            text = decoder.decode(piece)
            found = len(_NO_UTF_8.findall(text))
            sample = piece if found and sample is None else sample
            broken += found
            sound += len(text) - len(text.encode("ascii", "ignore")) - found
        read += len(piece)
        piece = file.read(_PIECE) if read < _LOOKED_AT else b""
    return sample if broken > sound else None


def _is_hebrew(sample: bytes) -> bool:
    """Return whether letters of the upper half come together as in Hebrew words, and not between Latin ones."""
    together = apart = 0
    for before, sign in pairwise(sample):
        if 0xE0 <= sign <= 0xFA:
            if 0xE0 <= before <= 0xFA:
                together += 1
            elif 0x41 <= before <= 0x5A or 0x61 <= before <= 0x7A:
                apart += 1
    return together > apart


def _decodes(sample: bytes, encoding: str) -> bool:
    try:
        sample.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True

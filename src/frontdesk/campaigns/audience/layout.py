"""The layout of a recipient list: the kind of its file, from its first bytes, and which column holds what."""

import os
import re
import stat
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from frontdesk.campaigns.audience.models import AudienceError, ColumnMapping, Kind
from frontdesk.campaigns.audience.phone_numbers import BadNumber, country_code, read_number

_NUMBER_WORDS = re.compile(
    r"phone|mobile|cell|msisdn|whats ?app|^tel|telefon|téléphone|teléfono|celular|m[oó]vil|handy|portable|"
    r"^(?:to|nr|no|number|recipient)$|טלפון|נייד|סלולר|פלאפון|מספר|هاتف|جوال|موبايل|телефон|номер",
    re.IGNORECASE,
)
_NAME_WORDS = re.compile(
    r"name|nombre|nom\b|prénom|vorname|customer|contact|client|^שם|לקוח|اسم|имя|фио", re.IGNORECASE
)
_WHOLE_NAME = re.compile(r"^(?:full|customer|contact|client|display)?[ _]?name$|שם מלא|^שם$", re.IGNORECASE)
_COUNTRY_WORDS = re.compile(
    r"country|^iso|país|pays|^land$|calling ?code|dial ?code|מדינה|ארץ|بلد|страна", re.IGNORECASE
)
_NO_NUMBER = re.compile(r"\bid\b|date|amount|price|order|zip|postal|account|תאריך|סכום|הזמנה|ת\.?ז", re.IGNORECASE)
_WRITTEN = re.compile(r"['’+(]{0,2}\+?[\d\s().\-/\u200e\u200f\u202a-\u202e\xa0]{7,}")
_WORD = re.compile(r"[^\W\d_]{2,}")


def guess_columns(rows: Sequence[Sequence[str]], country: str | None = None) -> ColumnMapping | None:
    """Guess the columns from a list's first rows; None where none looks like phone numbers."""
    if not rows:
        return None
    width = max(len(row) for row in rows)
    has_header = _is_header(rows)
    heading = [_cell(rows[0], at).strip() if has_header else "" for at in range(width)]
    body = rows[1:] if has_header else rows
    numbers = [_number_worth(heading[at], [_cell(row, at) for row in body], country) for at in range(width)]
    number = max(range(width), key=lambda at: (numbers[at], -at))
    if numbers[number] <= 0:
        return None
    others = [at for at in range(width) if at != number]
    countries = {at: _country_worth(heading[at], [_cell(row, at) for row in body]) for at in others}
    named = _best(others, lambda at: countries[at])
    others = [at for at in others if at != named]
    names = {at: _name_worth(heading[at], [_cell(row, at) for row in body]) for at in others}
    return ColumnMapping(number, _best(others, lambda at: names[at]), named, has_header)


def _best(among: list[int], worth: Callable[[int], float]) -> int | None:
    best = max(among, key=lambda at: (worth(at), -at), default=None)
    return best if best is not None and worth(best) > 0 else None


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    first = [cell.strip() for cell in rows[0] if cell.strip()]
    if not first or any(sum(sign.isdigit() for sign in cell) >= 5 for cell in first):
        return False
    if any(_NUMBER_WORDS.search(cell) or _NAME_WORDS.search(cell) for cell in first):
        return True
    return len(rows) > 1 and any(_looks_like_number(cell) for cell in rows[1])


def _number_worth(heading: str, cells: list[str], country: str | None) -> float:
    filled = [cell for cell in cells if cell.strip()]
    heading_worth = 0.6 if _NUMBER_WORDS.search(heading) else -0.3 if _NO_NUMBER.search(heading) else 0.0
    if not filled:
        return heading_worth if heading_worth > 0 else 0.0
    share = sum(_looks_like_number(cell) for cell in filled) / len(filled)
    if share < 0.3 and heading_worth <= 0:
        return 0.0
    good = sum(_can_be_read(cell, country) for cell in filled[:50]) / min(len(filled), 50)
    return share + good + heading_worth


def _looks_like_number(cell: str) -> bool:
    return bool(_WRITTEN.fullmatch(cell.strip())) and 7 <= sum(sign.isdigit() for sign in cell) <= 18


def _can_be_read(cell: str, country: str | None) -> bool:
    try:
        return not read_number(cell, country).doubt
    except BadNumber:
        return False


def _name_worth(heading: str, cells: list[str]) -> float:
    if _WHOLE_NAME.search(heading):
        return 3.0
    filled = [cell for cell in cells if cell.strip()]
    words = sum(bool(_WORD.search(cell)) and "@" not in cell and len(cell) < 80 for cell in filled)
    share = words / len(filled) if filled else 0.0
    if _NAME_WORDS.search(heading):
        return 1.0 + share
    # Without headings a column of words is most likely the name.
    return share if not heading and share >= 0.6 else 0.0


def _country_worth(heading: str, cells: list[str]) -> float:
    filled = [cell for cell in cells if cell.strip()]
    if not filled:
        return 0.0
    if _COUNTRY_WORDS.search(heading):
        # Whether it is understood or not: a row's own country must not be passed over in silence.
        return 1.0 + sum(country_code(cell) is not None for cell in filled) / len(filled)
    if heading or not all(cell.strip().isalpha() for cell in filled):
        return 0.0
    share = sum(country_code(cell, by_name=False) is not None for cell in filled) / len(filled)
    return share if share > 0.9 else 0.0


def _cell(row: Sequence[str], at: int) -> str:
    return row[at] if at < len(row) else ""


_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_MAX_OF_OLE = 1 << 24
PROTECTED = "the workbook is password-protected; save a copy without a password"
DAMAGED = "the workbook is damaged and can't be read; open it in Excel and save it again"
_SAVE_AS = "open it in a spreadsheet program and save it as .xlsx or .csv"
_OTHERS = (
    (b"%PDF", "a PDF"),
    (b"\x1f\x8b", "a gzip file; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"SQLite format 3", "a database"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"{\\rtf", "a rich-text document (RTF); copy its table into a spreadsheet and save that as .xlsx or .csv"),
)


def size_of(path: Path) -> int:
    """Return a file's size in bytes.

    Raises:
        AudienceError: it is missing, no plain file, empty, or may not be read.
    """
    try:
        found = os.stat(path)
        if stat.S_ISDIR(found.st_mode):
            raise AudienceError("this is a folder; choose the file with the list")
        if not stat.S_ISREG(found.st_mode):
            raise AudienceError("this isn't a regular file; save the list to a file first")
        with path.open("rb"):
            pass
    except FileNotFoundError:
        raise AudienceError("file not found") from None
    except (OSError, ValueError) as error:
        raise AudienceError(f"the file can't be read: {reason_of(error)}") from None
    if found.st_size == 0:
        raise AudienceError("the file is empty; add one row per recipient, with phone numbers in one column")
    return found.st_size


def reason_of(error: Exception) -> str:
    """Return the system's words for an error, without the path."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def kind_of(path: Path) -> Kind:
    """Tell a text file from a current Excel workbook; raises `AudienceError` for anything else."""
    try:
        with path.open("rb") as file:
            head = file.read(1 << 16)
            if head.startswith(_OLE):
                file.seek(0)
                encrypted = _ENCRYPTED in file.read(_MAX_OF_OLE)
                raise AudienceError(PROTECTED if encrypted else f"this is Excel's old format (.xls); {_SAVE_AS}")
    except OSError as error:
        raise AudienceError(f"the file can't be read: {reason_of(error)}") from None
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _kind_of_zip(path)
    for signature, words in _OTHERS:
        if head.startswith(signature):
            raise AudienceError(f"this isn't a list: it's {words}")
    lowered = head[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if lowered.startswith((b"<html", b"<!doctype html", b"<table")):
        raise AudienceError(f"this is a web page, despite its name; {_SAVE_AS}")
    if lowered.startswith(b"<?xml"):
        raise AudienceError(f"this is XML; {_SAVE_AS}")
    return "csv"


def _kind_of_zip(path: Path) -> Kind:
    try:
        with zipfile.ZipFile(path) as archive:
            names = {name.lower() for name in archive.namelist()}
            mimetype = "mimetype" in archive.namelist() and archive.getinfo("mimetype").file_size < 100
            spoken = archive.read("mimetype") if mimetype else b""
    except OSError as error:
        raise AudienceError(f"the file can't be read: {reason_of(error)}") from None
    except Exception:  # a damaged archive raises nearly anything
        raise AudienceError(DAMAGED) from None
    if b"opendocument.spreadsheet" in spoken:
        raise AudienceError(f"this is an OpenDocument spreadsheet (.ods); {_SAVE_AS}")
    if "xl/workbook.bin" in names:
        raise AudienceError(f"this is Excel's binary format (.xlsb); {_SAVE_AS}")
    if "[content_types].xml" in names and any(name.startswith("xl/") for name in names):
        return "xlsx"
    if "index/document.iwa" in names:
        raise AudienceError("this is a Numbers document; export it as .xlsx or .csv")
    raise AudienceError("this is a zip archive; unpack it and choose the list inside")

"""The kind of a list's file, from its first bytes and never from its name."""

import os
import stat
import zipfile
from pathlib import Path

from frontdesk.campaigns.audience.models import AudienceError, Kind

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_MAX_OF_OLE = 1 << 24
_SAVE_AS = "open it in a spreadsheet program and save it as .xlsx or .csv"
_OTHERS = (
    (b"%PDF", "a PDF"),
    (b"\x1f\x8b", "packed with gzip; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "packed with 7-Zip; unpack it first"),
    (b"Rar!", "packed with RAR; unpack it first"),
    (b"SQLite format 3", "a database"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"{\\rtf", "a text document; copy its table into a spreadsheet and save that as .xlsx or .csv"),
)


def size_of(path: Path) -> int:
    """Return a file's size in bytes.

    Raises:
        AudienceError: it is missing, no plain file, empty, or may not be read.
    """
    try:
        found = os.stat(path)
        if stat.S_ISDIR(found.st_mode):
            raise AudienceError("this is a folder; name the file with the list")
        if not stat.S_ISREG(found.st_mode):
            raise AudienceError("this is no plain file; save the list as a file first")
        with path.open("rb"):
            pass
    except FileNotFoundError:
        raise AudienceError("there is no such file") from None
    except (OSError, ValueError) as error:
        raise AudienceError(f"the file can't be read: {reason_of(error)}") from None
    if found.st_size == 0:
        raise AudienceError("the file is empty: it needs a row for each recipient, with the number in one column")
    return found.st_size


def reason_of(error: Exception) -> str:
    """The system's words for an error, without the path."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def kind_of(path: Path) -> Kind:
    """Tell a text file from a current Excel workbook; raises `AudienceError` for anything else."""
    try:
        with path.open("rb") as file:
            head = file.read(1 << 16)
            if head.startswith(_OLE):
                file.seek(0)
                encrypted = _ENCRYPTED in file.read(_MAX_OF_OLE)
                raise AudienceError(
                    "the workbook is protected with a password; save a copy without one"
                    if encrypted
                    else f"this is Excel's old format (.xls); {_SAVE_AS}"
                )
    except OSError as error:
        raise AudienceError(f"the file can't be read: {reason_of(error)}") from None
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _kind_of_zip(path)
    for signature, words in _OTHERS:
        if head.startswith(signature):
            raise AudienceError(f"this is no list: it is {words}")
    lowered = head[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if lowered.startswith((b"<html", b"<!doctype html", b"<table")):
        raise AudienceError(f"this is a web page, whatever its name says; {_SAVE_AS}")
    if lowered.startswith(b"<?xml"):
        raise AudienceError(f"this is XML; {_SAVE_AS}")
    return "csv"


def _kind_of_zip(path: Path) -> Kind:
    try:
        with zipfile.ZipFile(path) as archive:
            names = {name.lower() for name in archive.namelist()}
            mimetype = "mimetype" in archive.namelist() and archive.getinfo("mimetype").file_size < 100
            spoken = archive.read("mimetype") if mimetype else b""
    except Exception as error:  # a damaged archive raises nearly anything
        raise AudienceError(
            f"the workbook is damaged and can't be opened ({type(error).__name__}); save it again"
        ) from None
    if b"opendocument.spreadsheet" in spoken:
        raise AudienceError(f"this is an OpenDocument spreadsheet (.ods); {_SAVE_AS}")
    if "xl/workbook.bin" in names:
        raise AudienceError(f"this is Excel's binary format (.xlsb); {_SAVE_AS}")
    if "[content_types].xml" in names and any(name.startswith("xl/") for name in names):
        return "xlsx"
    if "index/document.iwa" in names:
        raise AudienceError("this is a Numbers document; export it as .xlsx or .csv")
    raise AudienceError("this is a zip archive; unpack it, and name the list that is in it")

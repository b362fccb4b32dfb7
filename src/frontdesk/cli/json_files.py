"""Files of JSON that a person names, and where one isn't JSON: line and column.

`session` reads the bodies of data commands with it, `workflow_check` the workflows.
"""

import json
import re
import sys
from json import JSONDecodeError
from pathlib import Path
from typing import Any, NoReturn

_BLANK = re.compile(r"[ \t\r\n]*")
_STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|-?Infinity|NaN', re.DOTALL)
_TOO_LONG = re.compile(r"\d{4000}")
_BOM = b"\xef\xbb\xbf"


class Unreadable(Exception):
    """A file that isn't there or isn't JSON; says which and where."""


class _Constant(ValueError):
    pass


def name_of(path: str) -> str:
    """What to call a file: `-` is standard input."""
    return "standard input" if path == "-" else path


def read_bytes(path: str) -> bytes:
    """What a file holds.

    Raises:
        Unreadable: it can't be read.
    """
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except (OSError, ValueError) as error:  # a path with a NUL in it is no path
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Unreadable(f"{name_of(path)} can't be read: {reason}") from None


def read_values(path: str) -> list[Any]:
    """The value of a file, or its values where it has several, one a line as a rule.

    Raises:
        Unreadable: it can't be read, or isn't JSON.
    """
    body = read_bytes(path)
    try:
        return _values(_text(body))
    except JSONDecodeError as error:
        raise Unreadable(f"{name_of(path)} isn't JSON{_where(error)}") from None


def place_of_fault(body: bytes) -> str:
    """Where what is to be one value isn't JSON, in brackets; empty where nothing is found."""
    try:
        text = _text(body)
        _one(text, 0, alone=True)
    except JSONDecodeError as error:
        return _where(error)
    return ""


def _where(error: JSONDecodeError) -> str:
    return f" (line {error.lineno}, column {error.colno}: {error.msg})"


def _text(body: bytes) -> str:
    body = body.removeprefix(_BOM)
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        before = body[: error.start].decode()
        raise JSONDecodeError("this is no UTF-8", before + "?", len(before)) from None


def _values(text: str) -> list[Any]:
    value, at = _one(text, 0)
    values = [value]
    while at < len(text):
        value, at = _one(text, at)
        values.append(value)
    return values


def _one(text: str, start: int, *, alone: bool = False) -> tuple[Any, int]:
    """The value that begins there, and where what comes after it and its blanks begins."""
    at = _past_blanks(text, start)
    try:
        value, end = _DECODER.raw_decode(text, at)
    except JSONDecodeError:
        raise
    except _Constant as error:
        places = (each for each in _STRING_OR_CONSTANT.finditer(text, at) if each[0][0] != '"')
        at = next((each.start() for each in places), at)
        raise JSONDecodeError(f"{error} is no JSON", text, at) from None
    except RecursionError:
        raise JSONDecodeError("it is nested too deep", text, at) from None
    except ValueError:
        found = _TOO_LONG.search(text, at)
        raise JSONDecodeError("the number is too long", text, found.start() if found else at) from None
    end = _past_blanks(text, end)
    if alone and end < len(text):
        raise JSONDecodeError("nothing more is expected", text, end)
    return value, end


def _past_blanks(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _refuse(name: str) -> NoReturn:
    raise _Constant(name)


_DECODER = json.JSONDecoder(parse_constant=_refuse)

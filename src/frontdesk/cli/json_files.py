"""Files of JSON that a person names, and where one isn't JSON: line and column.

`session` reads the bodies of data commands with it, `workflow_check` the workflows.
"""

import sys
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from frontdesk.desk.json_text import insist_on_one, place_of, values_of


class Unreadable(Exception):
    """A file that isn't there or isn't JSON; says which and where."""


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
        return values_of(body)
    except JSONDecodeError as error:
        raise Unreadable(f"{name_of(path)} isn't JSON{place_of(error)}") from None


def place_of_fault(body: bytes) -> str:
    """Where what is to be one value isn't JSON, in brackets; empty where nothing is found."""
    try:
        insist_on_one(body)
    except JSONDecodeError as error:
        return place_of(error)
    return ""

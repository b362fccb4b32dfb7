"""Files of JSON that a person names, and where one isn't JSON: line and column.

`session` reads the bodies of data commands with it, `workflows.cli.check` the workflows.
"""

import sys
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from frontdesk.text.json_parser import fault_of, require_one, values_of


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
        Unreadable: it can't be read, isn't JSON, or an object in it has a key twice.
    """
    body = read_bytes(path)
    try:
        return values_of(body)
    except JSONDecodeError as error:
        raise Unreadable(f"{name_of(path)}{fault_of(error)}") from None


def fault_in(body: bytes) -> str:
    """What is wrong with what is to be one value, and where, to be said behind its name; or nothing."""
    try:
        require_one(body)
    except JSONDecodeError as error:
        return fault_of(error)
    return ""

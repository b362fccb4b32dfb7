"""JSON files given on the command line, `-` for standard input; errors name line and column."""

import sys
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
from frontdesk_api.contract.base import JsonObject
from frontdesk_api.json_parser import describe_error, parse_file, parse_file_values, replace_surrogates


class Unreadable(Exception):
    """A file that doesn't exist or isn't JSON."""


def name_of(path: str) -> str:
    """Return the name of a file for people."""
    return "standard input" if path == "-" else path


def read_values(path: str) -> list[Any]:
    """Read the value of a file, or its values where it has several, usually one a line.

    Raises:
        Unreadable: it can't be read, isn't JSON, or an object in it has a key twice.
    """
    body = _read_bytes(path)
    try:
        return parse_file_values(body)
    except JSONDecodeError as error:
        raise Unreadable(f"{name_of(path)}{describe_error(error)}") from None


def read_json_file(path: str) -> JsonObject:
    """Read the JSON object in a file.

    Raises:
        CommandFailed: it can't be read, isn't an object, or an object in it has a key twice.
    """
    try:
        value = replace_surrogates(parse_file(_read_bytes(path)))
    except Unreadable as error:
        raise CommandFailed(INPUT_WRONG, f"{error}; nothing was sent") from None
    except JSONDecodeError as error:
        raise CommandFailed(INPUT_WRONG, f"{name_of(path)}{describe_error(error)}; nothing was sent") from None
    if not isinstance(value, dict):
        raise CommandFailed(INPUT_WRONG, f"{name_of(path)} isn't a JSON object; nothing was sent")
    return value


def _read_bytes(path: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except (OSError, ValueError) as error:  # a path with a NUL in it is no path
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Unreadable(f"{name_of(path)} can't be read: {reason}") from None

"""Strict JSON: Python's own decoder accepts NaN and keeps the last of two equal keys."""

import json
import re
from collections.abc import Iterable
from json import JSONDecodeError
from typing import Any, NoReturn

MAX_LEVELS = 200
"""Maximum levels of nesting in a file: far more than anybody needs, below Python's recursion limit."""

_BLANK = re.compile(r"[ \t\r\n]*")
_STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|-?Infinity|NaN', re.DOTALL)
_LONG_NUMBER = re.compile(r"\d{4000}")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
_COLON = re.compile(r"[ \t\r\n]*:")
_LONE_SURROGATE = "[\ud800-\udfff]"
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_BOM = b"\xef\xbb\xbf"
_MAX_KEY_LETTERS = 40


class NotUtf8(JSONDecodeError):
    """Raised when the input isn't UTF-8 text."""


class TooDeep(JSONDecodeError):
    """Raised when the input is nested too deep."""


class DuplicateKey(JSONDecodeError):
    """Raised when an object has a key twice."""


class _Constant(ValueError):
    pass


class _Duplicate(ValueError):
    pass


def parse_answer(body: bytes) -> Any:
    """Parse a platform's answer. The last of two equal keys counts; lone surrogates become U+FFFD.

    Raises:
        JSONDecodeError: the body isn't one JSON value in UTF-8 (`NotUtf8`), or is nested too deep (`TooDeep`).
    """
    text = _decode_utf8(body)
    value, _ = _parse_one(text, 0, _DECODER, alone=True)
    # Only an escape can produce a lone surrogate: UTF-8 itself can't.
    if not _SURROGATE_ESCAPE.search(text):
        return value
    try:
        return replace_surrogates(value)
    except RecursionError:
        raise TooDeep("it is nested too deeply", text, 0) from None


def parse_file(body: bytes) -> Any:
    """Parse the one value of a file; raise JSONDecodeError, for a key that an object has twice `DuplicateKey`."""
    text = _decode_utf8(body.removeprefix(_BOM))
    return _parse_one(text, 0, _UNIQUE_KEYS_DECODER, alone=True, max_levels=MAX_LEVELS)[0]


def parse_file_values(body: bytes) -> list[Any]:
    """Parse the values of a file, usually one a line; raises as `parse_file` does."""
    text = _decode_utf8(body.removeprefix(_BOM))
    values: list[Any] = []
    at = 0
    while not values or at < len(text):
        value, at = _parse_one(text, at, _UNIQUE_KEYS_DECODER, max_levels=MAX_LEVELS)
        values.append(value)
    return values


def replace_surrogates(value: Any) -> Any:
    """Replace lone surrogates, which UTF-8 can't encode, with U+FFFD."""
    if isinstance(value, str):
        return re.sub(_LONE_SURROGATE, "\ufffd", value)
    if isinstance(value, dict):
        return {replace_surrogates(key): replace_surrogates(part) for key, part in value.items()}
    if isinstance(value, list):
        return [replace_surrogates(part) for part in value]
    return value


def describe_error(error: JSONDecodeError) -> str:
    """Describe the error and its position, to follow the file's name."""
    place = f"(line {error.lineno}, column {error.colno}: {error.msg})"
    return f" has a duplicate key {place}" if isinstance(error, DuplicateKey) else f" isn't valid JSON {place}"


def _decode_utf8(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        before = body[: error.start].decode()
        raise NotUtf8("this isn't valid UTF-8", before + "?", len(before)) from None


def _parse_one(
    text: str, start: int, decoder: json.JSONDecoder, *, alone: bool = False, max_levels: int | None = None
) -> tuple[Any, int]:
    """Parse the value at `start`; return it and the index after it and its blanks."""
    at = _skip_blanks(text, start)
    try:
        value, end = decoder.raw_decode(text, at)
    except JSONDecodeError:
        raise
    except _Constant as error:
        places = (each for each in _STRING_OR_CONSTANT.finditer(text, at) if each[0][0] != '"')
        at = next((each.start() for each in places), at)
        raise JSONDecodeError(f"{error} isn't valid JSON", text, at) from None
    except _Duplicate:
        raise _find_duplicate(text, at) from None
    except RecursionError:
        raise TooDeep("it is nested too deeply", text, at) from None
    except ValueError:
        found = _LONG_NUMBER.search(text, at)
        raise JSONDecodeError("the number is too long", text, found.start() if found else at) from None
    if max_levels is not None and is_deeper(value, max_levels):
        raise TooDeep("it is nested too deeply", text, at)
    end = _skip_blanks(text, end)
    if alone and end < len(text):
        raise JSONDecodeError("extra data after the end", text, end)
    return value, end


def is_deeper(value: object, max_levels: int) -> bool:
    """Return whether lists and objects are nested deeper than `max_levels`."""
    level = [value]
    for _ in range(max_levels):
        level = [inner for each in level for inner in _parts(each)]
        if not level:
            return False
    return True


def _parts(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _skip_blanks(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _find_duplicate(text: str, start: int) -> DuplicateKey:
    """Return the first duplicate key, by its index; the text before it is JSON."""
    within: list[set[str]] = []
    for each in _TOKEN.finditer(text, start):
        sign = each[0]
        if sign in "{[":
            within.append(set())
        elif sign in "}]":
            within.pop()
        elif within and _COLON.match(text, each.end()):
            key = json.loads(sign)
            if key in within[-1]:
                shown = json.dumps(key[:_MAX_KEY_LETTERS], ensure_ascii=False)
                return DuplicateKey(shown, text, each.start())
            within[-1].add(key)
    return DuplicateKey("couldn't find which one", text, start)


def _require_unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Duplicate
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise _Constant(name)


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
_UNIQUE_KEYS_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_require_unique)

"""JSON that a person wrote, and where it isn't JSON: line and column.

The command line reads its files with it, the workflow dialogs theirs.
"""

import json
import re
from collections.abc import Iterable
from json import JSONDecodeError
from typing import Any, NoReturn

MAX_LEVELS = 200
"""Far more than anybody nests, and less than what makes Python give up on the way through it."""

_BLANK = re.compile(r"[ \t\r\n]*")
_STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|-?Infinity|NaN', re.DOTALL)
_TOO_LONG = re.compile(r"\d{4000}")
_BOM = b"\xef\xbb\xbf"


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
_COLON = re.compile(r"[ \t\r\n]*:")
_KEY_SHOWN = 40


class _Constant(ValueError):
    pass


class _Twice(ValueError):
    pass


class KeyTwice(JSONDecodeError):
    """It is JSON, and an object has a key twice: which of both counts is everybody's guess."""


def values_of(body: bytes) -> list[Any]:
    """The value of a text, or its values where it has several, one a line as a rule.

    Raises:
        JSONDecodeError: it isn't JSON, or an object has a key twice (`KeyTwice`).
    """
    text = _text(body)
    value, at = _one(text, 0)
    values = [value]
    while at < len(text):
        value, at = _one(text, at)
        values.append(value)
    return values


def require_one(body: bytes) -> None:
    """That a text is one value.

    Raises:
        JSONDecodeError: it isn't, or an object has a key twice (`KeyTwice`).
    """
    _one(_text(body), 0, alone=True)


def fault_of(error: JSONDecodeError) -> str:
    """What is wrong with it and where, to be said behind its name."""
    if isinstance(error, KeyTwice):
        return f" has a key twice in one object (line {error.lineno}, column {error.colno}: {error.msg})"
    return f" isn't JSON{place_of(error)}"


def place_of(error: JSONDecodeError) -> str:
    """Where it isn't JSON and why, in brackets."""
    return f" (line {error.lineno}, column {error.colno}: {error.msg})"


def _text(body: bytes) -> str:
    body = body.removeprefix(_BOM)
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        before = body[: error.start].decode()
        raise JSONDecodeError("this is no UTF-8", before + "?", len(before)) from None


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
    except _Twice:
        raise _key_twice(text, at) from None
    except RecursionError:
        raise JSONDecodeError("it is nested too deep", text, at) from None
    except ValueError:
        found = _TOO_LONG.search(text, at)
        raise JSONDecodeError("the number is too long", text, found.start() if found else at) from None
    if _is_deep(value):
        raise JSONDecodeError("it is nested too deep", text, at)
    end = _past_blanks(text, end)
    if alone and end < len(text):
        raise JSONDecodeError("nothing more is expected", text, end)
    return value, end


def _is_deep(value: object) -> bool:
    level = [value]
    for _ in range(MAX_LEVELS):
        level = [inner for each in level for inner in _within(each)]
        if not level:
            return False
    return True


def _within(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _past_blanks(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _key_twice(text: str, start: int) -> KeyTwice:
    """The first key that stands twice, by its place; up to there the text is JSON."""
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
                return KeyTwice(json.dumps(key[:_KEY_SHOWN], ensure_ascii=False), text, each.start())
            within[-1].add(key)
    return KeyTwice("which one wasn't found", text, start)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Twice
    return found


def _refuse(name: str) -> NoReturn:
    raise _Constant(name)


_DECODER = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_once)

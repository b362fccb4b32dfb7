"""Two JSON values compared, whatever they hold and however deep they are; knows nobody.

`diff.diff` and `request_body` ask it. An object's null is as good as missing, and 1 is 1.0 but not true.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*").fullmatch
_KEY_LIMIT = 80


class Leaf(NamedTuple):
    """A place where two values differ; None where one has nothing there."""

    path: str
    before: Any
    after: Any


def leaves(before: Any, after: Any, path: str = "") -> Iterator[Leaf]:
    """Where two values differ, as deep as they are alike; lists of different length differ as a whole.

    Args:
        path: where the values stand, as `data.buttons[0]`.
    """
    todo = [(path, before, after)]
    while todo:
        at, one, other = todo.pop()
        if one is other:
            continue
        if isinstance(one, dict) and isinstance(other, dict):
            names = [*one, *(name for name in other if name not in one)]
            todo += [(step(at, name), one.get(name), other.get(name)) for name in reversed(names)]
        elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            todo += [(f"{at}[{place}]", one[place], other[place]) for place in reversed(range(len(one)))]
        elif not _is_same_scalar(one, other):
            yield Leaf(at, one, other)


def same(one: Any, other: Any) -> bool:
    """Whether two values differ nowhere."""
    return next(leaves(one, other), None) is None


def step(path: str, name: str) -> str:
    """The path of an object's field; a name that strangers chose is quoted where it has to be."""
    short = name if len(name) <= _KEY_LIMIT else name[:_KEY_LIMIT] + "…"
    if not _PLAIN_KEY(short):
        return f"{path}[{json.dumps(short, ensure_ascii=False)}]"
    return f"{path}.{short}" if path else short


def _is_same_scalar(one: Any, other: Any) -> bool:
    if isinstance(one, dict | list) or isinstance(other, dict | list):
        return False
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return bool(one == other)

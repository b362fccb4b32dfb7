"""JSON objects in the store: one text for each, and values out of them by type, or what stands for nothing.

The store derives its columns with it from what the platform sent.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)
_LIMIT = 2.0**63
"""From here on a number is none that SQLite, a calendar or a person could use."""


def canonical(raw: Mapping[str, Any]) -> str:
    """An object as JSON with its fields sorted: the same text whatever order they came in."""
    return _ENCODER.encode(raw)


def text(value: object) -> str:
    """The value if it is text, else an empty one."""
    return value if isinstance(value, str) else ""


def texts(value: object) -> list[str]:
    """The texts of a list, else none."""
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def number(value: object) -> float | None:
    """The value if it is a number within 64 bits, else None. `true` is no number."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        found = float(value)
    except OverflowError:  # JSON has whole numbers that no float holds
        return None
    return found if math.isfinite(found) and abs(found) < _LIMIT else None


def mapping(value: object) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}

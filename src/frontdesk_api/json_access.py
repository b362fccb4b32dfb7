"""Canonical JSON text, and values of JSON by type, with a default for any other type."""

import json
import math
from collections.abc import Mapping
from typing import Any

JsonObject = dict[str, Any]
"""A loose object: the interface doesn't show its fields, so it is kept unchanged."""

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)
_LIMIT = 2.0**63
"""Maximum size of a number, since larger numbers fit neither SQLite nor a calendar."""


def canonical(raw: Mapping[str, Any]) -> str:
    return _ENCODER.encode(raw)


def text(value: object) -> str:
    """Return the value if it is text, else an empty text."""
    return value if isinstance(value, str) else ""


def texts(value: object) -> list[str]:
    """Return the texts of a list, or an empty list for another value."""
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def number(value: object) -> float | None:
    """Return the value if it is a number within 64 bits, else `None`. `true` isn't a number."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        found = float(value)
    except OverflowError:  # JSON allows whole numbers that no float can hold
        return None
    return found if math.isfinite(found) and abs(found) < _LIMIT else None


def mapping(value: object) -> Mapping[str, Any]:
    """Return the value if it is an object, else an empty object."""
    return value if isinstance(value, dict) else {}


def elements(value: object) -> list[Any]:
    """Return the value if it is a list, else an empty list."""
    return value if isinstance(value, list) else []

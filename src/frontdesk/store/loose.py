"""Values out of JSON that nobody vouches for: the wanted type, or what stands for nothing.

Called wherever the store derives a column from what the platform sent.
"""

from collections.abc import Mapping
from typing import Any


def text(value: object) -> str:
    """The value if it is text, else an empty one."""
    return value if isinstance(value, str) else ""


def number(value: object) -> float | None:
    """The value if it is a number, else None. `true` is no number."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def mapping(value: object) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}

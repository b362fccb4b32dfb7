"""Keeps the figures of a benchmark as JSON Lines, for `prove.py`; run by hand, a benchmark keeps nothing."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

FILE = "FRONTDESK_RAW_FIGURES"
"""The environment variable that names the file."""


def keep(
    what: str,
    unit: str,
    values: Sequence[float],
    *,
    target: float | None = None,
    beside: Mapping[str, Sequence[float]] | None = None,
    times: str = "",
) -> None:
    """Append a figure to the file of this run, if there is one.

    Args:
        values: as they were measured, one after the other.
        target: the most that is allowed, of the median or, where `times` is given, of its ratio to that floor.
        beside: by name, what others took in the same minutes, in turns.
        times: the name in `beside` that the target is a multiple of.
    """
    if path := os.environ.get(FILE):
        figure = {
            "what": what,
            "unit": unit,
            "values": [round(each, 3) for each in values],
            "target": target,
            "beside": {name: [round(each, 3) for each in taken] for name, taken in (beside or {}).items()},
            "times": times,
        }
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(figure, ensure_ascii=False) + "\n")

"""How much of the laboratory a run takes: a sample, as `.ci/run` does, or all of it with `LAB=all`.

What is random is drawn from `LAB_SEED`, so that a run can be repeated; another number looks elsewhere.
"""

import os
from collections.abc import Sequence
from typing import TypeVar

IS_ALL = os.environ.get("LAB") == "all"
SEED = int(os.environ.get("LAB_SEED", "1"))

Case = TypeVar("Case")


def count(few: int, many: int) -> int:
    """Return how many kills, scripts or seconds this run has."""
    return many if IS_ALL else few


def cases(everything: Sequence[Case], few: int) -> Sequence[Case]:
    """Return the cases of a test: all, or so many, spread over them evenly."""
    return everything if IS_ALL else everything[:: max(1, -(-len(everything) // few))]

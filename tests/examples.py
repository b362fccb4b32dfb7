"""How many random examples a test draws, where it needs fewer than hypothesis's hundred."""

from collections.abc import Callable
from typing import ParamSpec

from hypothesis import settings

P = ParamSpec("P")

FEW = 30
"""As many find the faults that a hundred find, where each example covers much."""


def few(test: Callable[P, None]) -> Callable[P, None]:
    """Draw `FEW` examples; those of `--hypothesis-profile=explore`, which looks for new faults, stay a hundred."""
    return settings(max_examples=FEW)(test) if settings.default.derandomize else test

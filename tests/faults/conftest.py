"""Fixtures: the seeded sandbox of `tests/sandbox`."""

from sandbox.conftest import seeded

__all__ = ["seeded"]

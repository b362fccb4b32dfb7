"""How the bytes of a fuzzer become the input of a target; used by the targets and for writing their seeds."""

from collections.abc import Sequence
from typing import TypeVar

ChoiceT = TypeVar("ChoiceT")

REPEATS = (*[1] * 28, 3, 30, 300, 10_000)
"""A long text is one that repeats: a fuzzer's inputs are short, and what takes too long shows only in long ones.

Most stay short, so that the budget isn't spent on a few."""


class Input:
    """Bytes that are taken from the front: choices first, the rest is text."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def choose(self, choices: Sequence[ChoiceT]) -> ChoiceT:
        """Take one byte for one of these."""
        byte = self._data[0] if self._data else 0
        self._data = self._data[1:]
        return choices[byte % len(choices)]

    def bytes(self) -> bytes:
        """Take the rest."""
        data, self._data = self._data, b""
        return data

    def text(self) -> str:
        """Take the rest as text. What isn't UTF-8 becomes lone surrogates, which JSON's escapes bring as well."""
        return self.bytes().decode("utf-8", "surrogateescape")

    def long_text(self, max_letters: int) -> str:
        """Take one byte for the number of repeats, and the rest as text."""
        repeats = self.choose(REPEATS)
        return (self.text() * repeats)[:max_letters]

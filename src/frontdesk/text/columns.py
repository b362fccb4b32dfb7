"""Columns of numbers beside words: the least needed give way where there is no room.

The tree of a workflow and the table of campaigns have such.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One of them: its heading, its cells with the gap before them, and how soon it gives way, the last first."""

    label: str
    width: int
    rank: int


def fitting(columns: Sequence[TableColumn], room: int) -> Sequence[TableColumn]:
    """Those that fit into so many cells, in their order; none stays for which a more needed one gave way."""
    kept: set[str] = set()
    for column in sorted(columns, key=lambda each: each.rank):
        room -= column.width
        if room < 0:
            break
        kept.add(column.label)
    return [each for each in columns if each.label in kept]

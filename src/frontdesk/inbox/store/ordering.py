"""The orders of conversations as SQL, sort keys and ranges.

Each order has an index of its own in `schema`, column for column.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import apsw

from frontdesk.api.contract.ids import ConversationId
from frontdesk.storage.records import ConversationOrder
from frontdesk.storage.sql import first

Place = tuple[Any, ...]


class _Sorting(NamedTuple):
    """The sort columns before the id, with directions; `unknown` is the condition of rows that come last."""

    unknown: str
    by: tuple[str, ...]


_SORTINGS = {
    ConversationOrder.WAITING: _Sorting("waiting_since IS NULL", ("waiting_since", "active_at DESC")),
    ConversationOrder.ACTIVITY: _Sorting("active_at IS NULL", ("active_at DESC",)),
    ConversationOrder.DUE: _Sorting("due_at IS NULL", ("due_at", "active_at DESC")),
    ConversationOrder.NAME: _Sorting("name = ''", ("name COLLATE NOCASE",)),
}
_NO_CASE = {sign: sign + 32 for sign in range(ord("A"), ord("Z") + 1)}
"""The letters that NOCASE folds."""

ORDERS = {order: ", ".join((each.unknown, *each.by, "conversation_id")) for order, each in _SORTINGS.items()}
"""The ORDER BY clause of each order."""


def place(db: apsw.Connection, order: ConversationOrder, conversation_id: ConversationId) -> Place:
    """Return a conversation's sort key, which compares as the order's SQL sorts."""
    row = _values(db, order, conversation_id)
    if row is None:
        return (True,)
    if order is ConversationOrder.NAME:
        return (row[0] == "", str(row[0]).translate(_NO_CASE), conversation_id)
    *leads, active_at = row
    # Unknown values come last, known ones newest first.
    return (
        *((value is None, value or 0.0) for value in leads),
        (active_at is None, -(active_at or 0.0)),
        conversation_id,
    )


class OrderedRange(NamedTuple):
    """A range of an order that is read from its index.

    Attributes:
        sql: its condition, with `values` as parameters.
        by: the sort columns that differ within the range: with the others SQLite would sort instead of reading
            in order.
    """

    sql: str
    values: list[object]
    by: str


def behind(
    db: apsw.Connection, order: ConversationOrder, conversation_id: ConversationId
) -> Iterator[OrderedRange]:
    """Yield the ranges behind a conversation, the nearest first; none for an unknown one."""
    place = _values(db, order, conversation_id)
    if place is None:
        return
    unknown, by = _SORTINGS[order]
    is_unknown = place[0] in (None, "")
    columns = [*map(_column, by)]
    same = [f"({unknown}) = {int(is_unknown)}"]
    same += [
        f"{each} IS NULL" if value is None else f"{each} = ?" for each, value in zip(columns, place, strict=True)
    ]
    values: list[object] = [each for each in place if each is not None]
    yield OrderedRange(" AND ".join((*same, "conversation_id > ?")), [*values, conversation_id], "conversation_id")
    for depth in reversed(range(len(by))):
        if place[depth] in (None, ""):
            continue  # it is among the last already, and those are told apart by what follows
        so_far, column = " AND ".join(same[: depth + 1]), columns[depth]
        its = [each for each in place[: depth + 1] if each is not None]
        beyond = f"{so_far} AND {column} {'<' if by[depth].endswith('DESC') else '>'} ?"
        yield OrderedRange(beyond, its, _and_id(by[depth:]))
        if depth:
            yield OrderedRange(f"{so_far} AND {column} IS NULL", its[:-1], _and_id(by[depth + 1 :]))
    if not is_unknown:
        yield OrderedRange(f"({unknown}) = 1", [], _and_id(by))


def _values(db: apsw.Connection, order: ConversationOrder, conversation_id: ConversationId) -> Place | None:
    columns = ", ".join(_column(each) for each in _SORTINGS[order].by)
    return first(db, f"SELECT {columns} FROM conversations WHERE conversation_id = ?", (conversation_id,))


def _and_id(by: Sequence[str]) -> str:
    return ", ".join((*by, "conversation_id"))


def _column(sorted_by: str) -> str:
    return sorted_by.removesuffix(" DESC")

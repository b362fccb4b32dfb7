"""Rows of a query as plain tuples."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import apsw

Row = tuple[Any, ...]

ReadConnection = apsw.Connection
"""A connection for modules that pass it on and import no SQL."""


def rows(db: apsw.Connection, sql: str, values: Sequence[Any] = ()) -> list[Row]:
    return db.execute(sql, tuple(values)).fetchall()


def first(db: apsw.Connection, sql: str, values: Sequence[Any] = ()) -> Row | None:
    row: Row | None = db.execute(sql, tuple(values)).fetchone()
    return row


def value_list(values: Iterable[str]) -> str:
    """Write constants of this program as the values of SQL's IN."""
    return ", ".join(f"'{value}'" for value in values)


@contextmanager
def snapshot(db: apsw.Connection) -> Iterator[apsw.Connection]:
    """Run several queries on one snapshot, unaffected by others' writes."""
    db.execute("BEGIN")
    try:
        yield db
    finally:
        db.execute("ROLLBACK")


def used_bytes(db: apsw.Connection) -> int:
    """Return the size of the store's content; freed pages are reused before the file grows."""
    pages, free, size = (
        int(db.pragma(name, schema="main")) for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size

"""Rows of a query as plain tuples; used by every module of this folder that reads."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import apsw

Row = tuple[Any, ...]

ReadConnection = apsw.Connection
"""A connection that only reads, for modules that pass it on and import no SQL."""


def rows(db: apsw.Connection, sql: str, values: Sequence[Any] = ()) -> list[Row]:
    """Every row of the query."""
    return db.execute(sql, tuple(values)).fetchall()


def first(db: apsw.Connection, sql: str, values: Sequence[Any] = ()) -> Row | None:
    """The query's first row, or None where it has none."""
    row: Row | None = db.execute(sql, tuple(values)).fetchone()
    return row


@contextmanager
def snapshot(db: apsw.Connection) -> Iterator[apsw.Connection]:
    """Several reads of one moment, whatever others write meanwhile."""
    db.execute("BEGIN")
    try:
        yield db
    finally:
        db.execute("ROLLBACK")


def used_bytes(db: apsw.Connection) -> int:
    """What the store's content takes; pages that were freed are filled again before the file grows."""
    pages, free, size = (
        int(db.pragma(name, schema="main")) for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size

"""Storing a page of an answer together with its unreadable items."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import apsw

from frontdesk.api.contract.decode import Broken
from frontdesk.storage import invalid_items as stored_invalid_items
from frontdesk.storage.database import Store
from frontdesk.storage.sql import snapshot

Found = TypeVar("Found")


async def store_page(
    store: Store,
    clock: Callable[[], float],
    kind: str,
    ids: Sequence[str],
    broken: Sequence[Broken],
    *,
    known: Callable[[apsw.Connection], Found | None],
    put: Callable[[apsw.Connection], Found],
    asked_for: str = "",
) -> Found:
    """Store a page and its unreadable items in one transaction; in none where nothing differs.

    Args:
        known: whether `put` would write nothing.
        asked_for: the id of a request for one item.
    """
    unreadable = [(each.raw, each.reason) for each in broken]
    with snapshot(store.reading) as reading:
        if not stored_invalid_items.is_news(
            reading, kind, unreadable, asked_for
        ) and not stored_invalid_items.mended(reading, kind, ids):
            found = known(reading)
            if found is not None:
                return found
    now = clock()

    def write(db: apsw.Connection) -> Found:
        stored_invalid_items.report(db, kind, unreadable, now, asked_for)
        stored_invalid_items.came_whole(db, kind, ids)
        return put(db)

    return await store.run(write)

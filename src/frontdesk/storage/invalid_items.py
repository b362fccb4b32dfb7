"""Pages of answers, stored with their unreadable items, which are kept unchanged for a person to look at."""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

import apsw

from frontdesk.storage import change_feed
from frontdesk.storage.database import Store
from frontdesk.storage.records import InvalidItem
from frontdesk.storage.sql import first, rows, snapshot

if TYPE_CHECKING:  # screens show these items without loading pydantic
    from frontdesk_api.contract.decode import Broken

Result = TypeVar("Result")

LARGE_PAGE = 500
"""Number of items above which a page is compared on another thread."""

KEEP = 200
"""Maximum number of stored items; the oldest are deleted first."""

RAW_LIMIT = 200_000
"""Maximum number of stored characters of one item, which may be of any size."""

UNIDENTIFIED_SECONDS = 600.0
"""Seconds after which an unreadable item without an id may be deleted.

Nothing shows that such an item is readable again. So a whole page of its kind removes it after this time; if it is
still unreadable, the next fetch reports it again.
"""

_DIGEST = "#"
_IDS = {
    "task": "taskId",
    "message": "messageId",
    "campaign": "id",
    "workflow": "id",
    "ai_agent": "id",
}

SHOWN_KINDS = {
    "inbox": ("task", "message"),
    "board": ("task",),
    "campaigns": ("campaign",),
    "comparing": ("campaign",),
    "workflows": ("workflow",),
    "agents": ("ai_agent",),
}
"""The kinds of items that a screen shows, by its name in `Focus`."""


async def store_page(
    store: Store,
    clock: Callable[[], float],
    kind: str,
    ids: Sequence[str],
    broken: "Sequence[Broken]",
    *,
    find_unchanged: Callable[[apsw.Connection], Result | None],
    put: Callable[[apsw.Connection], Result],
    requested_id: str = "",
) -> Result:
    """Store a page of an answer and its unreadable items in one transaction; in none if nothing differs.

    If there are very many unreadable items, only the first are kept.

    Args:
        find_unchanged: returns the result if `put` would write nothing, else None.
        requested_id: the id of a request for one item.
    """
    unreadable = [(each.raw, each.reason) for each in broken[:KEEP]]
    now = clock()
    is_whole = bool(ids) and not broken

    def compare(db: apsw.Connection) -> Result | None:
        with snapshot(db) as reading:
            if _new_rows(reading, kind, unreadable, requested_id) or _stored_as_unreadable(reading, kind, ids):
                return None
            if is_whole and _has_stale_unidentified_items(reading, kind, now):
                return None
            return find_unchanged(reading)

    found = await store.read(compare) if len(ids) > LARGE_PAGE else compare(store.reading)
    if found is not None:
        return found

    def write(db: apsw.Connection) -> Result:
        report(db, kind, unreadable, now, requested_id)
        _remove_readable(db, kind, ids)
        if is_whole and _has_stale_unidentified_items(db, kind, now):
            db.execute(f"DELETE FROM broken WHERE {_OLD_UNIDENTIFIED}", (kind, now - UNIDENTIFIED_SECONDS))
            change_feed.append(db, change_feed.BROKEN, [kind])
        return put(db)

    return await store.run(write)


def report(
    db: apsw.Connection, kind: str, broken: Sequence[tuple[object, str]], now: float, requested_id: str = ""
) -> None:
    """Keep unreadable items with the reason.

    Args:
        requested_id: the id of a request for one item.
    """
    new = _new_rows(db, kind, broken, requested_id)
    if not new:
        return
    db.executemany(
        "INSERT INTO broken (kind, place, raw, reason, at) VALUES (?1, ?2, ?3, ?4, ?5)"
        " ON CONFLICT (kind, place) DO UPDATE SET raw = ?3, reason = ?4, at = ?5",
        [(kind, *row, now) for row in new],
    )
    db.execute(
        "DELETE FROM broken WHERE (kind, place) IN"
        " (SELECT kind, place FROM broken ORDER BY at DESC, kind, place LIMIT -1 OFFSET ?)",
        (KEEP,),
    )
    change_feed.append(db, change_feed.BROKEN, [kind])


def all_invalid_items(db: apsw.Connection, limit: int = KEEP) -> list[InvalidItem]:
    """Return the unreadable items, newest first."""
    found = rows(
        db, "SELECT kind, place, raw, reason, at FROM broken ORDER BY at DESC, kind, place LIMIT ?", (limit,)
    )
    return [InvalidItem(*row) for row in found]


def unreadable_on(db: apsw.Connection, screen: str) -> str:
    """Count the unreadable items of a screen's kinds: empty for none, `200+` if some may have been deleted."""
    found = rows(db, "SELECT kind, count(*) FROM broken GROUP BY kind")
    counts = {str(kind): int(str(count)) for kind, count in found}
    count = sum(counts.get(kind, 0) for kind in SHOWN_KINDS.get(screen, ()))
    if not count:
        return ""
    return f"{count:,}+" if sum(counts.values()) >= KEEP else f"{count:,}"


def item_id(kind: str, raw: object) -> str:
    """Return an item's id, or else a digest of its content."""
    found = raw.get(_IDS.get(kind, "id")) if isinstance(raw, dict) else None
    if isinstance(found, str | int) and not isinstance(found, bool) and str(found):
        return str(found)
    return _DIGEST + hashlib.blake2b(_text(raw).encode("utf-8", "replace"), digest_size=12).hexdigest()


def has_unidentified(kind: str, broken: "Iterable[Broken]") -> bool:
    """Return whether an unreadable item has no id: an item that the listing lacks may then still exist."""
    return any(item_id(kind, each.raw).startswith(_DIGEST) for each in broken)


def _new_rows(
    db: apsw.Connection, kind: str, broken: Iterable[tuple[object, str]], requested_id: str
) -> list[tuple[str, str, str]]:
    """Return the ids, texts and reasons that aren't stored yet."""
    found = [(requested_id or item_id(kind, raw), _text(raw)[:RAW_LIMIT], reason) for raw, reason in broken]
    sql = "SELECT raw, reason FROM broken WHERE kind = ? AND place = ?"
    return [each for each in found if first(db, sql, (kind, each[0])) != each[1:]]


def _stored_as_unreadable(db: apsw.Connection, kind: str, ids: Iterable[str]) -> list[str]:
    known = {str(row[0]) for row in rows(db, "SELECT place FROM broken WHERE kind = ?", (kind,))}
    return [each for each in dict.fromkeys(ids) if each in known] if known else []


def _remove_readable(db: apsw.Connection, kind: str, ids: Iterable[str]) -> None:
    """Remove items that have since become readable."""
    if readable := _stored_as_unreadable(db, kind, ids):
        db.executemany("DELETE FROM broken WHERE kind = ? AND place = ?", [(kind, each) for each in readable])
        change_feed.append(db, change_feed.BROKEN, [kind])


_OLD_UNIDENTIFIED = f"kind = ? AND place >= '{_DIGEST}' AND place < '{chr(ord(_DIGEST) + 1)}' AND at < ?"


def _has_stale_unidentified_items(db: apsw.Connection, kind: str, now: float) -> bool:
    sql = f"SELECT 1 FROM broken WHERE {_OLD_UNIDENTIFIED} LIMIT 1"
    return first(db, sql, (kind, now - UNIDENTIFIED_SECONDS)) is not None


def _text(raw: object) -> str:
    return json.dumps(raw, ensure_ascii=False, separators=(",", ":"), sort_keys=True, default=str)

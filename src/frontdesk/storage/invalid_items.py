"""Unreadable items of answers, kept unchanged for a person to look at."""

import hashlib
import json
from collections.abc import Iterable, Sequence

import apsw

from frontdesk.storage import change_feed
from frontdesk.storage.records import InvalidItem
from frontdesk.storage.sql import first, rows

KEEP = 200
"""How many are kept; the oldest go first."""

RAW_LIMIT = 200_000
"""Characters kept of one item, which may be of any size."""

_IDS = {
    "task": "taskId",
    "message": "messageId",
    "campaign": "id",
    "workflow": "id",
    "ai_agent": "id",
}


def report(
    db: apsw.Connection, kind: str, broken: Sequence[tuple[object, str]], now: float, asked_for: str = ""
) -> bool:
    """Keep unreadable items with the reason; True where one was new.

    Args:
        asked_for: the id of a request for one item.
    """
    new = [row for each in broken if (row := _new_row(db, kind, *each, asked_for)) is not None]
    for place, raw, reason in new:
        db.execute(
            "INSERT INTO broken (kind, place, raw, reason, at) VALUES (?1, ?2, ?3, ?4, ?5)"
            " ON CONFLICT (kind, place) DO UPDATE SET raw = ?3, reason = ?4, at = ?5",
            (kind, place, raw, reason, now),
        )
    if not new:
        return False
    db.execute(
        "DELETE FROM broken WHERE (kind, place) IN"
        " (SELECT kind, place FROM broken ORDER BY at DESC, kind, place LIMIT -1 OFFSET ?)",
        (KEEP,),
    )
    change_feed.append(db, change_feed.BROKEN, [kind])
    return True


def came_whole(db: apsw.Connection, kind: str, ids: Iterable[str]) -> bool:
    """Remove items that were read since; True where there were any."""
    whole = mended(db, kind, ids)
    db.executemany("DELETE FROM broken WHERE kind = ? AND place = ?", [(kind, each) for each in whole])
    if whole:
        change_feed.append(db, change_feed.BROKEN, [kind])
    return bool(whole)


def is_news(db: apsw.Connection, kind: str, broken: Sequence[tuple[object, str]], asked_for: str = "") -> bool:
    """Whether `report` would write."""
    return any(_new_row(db, kind, raw, reason, asked_for) is not None for raw, reason in broken)


def mended(db: apsw.Connection, kind: str, ids: Iterable[str]) -> list[str]:
    """Which of these ids are stored as unreadable."""
    known = {str(row[0]) for row in rows(db, "SELECT place FROM broken WHERE kind = ?", (kind,))}
    return [each for each in dict.fromkeys(ids) if each in known] if known else []


def all_invalid_items(db: apsw.Connection, limit: int = KEEP) -> list[InvalidItem]:
    """The unreadable items, the newest first."""
    found = rows(
        db, "SELECT kind, place, raw, reason, at FROM broken ORDER BY at DESC, kind, place LIMIT ?", (limit,)
    )
    return [InvalidItem(*row) for row in found]


def place_of(kind: str, raw: object) -> str:
    """An item's id, else a digest of its content."""
    found = raw.get(_IDS.get(kind, "id")) if isinstance(raw, dict) else None
    if isinstance(found, str | int) and not isinstance(found, bool) and str(found):
        return str(found)
    return "#" + hashlib.blake2b(_text(raw).encode("utf-8", "replace"), digest_size=12).hexdigest()


def _new_row(
    db: apsw.Connection, kind: str, raw: object, reason: str, asked_for: str
) -> tuple[str, str, str] | None:
    """The row to store, or None where it is stored already."""
    place, text = asked_for or place_of(kind, raw), _text(raw)[:RAW_LIMIT]
    known = first(db, "SELECT raw, reason FROM broken WHERE kind = ? AND place = ?", (kind, place))
    return None if known == (text, reason) else (place, text, reason)


def _text(raw: object) -> str:
    return json.dumps(raw, ensure_ascii=False, separators=(",", ":"), sort_keys=True, default=str)

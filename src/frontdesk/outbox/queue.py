"""Changes of any state: rows of `outbox.db`.

The features' commands add them, `outbox.sender` moves them through the states of `records.ChangeState`.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import apsw

from frontdesk.storage import change_feed
from frontdesk.storage.records import NEEDS_PERSON, UNCONFIRMED, Change, ChangeKind, ChangeState, Made
from frontdesk.storage.sql import first, rows, value_list
from frontdesk_api.contract.ids import TagId

_COLUMNS = ", ".join(Change._fields)
_LIVE = value_list(UNCONFIRMED)
_UNSETTLED = value_list((*UNCONFIRMED, *NEEDS_PERSON))
_GIVEN_UP = (ChangeState.DROPPED, ChangeState.UNDONE)
"""States of changes that a person dropped; their requests may still be in transit."""


def add(
    db: apsw.Connection,
    made: Made,
    kind: ChangeKind,
    target: str,
    fields: Mapping[str, Any],
    base: Mapping[str, Any],
    hold_seconds: float = 0.0,
) -> int:
    """Add one change, held for a moment or queued; return its id."""
    state = ChangeState.HELD if hold_seconds > 0 else ChangeState.QUEUED
    batch, label, now, undoes = made
    db.execute(
        "INSERT INTO outbox.changes (batch, kind, target, fields, base, label, state, made_at, send_after, undoes)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (batch, str(kind), target, _dump(fields), _dump(base), label, str(state), now, now + hold_seconds, undoes),
    )
    change_id = db.last_insert_rowid()
    change_feed.append(db, change_feed.CHANGE, [str(change_id)])
    return change_id


def move(
    db: apsw.Connection,
    change_id: int,
    state: ChangeState,
    *,
    expected: Collection[ChangeState],
    now: float,
    reason: str = "",
    theirs: Mapping[str, Any] | None = None,
    send_after: float | None = None,
) -> bool:
    """Set a change's state if it is in an expected one; return whether it was.

    The expected state prevents sending a change that a person has undone in the meantime.
    """
    settled_at = None if state in UNCONFIRMED else now
    stored_theirs = None if theirs is None else _dump(theirs)
    db.execute(
        "UPDATE outbox.changes SET state = ?, reason = ?, theirs = ?, settled_at = ?,"
        f" send_after = coalesce(?, send_after) WHERE change_id = ? AND state IN ({value_list(expected)})",
        (str(state), reason, stored_theirs, settled_at, send_after, change_id),
    )
    moved = db.changes() == 1
    if moved:
        change_feed.append(db, change_feed.CHANGE, [str(change_id)])
    return moved


def move_all(
    db: apsw.Connection,
    changes: Iterable[Change],
    state: ChangeState,
    *,
    expected: Collection[ChangeState],
    now: float,
    reason: str = "",
    send_after: float | None = None,
) -> list[Change]:
    """Set the state of several changes; return those that were in an expected state."""
    return [
        each
        for each in changes
        if move(db, each.change_id, state, expected=expected, now=now, reason=reason, send_after=send_after)
    ]


def claim(
    db: apsw.Connection,
    seen: Sequence[Change],
    owner: str,
    now: float,
    begins: Mapping[str, Any] | None = None,
) -> list[Change]:
    """Mark all changes of one request as being sent before its first byte, or none of them.

    Each must be exactly as the sender saw it when it made the request: an undo or rebase changes the
    request. Return them with the values fetched right before as their base; nothing if any differs.
    """
    if any(change(db, each.change_id) != each for each in seen):
        return []
    left = dict(begins or {})
    for each in seen:
        base = {**each.base, **{name: left.pop(name) for name in each.fields if name in left}}
        db.execute(
            "UPDATE outbox.changes SET state = ?, sends = sends + 1, sent_at = ?, owner = ?, base = ?"
            " WHERE change_id = ?",
            (str(ChangeState.SENDING), now, owner, _dump(base), each.change_id),
        )
    _append_to_feed(db, seen)
    return [found for each in seen if (found := change(db, each.change_id)) is not None]


def uncount_sends(db: apsw.Connection, changes: Iterable[Change]) -> None:
    """Subtract one send from each change that is known to have changed nothing."""
    for each in changes:
        db.execute(
            "UPDATE outbox.changes SET sends = max(0, sends - 1), sent_at = NULL WHERE change_id = ?",
            (each.change_id,),
        )


def was_sent(db: apsw.Connection, target: str, kind: ChangeKind) -> bool:
    """Return whether such a change was ever sent and may have arrived."""
    row = first(
        db,
        "SELECT 1 FROM outbox.changes WHERE target = ? AND kind = ? AND sends > 0 AND sent_at IS NOT NULL LIMIT 1",
        (target, str(kind)),
    )
    return row is not None


def end_transit(db: apsw.Connection, change_id: int) -> None:
    """Record that a request was answered, so that later changes need not wait for it."""
    db.execute("UPDATE outbox.changes SET sent_at = NULL WHERE change_id = ?", (change_id,))


def restart_transit(db: apsw.Connection, changes: Iterable[Change], now: float) -> None:
    """Start again to count how long a request may be in transit."""
    for each in changes:
        db.execute("UPDATE outbox.changes SET sent_at = ? WHERE change_id = ?", (now, each.change_id))


def set_fields(db: apsw.Connection, change_id: int, fields: Mapping[str, Any]) -> None:
    """Keep only these fields in a change; the others are settled."""
    db.execute("UPDATE outbox.changes SET fields = ? WHERE change_id = ?", (_dump(fields), change_id))


def rebase_followers(db: apsw.Connection, gone: Change, values: Mapping[str, Any] | None = None) -> None:
    """Set the base of later changes of the same fields to that of the removed one, or to these values."""
    begins = {name: (gone.base if values is None else values).get(name) for name in gone.fields}
    for follower in live_for(db, gone.target):
        if follower.change_id <= gone.change_id or follower.kind.about != gone.kind.about:
            continue
        moved = {name: begins.pop(name) for name in follower.fields if name in begins}
        if any(follower.base.get(name) != value for name, value in moved.items()):
            db.execute(
                "UPDATE outbox.changes SET base = ? WHERE change_id = ?",
                (_dump({**follower.base, **moved}), follower.change_id),
            )
            _append_to_feed(db, [follower])


def mark_orphans_unknown(db: apsw.Connection, now: float) -> None:
    """Mark changes that an ended process was sending as unknown."""
    found = rows(db, "SELECT change_id FROM outbox.changes WHERE state = ?", (str(ChangeState.SENDING),))
    db.execute(
        "UPDATE outbox.changes SET state = ?, sent_at = ?, reason = ? WHERE state = ?",
        (str(ChangeState.UNKNOWN), now, "frontdesk stopped while sending", str(ChangeState.SENDING)),
    )
    change_feed.append(db, change_feed.CHANGE, [str(row[0]) for row in found])


def settled_since(db: apsw.Connection, position: int) -> set[str]:
    """Return the targets with a change settled after a position of the change feed: older answers are stale.

    No clock decides, since it may be set in between. For a position that was trimmed from the feed, these are the
    targets of all settled changes.
    """
    oldest = first(db, "SELECT seq FROM feed ORDER BY seq LIMIT 1")
    condition, values = "1", list[object]()
    if oldest is None or int(oldest[0]) <= position + 1:
        condition = "change_id IN (SELECT CAST(id AS INTEGER) FROM feed WHERE seq > ? AND kind = ?)"
        values = [position, change_feed.CHANGE]
    found = rows(
        db, f"SELECT DISTINCT target FROM outbox.changes WHERE settled_at IS NOT NULL AND {condition}", values
    )
    return {str(row[0]) for row in found}


def dropped_in_transit(db: apsw.Connection, since: float) -> list[Change]:
    """Return the dropped changes that were sent since, and may still be in transit."""
    return _select(db, f"settled_at > ?1 AND sent_at > ?1 AND state IN ({value_list(_GIVEN_UP)})", (since,))


def newest(db: apsw.Connection) -> int:
    found = first(db, "SELECT max(change_id) FROM outbox.changes")
    return 0 if found is None else int(found[0] or 0)


def made_after(db: apsw.Connection, change_id: int) -> list[Change]:
    """Return the changes that were added after this one, oldest first."""
    return _select(db, "change_id > ? ORDER BY change_id", [change_id])


def change(db: apsw.Connection, change_id: int) -> Change | None:
    return next(iter(_select(db, "change_id = ?", [change_id])), None)


def live_for(db: apsw.Connection, target: str) -> list[Change]:
    """Return the unconfirmed changes of a target id, oldest first."""
    return _select(db, f"target = ? AND state IN ({_LIVE}) ORDER BY change_id", [target])


def live_targets(db: apsw.Connection) -> set[str]:
    return {
        str(row[0]) for row in rows(db, f"SELECT DISTINCT target FROM outbox.changes WHERE state IN ({_LIVE})")
    }


def unsent(db: apsw.Connection) -> list[Change]:
    """Return all unconfirmed changes, oldest first."""
    return _select(db, f"state IN ({_LIVE}) ORDER BY change_id")


def unsettled(db: apsw.Connection, kind: ChangeKind) -> list[Change]:
    """Return the changes of a kind that are unconfirmed or need a decision, oldest first."""
    return _select(db, f"state IN ({_UNSETTLED}) AND kind = ? ORDER BY change_id", [str(kind)])


def perhaps_sent(db: apsw.Connection, kind: ChangeKind) -> list[Change]:
    """Return the changes of a kind that wait, or were sent and may have arrived, oldest first."""
    arrived = f"state IN ({_LIVE}) OR (sends > 0 AND sent_at IS NOT NULL)"
    return _select(db, f"({arrived}) AND kind = ? ORDER BY change_id", [str(kind)])


def count(db: apsw.Connection, states: Iterable[ChangeState]) -> int:
    row = first(db, f"SELECT count(*) FROM outbox.changes WHERE state IN ({value_list(states)})")
    assert row is not None, "an aggregate query always returns a row"
    return int(row[0])


def recent(db: apsw.Connection, limit: int = 500) -> list[Change]:
    """Return changes of any state, newest first, and older unsettled ones."""
    newest = "SELECT change_id FROM outbox.changes ORDER BY change_id DESC LIMIT ?"
    return _select(db, f"change_id IN ({newest}) OR state IN ({_UNSETTLED}) ORDER BY change_id DESC", [limit])


def recent_of(db: apsw.Connection, target: str, limit: int) -> list[Change]:
    return _select(db, "target = ? ORDER BY change_id DESC LIMIT ?", [target, limit])


def settled_after(db: apsw.Connection, at: float) -> list[Change]:
    """Return changes that were sent and settled after a time, in that order; not those withdrawn unsent."""
    states = (ChangeState.CONFIRMED, ChangeState.REFUSED, ChangeState.CONFLICT, ChangeState.DROPPED)
    condition = f"settled_at > ? AND sent_at IS NOT NULL AND state IN ({value_list(states)})"
    return _select(db, f"{condition} ORDER BY settled_at, change_id", [at])


def of_batch(db: apsw.Connection, batch: str) -> list[Change]:
    return _select(db, "batch = ? ORDER BY change_id", [batch])


def added_tags(db: apsw.Connection, target: str) -> list[tuple[TagId, float, ChangeState]]:
    """Return the tags added to a conversation in frontdesk, with time and state."""
    found = rows(
        db,
        "SELECT fields, made_at, state FROM outbox.changes WHERE target = ? AND kind = ?"
        f" AND state IN ({_LIVE}, '{ChangeState.CONFIRMED}') ORDER BY change_id",
        (target, str(ChangeKind.TAGS)),
    )
    return [
        (TagId(tag), float(made_at), ChangeState(state))
        for fields, made_at, state in found
        for tag in json.loads(fields).get("tagIds", ())
    ]


def keep(db: apsw.Connection, kind: str, each: str, value: object, now: float) -> None:
    """Store a value of the person (a read marker, a watched campaign) for good."""
    db.execute(
        "INSERT INTO outbox.kept (kind, id, value, at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (kind, id) DO UPDATE SET value = excluded.value, at = excluded.at",
        (kind, each, json.dumps(value), now),
    )


def forget(db: apsw.Connection, kind: str, each: str) -> None:
    db.execute("DELETE FROM outbox.kept WHERE kind = ? AND id = ?", (kind, each))


def forget_older(db: apsw.Connection, kind: str, before: float) -> None:
    db.execute("DELETE FROM outbox.kept WHERE kind = ? AND at < ?", (kind, before))


def kept(db: apsw.Connection, kind: str, each: str) -> Any:
    row = first(db, "SELECT value FROM outbox.kept WHERE kind = ? AND id = ?", (kind, each))
    return None if row is None else json.loads(row[0])


def kept_among(db: apsw.Connection, kind: str, ids: Iterable[str]) -> dict[str, Any]:
    """Return the values of a kind kept under these names."""
    found = rows(
        db,
        "SELECT id, value FROM outbox.kept WHERE kind = ? AND id IN (SELECT value FROM json_each(?))",
        (kind, json.dumps(list(ids))),
    )
    return {str(each): json.loads(value) for each, value in found}


def all_kept(db: apsw.Connection, kind: str) -> dict[str, Any]:
    found = rows(db, "SELECT id, value FROM outbox.kept WHERE kind = ? ORDER BY at, id", (kind,))
    return {str(each): json.loads(value) for each, value in found}


def _select(db: apsw.Connection, condition: str, values: Sequence[object] = ()) -> list[Change]:
    return [_change(row) for row in rows(db, f"SELECT {_COLUMNS} FROM outbox.changes WHERE {condition}", values)]


def _append_to_feed(db: apsw.Connection, changes: Iterable[Change]) -> None:
    change_feed.append(db, change_feed.CHANGE, [str(each.change_id) for each in changes])


def _dump(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _change(row: Sequence[Any]) -> Change:
    values = dict(zip(Change._fields, row, strict=True))
    values["kind"], values["state"] = ChangeKind(values["kind"]), ChangeState(values["state"])
    for name in ("fields", "base", "theirs"):
        values[name] = None if values[name] is None else json.loads(values[name])
    return Change(**values)

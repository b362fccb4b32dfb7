"""What has changed in tasks over time, as far as reads and our own changes have shown it.

The platform keeps no history. What a read brings that differs from the read before has happened between the two,
and that is what is kept: never a moment that nobody saw. It stands in `outbox.db`, which is never thrown away.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

import apsw

from frontdesk.outbox.news import NEWS_SECONDS, News, NewsSource, Stamps
from frontdesk.outbox.task_fields import ASSIGNED, SEEN_FIELDS, same_value
from frontdesk.storage.coverage import is_listed
from frontdesk.storage.records import Json
from frontdesk.storage.schema import SchemaPart
from frontdesk.storage.sql import first, rows
from frontdesk_api import json_access
from frontdesk_api.contract.ids import AgentId, TaskId

MAX_TEXT = 4_000
"""So many characters of a title or text are kept."""

DAY = 86_400.0
HISTORY_DAYS = 400
REMOVED_AT_ONCE = 5_000


class Source(StrEnum):
    """How a transition became known."""

    OWN = "own"
    """A change that was sent from here."""
    READ = "read"
    """A read that differed from the one before, here or at another desk of the team."""


class Seen(NamedTuple):
    """The read, or the answer to our own change, that tasks come from.

    Attributes:
        asked_at, answered_at: when it was requested, and when the answer was there, Unix seconds of this machine.
        last_reads: when tasks were requested last, by id, where that is newer than what is stored.
        own_fields: the fields that this change of ours has set.
    """

    asked_at: float
    answered_at: float
    last_reads: Mapping[str, float] = MappingProxyType({})
    own_fields: Collection[str] = ()


class Transition(NamedTuple):
    """One field of a task that changed.

    Attributes:
        name: of the field.
        before, after: values as the platform has them.
        not_before: the last time before it at which the old value was requested; None where that isn't known.
        not_after: when the new value was there.
        by: whom the platform names as the last who changed the task, maybe in another field; empty for nobody.
    """

    task_id: TaskId
    name: str
    before: Any
    after: Any
    not_before: float | None
    not_after: float
    by: str
    source: Source

    def as_json(self) -> dict[str, object]:
        """Return it as `frontdesk tasks history --json` prints it."""
        return {
            "field": self.name,
            "before": self.before,
            "after": self.after,
            "not_before": self.not_before,
            "not_after": self.not_after,
            "by": self.by,
            "source": self.source,
        }


_STORE_14 = """
CREATE TABLE task_reads (task_id TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
"""

_OUTBOX_6 = """
CREATE TABLE task_history (
    entry_id INTEGER PRIMARY KEY AUTOINCREMENT, task_id TEXT NOT NULL, field TEXT NOT NULL,
    before TEXT NOT NULL, after TEXT NOT NULL, not_before REAL, not_after REAL NOT NULL,
    author TEXT NOT NULL, source TEXT NOT NULL
);
CREATE INDEX task_history_by_task ON task_history (task_id, entry_id);
CREATE INDEX task_history_by_time ON task_history (not_after);
CREATE TABLE task_history_start (one INTEGER PRIMARY KEY CHECK (one = 1), at REAL NOT NULL);
INSERT INTO task_history_start VALUES (1, unixepoch('subsec'));
"""

SCHEMA = SchemaPart(
    store={14: [_STORE_14]},
    outbox={6: [_OUTBOX_6]},
    salvaged={"task_history": "entry_id", "task_history_start": "one"},
)


def differences(before: Json, after: Json) -> list[str]:
    names = (each.name for each in SEEN_FIELDS)
    return [each for each in names if not same_value(each, before.get(each), after.get(each))]


def note(db: apsw.Connection, before: Json, after: Json, seen: Seen) -> None:
    task_id = str(after["taskId"])
    changed = differences(before, after)
    if not changed:
        return
    last = last_read(db, task_id, seen)
    if last is not None and last > seen.answered_at:
        last = None  # by a clock that has gone back since
    by = json_access.text(json_access.mapping(after.get("agentIdentification")).get("name"))
    for each in changed:
        is_own = each in seen.own_fields
        db.execute(
            "INSERT INTO outbox.task_history"
            " (task_id, field, before, after, not_before, not_after, author, source)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                task_id,
                each,
                _kept(before.get(each)),
                _kept(after.get(each)),
                seen.asked_at if is_own else last,
                seen.answered_at,
                "" if is_own else by,
                Source.OWN if is_own else Source.READ,
            ),
        )


def last_read(db: apsw.Connection, task_id: str, seen: Seen) -> float | None:
    """Return when a task was last requested before this read; None if that isn't known."""
    row = first(db, "SELECT at FROM task_reads WHERE task_id = ?", (task_id,))
    known = [] if row is None else [float(row[0])]
    if task_id in seen.last_reads:
        known.append(seen.last_reads[task_id])
    return max(known, default=None)


def note_reads(db: apsw.Connection, read_at: Mapping[str, float]) -> None:
    db.executemany(
        "INSERT INTO task_reads VALUES (?, ?) ON CONFLICT (task_id) DO UPDATE SET at = max(at, excluded.at)",
        list(read_at.items()),
    )


def of_task(db: apsw.Connection, task_id: TaskId, limit: int = -1) -> list[Transition]:
    """Return what is known of a task, the newest first; a negative limit is none."""
    found = rows(
        db,
        "SELECT task_id, field, before, after, not_before, not_after, author, source FROM outbox.task_history"
        " WHERE task_id = ? ORDER BY not_after DESC, entry_id DESC LIMIT ?",
        (task_id, limit),
    )
    return [_transition(row) for row in found]


def since(db: apsw.Connection) -> float | None:
    """Return since when there is a history, Unix seconds; None where that was lost with a damaged file."""
    row = first(db, "SELECT at FROM outbox.task_history_start")
    return None if row is None else float(row[0])


def find_old(db: apsw.Connection, now: float, *, days: int) -> Callable[[apsw.Connection], object] | None:
    """Return a write that removes the oldest transitions that are older than this; None without any."""
    oldest = now - days * DAY
    if first(db, "SELECT 1 FROM outbox.task_history WHERE not_after < ? LIMIT 1", (oldest,)) is None:
        return None
    return lambda db: _remove_before(db, oldest)


def _remove_before(db: apsw.Connection, oldest: float) -> None:
    db.execute(
        "DELETE FROM outbox.task_history WHERE entry_id IN"
        " (SELECT entry_id FROM outbox.task_history WHERE not_after < ? ORDER BY not_after LIMIT ?)",
        (oldest, REMOVED_AT_ONCE),
    )
    db.execute("UPDATE outbox.task_history_start SET at = max(at, ?)", (oldest,))


def _kept(value: object) -> str:
    """Return a value as JSON; a long text is cut."""
    if isinstance(value, str) and len(value) > MAX_TEXT:
        value = value[: MAX_TEXT - 1] + "…"
    return json.dumps(value, ensure_ascii=False)


def _transition(row: Sequence[Any]) -> Transition:
    task_id, name, before, after, not_before, not_after, by, source = row
    return Transition(
        TaskId(task_id), name, json.loads(before), json.loads(after), not_before, not_after, by, Source(source)
    )


_CAME, _TAKEN, _LATE = "came", "taken", "late"


def _latest(db: apsw.Connection, now: float) -> Stamps:
    row = first(db, "SELECT (SELECT max(rowid) FROM tasks), (SELECT max(entry_id) FROM outbox.task_history)")
    came, taken = row or (0, 0)
    return {_CAME: came or 0, _TAKEN: taken or 0, _LATE: now}


def _news(db: apsw.Connection, after: Stamps, me: AgentId | None, now: float) -> list[News]:
    """Return open tasks that came, that someone else has given to another person or to this one, or that are late.

    While tasks are listed for the first time, none of them has just come.
    """
    news: list[News] = []
    since, is_open = now - NEWS_SECONDS, "status <> 'completed'"
    if is_listed(db):
        came = rows(
            db,
            f"SELECT task_id, rowid FROM tasks WHERE rowid > ? AND {is_open} AND coalesce(created_at, ?) >= ?",
            (after[_CAME], now, since),
        )
        news += [News(task_id, _CAME, number, "created") for task_id, number in came]
    taken = rows(
        db,
        "SELECT task_id, entry_id, before, after FROM outbox.task_history JOIN tasks USING (task_id)"
        f" WHERE entry_id > ? AND field = ? AND source = ? AND not_after >= ? AND {is_open} ORDER BY entry_id",
        (after[_TAKEN], ASSIGNED, Source.READ, since),
    )
    for task_id, number, before, later in taken:
        people = {*json_access.texts(json.loads(later))} - {*json_access.texts(json.loads(before))}
        if people:
            news.append(
                News(task_id, _TAKEN, number, "assigned to you" if me in people else "assigned to someone else")
            )
    late = rows(
        db,
        f"SELECT task_id, due_at FROM tasks WHERE due_at > ? AND due_at <= ? AND {is_open}",
        (max(after[_LATE], since), now),
    )
    return [*news, *(News(task_id, _LATE, due_at, "now overdue") for task_id, due_at in late)]


NEWS = NewsSource("board", _latest, _news, timed=(_LATE,))

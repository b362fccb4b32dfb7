"""Snoozed conversations and tasks, known here only: the platform has no snooze.

Snoozes are kept in `outbox.db`, which is never thrown away. Whether a record sleeps follows from that, the time
and the customer's last message; so lists are right in every process, whichever ran when it woke. Each snooze is a
change that is confirmed at once, so that Activity shows it and undo removes it.
"""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

import apsw

from frontdesk.outbox import queue
from frontdesk.outbox.changes import ChangeHandler, NotPossible
from frontdesk.storage import change_feed
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.record_lookup import THREAD_UNREAD
from frontdesk.storage.records import Change, ChangeKind, ChangeState, Made
from frontdesk.storage.sql import first, rows
from frontdesk_api.contract.ids import ConversationId

SNOOZE = "snooze"
"""The field of a change; its value is that of `Snooze.as_json`, or `None` for awake."""

SNOOZE_KINDS = (ChangeKind.SNOOZE_CONVERSATION, ChangeKind.SNOOZE_TASK)

_NEWS_SECONDS = 86_400.0
"""Seconds for which the row of a woken record says so, unless it is opened."""

_HEARD = {
    ChangeKind.SNOOZE_CONVERSATION: "SELECT conversation_id AS id, last_incoming_at AS heard_at"
    " FROM conversations",
    ChangeKind.SNOOZE_TASK: "SELECT task_id AS id, last_incoming_at AS heard_at FROM tasks"
    " LEFT JOIN conversations USING (conversation_id)",
}
"""The SQL for when the customer last wrote, by the id of the snoozed record."""

_SET = "UPDATE outbox.kept SET value = json_set(value, '$.announced', json('true')) WHERE kind = ? AND id = ?"


class Snooze(NamedTuple):
    """The wake-up conditions of a conversation or task; times are Unix seconds.

    Attributes:
        until: the wake-up time; None for none.
        since: only messages after this time wake it.
    """

    until: float | None
    on_message: bool
    since: float

    def as_json(self) -> dict[str, Any]:
        return self._asdict()

    @classmethod
    def of_json(cls, value: Any) -> "Snooze | None":
        """Parse a kept value or the field of a change; `None` means awake."""
        return None if value is None else cls(value["until"], bool(value["on_message"]), value["since"])

    def woke_at(self, heard_at: float | None, now: float) -> float | None:
        """Return when it woke, or `None` while it sleeps.

        A known message wakes the record even if its time, the platform's, is ahead of the clock here.
        """
        by_message = heard_at if self.on_message and heard_at is not None and heard_at > self.since else None
        by_time = self.until if self.until is not None and self.until <= now else None
        return min((each for each in (by_time, by_message) if each is not None), default=None)


class SnoozeState(NamedTuple):
    """A snooze now; `woke_at` is `None` while it sleeps, else the Unix time at which it woke."""

    snooze: Snooze
    woke_at: float | None


class Woken(NamedTuple):
    """A woken record, and whether the customer's message or the time woke it."""

    kind: ChangeKind
    id: str
    by_message: bool


def asleep(kind: ChangeKind, now: float) -> tuple[str, list[object]]:
    """Return a subquery of the ids that sleep at a time, with its values."""
    return (
        f"SELECT kept.id FROM outbox.kept JOIN ({_HEARD[kind]}) AS heard ON heard.id = kept.id WHERE kept.kind = ?"
        " AND coalesce(json_extract(value, '$.until') > ?, 1) AND NOT (json_extract(value, '$.on_message')"
        " AND coalesce(heard_at > json_extract(value, '$.since'), 0))",
        [str(kind), now],
    )


def asleep_ids(db: apsw.Connection, kind: ChangeKind, now: float) -> list[str]:
    sql, values = asleep(kind, now)
    return [str(row[0]) for row in rows(db, sql, values)]


def are_any(db: apsw.Connection, kind: ChangeKind) -> bool:
    """Return whether anything is snoozed, or was and hasn't been opened since."""
    return first(db, "SELECT 1 FROM outbox.kept WHERE kind = ? LIMIT 1", (str(kind),)) is not None


def snooze_of(db: apsw.Connection, kind: ChangeKind, target: str) -> Snooze | None:
    """Return the snooze chosen for a conversation or task, even if it has woken."""
    return Snooze.of_json(queue.kept(db, kind, target))


def state_of(db: apsw.Connection, kind: ChangeKind, target: str, now: float) -> SnoozeState | None:
    """Return the snooze that a row shows: while it sleeps, and for a day after it woke."""
    if (snooze := snooze_of(db, kind, target)) is None:
        return None
    row = first(db, f"SELECT heard_at FROM ({_HEARD[kind]}) WHERE id = ?", (target,))
    woke_at = snooze.woke_at(None if row is None else row[0], now)
    is_old = woke_at is not None and now - woke_at >= _NEWS_SECONDS
    return None if is_old else SnoozeState(snooze, woke_at)


def forget_woken(db: apsw.Connection, conversation_id: str, now: float) -> None:
    """Forget that a conversation and its tasks woke, since a person is reading them."""
    tasks = rows(db, "SELECT task_id FROM tasks WHERE conversation_id = ?", (conversation_id,))
    seen = [(ChangeKind.SNOOZE_CONVERSATION, conversation_id)]
    for kind, target in (*seen, *((ChangeKind.SNOOZE_TASK, str(row[0])) for row in tasks)):
        if queue.kept(db, kind, target) is None:
            continue
        state = state_of(db, kind, target, now)
        if state is None or state.woke_at is not None:
            queue.forget(db, kind, target)
            change_feed.append(db, change_feed.SNOOZE, [target])


def unannounced(db: apsw.Connection, now: float) -> list[Woken]:
    found = _woken(db, now, are_announced=False)
    return [Woken(kind, target, by_message=woke_at != snooze.until) for kind, target, snooze, woke_at in found]


def _woken(db: apsw.Connection, now: float, *, are_announced: bool) -> list[tuple[ChangeKind, str, Snooze, float]]:
    """Return woken records with their snooze and wake-up time; of each kind in order of snoozing."""
    announced = f"json_extract(value, '$.announced') IS {'NOT ' if are_announced else ''}NULL"
    found = []
    for kind in SNOOZE_KINDS:
        snoozed = rows(
            db,
            f"SELECT kept.id, value, heard_at FROM outbox.kept JOIN ({_HEARD[kind]}) AS heard"
            f" ON heard.id = kept.id WHERE kind = ? AND {announced} ORDER BY kept.at",
            (str(kind),),
        )
        for target, value, heard_at in snoozed:
            snooze = Snooze.of_json(json.loads(value))
            woke_at = None if snooze is None else snooze.woke_at(heard_at, now)
            if snooze is not None and woke_at is not None:
                found.append((kind, str(target), snooze, woke_at))
    return found


def announce(db: apsw.Connection, now: float) -> list[Woken]:
    """Claim the woken records for one announcement, and have lists show them again."""
    found = unannounced(db, now)
    for each in found:
        db.execute(_SET, (str(each.kind), each.id))
        change_feed.append(db, change_feed.SNOOZE, [each.id])
    return found


def find_old(db: apsw.Connection, now: float) -> Callable[[apsw.Connection], object] | None:
    """Return a write that forgets records that woke long ago, even if nobody opened them, or `None`."""
    woken = _woken(db, now, are_announced=True)
    old = [(kind, target) for kind, target, _, woke_at in woken if now - woke_at >= _NEWS_SECONDS]

    def forget(db: apsw.Connection) -> None:
        for kind, target in old:
            queue.forget(db, kind, target)

    return forget if old else None


def snooze_all(
    db: apsw.Connection,
    targets: Sequence[str],
    *,
    kind: ChangeKind,
    until: float | None,
    on_message: bool,
    made: Made,
) -> int:
    """Snooze conversations or tasks; wake them if neither time nor message is given. Return how many change."""
    is_off = until is None and not on_message
    count = 0
    for each in targets:
        before = snooze_of(db, kind, each)
        after = None if is_off else Snooze(until, on_message, _heard_until(db, kind, each, made.now))
        if after != before:
            _set(db, kind, each, after, before, made)
            count += 1
    return count


def claim_woken(store: ProfileStore) -> "Future[list[Woken]]":
    """Claim the records that have woken since the last call by any process of this profile."""
    now = store.clock()
    return store.write(lambda db: announce(db, now))


class SnoozeChangeHandler(ChangeHandler):
    """Undoes and repeats snoozes, which are in effect from the moment they are made."""

    def __init__(self, kind: ChangeKind) -> None:
        super().__init__()
        self._kind = kind

    def show(self, db: apsw.Connection, targets: Sequence[str]) -> None:
        change_feed.append(db, change_feed.SNOOZE, targets)

    def reverse(self, db: apsw.Connection, change: Change, made: Made) -> bool:
        """Restore the snooze before, unless it has changed since."""
        there = snooze_of(db, self._kind, change.target)
        before, after = (Snooze.of_json(each.get(SNOOZE)) for each in (change.base, change.fields))
        if there != after:
            raise NotPossible("it has since woken" if there is None else "it has since been snoozed again")
        _set(db, self._kind, change.target, before, after, made)
        return True


def _set(
    db: apsw.Connection, kind: ChangeKind, target: str, after: Snooze | None, before: Snooze | None, made: Made
) -> None:
    values = [None if each is None else each.as_json() for each in (after, before)]
    change_id = queue.add(db, made, kind, target, {SNOOZE: values[0]}, {SNOOZE: values[1]})
    queue.move(db, change_id, ChangeState.CONFIRMED, expected=(ChangeState.QUEUED,), now=made.now)
    if after is None:
        queue.forget(db, kind, target)
    else:
        queue.keep(db, kind, target, values[0], made.now)
    change_feed.append(db, change_feed.SNOOZE, [target])


def _heard_until(db: apsw.Connection, kind: ChangeKind, target: str, now: float) -> float:
    """Return the time of the newest message that may not wake it: a known one, or a sign of an unloaded one."""
    conversation_id = target
    if kind is ChangeKind.SNOOZE_TASK:
        task = first(db, "SELECT conversation_id FROM tasks WHERE task_id = ?", (target,))
        conversation_id = ConversationId(task[0]) if task is not None and task[0] is not None else ""
    row = first(
        db,
        "SELECT last_incoming_at, max(coalesce(active_at, 0), coalesce(task_active_at, 0)),"
        f" {THREAD_UNREAD} FROM conversations WHERE conversation_id = ?",
        (conversation_id,),
    )
    if row is None:
        return now
    last, active, is_unread = row
    if not is_unread:
        return float(last or 0.0)
    # The sign is in whole seconds; its message may be up to a second later.
    return float(max(last or 0.0, active + 1.0)) if active else now

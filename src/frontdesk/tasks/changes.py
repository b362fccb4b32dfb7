"""Changes of tasks, with the values before.

Each function runs inside one write transaction of the store. A change is committed to the outbox before the
screen shows it.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import apsw

from frontdesk.outbox import batches, queue
from frontdesk.outbox.changes import ChangeHandler, NotPossible
from frontdesk.outbox.overlay import apply_changes, differing, merge_people
from frontdesk.outbox.task_fields import ASSIGNED, field_of, is_merged, same_value
from frontdesk.storage.records import Change, ChangeKind, ChangeState, Json, Made
from frontdesk.storage.sql import rows
from frontdesk.tasks import store as task_store
from frontdesk_api import json_access
from frontdesk_api.contract.ids import TaskId

TASK_HOLD_SECONDS = 1.0
"""A second in which `u` takes a change of a task back unsent, and further ones join its PATCH."""


def change_tasks(
    db: apsw.Connection,
    task_ids: Sequence[TaskId],
    fields: Mapping[str, Any],
    made: Made,
    *,
    repeats_pending: bool = False,
) -> int:
    """Set fields on tasks; return how many of them change."""
    changed = [each for each in task_ids if set_fields(db, each, fields, made, repeats_pending=repeats_pending)]
    if changed:
        task_store.refresh_overlay(db, changed)
    return len(changed)


def set_fields(
    db: apsw.Connection, task_id: TaskId, fields: Mapping[str, Any], made: Made, *, repeats_pending: bool = False
) -> bool:
    """Set fields on one task, over what it shows now; return whether that changes anything.

    The caller updates what is shown: for many tasks that is done at once.

    Args:
        repeats_pending: also set what a pending change does, which may yet be undone or refused.
    """
    raw = task_store.raw_task(db, task_id)
    if raw is None:
        return False
    shown = apply_changes(raw, queue.live_for(db, task_id))
    changed = differing(shown, fields) | (differing(raw, fields) if repeats_pending else {})
    if not changed:
        return False
    _add(db, made, task_id, changed, shown)
    return True


def _add(
    db: apsw.Connection, made: Made, task_id: TaskId, fields: Mapping[str, Any], before: Mapping[str, Any]
) -> int:
    base = {name: before.get(name) for name in fields}
    return queue.add(db, made, ChangeKind.TASK, task_id, fields, base, TASK_HOLD_SECONDS)


def edit_texts(
    db: apsw.Connection, task_id: TaskId, texts: Mapping[str, str], before: Mapping[str, str], made: Made
) -> Change | None:
    """Set texts of a task that read as in `before` when a person began to write; None if nothing changes.

    A text that someone else changed meanwhile is not set: both versions wait in Activity for a decision.

    Raises:
        NotPossible: the task is gone.
    """
    there = _shown(db, task_id)
    shown = {name: json_access.text(there.get(name)) for name in texts}
    fields = differing(shown, texts)
    if not fields:
        return None
    moved = any(not same_value(name, shown.get(name), before.get(name)) for name in fields)
    change_id = _add(db, made, task_id, fields, before)
    if moved:
        queue.move(
            db,
            change_id,
            ChangeState.CONFLICT,
            expected=(ChangeState.HELD,),
            now=made.now,
            reason="someone else changed this while you were editing",
            theirs={name: shown.get(name) for name in fields},
        )
    else:
        task_store.refresh_overlay(db, [task_id])
    batches.record(db, made)
    return queue.change(db, change_id)


class TaskChangeHandler(ChangeHandler):
    """Shows, reverses and repeats changes of tasks."""

    def show(self, db: apsw.Connection, targets: Sequence[str]) -> None:
        task_store.refresh_overlay(db, [TaskId(each) for each in targets])

    def marked_pending(self, db: apsw.Connection) -> Collection[str]:
        return [str(row[0]) for row in rows(db, "SELECT task_id FROM tasks WHERE pending <> '[]'")]

    def reverse(self, db: apsw.Connection, change: Change, made: Made) -> bool:
        """Restore the values before, where nobody has changed them since."""
        _require_unchanged(db, change, change.fields, on="remove", off="add")
        return set_fields(db, TaskId(change.target), _back(change), made)

    def repeat_undone(self, db: apsw.Connection, change: Change, now: float) -> bool:
        """Set the values again, where all is as it was before."""
        _require_unchanged(db, change, change.base, on="add", off="remove")
        return set_fields(db, TaskId(change.target), change.fields, Made.like(change, now))


def _shown(db: apsw.Connection, task_id: TaskId) -> Json:
    raw = task_store.raw_task(db, task_id)
    if raw is None:
        raise NotPossible("the task no longer exists")
    return apply_changes(raw, queue.live_for(db, task_id))


def _back(change: Change) -> dict[str, Any]:
    """Return the fields that restore the values before; an unset field is sent as its empty value."""
    back: dict[str, Any] = {}
    for name, value in change.fields.items():
        before = change.base.get(name)
        if is_merged(name):
            there = json_access.texts(before)
            now = merge_people(there, value)
            back[name] = {
                "add": [person for person in there if person not in now],
                "remove": [person for person in now if person not in there],
            }
        else:
            back[name] = field_of(name).unset if before is None else before
    return back


def _require_unchanged(
    db: apsw.Connection, change: Change, values: Mapping[str, Any], *, on: str, off: str
) -> None:
    """Require that a task has these values in the fields of a change.

    Args:
        on: which of the people of `_back` have to be assigned, those to "add" or to "remove"; `off`: which not.

    Raises:
        NotPossible: it hasn't.
    """
    shown = _shown(db, TaskId(change.target))
    people, moved = set(json_access.texts(shown.get(ASSIGNED))), _back(change).get(ASSIGNED, {})
    are_as_needed = people.issuperset(moved.get(on, ())) and people.isdisjoint(moved.get(off, ()))
    names = [name for name in change.fields if name != ASSIGNED]
    if not are_as_needed or not all(same_value(name, shown.get(name), values.get(name)) for name in names):
        raise NotPossible("it has changed since then")

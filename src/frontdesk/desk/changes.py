"""Changes as a person makes them: what, on which ids, with the values before.

Each function runs inside one write transaction of the store; `Desk` calls them. A change is
committed to the outbox before the screen shows it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import apsw

from frontdesk.contract.ids import ConversationId, TagId, TaskId
from frontdesk.store import conversations, loose, outbox, tasks
from frontdesk.store.overlay import ASSIGNED, apply_fields, lay_over, merge_people, same_value
from frontdesk.store.records import Change, ChangeKind, ChangeState, Json

TASK_HOLD_SECONDS = 1.0
"""A second in which `u` takes a change of a task back unsent, and further ones join its PATCH."""

TAGS_HOLD_SECONDS = 5.0
"""Tags can't be taken off again, so they wait longer (design.md, section 6)."""


class NotPossible(Exception):
    """A change can't be made; the text says why."""


def change_tasks(
    db: apsw.Connection,
    task_ids: Sequence[TaskId],
    fields: Mapping[str, Any],
    *,
    batch: str,
    label: str,
    now: float,
    undoes: Mapping[TaskId, int] | None = None,
) -> int:
    """Set fields on tasks in one go; answers on how many of them it changes anything."""
    changed = 0
    for task_id in task_ids:
        raw = tasks.raw_task(db, task_id)
        if raw is None:
            continue
        shown = lay_over(raw, outbox.live_for(db, task_id))
        differing = _differing(shown, fields)
        if not differing:
            continue
        outbox.add(
            db,
            batch=batch,
            kind=ChangeKind.TASK,
            target=task_id,
            fields=differing,
            base={name: shown.get(name) for name in differing},
            label=label,
            now=now,
            hold_seconds=TASK_HOLD_SECONDS,
            undoes=(undoes or {}).get(task_id),
        )
        tasks.lay_over_again(db, task_id)
        changed += 1
    return changed


def give_tags(
    db: apsw.Connection,
    conversation_ids: Sequence[ConversationId],
    tag_ids: Sequence[TagId],
    *,
    batch: str,
    label: str,
    now: float,
) -> int:
    """Give tags to conversations; answers to how many."""
    for each in conversation_ids:
        outbox.add(
            db,
            batch=batch,
            kind=ChangeKind.TAGS,
            target=each,
            fields={"tagIds": list(tag_ids)},
            base={},
            label=label,
            now=now,
            hold_seconds=TAGS_HOLD_SECONDS,
        )
    conversations.mark_pending(db, conversation_ids)
    return len(conversation_ids)


def undo(db: apsw.Connection, batch: str, *, new_batch: str, now: float) -> tuple[int, list[str]]:
    """Take a batch back: what is not sent is dropped, what was sent is changed to the values before.

    Answers on how many targets it was undone, and for the others why not.
    """
    undone, problems = 0, []
    for change in outbox.of_batch(db, batch):
        if change.state in (ChangeState.HELD, ChangeState.QUEUED):
            undone += _take_back(db, change, ChangeState.UNDONE, now)
        elif change.state in (ChangeState.REFUSED, ChangeState.CONFLICT):
            problems.append(f"{change.label}: it never took effect; Activity (6) has it")
        elif change.state in (ChangeState.UNDONE, ChangeState.DROPPED):
            continue
        elif change.kind is ChangeKind.TAGS:
            problems.append(f"{change.label}: already sent, and the platform can't take tags off")
        else:
            try:
                undone += _reverse(db, change, new_batch, now)
            except NotPossible as error:
                problems.append(str(error))
    return undone, problems


def drop(db: apsw.Connection, change_id: int, now: float) -> Change:
    """Give a change up: it is not sent (again) and no longer shown.

    Raises:
        NotPossible: there is no such change, or it is on its way or done.
    """
    change = outbox.change(db, change_id)
    if change is None:
        raise NotPossible(f"no change {change_id}; `frontdesk outbox list` shows them")
    if change.state in (
        ChangeState.SENDING,
        ChangeState.CONFIRMED,
        ChangeState.UNDONE,
        ChangeState.DROPPED,
    ):
        raise NotPossible(f"change {change_id} is {change.state}; there is nothing to drop")
    _take_back(db, change, ChangeState.DROPPED, now)
    return change


def retry(db: apsw.Connection, change_id: int, now: float) -> Change:
    """Send a refused or conflicting change again, over what the platform says now.

    Raises:
        NotPossible: there is no such change, or it needs no second try.
    """
    change = outbox.change(db, change_id)
    if change is None:
        raise NotPossible(f"no change {change_id}; `frontdesk outbox list` shows them")
    if change.state not in (ChangeState.REFUSED, ChangeState.CONFLICT):
        raise NotPossible(f"change {change_id} is {change.state}; only a refused or conflicting one is retried")
    theirs = change.theirs or {}
    base = {**change.base, **{name: theirs[name] for name in change.fields if name in theirs}}
    outbox.move(db, change_id, ChangeState.DROPPED, expected=(change.state,), now=now, reason="retried")
    outbox.add(
        db,
        batch=change.batch,
        kind=change.kind,
        target=change.target,
        fields=change.fields,
        base=base,
        label=change.label,
        now=now,
    )
    _shown_again(db, change)
    return change


def _reverse(db: apsw.Connection, change: Change, batch: str, now: float) -> int:
    """A change back to the values before, offered only while nothing else moved since."""
    task_id = TaskId(change.target)
    raw = tasks.raw_task(db, task_id)
    if raw is None:
        raise NotPossible(f"{change.label}: the task is gone")
    shown = lay_over(raw, outbox.live_for(db, task_id))
    if not _still_ours(shown, change):
        raise NotPossible(f"{change.label}: it was changed again since")
    return change_tasks(
        db,
        [task_id],
        _back(change),
        batch=batch,
        label=f"Undo: {change.label}",
        now=now,
        undoes={task_id: change.change_id},
    )


def _back(change: Change) -> dict[str, Any]:
    """The fields that bring the values before back; an unset field is sent as its empty value."""
    empty: dict[str, Any] = {"dueDate": 0, "title": "", "body": "", "statusCase": "open"}
    back: dict[str, Any] = {}
    for name, value in change.fields.items():
        before = change.base.get(name)
        if name == ASSIGNED:
            there = loose.texts(before)
            now = merge_people(there, value)
            back[name] = {
                "add": [person for person in there if person not in now],
                "remove": [person for person in now if person not in there],
            }
        else:
            back[name] = empty.get(name, "") if before is None else before
    return back


def _still_ours(shown: Json, change: Change) -> bool:
    wanted = apply_fields({**shown, **change.base}, change.fields)
    return all(same_value(name, shown.get(name), wanted.get(name)) for name in change.fields)


def _differing(shown: Json, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that would change something."""
    wanted = apply_fields(shown, fields)
    return {
        name: value for name, value in fields.items() if not same_value(name, shown.get(name), wanted.get(name))
    }


def _take_back(db: apsw.Connection, change: Change, state: ChangeState, now: float) -> bool:
    """Whether it was still there to be taken back."""
    moved = outbox.move(db, change.change_id, state, expected=(change.state,), now=now)
    if moved:
        outbox.rebase_followers(db, change)
        _shown_again(db, change)
    return moved


def _shown_again(db: apsw.Connection, change: Change) -> None:
    if change.kind is ChangeKind.TASK:
        tasks.lay_over_again(db, TaskId(change.target))
    else:
        conversations.mark_pending(db, [change.target])

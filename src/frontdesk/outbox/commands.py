"""Changes as a person makes them: what, on which ids, with the values before.

Each function runs inside one write transaction of the store; `app.services` calls them. A change is
committed to the outbox before the screen shows it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import apsw

from frontdesk.api.contract.ids import AgentId, ConversationId, StatusId, TagId, TaskId
from frontdesk.campaigns.store import drafts
from frontdesk.inbox.store import conversations
from frontdesk.outbox import batches, queue
from frontdesk.outbox.overlay import ASSIGNED, apply_fields, lay_over, same_value
from frontdesk.storage import json_access
from frontdesk.storage.records import UNCONFIRMED, Change, ChangeKind, ChangeState, Json
from frontdesk.tasks import store as task_store
from frontdesk.workflows.store import pending_payloads

TASK_HOLD_SECONDS = 1.0
"""A second in which `u` takes a change of a task back unsent, and further ones join its PATCH."""

TAGS_HOLD_SECONDS = 5.0
"""Tags can't be taken off again, so they wait longer."""


SENT_ANEW = "sent again as a new change"

COMPLETED = StatusId("completed")
"""The status that `complete` puts a task into; every profile has it."""

USED_TAG = "used tag"
"""Kept: tags that were given from here, by when that was last."""


def status_fields(status: StatusId) -> dict[str, Any]:
    """The fields that put a task into a status."""
    return {"statusCase": status}


def due_fields(due_seconds: int) -> dict[str, Any]:
    """The fields that set when a task is due, Unix seconds; 0 unsets it."""
    return {"dueDate": due_seconds}


def people_fields(add: Sequence[AgentId], remove: Sequence[AgentId]) -> dict[str, Any]:
    """The fields that put people on a task and take others off; nobody else's assignment is touched."""
    return {ASSIGNED: {"add": list(add), "remove": list(remove)}}


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
) -> int:
    """Set fields on tasks in one go; answers on how many of them it changes anything."""
    changed = [each for each in task_ids if set_fields(db, each, fields, batch=batch, label=label, now=now)]
    if changed:
        task_store.lay_over_again(db, changed)
        batches.record(db, label, batch, now)
    return len(changed)


def set_fields(
    db: apsw.Connection,
    task_id: TaskId,
    fields: Mapping[str, Any],
    *,
    batch: str,
    label: str,
    now: float,
    undoes: int | None = None,
) -> bool:
    """Set fields on one task, over what it shows now; whether that changes anything.

    The caller has it shown: for many tasks that is done at once.
    """
    raw = task_store.raw_task(db, task_id)
    if raw is None:
        return False
    shown = lay_over(raw, queue.live_for(db, task_id))
    changed = differing(shown, fields)
    if not changed:
        return False
    queue.add(
        db,
        batch=batch,
        kind=ChangeKind.TASK,
        target=task_id,
        fields=changed,
        base={name: shown.get(name) for name in changed},
        label=label,
        now=now,
        hold_seconds=TASK_HOLD_SECONDS,
        undoes=undoes,
    )
    return True


def edit_texts(
    db: apsw.Connection,
    task_id: TaskId,
    texts: Mapping[str, str],
    before: Mapping[str, str],
    *,
    batch: str,
    label: str,
    now: float,
) -> Change | None:
    """Set texts that a person wrote over the ones `before`; None where they are so already.

    A text that is neither as it was before nor as it is wanted was written by someone else
    meanwhile. Then nothing is set: both versions wait in Activity for the person to decide.

    Raises:
        NotPossible: the task is gone.
    """
    raw = task_store.raw_task(db, task_id)
    if raw is None:
        raise NotPossible("the task is gone")
    there = lay_over(raw, queue.live_for(db, task_id))
    shown = {name: json_access.text(there.get(name)) for name in texts}
    fields = differing(shown, texts)
    if not fields:
        return None
    moved = any(not same_value(name, shown.get(name), before.get(name)) for name in fields)
    change_id = queue.add(
        db,
        batch=batch,
        kind=ChangeKind.TASK,
        target=task_id,
        fields=fields,
        base={name: before.get(name) for name in fields},
        label=label,
        now=now,
        hold_seconds=TASK_HOLD_SECONDS,
    )
    if moved:
        queue.move(
            db,
            change_id,
            ChangeState.CONFLICT,
            expected=(ChangeState.HELD,),
            now=now,
            reason="someone else changed this while you were writing",
            theirs={name: shown.get(name) for name in fields},
        )
    else:
        task_store.lay_over_again(db, [task_id])
    batches.record(db, label, batch, now)
    return queue.change(db, change_id)


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
    add_tags(db, conversation_ids, tag_ids, batch=batch, label=label, now=now)
    for each in tag_ids:
        queue.keep(db, USED_TAG, each, True, now)
    batches.record(db, label, batch, now)
    return len(conversation_ids)


def add_tags(
    db: apsw.Connection,
    conversation_ids: Sequence[ConversationId],
    tag_ids: Sequence[TagId],
    *,
    batch: str,
    label: str,
    now: float,
) -> None:
    """The changes that give tags, held for as long as they can be taken back."""
    for each in conversation_ids:
        queue.add(
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


def take_back(db: apsw.Connection, change: Change, state: ChangeState, now: float, reason: str = "") -> bool:
    """Give up a change that is not sent; whether it was still there to be taken back. The caller has it shown."""
    moved = queue.move(db, change.change_id, state, expected=(change.state,), now=now, reason=reason)
    if moved and change.kind is ChangeKind.CAMPAIGN:
        drafts.forget_body(db, change.target)
    if moved and change.kind is ChangeKind.ANALYTICS_RESET and not change.sends:
        pending_payloads.forget_snapshot_of(db, change.change_id)
    if moved and change.state in UNCONFIRMED:
        # Of one that ended before, those behind it were given their beginning when it did.
        queue.rebase_followers(db, change)
    return moved


def show_again(db: apsw.Connection, changes: Iterable[Change]) -> None:
    """Derive again what lists show of everything that these changes are about."""
    targets: dict[ChangeKind, list[str]] = {kind: [] for kind in ChangeKind}
    for change in changes:
        targets[change.kind].append(change.target)
    if targets[ChangeKind.TASK]:
        task_store.lay_over_again(db, [TaskId(each) for each in targets[ChangeKind.TASK]])
    if targets[ChangeKind.TAGS]:
        conversations.mark_pending(db, targets[ChangeKind.TAGS])


def drop(db: apsw.Connection, change_id: int, now: float) -> Change:
    """Give a change up: it is not sent (again) and no longer shown.

    Raises:
        NotPossible: there is no such change, or it is on its way or done.
    """
    change = queue.change(db, change_id)
    if change is None:
        raise NotPossible(f"no change {change_id}; `frontdesk outbox list` shows them")
    if change.state in (
        ChangeState.SENDING,
        ChangeState.CONFIRMED,
        ChangeState.UNDONE,
        ChangeState.DROPPED,
    ):
        raise NotPossible(f"it is {_is(change)}: there is nothing to drop")
    take_back(db, change, ChangeState.DROPPED, now)
    show_again(db, [change])
    return change


_STATES = {
    ChangeState.QUEUED: "waiting to be sent",
    ChangeState.SENDING: "being sent",
    ChangeState.UNKNOWN: "being read back",
    ChangeState.UNDONE: "undone already",
    ChangeState.DROPPED: "dropped already",
}


def retry(db: apsw.Connection, change_id: int, now: float, *, over_theirs: bool = False) -> Change:
    """Send a refused or conflicting change again, over what the platform says now; answers what is sent.

    Args:
        over_theirs: of a workflow, that the person has seen what somebody else made of it meanwhile.

    Raises:
        NotPossible: there is no such change, or it needs no second try.
    """
    change = queue.change(db, change_id)
    if change is None:
        raise NotPossible(f"no change {change_id}; `frontdesk outbox list` shows them")
    if change.state not in (ChangeState.REFUSED, ChangeState.CONFLICT):
        raise NotPossible(f"it is {_is(change)}: only what was refused, or waits to be decided, is sent again")
    if change.kind.about in ("workflow", "webhook"):
        from frontdesk.workflows.commands import send_again

        return send_again(db, change, now, over_theirs=over_theirs)
    if change.kind is ChangeKind.CAMPAIGN:
        _require_sendable(db, change, now)
    theirs = change.theirs or {}
    base = {**change.base, **{name: theirs[name] for name in change.fields if name in theirs}}
    queue.move(db, change_id, ChangeState.DROPPED, expected=(change.state,), now=now, reason=SENT_ANEW)
    change_id = queue.add(
        db,
        batch=change.batch,
        kind=change.kind,
        target=change.target,
        fields=change.fields,
        base=base,
        label=change.label,
        now=now,
        undoes=change.undoes,
    )
    show_again(db, [change])
    again = queue.change(db, change_id)
    assert again is not None
    return again


def _is(change: Change) -> str:
    return _STATES.get(change.state, str(change.state))


def _require_sendable(db: apsw.Connection, change: Change, now: float) -> None:
    """A campaign that is sent again is sent as it was: with the same id, list and time."""
    if not drafts.has_body(db, change.target):
        raise NotPossible("what was to be sent is gone; begin again from its draft, on Campaigns (3)")
    if any(each.state in UNCONFIRMED for each in queue.live_for(db, change.target)):
        raise NotPossible("it is on its way already")
    scheduled_at = json_access.number(change.fields.get("scheduledAt"))
    if scheduled_at is not None and scheduled_at / 1000 <= now:
        raise NotPossible("its time has passed; choose another in its draft, on Campaigns (3)")


def differing(shown: Json, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that would change something."""
    wanted = apply_fields(shown, fields)
    return {
        name: value for name, value in fields.items() if not same_value(name, shown.get(name), wanted.get(name))
    }

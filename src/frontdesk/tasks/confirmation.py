"""Writes what the platform made of changes of a task: the row, the states and what is shown, in one transaction.

Called by `TaskDelivery`, which decides what becomes of a change; nothing here asks the platform.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import apsw

from frontdesk.api.contract.ids import TaskId
from frontdesk.outbox import queue as outbox_queue
from frontdesk.outbox.confirmation import SENT, SO_ALREADY, WAITING
from frontdesk.outbox.conflicts import Fate, set_later
from frontdesk.storage.database import Store
from frontdesk.storage.records import Change, ChangeState, Json
from frontdesk.tasks import store as task_store

REPLACED = "replaced by a later change"
SENT_TWICE = "sent twice without a clear answer, and the task is as before"
NEITHER = "no clear answer came, and the task is neither as before nor as wanted"


class TaskConfirmation:
    """Writes of the sender about tasks."""

    def __init__(self, store: Store, clock: Callable[[], float]):
        self._store = store
        self._clock = clock

    async def put_row(self, task: Json) -> None:
        """Keep a task as it was read."""
        await self._store.run(lambda db: task_store.put(db, [task]))

    async def confirm(self, changes: Sequence[Change], after: Json) -> None:
        """The platform's row first, then the overlay falls: the card never flickers back."""
        now = self._clock()

        def confirm(db: apsw.Connection) -> None:
            task_id = TaskId(changes[0].target)
            task_store.put(db, [after])
            _confirm(db, changes, after, now)
            # It lays the task over again, too.
            task_store.note_own_patch(db, task_id, now)

        await self._store.run(confirm)

    async def find_confirmed(self, changes: Sequence[Change], task: Json) -> None:
        """Confirm what the task says already, without anything sent."""
        now = self._clock()

        def find(db: apsw.Connection) -> None:
            _confirm(db, changes, task, now, SO_ALREADY, expected=WAITING)
            task_store.lay_over_again(db, [TaskId(changes[0].target)])

        await self._store.run(find)

    async def collide(self, colliding: Mapping[int, Sequence[str]], task: Json, reason: str) -> None:
        """Show these fields of changes as theirs, yours, before."""
        now = self._clock()

        def collide(db: apsw.Connection) -> None:
            task_id = TaskId(task["taskId"])
            task_store.put(db, [task])
            _collide(db, colliding, task, reason, now)
            task_store.lay_over_again(db, [task_id])

        await self._store.run(collide)

    async def resolve(self, fate: Fate, task: Json, sends_most: int) -> None:
        """Each part of a PATCH that can't arrive any more goes its way, all in one step.

        Half of it would take away what the other half is judged by.
        """
        now = self._clock()
        given_up = {each.change_id: tuple(each.fields) for each in fate.again if each.sends >= sends_most}
        once_more = [each for each in fate.again if each.sends < sends_most]
        why = "" if fate.was_carried_out else SO_ALREADY

        def resolve(db: apsw.Connection) -> None:
            task_id = TaskId(task["taskId"])
            task_store.put(db, [task])
            _confirm(db, fate.arrived, task, now, why)
            _collide(db, given_up, task, SENT_TWICE, now)
            _collide(db, fate.colliding, task, NEITHER, now)
            outbox_queue.move_all(db, once_more, ChangeState.QUEUED, expected=SENT, now=now, send_after=now)
            if fate.was_carried_out:
                task_store.note_own_patch(db, task_id, now)
            else:
                task_store.lay_over_again(db, [task_id])

        await self._store.run(resolve)


def _confirm(
    db: apsw.Connection,
    changes: Sequence[Change],
    task: Json,
    now: float,
    reason: str = "",
    expected: Sequence[ChangeState] = SENT,
) -> None:
    """Later changes begin at what the platform made of these, so they don't take it for a colleague's."""
    moved = outbox_queue.move_all(db, changes, ChangeState.CONFIRMED, expected=expected, now=now, reason=reason)
    for change in moved:
        outbox_queue.rebase_followers(db, change, _values(change, task))


def _collide(
    db: apsw.Connection, colliding: Mapping[int, Sequence[str]], task: Json, reason: str, now: float
) -> None:
    """A field that a later change sets anew is that one's to show."""
    live = outbox_queue.live_for(db, str(task["taskId"]))
    for change_id, fields in colliding.items():
        # Read again in each turn: the one before it may have moved where this one begins.
        change = outbox_queue.change(db, change_id)
        if change is None or change.state not in (*WAITING, *SENT):
            continue
        own = {name: change.fields[name] for name in fields if name not in set_later(change, live)}
        if own:
            outbox_queue.narrow(db, change_id, own)
        outbox_queue.move(
            db,
            change_id,
            ChangeState.CONFLICT if own else ChangeState.DROPPED,
            expected=(change.state,),
            now=now,
            reason=reason if own else REPLACED,
            theirs={name: task.get(name) for name in own} or None,
        )
        begins = _values(change, task) | {name: change.base.get(name) for name in fields}
        outbox_queue.rebase_followers(db, change, begins)


def _values(change: Change, task: Json) -> dict[str, Any]:
    return {name: task.get(name) for name in change.fields}

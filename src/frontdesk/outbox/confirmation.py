"""Moves changes to the end of their way, each step one transaction: the row, the states, what is shown.

Called by the sender, which decides what becomes of them; nothing here asks the platform.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

import apsw

from frontdesk.api.client.errors import ApiError
from frontdesk.api.contract.ids import TaskId
from frontdesk.campaigns.store import drafts
from frontdesk.inbox.store import conversations
from frontdesk.outbox import queue as outbox_queue
from frontdesk.outbox import rebuild
from frontdesk.outbox.conflicts import Fate, set_later
from frontdesk.storage.database import Store
from frontdesk.storage.records import Change, ChangeKind, ChangeState, Json
from frontdesk.tasks import store as task_store
from frontdesk.workflows.store import pending_payloads

WAITING = (ChangeState.HELD, ChangeState.QUEUED)
SENT = (ChangeState.SENDING, ChangeState.UNKNOWN)
MEANWHILE = "someone else changed this meanwhile"
REPLACED = "replaced by a later change"
SO_ALREADY = "it was so already"
SENT_TWICE = "sent twice without a clear answer, and the task is as before"
NEITHER = "no clear answer came, and the task is neither as before nor as wanted"

MAX_SENDS = 2
"""How often the same is sent by itself where nobody answers."""

MAX_WAITS = 3_600.0
"""What waited longer, as on a machine that slept, is asked about before it surprises anybody."""

WAITED_LONG = "it waited for over an hour, so it was not sent: send it now, or drop it"

AfterFailure = Callable[[Sequence[Change], ApiError], Awaitable[None]]
"""What the sender does about a request that failed."""


class Confirmation:
    """Writes of the sender."""

    def __init__(self, store: Store, clock: Callable[[], float], owner: str):
        self._store = store
        self._clock = clock
        self._owner = owner

    async def adopt(self) -> None:
        """Doubt what nobody is sending any more, and put right what a kill has left half done."""
        now = self._clock()

        def adopt(db: apsw.Connection) -> None:
            outbox_queue.orphan(db, now)
            rebuild.rebuild_overlay(db)

        await self._store.run(adopt)

    async def release_held(self) -> None:
        """Queue what is held for undo."""
        now = self._clock()

        def release(db: apsw.Connection) -> None:
            held = outbox_queue.unsent(db)
            outbox_queue.move_all(
                db, held, ChangeState.QUEUED, expected=(ChangeState.HELD,), now=now, send_after=now
            )

        await self._store.run(release)

    async def claim(self, changes: Sequence[Change], task: Json | None = None) -> list[Change]:
        """Mark the changes of one request as being sent; nothing when they have to be looked at afresh.

        Args:
            task: as it was read right before, so that what was so already is not taken for arrived.
        """
        now = self._clock()
        begins = {name: (task or {}).get(name) for change in changes for name in change.fields if task is not None}
        return await self._store.run(lambda db: outbox_queue.claim(db, changes, self._owner, now, begins))

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
            _show(db, changes)

        await self._store.run(find)

    async def confirm_tags(self, change: Change) -> None:
        """The platform has taken the tags."""
        await self._end([change], ChangeState.CONFIRMED, "")

    async def confirm_campaign(self, change: Change, receipt: Json, reason: str) -> None:
        """The platform has the campaign: its receipt is kept, and it is watched from now on."""
        now = self._clock()
        await self._store.run(lambda db: drafts.confirm(db, change, receipt, reason, now))

    async def refuse(self, changes: Sequence[Change], reason: str) -> None:
        """The platform said no: nothing of them is on its way, and their overlay falls."""
        await self._end(changes, ChangeState.REFUSED, reason)

    async def mark_needs_decision(self, change: Change, reason: str) -> None:
        """Nobody can find out what became of a change: a person decides."""
        await self._end([change], ChangeState.CONFLICT, reason)

    async def collide(self, colliding: Mapping[int, Sequence[str]], task: Json, reason: str) -> None:
        """Show these fields of changes as theirs, yours, before."""
        now = self._clock()

        def collide(db: apsw.Connection) -> None:
            task_id = TaskId(task["taskId"])
            task_store.put(db, [task])
            _collide(db, colliding, task, reason, now)
            task_store.lay_over_again(db, [task_id])

        await self._store.run(collide)

    async def settle(self, fate: Fate, task: Json, sends_most: int) -> None:
        """Each part of a PATCH that can't arrive any more goes its way, all in one step.

        Half of it would take away what the other half is judged by.
        """
        now = self._clock()
        given_up = {each.change_id: tuple(each.fields) for each in fate.again if each.sends >= sends_most}
        once_more = [each for each in fate.again if each.sends < sends_most]
        why = "" if fate.was_carried_out else SO_ALREADY

        def settle(db: apsw.Connection) -> None:
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

        await self._store.run(settle)

    async def doubt(self, changes: Sequence[Change], reason: str) -> None:
        """Nobody knows whether they arrived. From now on they may at most still be processed."""
        now = self._clock()

        def doubt(db: apsw.Connection) -> None:
            moved = outbox_queue.move_all(
                db, changes, ChangeState.UNKNOWN, expected=(ChangeState.SENDING,), now=now, reason=reason
            )
            outbox_queue.doubt_from(db, moved, now)

        await self._store.run(doubt)

    async def doubt_afresh(self, changes: Sequence[Change]) -> None:
        """The clock went back behind the moment of sending: wait the whole time from now."""
        now = self._clock()
        await self._store.run(lambda db: outbox_queue.doubt_from(db, changes, now))

    async def queue_again(self, changes: Sequence[Change], *, wait: float, reason: str) -> None:
        """Send later what is known to have changed nothing."""
        now = self._clock()

        def queue(db: apsw.Connection) -> None:
            moved = outbox_queue.move_all(
                db, changes, ChangeState.QUEUED, expected=SENT, now=now, reason=reason, send_after=now + wait
            )
            outbox_queue.resend(db, moved)

        await self._store.run(queue)

    async def wait_for(self, changes: Sequence[Change], reason: str) -> None:
        """Say why changes wait that could go."""
        waiting = [each for each in changes if each.state in WAITING and each.reason != reason]
        now = self._clock()
        if waiting:
            await self._store.run(
                lambda db: outbox_queue.move_all(
                    db, waiting, ChangeState.QUEUED, expected=WAITING, now=now, reason=reason
                )
            )

    async def _end(self, changes: Sequence[Change], state: ChangeState, reason: str) -> None:
        now = self._clock()

        def end(db: apsw.Connection) -> None:
            moved = outbox_queue.move_all(db, changes, state, expected=(*WAITING, *SENT), now=now, reason=reason)
            if state is ChangeState.REFUSED:
                outbox_queue.resend(db, moved)
                for change in moved:
                    pending_payloads.forget_snapshot_of(db, change.change_id)
            for change in () if state is ChangeState.CONFIRMED else moved:
                outbox_queue.rebase_followers(db, change)
            _show(db, changes)

        await self._store.run(end)


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


def _show(db: apsw.Connection, changes: Iterable[Change]) -> None:
    for target, kind in {change.target: change.kind for change in changes}.items():
        if kind is ChangeKind.TASK:
            task_store.lay_over_again(db, [TaskId(target)])
        elif kind is ChangeKind.TAGS:
            conversations.mark_pending(db, [target])

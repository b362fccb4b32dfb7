"""Send changes of a task: read it, send one PATCH for all that is queued, detect conflicts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import apsw

from frontdesk.outbox import queue
from frontdesk.outbox import queue as outbox_queue
from frontdesk.outbox.claims import Claim, ClaimedElsewhere, Claims, NoTeam
from frontdesk.outbox.delivery import MAX_SENDS, MEANWHILE, SENT, SO_ALREADY, WAITING, Confirmation, is_refusal
from frontdesk.outbox.overlay import Fate, apply_changes, collisions, fate_of, set_later
from frontdesk.outbox.task_fields import same_value
from frontdesk.storage.database import Store
from frontdesk.storage.records import Change, ChangeState, Json
from frontdesk.tasks import store as task_store
from frontdesk.tasks.history import Seen
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import (
    ApiError,
    BadReply,
    BadRequestInput,
    CredentialsRefused,
    RateLimited,
    Redirected,
    Refused,
)
from frontdesk_api.contract.endpoints import Host
from frontdesk_api.contract.ids import TaskId
from frontdesk_api.contract.tasks import TaskUpdate

REPLACED = "replaced by a later change"
SENT_TWICE = "sent twice without a clear response, and the task is unchanged"
NEITHER = "no clear response, and the task matches neither the old nor the new values"


class TaskConfirmation:
    """The sender's writes about tasks."""

    def __init__(self, store: Store, clock: Callable[[], float]):
        self._store = store
        self._clock = clock

    async def put_row(self, task: Json, asked_at: float) -> None:
        seen = Seen(asked_at, self._clock())
        await self._store.run(lambda db: task_store.put(db, [task], seen))

    async def confirm(self, changes: Sequence[Change], after: Json, asked_at: float) -> None:
        """Store the platform's task before the overlay is removed, so that the card never shows the old value."""
        now = self._clock()
        seen = Seen(asked_at, now, own_fields={name for each in changes for name in each.fields})

        def confirm(db: apsw.Connection) -> None:
            task_id = TaskId(changes[0].target)
            task_store.put(db, [after], seen)
            _confirm(db, changes, after, now)
            # It lays the task over again, too.
            task_store.discount_own_patch(db, task_id, now)

        await self._store.run(confirm)

    async def find_confirmed(self, changes: Sequence[Change], task: Json) -> None:
        """Confirm changes that the task has already; nothing is sent."""
        now = self._clock()

        def find(db: apsw.Connection) -> None:
            _confirm(db, changes, task, now, SO_ALREADY, expected=WAITING)
            task_store.refresh_overlay(db, [TaskId(changes[0].target)])

        await self._store.run(find)

    async def collide(
        self, colliding: Mapping[int, Sequence[str]], task: Json, reason: str, asked_at: float
    ) -> None:
        now = self._clock()
        seen = Seen(asked_at, now)

        def collide(db: apsw.Connection) -> None:
            task_id = TaskId(task["taskId"])
            task_store.put(db, [task], seen)
            _collide(db, colliding, task, reason, now)
            task_store.refresh_overlay(db, [task_id])

        await self._store.run(collide)

    async def resolve(self, fate: Fate, task: Json, sends_most: int, asked_at: float) -> None:
        """Resolve each part of a PATCH that can't arrive any more, all in one step.

        A half of it would remove what the other half is judged by.
        """
        now = self._clock()
        given_up = {each.change_id: tuple(each.fields) for each in fate.again if each.sends >= sends_most}
        once_more = [each for each in fate.again if each.sends < sends_most]
        why = "" if fate.was_carried_out else SO_ALREADY
        own = {name for each in fate.arrived for name in each.fields} if fate.was_carried_out else set()
        seen = Seen(asked_at, now, own_fields=own)

        def resolve(db: apsw.Connection) -> None:
            task_id = TaskId(task["taskId"])
            task_store.put(db, [task], seen)
            _confirm(db, fate.arrived, task, now, why)
            _collide(db, given_up, task, SENT_TWICE, now)
            _collide(db, fate.colliding, task, NEITHER, now)
            outbox_queue.move_all(db, once_more, ChangeState.QUEUED, expected=SENT, now=now, send_after=now)
            if fate.was_carried_out:
                task_store.discount_own_patch(db, task_id, now)
            else:
                task_store.refresh_overlay(db, [task_id])

        await self._store.run(resolve)


def _confirm(
    db: apsw.Connection,
    changes: Sequence[Change],
    task: Json,
    now: float,
    reason: str = "",
    expected: Sequence[ChangeState] = SENT,
) -> None:
    """Rebase later changes on the confirmed values, so that these don't count as a colleague's."""
    moved = outbox_queue.move_all(db, changes, ChangeState.CONFIRMED, expected=expected, now=now, reason=reason)
    for change in moved:
        outbox_queue.rebase_followers(db, change, _values(change, task))


def _collide(
    db: apsw.Connection, colliding: Mapping[int, Sequence[str]], task: Json, reason: str, now: float
) -> None:
    """Store conflicts, without fields that a later change sets again."""
    live = outbox_queue.live_for(db, str(task["taskId"]))
    for change_id, fields in colliding.items():
        # Read again in each turn: the one before it may have moved where this one begins.
        change = outbox_queue.change(db, change_id)
        if change is None or change.state not in (*WAITING, *SENT):
            continue
        own = {name: change.fields[name] for name in fields if name not in set_later(change, live)}
        if own:
            outbox_queue.set_fields(db, change_id, own)
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


class _Unreadable(Exception):
    """The platform refuses to show a task."""


class TaskDelivery:
    """Delivers changes of tasks, several fields of one task in one request."""

    host = Host.BUSINESS
    joins_changes = True
    can_read_back = True

    def __init__(
        self,
        client: PlatformClient,
        store: Store,
        confirmation: Confirmation,
        clock: Callable[[], float],
        claims: Claims | None = None,
    ):
        self._client = client
        self._store = store
        self._confirmation = confirmation
        self._clock, self._claims = clock, claims or NoTeam()
        self._tasks = TaskConfirmation(store, clock)
        self._singly: set[int] = set()

    async def send(self, changes: Sequence[Change]) -> bool:
        """Send one PATCH for all that is queued on a task: each PATCH raises its unread count."""
        if await self._confirmation.set_aside_old(changes):
            return False  # others on the task begin elsewhere now
        try:
            async with self._claims.claimed(changes[0].target) as claim:
                return await self._send(changes, claim)
        except ClaimedElsewhere as error:
            await self._confirmation.set_wait_reason(changes, f"{error} is changing this task; waiting")
            return False

    async def _send(self, changes: Sequence[Change], claim: Claim) -> bool:
        batch = [*(changes[:1] if changes[0].change_id in self._singly else changes)]
        task_id = TaskId(batch[0].target)
        asked_at = self._clock()
        before = await self._read_task(task_id, batch)
        if before is None:
            return False
        await self._tasks.put_row(before, asked_at)
        colliding = collisions(batch, before)
        if colliding:
            fields = {change.change_id: tuple(change.fields) for change in colliding}
            await self._tasks.collide(fields, before, MEANWHILE, asked_at)
            # What remains begins elsewhere now.
            left = {change.change_id for change in batch} - fields.keys()
            live = queue.live_for(self._store.reading, task_id)
            batch = [change for change in live if change.change_id in left and change.state in WAITING]
            if not batch:
                return False
        wanted = apply_changes(before, batch)
        body = {
            name: wanted[name]
            for change in batch
            for name in change.fields
            if not same_value(name, wanted.get(name), before.get(name))
        }
        if not body:
            await self._tasks.find_confirmed(batch, before)
            return False
        sending = await self._confirmation.claim(batch, before)
        return bool(sending) and await self._patch(task_id, body, sending, claim)

    async def read_back(self, changes: Sequence[Change], *, final: bool) -> None:
        """Read a task to learn whether a PATCH without an answer arrived."""
        asked_at = self._clock()
        try:
            task = await self._read_task(TaskId(changes[0].target), changes, may_refuse=final)
        except _Unreadable:
            return  # the PATCH may still be on its way: the last look decides
        if task is None:
            return
        fate = fate_of(changes, task)
        sent_at = min([asked_at, *(each.sent_at for each in changes if each.sent_at is not None)])
        has_all = len(fate.arrived) == len(changes)
        if has_all and fate.was_carried_out:
            await self._tasks.confirm(changes, task, sent_at)
        elif final or has_all:
            await self._tasks.resolve(fate, task, MAX_SENDS, sent_at)

    async def _patch(self, task_id: TaskId, body: Json, batch: Sequence[Change], claim: Claim) -> bool:
        asked_at = self._clock()
        if not claim.is_held:
            # Reading took so long that another desk may be changing the task by now.
            await self._confirmation.requeue(batch, wait=0.0, reason="")
            return False
        try:
            after = (await self._client.update_task(task_id, TaskUpdate(**body))).raw
        except ApiError as error:
            if len(batch) > 1 and is_refusal(error):
                # Which of them is refused isn't said: sent one by one, the others go through.
                self._singly.update(change.change_id for change in batch)
                await self._confirmation.requeue(batch, wait=0.0, reason="")
            else:
                await self._confirmation.resolve_failure(batch, error)
            return False
        await self._tasks.confirm(batch, after, asked_at)
        await claim.report(after, asked_at)
        return True

    async def _read_task(
        self, task_id: TaskId, batch: Sequence[Change], *, may_refuse: bool = True
    ) -> Json | None:
        """Read the task; None after the changes were refused because the platform doesn't return it.

        Raises:
            _Unreadable: the platform won't show it, and the changes may not be refused yet.
        """
        try:
            return (await self._client.get_task(task_id)).raw
        except (CredentialsRefused, RateLimited, Redirected):
            raise
        except (Refused, BadRequestInput) as error:
            if not may_refuse:
                raise _Unreadable from error
            await self._confirmation.refuse(batch, str(error))
            return None
        except BadReply as error:
            await self._confirmation.set_wait_reason(batch, f"can't load the task; trying again: {error}")
            raise

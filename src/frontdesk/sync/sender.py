"""Sends the outbox: each change exactly once, never over a colleague (design.md, section 6).

Called by the engine. A task is read before each PATCH; a change whose fate is unknown is settled
by reading back before anything is sent again.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import apsw

from frontdesk.client.client import PlatformClient
from frontdesk.client.errors import (
    Ambiguous,
    ApiError,
    CredentialsMissing,
    CredentialsRefused,
    NotFound,
    NotSent,
    RateLimited,
    ServerError,
)
from frontdesk.contract.ids import ConversationId, TagId, TaskId
from frontdesk.contract.tasks import TaskUpdate
from frontdesk.store import conversations, feed, outbox, tasks
from frontdesk.store.overlay import ASSIGNED, apply_fields, merge_people, same_value
from frontdesk.store.records import Change, ChangeKind, ChangeState, Json
from frontdesk.store.store import Store

SETTLE_AFTER = 35.0
"""Seconds after sending before an unknown change is read back: longer than the write's deadline."""

GATHER_SECONDS = 3.0
"""How long the first of several quick changes waits at most for those that follow it."""

SENDS_MOST = 2
TAGS_REPEAT_WITHIN = 60.0

log = logging.getLogger(__name__)


class Sender:
    """Moves changes of one profile along until each one is settled."""

    def __init__(
        self,
        client: PlatformClient,
        store: Store,
        clock: Callable[[], float],
        owner: str,
        settle_after: float = SETTLE_AFTER,
    ):
        self._client = client
        self._store = store
        self._clock = clock
        self._owner = owner
        self._settle_after = settle_after

    async def adopt(self) -> None:
        """Changes that a dead sender left: nobody knows whether they arrived."""
        await self._store.run(lambda db: outbox.orphan(db, self._owner))

    async def release_held(self) -> None:
        """Queue what is held for undo: the person leaves and undoes nothing any more."""
        now = self._clock()

        def release(db: apsw.Connection) -> None:
            for change in outbox.unsent(db):
                if change.state is ChangeState.HELD:
                    outbox.move(db, change.change_id, ChangeState.QUEUED, now=now, send_after=now)

        await self._store.run(release)

    def next_at(self) -> float | None:
        """When the sender has something to do, Unix seconds; None when all is settled."""
        turns = [self._turn_at(group) for group in self._groups()]
        return min(turns, default=None)

    async def send_due(self) -> None:
        """Send or settle everything that is due, oldest first, one at a time for each target.

        Raises:
            ApiError: the platform can't be worked with now; nothing was lost by it.
        """
        for group in self._groups():
            if self._turn_at(group) <= self._clock():
                await self._advance(group)

    def _groups(self) -> list[list[Change]]:
        """Unsettled changes by target, each in the order in which they were made."""
        groups: dict[str, list[Change]] = {}
        for change in outbox.unsent(self._store.reading):
            groups.setdefault(change.target, []).append(change)
        return list(groups.values())

    def _turn_at(self, group: Sequence[Change]) -> float:
        """When something can be done for a target: quick changes of one task wait for each other."""
        first = group[0]
        if first.state is ChangeState.UNKNOWN:
            return (first.sent_at or 0.0) + self._settle_after
        if first.state is ChangeState.SENDING:
            return float("inf")
        if first.kind is ChangeKind.TAGS:
            return first.send_after
        latest = max(change.send_after for change in group if change.state is ChangeState.HELD or change is first)
        return min(latest, first.send_after + GATHER_SECONDS)

    async def _advance(self, group: list[Change]) -> None:
        first = group[0]
        if first.kind is ChangeKind.TAGS:
            await self._send_tags(first)
            return
        if first.state is ChangeState.UNKNOWN:
            await self._settle_task(first)
            return
        now = self._clock()
        batch = [
            change
            for change in group
            if change.state in (ChangeState.QUEUED, ChangeState.HELD) and change.send_after <= now
        ]
        await self._send_task(batch)

    async def _send_task(self, batch: Sequence[Change]) -> None:
        """One PATCH for all that is queued on a task: each PATCH raises its unread count."""
        task_id = TaskId(batch[0].target)
        try:
            before = (await self._client.get_task(task_id)).raw
        except NotFound as error:
            await self._settle(batch, ChangeState.REFUSED, str(error))
            return
        await self._store.run(lambda db: tasks.put(db, [before], _sweep_of(db, task_id)))
        batch, conflicting = _split_conflicts(batch, before)
        for change in conflicting:
            theirs = {name: before.get(name) for name in change.fields}
            await self._settle([change], ChangeState.CONFLICT, "someone else changed this meanwhile", theirs)
        wanted = before
        for change in batch:
            wanted = apply_fields(wanted, change.fields)
        body = {
            name: wanted[name]
            for change in batch
            for name in change.fields
            if not same_value(name, wanted.get(name), before.get(name))
        }
        if not body:
            await self._settle(batch, ChangeState.CONFIRMED, "it was so already")
            return
        sending = [change for change in batch if await self._claim(change)]
        if len(sending) != len(batch):
            # Something was taken back in this moment; what remains is looked at afresh.
            await self._requeue(sending, 0.0)
            return
        try:
            after = (await self._client.update_task(task_id, TaskUpdate(**body))).raw
        except ApiError as error:
            await self._after_failure(sending, error)
            return
        await self._confirm_task(sending, after)

    async def _settle_task(self, change: Change) -> None:
        """Read a task back to learn whether a PATCH without an answer arrived."""
        task_id = TaskId(change.target)
        try:
            now_raw = (await self._client.get_task(task_id)).raw
        except NotFound as error:
            await self._settle([change], ChangeState.REFUSED, str(error))
            return
        if _holds(now_raw, change.fields):
            await self._confirm_task([change], now_raw)
        elif _untouched(now_raw, change) and change.sends < SENDS_MOST:
            await self._requeue([change], 0.0)
        else:
            theirs = {name: now_raw.get(name) for name in change.fields}
            reason = "the connection broke while sending, and the task is neither as before nor as wanted"
            await self._settle([change], ChangeState.CONFLICT, reason, theirs)

    async def _send_tags(self, change: Change) -> None:
        """Tags can't be read back; the same ids again are harmless within a minute (safety.md, 1.4)."""
        late = change.sent_at is not None and self._clock() - change.made_at > TAGS_REPEAT_WITHIN
        if change.state is ChangeState.UNKNOWN and (late or change.sends >= SENDS_MOST):
            reason = "the connection broke while sending; the platform has no way to read tags back"
            await self._settle([change], ChangeState.CONFLICT, reason)
            return
        if change.state is ChangeState.HELD:
            now = self._clock()
            await self._store.run(lambda db: outbox.move(db, change.change_id, ChangeState.QUEUED, now=now))
        if not await self._claim(change):
            return
        try:
            await self._client.assign_tags(
                ConversationId(change.target), [TagId(tag) for tag in change.fields["tagIds"]]
            )
        except ApiError as error:
            await self._after_failure([change], error)
            return
        await self._settle([change], ChangeState.CONFIRMED, "")

    async def _claim(self, change: Change) -> bool:
        now = self._clock()

        def claim(db: apsw.Connection) -> bool:
            current = outbox.change(db, change.change_id)
            if current is not None and current.state is ChangeState.HELD:
                outbox.move(db, change.change_id, ChangeState.QUEUED, now=now)
            return outbox.claim(db, change.change_id, self._owner, now)

        return await self._store.run(claim)

    async def _after_failure(self, changes: Sequence[Change], error: ApiError) -> None:
        """Not sent: queued again. Perhaps sent: unknown. Answered with a no: refused."""
        log.warning("sending change %s: %s", [change.change_id for change in changes], error)
        if isinstance(error, NotSent | RateLimited | CredentialsRefused | CredentialsMissing):
            wait = getattr(error, "retry_after", None) or 0.0
            await self._requeue(changes, float(wait), str(error))
            raise error
        if isinstance(error, Ambiguous | ServerError):
            for change in changes:
                await self._move(change, ChangeState.UNKNOWN, str(error))
            raise error
        await self._settle(changes, ChangeState.REFUSED, str(error))

    async def _confirm_task(self, changes: Sequence[Change], after: Json) -> None:
        """The platform's row first, then the overlay falls: the card never flickers back."""
        now = self._clock()
        task_id = TaskId(changes[0].target)

        def confirm(db: apsw.Connection) -> None:
            tasks.put(db, [after], _sweep_of(db, task_id))
            for change in changes:
                outbox.move(db, change.change_id, ChangeState.CONFIRMED, now=now)
            tasks.lay_over_again(db, task_id)

        await self._store.run(confirm)

    async def _requeue(self, changes: Sequence[Change], wait: float, reason: str = "") -> None:
        now = self._clock()

        def requeue(db: apsw.Connection) -> None:
            for change in changes:
                outbox.move(
                    db, change.change_id, ChangeState.QUEUED, now=now, reason=reason, send_after=now + wait
                )

        await self._store.run(requeue)

    async def _move(self, change: Change, state: ChangeState, reason: str) -> None:
        now = self._clock()
        await self._store.run(lambda db: outbox.move(db, change.change_id, state, now=now, reason=reason))

    async def _settle(
        self,
        changes: Sequence[Change],
        state: ChangeState,
        reason: str,
        theirs: Mapping[str, Any] | None = None,
    ) -> None:
        """End the way of these changes and take their overlay off."""
        now = self._clock()

        def settle(db: apsw.Connection) -> None:
            for change in changes:
                outbox.move(db, change.change_id, state, now=now, reason=reason, theirs=theirs)
            for change in changes:
                if change.kind is ChangeKind.TASK:
                    tasks.lay_over_again(db, TaskId(change.target))
                else:
                    conversations.mark_pending(db, [change.target])
                    feed.append(db, feed.CONVERSATION, [change.target])

        await self._store.run(settle)


def _split_conflicts(batch: Sequence[Change], before: Json) -> tuple[list[Change], list[Change]]:
    """Changes that may go, and those whose field someone else moved since (people merge)."""
    free: list[Change] = []
    conflicting: list[Change] = []
    expected: dict[str, Any] = {}
    for change in batch:
        clashes = any(
            name != ASSIGNED
            and not same_value(name, before.get(name), value)
            and not same_value(name, before.get(name), expected.get(name, change.base.get(name)))
            for name, value in change.fields.items()
        )
        if clashes:
            conflicting.append(change)
            continue
        free.append(change)
        for name in change.fields:
            expected.setdefault(name, change.base.get(name))
    return free, conflicting


def _holds(task: Json, fields: Json) -> bool:
    """Whether the task is as the fields want it."""
    for name, value in fields.items():
        wanted = merge_people(task.get(name) or (), value) if name == ASSIGNED else value
        if not same_value(name, task.get(name), wanted):
            return False
    return True


def _untouched(task: Json, change: Change) -> bool:
    """Whether the task still has the values from before the change."""
    return all(
        name == ASSIGNED or same_value(name, task.get(name), change.base.get(name)) for name in change.fields
    )


def _sweep_of(db: apsw.Connection, task_id: TaskId) -> int:
    """The walk that last met this task; a single read is no walk."""
    row = db.execute("SELECT sweep FROM tasks WHERE task_id = ?", (task_id,)).fetchone()
    return int(row[0]) if row else 0

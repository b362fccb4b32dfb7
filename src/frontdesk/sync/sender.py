"""Sends the outbox: each change exactly once, never over a colleague (design.md, section 6).

Called by the engine. A task is read before each PATCH; a change whose fate is unknown is settled
by reading back before anything is sent again. What stands in the way of one target stands in the
way of no other.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import apsw

from frontdesk.client.client import PlatformClient
from frontdesk.client.errors import (
    Ambiguous,
    ApiError,
    BadRequestInput,
    CredentialsMissing,
    CredentialsRefused,
    HttpError,
    NotSent,
    RateLimited,
    Redirected,
    Refused,
)
from frontdesk.contract.endpoints import Host
from frontdesk.contract.ids import ConversationId, TagId, TaskId
from frontdesk.contract.tasks import TaskUpdate
from frontdesk.store import conversations, feed, outbox, tasks
from frontdesk.store.overlay import ASSIGNED, lay_over, same_value
from frontdesk.store.records import Change, ChangeKind, ChangeState, Json
from frontdesk.store.store import Store
from frontdesk.sync.backoff import RETRY_AFTER_MOST, Backoff

SETTLE_AFTER = 35.0
"""Seconds after sending before an unknown change is read back: longer than the write's deadline."""

LOOKS_AFTER = (2.0, 8.0, 20.0)
"""Seconds after sending at which an unknown change is looked for earlier: found, it is confirmed
at once; not found, it may still be on its way."""

GATHER_SECONDS = 3.0
"""How long the first of several quick changes waits at most for those that follow it."""

SENDS_MOST = 2
TAGS_REPEAT_WITHIN = 60.0
TARGET_WAIT_MOST = 60.0

_WAITING = (ChangeState.HELD, ChangeState.QUEUED)
_SENT = (ChangeState.SENDING, ChangeState.UNKNOWN)
_HOSTS = {ChangeKind.TASK: Host.BUSINESS, ChangeKind.TAGS: Host.BASE}

log = logging.getLogger(__name__)


class Sender:
    """Moves changes of one profile along until each one is settled."""

    def __init__(
        self,
        client: PlatformClient,
        store: Store,
        backoff: Backoff,
        clock: Callable[[], float],
        owner: str,
        settle_after: float = SETTLE_AFTER,
    ):
        self._client = client
        self._store = store
        self._backoff = backoff
        self._clock = clock
        self._owner = owner
        self._settle_after = settle_after
        self._troubles: dict[str, tuple[int, float]] = {}
        self._looks: dict[int, int] = {}

    async def adopt(self) -> None:
        """Changes that nobody is sending any more: it isn't known whether they arrived."""
        now = self._clock()
        await self._store.run(lambda db: outbox.orphan(db, now))

    async def release_held(self) -> None:
        """Queue what is held for undo: the person leaves and undoes nothing any more."""
        now = self._clock()

        def release(db: apsw.Connection) -> None:
            unsent = outbox.unsent(db)
            outbox.move_all(db, unsent, ChangeState.QUEUED, expected=(ChangeState.HELD,), now=now, send_after=now)

        await self._store.run(release)

    def next_at(self) -> float | None:
        """When the sender has something to do, Unix seconds; None when all is settled."""
        return min((self._turn_at(group) for group in self._groups().values()), default=None)

    async def send_due(self) -> None:
        """Send or settle everything that is due, oldest target first; trouble with one delays that one."""
        if outbox.count(self._store.reading, (ChangeState.SENDING,)):
            await self.adopt()
        for target in self._groups():
            # Read anew: while another target was sent, this one may have been taken back.
            group = outbox.live_for(self._store.reading, target)
            if not group or self._turn_at(group) > self._clock():
                continue
            try:
                await self._advance(group)
            except ApiError as error:
                self._note_trouble(group[0], error)
            else:
                self._troubles.pop(target, None)

    def _groups(self) -> dict[str, list[Change]]:
        """Unsettled changes by target, each in the order in which they were made."""
        groups: dict[str, list[Change]] = {}
        for change in outbox.unsent(self._store.reading):
            groups.setdefault(change.target, []).append(change)
        return groups

    def _turn_at(self, group: Sequence[Change]) -> float:
        """When something can be done for a target: quick changes of one task wait for each other."""
        first = group[0]
        _, trouble_until = self._troubles.get(first.target, (0, 0.0))
        not_before = max(self._backoff.ready_at(_HOSTS[first.kind]), trouble_until)
        if first.state is ChangeState.UNKNOWN:
            return max(not_before, (first.sent_at or 0.0) + self._looks_at(first))
        if first.state is ChangeState.SENDING:
            return not_before
        if first.kind is ChangeKind.TAGS:
            return max(not_before, first.send_after)
        latest = max(change.send_after for change in group if change.state is ChangeState.HELD or change is first)
        return max(not_before, min(latest, first.send_after + GATHER_SECONDS))

    def _looks_at(self, change: Change) -> float:
        """How long after it was sent an unknown change is looked for next."""
        early = [each for each in LOOKS_AFTER if each < self._settle_after]
        looked = self._looks.get(change.change_id, 0)
        return early[looked] if change.kind is ChangeKind.TASK and looked < len(early) else self._settle_after

    def _note_trouble(self, change: Change, error: ApiError) -> None:
        """The host's trouble is everybody's; a single target's delays only that target."""
        if not isinstance(error, HttpError) or isinstance(error, CredentialsRefused | RateLimited | Redirected):
            self._backoff.failed(_HOSTS[change.kind], error)
        times, _ = self._troubles.get(change.target, (0, 0.0))
        wait = min(TARGET_WAIT_MOST, 2.0**times)
        self._troubles[change.target] = (times + 1, self._clock() + wait)

    async def _advance(self, group: list[Change]) -> None:
        first = group[0]
        if first.kind is ChangeKind.TAGS:
            await self._send_tags(first)
        elif first.state is ChangeState.UNKNOWN:
            await self._settle_task([change for change in group if change.state is ChangeState.UNKNOWN])
        else:
            now = self._clock()
            await self._send_task(
                [change for change in group if change.state in _WAITING and change.send_after <= now]
            )

    async def _send_task(self, batch: Sequence[Change]) -> None:
        """One PATCH for all that is queued on a task: each PATCH raises its unread count."""
        task_id = TaskId(batch[0].target)
        before = await self._read_task(task_id, batch)
        if before is None:
            return
        await self._store.run(lambda db: tasks.put(db, [before], _sweep_of(db, task_id)))
        batch, conflicting = _split_conflicts(batch, before)
        for change in conflicting:
            theirs = {name: before.get(name) for name in change.fields}
            await self._settle([change], ChangeState.CONFLICT, "someone else changed this meanwhile", theirs)
        wanted = lay_over(before, batch)
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
            await self._requeue(sending)
            return
        try:
            after = (await self._client.update_task(task_id, TaskUpdate(**body))).raw
        except ApiError as error:
            await self._after_failure(sending, error)
            return
        self._backoff.worked(Host.BUSINESS)
        await self._confirm_task(sending, after)

    async def _settle_task(self, batch: Sequence[Change]) -> None:
        """Read a task back to learn whether a PATCH without an answer arrived."""
        task_id = TaskId(batch[0].target)
        now_raw = await self._read_task(task_id, batch)
        if now_raw is None:
            return
        wanted = lay_over(now_raw, batch)
        touched = {name for change in batch for name in change.fields}
        if all(same_value(name, now_raw.get(name), wanted.get(name)) for name in touched):
            await self._confirm_task(batch, now_raw)
        elif self._clock() < (batch[0].sent_at or 0.0) + self._settle_after:
            self._looks[batch[0].change_id] = self._looks.get(batch[0].change_id, 0) + 1
        elif _untouched(now_raw, batch) and batch[0].sends < SENDS_MOST:
            await self._requeue(batch, sent=True)
        else:
            theirs = {name: now_raw.get(name) for name in touched}
            reason = "the connection broke while sending, and the task is neither as before nor as wanted"
            await self._settle(batch, ChangeState.CONFLICT, reason, theirs)

    async def _read_task(self, task_id: TaskId, batch: Sequence[Change]) -> Json | None:
        """The task now; None after the changes were settled because the platform won't show it."""
        try:
            return (await self._client.get_task(task_id)).raw
        except (CredentialsRefused, RateLimited, Redirected):
            raise
        except (Refused, BadRequestInput) as error:
            await self._settle(batch, ChangeState.REFUSED, str(error))
            return None

    async def _send_tags(self, change: Change) -> None:
        """Tags can't be read back; the same ids again are harmless within a minute (safety.md, 1.4)."""
        if change.state is ChangeState.UNKNOWN and (
            change.sends >= SENDS_MOST or self._clock() - change.made_at > TAGS_REPEAT_WITHIN
        ):
            reason = "the connection broke while sending; the platform has no way to read tags back"
            await self._settle([change], ChangeState.CONFLICT, reason)
            return
        if not await self._claim(change):
            return
        try:
            await self._client.assign_tags(
                ConversationId(change.target), [TagId(tag) for tag in change.fields["tagIds"]]
            )
        except ApiError as error:
            await self._after_failure([change], error)
            return
        self._backoff.worked(Host.BASE)
        await self._settle([change], ChangeState.CONFIRMED, "")

    async def _claim(self, change: Change) -> bool:
        now = self._clock()
        return await self._store.run(lambda db: outbox.claim(db, change.change_id, self._owner, now))

    async def _after_failure(self, changes: Sequence[Change], error: ApiError) -> None:
        """Not sent: queued again. Perhaps sent: unknown. Answered with a no: refused."""
        log.warning("sending changes %s: %s", [change.change_id for change in changes], type(error).__name__)
        if isinstance(error, NotSent | RateLimited | CredentialsRefused | CredentialsMissing | Redirected):
            wait = min(float(getattr(error, "retry_after", None) or 0.0), RETRY_AFTER_MOST)
            await self._requeue(changes, wait=wait, reason=str(error))
            raise error
        if isinstance(error, Ambiguous):
            now = self._clock()
            reason = str(error)

            def doubt(db: apsw.Connection) -> None:
                outbox.move_all(
                    db, changes, ChangeState.UNKNOWN, expected=(ChangeState.SENDING,), now=now, reason=reason
                )

            await self._store.run(doubt)
            raise error
        await self._settle(changes, ChangeState.REFUSED, str(error))

    async def _confirm_task(self, changes: Sequence[Change], after: Json) -> None:
        """The platform's row first, then the overlay falls: the card never flickers back."""
        now = self._clock()
        task_id = TaskId(changes[0].target)

        def confirm(db: apsw.Connection) -> None:
            tasks.put(db, [after], _sweep_of(db, task_id))
            outbox.move_all(db, changes, ChangeState.CONFIRMED, expected=_SENT, now=now)
            tasks.lay_over_again(db, task_id)

        await self._store.run(confirm)

    async def _requeue(
        self, changes: Sequence[Change], *, wait: float = 0.0, reason: str = "", sent: bool = False
    ) -> None:
        """Queue again; what never left does not count as sent."""
        now = self._clock()

        def requeue(db: apsw.Connection) -> None:
            moved = outbox.move_all(
                db, changes, ChangeState.QUEUED, expected=_SENT, now=now, reason=reason, send_after=now + wait
            )
            for change in () if sent else moved:
                outbox.take_send_back(db, change.change_id)

        await self._store.run(requeue)

    async def _settle(
        self,
        changes: Sequence[Change],
        state: ChangeState,
        reason: str,
        theirs: Mapping[str, Any] | None = None,
    ) -> None:
        """End the way of those that are still as they were seen, and take their overlay off."""
        now = self._clock()

        def settle(db: apsw.Connection) -> None:
            moved = outbox.move_all(
                db, changes, state, expected=(*_WAITING, *_SENT), now=now, reason=reason, theirs=theirs
            )
            for change in () if state is ChangeState.CONFIRMED else moved:
                outbox.rebase_followers(db, change)
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


def _untouched(task: Json, batch: Sequence[Change]) -> bool:
    """Whether the task still has the values from before the first of the changes."""
    base: dict[str, Any] = {}
    for change in batch:
        for name in change.fields:
            base.setdefault(name, change.base.get(name))
    return all(name == ASSIGNED or same_value(name, task.get(name), value) for name, value in base.items())


def _sweep_of(db: apsw.Connection, task_id: TaskId) -> int:
    """The walk that last met this task; a single read is no walk."""
    row = db.execute("SELECT sweep FROM tasks WHERE task_id = ?", (task_id,)).fetchone()
    return int(row[0]) if row else 0

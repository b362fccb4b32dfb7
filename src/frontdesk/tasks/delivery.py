"""Sends changes of a task: read before each PATCH, one PATCH for all that is queued, never over a colleague.

Called by the sender; `conflicts` judges what a task that was read means, `TaskConfirmation` writes it down.
"""

from collections.abc import Callable, Sequence

from frontdesk.api.client.client import PlatformClient
from frontdesk.api.client.errors import (
    ApiError,
    BadReply,
    BadRequestInput,
    CredentialsRefused,
    RateLimited,
    Redirected,
    Refused,
)
from frontdesk.api.contract.endpoints import Host
from frontdesk.api.contract.ids import TaskId
from frontdesk.api.contract.tasks import TaskUpdate
from frontdesk.outbox import queue
from frontdesk.outbox.confirmation import MAX_SENDS, MEANWHILE, WAITING, Confirmation, is_refusal
from frontdesk.outbox.conflicts import collisions, fate_of
from frontdesk.outbox.overlay import lay_over, same_value
from frontdesk.storage.database import Store
from frontdesk.storage.records import Change, Json
from frontdesk.tasks.confirmation import TaskConfirmation


class _Unreadable(Exception):
    """The platform refuses to show a task."""


class TaskDelivery:
    """Delivers changes of tasks."""

    host = Host.BUSINESS
    joins_changes = True
    can_read_back = True

    def __init__(
        self, client: PlatformClient, store: Store, confirmation: Confirmation, clock: Callable[[], float]
    ):
        self._client = client
        self._store = store
        self._confirmation = confirmation
        self._tasks = TaskConfirmation(store, clock)
        self._singly: set[int] = set()

    async def send(self, changes: Sequence[Change]) -> bool:
        """Send one PATCH for all that is queued on a task: each PATCH raises its unread count."""
        batch = [*(changes[:1] if changes[0].change_id in self._singly else changes)]
        task_id = TaskId(batch[0].target)
        before = await self._read_task(task_id, batch)
        if before is None:
            return False
        await self._tasks.put_row(before)
        colliding = collisions(batch, before)
        if colliding:
            fields = {change.change_id: tuple(change.fields) for change in colliding}
            await self._tasks.collide(fields, before, MEANWHILE)
            # What remains begins elsewhere now.
            left = {change.change_id for change in batch} - fields.keys()
            live = queue.live_for(self._store.reading, task_id)
            batch = [change for change in live if change.change_id in left and change.state in WAITING]
            if not batch:
                return False
        wanted = lay_over(before, batch)
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
        return bool(sending) and await self._patch(task_id, body, sending)

    async def read_back(self, changes: Sequence[Change], *, final: bool) -> None:
        """Read a task to learn whether a PATCH without an answer arrived."""
        try:
            task = await self._read_task(TaskId(changes[0].target), changes, may_refuse=final)
        except _Unreadable:
            return  # the PATCH may still be on its way: the last look decides
        if task is None:
            return
        fate = fate_of(changes, task)
        if len(fate.arrived) == len(changes):
            await self._tasks.confirm(changes, task)
        elif final:
            await self._tasks.resolve(fate, task, MAX_SENDS)

    async def _patch(self, task_id: TaskId, body: Json, batch: Sequence[Change]) -> bool:
        try:
            after = (await self._client.update_task(task_id, TaskUpdate(**body))).raw
        except ApiError as error:
            if len(batch) > 1 and is_refusal(error):
                # Which of them is refused isn't said: sent one by one, the others go through.
                self._singly.update(change.change_id for change in batch)
                await self._confirmation.queue_again(batch, wait=0.0, reason="")
            else:
                await self._confirmation.resolve_failure(batch, error)
            return False
        await self._tasks.confirm(batch, after)
        return True

    async def _read_task(
        self, task_id: TaskId, batch: Sequence[Change], *, may_refuse: bool = True
    ) -> Json | None:
        """The task now; None after the changes were refused because the platform won't show it.

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
            await self._confirmation.wait_for(batch, f"the task can't be read, and is tried again: {error}")
            raise

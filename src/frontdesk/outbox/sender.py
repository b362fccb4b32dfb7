"""Sends the outbox: each change exactly once, never over a colleague.

Called by the engine. A task is read before each PATCH; a change whose fate is unknown is settled
by reading back before anything is sent again. What stands in the way of one target stands in the
way of no other. `conflicts` judges, `confirmation` writes.
"""

import logging
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Protocol

from frontdesk.api.client.client import PlatformClient
from frontdesk.api.client.errors import (
    ABOUT_HOST,
    Ambiguous,
    ApiError,
    BadReply,
    BadRequestInput,
    CredentialsMissing,
    CredentialsRefused,
    HttpError,
    NotSent,
    RateLimited,
    Redirected,
    Refused,
)
from frontdesk.api.contract.endpoints import Host
from frontdesk.api.contract.ids import ConversationId, TagId, TaskId
from frontdesk.api.contract.tasks import TaskUpdate
from frontdesk.campaigns.delivery import CampaignDelivery
from frontdesk.outbox import queue
from frontdesk.outbox.confirmation import MAX_SENDS, MEANWHILE, WAITING, Confirmation
from frontdesk.outbox.conflicts import collisions, fate_of
from frontdesk.outbox.overlay import lay_over, same_value
from frontdesk.storage.database import Store
from frontdesk.storage.records import Change, ChangeKind, ChangeState, Json
from frontdesk.sync.backoff import MAX_RETRY_AFTER, Backoff
from frontdesk.workflows.confirmation import WorkflowConfirmation
from frontdesk.workflows.delivery import WorkflowDelivery
from frontdesk.workflows.webhook_delivery import WebhookDelivery

SETTLE_AFTER = 35.0
"""Seconds after its answer was given up before an unknown change is read back for good: longer than
a platform works on a request."""

LOOKS_AFTER = (2.0, 8.0, 20.0)
"""Seconds at which an unknown change is looked for earlier: found, it is confirmed at once; not
found, it may still be on its way."""

GATHER_SECONDS = 3.0
"""How long the first of several quick changes waits at most for those that follow it."""

TAGS_REPEAT_WITHIN = 60.0
MAX_TARGET_WAIT = 60.0

CLOCK_SLACK = 2.0
"""A time further ahead than this was written before the clock was set back."""

_HOSTS = {
    ChangeKind.TASK: Host.BUSINESS,
    ChangeKind.TAGS: Host.BASE,
    ChangeKind.CAMPAIGN: Host.CAMPAIGNS,
    ChangeKind.WORKFLOW_CREATE: Host.WORKFLOWS,
    ChangeKind.WORKFLOW_UPDATE: Host.WORKFLOWS,
    ChangeKind.ANALYTICS_RESET: Host.WORKFLOWS,
    ChangeKind.WEBHOOK_DELETE: Host.BASE,
}

_NOT_LOOKED_FOR = (ChangeKind.TAGS, ChangeKind.WEBHOOK_DELETE)
"""What nothing reads back."""

_Target = tuple[str, str]
"""What kind of thing, and its id."""

log = logging.getLogger(__name__)


class _Part(Protocol):
    """How one kind of thing is sent that goes alone."""

    async def send(self, change: Change) -> bool:
        """Send it; whether the platform answered with a yes."""

    async def look(self, change: Change, *, is_last: bool) -> None:
        """Find out what became of it."""


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
        self._settling = Confirmation(store, clock, owner)
        writes = WorkflowConfirmation(store, clock, owner)
        shared = (client, store, self._settling)
        workflows = WorkflowDelivery(*shared, writes, clock, self._after_failure)
        self._parts: dict[str, _Part] = {
            "campaign": CampaignDelivery(*shared, clock, self._after_failure),
            "workflow": workflows,
            "webhook": WebhookDelivery(*shared, writes, clock, self._after_failure),
        }
        self._backoff = backoff
        self._clock = clock
        self._settle_after = settle_after
        self._troubles: dict[_Target, tuple[int, float]] = {}
        self._looks: dict[int, int] = {}
        self._singly: set[int] = set()

    async def adopt(self) -> None:
        """Changes that nobody is sending any more: it isn't known whether they arrived."""
        await self._settling.adopt()

    async def release_held(self) -> None:
        """Queue what is held for undo: the person leaves and undoes nothing any more."""
        await self._settling.release_held()

    def next_at(self) -> float | None:
        """When the sender has something to do, Unix seconds; None when all is settled."""
        doubts = self._doubts()
        return min((self._turn_at(group, doubts) for group in self._groups().values()), default=None)

    async def send_due(self) -> None:
        """Send or settle everything that is due, oldest target first; trouble with one delays that one."""
        if queue.count(self._store.reading, (ChangeState.SENDING,)):
            await self.adopt()
        for about, target in self._groups():
            # Read anew: while another target was sent, this one may have been taken back.
            live = queue.live_for(self._store.reading, target)
            group = [each for each in live if each.kind.about == about]
            if not group or self._turn_at(group, self._doubts()) > self._clock():
                continue
            try:
                await self._advance(group)
            except ApiError as error:
                self._note_trouble(group[0], error)
            else:
                self._troubles.pop((about, target), None)

    def _groups(self) -> dict[_Target, list[Change]]:
        """Unsettled changes by what they are about, each in the order in which they were made."""
        groups: dict[_Target, list[Change]] = {}
        for change in queue.unsent(self._store.reading):
            groups.setdefault(_target(change), []).append(change)
        return groups

    def _doubts(self) -> dict[str, float]:
        """Targets on which something that was given up may still arrive: nothing may overtake it."""
        found = queue.given_up_in_doubt(self._store.reading, self._clock() - self._settle_after)
        return {target: sent_at for target, sent_at in found.items() if not self._is_ahead(sent_at)}

    def _turn_at(self, group: Sequence[Change], doubts: dict[str, float]) -> float:
        """When something can be done for a target: quick changes of one task wait for each other."""
        first = group[0]
        _, trouble_until = self._troubles.get(_target(first), (0, 0.0))
        not_before = max(self._backoff.ready_at(_HOSTS[first.kind]), trouble_until)
        if first.target in doubts:
            not_before = max(not_before, doubts[first.target] + self._settle_after)
        if first.state is ChangeState.UNKNOWN:
            return not_before if self._is_ahead(first.sent_at) else max(not_before, self._look_at(first))
        if first.state is ChangeState.SENDING:
            return not_before
        begins_at = self._due_at(first)
        if first.kind is not ChangeKind.TASK:
            return max(not_before, begins_at)
        held = [self._due_at(change) for change in group if change.state is ChangeState.HELD]
        return max(not_before, min(max([begins_at, *held]), begins_at + GATHER_SECONDS))

    def _due_at(self, change: Change) -> float:
        """When a waiting change may go; at once, if the clock was set back behind its making."""
        return 0.0 if self._is_ahead(change.made_at) else change.send_after

    def _is_ahead(self, at: float | None) -> bool:
        return at is not None and at > self._clock() + CLOCK_SLACK

    def _look_at(self, change: Change) -> float:
        """When an unknown change is looked for next."""
        early = [each for each in LOOKS_AFTER if each < self._settle_after]
        looked = self._looks.get(change.change_id, 0)
        is_early = change.kind not in _NOT_LOOKED_FOR and looked < len(early)
        return (change.sent_at or 0.0) + (early[looked] if is_early else self._settle_after)

    def _note_trouble(self, change: Change, error: ApiError) -> None:
        """The host's trouble is everybody's; a single target's delays only that target."""
        if not isinstance(error, HttpError | BadReply) or isinstance(error, ABOUT_HOST):
            self._backoff.failed(_HOSTS[change.kind], error)
        times, _ = self._troubles.get(_target(change), (0, 0.0))
        wait = min(MAX_TARGET_WAIT, 2.0**times)
        self._troubles[_target(change)] = (times + 1, self._clock() + wait)

    async def _advance(self, group: list[Change]) -> None:
        first = group[0]
        unknown = [change for change in group if change.state is ChangeState.UNKNOWN]
        if any(self._is_ahead(change.sent_at) for change in unknown):
            await self._settling.doubt_afresh(unknown)
        elif first.kind is ChangeKind.TAGS:
            await self._send_tags(first)
        elif first.kind.about in self._parts:
            await self._advance_apart(first, self._parts[first.kind.about])
        elif unknown:
            await self._read_back(unknown)
        else:
            await self._send_task(self._batch(group))

    def _batch(self, group: Sequence[Change]) -> list[Change]:
        """What goes into the next PATCH, in order: nothing overtakes what still waits."""
        now = self._clock()
        due = [*takewhile(lambda change: change.state in WAITING and self._due_at(change) <= now, group)]
        return due[:1] if due and due[0].change_id in self._singly else due

    async def _send_task(self, batch: list[Change]) -> None:
        """One PATCH for all that is queued on a task: each PATCH raises its unread count."""
        if not batch:
            return
        task_id = TaskId(batch[0].target)
        before = await self._read_task(task_id, batch)
        if before is None:
            return
        await self._settling.put_row(before)
        colliding = collisions(batch, before)
        if colliding:
            fields = {change.change_id: tuple(change.fields) for change in colliding}
            await self._settling.collide(fields, before, MEANWHILE)
            # What remains begins elsewhere now.
            left = {change.change_id for change in batch} - fields.keys()
            live = queue.live_for(self._store.reading, task_id)
            batch = [change for change in live if change.change_id in left and change.state in WAITING]
            if not batch:
                return
        wanted = lay_over(before, batch)
        body = {
            name: wanted[name]
            for change in batch
            for name in change.fields
            if not same_value(name, wanted.get(name), before.get(name))
        }
        if not body:
            await self._settling.find_confirmed(batch, before)
        elif sending := await self._settling.claim(batch, before):
            await self._patch(task_id, body, sending)

    async def _patch(self, task_id: TaskId, body: Json, batch: list[Change]) -> None:
        try:
            after = (await self._client.update_task(task_id, TaskUpdate(**body))).raw
        except ApiError as error:
            await self._after_failure(batch, error)
            return
        self._backoff.worked(Host.BUSINESS)
        await self._settling.confirm(batch, after)

    async def _read_back(self, sent: list[Change]) -> None:
        """Read a task to learn whether a PATCH without an answer arrived."""
        first = sent[0]
        task = await self._read_task(TaskId(first.target), sent)
        if task is None:
            return
        fate = fate_of(sent, task)
        if len(fate.arrived) == len(sent):
            await self._settling.confirm(sent, task)
        elif self._clock() < (first.sent_at or 0.0) + self._settle_after:
            self._looks[first.change_id] = self._looks.get(first.change_id, 0) + 1
        else:
            await self._settling.settle(fate, task, MAX_SENDS)

    async def _read_task(self, task_id: TaskId, batch: Sequence[Change]) -> Json | None:
        """The task now; None after the changes were settled because the platform won't show it."""
        try:
            return (await self._client.get_task(task_id)).raw
        except (CredentialsRefused, RateLimited, Redirected):
            raise
        except (Refused, BadRequestInput) as error:
            await self._settling.refuse(batch, str(error))
            return None
        except BadReply as error:
            await self._settling.wait_for(batch, f"the task can't be read, and is tried again: {error}")
            raise

    async def _send_tags(self, change: Change) -> None:
        """Tags can't be read back; the same ids again are harmless within a minute."""
        if change.state is ChangeState.UNKNOWN and (
            change.sends >= MAX_SENDS or self._clock() - change.made_at > TAGS_REPEAT_WITHIN
        ):
            why = change.reason or "no clear answer came"
            await self._settling.mark_needs_decision(change, f"{why}; the platform has no way to read tags back")
            return
        if not await self._settling.claim([change]):
            return
        try:
            await self._client.assign_tags(
                ConversationId(change.target), [TagId(tag) for tag in change.fields["tagIds"]]
            )
        except ApiError as error:
            await self._after_failure([change], error)
            return
        self._backoff.worked(Host.BASE)
        await self._settling.confirm_tags(change)

    async def _advance_apart(self, change: Change, part: "_Part") -> None:
        """What is sent alone: looked for where nobody knows what became of it, else sent when it is due."""
        if change.state is ChangeState.UNKNOWN:
            is_last = self._clock() >= (change.sent_at or 0.0) + self._settle_after
            self._looks[change.change_id] = self._looks.get(change.change_id, 0) + 1
            await part.look(change, is_last=is_last)
        elif self._due_at(change) <= self._clock() and await part.send(change):
            self._backoff.worked(_HOSTS[change.kind])

    async def _after_failure(self, changes: Sequence[Change], error: ApiError) -> None:
        """Not sent: queued again. Perhaps sent: unknown. Answered with a no: refused."""
        log.warning("sending changes %s: %s", [change.change_id for change in changes], type(error).__name__)
        if isinstance(error, NotSent | RateLimited | CredentialsRefused | CredentialsMissing | Redirected):
            wait = min(float(getattr(error, "retry_after", None) or 0.0), MAX_RETRY_AFTER)
            await self._settling.queue_again(changes, wait=wait, reason=str(error))
            raise error
        if isinstance(error, Ambiguous):
            await self._settling.doubt(changes, str(error))
            raise error
        if len(changes) > 1:
            # Which of them is refused isn't said: sent one by one, the others go through.
            self._singly.update(change.change_id for change in changes)
            await self._settling.queue_again(changes, wait=0.0, reason="")
        else:
            await self._settling.refuse(changes, str(error))


def _target(change: Change) -> _Target:
    return change.kind.about, change.target

"""Delivery of changes: the interface of each kind, and `Confirmation`, the transitions while they are sent.

Features implement `Delivery`; the app composes the registry and passes it to the `Sender`.
"""

import logging
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

import apsw

from frontdesk.outbox import queue as outbox_queue
from frontdesk.outbox.changes import ChangeHandlers, rebuild_overlay, update_lists
from frontdesk.outbox.labels import SOMEONE_ELSE
from frontdesk.storage.database import Store
from frontdesk.storage.records import Change, ChangeKind, ChangeState, Json
from frontdesk_api.client.errors import (
    MAX_RETRY_AFTER,
    Ambiguous,
    ApiError,
    CredentialsMissing,
    CredentialsRefused,
    NotSent,
    RateLimited,
    Redirected,
)

if TYPE_CHECKING:  # a command that changes nothing on the platform needs no HTTP
    from frontdesk_api.client.client import PlatformClient
    from frontdesk_api.contract.endpoints import Host

Result = TypeVar("Result")

WAITING = (ChangeState.HELD, ChangeState.QUEUED)
SENT = (ChangeState.SENDING, ChangeState.UNKNOWN)
MEANWHILE = f"{SOMEONE_ELSE} changed this in the meantime"
SO_ALREADY = "the platform already had this"

MAX_SENDS = 2
"""Maximum number of automatic sends of a change without an answer."""

MAX_WAITS = 3_600.0
"""Maximum wait of a change in seconds; a longer one, as on a machine that slept, needs a decision."""

WAITED_LONG = "not sent, because it waited for over an hour; resend it or discard it"

MAX_AGE = 86_400.0
"""Maximum wait of a task's or tag's change in seconds, after which a person has to decide: it may be outdated."""

WAITED_DAY = "not sent, because it waited for over a day; resend it or discard it"

_NOT_CARRIED_OUT = NotSent | RateLimited | CredentialsRefused | CredentialsMissing | Redirected
"""Errors after which nothing was changed, and the same change may be sent again."""

log = logging.getLogger(__name__)


def is_refusal(error: ApiError) -> bool:
    """Return whether the platform refused the content, so that sending it again is of no use."""
    return not isinstance(error, _NOT_CARRIED_OUT | Ambiguous)


class Confirmation:
    """The outbox's side of sending, the same for every kind of change."""

    def __init__(self, store: Store, handlers: ChangeHandlers, clock: Callable[[], float], owner: str):
        self._store = store
        self._handlers = handlers
        self._clock = clock
        self.owner = owner

    async def adopt_orphans(self) -> None:
        """Mark changes of ended processes as unknown, and repair actions that a kill left half done."""

        def adopt(db: apsw.Connection, now: float) -> None:
            outbox_queue.mark_orphans_unknown(db, now)
            rebuild_overlay(db, self._handlers)

        await self._write(adopt)

    async def release_held(self) -> None:
        """Queue held changes, since the person leaves and can't undo any more."""

        def release(db: apsw.Connection, now: float) -> None:
            held = outbox_queue.unsent(db)
            outbox_queue.move_all(
                db, held, ChangeState.QUEUED, expected=(ChangeState.HELD,), now=now, send_after=now
            )

        await self._write(release)

    async def claim(self, changes: Sequence[Change], before: Json | None = None) -> list[Change]:
        """Mark the changes of one request as being sent; return none if they changed and must be loaded again.

        Args:
            before: the target as fetched right before, so that values it already had don't count as arrived.
        """
        begins = {} if before is None else {name: before.get(name) for change in changes for name in change.fields}
        return await self._write(lambda db, now: outbox_queue.claim(db, changes, self.owner, now, begins))

    async def confirm(self, change: Change) -> None:
        """Confirm a change that has no other stored data."""
        await self._end([change], ChangeState.CONFIRMED, "")

    async def refuse(self, changes: Sequence[Change], reason: str) -> None:
        """Mark refused changes: none of them is in transit, and lists no longer show them."""
        await self._end(changes, ChangeState.REFUSED, reason)

    async def set_aside_old(self, changes: Sequence[Change]) -> bool:
        """Leave unsent changes of yesterday to the person; return whether there are any among these."""
        old = [each for each in changes if not each.sends and self._clock() - each.made_at > MAX_AGE]
        if old:
            await self._end(old, ChangeState.CONFLICT, WAITED_DAY)
        return bool(old)

    async def mark_needs_decision(self, change: Change, reason: str) -> None:
        """Leave a change with an unknowable outcome to the person."""
        await self._end([change], ChangeState.CONFLICT, reason)

    async def mark_unknown(self, changes: Sequence[Change], reason: str) -> None:
        """Mark changes without an answer: their request was sent and may still be processed."""

        def mark(db: apsw.Connection, now: float) -> None:
            moved = outbox_queue.move_all(
                db, changes, ChangeState.UNKNOWN, expected=(ChangeState.SENDING,), now=now, reason=reason
            )
            outbox_queue.restart_transit(db, moved, now)

        await self._write(mark)

    async def requeue(self, changes: Sequence[Change], *, wait: float, reason: str) -> None:
        """Send changes later that are known to have changed nothing."""

        def queue(db: apsw.Connection, now: float) -> None:
            moved = outbox_queue.move_all(
                db, changes, ChangeState.QUEUED, expected=SENT, now=now, reason=reason, send_after=now + wait
            )
            outbox_queue.uncount_sends(db, moved)

        await self._write(queue)

    async def set_wait_reason(self, changes: Sequence[Change], reason: str) -> None:
        """Record why due changes wait."""
        waiting = [each for each in changes if each.state in WAITING and each.reason != reason]
        if waiting:
            move = partial(outbox_queue.move_all, state=ChangeState.QUEUED, expected=WAITING, reason=reason)
            await self._write(lambda db, now: move(db, waiting, now=now))

    async def resolve_failure(self, changes: Sequence[Change], error: ApiError) -> None:
        """Requeue unsent changes, mark possibly sent ones unknown, reject refused ones.

        Raises:
            ApiError: the error itself, if it isn't an answer about these changes.
        """
        log.warning("couldn't send changes %s: %s", [change.change_id for change in changes], type(error).__name__)
        if isinstance(error, _NOT_CARRIED_OUT):
            wait = min(float(getattr(error, "retry_after", None) or 0.0), MAX_RETRY_AFTER)
            await self.requeue(changes, wait=wait, reason=str(error))
            raise error
        if isinstance(error, Ambiguous):
            await self.mark_unknown(changes, str(error))
            raise error
        await self.refuse(changes, str(error))

    async def _end(self, changes: Sequence[Change], state: ChangeState, reason: str) -> None:
        await self._write(partial(end_changes, self._handlers, changes, state, reason))

    async def _write(self, job: Callable[..., Result]) -> Result:
        """Run `job` with the connection and the time of this call, `now`, in one transaction."""
        return await self._store.run(partial(job, now=self._clock()))


def end_changes(
    handlers: ChangeHandlers,
    changes: Sequence[Change],
    state: ChangeState,
    reason: str,
    db: apsw.Connection,
    now: float,
) -> None:
    """Confirm or refuse changes, or leave them to a person's decision."""
    moved = outbox_queue.move_all(db, changes, state, expected=(*WAITING, *SENT), now=now, reason=reason)
    if state is ChangeState.REFUSED:
        outbox_queue.uncount_sends(db, moved)
        for change in moved:
            handlers[change.kind].clean_up_refused(db, change)
    if state is not ChangeState.CONFIRMED:
        for change in moved:
            outbox_queue.rebase_followers(db, change)
    update_lists(db, handlers, changes)


class Delivery(Protocol):
    """Sending of one kind of change.

    Attributes:
        host: the receiver; an error delays everything that goes there.
        joins_changes: whether several quick changes of one target go in one request.
        can_read_back: whether the platform shows that a change arrived, so that an early fetch may confirm it.
    """

    @property
    def host(self) -> "Host": ...

    @property
    def joins_changes(self) -> bool: ...

    @property
    def can_read_back(self) -> bool: ...

    async def send(self, changes: Sequence[Change]) -> bool:
        """Send due changes of one target; return whether the platform accepted them."""

    async def read_back(self, changes: Sequence[Change], *, final: bool) -> None:
        """Find out whether changes arrived whose answer was lost.

        Args:
            final: whether they can't arrive any more, so each is resolved now: confirmed, resent or undecided.
        """


class PlatformDelivery:
    """A base class with platform, store, `Confirmation` and clock (Unix seconds)."""

    def __init__(
        self, client: "PlatformClient", store: Store, confirmation: Confirmation, clock: Callable[[], float]
    ) -> None:
        self._client = client
        self._store = store
        self._confirmation = confirmation
        self._clock = clock


Deliveries = Mapping[ChangeKind, Delivery]
"""The registry with a delivery for each kind of change."""


class HostBackoff(Protocol):
    """Decides when each host may be used again."""

    def ready_at(self, host: "Host") -> float:
        """Return when the host may be used again, in Unix seconds."""

    def note_success(self, host: "Host") -> None: ...

    def note_failure(self, host: "Host", error: ApiError, read: Hashable = None) -> None: ...

"""Sends the outbox: each change exactly once (docs/architecture.md, Sending changes).

A change with an unknown outcome is fetched before anything is sent again, and a delay of one target delays no
other. Each kind has its `Delivery`.
"""

import logging
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Collection, Sequence
from itertools import takewhile

from frontdesk.outbox import queue
from frontdesk.outbox.bulk import MANY
from frontdesk.outbox.delivery import WAITING, Confirmation, Deliveries, Delivery, HostBackoff
from frontdesk.storage.database import Store
from frontdesk.storage.records import Change, ChangeState
from frontdesk_api.client.errors import ABOUT_HOST, ApiError, BadReply, HttpError

SETTLE_AFTER = 35.0
"""Seconds without an answer before the final read-back, longer than a platform works on a request."""

EARLY_READ_BACKS = (2.0, 8.0, 20.0)
"""Seconds before early read-backs: a change found is confirmed; one not found may still be in transit."""

GATHER_SECONDS = 3.0
"""Maximum wait of the first of several quick changes for the next, in seconds."""

MAX_TARGET_WAIT, MAX_STUCK_WAIT = 60.0, 2.0
"""Maximum delay of a target in seconds: after errors, and after attempts that changed nothing."""

MAX_DOUBLINGS = 6
"""Maximum number of doublings of a target's delay: then it is longer than either limit."""

COMPARE_SECONDS = 1.0
"""Seconds after which due targets are compared again while sending: for 2,000 that takes 20 ms."""

CLOCK_SLACK = 2.0
"""Maximum seconds by which a stored time may be ahead; a later one is from before the clock was set back."""

Target = tuple[str, str]
"""Kind and id of a target."""

log = logging.getLogger(__name__)


class Sender:
    """Moves the changes of one profile along until each one is settled.

    Args:
        clock: Unix seconds.
        settle_after: how long a request without an answer may be in transit, in seconds.
        check_clocks: adjusts what is stored if the clock was set.

    Attributes:
        only: the targets whose changes are sent; None for all. A command sends its own and leaves the others.
        errors: the last error of each target that failed and is tried again later.
    """

    def __init__(
        self,
        store: Store,
        confirmation: Confirmation,
        deliveries: Deliveries,
        backoff: HostBackoff,
        clock: Callable[[], float],
        settle_after: float = SETTLE_AFTER,
        check_clocks: Callable[[], Awaitable[None]] | None = None,
    ):
        self._store, self._deliveries = store, deliveries
        self.confirmation, self._backoff = confirmation, backoff
        self._clock, self._settle_after, self._check_clocks = clock, settle_after, check_clocks
        self.only: Collection[Target] | None = None
        self.errors: dict[Target, ApiError] = {}
        self.delays: dict[Target, tuple[int, float]] = {}
        self._read_backs: dict[int, int] = {}

    def next_at(self) -> float | None:
        """Return when the sender has work next, in Unix seconds, or `None` if all is settled."""
        in_transit = self._in_transit()
        return min((self._next_at(group, in_transit) for group in self._groups().values()), default=None)

    async def send_due(self) -> None:
        """Send or settle every due target in turn; an error delays only its target.

        Due targets are compared again if a change was made in between: a single one is sent next, although a
        bulk change isn't finished.
        """
        if queue.count(self._store.reading, (ChangeState.SENDING,)):
            await self.confirmation.adopt_orphans()
        due: deque[Target] = deque()
        compared: tuple[int, float] | None = None
        while True:
            now = (queue.newest(self._store.reading), self._clock() // COMPARE_SECONDS)
            if not due or now != compared:
                due, compared = deque(self._due_targets()), now
                if not due:
                    return
            target = due.popleft()
            if self._check_clocks is not None:
                # Sending took time; if the clock was changed, this target's window may be over.
                await self._check_clocks()
            # Load again: the change may have been undone while the clocks were compared.
            group = self._group(target)
            if not self._is_due(group):
                continue
            try:
                await self._advance(group)
            except ApiError as error:
                self.errors[target] = error
                self._delay_target(target, MAX_TARGET_WAIT)
                if not isinstance(error, HttpError | BadReply) or isinstance(error, ABOUT_HOST):
                    self._backoff.note_failure(self._deliveries[group[0].kind].host, error, target)
            else:
                self.errors.pop(target, None)
                left = self._group(target)
                if self._is_due(left) and left[0].change_id == group[0].change_id:
                    self._delay_target(target, MAX_STUCK_WAIT)
                else:
                    self.delays.pop(target, None)

    def _due_targets(self) -> list[Target]:
        """Return the due targets, oldest first, those with a change of a small batch before the others."""
        groups, in_transit = self._groups(), self._in_transit()
        sizes = Counter(change.batch for group in groups.values() for change in group)
        due = (target for target, group in groups.items() if self._next_at(group, in_transit) <= self._clock())
        return sorted(due, key=lambda target: min(sizes[each.batch] for each in groups[target]) > MANY)

    def _group(self, target: Target) -> list[Change]:
        about, target_id = target
        live = queue.live_for(self._store.reading, target_id)
        return [each for each in live if each.kind.about == about and each.kind in self._deliveries]

    def _is_due(self, group: Sequence[Change]) -> bool:
        return bool(group) and self._next_at(group, self._in_transit()) <= self._clock()

    def _groups(self) -> dict[Target, list[Change]]:
        """Return the unsettled changes of kinds that are sent here, by target, each in order of creation."""
        groups: dict[Target, list[Change]] = {}
        if self.only is not None and len(self.only) == 1:  # a command with 5,000 changes sends one after the other
            ((_, target_id),) = self.only
            unsent = queue.live_for(self._store.reading, target_id)
        else:
            unsent = queue.unsent(self._store.reading)
        for change in unsent:
            if change.kind in self._deliveries and (self.only is None or target_of(change) in self.only):
                groups.setdefault(target_of(change), []).append(change)
        return groups

    def _in_transit(self) -> dict[str, float]:
        """Return targets of dropped changes that may still arrive: nothing may overtake them."""
        return queue.dropped_in_transit(self._store.reading, self._clock() - self._settle_after)

    def _next_at(self, group: Sequence[Change], in_transit: dict[str, float]) -> float:
        """Return when a target has work next; quick changes of one task wait for each other."""
        first = group[0]
        _, delayed_until = self.delays.get(target_of(first), (0, 0.0))
        not_before = max(self._backoff.ready_at(self._deliveries[first.kind].host), delayed_until)
        if first.target in in_transit:
            not_before = max(not_before, in_transit[first.target] + self._settle_after)
        if first.state is ChangeState.UNKNOWN:
            return not_before if self._is_ahead(first.sent_at) else max(not_before, self._read_back_at(first))
        if first.state is ChangeState.SENDING:
            return not_before
        begins_at = self._due_at(first)
        if not self._deliveries[first.kind].joins_changes:
            return max(not_before, begins_at)
        held = [self._due_at(change) for change in group if change.state is ChangeState.HELD]
        return max(not_before, min(max([begins_at, *held]), begins_at + GATHER_SECONDS))

    def _due_at(self, change: Change) -> float:
        """Return when a waiting change is due; at once, if the clock was set back to before its creation."""
        return 0.0 if self._is_ahead(change.made_at) else change.send_after

    def _is_ahead(self, at: float | None) -> bool:
        return at is not None and at > self._clock() + CLOCK_SLACK

    def _read_back_at(self, change: Change) -> float:
        early = [each for each in EARLY_READ_BACKS if each < self._settle_after]
        count = self._read_backs.get(change.change_id, 0)
        is_early = self._deliveries[change.kind].can_read_back and count < len(early)
        return (change.sent_at or 0.0) + (early[count] if is_early else self._settle_after)

    def _delay_target(self, target: Target, most: float) -> None:
        times, _ = self.delays.get(target, (0, 0.0))
        self.delays[target] = (times + 1, self._clock() + min(most, 2.0 ** min(times, MAX_DOUBLINGS)))

    async def _advance(self, group: list[Change]) -> None:
        delivery = self._deliveries[group[0].kind]
        unknown = [change for change in group if change.state is ChangeState.UNKNOWN]
        if any(self._is_ahead(change.sent_at) for change in unknown):
            await self.confirmation.restart_transit(unknown)
            return
        if not delivery.joins_changes:
            unknown = [change for change in unknown if change is group[0]]
        if unknown:
            await self._read_back(delivery, unknown)
        elif (batch := self._batch(group, delivery)) and await delivery.send(batch):
            self._backoff.note_success(delivery.host)

    def _batch(self, group: Sequence[Change], delivery: Delivery) -> list[Change]:
        """Return the changes of the next request, in order: nothing overtakes a waiting one."""
        now = self._clock()
        due = [*takewhile(lambda change: change.state in WAITING and self._due_at(change) <= now, group)]
        return due if delivery.joins_changes else due[:1]

    async def _read_back(self, delivery: Delivery, unknown: Sequence[Change]) -> None:
        first = unknown[0]
        final = self._clock() >= (first.sent_at or 0.0) + self._settle_after
        await delivery.read_back(unknown, final=final)
        if not final:
            # Read-backs that were missed while the platform couldn't be reached aren't repeated.
            passed = sum(
                first.sent_at is not None and self._clock() >= first.sent_at + each for each in EARLY_READ_BACKS
            )
            self._read_backs[first.change_id] = max(self._read_backs.get(first.change_id, 0) + 1, passed)


def target_of(change: Change) -> Target:
    """Return the kind and id of what a change is about."""
    return change.kind.about, change.target

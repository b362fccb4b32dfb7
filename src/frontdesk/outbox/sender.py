"""Sends the outbox: each change exactly once (docs/architecture.md, Sending changes).

A change with an unknown outcome is fetched before anything is sent again, and a delay of one target delays no
other. Each kind has its `Delivery`.
"""

import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Sequence
from itertools import takewhile

import apsw

from frontdesk.outbox import queue
from frontdesk.outbox.bulk import MANY
from frontdesk.outbox.delivery import MAX_WAITS, WAITING, Confirmation, Deliveries, Delivery, HostBackoff
from frontdesk.storage.clocks import ClockEvent, ClockReading, compare_clocks, is_ahead
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

CLOCKS = "clocks"
"""The key under which a sender keeps both clocks, for the next one."""

Target = tuple[str, str]
"""Kind and id of a target."""

log = logging.getLogger(__name__)


class Sender:
    """Moves the changes of one profile along until each one is settled.

    Stored times are compared once, when this sender sees them first; from then on the steady clock tells what is
    due, so that a clock that is set neither cuts a hold or a transit short nor draws it out.

    Args:
        clock: Unix seconds.
        settle_after: how long a request without an answer may be in transit, in seconds.
        steady: seconds that never go back, and that all processes of the machine share.

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
        steady: Callable[[], float] = time.monotonic,
    ):
        self._store, self._deliveries = store, deliveries
        self.confirmation, self._backoff = confirmation, backoff
        self._clock, self._settle_after, self._steady = clock, settle_after, steady
        self.only: Collection[Target] | None = None
        self.errors: dict[Target, ApiError] = {}
        self.delays: dict[Target, tuple[int, float]] = {}
        self._read_backs: dict[int, int] = {}
        self._first_seen: dict[tuple[int, float], float] = {}
        self._dropped: dict[str, float] = {}
        kept = queue.kept(store.reading, CLOCKS, "")
        self._reading = self._read_clocks() if kept is None else ClockReading(*kept)
        self._has_kept = kept is not None
        self._seen_at, self._unsure_since = self._reading, float("inf")

    def keep_clocks(self, db: apsw.Connection) -> None:
        """Keep both clocks for the next sender; older ones as long as what was sent before a jump may arrive."""
        now = self._read_clocks()
        if not is_ahead(self._reading, now) or abs(now.steady - self._reading.steady) > self._settle_after:
            self._reading, self._has_kept = now, True
            queue.keep(db, CLOCKS, "", now, now.wall)
        self._first_seen = {key: at for key, at in self._first_seen.items() if at > now.steady - MAX_WAITS}

    def next_at(self) -> float | None:
        """Return when the sender has work next, in Unix seconds, or `None` if all is settled."""
        self._look()
        waits = [self._wait(group) for group in self._groups().values()]
        return self._clock() + min(waits) if waits else None

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
            # Load again: the change may have been undone while another one was sent.
            group = self._group(target)
            if not self._is_due(group):
                continue
            try:
                await self._keep_clocks_set_back()
                await self._advance(group)
            except ApiError as error:
                self.errors[target] = error
                self._delay_target(target, MAX_TARGET_WAIT)
                if not isinstance(error, HttpError | BadReply) or isinstance(error, ABOUT_HOST):
                    # A poll is a kind and an id, too: a campaign's change must not rest its poll.
                    changed = ("change", *target)
                    self._backoff.note_failure(self._deliveries[group[0].kind].host, error, changed)
            else:
                self.errors.pop(target, None)
                left = self._group(target)
                if self._is_due(left) and left[0].change_id == group[0].change_id:
                    self._delay_target(target, MAX_STUCK_WAIT)
                else:
                    self.delays.pop(target, None)

    def _due_targets(self) -> list[Target]:
        """Return the due targets, oldest first, those with a change of a small batch before the others."""
        self._look()
        groups = self._groups()
        sizes = Counter(change.batch for group in groups.values() for change in group)
        due = (target for target, group in groups.items() if self._wait(group) <= 0)
        return sorted(due, key=lambda target: min(sizes[each.batch] for each in groups[target]) > MANY)

    def _group(self, target: Target) -> list[Change]:
        about, target_id = target
        live = queue.live_for(self._store.reading, target_id)
        return [each for each in live if each.kind.about == about and each.kind in self._deliveries]

    def _is_due(self, group: Sequence[Change]) -> bool:
        self._look()
        return bool(group) and self._wait(group) <= 0

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

    def _look(self) -> None:
        """Note if the clock was set ahead, and which dropped changes may arrive: nothing overtakes them."""
        before, self._seen_at = self._seen_at, self._read_clocks()
        if is_ahead(before, self._seen_at):
            # What was made or sent since then is as good as new, whatever its time says.
            self._unsure_since = min(self._unsure_since, before.wall - self._settle_after)
        since = min(self._clock() - self._settle_after, self._unsure_since)
        for each in queue.dropped_in_transit(self._store.reading, since):
            self._dropped[each.target] = max(self._sent(each), self._dropped.get(each.target, float("-inf")))

    def _wait(self, group: Sequence[Change]) -> float:
        """Return in how many seconds a target has work; quick changes of one task wait for each other."""
        first, now = group[0], self._steady()
        for each in group:  # also the later ones: before a clock is set
            _ = self._sent(each) if each.state is ChangeState.UNKNOWN else self._due_at(each)
        _, delayed_until = self.delays.get(target_of(first), (0, float("-inf")))
        ready_at = self._backoff.ready_at(self._deliveries[first.kind].host) - self._clock() + now
        not_before = max(
            ready_at, delayed_until, self._dropped.get(first.target, float("-inf")) + self._settle_after
        )
        if first.state is ChangeState.UNKNOWN:
            return max(not_before, self._read_back_at(first)) - now
        if first.state is ChangeState.SENDING:
            return not_before - now
        begins_at = self._due_at(first)
        if not self._deliveries[first.kind].joins_changes:
            return max(not_before, begins_at) - now
        held = [self._due_at(change) for change in group if change.state is ChangeState.HELD]
        return max(not_before, min(max([begins_at, *held]), begins_at + GATHER_SECONDS)) - now

    def _due_at(self, change: Change) -> float:
        """Return when a waiting change is due; one that isn't held, as soon as either clock says so."""
        at, now = change.send_after, self._steady()
        left, hold = at - self._clock(), at - change.made_at
        is_held = change.state is ChangeState.HELD
        wait = hold if is_held and change.made_at >= self._unsure_since else min(left, hold)
        if not is_held:
            # The clock may have been wrong when it began to wait; if that isn't over, the platform says so.
            wait = min(wait, MAX_TARGET_WAIT)
        due_at = self._first_seen.setdefault((change.change_id, at), now + wait)
        return due_at if is_held else min(due_at, now + left)

    def _sent(self, change: Change) -> float:
        """Return when a request was sent, on the steady clock; just now, if its time can't be relied on."""
        at = change.sent_at or 0.0
        ago = 0.0 if at >= self._unsure_since else max(0.0, self._clock() - at)
        return self._first_seen.setdefault((change.change_id, at), self._steady() - ago)

    def _read_back_at(self, change: Change) -> float:
        early = [each for each in EARLY_READ_BACKS if each < self._settle_after]
        count = self._read_backs.get(change.change_id, 0)
        is_early = self._deliveries[change.kind].can_read_back and count < len(early)
        return self._sent(change) + (early[count] if is_early else self._settle_after)

    def _read_clocks(self) -> ClockReading:
        return ClockReading(self._clock(), self._steady())

    async def _keep_clocks_set_back(self) -> None:
        """Keep both clocks before a request: even after a crash its time isn't taken for an earlier one's."""
        event, _ = compare_clocks(self._reading, self._read_clocks())
        if event is ClockEvent.WENT_BACK or not self._has_kept:
            await self._store.run(self.keep_clocks)

    def _delay_target(self, target: Target, most: float) -> None:
        times, _ = self.delays.get(target, (0, 0.0))
        self.delays[target] = (times + 1, self._steady() + min(most, 2.0 ** min(times, MAX_DOUBLINGS)))

    async def _advance(self, group: list[Change]) -> None:
        delivery = self._deliveries[group[0].kind]
        unknown = [change for change in group if change.state is ChangeState.UNKNOWN]
        if not delivery.joins_changes:
            unknown = [change for change in unknown if change is group[0]]
        if unknown:
            await self._read_back(delivery, unknown)
        elif (batch := self._batch(group, delivery)) and await delivery.send(batch):
            self._backoff.note_success(delivery.host)

    def _batch(self, group: Sequence[Change], delivery: Delivery) -> list[Change]:
        """Return the changes of the next request, in order: nothing overtakes a waiting one."""
        now = self._steady()
        due = [*takewhile(lambda change: change.state in WAITING and self._due_at(change) <= now, group)]
        return due if delivery.joins_changes else due[:1]

    async def _read_back(self, delivery: Delivery, unknown: Sequence[Change]) -> None:
        first = unknown[0]
        sent_at = self._sent(first)
        final = self._steady() >= sent_at + self._settle_after
        await delivery.read_back(unknown, final=final)
        if not final:
            # Read-backs that were missed while the platform couldn't be reached aren't repeated.
            passed = sum(self._steady() >= sent_at + each for each in EARLY_READ_BACKS)
            self._read_backs[first.change_id] = max(self._read_backs.get(first.change_id, 0) + 1, passed)


def target_of(change: Change) -> Target:
    return change.kind.about, change.target

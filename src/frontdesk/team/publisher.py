"""What a desk publishes at its team's relay: its changes, for the journal, and what it has read as the leader."""

import hashlib
import json
import logging
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import apsw

from frontdesk.inbox.observations import ThreadObserver, read_threads, stored_newest
from frontdesk.outbox import queue
from frontdesk.relay.client import RelayClient
from frontdesk.relay.connection import RelayRefused
from frontdesk.relay.records import ALL_LINES, MAX_BODY_BYTES, JournalEntry, Observation, Row
from frontdesk.storage import change_feed
from frontdesk.storage.database import Store
from frontdesk.storage.record_lookup import line_of_target
from frontdesk.storage.records import Change, ChangeKind
from frontdesk.sync.observations import Observed, ObservedKind
from frontdesk.tasks.observations import missing_tasks
from frontdesk_api.contract.ids import ConversationId
from frontdesk_api.json_access import canonical

log = logging.getLogger(__name__)

_KEPT = "team journal"
"""Kept an account: up to when what was settled is recorded, Unix seconds."""

HIDDEN_CONVERSATION = "conversation of an unknown line"
"""In place of a conversation's id, which names the customer."""

PART = 50
"""So many entries are recorded at a time, for the lease is renewed in between."""

OVERLAP_SECONDS = 300.0
"""What was settled so long before is looked at once more: the clock may have been set back, and a step may
have ended amid changes of one moment. The relay takes an entry once."""


class TeamJournal:
    """One store's part of its team's journal.

    Args:
        desk: the store's id in it.
    """

    def __init__(self, store: Store, account: str, desk: str, clock: Callable[[], float]):
        self._store, self._account, self._desk, self._clock = store, account, desk, clock
        self._recorded: set[str] = set()
        self._outbox_version = -1

    async def step(self, relay: RelayClient) -> bool:
        """Record some of what was settled since the desk joined; returns whether there is more."""
        version = change_feed.versions(self._store.reading).outbox
        if version == self._outbox_version:
            return False
        recorded_to = queue.kept(self._store.reading, _KEPT, self._account)
        if recorded_to is None:
            await self._note(self._clock() + OVERLAP_SECONDS)
            return False
        settled = queue.settled_after(self._store.reading, recorded_to - OVERLAP_SECONDS)
        self._recorded &= {self._ref(each) for each in settled}
        # What the team tells each other isn't sent to the platform.
        wanted = [each for each in settled if each.kind is not ChangeKind.NOTE]
        lacking = [each for each in wanted if self._ref(each) not in self._recorded]
        for change in lacking[:PART]:
            await self._record(relay, change)
        has_more = len(lacking) > PART
        newest = lacking[PART - 1 : PART] if has_more else settled[-1:]
        at = max((each.settled_at or 0.0 for each in newest), default=0.0)
        if at > recorded_to:
            await self._note(at)
        if not has_more:
            self._outbox_version = version
        return has_more

    async def _record(self, relay: RelayClient, change: Change) -> None:
        try:
            await relay.record(self._entry(change))
        except RelayRefused as error:
            # Of a line that this person may not see in the team: it stands in this desk's outbox alone.
            log.warning("couldn't record a change in the team's journal: %s", error)
        self._recorded.add(self._ref(change))

    def _ref(self, change: Change) -> str:
        return f"{self._desk} {change.change_id} {change.state}"

    def _entry(self, change: Change) -> JournalEntry:
        line = line_of_target(self._store.reading, change.target)
        # Under no line everybody can read it: that it was sent, not what it says, nor with which customer.
        before, after = (change.base, change.fields) if line else ({}, {})
        is_hidden = not line and change.kind.about == "conversation"
        outcome = f"{change.state}: {change.reason}" if change.reason else str(change.state)
        return JournalEntry(
            at=0.0,
            role="",
            agent_id="",
            line_id=line,
            ref=self._ref(change),
            verb=change.label,
            target=HIDDEN_CONVERSATION if is_hidden else f"{change.kind.about} {change.target}",
            before=json.dumps(before, ensure_ascii=False),
            after=json.dumps(after, ensure_ascii=False),
            outcome=outcome,
        )

    async def _note(self, at: float) -> None:
        now = self._clock()

        def note(db: apsw.Connection) -> None:
            queue.keep(db, _KEPT, self._account, at, now)

        await self._store.run(note)


MAX_ITEMS, MAX_BYTES = 500, 2_000_000
"""Of one publication; what one read has brought is never split."""

MAX_WAITING = 5_000
"""So many items wait at most; what is left out is read again."""

MAX_KNOWN = 200_000
"""So many digests are remembered as published."""

THREADS_AT_ONCE = 5


_OPPOSITE: Mapping[str, str] = {
    ObservedKind.TASK: ObservedKind.GONE,
    ObservedKind.GONE: ObservedKind.TASK,
}

_Key = tuple[str, str]


class Publisher:
    """What this desk has read as the leader and the relay lacks, in the order in which it was read.

    Args:
        wake: called when there is something to publish.
    """

    def __init__(self, wake: Callable[[], None]):
        self._wake = wake
        self._waiting: deque[tuple[Observation, ...]] = deque()
        self._published: dict[_Key, str] = {}
        self._lines: Collection[str] = ()
        self._stored: deque[ConversationId] | None = None
        self._observer = ThreadObserver()
        self.leads = False

    def begin(self, lines: Collection[str]) -> None:
        """Begin to publish what is read of these lines as the leader: nothing is known of what the relay has."""
        self.leads, self._lines = True, lines
        self._published.clear()
        self._waiting.clear()
        self._stored = None

    def end(self) -> None:
        self.leads = False
        self._waiting.clear()

    def observe(self, observed: Sequence[Observed], offset: float) -> None:
        """Note what a read has brought; `offset` leads from this machine's clock to the relay's."""
        if not self.leads:
            return
        items = [observation(each, offset) for each in observed if self._may_publish(each)]
        if too_long := [each for each in items if len(each.body.encode()) > MAX_BODY_BYTES]:
            log.warning("not publishing a %s: it is longer than %s bytes", too_long[0].kind, MAX_BODY_BYTES)
            items = [each for each in items if each not in too_long]
        differing = tuple(each for each in items if self._published.get((each.kind, each.id)) != each.digest)
        if differing and sum(map(len, self._waiting)) < MAX_WAITING:
            self._waiting.append(differing)
            self._wake()

    def note_stored(self, rows: Iterable[Row]) -> None:
        """Note what the relay has: another desk may have replaced a value, which is then published once more."""
        for item in (row.item for row in rows):
            if isinstance(item, Observation) and self._published.get((item.kind, item.id)) != item.digest:
                self._published.pop((item.kind, item.id), None)
                self._forget_opposite(item.kind, item.id)

    def _forget_opposite(self, kind: str, target: str) -> None:
        """Forget that a task was there once it is gone, and the other way round: the relay has one of them."""
        if kind in _OPPOSITE:
            self._published.pop((_OPPOSITE[kind], target), None)

    def forget_published(self) -> None:
        """Offer everything that is read once more: the relay may have deleted some of it."""
        self._published.clear()

    def _may_publish(self, observed: Observed) -> bool:
        return not observed.line_id or ALL_LINES in self._lines or observed.line_id in self._lines

    def observe_stored(self, db: apsw.Connection, offset: float) -> bool:
        """Note some of what was read before this desk led; returns whether there is more."""
        if self._stored is None:
            self._stored = deque(read_threads(db))
        for _ in range(min(THREADS_AT_ONCE, len(self._stored))):
            self.observe(stored_newest(db, self._stored.popleft(), self._observer), offset)
        return bool(self._stored)

    async def observe_gone(self, relay: RelayClient, db: apsw.Connection, position: int) -> None:
        """Note that the relay's tasks which this desk doesn't store any more are gone.

        What another leader, or this desk before it led, found to be gone may never have been published.

        Args:
            position: up to which the relay is applied in `db`.
        """
        known = await relay.tasks(position)
        missing = missing_tasks(db, (each.id for each in known))
        for each in known:
            if each.id in missing:
                # As of when the relay's value was read: whatever was read later stays.
                gone = Observed(ObservedKind.GONE, each.id, each.line_id, each.asked_at, {})
                self._waiting.append((observation(gone, 0.0),))

    @property
    def is_waiting(self) -> bool:
        return bool(self._waiting)

    async def publish(self, relay: RelayClient, token: int) -> None:
        """Publish the next part.

        Raises:
            StaleLeader: another desk leads; nothing was taken.
            RelayError: the relay can't be used.
        """
        items: list[Observation] = []
        size = 0
        while self._waiting and (not items or (len(items) < MAX_ITEMS and size < MAX_BYTES)):
            group = self._waiting.popleft()
            items += group
            size += sum(len(each.body) for each in group)
        newest: dict[_Key, Observation] = {}
        for each in items:  # of several values of one thing the last counts, at its place
            newest.pop((each.kind, each.id), None)
            newest[each.kind, each.id] = each
        if lacking := await relay.lacking([*newest.values()]):
            await relay.observe(token, lacking)
        if len(self._published) > MAX_KNOWN:
            self._published.clear()
        for (kind, target), item in newest.items():
            self._published[kind, target] = item.digest
            self._forget_opposite(kind, target)


def observation(observed: Observed, offset: float) -> Observation:
    """Return what the relay takes of it."""
    body = json.dumps(observed.body, ensure_ascii=False, separators=(",", ":"))
    digest = hashlib.blake2b(canonical(observed.body).encode("utf-8", "replace"), digest_size=16).hexdigest()
    return Observation(
        observed.kind, observed.id, observed.line_id, observed.asked_at + offset, digest, body.replace("\x00", "")
    )

"""Publishes what the leader has read: what the relay lacks, in the order in which it was read."""

import hashlib
import json
import logging
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import apsw

from frontdesk.inbox.observations import ThreadObserver, read_threads, stored_newest
from frontdesk.relay.client import RelayClient
from frontdesk.relay.records import ALL_LINES, MAX_BODY_BYTES, Observation, Row
from frontdesk.sync.observations import Observed, ObservedKind
from frontdesk.tasks.observations import missing_tasks
from frontdesk_api.contract.ids import ConversationId
from frontdesk_api.json_access import canonical

MAX_ITEMS, MAX_BYTES = 500, 2_000_000
"""Of one publication; what one read has brought is never split."""

MAX_WAITING = 5_000
"""So many items wait at most; what is left out is read again."""

MAX_KNOWN = 200_000
"""So many digests are remembered as published."""

THREADS_AT_ONCE = 5

log = logging.getLogger(__name__)

_OPPOSITE: Mapping[str, str] = {
    ObservedKind.TASK: ObservedKind.GONE,
    ObservedKind.GONE: ObservedKind.TASK,
}

_Key = tuple[str, str]


class Publisher:
    """What this desk has read and not yet published.

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
        observed.kind, observed.id, observed.line_id, observed.asked_at + offset, digest, _without_nul(body)
    )


def _without_nul(text: str) -> str:
    """PostgreSQL's text has no NUL; JSON writes it as an escape, which stays."""
    return text.replace("\x00", "")

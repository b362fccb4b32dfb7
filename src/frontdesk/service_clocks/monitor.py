"""ServiceClockMonitor: a step of the engine that keeps the clocks up to date.

It follows the change feed, so it computes what has changed. At a new config, and where the feed has forgotten what
changed, it walks all conversations once, a batch at a time.

The SLA alerts: one before a deadline and one after it, each on one screen of the profile.

A claim in the store is committed before anything is shown. So each comes once, over restarts too; after a kill it
may be missing.
"""

import hashlib
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import NamedTuple

import apsw

from frontdesk.config.render_context import RenderContext
from frontdesk.outbox.commands import FORGET_SECONDS, OutboxCommands
from frontdesk.service_clocks import store as clock_store
from frontdesk.service_clocks.clocks import Policy
from frontdesk.service_clocks.policies import FindMatches, policy_of_each
from frontdesk.service_clocks.store import DueClock
from frontdesk.service_clocks.view import alert_words
from frontdesk.storage import change_feed, record_lookup
from frontdesk.storage.database import ProfileStore, Store
from frontdesk.storage.record_lookup import conversation_name, customer_name, task_for_customer
from frontdesk.storage.records import Event, TaskRecord
from frontdesk.storage.sql import ReadConnection
from frontdesk_api.contract.ids import ConversationId, TaskId
from frontdesk_lines.display_text import SafeText, counted, cut, trusted

MAX_CHECKED = 1_000
"""So many clocks are looked at, the latest first."""

MAX_APART = 2
"""More alerts than this at once are told of in one."""

MAX_NAMED, NAME_CELLS = 3, 30


def claim_key(found: DueClock, now: float) -> str:
    """Return the name of an alert: one before and one after each deadline; one that is moved has its own."""
    clock = found.clock
    stage = "after" if clock.due_at is not None and clock.due_at <= now else "before"
    return f"sla {stage} {found.conversation_id} {clock.task_id} {clock.kind} {clock.due_at}"


def summary(found: Sequence[DueClock], customers: Sequence[SafeText], now: float) -> SafeText:
    """Return many alerts in one sentence: `3 SLA deadlines passed, 1 is near: Dana Levi, …`."""
    passed = sum(1 for each in found if each.clock.due_at is not None and each.clock.due_at <= now)
    near = len(found) - passed
    parts = [f"{counted(passed, 'SLA deadline')} passed"] if passed else []
    if near:
        parts.append(f"{near:,} more near" if passed else f"{counted(near, 'SLA deadline')} near")
    named = list(dict.fromkeys(cut(each.text, NAME_CELLS) for each in customers))
    who = ", ".join(named[:MAX_NAMED]) + (" …" if len(named) > MAX_NAMED else "")
    return trusted(f"{', '.join(parts)}: {who}")


class ServiceAlerts:
    """The alerts that this process may show; `db` is of the thread that calls."""

    def __init__(self, db: ReadConnection, store: ProfileStore, outbox: OutboxCommands):
        self._db, self._store, self._outbox = db, store, outbox
        self._claimed: frozenset[str] = frozenset()

    def find_new(self, now: float) -> dict[str, DueClock]:
        """Return by their keys the alerts for this person that weren't returned before.

        None come until all clocks were computed once: what has long passed is told of together.
        """
        if not clock_store.is_walked(self._db):
            return {}
        # A claim is kept for that long: what is older could be alerted twice.
        since = now - FORGET_SECONDS / 2
        found = clock_store.with_warning(self._db, since, now, MAX_CHECKED)
        by_key = {claim_key(each, now): each for each in found if self._is_for_me(each)}
        new = {key: each for key, each in by_key.items() if key not in self._claimed}
        self._claimed = frozenset(by_key)
        return new

    def claim(self, keys: Iterable[str]) -> "Future[frozenset[str]]":
        """Claim alerts; those that no other screen has claimed are the answer."""
        # One moment for all of a key's claims: it is claimed once.
        return self._outbox.claim(dict.fromkeys(keys, 1.0))

    def retry(self, keys: Iterable[str]) -> None:
        """Have `find_new` return alerts again whose claim failed."""
        self._claimed -= frozenset(keys)

    def words(self, found: Sequence[DueClock], view: RenderContext) -> list[SafeText]:
        if len(found) > MAX_APART:
            return [summary(found, [self._customer(each) for each in found], view.now)]
        return [alert_words(each.clock, self._about(each), view) for each in found]

    def _is_for_me(self, found: DueClock) -> bool:
        is_mine = not found.assigned or self._store.profile.agent_id in found.assigned
        return is_mine or self._store.settings.attention == "all"

    def _customer(self, found: DueClock) -> SafeText:
        task = self._task(found)
        if task is None:
            return conversation_name(self._db, ConversationId(found.conversation_id))
        return customer_name(self._db, task)

    def _about(self, found: DueClock) -> SafeText:
        task = self._task(found)
        return self._customer(found) if task is None else task_for_customer(self._db, task)

    def _task(self, found: DueClock) -> TaskRecord | None:
        return record_lookup.task(self._db, TaskId(found.clock.task_id)) if found.clock.task_id else None


def claimed(new: Mapping[str, DueClock], keys: frozenset[str]) -> list[DueClock]:
    return [each for key, each in new.items() if key in keys]


STEP_SECONDS = 1.0
WALK_SECONDS = 0.1
"""Between two batches of a walk: polls and changes come first."""

BATCH = 200
SAVE_EVERY = 500
"""The position in the feed is stored at least after so many events."""

VERSION = 3
"""Raise it to compute all clocks anew."""


class ClockPosition(NamedTuple):
    """Up to where the clocks are computed.

    Attributes:
        seq: the last event of the feed.
        walked: up to where everything was walked; None when that is done.
    """

    seq: int
    walked: clock_store.Walked | None


class ServiceClockMonitor:
    """The service clocks of one profile.

    Args:
        source: the config that the policies were read from: another one computes everything anew.
    """

    def __init__(
        self,
        store: Store,
        policies: Sequence[Policy],
        find_matches: FindMatches,
        source: object,
        steady: Callable[[], float] = time.monotonic,
    ):
        self._store, self._policies, self._find_matches = store, policies, find_matches
        self._digest = hashlib.sha256(f"{VERSION} {source!r}".encode()).hexdigest()[:16]
        self._steady, self._next_at = steady, float("-inf")
        self._position: ClockPosition | None = None
        self._saved_seq = 0
        self._pending: list[str] = []

    async def step(self) -> float:
        """Compute what has changed, or a batch of a walk; return the seconds until the next step."""
        wait = self._next_at - self._steady()
        if wait > 0:
            return wait
        if not self._policies:
            if clock_store.position(self._store.reading):
                await self._store.run(clock_store.clear)
            return 60.0
        before = self._position or self._stored_position()
        self._position = before
        after = self._read_feed(before)
        if self._pending:
            batch = self._pending[:BATCH]
        elif after.walked is not None:
            batch, walked = clock_store.walk(self._store.reading, after.walked, BATCH)
            after = ClockPosition(after.seq, walked)
        else:
            batch = []
        await self._compute(batch, after)
        rest = WALK_SECONDS if self._pending or after.walked is not None else STEP_SECONDS
        self._next_at = self._steady() + rest
        return rest

    async def close(self) -> None:
        """End, like the engine's other monitors; what a step has left goes on from the stored position."""

    def _stored_position(self) -> ClockPosition:
        stored = clock_store.position(self._store.reading)
        if stored.get("config") != self._digest:
            return ClockPosition(change_feed.position(self._store.reading), clock_store.WALK_START)
        self._saved_seq, walked = int(stored["seq"]), stored["walked"]
        return ClockPosition(self._saved_seq, None if walked is None else (str(walked[0]), int(walked[1])))

    def _read_feed(self, before: ClockPosition) -> ClockPosition:
        """Note what has changed; where the feed has forgotten it, everything is walked."""
        seq, events = change_feed.since(self._store.reading, before.seq)
        if change_feed.EVERYTHING in events:
            return ClockPosition(seq, clock_store.WALK_START)
        self._pending = list(dict.fromkeys([*self._pending, *sorted(self._changed(events))]))
        return ClockPosition(seq, before.walked)

    def _changed(self, events: Collection[Event]) -> set[str]:
        of_threads = (change_feed.CONVERSATION, change_feed.THREAD)
        conversations = {each.id for each in events if each.kind in of_threads}
        tasks = {each.id for each in events if each.kind == change_feed.TASK}
        if not tasks:
            return conversations
        return conversations | clock_store.conversations_of_tasks(self._store.reading, tasks)

    async def _compute(self, batch: Sequence[str], after: ClockPosition) -> None:
        db = self._store.reading
        found = clock_store.differing(
            db, clock_store.compute(db, batch, policy_of_each(self._policies, self._find_matches, db, batch))
        )
        has_walked = self._position is None or after.walked != self._position.walked
        # What still waits must be found again after a restart: so the position isn't stored before it is done.
        left = self._pending[BATCH:]
        must_save = not left and (has_walked or after.seq - self._saved_seq >= SAVE_EVERY)
        if found or must_save:
            await self._store.run(partial(self._write, found=found, after=after if must_save else None))
        self._position, self._pending = after, left

    def _write(
        self, db: apsw.Connection, found: dict[str, clock_store.Clocks], after: ClockPosition | None
    ) -> None:
        clock_store.put(db, found)
        if after is not None:
            self._saved_seq = after.seq
            clock_store.put_position(db, {"config": self._digest, "seq": after.seq, "walked": after.walked})

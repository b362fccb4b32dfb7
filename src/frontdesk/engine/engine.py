"""The engine: polls the platform, sends changes, answers requests and reports its health through the store."""

import asyncio
import logging
import os
import random
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

import apsw

from frontdesk.automation.hook_monitor import HookMonitor
from frontdesk.campaigns.alert_monitor import AlertMonitor
from frontdesk.campaigns.sync import DeliveryResultsReader
from frontdesk.config.processes import memory_bytes
from frontdesk.engine.features import ProfileResources, make_housekeeping, make_sender
from frontdesk.engine.request_handler import RequestHandler
from frontdesk.outbox import queue
from frontdesk.outbox.bulk import REQUEST_PACE
from frontdesk.outbox.sender import SETTLE_AFTER, Sender
from frontdesk.service_clocks.monitor import ServiceClockMonitor
from frontdesk.storage import change_feed, clients, clocks, recovery, team_state
from frontdesk.storage.change_feed import FeedWatcher
from frontdesk.storage.clocks import ClockEvent, ClockReading, compare_clocks
from frontdesk.storage.database import Store
from frontdesk.storage.lease import LeaseLost
from frontdesk.storage.records import Connection, Event, Health, LateRead
from frontdesk.sync.backoff import Backoff
from frontdesk.sync.budget import Budget, urgent
from frontdesk.sync.housekeeping import MAX_BYTES
from frontdesk.sync.observations import observe_nothing
from frontdesk.sync.poller import Poller
from frontdesk.sync.scheduler import NO_DEADLINES
from frontdesk.sync.store_write_errors import STORE_TROUBLE
from frontdesk.tasks.history import HISTORY_DAYS
from frontdesk.team.access import TeamAccess
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import ApiError

if TYPE_CHECKING:
    from frontdesk.team.link import TeamLink

log = logging.getLogger(__name__)

CHECK_SECONDS = 1.0
"""How often the engine checks the clocks, and whether the store's files were replaced."""

_AWAITED = {change_feed.FOCUS, change_feed.CHANGE, change_feed.REQUEST, change_feed.EVERYTHING.kind}
"""The kinds of events with which a screen wants something."""

HEARTBEAT_SECONDS = 5.0
PACE_STEP = 0.1
"""The share by which the pace of requests differs from the kept one before it is kept again."""

UNANSWERED_CHECK_SECONDS = 1.0

STOP_SECONDS = 6.0
"""How long the engine waits at its end for a change that is being sent."""

FAULT_REST_SECONDS, MAX_FAULT_REST_SECONDS = 2.0, 60.0
"""How long a failed step rests, at first and after repeated failures."""

SEND_REST_SECONDS = 0.05


class Engine:
    """Keeps one profile's store up to date until `stop` is called.

    Only tests replace the clocks, `chance` and `settle_after`.

    Args:
        client: its gate should be `budget.take`.
        steady: seconds that never go back.
        chance: 0 to 1, for jitter and the spread at the start.
        settle_after: seconds after which an unanswered change is read back.
        history_days: for so long the history of tasks is kept.
        read_only: leave the outbox as it is.
        max_memory_bytes: the engine ends at the first heartbeat at which its process uses more.

    Attributes:
        has_exceeded_memory: whether it has ended for that.
    """

    def __init__(
        self,
        client: PlatformClient,
        store: Store,
        budget: Budget,
        *,
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
        settle_after: float = SETTLE_AFTER,
        max_bytes: int = MAX_BYTES,
        history_days: int = HISTORY_DAYS,
        alerts: AlertMonitor | None = None,
        hooks: HookMonitor | None = None,
        service_clocks: ServiceClockMonitor | None = None,
        read_only: bool = False,
        max_memory_bytes: int | None = None,
        team: TeamAccess | None = None,
    ):
        self._client, self._store, self._budget = client, store, budget
        self._clock, self._steady = clock, steady
        self._backoff = Backoff(clock, throttled=budget.throttled)
        stalls_at = NO_DEADLINES if alerts is None else alerts.stalls_at
        self._team = None if team is None else self._linked(team, budget, chance, stalls_at)
        observe = observe_nothing if self._team is None else self._team.observe
        of_others = tuple if self._team is None else self._team.campaigns_of_others
        self._resources = ProfileResources(client, store, clock, stalls_at, observe, of_others)
        self.poller = Poller(
            self._resources,
            store,
            budget,
            self._backoff,
            clock,
            chance=chance,
            ended=self._wake,
            read_by=stalls_at,
            role=None if self._team is None else self._team.role,
        )
        self._requests = RequestHandler(
            store,
            self._resources,
            self.poller,
            self._backoff,
            clock,
            report_health=self._report_health,
            wake=self._wake,
        )
        self._housekeeping = make_housekeeping(store, clock, steady, max_bytes, history_days)
        self._monitors = [each for each in (alerts, hooks, service_clocks) if each is not None]
        self._delivery_results = DeliveryResultsReader(
            client, store, budget, self._backoff, clock, steady, may_read=lambda: not self.poller.is_paused
        )
        self._owner = f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._settle_after, self._read_only = settle_after, read_only
        self._clocks, self._clocks_lock = ClockReading(clock(), steady()), asyncio.Lock()
        self._moved_since = float("inf")
        self._sender = self._new_sender()
        self._sender_is_stale = True
        self._send_lock = asyncio.Lock()
        self._heartbeat_at = float("-inf")
        self._changed = asyncio.Event()
        self._stopping = asyncio.Event()
        self._reported: Health | None = None
        self._late: tuple[LateRead, ...] = ()
        self._max_memory_bytes = max_memory_bytes
        self.has_exceeded_memory = False

    async def run(self) -> None:
        """Work until `stop`; errors of the platform and the disk become health states and never end it."""
        self._clocks = ClockReading(self._clock(), self._steady())
        if self._team is None and team_state.state(self._store.reading) != team_state.NO_TEAM:
            await self._store.run(team_state.clear)
        fresh_at = clients.health(self._store.reading).fresh_at
        self._backoff.fresh_at = None if fresh_at is None else min(fresh_at, self._clock())
        loop = asyncio.get_running_loop()

        def note(events: frozenset[Event]) -> None:
            loop.call_soon_threadsafe(self._note_events, events)

        watcher = FeedWatcher(self._store.folder, note)
        watcher.start()
        try:
            await self._run_steps()
        finally:
            await asyncio.to_thread(watcher.stop)

    async def _run_steps(self) -> None:
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._forever(step))
                for step in (
                    self._write_heartbeat,
                    self._check_surroundings,
                    self._poll_once,
                    self._send_once,
                    self._requests.answer,
                    self._requests.read_workflow_documents,
                    self._report_unanswered,
                    self._housekeeping.step,
                    *(each.step for each in self._monitors),
                    self._delivery_results.step,
                    *([] if self._team is None else [self._team.step]),
                )
            ]
            await self._stopping.wait()
            await self._finish_sending()
            for task in tasks:
                task.cancel()
            await self.poller.close()
            with suppress(*STORE_TROUBLE):  # only the history's times are less exact then
                await self._resources.close()
            if self._team is not None:
                await self._team.close()
            for each in self._monitors:
                await each.close()

    def stop(self) -> None:
        """End `run`; unsent changes stay in the outbox."""
        self._stopping.set()

    @property
    def has_read_all(self) -> bool:
        """Whether every task, thread, watched campaign, workflow and AI agent was read once."""
        return self.poller.has_read_all

    async def flush(self, seconds: float) -> None:
        """Send the outbox, held changes too, for at most this long."""
        if self._read_only:
            return
        if not clients.open_screens(self._store.reading, self._clock()):
            # With a screen open, a person can still undo a held change.
            await self._sender.confirmation.release_held()
        try:
            with urgent():
                async with asyncio.timeout(seconds):
                    while (at := self._sender.next_at()) is not None:
                        await asyncio.sleep(max(0.0, at - self._clock()))
                        await self._sender.send_due()
        except TimeoutError:
            log.info("couldn't empty the outbox in time; the rest will be sent the next time frontdesk runs")

    def _linked(
        self, team: TeamAccess, budget: Budget, chance: Callable[[], float], stalls_at: Mapping[str, float]
    ) -> "TeamLink":
        from frontdesk.team.link import TeamLink  # most desks have no team
        from frontdesk.team.reports import OwnReads

        return TeamLink(
            team,
            self._store,
            budget,
            OwnReads(
                health=self._own_health,
                read_at=lambda: self.poller.results.read_at,
                thread_rest=lambda: self.poller.thread_rest,
                watch=lambda: self.poller.watch,
                has_listed=lambda: self._resources.swept,
                campaigns=lambda: self._resources.polled_campaigns,
                read_by=stalls_at,
                note_leader=lambda read_at: self.poller.note_reads_by_leader(read_at),
            ),
            clock=self._clock,
            steady=self._steady,
            chance=chance,
            wake=self._wake,
        )

    def _new_sender(self) -> Sender:
        return make_sender(
            self._client,
            self._store,
            self._backoff,
            self._clock,
            self._owner,
            self._settle_after,
            self._steady,
            None if self._team is None else self._team.claims,
        )

    async def _finish_sending(self) -> None:
        try:
            async with asyncio.timeout(STOP_SECONDS), self._send_lock:
                pass
        except TimeoutError:
            log.warning("a change is still being sent; it will be checked the next time frontdesk runs")

    async def _forever(self, step: Callable[[], Awaitable[float]]) -> None:
        """Repeat a step, which returns the seconds that it may rest."""
        faults = 0
        while True:
            # Before the step: what changes while it runs must wake it, too.
            changed = self._changed
            pause = min(MAX_FAULT_REST_SECONDS, FAULT_REST_SECONDS * 2.0 ** min(faults, 10))
            faults += 1
            try:
                rest = await step()
            except ApiError as error:
                log.warning("a step of the engine failed: %s", type(error).__name__)
                await asyncio.sleep(pause)
            except LeaseLost:
                self.stop()
                await asyncio.sleep(MAX_FAULT_REST_SECONDS)
            except STORE_TROUBLE as error:
                if recovery.is_damage(error):
                    log.exception("the store is damaged; it is set aside the next time it is opened")
                    recovery.mark_damaged(self._store.folder)
                    self.stop()
                    await asyncio.sleep(MAX_FAULT_REST_SECONDS)
                    continue
                log.warning("couldn't use the store, retrying in %.0f s: %s", pause, error)
                await asyncio.sleep(pause)
            except Exception:
                # Broad on purpose: errors of the platform and the store are handled above, so this is a fault of
                # ours, of any type. In a task group it would end all steps; here it is logged and tried again.
                log.exception("a step of the engine failed, retrying in %.0f s", pause)
                await asyncio.sleep(pause)
            else:
                faults = 0
                await _rest(changed, rest)

    async def _write_heartbeat(self) -> float:
        due = self._heartbeat_at + HEARTBEAT_SECONDS - self._steady()
        if due > 0:
            return due
        self._check_memory()
        now, fresh_at, reads = self._clock(), self._backoff.fresh_at, self.poller.campaign_reads()
        offset = self._clock_offset()

        def write(db: apsw.Connection) -> None:
            clients.write_heartbeat(db, fresh_at, now, reads)
            self._keep_pace(db, now)
            if not self._sender_is_stale:
                self._sender.keep_clocks(db)
            if offset is not None:
                clocks.keep_offset(db, offset, self._clock(), self._steady())

        await self._store.run(write)
        self._heartbeat_at = self._steady()
        return HEARTBEAT_SECONDS

    def _clock_offset(self) -> float | None:
        """Return how far the platform's clock is ahead; a desk that only follows knows the relay's."""
        found = self._client.clock_offset
        return found if found is not None or self._team is None else self._team.clock_offset

    def _keep_pace(self, db: apsw.Connection, now: float) -> None:
        """Keep the learned pace for the next engine, and for what screens announce, where it has moved."""
        kept, pace = queue.kept(db, REQUEST_PACE, "") or 0.0, self._budget.pace
        if abs(pace - kept) > PACE_STEP * kept:
            queue.keep(db, REQUEST_PACE, "", round(pace), now)

    def _check_memory(self) -> None:
        """End if the process uses too much memory, which large replies may have taken."""
        if self._max_memory_bytes is None or self.has_exceeded_memory:
            return
        used = memory_bytes()
        if used is not None and used > self._max_memory_bytes:
            log.warning("using %d MB of memory; restarting", used // 1_000_000)
            self.has_exceeded_memory = True
            self.stop()

    async def _check_surroundings(self) -> float:
        """Notice a store that was replaced, and a clock that jumped."""
        if self._store.is_replaced:
            log.error("the store was replaced; stopping this engine")
            self.stop()
            return 60.0
        await self._check_clocks()
        return CHECK_SECONDS

    async def _check_clocks(self) -> None:
        """Notice a sleep or a clock that was set; what can't be written yet is written later."""
        async with self._clocks_lock:
            before, now = self._clocks, ClockReading(self._clock(), self._steady())
            event, seconds = compare_clocks(before, now)
            self._clocks = now
            if event is not ClockEvent.NONE:
                self._moved_since = min(self._moved_since, before.wall, now.wall)
                self._adjust_to_clock(event, seconds)
            if self._moved_since < float("inf"):
                since = self._moved_since
                await self._store.run(lambda db: clients.refresh_focus_times(db, since, now.wall))
                self._moved_since = float("inf")

    def _note_events(self, events: frozenset[Event]) -> None:
        """Wake the steps when a screen wrote its focus, a change or a request."""
        if any(event.kind in _AWAITED for event in events):
            self._wake()

    def _adjust_to_clock(self, event: ClockEvent, seconds: float) -> None:
        """After a sleep, read everything wanted once; after a clock step back, forget all times of reads."""
        self._client.forget_clock_offsets()
        if event is ClockEvent.WOKE:
            log.warning("was asleep for %.0f s; reloading", seconds)
            self.poller.resume_after_sleep()
        elif event is ClockEvent.WENT_BACK:
            log.warning("the clock went back by %.0f s; loading everything again", seconds)
            self.poller.adjust_to_clock(seconds)
        self._heartbeat_at = float("-inf")
        self._wake()

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def _report_unanswered(self) -> float:
        # While a platform hangs, no other step would report it; and what isn't read grows old.
        self._late = self.poller.late_reads()
        await self._report_health()
        return UNANSWERED_CHECK_SECONDS

    async def _poll_once(self) -> float:
        await self._check_clocks()
        try:
            return await self.poller.step()
        finally:
            await self._report_health()

    async def _send_once(self) -> float:
        if self._read_only:
            return 60.0
        if self._sender_is_stale:
            async with self._send_lock:
                self._sender = self._new_sender()
                await self._sender.confirmation.adopt_orphans()
                self._sender_is_stale = False
        at = self._sender.next_at()
        if at is None:
            return 60.0
        if at > self._clock():
            return at - self._clock()
        with urgent():
            async with self._send_lock:
                await self._sender.send_due()
        await self._report_health()
        return SEND_REST_SECONDS

    def _health(self) -> Health:
        own = self._own_health()
        return own if self._team is None else self._team.health(own)

    def _own_health(self) -> Health:
        poller = self.poller
        if poller.is_paused:
            return self._backoff.health()._replace(state=Connection.PAUSED, reason="", retry_at=None)
        unanswered_seconds = self._client.unanswered_seconds
        health = self._backoff.add_unanswered(
            self._backoff.health(poller.needed | poller.wanted), unanswered_seconds
        )
        if health.late != self._late:
            health = health._replace(late=self._late)
        if reason := poller.store_trouble.reason:
            return health._replace(state=Connection.STUCK, reason=reason, retry_at=None)
        return health

    async def _report_health(self) -> None:
        """Write the health when it differs; the heartbeat writes `fresh_at`."""
        health = self._health()
        if self._reported is not None and self._reported._replace(fresh_at=health.fresh_at) == health:
            return
        reported = health._replace(heard_at=self._clock())
        await self._store.run(lambda db: clients.write_health(db, reported))
        self._reported = health


async def _rest(changed: asyncio.Event, seconds: float) -> None:
    """Sleep, or wake when something is wanted."""
    try:
        async with asyncio.timeout(max(0.0, min(seconds, 60.0))):
            await changed.wait()
    except TimeoutError:
        pass

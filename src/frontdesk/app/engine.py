"""The engine: polls what is due, sends what was done, answers what was asked, says how it stands.

Started by `python -m frontdesk.app.engine_main` and by tests; it knows no screen and meets them in the store.
"""

import asyncio
import json
import logging
import math
import os
import random
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

import apsw

from frontdesk.api.client.client import PlatformClient
from frontdesk.api.client.errors import ABOUT_HOST, ApiError, BadReply, RateLimited, Refused
from frontdesk.api.contract.decode import Page
from frontdesk.api.contract.endpoints import Host
from frontdesk.api.contract.ids import ConversationId, MessageId
from frontdesk.api.contract.workflows import WorkflowDocument
from frontdesk.app.deliveries import make_sender
from frontdesk.app.housekeeping import make_housekeeping
from frontdesk.app.resources import ProfileResources
from frontdesk.campaigns.alerts.monitor import AlertMonitor
from frontdesk.campaigns.sync import DeliveryResultsReader
from frontdesk.outbox import queue
from frontdesk.outbox.sender import SETTLE_AFTER, Sender
from frontdesk.storage import change_feed, clients, damage
from frontdesk.storage.clients import Ask
from frontdesk.storage.database import Store
from frontdesk.storage.records import Connection, Health, MessagePosition
from frontdesk.sync.backoff import Backoff
from frontdesk.sync.budget import URGENT, Budget
from frontdesk.sync.clock_drift import ClockEvent, ClockReading, compare
from frontdesk.sync.housekeeping import MAX_BYTES
from frontdesk.sync.poller import STORE_TROUBLE, Poller
from frontdesk.workflows.sync import why_missing

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.1
"""How often the engine asks the store whether a screen wants something: a look costs microseconds."""

BEAT_SECONDS = 5.0
"""How often the engine says that it lives, and how old what is shown is."""

LOOK_FOR_ANSWER_SECONDS = 1.0
"""How often it is looked whether an answer is owed for long."""

STOP_SECONDS = 6.0
"""How long a change that is on its way is waited for when the engine ends."""

FAULT_FIRST_SECONDS, FAULT_MOST_SECONDS = 2.0, 60.0
"""How long a step rests that failed, at first and when it fails again and again."""

SEND_REST_SECONDS, MAX_SEND_REST_SECONDS = 0.05, 2.0


class _NotRead(Exception):
    """What somebody waits for couldn't be read; the words say why."""


class Engine:
    """Keeps one profile's store true until `stop` is called.

    Args:
        client: speaks for the profile; its gate should be `budget.take`.
        clock: Unix seconds; only tests replace it.
        steady: seconds that never go back; only tests replace it.
        chance: 0 to 1, for jitter and the spread at the start.
        settle_after: seconds after which an unanswered change is read back; only tests replace it.
        most_bytes: how large the store may get.
        alerts: judged beside the polls; None for none.
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
        most_bytes: int = MAX_BYTES,
        alerts: AlertMonitor | None = None,
    ):
        self._client = client
        self._store = store
        self._clock = clock
        self._steady = steady
        self._backoff = Backoff(clock, throttled=budget.throttled)
        self._resources = ProfileResources(client, store, clock)
        self._poller = Poller(
            self._resources, store, budget, self._backoff, clock, chance=chance, ended=self._wake
        )
        self._housekeeping = make_housekeeping(store, clock, steady, most_bytes)
        self._alerts = alerts
        self._outcomes = DeliveryResultsReader(
            client, store, budget, self._backoff, clock, steady, may_read=lambda: not self._poller.is_paused
        )
        self._owner = f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._settle_after = settle_after
        self._sender = self._new_sender()
        self._sender_is_stale = True
        self._send_lock = asyncio.Lock()
        self._send_rest = SEND_REST_SECONDS
        self._read = ClockReading(clock(), steady())
        self._beaten_at = float("-inf")
        self._changed = asyncio.Event()
        self._stopping = asyncio.Event()
        self._said: Health | None = None
        self._version: change_feed.Versions | None = None
        self._seq = 0

    async def run(self) -> None:
        """Work until `stop`; errors of the platform and of the disk are states, never an end."""
        self._read = ClockReading(self._clock(), self._steady())
        fresh_at = clients.health(self._store.reading).fresh_at
        self._backoff.restore_fresh_at(None if fresh_at is None else min(fresh_at, self._clock()))
        self._seq = change_feed.position(self._store.reading)
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._forever(step))
                for step in (
                    self._beat,
                    self._watch_store,
                    self._poll_once,
                    self._send_once,
                    self._answer_asks,
                    self._read_workflow_documents,
                    self._mind_answers,
                    self._housekeeping.step,
                    *([] if self._alerts is None else [self._alerts.step]),
                    self._outcomes.step,
                )
            ]
            await self._stopping.wait()
            await self._let_send_end()
            for task in tasks:
                task.cancel()
            await self._poller.close()
            if self._alerts is not None:
                await self._alerts.close()

    def stop(self) -> None:
        """End `run`; what was not sent stays in the outbox."""
        self._stopping.set()

    @property
    def has_read_all(self) -> bool:
        """Whether every task, thread, watched campaign, workflow and AI agent was read once."""
        return self._poller.has_read_all

    async def flush(self, seconds: float) -> None:
        """Send what is in the outbox, held or not, for at most this long."""
        if not clients.open_screens(self._store.reading, self._clock()):
            # Whoever still sits before a screen can still take it back.
            await self._sender.release_held()
        token = URGENT.set(True)
        try:
            async with asyncio.timeout(seconds):
                while (at := self._sender.next_at()) is not None:
                    await asyncio.sleep(max(0.0, at - self._clock()))
                    await self._sender.send_due()
        except TimeoutError:
            log.info("the outbox was not emptied in time; it is sent when frontdesk runs next")
        finally:
            URGENT.reset(token)

    def _new_sender(self) -> Sender:
        return make_sender(self._client, self._store, self._backoff, self._clock, self._owner, self._settle_after)

    async def _let_send_end(self) -> None:
        try:
            async with asyncio.timeout(STOP_SECONDS), self._send_lock:
                pass
        except TimeoutError:
            log.warning("a change is still on its way; it is read back when frontdesk runs next")

    async def _forever(self, step: Callable[[], Awaitable[float]]) -> None:
        """Run a step again and again; it answers how many seconds it may rest."""
        faults = 0
        while True:
            # Before the step: what changes while it runs must wake it, too.
            changed = self._changed
            pause = min(FAULT_MOST_SECONDS, FAULT_FIRST_SECONDS * 2.0 ** min(faults, 10))
            faults += 1
            try:
                rest = await step()
            except ApiError as error:
                log.warning("a step of the engine failed: %s", type(error).__name__)
                await asyncio.sleep(pause)
            except STORE_TROUBLE as error:
                if damage.is_damage(error):
                    log.exception("the store is damaged; whoever opens it next sets it aside")
                    damage.mark_damaged(self._store.folder)
                    self.stop()
                    await asyncio.sleep(FAULT_MOST_SECONDS)
                    continue
                log.warning("the store could not be used, again in %.0f s: %s", pause, error)
                await asyncio.sleep(pause)
            except Exception:
                # A fault of ours in one step must not end the others; the log says how it came.
                log.exception("a step of the engine failed, again in %.0f s", pause)
                await asyncio.sleep(pause)
            else:
                faults = 0
                await _rest(changed, rest)

    async def _beat(self) -> float:
        """Say that this engine lives: a screen that hears nothing for long stops calling it live."""
        due = self._beaten_at + BEAT_SECONDS - self._steady()
        if due > 0:
            return due
        now, fresh_at = self._clock(), self._backoff.fresh_at
        await self._store.run(lambda db: clients.write_heartbeat(db, fresh_at, now))
        self._beaten_at = self._steady()
        return BEAT_SECONDS

    async def _watch_store(self) -> float:
        """Wake the others when a screen wrote what it looks at, a change or an ask."""
        if self._store.is_replaced:
            log.error("the store was replaced by another; this engine ends")
            self.stop()
            return 60.0
        await self._mind_the_clocks()
        now = change_feed.versions(self._store.reading)
        if now != self._version:
            # The feed may have told of a change a moment before it could be read.
            outbox_moved = self._version is not None and now.outbox != self._version.outbox
            self._version = now
            self._seq, events = change_feed.since(self._store.reading, self._seq)
            wanted = {change_feed.LOOKING, change_feed.CHANGE, change_feed.ASK, change_feed.EVERYTHING.kind}
            if outbox_moved or any(event.kind in wanted for event in events):
                self._wake()
        await asyncio.sleep(LOOK_SECONDS)
        return 0.0

    async def _mind_the_clocks(self) -> None:
        """After a sleep all that is wanted is due once; after a step back no time kept means anything."""
        before, self._read = self._read, ClockReading(self._clock(), self._steady())
        step = compare(before, self._read)
        if step.turn is ClockEvent.NONE:
            return
        self._beaten_at = float("-inf")
        now, seconds = self._read.wall, step.seconds
        if step.turn is ClockEvent.WOKE:
            log.warning("nobody was awake for %.0f s; what is wanted is read once", seconds)
            self._poller.resume_after_sleep()
            await self._store.run(lambda db: clients.refresh_focus_times(db, before.wall, now))
        else:
            log.warning("the clock went back by %.0f s; everything is read again", seconds)
            self._poller.adjust_to_clock(seconds)
            self._sender_is_stale = True

            def pull_back(db: apsw.Connection) -> None:
                clients.refresh_focus_times(db, now, now)
                queue.adjust_to_clock(db, now, seconds)

            await self._store.run(pull_back)
        self._wake()

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def _mind_answers(self) -> float:
        """While a platform hangs nothing else happens here that would say so."""
        await self._say()
        return LOOK_FOR_ANSWER_SECONDS

    async def _poll_once(self) -> float:
        try:
            return await self._poller.step()
        finally:
            await self._say()

    async def _send_once(self) -> float:
        if self._sender_is_stale:
            # At the start, and when what it remembers are moments of a clock that was wrong.
            now = self._clock()
            async with self._send_lock:
                self._sender = self._new_sender()
                await self._store.run(lambda db: queue.adjust_to_clock(db, now))
                await self._sender.adopt_orphans()
                self._sender_is_stale = False
        at = self._sender.next_at()
        if at is None:
            return 60.0
        if at > self._clock():
            return at - self._clock()
        token = URGENT.set(True)
        try:
            async with self._send_lock:
                await self._sender.send_due()
        finally:
            URGENT.reset(token)
        await self._say()
        # What is still due, and for the same moment, did not move: it is looked at less and less often.
        is_same = self._sender.next_at() == at
        self._send_rest = min(MAX_SEND_REST_SECONDS, self._send_rest * 2) if is_same else SEND_REST_SECONDS
        return self._send_rest

    async def _answer_asks(self) -> float:
        """Settle what is asked: to read again at once, and then pages, which may take their time."""
        rest = 60.0
        others = (clients.OUTCOMES, clients.WORKFLOW_DOCUMENT)
        asks = [each for each in clients.open_requests(self._store.reading) if each.kind not in others]
        for ask in sorted(asks, key=lambda each: each.kind != clients.REFRESH):
            wait = self._backoff.ready_at(Host.BASE) - self._clock()
            if ask.kind == clients.OLDER and wait > 0 and self._backoff.is_throttled(Host.BASE):
                rest = min(rest, wait)
                continue
            token = URGENT.set(True)
            failed = ""
            try:
                await self._answer(ask)
            except RateLimited as error:
                self._backoff.note_failure(Host.BASE, error)
                await self._say()
                rest = min(rest, self._backoff.ready_at(Host.BASE) - self._clock())
                continue
            except ApiError as error:
                failed = str(error)
                if isinstance(error, ABOUT_HOST) or not isinstance(error, Refused):
                    self._backoff.note_failure(Host.BASE, error)
                    await self._say()
            except STORE_TROUBLE:
                raise
            except ValueError as error:
                failed = str(error)
            except Exception:
                # A fault of ours: this one is given up, so that those after it are answered.
                log.exception("what was asked for could not be read")
                failed = "frontdesk failed at this; its log says why"
            finally:
                URGENT.reset(token)
            await self._resolve(ask, failed)
        return rest

    async def _read_workflow_documents(self) -> float:
        """Read the workflows once for all who wait for them, apart from other asks: the answer may be megabytes.

        Who asks while it is read waits for the next read.
        """
        asks = [ask for ask in clients.open_requests(self._store.reading) if ask.kind == clients.WORKFLOW_DOCUMENT]
        if asks:
            failures = await self._read_documents_for(asks)
            await self._store.run(lambda db: _resolve_all(db, failures))
        return 60.0

    async def _read_documents_for(self, asks: Sequence[Ask]) -> dict[int, str]:
        """Read all workflows' whole documents; answers why each ask couldn't be met, empty where it was."""
        try:
            page = await self._read_documents()
        except _NotRead as error:
            return {ask.ask_id: str(error) for ask in asks}
        return {ask.ask_id: why_missing(page, ask.target) for ask in asks}

    async def _read_documents(self) -> Page[WorkflowDocument]:
        """Read the workflows' list and their whole documents.

        Raises:
            _NotRead: they couldn't be read, with the words that say why.
        """
        host = Host.WORKFLOWS
        if self._backoff.is_throttled(host) and (wait := self._backoff.ready_at(host) - self._clock()) > 0:
            raise _NotRead(f"the platform asks us to wait until {_local_time(self._clock() + wait)}")
        token = URGENT.set(True)
        try:
            page = await self._resources.documents.workflow_documents()
        except ApiError as error:
            if isinstance(error, ABOUT_HOST) or not isinstance(error, Refused | BadReply):
                self._backoff.note_failure(host, error)
                await self._say()
            raise _NotRead(str(error) or type(error).__name__) from error
        except STORE_TROUBLE:
            raise
        except Exception as error:
            log.exception("the workflows' documents could not be read")
            raise _NotRead("frontdesk failed at this; its log says why") from error
        finally:
            URGENT.reset(token)
        self._backoff.note_success(host)
        return page

    async def _resolve(self, ask: Ask, failed: str) -> None:
        await self._store.run(lambda db: clients.resolve_request(db, ask.ask_id, failed=failed))

    async def _answer(self, ask: Ask) -> None:
        if ask.kind == clients.OLDER:
            conversation, created_at, message_id = json.loads(ask.target)
            key = MessagePosition(created_at, MessageId(message_id))
            await self._resources.threads.thread_older(ConversationId(conversation), key)
            self._backoff.note_success(Host.BASE)
        elif ask.kind == clients.REFRESH:
            self._poller.refresh(ask.target)
            self._wake()
        else:
            raise ValueError(f"nobody knows how to answer {ask.kind!r}")

    def _health(self) -> Health:
        poller = self._poller
        if poller.is_paused:
            return replace(self._backoff.health(), state=Connection.PAUSED, reason="", retry_at=None)
        owed = self._client.unanswered_seconds
        health = self._backoff.add_unanswered(self._backoff.health(poller.needed), owed)
        if poller.stuck:
            return replace(health, state=Connection.STUCK, reason=poller.stuck, retry_at=None)
        return health

    async def _say(self) -> None:
        """Write how it stands, when words differ; how old it is by now is the beat's to say."""
        health = self._health()
        if self._said is not None and replace(health, fresh_at=None) == replace(self._said, fresh_at=None):
            return
        said = replace(health, heard_at=self._clock())
        await self._store.run(lambda db: clients.write_health(db, said))
        self._said = health


def _resolve_all(db: apsw.Connection, failures: Mapping[int, str]) -> None:
    for ask_id, failed in failures.items():
        clients.resolve_request(db, ask_id, failed=failed)


def _local_time(at: float) -> str:
    """A moment's clock time on this machine, the next full second; with its day where it isn't within one."""
    moment = datetime.fromtimestamp(math.ceil(at)).astimezone()
    is_today = moment.date() == datetime.now().astimezone().date()
    return f"{moment:%H:%M:%S}" if is_today else f"{moment:%d %b %H:%M:%S}"


async def _rest(changed: asyncio.Event, seconds: float) -> None:
    """Sleep, or wake when the store says that something is wanted."""
    try:
        async with asyncio.timeout(max(0.0, min(seconds, 60.0))):
            await changed.wait()
    except TimeoutError:
        pass

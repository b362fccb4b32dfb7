"""The engine: polls what is due, sends what was done, answers what was asked, says how it stands.

Started by `python -m frontdesk.sync` and by tests; it knows no screen and meets them in the store.
"""

import asyncio
import json
import logging
import os
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import replace

import apsw

from frontdesk.client.client import PlatformClient
from frontdesk.client.errors import ApiError, NotFound, NotSent
from frontdesk.contract.endpoints import Host
from frontdesk.contract.ids import CampaignId, ConversationId, MessageId
from frontdesk.store import campaigns, conversations, feed, presence
from frontdesk.store.presence import Ask
from frontdesk.store.records import Connection, Health, MessageKey
from frontdesk.store.store import Store
from frontdesk.sync.backoff import Backoff
from frontdesk.sync.budget import URGENT, Budget
from frontdesk.sync.pull import Puller
from frontdesk.sync.schedule import Job, Kind, Run, Situation, after, upcoming
from frontdesk.sync.sender import Sender

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.1
"""How often the engine asks the store whether a screen wants something: a look costs microseconds."""

FRESH_SECONDS = 5.0
"""How often the age of what is shown is written while nothing else changes."""

_HOSTS = {
    Kind.THREAD: Host.BASE,
    Kind.THREAD_BEHIND: Host.BASE,
    Kind.TASKS_HEAD: Host.BUSINESS,
    Kind.TASKS_SWEEP: Host.BUSINESS,
    Kind.CAMPAIGN: Host.CAMPAIGNS,
    Kind.WORKFLOWS: Host.WORKFLOWS,
    Kind.AI_AGENTS: Host.AI,
}

OLDER = "older"
REFRESH = "refresh"
"""Kinds of asks: a page before a message (target: JSON of conversation, time, id), and everything now."""


class Engine:
    """Keeps one profile's store true until `stop` is called.

    Args:
        client: speaks for the profile; its gate should be `budget.take`.
        clock: Unix seconds; only tests replace it.
    """

    def __init__(
        self,
        client: PlatformClient,
        store: Store,
        budget: Budget,
        *,
        clock: Callable[[], float] = time.time,
        settle_after: float | None = None,
    ):
        self._client = client
        self._store = store
        self._budget = budget
        self._clock = clock
        self._backoff = Backoff(clock)
        self._pull = Puller(client, store, clock)
        owner = f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._sender = Sender(
            client, store, clock, owner, **({} if settle_after is None else {"settle_after": settle_after})
        )
        self._runs: dict[Job, Run] = {}
        self._changed = asyncio.Event()
        self._stopping = asyncio.Event()
        self._said: Health | None = None
        self._seq = 0

    async def run(self) -> None:
        """Work until `stop`; errors of the platform are states, never an end."""
        await self._sender.adopt()
        self._seq = feed.position(self._store.reading)
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._watch_store()),
                group.create_task(self._forever(self._poll_once)),
                group.create_task(self._forever(self._send_once)),
                group.create_task(self._forever(self._answer_asks)),
            ]
            await self._stopping.wait()
            for task in tasks:
                task.cancel()

    def stop(self) -> None:
        """End `run`; what was not sent stays in the outbox."""
        self._stopping.set()

    @property
    def has_read_all(self) -> bool:
        """Whether every task, thread, watched campaign, workflow and AI agent was read once."""
        kinds = {job.kind for job in self._runs}
        return (
            self._pull.swept
            and {Kind.WORKFLOWS, Kind.AI_AGENTS} <= kinds
            and not conversations.threads_to_read(self._store.reading, 1)
            and all(each.read_at or each.problem for each in campaigns.watched(self._store.reading))
        )

    async def flush(self, seconds: float) -> None:
        """Send what is in the outbox, held or not, for at most this long."""
        await self._sender.release_held()
        try:
            async with asyncio.timeout(seconds):
                while (at := self._sender.next_at()) is not None and at <= self._clock() + seconds:
                    await self._sender.send_due()
                    await asyncio.sleep(0)
        except (TimeoutError, ApiError) as error:
            log.info("the outbox was not emptied: %s", error)

    async def _forever(self, step: Callable[[], Awaitable[float]]) -> None:
        """Run a step again and again; it answers how many seconds it may rest."""
        while True:
            try:
                rest = await step()
            except ApiError:
                rest = 1.0
            except apsw.Error:
                log.exception("the store could not be used")
                rest = 2.0
            await self._rest(rest)

    async def _rest(self, seconds: float) -> None:
        """Sleep, or wake when the store says that something is wanted."""
        changed = self._changed
        try:
            async with asyncio.timeout(max(0.0, min(seconds, 60.0))):
                await changed.wait()
        except TimeoutError:
            pass

    async def _watch_store(self) -> None:
        """Wake the others when a screen wrote what it looks at, a change or an ask."""
        version = None
        while True:
            now = self._store.reading.pragma("data_version")
            if now != version:
                version = now
                self._seq, events = feed.since(self._store.reading, self._seq)
                wanted = {feed.LOOKING, feed.CHANGE, feed.ASK, feed.EVERYTHING.kind}
                if any(event.kind in wanted for event in events):
                    self._wake()
            await asyncio.sleep(LOOK_SECONDS)

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def _poll_once(self) -> float:
        lookers = presence.lookers(self._store.reading, self._clock())
        if lookers and all(each.paused for each in lookers):
            await self._say(Health(Connection.PAUSED, "polling is paused", self._clock()))
            return 60.0
        behind = conversations.threads_to_read(self._store.reading, 1)
        situation = Situation(
            lookers=lookers,
            campaigns=campaigns.watched(self._store.reading),
            runs=self._runs,
            behind=behind[0][0] if behind else "",
            swept=self._pull.swept,
        )
        now = self._clock()
        queue = [
            (max(due.at, self._backoff.ready_at(_HOSTS[due.job.kind])), due.job)
            for due in upcoming(situation, now)
        ]
        ready = [job for at, job in queue if at <= now]
        if not ready:
            return min((at for at, _ in queue), default=now + 60.0) - now
        job = ready[0]
        behind_all = job.kind in (Kind.THREAD_BEHIND, Kind.TASKS_SWEEP) and self._pull.swept
        if behind_all and (wait := self._budget.wait_seconds(urgent=False)) > 0:
            return wait
        await self._poll(job)
        return 0.0

    async def _poll(self, job: Job) -> None:
        host = _HOSTS[job.kind]
        try:
            differed = await self._fetch(job)
        except ApiError as error:
            log.warning("%s %s: %s", job.kind, job.target, error)
            self._runs[job] = Run(self._clock())
            if isinstance(error, NotFound):
                self._backoff.worked(host)
            else:
                self._backoff.failed(host, error)
            if job.kind is Kind.THREAD_BEHIND and not isinstance(error, NotSent):
                # One thread that can't be read must not keep the others waiting behind it.
                await self._store.run(lambda db: conversations.thread_set_aside(db, job.target, self._clock()))
        else:
            self._runs[job] = after(self._runs.get(job), self._clock(), differed=differed)
            self._backoff.worked(host)
            if job.kind is Kind.THREAD_BEHIND:
                del self._runs[job]
        await self._say(self._backoff.health())

    async def _fetch(self, job: Job) -> bool:
        match job.kind:
            case Kind.TASKS_HEAD:
                return await self._pull.tasks_head()
            case Kind.TASKS_SWEEP:
                return await self._pull.tasks_sweep()
            case Kind.THREAD | Kind.THREAD_BEHIND:
                return await self._pull.thread_head(ConversationId(job.target))
            case Kind.CAMPAIGN:
                return await self._pull.campaign(CampaignId(job.target))
            case Kind.WORKFLOWS:
                return await self._pull.workflows()
            case Kind.AI_AGENTS:
                return await self._pull.ai_agents()

    async def _send_once(self) -> float:
        at = self._sender.next_at()
        if at is None:
            return 60.0
        at = max(at, self._backoff.ready_at(Host.BUSINESS))
        if at > self._clock():
            return at - self._clock()
        token = URGENT.set(True)
        try:
            await self._sender.send_due()
        except ApiError as error:
            self._backoff.failed(Host.BUSINESS, error)
            await self._say(self._backoff.health())
        finally:
            URGENT.reset(token)
        return 0.0

    async def _answer_asks(self) -> float:
        for ask in presence.open_asks(self._store.reading):
            token = URGENT.set(True)
            try:
                await self._answer(ask)
            except ApiError as error:
                failed = str(error)
                self._backoff.failed(Host.BASE, error)
                await self._say(self._backoff.health())
            except ValueError as error:
                failed = str(error)
            else:
                failed = ""
            finally:
                URGENT.reset(token)
            await self._settle(ask, failed)
        return 60.0

    async def _settle(self, ask: Ask, failed: str) -> None:
        await self._store.run(lambda db: presence.settle_ask(db, ask.ask_id, failed=failed))

    async def _answer(self, ask: Ask) -> None:
        if ask.kind == OLDER:
            conversation, created_at, message_id = json.loads(ask.target)
            key = MessageKey(created_at, MessageId(message_id))
            await self._pull.thread_older(ConversationId(conversation), key)
        elif ask.kind == REFRESH:
            self._backoff.reset()
            self._runs = {
                job: Run(0.0) for job in self._runs if not ask.target or ask.target in (job.target, job.kind)
            } | {job: run for job, run in self._runs.items() if ask.target not in ("", job.target, job.kind)}
            self._wake()
        else:
            raise ValueError(f"nobody knows how to answer {ask.kind!r}")

    async def _say(self, health: Health) -> None:
        """Write how it stands, when words differ or what is shown has aged a little."""
        if self._said is not None and _sounds_same(self._said, health):
            return
        self._said = health
        await self._store.run(lambda db: presence.put_health(db, health))


def _sounds_same(said: Health, now: Health) -> bool:
    aged = (now.fresh_at or 0.0) - (said.fresh_at or 0.0) >= FRESH_SECONDS
    return not aged and replace(now, fresh_at=None) == replace(said, fresh_at=None)

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
from frontdesk.client.errors import (
    ApiError,
    BadReply,
    BadRequestInput,
    CredentialsMissing,
    CredentialsRefused,
    RateLimited,
    Redirected,
    Refused,
)
from frontdesk.contract.endpoints import Host
from frontdesk.contract.ids import CampaignId, ConversationId, MessageId
from frontdesk.store import campaigns, conversations, feed, files, presence
from frontdesk.store.presence import Ask, Looking
from frontdesk.store.records import Connection, Health, MessageKey
from frontdesk.store.store import Store
from frontdesk.sync.backoff import Backoff
from frontdesk.sync.budget import URGENT, Budget
from frontdesk.sync.pull import Puller
from frontdesk.sync.schedule import ASKED_FOR, IDLE_AFTER, Job, Kind, Run, Situation, after, upcoming
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

CLOCK_STEP = 5.0
"""A clock that went back by more than this was set: times kept before it mean nothing."""

STOP_SECONDS = 6.0
"""How long a change that is on its way is waited for when the engine ends."""


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
            client,
            store,
            self._backoff,
            clock,
            owner,
            **({} if settle_after is None else {"settle_after": settle_after}),
        )
        self._send_lock = asyncio.Lock()
        self._aside: set[str] = set()
        self._needed: set[str] = set()
        self._last_now = 0.0
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
                group.create_task(self._forever(self._watch_store)),
                group.create_task(self._forever(self._poll_once)),
                group.create_task(self._forever(self._send_once)),
                group.create_task(self._forever(self._answer_asks)),
            ]
            await self._stopping.wait()
            await self._let_send_end()
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

    async def _let_send_end(self) -> None:
        try:
            async with asyncio.timeout(STOP_SECONDS), self._send_lock:
                pass
        except TimeoutError:
            log.warning("a change is still on its way; it is read back when frontdesk runs next")

    async def _forever(self, step: Callable[[], Awaitable[float]]) -> None:
        """Run a step again and again; it answers how many seconds it may rest."""
        while True:
            try:
                rest = await step()
            except ApiError:
                rest = 1.0
            except files.DAMAGE:
                log.exception("the store is damaged; whoever opens it next sets it aside")
                files.doubt(self._store.folder)
                self.stop()
                rest = 60.0
            except apsw.Error:
                log.exception("the store could not be used")
                rest = 2.0
            except Exception:
                # A fault of ours in one step must not end the others; the log says how it came.
                log.exception("a step of the engine failed")
                rest = 5.0
            await self._rest(rest)

    async def _rest(self, seconds: float) -> None:
        """Sleep, or wake when the store says that something is wanted."""
        changed = self._changed
        try:
            async with asyncio.timeout(max(0.0, min(seconds, 60.0))):
                await changed.wait()
        except TimeoutError:
            pass

    async def _watch_store(self) -> float:
        """Wake the others when a screen wrote what it looks at, a change or an ask."""
        version = None
        while True:
            if self._store.is_replaced:
                log.error("the store was replaced by another; this engine ends")
                self.stop()
                return 60.0
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
        self._mind_the_clock()
        lookers = presence.lookers(self._store.reading, self._clock())
        if lookers and all(each.paused for each in lookers):
            await self._say(replace(self._backoff.health(), state=Connection.PAUSED, reason=""))
            return 60.0
        now = self._clock()
        self._backoff.attended = any(each.focused and now - each.active_at < IDLE_AFTER for each in lookers)
        due = upcoming(self._situation(lookers), now)
        self._needed = {_HOSTS[each.job.kind] for each in due}
        queue = [(max(each.at, self._backoff.ready_at(_HOSTS[each.job.kind])), each.job) for each in due]
        ready = [job for at, job in queue if at <= now]
        if not ready:
            await self._say(self._backoff.health(self._needed))
            return min((at for at, _ in queue), default=now + 60.0) - now
        job = ready[0]
        first_sight = job.kind is Kind.THREAD and job not in self._runs
        behind = job.kind is Kind.THREAD_BEHIND
        if (wait := self._budget.wait_seconds(urgent=first_sight, behind=behind)) > 0:
            # Something that may spend more can become due before this job may go.
            return min(wait, 1.0) if behind else wait
        token = URGENT.set(first_sight)
        try:
            await self._poll(job)
        finally:
            URGENT.reset(token)
        return 0.0

    def _situation(self, lookers: list[Looking]) -> Situation:
        waiting = conversations.threads_to_read(self._store.reading, len(self._aside) + 1)
        return Situation(
            lookers=lookers,
            campaigns=campaigns.watched(self._store.reading),
            runs=self._runs,
            behind=next((each[0] for each in waiting if each[0] not in self._aside), ""),
            swept=self._pull.swept,
        )

    def _mind_the_clock(self) -> None:
        """A clock that was set back would make everything due in the far future."""
        now = self._clock()
        if now < self._last_now - CLOCK_STEP:
            log.warning("the clock went back by %.0f s; everything is read again", self._last_now - now)
            self._runs.clear()
            self._backoff.reset()
        self._last_now = now

    async def _poll(self, job: Job) -> None:
        host = _HOSTS[job.kind]
        try:
            differed = await self._fetch(job)
        except ApiError as error:
            log.warning("%s could not be read: %s", job.kind, type(error).__name__)
            self._note_failure(job, host, error)
        else:
            self._runs[job] = after(self._runs.get(job), self._clock(), differed=differed)
            self._backoff.worked(host)
            if job.kind is Kind.THREAD_BEHIND:
                del self._runs[job]
        await self._say(self._backoff.health(self._needed))

    def _note_failure(self, job: Job, host: Host, error: ApiError) -> None:
        """A no to one question is no trouble of the host's; everything else is."""
        about_host = CredentialsRefused | CredentialsMissing | RateLimited | Redirected
        if isinstance(error, Refused | BadRequestInput) and not isinstance(error, about_host):
            self._backoff.worked(host)
            self._runs[job] = Run(self._clock())
        else:
            self._backoff.failed(host, error)
        if job.kind is Kind.THREAD_BEHIND:
            self._runs.pop(job, None)
            if isinstance(error, Refused | BadRequestInput | BadReply) and not isinstance(error, about_host):
                # One thread that can't be read must not keep the others waiting behind it.
                self._aside.add(job.target)

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
        if at > self._clock():
            return at - self._clock()
        token = URGENT.set(True)
        try:
            async with self._send_lock:
                await self._sender.send_due()
        finally:
            URGENT.reset(token)
        await self._say(self._backoff.health(self._needed))
        return 0.05

    async def _answer_asks(self) -> float:
        for ask in presence.open_asks(self._store.reading):
            wait = self._backoff.ready_at(Host.BASE) - self._clock()
            if ask.kind == presence.OLDER and wait > 0 and self._backoff.is_throttled(Host.BASE):
                return wait
            token = URGENT.set(True)
            failed = ""
            try:
                await self._answer(ask)
            except ApiError as error:
                failed = str(error)
                if not isinstance(error, Refused):
                    self._backoff.failed(Host.BASE, error)
                    await self._say(self._backoff.health(self._needed))
            except ValueError as error:
                failed = str(error)
            finally:
                URGENT.reset(token)
            await self._settle(ask, failed)
        return 60.0

    async def _settle(self, ask: Ask, failed: str) -> None:
        await self._store.run(lambda db: presence.settle_ask(db, ask.ask_id, failed=failed))

    async def _answer(self, ask: Ask) -> None:
        if ask.kind == presence.OLDER:
            conversation, created_at, message_id = json.loads(ask.target)
            key = MessageKey(created_at, MessageId(message_id))
            await self._pull.thread_older(ConversationId(conversation), key)
            self._backoff.worked(Host.BASE)
        elif ask.kind == presence.REFRESH:
            self._refresh(ask.target)
        else:
            raise ValueError(f"nobody knows how to answer {ask.kind!r}")

    def _refresh(self, target: str) -> None:
        """Everything, or what is about one id, is due at once."""
        self._backoff.reset()
        self._aside.clear()
        asked = {job for job in self._runs if target in ("", job.target, str(job.kind))}
        if target:
            asked |= {Job(Kind.CAMPAIGN, target), Job(Kind.THREAD, target)}
        self._runs |= dict.fromkeys(asked, ASKED_FOR)
        self._wake()

    async def _say(self, health: Health) -> None:
        """Write how it stands, when words differ or what is shown has aged a little."""
        if self._said is not None and _sounds_same(self._said, health):
            return
        self._said = health
        await self._store.run(lambda db: presence.put_health(db, health))


def _sounds_same(said: Health, now: Health) -> bool:
    aged = (now.fresh_at or 0.0) - (said.fresh_at or 0.0) >= FRESH_SECONDS
    return not aged and replace(now, fresh_at=None) == replace(said, fresh_at=None)

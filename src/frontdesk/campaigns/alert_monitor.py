"""AlertMonitor: an engine step that raises alerts and runs their commands without a shell.

The state is committed before anything is shown or run: after a kill an alert may be missing, but is never shown
twice.
"""

import asyncio
import contextlib
import logging
import os
import re
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import apsw

from frontdesk.api.contract.ids import CampaignId
from frontdesk.campaigns.alert_rules import (
    AlertMatch,
    AlertRule,
    AlertState,
    advance,
    lookback_seconds,
    next_stall_at,
)
from frontdesk.campaigns.models import CampaignHistory, CampaignRecord, Counters
from frontdesk.campaigns.store import alerts as campaign_alerts
from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.store.alerts import Alert
from frontdesk.config.alerts import PLACEHOLDER
from frontdesk.config.processes import child_environment
from frontdesk.storage.database import Store
from frontdesk.storage.database_files import StoreUnusable

CHECK_SECONDS = 2.0

log = logging.getLogger("frontdesk.sync")

_STATES = {str(state): state for state in AlertState}
_Read = tuple[str, float | None, str, Counters]

TIMEOUT_SECONDS = 30.0
END_SECONDS = 2.0
"""For commands that still run when the engine ends."""

MAX_RUNNING = 4
MAX_WAITING = 50
MAX_VALUE = 1_000

_KEPT_OUTPUT = 2_000


def fill_placeholders(arguments: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """Return the arguments with values for their placeholders; braces in a value are left as they are."""
    clean = {name: _clean(value) for name, value in values.items()}
    return [re.sub(PLACEHOLDER, lambda found: clean.get(found[1], found[0]), each) for each in arguments]


class AlertCommands:
    """The running commands of alerts.

    Args:
        environ: what the commands get of it is without frontdesk's own variables.
        failed: called with a program and the reason why it can't be started.
    """

    def __init__(
        self,
        environ: Mapping[str, str],
        timeout_seconds: float = TIMEOUT_SECONDS,
    ):
        self._environ = child_environment(environ)
        self.failed: Callable[[str, str], object] | None = None
        self._timeout_seconds = timeout_seconds
        self._slots = asyncio.Semaphore(MAX_RUNNING)
        self.tasks: set[asyncio.Task[None]] = set()

    def start(self, run: Sequence[str], values: Mapping[str, str]) -> None:
        if len(self.tasks) >= MAX_WAITING:
            log.warning("skipped alert command %s: too many are running", run[0])
            return
        argv = [os.path.expanduser(run[0]), *fill_placeholders(run[1:], values)]
        task = asyncio.create_task(self._run(argv))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def close(self) -> None:
        """Wait a moment for those that run, then kill them."""
        if self.tasks:
            await asyncio.wait(self.tasks, timeout=END_SECONDS)
        tasks = list(self.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, argv: list[str]) -> None:
        program = argv[0]
        async with self._slots:
            try:
                process = await asyncio.create_subprocess_exec(
                    *argv,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.STDOUT,
                    env=self._environ,
                    start_new_session=True,
                )
            except (OSError, ValueError) as error:
                why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
                log.warning("couldn't start alert command %s: %s", program, why)
                if self.failed is not None:
                    self.failed(program, why)
                return
            output = bytearray()
            draining = asyncio.create_task(_drain(process.stdout, output))
            try:
                async with asyncio.timeout(self._timeout_seconds):
                    status = await process.wait()
                    await draining
                printed = bytes(output).decode(errors="replace").strip()
                level = logging.WARNING if status else logging.INFO
                log.log(level, "alert command %s exited with status %d: %s", program, status, printed)
            except (TimeoutError, asyncio.CancelledError) as error:
                # The whole group: what it started holds its output open.
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                draining.cancel()
                if isinstance(error, asyncio.CancelledError):
                    raise
                log.warning("killed alert command %s after %.0f s", program, self._timeout_seconds)


async def _drain(stream: asyncio.StreamReader | None, output: bytearray) -> None:
    """Read to the end but keep only the beginning: a program whose output isn't read would block."""
    while stream is not None and (part := await stream.read(4096)):
        output += part[: max(0, _KEPT_OUTPUT - len(output))]


def _clean(value: str) -> str:
    return value.replace("\0", "")[:MAX_VALUE].encode("utf-8", "ignore").decode()


class AlertMonitor:
    """The alerts of one profile.

    Attributes:
        stalls_at: by campaign, when a read that finds nothing sent would raise an alert.
    """

    def __init__(
        self,
        store: Store,
        rules: Sequence[AlertRule],
        clock: Callable[[], float],
        commands: AlertCommands,
        steady: Callable[[], float] = time.monotonic,
    ):
        self._store, self._rules, self._clock, self._steady = store, rules, clock, steady
        self._commands = commands
        self._commands.failed = self._cannot_start
        self._checked_at = float("-inf")
        self._evaluated: dict[CampaignId, _Read] = {}
        self.stalls_at: dict[str, float] = {}
        self._writes: set[asyncio.Future[None]] = set()

    async def step(self) -> float:
        """Evaluate the campaigns that were read since the last step; return the seconds until the next one."""
        due = self._checked_at + CHECK_SECONDS - self._steady()
        if due > 0:
            return due
        self._checked_at = self._steady()
        for record in campaigns.watched(self._store.reading):
            read = (record.status, record.read_at, record.problem, record.counters)
            if self._evaluated.get(record.campaign_id) != read:
                await self._evaluate(record)
                self._evaluated[record.campaign_id] = read
        return CHECK_SECONDS

    async def close(self) -> None:
        await self._commands.close()
        await asyncio.gather(*self._writes, return_exceptions=True)

    async def _evaluate(self, record: CampaignRecord) -> None:
        db, since = self._store.reading, (record.read_at or 0.0) - lookback_seconds(self._rules)
        history = campaigns.history(db, record, since)
        if (at := next_stall_at(self._rules, history)) is None:
            self.stalls_at.pop(record.campaign_id, None)
        else:
            self.stalls_at[record.campaign_id] = at
        if self._advanced(db, history) is None:
            return
        found = await self._store.run(partial(self._raise, history=history))
        for each in found:
            log.info("campaign %s: %s", record.campaign_id, each.words)
            if each.rule.run:
                values = {
                    "campaign_id": record.campaign_id,
                    "name": record.name,
                    "value": each.value,
                    "words": each.words,
                }
                self._commands.start(each.rule.run, values)

    def _advanced(
        self, db: apsw.Connection, history: CampaignHistory
    ) -> tuple[dict[str, str], tuple[AlertMatch, ...]] | None:
        kept = campaign_alerts.states(db, history.record.campaign_id)
        before = {key: _STATES[state] for key, state in kept.items() if state in _STATES}
        after, found = advance(self._rules, history, before)
        return None if after == before else ({key: str(state) for key, state in after.items()}, found)

    def _raise(self, db: apsw.Connection, history: CampaignHistory) -> tuple[AlertMatch, ...]:
        """Evaluate again within the transaction: another engine may have raised it meanwhile."""
        record, advanced = history.record, self._advanced(db, history)
        if advanced is None:
            return ()
        after, found = advanced
        now = self._clock()
        campaign_alerts.put_states(db, record.campaign_id, after, now)
        for each in found:
            key = f"{record.campaign_id} {each.rule.key}"
            campaign_alerts.put(db, Alert(key, record.campaign_id, record.name, each.words, now, each.rule.by))
        return found

    def _cannot_start(self, program: str, why: str) -> None:
        words = f"Couldn't start the alert command {program}: {why}."

        def put(db: apsw.Connection) -> None:
            if not campaign_alerts.is_raised(db, key := f" {words}"):
                campaign_alerts.put(db, Alert(key, CampaignId(""), "", words, self._clock(), ()))

        write = asyncio.ensure_future(self._store.run(put))
        self._writes.add(write)
        write.add_done_callback(self._written)

    def _written(self, write: "asyncio.Future[None]") -> None:
        self._writes.discard(write)
        if not write.cancelled() and (error := write.exception()) is not None:
            level = logging.WARNING if isinstance(error, (apsw.Error, StoreUnusable)) else logging.ERROR
            log.log(level, "couldn't save the alert about a command that didn't start: %s", error)

"""AlertMonitor: an engine step that raises alerts and runs their commands without a shell.

The state is committed before anything is shown or run: after a kill an alert may be missing, but is never shown
twice.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from functools import partial

import apsw

from frontdesk.campaigns.alert_rules import (
    AlertMatch,
    AlertRule,
    AlertState,
    advance,
    lookback_seconds,
    next_stall_at,
)
from frontdesk.campaigns.counters import Counters
from frontdesk.campaigns.models import CampaignHistory, CampaignRecord
from frontdesk.campaigns.store import alerts as campaign_alerts
from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.store.alerts import Alert
from frontdesk.config.program_runner import MadeOption, ProgramRun, ProgramRunner, fill_command
from frontdesk.outbox import queue
from frontdesk.storage.database import Store
from frontdesk.storage.database_files import StoreUnusable
from frontdesk_api.contract.ids import CampaignId

CHECK_SECONDS = 2.0

log = logging.getLogger("frontdesk.sync")

_STATES = {str(state): state for state in AlertState}
_Read = tuple[str, float | None, str, Counters]


class AlertMonitor:
    """The alerts of one profile.

    Args:
        changed_rules: returns the rules to use from now on, or None while they are the same.

    Attributes:
        stalls_at: by campaign, when a read that finds nothing sent would raise an alert.
    """

    def __init__(
        self,
        store: Store,
        rules: Sequence[AlertRule],
        clock: Callable[[], float],
        programs: ProgramRunner,
        steady: Callable[[], float] = time.monotonic,
        changed_rules: Callable[[], Sequence[AlertRule] | None] = lambda: None,
    ):
        self._store, self._rules, self._clock, self._steady = store, rules, clock, steady
        self._programs, self._changed_rules = programs, changed_rules
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
        if (changed := self._changed_rules()) is not None:
            self._rules = changed
            self._evaluated.clear()
        for record in campaigns.watched(self._store.reading):
            read = (record.status, record.read_at, record.problem, record.counters)
            if self._evaluated.get(record.campaign_id) != read:
                await self._evaluate(record)
                self._evaluated[record.campaign_id] = read
        return CHECK_SECONDS

    async def close(self) -> None:
        await self._programs.close()
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
            if each.rule.setting.run:
                values = {
                    "campaign_id": record.campaign_id,
                    "name": record.name,
                    "value": each.value,
                    "words": each.words,
                }
                try:
                    self._programs.start(fill_command(each.rule.setting.run, values), self._program_ended)
                except MadeOption as error:
                    self._program_ended(
                        ProgramRun(each.rule.setting.run[0], f"didn't run: {error}", is_started=False)
                    )

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
        queue.keep(db, campaign_alerts.STATES, record.campaign_id, after, now)
        for each in found:
            key = f"{record.campaign_id} {each.rule.key}"
            campaign_alerts.put(
                db, Alert(key, record.campaign_id, record.name, each.words, now, each.rule.setting.by)
            )
        return found

    def _program_ended(self, run: ProgramRun) -> None:
        """Show a program that can't be started; others that fail are in the log."""
        if run.is_started:
            return
        words = f"The alert command {run.program} {run.problem}."

        def put(db: apsw.Connection) -> None:
            if queue.kept(db, campaign_alerts.RAISED, key := f" {words}") is None:
                campaign_alerts.put(db, Alert(key, CampaignId(""), "", words, self._clock(), ()))

        write = asyncio.ensure_future(self._store.run(put))
        self._writes.add(write)
        write.add_done_callback(self._written)

    def _written(self, write: "asyncio.Future[None]") -> None:
        self._writes.discard(write)
        if not write.cancelled() and (error := write.exception()) is not None:
            level = logging.WARNING if isinstance(error, (apsw.Error, StoreUnusable)) else logging.ERROR
            log.log(level, "couldn't save the alert about a command that didn't start: %s", error)

"""Records what this desk has sent to the platform in the team's journal, which nobody changes."""

import json
import logging
from collections.abc import Callable

import apsw

from frontdesk.outbox import queue
from frontdesk.relay.client import RelayClient
from frontdesk.relay.errors import RelayRefused
from frontdesk.relay.records import JournalEntry
from frontdesk.storage.database import Store
from frontdesk.storage.record_lookup import line_of_target
from frontdesk.storage.records import Change, ChangeKind

log = logging.getLogger(__name__)

_KEPT = "team journal"
"""Kept an account: up to when what was settled is recorded, Unix seconds."""


class TeamJournal:
    """One store's part of its team's journal.

    Args:
        account: the team's.
        desk: the store's id in it.
        clock: Unix seconds.
    """

    def __init__(self, store: Store, account: str, desk: str, clock: Callable[[], float]):
        self._store, self._account, self._desk, self._clock = store, account, desk, clock

    async def step(self, relay: RelayClient) -> None:
        """Record what was settled since the last time; what was settled before the desk joined isn't."""
        recorded_to = queue.kept(self._store.reading, _KEPT, self._account)
        if recorded_to is None:
            await self._note(self._clock())
            return
        settled = queue.settled_after(self._store.reading, recorded_to)
        for change in settled:
            if change.kind is ChangeKind.NOTE:
                continue  # what the team tells each other isn't sent to the platform
            try:
                await relay.record(self._entry(change))
            except RelayRefused as error:
                # Of a line that this person may not see in the team: it stands in this desk's outbox alone.
                log.warning("couldn't record a change in the team's journal: %s", error)
        if settled:
            await self._note(max(each.settled_at or 0.0 for each in settled))

    def _entry(self, change: Change) -> JournalEntry:
        outcome = f"{change.state}: {change.reason}" if change.reason else str(change.state)
        return JournalEntry(
            at=0.0,
            role="",
            agent_id="",
            line_id=line_of_target(self._store.reading, change.target),
            ref=f"{self._desk} {change.change_id} {change.state}",
            verb=change.label,
            target=f"{change.kind.about} {change.target}",
            before=json.dumps(change.base, ensure_ascii=False),
            after=json.dumps(change.fields, ensure_ascii=False),
            outcome=outcome,
        )

    async def _note(self, at: float) -> None:
        now = self._clock()

        def note(db: apsw.Connection) -> None:
            queue.keep(db, _KEPT, self._account, at, now)

        await self._store.run(note)

"""Records what this desk has sent to the platform in the team's journal, which nobody changes."""

import json
import logging
from collections.abc import Callable

import apsw

from frontdesk.outbox import queue
from frontdesk.relay.client import RelayClient
from frontdesk.relay.errors import RelayRefused
from frontdesk.relay.records import JournalEntry
from frontdesk.storage import change_feed
from frontdesk.storage.database import Store
from frontdesk.storage.record_lookup import line_of_target
from frontdesk.storage.records import Change, ChangeKind

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
        account: the team's.
        desk: the store's id in it.
        clock: Unix seconds.
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

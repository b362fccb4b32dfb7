"""Finds out in the team's journal who changed what a conflict of this desk is about."""

import json
from collections.abc import Callable, Sequence

from frontdesk.outbox import conflicts, queue
from frontdesk.outbox.overlay import led_to
from frontdesk.relay.client import RelayClient
from frontdesk.relay.records import JournalEntry
from frontdesk.storage import json_access
from frontdesk.storage.database import Store
from frontdesk.storage.records import Change, ChangeKind, ChangeState, Json

PAUSE_SECONDS, SEARCH_SECONDS = 2.0, 120.0
"""Another desk records a change a moment after the platform's answer: how often, and how long, to look for it."""


MAX_AGE_SECONDS = 3_600.0
"""What was set so long before this desk's change was seen by it: it is no part of the conflict."""


class TeamConflicts:
    """One store's conflicts whose other side isn't known yet.

    Args:
        clock: Unix seconds.
    """

    def __init__(self, store: Store, clock: Callable[[], float]):
        self._store, self._clock = store, clock
        self._looked_at = float("-inf")

    async def step(self, relay: RelayClient, me: str) -> None:
        """Look for the authors of what this person's changes have met.

        Args:
            me: this person's agent id.

        Raises:
            RelayError: the relay can't be used.
        """
        now = self._clock()
        if self._looked_at <= now < self._looked_at + PAUSE_SECONDS:
            return
        self._looked_at = now
        for change in self._unnamed(now):
            entries = await relay.journal_of(f"{change.kind.about} {change.target}")
            agent_id = author_of_theirs(change, entries, me)
            if agent_id:
                await self._store.run(
                    lambda db, c=change, a=agent_id: conflicts.note_author(db, c, a, now)  # type: ignore[misc]
                )

    def _unnamed(self, now: float) -> list[Change]:
        db = self._store.reading
        return [
            each
            for each in queue.unsettled(db, ChangeKind.TASK)
            if each.state is ChangeState.CONFLICT
            and each.theirs is not None
            and now - (each.settled_at or 0.0) < SEARCH_SECONDS
            and not conflicts.author(db, each)
        ]


def author_of_theirs(change: Change, newest_first: Sequence[JournalEntry], me: str) -> str:
    """Return the agent whose change led to what the platform has; empty where the journal doesn't say."""
    confirmed = [
        (entry, _parse(entry.after))
        for entry in newest_first
        if entry.outcome == ChangeState.CONFIRMED and entry.at >= change.made_at - MAX_AGE_SECONDS
    ]
    for name, theirs in (change.theirs or {}).items():
        # What was set later by anybody has replaced what was set before.
        newest = next(((entry, after[name]) for entry, after in confirmed if name in after), None)
        if newest is not None and newest[0].agent_id not in ("", me) and led_to(name, newest[1], theirs):
            return newest[0].agent_id
    return ""


def _parse(text: str) -> Json:
    """Parse what an entry says; empty where its line can't be seen, or it is too long to be kept whole."""
    try:
        return json_access.mapping(json.loads(text))
    except (ValueError, RecursionError):
        return {}

"""The SLA alerts: one before a deadline and one after it, each on one screen of the profile.

A claim in the store is committed before anything is shown. So each comes once, over restarts too; after a kill it
may be missing.
"""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from datetime import tzinfo

from frontdesk.api.contract.ids import ConversationId, TaskId
from frontdesk.outbox.commands import FORGET_SECONDS, OutboxCommands
from frontdesk.service_clocks import store as clock_store
from frontdesk.service_clocks.store import DueClock
from frontdesk.service_clocks.view import alert_words
from frontdesk.storage import record_lookup
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.record_lookup import conversation_name, customer_name, task_for_customer
from frontdesk.storage.records import TaskRecord
from frontdesk.storage.sql import ReadConnection
from frontdesk.text.display_text import SafeText, counted, cut, trusted

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
    """The alerts that this process may show.

    Args:
        db: a reading connection of the thread that calls.
    """

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

    def words(self, found: Sequence[DueClock], now: float, zone: tzinfo) -> list[SafeText]:
        """Return what the alerts say; many in one sentence."""
        if len(found) > MAX_APART:
            return [summary(found, [self._customer(each) for each in found], now)]
        return [alert_words(each.clock, self._about(each), now, zone) for each in found]

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
    """Return those of the new alerts that were claimed."""
    return [each for key, each in new.items() if key in keys]

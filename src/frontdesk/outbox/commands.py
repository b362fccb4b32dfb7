"""OutboxCommands: undo, redo and decisions about changes of any kind."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

import apsw

from frontdesk.outbox import bulk, changes, queue, undo
from frontdesk.outbox.changes import ChangeHandlers
from frontdesk.outbox.undo import UNASKED, StopResult, TooManyToUndo, UndoRequest, UndoResult
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import Change

NOTIFIED = "told"
"""Kept a conversation or task: the time, Unix seconds, of the newest notified event."""

FORGET_SECONDS = 14 * 86_400.0
"""After so long an equally old event is never new, so the claim is deleted."""


def claim_notifications(db: apsw.Connection, moments: Mapping[str, float], now: float) -> frozenset[str]:
    """Claim unclaimed events; the caller shows those returned, so each is shown once, by one screen."""
    notified = queue.kept_among(db, NOTIFIED, moments)
    claimed = frozenset(key for key, at in moments.items() if at > notified.get(key, 0.0))
    for key in claimed:
        queue.keep(db, NOTIFIED, key, moments[key], now)
    if claimed:
        queue.forget_older(db, NOTIFIED, now - FORGET_SECONDS)
    return claimed


GREETED = "greeted"
"""Kept: the welcome was shown."""

VIEW = "view"
"""Kept: the last state of a screen."""


@dataclass(frozen=True, slots=True)
class ActionResult:
    """The result of an action.

    Attributes:
        count: how many records it changed.
        problems: why it failed on the others.
        batch: of its changes; empty where nothing was done.
        label: its name; of an undo or redo, that of the original action.
        is_to_send: of an undo or redo, it shows only once the platform has confirmed it.
        first: of an undo or redo, a change of the first record.
    """

    count: int
    problems: tuple[str, ...] = ()
    batch: str = ""
    label: str = ""
    is_to_send: bool = False
    first: Change | None = None


class OutboxCommands:
    """The outbox of one profile; each method is one write, answered by a future.

    Args:
        handlers: by kind, composed by the app.
    """

    def __init__(self, store: ProfileStore, handlers: ChangeHandlers):
        self._store = store
        self._handlers = handlers

    def rebuild_overlay(self) -> None:
        """Repair lists after a kill; once a process."""
        self._store.write_unawaited(lambda db: changes.rebuild_overlay(db, self._handlers))

    def undo(self, asking: UndoRequest = UNASKED) -> "Future[ActionResult | TooManyToUndo | None]":
        """Undo the last action on this profile, here or in another process; None without one."""
        now = self._store.clock()
        return self._store.write(lambda db: _result_of(undo.undo(db, self._handlers, now, asking)))

    def redo(self, asking: UndoRequest = UNASKED) -> "Future[ActionResult | TooManyToUndo | None]":
        """Redo the last undone action; None without one, or after a new action."""
        now = self._store.clock()
        return self._store.write(lambda db: _result_of(undo.redo(db, self._handlers, now, asking)))

    def stop(self, batch: str) -> "Future[StopResult]":
        """Cancel the unsent changes of a bulk action."""
        now = self._store.clock()
        return self._store.write(lambda db: undo.stop(db, self._handlers, batch, now))

    def retry(self, change_id: int, *, over_theirs: bool = False) -> "Future[Change]":
        """Send a refused or conflicting change again; returns the new change.

        Args:
            over_theirs: of a workflow, the person has reviewed the other side's changes. Another change before it
                is sent is a conflict again.
        """
        now = self._store.clock()
        return self._store.write(
            lambda db: changes.retry(db, self._handlers, change_id, now, over_theirs=over_theirs)
        )

    def retry_all(self, change_ids: Sequence[int]) -> "Future[int]":
        """Send again those of these changes that need a decision."""
        now = self._store.clock()
        return self._store.write(lambda db: bulk.retry_all(db, self._handlers, change_ids, now))

    def drop(self, change_id: int) -> "Future[Change]":
        """Drop a change that is refused, conflicting or unsent."""
        now = self._store.clock()
        return self._store.write(lambda db: changes.drop(db, self._handlers, change_id, now))

    def claim(self, moments: Mapping[str, float]) -> "Future[frozenset[str]]":
        """Claim the notifications that nobody on this profile has shown up to these moments (Unix seconds)."""
        now = self._store.clock()
        return self._store.write(lambda db: claim_notifications(db, moments, now))

    def claim_first_start(self) -> bool:
        """Whether this is the profile's first start, which is recorded."""
        is_first = queue.kept(self._store.reading, GREETED, "") is None
        if is_first:
            now = self._store.clock()
            self._store.write_unawaited(lambda db: queue.keep(db, GREETED, "", True, now))
        return is_first

    def save_view_state(self, name: str, view: object) -> None:
        """Store a screen's state."""
        now = self._store.clock()
        self._store.write_unawaited(lambda db: queue.keep(db, VIEW, name, view, now))

    def saved_view_state(self, name: str) -> object:
        """The stored state of a screen, or None."""
        return queue.kept(self._store.reading, VIEW, name)


def _result_of(done: UndoResult | TooManyToUndo | None) -> ActionResult | TooManyToUndo | None:
    if not isinstance(done, UndoResult):
        return done
    batch = done.batch if done.count else ""
    return ActionResult(done.count, done.problems, batch, done.label, done.is_to_send, done.first)

"""OutboxCommands: undo, redo and what a person decides about changes of any kind.

Each method is one write, answered by a future. The features' own commands make the changes.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from frontdesk.outbox import bulk, changes, notification_claims, queue, undo
from frontdesk.outbox.changes import ChangeHandlers
from frontdesk.outbox.undo import UNASKED, StopResult, TooManyToUndo, UndoRequest, UndoResult
from frontdesk.storage.profile_store import ProfileStore
from frontdesk.storage.records import Change

GREETED = "greeted"
"""Kept: somebody has seen the words of the first start."""

VIEW = "view"
"""Kept: where a person left a screen."""


@dataclass(frozen=True, slots=True)
class ActionResult:
    """The result of an action.

    Attributes:
        count: on how many things it was done.
        problems: why it was not done on the others.
        batch: what its changes carry; empty where nothing was done.
        label: what to call it; of an undo or redo, the action that it was about.
        is_to_send: of an undo or redo, nothing shows it before the platform has taken what is sent for it.
        first: of an undo or redo, a change of the first task or conversation that it was about.
    """

    count: int
    problems: tuple[str, ...] = ()
    batch: str = ""
    label: str = ""
    is_to_send: bool = False
    first: Change | None = None


class OutboxCommands:
    """The outbox of one profile.

    Args:
        handlers: each kind's part in it; the app composes them.
    """

    def __init__(self, store: ProfileStore, handlers: ChangeHandlers):
        self._store = store
        self._handlers = handlers

    def rebuild_overlay(self) -> None:
        """Repair what a kill left half shown; once a process."""
        self._store.write_unawaited(lambda db: changes.rebuild_overlay(db, self._handlers))

    def undo(self, asking: UndoRequest = UNASKED) -> "Future[ActionResult | TooManyToUndo | None]":
        """Take back what was done last on this profile, here or in another process; None: nothing is left."""
        now = self._store.clock()
        return self._store.write(lambda db: _result_of(undo.undo(db, self._handlers, now, asking)))

    def redo(self, asking: UndoRequest = UNASKED) -> "Future[ActionResult | TooManyToUndo | None]":
        """Do again what was undone last; None where nothing was, or something was done since."""
        now = self._store.clock()
        return self._store.write(lambda db: _result_of(undo.redo(db, self._handlers, now, asking)))

    def stop(self, batch: str) -> "Future[StopResult]":
        """Take back what is not sent yet of a bulk action; what was sent stays."""
        now = self._store.clock()
        return self._store.write(lambda db: undo.stop(db, self._handlers, batch, now))

    def retry(self, change_id: int, *, over_theirs: bool = False) -> "Future[Change]":
        """Send a refused or conflicting change again; answers the new change.

        Args:
            over_theirs: of a workflow, that the person has seen what somebody else made of it meanwhile. What is
                changed once more before it leaves is a conflict again.
        """
        now = self._store.clock()
        return self._store.write(
            lambda db: changes.retry(db, self._handlers, change_id, now, over_theirs=over_theirs)
        )

    def retry_all(self, change_ids: Sequence[int]) -> "Future[int]":
        """Send those of these changes again that wait for a person to decide."""
        now = self._store.clock()
        return self._store.write(lambda db: bulk.retry_all(db, self._handlers, change_ids, now))

    def drop(self, change_id: int) -> "Future[Change]":
        """Give up a change that is refused, conflicting or not yet sent."""
        now = self._store.clock()
        return self._store.write(lambda db: changes.drop(db, self._handlers, change_id, now))

    def claim(self, moments: Mapping[str, float]) -> "Future[frozenset[str]]":
        """Claim notifications of which nobody on this profile was notified up to these moments (Unix seconds)."""
        now = self._store.clock()
        return self._store.write(lambda db: notification_claims.claim(db, moments, now))

    def claim_first_start(self) -> bool:
        """Whether nobody was greeted on this profile before; from now on somebody was."""
        is_first = queue.kept(self._store.reading, GREETED, "") is None
        if is_first:
            now = self._store.clock()
            self._store.write_unawaited(lambda db: queue.keep(db, GREETED, "", True, now))
        return is_first

    def save_view_state(self, name: str, view: object) -> None:
        """Remember where a screen was left."""
        now = self._store.clock()
        self._store.write_unawaited(lambda db: queue.keep(db, VIEW, name, view, now))

    def saved_view_state(self, name: str) -> object:
        """Where a screen was left, or None."""
        return queue.kept(self._store.reading, VIEW, name)


def _result_of(done: UndoResult | TooManyToUndo | None) -> ActionResult | TooManyToUndo | None:
    if not isinstance(done, UndoResult):
        return done
    batch = done.batch if done.count else ""
    return ActionResult(done.count, done.problems, batch, done.label, done.is_to_send, done.first)

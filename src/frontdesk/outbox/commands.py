"""OutboxCommands: undo, redo and decisions about changes of any kind."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import apsw

from frontdesk.outbox import bulk, changes, queue
from frontdesk.outbox.changes import ChangeHandlers, OutboxTransaction
from frontdesk.outbox.dialog_drafts import DialogDrafts
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import Change
from frontdesk_lines.privacy import is_private, set_private

if TYPE_CHECKING:
    from frontdesk.outbox.undo import StopResult, UndoOutcome, UndoRequest

Result = TypeVar("Result")

NOTIFIED = "told"
"""The stored time (Unix seconds) of the newest notified event of a conversation or task."""

FORGET_SECONDS = 14 * 86_400.0
"""Age in seconds from which a claim is deleted: equally old events are never new."""


def claim_notifications(db: apsw.Connection, moments: Mapping[str, float], now: float) -> frozenset[str]:
    """Claim unclaimed events and return them for the caller to show, so that one screen shows each once."""
    notified = queue.kept_among(db, NOTIFIED, moments)
    claimed = frozenset(key for key, at in moments.items() if at > notified.get(key, 0.0))
    for key in claimed:
        queue.keep(db, NOTIFIED, key, moments[key], now)
    if claimed:
        queue.forget_older(db, NOTIFIED, now - FORGET_SECONDS)
    return claimed


GREETED = "greeted"
"""The stored mark that the welcome was shown, and by its name another notice."""

VIEW = "view"
"""The stored last state of a screen."""

PRIVACY = "privacy"
"""The privacy setting, stored like a screen's state: whether names, numbers and texts are hidden."""


class OutboxCommands:
    """The outbox of one profile; each method is one write, answered by a future.

    Args:
        load_handlers: returns the handlers of all kinds; called on the writer thread.

    Attributes:
        drafts: texts typed into dialogs and not saved yet.
    """

    def __init__(self, store: ProfileStore, load_handlers: Callable[[], ChangeHandlers]):
        self._store = store
        self._load_handlers = load_handlers
        self.drafts = DialogDrafts(store)

    def rebuild_overlay(self) -> None:
        """Repair lists after a kill; called once in a process."""
        self._store.write_unawaited(
            lambda db: changes.rebuild_overlay(db, self._load_handlers()), prepare=self._load_handlers
        )

    def undo(self, request: "UndoRequest | None" = None) -> "Future[UndoOutcome]":
        """Undo the last action on this profile, here or in another process; `None` if there is none."""
        from frontdesk.outbox.undo import ANY_SIZE, undo

        return self._write(partial(undo, request=request or ANY_SIZE))

    def redo(self, request: "UndoRequest | None" = None) -> "Future[UndoOutcome]":
        """Redo the last undone action; `None` if there is none or a new action followed."""
        from frontdesk.outbox.undo import ANY_SIZE, redo

        return self._write(partial(redo, request=request or ANY_SIZE))

    def stop(self, batch: str) -> "Future[StopResult]":
        """Cancel the unsent changes of a bulk action."""
        from frontdesk.outbox.undo import stop

        return self._write(partial(stop, batch=batch))

    def retry(
        self, change_id: int, *, over_theirs: bool = False, fields: Mapping[str, Any] | None = None
    ) -> "Future[Change]":
        """Resend a refused or conflicting change; return the new change.

        Args:
            over_theirs: whether the person has reviewed the other side's changes of a workflow. Another change
                before the send is a conflict again.
            fields: what it sets instead; without any it is dropped.
        """
        return self._write(partial(changes.retry, change_id=change_id, over_theirs=over_theirs, fields=fields))

    def retry_all(self, change_ids: Sequence[int]) -> "Future[int]":
        """Resend the changes that need a decision, among these ids."""
        return self._write(partial(bulk.retry_all, change_ids=change_ids))

    def drop(self, change_id: int) -> "Future[Change]":
        return self._write(partial(changes.drop, change_id=change_id))

    def claim(self, moments: Mapping[str, float]) -> "Future[frozenset[str]]":
        """Claim the notifications up to these moments (Unix seconds) that nobody on this profile has shown."""
        now = self._store.clock()
        return self._store.write(lambda db: claim_notifications(db, moments, now))

    def claim_first_start(self) -> bool:
        """Return whether this is the profile's first start, and record it."""
        return self.claim_notice("")

    def claim_notice(self, name: str) -> bool:
        """Return whether a notice, shown once in a profile, is still to be shown, and record that it was."""
        is_first = queue.kept(self._store.reading, GREETED, name) is None
        if is_first:
            now = self._store.clock()
            self._store.write_unawaited(lambda db: queue.keep(db, GREETED, name, True, now))
        return is_first

    def save_view_state(self, name: str, view: object) -> None:
        now = self._store.clock()
        self._store.write_unawaited(lambda db: queue.keep(db, VIEW, name, view, now))

    def saved_view_state(self, name: str) -> object:
        return queue.kept(self._store.reading, VIEW, name)

    def keep_privacy(self, is_on: bool) -> None:
        """Hide or show names, numbers and texts (`text.privacy`), in later runs on this profile too."""
        set_private(is_on)
        self.save_view_state(PRIVACY, is_on)

    def restore_privacy(self) -> None:
        """Hide names, numbers and texts if the last run hid them."""
        set_private(is_private() or self.saved_view_state(PRIVACY) is True)

    def _write(self, job: Callable[..., Result]) -> "Future[Result]":
        """Run `job` in a transaction with the time of this call."""
        now, load = self._store.clock(), self._load_handlers
        return self._store.write(lambda db: job(OutboxTransaction(db, load(), now)), prepare=load)

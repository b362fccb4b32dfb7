"""Undo, drop and retry for changes of any kind.

Each function runs inside one write transaction of the store and calls the feature's `ChangeHandler`.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import apsw

from frontdesk.outbox import queue
from frontdesk.outbox.labels import describe_state
from frontdesk.storage import change_feed
from frontdesk.storage.records import NEEDS_PERSON, UNCONFIRMED, Change, ChangeKind, ChangeState, Made
from frontdesk_api.contract.ids import StatusId

SENT_ANEW = "resent as a new change"

COMPLETED = StatusId("completed")
"""The status that `complete` sets; every profile has it."""

USED_TAG = "used tag"
"""The stored value of tags added here, by last use."""


class NotPossible(Exception):
    """Raised when a change can't be made; the text says why.

    Args:
        quotes: whether the text contains a name, an id or others' words, which privacy hides.
    """

    def __init__(self, words: str, *, quotes: bool = False) -> None:
        super().__init__(words)
        self.is_own_words = not quotes


class ChangeHandler:
    """A feature's part of the outbox's transactions.

    The base class is for changes that no list shows and that can't be undone once sent.

    Args:
        no_way_back: the reason why a sent change can't be undone.
        only_from: the reason why redo doesn't repeat an undone change.
    """

    def __init__(self, no_way_back: str = "", only_from: str = "") -> None:
        self._no_way_back = no_way_back
        self._only_from = only_from

    def show(self, db: apsw.Connection, targets: Sequence[str]) -> None:
        """Update these targets in lists."""

    def marked_pending(self, db: apsw.Connection) -> Collection[str]:  # noqa: ARG002
        """Return the targets that lists show as having unconfirmed changes."""
        return ()

    def clean_up_unsent(self, db: apsw.Connection, change: Change) -> None:
        """Delete data kept for a change that was undone or dropped unsent."""

    def clean_up_refused(self, db: apsw.Connection, change: Change) -> None:
        """Delete data kept for a change that the platform refused."""

    def send_again(self, db: apsw.Connection, change: Change, now: float, *, over_theirs: bool) -> Change:  # noqa: ARG002
        """Resend a refused or conflicting change, over the platform's present values.

        Args:
            over_theirs: whether the person has reviewed the other side's changes.

        Raises:
            NotPossible: the change can't be sent again.
        """
        theirs = change.theirs or {}
        base = {**change.base, **{name: theirs[name] for name in change.fields if name in theirs}}
        queue.move(db, change.change_id, ChangeState.DROPPED, expected=(change.state,), now=now, reason=SENT_ANEW)
        change_id = queue.add(db, Made.like(change, now), change.kind, change.target, change.fields, base)
        self.show(db, [change.target])
        again = queue.change(db, change_id)
        assert again is not None
        return again

    def reverse(self, db: apsw.Connection, change: Change, made: Made) -> bool:  # noqa: ARG002
        """Queue a change that restores the values before a sent one; return whether it changes anything.

        Raises:
            NotPossible: there is no way back.
        """
        raise NotPossible(f"already sent, and {self._no_way_back}")

    def repeat_undone(self, db: apsw.Connection, change: Change, now: float) -> bool:  # noqa: ARG002
        """Repeat a change that was undone unsent; return whether that changes anything.

        Raises:
            NotPossible: redo doesn't repeat the change.
        """
        raise NotPossible(self._only_from)


ChangeHandlers = Mapping[ChangeKind, ChangeHandler]
"""The registry with a handler for each kind of change."""


class OutboxTransaction(NamedTuple):
    """A write transaction of the outbox at a time, Unix seconds."""

    db: apsw.Connection
    handlers: ChangeHandlers
    now: float


def cancel_unsent(outbox: OutboxTransaction, change: Change, state: ChangeState, reason: str = "") -> bool:
    """Cancel an unsent change; return whether it was still unsent. The caller updates the lists."""
    db, handlers, now = outbox
    moved = queue.move(
        db, change.change_id, state, expected=(change.state,), now=now, reason=reason, theirs=change.theirs
    )
    if moved:
        handlers[change.kind].clean_up_unsent(db, change)
    if moved and change.state in UNCONFIRMED:
        # If the change ended before, its followers were rebased then.
        queue.rebase_followers(db, change)
    return moved


def update_lists(db: apsw.Connection, handlers: ChangeHandlers, changes: Iterable[Change]) -> None:
    targets: dict[ChangeKind, list[str]] = {}
    for change in changes:
        targets.setdefault(change.kind, []).append(change.target)
    for kind, handler in handlers.items():
        if kind in targets:
            handler.show(db, targets[kind])


_NOT_DROPPABLE = (ChangeState.SENDING, ChangeState.CONFIRMED, ChangeState.UNDONE, ChangeState.DROPPED)


def drop(outbox: OutboxTransaction, change_id: int) -> Change:
    """Drop a change, so that it is neither sent (again) nor shown.

    Raises:
        NotPossible: there is no such change, or it is being sent or done.
    """
    change = _existing_change(outbox.db, change_id)
    if change.state in _NOT_DROPPABLE:
        raise NotPossible(f"it is {_describe_state(change)}, so it can't be discarded")
    # Activity still shows why the change needed a decision.
    reason = change.reason if change.state in NEEDS_PERSON else ""
    cancel_unsent(outbox, change, ChangeState.DROPPED, reason)
    update_lists(outbox.db, outbox.handlers, [change])
    return change


def retry(
    outbox: OutboxTransaction,
    change_id: int,
    *,
    over_theirs: bool = False,
    fields: Mapping[str, Any] | None = None,
) -> Change:
    """Resend a refused or conflicting change, over the platform's present values; return the new change.

    Args:
        fields: what it sets instead; without any it is dropped.
        over_theirs: whether the person has reviewed the other side's changes of a workflow.

    Raises:
        NotPossible: there is no such change, or it needs no retry.
    """
    change = _existing_change(outbox.db, change_id)
    if change.state not in (ChangeState.REFUSED, ChangeState.CONFLICT):
        raise NotPossible(
            f"it is {_describe_state(change)}: you can only resend changes that "
            "were rejected or are waiting for your decision"
        )
    if fields is not None:
        if not fields:
            return drop(outbox, change_id)
        change = change._replace(fields=fields)
    return outbox.handlers[change.kind].send_again(outbox.db, change, outbox.now, over_theirs=over_theirs)


def wait_again(db: apsw.Connection, change: Change, now: float) -> None:
    """Leave a change to a person's decision as before a retry of which nothing was sent."""
    queue.move(
        db,
        change.change_id,
        change.state,
        expected=(ChangeState.DROPPED,),
        now=now,
        reason=change.reason,
        theirs=change.theirs,
    )


def _existing_change(db: apsw.Connection, change_id: int) -> Change:
    change = queue.change(db, change_id)
    if change is None:
        raise NotPossible(f"no change {change_id}; to list changes, run `frontdesk outbox list`")
    return change


def _describe_state(change: Change) -> str:
    ended = {ChangeState.UNDONE: "already undone", ChangeState.DROPPED: "already discarded"}
    return ended.get(change.state) or describe_state(change.state)


def rebuild_overlay(db: apsw.Connection, handlers: ChangeHandlers) -> None:
    """At start-up, update lists for every target that has unconfirmed changes or is marked as having some.

    A transaction over both files commits each in turn: a kill between the two leaves the lists wrong.
    """
    live = queue.unsent(db)
    for kind, handler in handlers.items():
        targets = {change.target for change in live if change.kind is kind} | {*handler.marked_pending(db)}
        handler.show(db, sorted(targets))
    change_feed.append(db, change_feed.CHANGE, [str(change.change_id) for change in live])

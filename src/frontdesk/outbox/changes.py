"""What a person does with changes of any kind: take back, give up, send again.

Each function runs inside one write transaction of the store. What a kind of change
needs beside that, its feature's `ChangeHandler` does; the app composes them and passes them in.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

import apsw

from frontdesk.api.contract.ids import StatusId
from frontdesk.outbox import queue
from frontdesk.storage import change_feed
from frontdesk.storage.records import UNCONFIRMED, Change, ChangeKind, ChangeState

SENT_ANEW = "sent again as a new change"

COMPLETED = StatusId("completed")
"""The status that `complete` puts a task into; every profile has it."""

USED_TAG = "used tag"
"""Kept: tags that were given from here, by when that was last."""


class NotPossible(Exception):
    """A change can't be made; the text says why."""


class ChangeHandler:
    """What a feature does about its changes inside the outbox's transactions.

    Alone, it is for changes that lists show nothing of and that can't be taken back once they are sent.

    Args:
        no_way_back: why one that was sent can't be undone.
        only_from: why one that was taken back isn't made again by redo.
    """

    def __init__(self, no_way_back: str = "", only_from: str = "") -> None:
        self._no_way_back = no_way_back
        self._only_from = only_from

    def show(self, db: apsw.Connection, targets: Sequence[str]) -> None:
        """Derive again what lists show of these targets."""

    def marked_pending(self, db: apsw.Connection) -> Collection[str]:  # noqa: ARG002
        """Answer the targets that lists show as having unconfirmed changes."""
        return ()

    def clean_up_unsent(self, db: apsw.Connection, change: Change) -> None:
        """Let go of what was kept for a change that was taken back or given up."""

    def clean_up_refused(self, db: apsw.Connection, change: Change) -> None:
        """Let go of what was kept for a change that the platform refused."""

    def send_again(self, db: apsw.Connection, change: Change, now: float, *, over_theirs: bool) -> Change:  # noqa: ARG002
        """Send a refused or conflicting change anew, over what the platform says now.

        Args:
            over_theirs: the person has seen what somebody else made of it meanwhile.

        Raises:
            NotPossible: it can't be sent again.
        """
        theirs = change.theirs or {}
        base = {**change.base, **{name: theirs[name] for name in change.fields if name in theirs}}
        queue.move(db, change.change_id, ChangeState.DROPPED, expected=(change.state,), now=now, reason=SENT_ANEW)
        change_id = queue.add(
            db,
            batch=change.batch,
            kind=change.kind,
            target=change.target,
            fields=change.fields,
            base=base,
            label=change.label,
            now=now,
            undoes=change.undoes,
        )
        self.show(db, [change.target])
        again = queue.change(db, change_id)
        assert again is not None
        return again

    def reverse(self, db: apsw.Connection, change: Change, *, batch: str, label: str, now: float) -> bool:  # noqa: ARG002
        """Make a change back to the values before one that was sent; whether that changes anything.

        Raises:
            NotPossible: there is no way back.
        """
        raise NotPossible(f"already sent, and {self._no_way_back}")

    def make_again(self, db: apsw.Connection, change: Change, now: float) -> bool:  # noqa: ARG002
        """Make a change once more that was taken back unsent; whether that changes anything.

        Raises:
            NotPossible: it isn't made again by a key that is pressed easily.
        """
        raise NotPossible(self._only_from)


ChangeHandlers = Mapping[ChangeKind, ChangeHandler]
"""The registry: a handler for each kind of change."""


def take_back(
    db: apsw.Connection,
    handlers: ChangeHandlers,
    change: Change,
    state: ChangeState,
    now: float,
    reason: str = "",
) -> bool:
    """Give up a change that is not sent; whether it was still there to be taken back. The caller has it shown."""
    moved = queue.move(db, change.change_id, state, expected=(change.state,), now=now, reason=reason)
    if moved:
        handlers[change.kind].clean_up_unsent(db, change)
    if moved and change.state in UNCONFIRMED:
        # Of one that ended before, those behind it were given their beginning when it did.
        queue.rebase_followers(db, change)
    return moved


def show_again(db: apsw.Connection, handlers: ChangeHandlers, changes: Iterable[Change]) -> None:
    """Derive again what lists show of everything that these changes are about."""
    targets: dict[ChangeKind, list[str]] = {}
    for change in changes:
        targets.setdefault(change.kind, []).append(change.target)
    for kind, handler in handlers.items():
        if kind in targets:
            handler.show(db, targets[kind])


def drop(db: apsw.Connection, handlers: ChangeHandlers, change_id: int, now: float) -> Change:
    """Give a change up: it is not sent (again) and no longer shown.

    Raises:
        NotPossible: there is no such change, or it is on its way or done.
    """
    change = queue.change(db, change_id)
    if change is None:
        raise NotPossible(f"no change {change_id}; `frontdesk outbox list` shows them")
    if change.state in (
        ChangeState.SENDING,
        ChangeState.CONFIRMED,
        ChangeState.UNDONE,
        ChangeState.DROPPED,
    ):
        raise NotPossible(f"it is {_is(change)}: there is nothing to drop")
    take_back(db, handlers, change, ChangeState.DROPPED, now)
    show_again(db, handlers, [change])
    return change


_STATES = {
    ChangeState.QUEUED: "waiting to be sent",
    ChangeState.SENDING: "being sent",
    ChangeState.UNKNOWN: "being read back",
    ChangeState.UNDONE: "undone already",
    ChangeState.DROPPED: "dropped already",
}


def retry(
    db: apsw.Connection, handlers: ChangeHandlers, change_id: int, now: float, *, over_theirs: bool = False
) -> Change:
    """Send a refused or conflicting change again, over what the platform says now; answers what is sent.

    Args:
        over_theirs: of a workflow, that the person has seen what somebody else made of it meanwhile.

    Raises:
        NotPossible: there is no such change, or it needs no second try.
    """
    change = queue.change(db, change_id)
    if change is None:
        raise NotPossible(f"no change {change_id}; `frontdesk outbox list` shows them")
    if change.state not in (ChangeState.REFUSED, ChangeState.CONFLICT):
        raise NotPossible(f"it is {_is(change)}: only what was refused, or waits to be decided, is sent again")
    return handlers[change.kind].send_again(db, change, now, over_theirs=over_theirs)


def _is(change: Change) -> str:
    return _STATES.get(change.state, str(change.state))


def rebuild_overlay(db: apsw.Connection, handlers: ChangeHandlers) -> None:
    """Derive again what lists show of everything that has, or is marked as having, unconfirmed changes.

    A transaction over both files is one in each: a kill between the two leaves a change that is not shown, or one
    shown that is settled. The outbox is what counts. Called where a process begins.
    """
    live = queue.unsent(db)
    for kind, handler in handlers.items():
        targets = {change.target for change in live if change.kind is kind} | {*handler.marked_pending(db)}
        handler.show(db, sorted(targets))
    change_feed.append(db, change_feed.CHANGE, [str(change.change_id) for change in live])

"""Puts right what is derived in `store.db` from the outbox, after a kill between the two files' commits.

A transaction over both files is one in each: whoever is killed between them leaves a change that is
not shown, or one shown that is settled. The outbox is what counts. Called where a process begins.
"""

import apsw

from frontdesk.outbox import queue
from frontdesk.outbox.changes import ChangeHandlers
from frontdesk.storage import change_feed


def rebuild_overlay(db: apsw.Connection, handlers: ChangeHandlers) -> None:
    """Derive again what is shown of everything that has, or is marked as having, unconfirmed changes."""
    live = queue.unsent(db)
    for kind, handler in handlers.items():
        targets = {change.target for change in live if change.kind is kind} | {*handler.marked_pending(db)}
        handler.show(db, sorted(targets))
    change_feed.append(db, change_feed.CHANGE, [str(change.change_id) for change in live])

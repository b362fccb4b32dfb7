"""Authors of changes that conflict with one's own, if the team knows them."""

import apsw

from frontdesk.outbox import queue
from frontdesk.storage import change_feed
from frontdesk.storage.records import Change, ChangeState

AUTHOR = "conflict author"
"""The stored id of the agent who made the other change in a conflict."""

KEEP_SECONDS = 90 * 86_400.0


def note_author(db: apsw.Connection, change: Change, agent_id: str, now: float) -> None:
    """Record the author of the other change, and have lists show it."""
    queue.keep(db, AUTHOR, str(change.change_id), agent_id, now)
    queue.forget_older(db, AUTHOR, now - KEEP_SECONDS)
    change_feed.append(db, change_feed.CHANGE, [str(change.change_id)])


def author(db: apsw.Connection, change: Change) -> str:
    """Return the id of the agent who made the other change; empty if there is none or it is unknown."""
    if change.state is not ChangeState.CONFLICT:
        return ""
    found = queue.kept(db, AUTHOR, str(change.change_id))
    return found if isinstance(found, str) else ""

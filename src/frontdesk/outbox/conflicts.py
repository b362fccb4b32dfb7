"""Who made the change that one's own is in conflict with, where the team knows it."""

import apsw

from frontdesk.outbox import queue
from frontdesk.storage import change_feed
from frontdesk.storage.records import Change, ChangeState

AUTHOR = "conflict author"
"""Kept of a change in conflict: the id of the agent who made the other one."""

KEEP_SECONDS = 90 * 86_400.0


def note_author(db: apsw.Connection, change: Change, agent_id: str, now: float) -> None:
    """Note who made the other change, and have it shown."""
    queue.keep(db, AUTHOR, str(change.change_id), agent_id, now)
    queue.forget_older(db, AUTHOR, now - KEEP_SECONDS)
    change_feed.append(db, change_feed.CHANGE, [str(change.change_id)])


def author(db: apsw.Connection, change: Change) -> str:
    """Return the id of the agent who made the other change; empty where there is none, or it isn't known."""
    if change.state is not ChangeState.CONFLICT:
        return ""
    found = queue.kept(db, AUTHOR, str(change.change_id))
    return found if isinstance(found, str) else ""

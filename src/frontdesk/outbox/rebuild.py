"""Puts right what is derived in `store.db` from the outbox, after a kill between the two files' commits.

A transaction over both files is one in each: whoever is killed between them leaves a change that is
not shown, or one shown that is settled. The outbox is what counts. Called where a process begins.
"""

import apsw

from frontdesk.api.contract.ids import TaskId
from frontdesk.inbox.store import conversations
from frontdesk.outbox import queue
from frontdesk.storage import change_feed
from frontdesk.storage.records import ChangeKind
from frontdesk.storage.sql import rows
from frontdesk.tasks import store as task_store


def rebuild_overlay(db: apsw.Connection) -> None:
    """Derive again what is shown of everything that has, or is marked as having, unconfirmed changes."""
    live = queue.unsent(db)
    task_ids = {change.target for change in live if change.kind is ChangeKind.TASK}
    conversation_ids = {change.target for change in live if change.kind is ChangeKind.TAGS}
    task_ids |= {str(row[0]) for row in rows(db, "SELECT task_id FROM tasks WHERE pending <> '[]'")}
    conversation_ids |= {
        str(row[0]) for row in rows(db, "SELECT conversation_id FROM conversations WHERE pending = 1")
    }
    task_store.lay_over_again(db, [TaskId(each) for each in sorted(task_ids)])
    conversations.mark_pending(db, sorted(conversation_ids))
    change_feed.append(db, change_feed.CHANGE, [str(change.change_id) for change in live])

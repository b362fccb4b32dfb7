"""Changes that give tags; each runs inside one write transaction."""

from collections.abc import Collection, Sequence

import apsw

from frontdesk.inbox.store import conversations
from frontdesk.outbox import queue
from frontdesk.outbox.changes import ChangeHandler
from frontdesk.storage.records import Change, ChangeKind, Made
from frontdesk.storage.sql import rows
from frontdesk_api import json_access
from frontdesk_api.contract.ids import ConversationId, TagId

TAGS_HOLD_SECONDS = 5.0
"""Tags can't be taken off again, so they wait longer."""


def add_tags(
    db: apsw.Connection, conversation_ids: Sequence[ConversationId], tag_ids: Sequence[TagId], made: Made
) -> None:
    """Queue the changes that give tags, held for as long as they can be undone."""
    for each in conversation_ids:
        queue.add(db, made, ChangeKind.TAGS, each, {"tagIds": list(tag_ids)}, {}, TAGS_HOLD_SECONDS)
    conversations.mark_pending(db, conversation_ids)


class TagChangeHandler(ChangeHandler):
    """Marks conversations with pending tags, and gives tags again."""

    def __init__(self) -> None:
        super().__init__("the platform can't remove tags")

    def show(self, db: apsw.Connection, targets: Sequence[str]) -> None:
        conversations.mark_pending(db, targets)

    def marked_pending(self, db: apsw.Connection) -> Collection[str]:
        return [str(row[0]) for row in rows(db, "SELECT conversation_id FROM conversations WHERE pending = 1")]

    def repeat_undone(self, db: apsw.Connection, change: Change, now: float) -> bool:
        tags = [TagId(each) for each in json_access.texts(change.fields.get("tagIds"))]
        here = [ConversationId(change.target)]
        add_tags(db, here, tags, Made.like(change, now))
        return True

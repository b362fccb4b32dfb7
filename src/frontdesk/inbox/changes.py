"""Changes that give tags, and those that say who needs no answer; each runs inside one write transaction."""

from collections.abc import Collection, Sequence

import apsw

from frontdesk.inbox.store import conversations, read_markers
from frontdesk.outbox import queue
from frontdesk.outbox.changes import ChangeHandler, NotPossible
from frontdesk.service_clocks import clocks
from frontdesk.storage import change_feed
from frontdesk.storage.records import Change, ChangeKind, ChangeState, ConversationRecord, Made
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


MARKS = "marks"
"""The field of a change that says who needs no answer: all marks of the conversation."""


def set_needs_answer(db: apsw.Connection, seen: ConversationRecord, made: Made, *, needs_answer: bool) -> bool:
    """Mark that what a customer wrote needs no answer, or take that back; return whether it changes anything.

    Args:
        seen: the conversation when the person decided: what came since isn't meant.
    """
    conversation_id = seen.conversation_id
    before = clocks.marks_of(db, conversation_id)
    after = before[:-1]
    if not needs_answer:
        mark = clocks.mark_until(db, conversation_id, seen.last_incoming_at)
        after = before if mark is None else [*before, mark]
    elif not clocks.needs_no_answer(db, conversation_id):
        after = before
    if after != before:
        _set_marks(db, conversation_id, after, made)
    return after != before


class AnswerChangeHandler(ChangeHandler):
    """Undoes and repeats marks, which are in effect from the moment they are made."""

    def show(self, db: apsw.Connection, targets: Sequence[str]) -> None:
        change_feed.append(db, change_feed.CONVERSATION, targets)

    def reverse(self, db: apsw.Connection, change: Change, made: Made) -> bool:
        """Restore the marks before, where nobody has changed them since."""
        if clocks.marks_of(db, change.target) != change.fields[MARKS]:
            raise NotPossible("it has since been marked again")
        _set_marks(db, change.target, change.base[MARKS], made)
        return True


def _set_marks(db: apsw.Connection, target: str, marks: Sequence[float], made: Made) -> None:
    before = {MARKS: clocks.marks_of(db, target)}
    change_id = queue.add(db, made, ChangeKind.NO_ANSWER, target, {MARKS: marks}, before)
    queue.move(db, change_id, ChangeState.CONFIRMED, expected=(ChangeState.QUEUED,), now=made.now)
    clocks.put_marks(db, target, marks, made.now)
    read_markers.show(db, target)

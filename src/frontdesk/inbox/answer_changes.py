"""Changes that say who needs no answer; each runs inside one write transaction."""

from collections.abc import Sequence

import apsw

from frontdesk.inbox.store import read_markers
from frontdesk.outbox import queue
from frontdesk.outbox.changes import ChangeHandler, NotPossible
from frontdesk.service_clocks import clocks
from frontdesk.storage import change_feed
from frontdesk.storage.records import Change, ChangeKind, ChangeState, ConversationRecord, Made

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

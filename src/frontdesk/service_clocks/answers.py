"""Who waits for a person's answer, and since when: one rule for lists, service clocks and numbers.

A customer waits since their first message after the last answer by a person. A mark ends that: what they had
written by then needs no answer. Marks are local, like read markers. All of them are kept: numbers count earlier
answers.
"""

from collections.abc import Sequence
from typing import NamedTuple

import apsw

from frontdesk.outbox import queue
from frontdesk.service_clocks.clocks import ThreadAnswers
from frontdesk.storage.records import ConversationRecord
from frontdesk.storage.sql import ReadConnection, first

NO_ANSWER = "no answer"
"""The kept value of a conversation: its marks, Unix milliseconds of the newest message that each is about."""

_NEVER, _ALWAYS = 0.0, 9e18
"""A message without a time has 0: nobody waits since then."""


class Wait(NamedTuple):
    """How long a customer has waited, in seconds.

    Attributes:
        seconds: since what they wrote first after the last answer; None if nobody waits.
        again: since what they wrote last, where that is something else.
        doubt: a question mark where the thread wasn't read since its last sign of life, so that this may be wrong.
    """

    seconds: float | None
    again: float | None
    doubt: str


def wait_of(record: ConversationRecord, now: float) -> Wait:
    """Return how long the customer of a conversation has waited, as every list, sentence and fact tells it."""
    since, last = record.waiting_since, record.last_incoming_at
    waited, again = (None if at is None or since is None else max(0.0, now - at) for at in (since, last))
    return Wait(waited, None if last == since else again, "" if record.waiting_known else "?")


def asked_at(db: ReadConnection, number: int, after: float | None = None, until: float = _ALWAYS) -> float | None:
    """Return when a customer first wrote what needs an answer; None for never.

    Args:
        number: the conversation's row number.
        after: Unix milliseconds, as `until` and the result.
    """
    row = first(
        db,
        "SELECT min(created_at) FROM messages WHERE conversation = ?1 AND says = 'in' AND says <> ''"
        " AND created_at > max(?2, coalesce((SELECT max(mark.value) FROM conversations JOIN outbox.kept"
        " ON kept.kind = ?4 AND kept.id = conversation_id, json_each(kept.value) AS mark"
        " WHERE conversations.rowid = ?1 AND mark.value <= ?3), ?2)) AND created_at <= ?3",
        (number, _NEVER if after is None else after, until, NO_ANSWER),
    )
    return None if row is None or row[0] is None else float(row[0])


def read_answers(db: ReadConnection, number: int, *, is_current: bool = True) -> ThreadAnswers:
    """Read who wrote last in a thread, by index look-ups.

    Args:
        is_current: whether it was read since its last sign of life.
    """
    answered = last_said_at(db, number, "answer")
    newest = first(
        db,
        "SELECT oldest_at, complete FROM segments WHERE conversation = ?"
        " ORDER BY newest_at DESC, newest_id DESC LIMIT 1",
        (number,),
    )
    # Before the newest segment there is a gap: what it hides may be an answer, or an earlier question.
    is_whole = newest is None or bool(newest[1]) or (answered is not None and answered >= newest[0])
    waiting = asked_at(db, number, answered if is_whole or newest is None else newest[0] - 1)
    return ThreadAnswers(
        is_current and is_whole,
        None if answered is None else answered / 1000,
        None if waiting is None else waiting / 1000,
    )


def marks_of(db: ReadConnection, conversation_id: str) -> list[float]:
    """Return the marks of a conversation, oldest first."""
    return list(queue.kept(db, NO_ANSWER, conversation_id) or ())


def needs_no_answer(db: ReadConnection, conversation_id: str) -> bool:
    """Return whether a mark is why nobody waits in a conversation."""
    marks, number = marks_of(db, conversation_id), row_number(db, conversation_id)
    if not marks or number is None:
        return False
    said = max(last_said_at(db, number, says) or _NEVER for says in ("in", "answer"))
    return marks[-1] >= said


def put_marks(db: apsw.Connection, conversation_id: str, marks: Sequence[float], now: float) -> None:
    """Replace the marks of a conversation; answers that were given meanwhile are counted again."""
    before, number = marks_of(db, conversation_id), row_number(db, conversation_id)
    if marks:
        queue.keep(db, NO_ANSWER, conversation_id, marks, now)
    else:
        queue.forget(db, NO_ANSWER, conversation_id)
    since = min({*before} ^ {*marks}, default=_ALWAYS)
    # Writing a message has its quarter counted again (`metrics.store`).
    db.execute(
        "UPDATE messages SET says = says"
        " WHERE conversation = ? AND says = 'answer' AND says <> '' AND created_at > ?",
        (number, since),
    )


def mark_until(db: ReadConnection, conversation_id: str, seen_at: float | None) -> float | None:
    """Return the mark of what a customer had written by then, Unix seconds; None if they don't wait for that."""
    number = row_number(db, conversation_id)
    waiting = None if number is None else read_answers(db, number).waiting_from
    if number is None or waiting is None or seen_at is None or seen_at < waiting:
        return None
    return last_said_at(db, number, "in", seen_at * 1000 + 0.5)


def row_number(db: ReadConnection, conversation_id: str) -> int | None:
    """Return the row number of a conversation; None for an unknown one."""
    row = first(db, "SELECT rowid FROM conversations WHERE conversation_id = ?", (conversation_id,))
    return None if row is None else int(row[0])


def last_said_at(db: ReadConnection, number: int, says: str, until: float = _ALWAYS) -> float | None:
    """Return when the customer (`in`) or a person (`answer`) last wrote, Unix milliseconds; None for never."""
    row = first(
        db,
        "SELECT max(created_at) FROM messages"
        " WHERE conversation = ? AND says = ? AND says <> '' AND created_at <= ?",
        (number, says, until),
    )
    return None if row is None or row[0] is None else float(row[0])

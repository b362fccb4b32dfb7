"""The terms of views and filters as SQL conditions.

Each uses the index `conversations_at_a_glance`, the full-text indices or the tasks of a status.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from frontdesk.storage import full_text
from frontdesk.storage.records import UNCONFIRMED, ChangeKind, ChangeState

Condition = tuple[str, list[object]]
NOTHING: Condition = ("0", [])


class ConditionField(StrEnum):
    """A field of a term."""

    WORDS = "words"
    FUZZY = "fuzzy"
    LINE = "line"
    PERSON = "person"
    NOBODY = "nobody"
    TAG = "tag"
    STATUS = "status"
    UNREAD = "unread"
    TASK = "task"
    PENDING = "pending"
    WAITING = "waiting"
    DUE = "due"
    ACTIVE = "active"
    HEARD = "heard"


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A condition on a conversation, or its inverse. A row without the time that is asked about doesn't match.

    Attributes:
        words: the text of words and fuzzy terms; a part of an id where no name matched.
        ids: ids of which one has to match.
        after: the time has to be later than this, Unix seconds.
        until: the time has to be this or earlier, Unix seconds.
    """

    field: ConditionField
    words: str = ""
    ids: tuple[str, ...] = ()
    after: float | None = None
    until: float | None = None
    inverse: bool = False


def condition(wanted: Sequence[QueryTerm]) -> Condition:
    """Join terms to a condition on `conversations` with its values."""
    parts: list[str] = []
    values: list[object] = []
    for each in wanted:
        sql, its = _CONDITIONS[each.field](each)
        parts.append(f"NOT ifnull(({sql}), 0)" if each.inverse else f"({sql})")
        values += its
    return " AND ".join(parts) or "1", values


def _words(each: QueryTerm) -> Condition:
    found = full_text.conversations_with(each.words)
    return NOTHING if found is None else (f"rowid IN ({found[0]})", [*found[1]])


def _fuzzy(each: QueryTerm) -> Condition:
    found = full_text.names_query(each.words)
    return NOTHING if found is None else (f"rowid IN ({found[0]})", [*found[1]])


def _line(each: QueryTerm) -> Condition:
    if each.ids:
        return f"line_id IN ({_marks(each.ids)})", [*each.ids]
    return "instr(line_id, ?) > 0", [each.words]


def _person(each: QueryTerm) -> Condition:
    # As `conversations` writes them: a whole id stands between quotes that no id can hold unescaped.
    parts = [json.dumps(one) for one in each.ids] or [json.dumps(each.words)[1:-1]]
    return " OR ".join(["instr(assigned, ?) > 0"] * len(parts)), [*parts]


def _nobody(_: QueryTerm) -> Condition:
    return "open_tasks > 0 AND assigned = '[]'", []


def _tag(each: QueryTerm) -> Condition:
    states = [*map(str, UNCONFIRMED), str(ChangeState.CONFIRMED)]
    ids = each.ids or (each.words,)
    return (
        "conversation_id IN (SELECT target FROM outbox.changes, json_each(changes.fields, '$.tagIds') AS given"
        f" WHERE changes.kind = ? AND state IN ({_marks(states)}) AND given.value IN ({_marks(ids)}))",
        [str(ChangeKind.TAGS), *states, *ids],
    )


def _status(each: QueryTerm) -> Condition:
    ids = each.ids or (each.words,)
    return f"conversation_id IN (SELECT conversation_id FROM tasks WHERE status IN ({_marks(ids)}))", [*ids]


def _moment(column: str) -> Callable[[QueryTerm], Condition]:
    def between(each: QueryTerm) -> Condition:
        parts = [f"{column} IS NOT NULL"]
        values: list[object] = []
        if each.after is not None:
            parts.append(f"{column} > ?")
            values.append(each.after)
        if each.until is not None:
            parts.append(f"{column} <= ?")
            values.append(each.until)
        return " AND ".join(parts), values

    return between


def _heard(each: QueryTerm) -> Condition:
    sql, values = _moment("last_incoming_at")(each)
    return f"platform IN ('', 'whatsapp') AND {sql}", values


def _flag(sql: str) -> Callable[[QueryTerm], Condition]:
    return lambda _: (sql, [])


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


_CONDITIONS: dict[ConditionField, Callable[[QueryTerm], Condition]] = {
    ConditionField.WORDS: _words,
    ConditionField.FUZZY: _fuzzy,
    ConditionField.LINE: _line,
    ConditionField.PERSON: _person,
    ConditionField.NOBODY: _nobody,
    ConditionField.TAG: _tag,
    ConditionField.STATUS: _status,
    ConditionField.UNREAD: _flag("unread > 0"),
    ConditionField.TASK: _flag("open_tasks > 0"),
    ConditionField.PENDING: _flag("pending = 1"),
    ConditionField.WAITING: _moment("waiting_since"),
    ConditionField.DUE: _moment("due_at"),
    # A task without a time for its customer leaves 0.
    ConditionField.ACTIVE: _moment("nullif(active_at, 0)"),
    ConditionField.HEARD: _heard,
}
"""The condition of each field."""

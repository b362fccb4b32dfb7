"""What conversations a view or a filter wants, as conditions of SQL.

`inbox.saved_views` makes them of the words that people write; `conversations` reads with them. Each is answered
from the index `conversations_at_a_glance`, from the search's indices or from the tasks of a status.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from frontdesk.storage import full_text
from frontdesk.storage.records import UNCONFIRMED, ChangeKind, ChangeState

Condition = tuple[str, list[object]]
NOTHING: Condition = ("0", [])


class Field(StrEnum):
    """What of a conversation is looked at."""

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
class Wanted:
    """One thing that has to hold, or not to hold, of a conversation.

    Attributes:
        field: what is looked at; an age or a moment has to be known to hold.
        words: what was typed, for words and fuzzy; a part of an id, where no name was meant.
        ids: ids of which one has to be there.
        after: the moment has to be later than this, Unix seconds.
        until: the moment has to be this or earlier.
    """

    field: Field
    words: str = ""
    ids: tuple[str, ...] = ()
    after: float | None = None
    until: float | None = None
    inverse: bool = False


def condition(wanted: Sequence[Wanted]) -> Condition:
    """All of them, as a condition on `conversations` and its values."""
    parts: list[str] = []
    values: list[object] = []
    for each in wanted:
        sql, its = _OF[each.field](each)
        parts.append(f"NOT ifnull(({sql}), 0)" if each.inverse else f"({sql})")
        values += its
    return " AND ".join(parts) or "1", values


def _words(each: Wanted) -> Condition:
    found = full_text.conversations_with(each.words)
    return NOTHING if found is None else (f"rowid IN ({found[0]})", [*found[1]])


def _fuzzy(each: Wanted) -> Condition:
    found = full_text.called(each.words)
    return NOTHING if found is None else (f"rowid IN ({found[0]})", [*found[1]])


def _line(each: Wanted) -> Condition:
    if each.ids:
        return f"line_id IN ({_marks(each.ids)})", [*each.ids]
    return "instr(line_id, ?) > 0", [each.words]


def _person(each: Wanted) -> Condition:
    # As `conversations` writes them: a whole id stands between quotes that no id can hold unescaped.
    parts = [json.dumps(one) for one in each.ids] or [json.dumps(each.words)[1:-1]]
    return " OR ".join(["instr(assigned, ?) > 0"] * len(parts)), [*parts]


def _nobody(_: Wanted) -> Condition:
    return "open_tasks > 0 AND assigned = '[]'", []


def _tag(each: Wanted) -> Condition:
    states = [*map(str, UNCONFIRMED), str(ChangeState.CONFIRMED)]
    ids = each.ids or (each.words,)
    return (
        "conversation_id IN (SELECT target FROM outbox.changes, json_each(changes.fields, '$.tagIds') AS given"
        f" WHERE changes.kind = ? AND state IN ({_marks(states)}) AND given.value IN ({_marks(ids)}))",
        [str(ChangeKind.TAGS), *states, *ids],
    )


def _status(each: Wanted) -> Condition:
    ids = each.ids or (each.words,)
    return f"conversation_id IN (SELECT conversation_id FROM tasks WHERE status IN ({_marks(ids)}))", [*ids]


def _moment(column: str) -> Callable[[Wanted], Condition]:
    def between(each: Wanted) -> Condition:
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


def _heard(each: Wanted) -> Condition:
    sql, values = _moment("last_incoming_at")(each)
    return f"platform IN ('', 'whatsapp') AND {sql}", values


def _flag(sql: str) -> Callable[[Wanted], Condition]:
    return lambda _: (sql, [])


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


_OF: dict[Field, Callable[[Wanted], Condition]] = {
    Field.WORDS: _words,
    Field.FUZZY: _fuzzy,
    Field.LINE: _line,
    Field.PERSON: _person,
    Field.NOBODY: _nobody,
    Field.TAG: _tag,
    Field.STATUS: _status,
    Field.UNREAD: _flag("unread > 0"),
    Field.TASK: _flag("open_tasks > 0"),
    Field.PENDING: _flag("pending = 1"),
    Field.WAITING: _moment("waiting_since"),
    Field.DUE: _moment("due_at"),
    # A task without a time for its customer leaves 0.
    Field.ACTIVE: _moment("nullif(active_at, 0)"),
    Field.HEARD: _heard,
}
"""How each field is asked for."""

"""The tasks that match a filter, and how many of them were fetched.

`tasks.sync` fetches by the part of a filter that the interface knows (docs/interface.md, List tasks: line, agent,
conversation) and stores its progress here.
"""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import apsw

from frontdesk.api.contract.ids import StatusId, TaskId
from frontdesk.storage import change_feed, full_text
from frontdesk.storage.sql import first, rows
from frontdesk.text.normalize import match as expression_of
from frontdesk.text.normalize import normalize, pieces

NOBODY = ""
"""The agent of unassigned tasks; the platform can't filter by it."""

_STAND = "tasks of "
_KEEP_SECONDS = 7 * 86_400.0
_MAX_UNINDEXED = 2_000
"""Tasks that aren't indexed yet and are searched one by one; only a new store has more."""


class TaskField(StrEnum):
    """The field of a term, as it is typed."""

    LINE = "line"
    AGENT = "agent"
    CONVERSATION = "conversation"
    WORDS = "words"
    OVERDUE = "overdue"


@dataclass(frozen=True, slots=True)
class TaskTerm:
    """A condition; `is_not` inverts it."""

    field: TaskField
    value: str
    is_not: bool = False


class Scope(NamedTuple):
    """The query to the platform; empty fields aren't sent."""

    line_id: str = ""
    agent_id: str = ""
    conversation_id: str = ""

    @property
    def key(self) -> str:
        """Return a string that `of_key` reads; empty for all tasks."""
        return json.dumps(self) if any(self) else ""

    @classmethod
    def of_key(cls, key: str) -> "Scope":
        return cls(*json.loads(key)) if key else cls()


@dataclass(frozen=True, slots=True)
class TaskFilter:
    """Conditions that all have to hold; `faults` are sentences about typed parts that can't be used."""

    terms: tuple[TaskTerm, ...] = ()
    faults: tuple[str, ...] = field(default=(), compare=False)

    def __bool__(self) -> bool:
        return bool(self.terms)

    @property
    def scope(self) -> Scope:
        """Return what the platform can filter by: the first term of each field that isn't inverted."""
        asked = {term.field: term.value for term in reversed(self.terms) if not term.is_not}
        return Scope(
            *(asked.get(field, "") for field in (TaskField.LINE, TaskField.AGENT, TaskField.CONVERSATION))
        )


@dataclass(frozen=True, slots=True)
class FilterProgress:
    """The progress of fetching a filter's tasks; `problem` is why the platform refuses to list them, or empty."""

    complete: bool = False
    problem: str = ""


def matching(db: apsw.Connection, wanted: TaskFilter, now: float) -> dict[StatusId, list[TaskId]]:
    """Return the matching tasks of each status in the board's order.

    Scans all tasks, unless the filter names a conversation: 15 ms for 20,000.
    """
    conditions = ["1"]
    values: list[str | float] = []
    for term in wanted.terms:
        condition, own_values = _condition(db, term, now)
        conditions.append(f"NOT {condition}" if term.is_not else condition)
        values += own_values
    found = rows(
        db,
        f"SELECT status, task_id FROM tasks WHERE {' AND '.join(conditions)}"
        " ORDER BY due_at IS NULL OR status = 'completed', iif(status = 'completed', 0, due_at),"
        " updated_at DESC, task_id",
        tuple(values),
    )
    columns: defaultdict[StatusId, list[TaskId]] = defaultdict(list)
    for status, task_id in found:
        columns[StatusId(status)].append(TaskId(task_id))
    return dict(columns)


def stand(db: apsw.Connection, scope: Scope) -> FilterProgress | None:
    """Return the progress of a scope; None before the first request."""
    row = first(db, "SELECT value FROM meta WHERE key = ?", (_STAND + scope.key,))
    if row is None:
        return None
    said = json.loads(row[0])
    return FilterProgress(said["complete"], said["problem"])


def put_stand(db: apsw.Connection, scope: Scope, stood: FilterProgress, now: float) -> None:
    """Store the progress of a scope; scopes unused for a week are deleted."""
    value = {"complete": stood.complete, "problem": stood.problem, "at": now}
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_STAND + scope.key, json.dumps(value)))
    db.execute(
        "DELETE FROM meta WHERE key GLOB ? AND json_extract(value, '$.at') < ?",
        (f"{_STAND}*", now - _KEEP_SECONDS),
    )
    change_feed.append(db, change_feed.FILTER, [scope.key])


def _condition(db: apsw.Connection, term: TaskTerm, now: float) -> tuple[str, tuple[str | float, ...]]:
    match term.field:
        case TaskField.OVERDUE:
            return "(status <> 'completed' AND coalesce(due_at <= ?, 0))", (now,)
        case TaskField.LINE:
            return "coalesce(line_id, '') = ?", (term.value,)
        case TaskField.CONVERSATION if term.is_not:
            return "coalesce(conversation_id, '') = ?", (term.value,)
        case TaskField.CONVERSATION:
            return "conversation_id = ?", (term.value,)
        case TaskField.AGENT if term.value == NOBODY:
            return "assigned = ?", ("[]",)
        case TaskField.AGENT:
            # The first part is quick and lets few through that the second one then looks at.
            is_among = "EXISTS (SELECT 1 FROM json_each(assigned) WHERE value = ?)"
            return f"(instr(assigned, ?) > 0 AND {is_among})", (json.dumps(term.value), term.value)
        case TaskField.WORDS:
            return "rowid IN (SELECT value FROM json_each(?))", (json.dumps(_with_words(db, term.value)),)


def _with_words(db: apsw.Connection, words: str) -> list[int]:
    """Return the row numbers of tasks with these words, each as a prefix."""
    expression = expression_of(words)
    if expression is None:
        return []
    indexed = rows(db, "SELECT rowid FROM task_words WHERE task_words MATCH ?", (expression,))
    fresh = rows(
        db,
        "SELECT rowid, title, body, customer_name FROM tasks WHERE rowid IN"
        " (SELECT number FROM unindexed WHERE kind = ? ORDER BY number DESC LIMIT ?)",
        (str(full_text.IndexKind.TASK), _MAX_UNINDEXED),
    )
    changed = {row[0] for row in fresh}
    held = {row[0] for row in fresh if _holds("\n".join(row[1:]), words)}
    return sorted({row[0] for row in indexed} - changed | held)


def _holds(text: str, words: str) -> bool:
    """Return whether the index would find these words in a text."""
    said = f" {normalize(text)} "
    return all(
        f" {piece}" in said if len(piece.split()[-1]) > 1 else f" {piece} " in said for piece in pieces(words)
    )

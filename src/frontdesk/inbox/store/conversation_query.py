"""The conditions and orders of conversations as SQL, and ranges of an order.

Each condition uses the index `conversations_at_a_glance`, the full-text indices or the tasks of a status; each
order has an index of its own in `schema`, column for column.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from frontdesk.inbox.store.notes import SEEN_MARKER
from frontdesk.outbox import snoozes
from frontdesk.service_clocks.store import SERVICE_GROUP
from frontdesk.storage import full_text
from frontdesk.storage.record_lookup import THREAD_UNREAD
from frontdesk.storage.records import UNCONFIRMED, ChangeKind, ChangeState, ConversationOrder

Condition = tuple[str, list[object]]
NOTHING: Condition = ("0", [])

TASK_ORDER = "status = 'completed', due_at IS NULL, due_at, task_id"
"""The order of a conversation's tasks: a row is about the first that can be meant."""

_OPEN = "status <> 'completed'"
_ITS_TASKS = "tasks WHERE tasks.conversation_id = conversations.conversation_id"


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
    CALLED = "called"
    SNOOZED = "snoozed"
    SLA = "sla"


class QueryTerm(NamedTuple):
    """A condition on a conversation, or its inverse. A row without the time that is asked about doesn't match.

    Attributes:
        words: the text of words and fuzzy terms; a part of an id where no name matched.
        ids: ids of which one has to match.
        after: the time has to be later than this, Unix seconds; of snoozed ones, the moment at which they sleep.
        until: the time has to be this or earlier, Unix seconds.
    """

    field: ConditionField
    words: str = ""
    ids: tuple[str, ...] = ()
    after: float | None = None
    until: float | None = None
    inverse: bool = False


UNREAD = QueryTerm(ConditionField.UNREAD)

MakeCondition = Callable[[QueryTerm], Condition]


def condition(wanted: Sequence[QueryTerm]) -> Condition:
    """Join terms to a condition on `conversations` with its values.

    One and the same task fulfils the terms about tasks; if all of these are inverse, no task matches any of them.
    """
    terms = row_terms(wanted)
    if len(terms) < 2 or all(each.inverse or each.field in _ALSO_WITHOUT_TASK for each in terms):
        return _join(wanted, _CONDITIONS)
    of_status = _asks_for_status(terms)
    # A conversation's columns sum up its open tasks: they soon tell most of those without such a task.
    narrowing = [
        each
        for each in wanted
        if each not in terms or not (each.inverse or (of_status and each.field is not ConditionField.STATUS))
    ]
    sql, values = _join(narrowing, _CONDITIONS)
    of_task, more = task_condition(wanted)
    return f"{sql} AND EXISTS (SELECT 1 FROM {_ITS_TASKS} AND {of_task})", [*values, *more]


def row_terms(wanted: Sequence[QueryTerm]) -> tuple[QueryTerm, ...]:
    """Return the terms that the task of a row fulfils; empty where that is just the one due first."""
    terms = tuple(each for each in wanted if each.field in _OF_TASK)
    return () if all(each.inverse for each in terms) else terms


def task_condition(wanted: Sequence[QueryTerm]) -> Condition:
    """Return the condition on `tasks` of those that a row can be about; completed ones only by their status."""
    terms = row_terms(wanted)
    sql, values = _join(terms, _OF_TASK)
    return (f"{_OPEN} AND {sql}" if terms and not _asks_for_status(terms) else sql), values


class RowSort(NamedTuple):
    """A column `row_value` with its parameters, and the ORDER BY clause with it."""

    column: str
    values: list[object]
    by: str


def row_sort(order: ConversationOrder, wanted: Sequence[QueryTerm]) -> RowSort | None:
    """Return how rows are sorted by a value of the task that each is about; None where an order's columns do."""
    if order not in _ROW_SORTS or not row_terms(wanted):
        return None
    value, by = _ROW_SORTS[order]
    sql, values = task_condition(wanted)
    of_task = f"SELECT {value} FROM {_ITS_TASKS} AND {sql} ORDER BY {TASK_ORDER} LIMIT 1"
    return RowSort(f"({of_task}) AS row_value", values, f"row_value NULLS LAST, {by}")


def _join(terms: Iterable[QueryTerm], conditions: Mapping[ConditionField, MakeCondition]) -> Condition:
    parts: list[str] = []
    values: list[object] = []
    for each in terms:
        sql, its = conditions[each.field](each)
        parts.append(f"NOT ifnull(({sql}), 0)" if each.inverse else f"({sql})")
        values += its
    return " AND ".join(parts) or "1", values


def _asks_for_status(terms: Iterable[QueryTerm]) -> bool:
    return any(each.field is ConditionField.STATUS and not each.inverse for each in terms)


def _pending_of_task(_: QueryTerm) -> Condition:
    states = [*map(str, UNCONFIRMED)]
    return (
        "pending <> '[]' OR EXISTS (SELECT 1 FROM outbox.changes WHERE target = tasks.conversation_id"
        f" AND state IN ({_marks(states)}))",
        [*states],
    )


def _in_index(find: Callable[[str], tuple[str, Sequence[object]] | None]) -> MakeCondition:
    def condition(each: QueryTerm) -> Condition:
        found = find(each.words)
        return NOTHING if found is None else (f"rowid IN ({found[0]})", [*found[1]])

    return condition


def _line(each: QueryTerm) -> Condition:
    if each.ids:
        return f"line_id IN ({_marks(each.ids)})", [*each.ids]
    return "instr(line_id, ?) > 0", [each.words]


def _person(each: QueryTerm) -> Condition:
    # As `conversations` writes them: a whole id stands between quotes that no id can hold unescaped.
    parts = [json.dumps(one) for one in each.ids] or [json.dumps(each.words)[1:-1]]
    return " OR ".join(["instr(assigned, ?) > 0"] * len(parts)), [*parts]


def _nobody(_: QueryTerm) -> Condition:
    # `assigned` joins the people of all open tasks: beside theirs, another one may have nobody.
    return (
        "open_tasks > 0 AND (assigned = '[]' OR open_tasks > 1 AND EXISTS (SELECT 1 FROM tasks"
        " WHERE tasks.conversation_id = conversations.conversation_id"
        " AND tasks.assigned = '[]' AND status <> 'completed'))",
        [],
    )


def _tag(each: QueryTerm) -> Condition:
    states = [*map(str, UNCONFIRMED), str(ChangeState.CONFIRMED)]
    ids = each.ids or (each.words,)
    return (
        "conversation_id IN (SELECT target FROM outbox.changes, json_each(changes.fields, '$.tagIds') AS given"
        f" WHERE changes.kind = ? AND state IN ({_marks(states)}) AND given.value IN ({_marks(ids)}))",
        [str(ChangeKind.TAGS), *states, *ids],
    )


def _status(each: QueryTerm) -> Condition:
    sql, ids = _status_of_task(each)
    return f"conversation_id IN (SELECT conversation_id FROM tasks WHERE {sql})", ids


def _status_of_task(each: QueryTerm) -> Condition:
    ids = each.ids or (each.words,)
    return f"status IN ({_marks(ids)})", [*ids]


def _due(each: QueryTerm) -> Condition:
    if each.after is None:
        return _moment("due_at")(each)
    # `due_at` is the first of all open tasks: another one may be due later.
    sql, values = _moment("tasks.due_at")(each)
    return f"due_at IS NOT NULL AND EXISTS (SELECT 1 FROM {_ITS_TASKS} AND {_OPEN} AND {sql})", values


def _called(each: QueryTerm) -> Condition:
    """Find conversations with an unseen note that mentions one of these agents, or hands over to them."""
    seen = "(SELECT CAST(value AS REAL) FROM outbox.kept WHERE kind = ? AND id = notes.conversation_id)"
    parts = " OR ".join(["hand_over_to = ? OR instr(mentions, ?) > 0"] * len(each.ids))
    values = [value for one in each.ids for value in (one, json.dumps(one))]
    return (
        "conversation_id IN (SELECT conversation_id FROM notes WHERE takes_up = '' AND"
        f" author NOT IN ({_marks(each.ids)}) AND ({parts}) AND at > coalesce({seen}, 0))",
        [*each.ids, *values, SEEN_MARKER],
    )


def _snoozed(each: QueryTerm) -> Condition:
    sql, values = snoozes.asleep(ChangeKind.SNOOZE_CONVERSATION, each.after or 0.0)
    return f"conversation_id IN ({sql})", values


def _moment(column: str) -> MakeCondition:
    def between(each: QueryTerm) -> Condition:
        limits = [(sign, at) for sign, at in ((">", each.after), ("<=", each.until)) if at is not None]
        parts = [f"{column} IS NOT NULL", *(f"{column} {sign} ?" for sign, _ in limits)]
        return " AND ".join(parts), [at for _, at in limits]

    return between


def _last_incoming(each: QueryTerm) -> Condition:
    sql, values = _moment("last_incoming_at")(each)
    return f"platform IN ('', 'whatsapp') AND {sql}", values


def _service_due(each: QueryTerm) -> Condition:
    # The condition of an index's first column, so that the index is read for the second.
    sql, values = _moment("service_due_at")(each)
    return f"{SERVICE_GROUP} = 0 AND {sql}", values


def _flag(sql: str) -> MakeCondition:
    return lambda _: (sql, [])


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


_CONDITIONS: dict[ConditionField, MakeCondition] = {
    ConditionField.WORDS: _in_index(full_text.conversations_with),
    ConditionField.FUZZY: _in_index(full_text.names_query),
    ConditionField.LINE: _line,
    ConditionField.PERSON: _person,
    ConditionField.NOBODY: _nobody,
    ConditionField.TAG: _tag,
    ConditionField.STATUS: _status,
    ConditionField.UNREAD: _flag("unread > 0"),
    ConditionField.TASK: _flag("open_tasks > 0"),
    ConditionField.PENDING: _flag("pending = 1"),
    ConditionField.WAITING: _moment("waiting_since"),
    ConditionField.DUE: _due,
    # A task without a time for its customer leaves 0.
    ConditionField.ACTIVE: _moment("nullif(active_at, 0)"),
    ConditionField.HEARD: _last_incoming,
    ConditionField.CALLED: _called,
    ConditionField.SNOOZED: _snoozed,
    ConditionField.SLA: _service_due,
}
"""The condition of each field on `conversations`."""

_DUE_OF_CLOCKS = (
    "(SELECT min(due_at) FROM service_clocks WHERE service_clocks.conversation_id = tasks.conversation_id"
    " AND service_clocks.task_id IN ('', tasks.task_id))"
)
_OF_TASK: dict[ConditionField, MakeCondition] = {
    ConditionField.PERSON: _person,
    ConditionField.NOBODY: _flag(f"{_OPEN} AND tasks.assigned = '[]'"),
    ConditionField.STATUS: _status_of_task,
    ConditionField.TASK: _flag(_OPEN),
    ConditionField.PENDING: _pending_of_task,
    ConditionField.DUE: _moment(f"iif({_OPEN}, tasks.due_at, NULL)"),
    ConditionField.SLA: _moment(_DUE_OF_CLOCKS),
}
"""The condition on `tasks` of each field that is about them."""

_ALSO_WITHOUT_TASK = (ConditionField.PENDING, ConditionField.SLA)
"""Tags may be pending, and a customer may have to be answered, where there is no task."""

_ROW_SORTS = {
    ConversationOrder.DUE: (f"iif({_OPEN}, due_at, NULL)", "active_at DESC, conversation_id"),
    ConversationOrder.SLA: (_DUE_OF_CLOCKS, "service_unknown DESC, active_at DESC, conversation_id"),
}
"""The value of a task by which rows about one are sorted, and what follows it."""


WAITING_GROUP = (
    f"iif(waiting_since IS NULL, iif({THREAD_UNREAD}, 1, 3),"
    f" iif(closed_at >= last_incoming_at AND NOT ({THREAD_UNREAD}), 2, 0))"
)
"""Customers who wait, those who may wait as their thread wasn't read, those whose tasks were all completed after
they last wrote, and those who don't wait. An index has it, word for word (`inbox.store.schema`)."""

_SORTED_BY = {
    ConversationOrder.WAITING: (WAITING_GROUP, "waiting_since", "active_at DESC"),
    ConversationOrder.ACTIVITY: ("active_at IS NULL", "active_at DESC"),
    ConversationOrder.DUE: ("due_at IS NULL", "due_at", "active_at DESC"),
    ConversationOrder.NAME: ("name = ''", "name COLLATE NOCASE"),
    # One whose clock isn't known may be the next to be late.
    ConversationOrder.SLA: (SERVICE_GROUP, "service_due_at", "active_at DESC"),
}
"""What each order sorts by, before the id: first a number by which those without the value come last."""

OF_THREADS = (ConversationOrder.WAITING, ConversationOrder.SLA)
"""The orders that stand on what was read of threads."""


def orders(*, has_sla: bool) -> tuple[ConversationOrder, ...]:
    return tuple(each for each in ConversationOrder if has_sla or each is not ConversationOrder.SLA)


def next_order(order: ConversationOrder, offered: Sequence[ConversationOrder]) -> ConversationOrder:
    """Return the order after one, the first after the last or one that isn't offered any more."""
    return offered[(offered.index(order) + 1) % len(offered)] if order in offered else offered[0]


def order_by(order: ConversationOrder, *, from_index: bool = True) -> str:
    """Return the ORDER BY clause of an order.

    Args:
        from_index: False keeps SQLite from walking the order's own index.
    """
    group, *others = _SORTED_BY[order]
    return ", ".join((group if from_index else f"+({group})", *others, "conversation_id"))

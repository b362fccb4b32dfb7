"""Verbs of tasks: the changes that people make, with their wording, and the edit of a task's texts."""

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from datetime import datetime
from functools import partial
from typing import Any

import apsw

from frontdesk.config.render_context import Catalogue
from frontdesk.outbox.batches import ActionResult, new_batch
from frontdesk.outbox.changes import COMPLETED
from frontdesk.outbox.task_fields import ASSIGNED, DUE, STATUS, field_of
from frontdesk.outbox.verbs import (
    On,
    Part,
    RecordChange,
    Verb,
    VerbContext,
    recall_time,
    split_names,
    write_action,
)
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import Change, ChangeKind, ChangeState, Made
from frontdesk.tasks import changes
from frontdesk.tasks import store as task_store
from frontdesk.text import relative_time
from frontdesk.text.fuzzy import NoSuchName, UnusableWords, find_named, may_be_id
from frontdesk_api.contract.ids import AgentId, StatusId, TaskId
from frontdesk_lines.privacy import is_private

TASK = (On.TASK,)
ME = ("me", "myself")
"""Names of the profile's agent."""


def fields_part(fields: Mapping[str, Any]) -> Part:
    """Return what sets these fields on tasks; of people those to add and to remove."""
    return Part(On.TASK, partial(changes.change_tasks, fields=fields), fields, ChangeKind.TASK)


def status_change(status: StatusId, context: VerbContext, *, is_move: bool = False) -> RecordChange:
    """Set a status; a move of one card names its column even where that completes the task."""
    name, is_completed = context.view.status(status).text, status == COMPLETED and not is_move
    return RecordChange(
        f"Status: {context.view.names.status(status)}",
        "Complete" if is_completed else f"Status → {name}",
        name if is_completed else f"→ {name}:",
        "completed" if is_completed else f"set to {name}",
        lambda on: f"Set the status to {name} for {on}?",
        lambda on: f"Status set to {name} for {on}",
        [fields_part({STATUS: status})],
    )


def people_change(
    add: Sequence[AgentId], remove: Sequence[AgentId], context: VerbContext, *, has_several: bool = False
) -> RecordChange:
    """Assign and unassign people; nobody else's assignment changes.

    Args:
        has_several: whether it is for several tasks, of which not each has all the people to remove.
    """
    on, off = (", ".join(context.view.person(each).text for each in people) for people in (add, remove))
    off_words = f"unassigned from {off}{' where they were' if has_several else ''}" if off else ""
    did = ", ".join(filter(None, (f"assigned to {on}" if on else "", off_words)))
    state = " and ".join(
        filter(None, (f"assigned to {on}" if on else "", f"unassigned from {off}" if off else ""))
    )
    names = context.view.names.person
    label = " ".join((*(f"+{names(each)}" for each in add), *(f"-{names(each)}" for each in remove)))
    did = f"{did[:1].upper()}{did[1:]}:"
    return RecordChange(
        f"Assign: {label or 'nobody'}",
        "Assign",
        did,
        state,
        lambda on: f"Change the assignees of {on}?",
        lambda on: f"{did} {on}",
        [fields_part({ASSIGNED: {"add": list(add), "remove": list(remove)}})],
        nothing="" if did[:-1] else "Already unassigned.",
    )


def due_change(at: datetime | None, context: VerbContext, note: str = "") -> RecordChange:
    """Set when tasks are due; None unsets it.

    Args:
        note: how the words that were typed were understood.
    """
    part = fields_part({DUE: int(at.timestamp()) if at else 0})
    if at is None:
        return RecordChange(
            "Due: none",
            "Clear due date",
            "Due date cleared:",
            "without a due date",
            lambda on: f"Clear the due date of {on}?",
            lambda on: f"Due date cleared for {on}",
            [part],
            means="no due date",
        )
    when = context.when(at, context.now)
    noted = f"{when}, {note}," if note else when
    return RecordChange(
        f"Due: {relative_time.moment(at, context.now)}",
        f"Due {when}",
        f"Due {when}:",
        f"due {when}",
        lambda on: f"Set the due date to {noted} for {on}?",
        lambda on: f"Due date set to {noted} for {on}",
        [part],
        note=note,
        means=f"{when} · {relative_time.distance_words(at.timestamp(), context.view.now)}",
    )


def known_statuses(context: VerbContext) -> dict[StatusId, str]:
    """Return the names of the statuses in the order of the board."""
    counts = task_store.counts_by_status(context.store.reading) if context.store and not context.is_kept else ()
    return {each.id: each.name for each in context.view.names.statuses(counts)}


def known_people(context: VerbContext) -> dict[AgentId, str]:
    """Return the names of the people that tasks are assigned to, and of those in the config."""
    seen = task_store.assigned_people(context.store.reading) if context.store and not context.is_kept else ()
    people = context.view.names.people(seen)
    return {each.agent_id: each.name for each in people if not context.is_kept or each.name != each.agent_id}


def status_named(words: str, context: VerbContext) -> StatusId:
    """Return the status with this name, id or, where it is typed, position on the board."""
    statuses = known_statuses(context)
    if words.isdecimal() and not context.is_kept and 1 <= int(words[:6]) <= len(statuses):
        return list(statuses)[int(words[:6]) - 1]
    return find_named(words, statuses, "status")


def own_id(context: VerbContext) -> AgentId:
    if (me := context.view.names.me) is None:
        raise UnusableWords("'me' needs agent_id in the profile, or FRONTDESK_AGENT_ID")
    return me


def _person_named(typed: str, people: Mapping[AgentId, str], context: VerbContext) -> AgentId:
    """Return the id of a person: me, one who is known, or an id, which a config needn't know."""
    if typed.casefold() in ME:
        return own_id(context)
    try:
        return find_named(typed, people, "person")
    except NoSuchName:
        if context.is_kept and may_be_id(typed):
            return AgentId(typed)
        raise


def _status(words: str, context: VerbContext) -> RecordChange:
    return status_change(status_named(words, context), context)


def _assign(words: str, context: VerbContext) -> RecordChange:
    people, sides = known_people(context), (list[AgentId](), list[AgentId]())
    for part in split_names(words):
        sides[part.startswith("-")].append(_person_named(part.lstrip("+-").strip(), people, context))
    return people_change(*sides, context)


def _unassign(words: str, context: VerbContext) -> RecordChange:
    assert context.store is not None, "nobody is unassigned by a macro without a name"
    tasks = task_store.among(context.store.reading, map(TaskId, context.records[On.TASK]))
    people = {each: context.view.names.person(each) for task in tasks.values() for each in task.assigned}
    named = [_person_named(part, people, context) for part in split_names(words)] if people else []
    return people_change([], named or list(people), context)


def _assign_me(_: str, context: VerbContext) -> RecordChange:
    if (me := context.view.names.me) is None:
        raise UnusableWords("Your agent id isn't set. Set agent_id in the profile, or FRONTDESK_AGENT_ID")
    return people_change([me], [], context)


def _due(words: str, context: VerbContext) -> RecordChange:
    from frontdesk.text.due_parser import parse_due

    due = context.time(parse_due, words)
    if context.is_kept and due.is_past:
        raise UnusableWords(f"{words!r} is in the past; write a future time, such as tomorrow 9am")
    return due_change(due.at, context, due.note)


def _which_status(context: VerbContext) -> str:
    names = list(known_statuses(context).values())
    listed = ", ".join(f"{place} {name}" for place, name in enumerate(names, start=1))
    return f"Which status? Available: {listed}. Type status this {names[0]}, or status N {names[0]}."


def _to_whom(context: VerbContext) -> str:
    people = known_people(context).values()
    known = "hidden (privacy off shows them)" if is_private() else ", ".join(people) or "none yet"
    return f"Assign to whom? Available: {known}. Type assign N NAME, or assign N -NAME to unassign."


def _recall_status(change: Change, names: Catalogue) -> list[str]:
    status = change.fields.get(STATUS)
    return [names.status(status)] if status else []


def _recall_people(change: Change, names: Catalogue) -> list[str]:
    people = change.fields.get(ASSIGNED) or {}
    sides = [(sign, each) for side, sign in (("add", "+"), ("remove", "-")) for each in people.get(side, ())]
    words = [f"{sign}{'me' if each == names.me else names.person(each)}" for sign, each in sides]
    return [", ".join(words)] if words else []


STATUS_VERB = Verb("task.status", "status", TASK, _status, _which_status, "status completed", _recall_status)
COMPLETE = Verb("task.complete", "complete", TASK, lambda _, context: status_change(COMPLETED, context))
ASSIGN = Verb("task.assign", "assign", TASK, _assign, _to_whom, "assign +me", _recall_people, joins=True)
UNASSIGN = Verb("task.unassign", "unassign", TASK, _unassign, lambda _: "")
ASSIGN_ME = Verb("task.assign_me", "me", TASK, _assign_me)
DUE_VERB = Verb(
    "task.due",
    "due",
    TASK,
    _due,
    lambda _: "Due when? Type due N tomorrow 9am, due this +3d or due N none.",
    "due tomorrow 9am",
    lambda change, _: recall_time(change.fields.get(DUE), change),
)


def field_words(fields: Collection[str]) -> str:
    return " and ".join(field_of(each).words for each in fields)


def edit_label(fields: Collection[str]) -> str:
    return f"Edit {field_words(fields)}"


def set_fields(
    store: ProfileStore, task_ids: Sequence[TaskId], fields: Mapping[str, Any], label: str
) -> "Future[ActionResult]":
    """Set fields on tasks as an action with this name, even where a pending change does that."""
    change = partial(changes.change_tasks, task_ids=task_ids, fields=fields, repeats_pending=True)
    return write_action(store, label, change)


def edit_texts(
    store: ProfileStore, task_id: TaskId, texts: Mapping[str, str], before: Mapping[str, str]
) -> "Future[ActionResult]":
    """Set a task's title, text or both, which read as in `before` when the person began to write."""
    made = Made(new_batch(), edit_label(texts), store.clock())

    def edit(db: apsw.Connection) -> ActionResult:
        change = changes.edit_texts(db, task_id, texts, before, made)
        if change is None:
            return ActionResult(0)
        if change.state is ChangeState.CONFLICT:
            words = f"{made.label}: {change.reason}. Both versions are in Activity."
            return ActionResult(0, (words,), made.batch, made.label)
        return ActionResult(1, (), made.batch, made.label)

    return store.write(edit)

"""Commands on tasks, each one write, and the changes that they make with their wording."""

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

import apsw

from frontdesk.api.contract.ids import AgentId, StatusId, TaskId
from frontdesk.config.render_context import RenderContext
from frontdesk.outbox.batches import ActionResult, new_batch
from frontdesk.outbox.bulk import BulkPlan, plan_tasks
from frontdesk.outbox.changes import COMPLETED
from frontdesk.outbox.task_fields import ASSIGNED, DUE, STATUS, field_of
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import ChangeState
from frontdesk.tasks import changes
from frontdesk.tasks import store as task_store

WHO_ARE_YOU = "Your agent id isn't set. Set agent_id in the profile, or FRONTDESK_AGENT_ID."
"""Shown where a task should be assigned to a person whose agent id isn't configured."""


class TaskChange(NamedTuple):
    """Fields to set on tasks, and the wording; the names of the tasks follow, where nothing else is stated.

    Attributes:
        label: the name of the changes in Activity, whole.
        title: the title of its dialog or plan.
        did: the result on a screen.
        state: how the tasks are afterwards, as "completed"; it stands behind their names.
        question: the linear mode's question before it is done on many.
        result: the linear mode's result.
        fields: the new values by the interface's names; of people those to add and to remove.
    """

    label: str
    title: str
    did: str
    state: str
    question: str
    result: str
    fields: dict[str, Any]


def status_change(status: StatusId, label: str, name: str, *, is_move: bool = False) -> TaskChange:
    """Set a status; a move of one card names its column even where that completes the task.

    `label` is the status' name as Activity keeps it, `name` as it is shown.
    """
    is_completed = status == COMPLETED and not is_move
    return TaskChange(
        f"Status: {label}",
        "Complete" if is_completed else f"Status → {name}",
        name if is_completed else f"→ {name}:",
        "completed" if is_completed else f"set to {name}",
        f"Set the status to {name} for",
        f"Status set to {name} for",
        {STATUS: status},
    )


def people_change(
    view: RenderContext, add: Sequence[AgentId], remove: Sequence[AgentId], *, has_several: bool = False
) -> TaskChange:
    """Assign and unassign people; nobody else's assignment changes.

    Args:
        has_several: whether it is for several tasks, of which not each has all the people to remove.
    """
    on, off = (", ".join(view.person(each).text for each in people) for people in (add, remove))
    off_words = f"unassigned from {off}{' where they were' if has_several else ''}" if off else ""
    did = ", ".join(filter(None, (f"assigned to {on}" if on else "", off_words)))
    state = " and ".join(
        filter(None, (f"assigned to {on}" if on else "", f"unassigned from {off}" if off else ""))
    )
    names = view.names.person
    label = " ".join((*(f"+{names(each)}" for each in add), *(f"-{names(each)}" for each in remove)))
    fields = {ASSIGNED: {"add": list(add), "remove": list(remove)}}
    did = f"{_capital(did)}:"
    return TaskChange(f"Assign: {label}", "Assign", did, state, "Change the assignees of", did, fields)


def due_change(due_seconds: int, when: str, *, label: str = "", note: str = "") -> TaskChange:
    """Set when tasks are due, Unix seconds; 0 unsets it.

    Args:
        when: the moment in words; `label` is how Activity has it.
        note: how the words that were typed were understood.
    """
    fields = {DUE: due_seconds}
    if not due_seconds:
        question, result = "Clear the due date of", "Due date cleared for"
        return TaskChange(
            "Due: none", "Clear due date", "Due date cleared:", "without a due date", question, result, fields
        )
    at = f"{when}, {note}," if note else when
    question, result = f"Set the due date to {at} for", f"Due date set to {at} for"
    title = f"Due {when}"
    return TaskChange(f"Due: {label or when}", title, f"{title}:", f"due {when}", question, result, fields)


def field_words(fields: Collection[str]) -> str:
    """Name the fields of an edit."""
    return " and ".join(field_of(each).words for each in fields)


def edit_label(fields: Collection[str]) -> str:
    """Return the name of an edit of these fields in Activity."""
    return f"Edit {field_words(fields)}"


class TaskCommands:
    """Changes of tasks, held for a second in which undo cancels them unsent."""

    def __init__(self, store: ProfileStore):
        self._store = store

    def apply(self, task_ids: Sequence[TaskId], change: TaskChange) -> "Future[ActionResult]":
        return self.set_fields(task_ids, change.fields, change.label)

    def set_fields(
        self, task_ids: Sequence[TaskId], fields: Mapping[str, Any], label: str, *, repeats_pending: bool = False
    ) -> "Future[ActionResult]":
        """Set fields on tasks; see `changes.set_fields`."""
        batch, now = new_batch(), self._store.clock()

        def set_fields(db: apsw.Connection) -> ActionResult:
            count = changes.change_tasks(
                db, task_ids, fields, batch=batch, label=label, now=now, repeats_pending=repeats_pending
            )
            return ActionResult(count, (), batch if count else "", label)

        return self._store.write(set_fields)

    def edit(self, task_id: TaskId, texts: Mapping[str, str], before: Mapping[str, str]) -> "Future[ActionResult]":
        """Set a task's title, text or both, which read as in `before` when the person began to write."""
        label, batch, now = edit_label(texts), new_batch(), self._store.clock()

        def edit(db: apsw.Connection) -> ActionResult:
            change = changes.edit_texts(db, task_id, texts, before, batch=batch, label=label, now=now)
            if change is None:
                return ActionResult(0)
            if change.state is ChangeState.CONFLICT:
                return ActionResult(
                    0, (f"{label}: {change.reason}. Both versions are in Activity.",), batch, label
                )
            return ActionResult(1, (), batch, label)

        return self._store.write(edit)

    def plan(self, task_ids: Sequence[TaskId], fields: Mapping[str, Any]) -> BulkPlan:
        """Return what setting these fields would do to each task."""
        return plan_tasks(task_store.among(self._store.reading, task_ids), task_ids, fields)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

"""Commands on tasks; each is one write."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

import apsw

from frontdesk.api.contract.ids import AgentId, StatusId, TaskId
from frontdesk.outbox.batches import ActionResult, new_batch
from frontdesk.outbox.bulk import BulkPlan, plan_tasks
from frontdesk.outbox.changes import COMPLETED
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import ChangeState
from frontdesk.tasks import changes
from frontdesk.tasks import store as task_store
from frontdesk.tasks.actions import due_texts, edit_texts, people_texts, status_texts


class TaskCommands:
    """Changes of tasks, held for a second in which undo cancels them unsent."""

    def __init__(self, store: ProfileStore):
        self._store = store

    def set_status(self, task_ids: Sequence[TaskId], status: StatusId) -> "Future[ActionResult]":
        texts = status_texts(self._store.catalogue.status(status), is_completed=status == COMPLETED)
        return self._change(task_ids, changes.status_fields(status), texts.label)

    def set_due(self, task_ids: Sequence[TaskId], due_seconds: int, words: str) -> "Future[ActionResult]":
        """Set when tasks are due, Unix seconds; 0 unsets it."""
        label = due_texts(words if due_seconds else "").label
        return self._change(task_ids, changes.due_fields(due_seconds), label)

    def assign(
        self, task_ids: Sequence[TaskId], add: Sequence[AgentId], remove: Sequence[AgentId]
    ) -> "Future[ActionResult]":
        """Assign and unassign people; nobody else's assignment changes."""
        texts = people_texts(*(list(map(self._store.catalogue.person, people)) for people in (add, remove)))
        return self._change(task_ids, changes.people_fields(add, remove), texts.label)

    def edit(self, task_id: TaskId, texts: Mapping[str, str], before: Mapping[str, str]) -> "Future[ActionResult]":
        """Set a task's title, body or both, which read as in `before` when the person began to write."""
        label, batch, now = edit_texts(texts).label, new_batch(), self._store.clock()

        def edit(db: apsw.Connection) -> ActionResult:
            change = changes.edit_texts(db, task_id, texts, before, batch=batch, label=label, now=now)
            if change is None:
                return ActionResult(0)
            if change.state is ChangeState.CONFLICT:
                return ActionResult(0, (f"{label}: {change.reason}. Activity (6) has both.",), batch, label)
            return ActionResult(1, (), batch, label)

        return self._store.write(edit)

    def plan(self, task_ids: Sequence[TaskId], fields: Mapping[str, Any]) -> BulkPlan:
        """Return what setting these fields would do to each task."""
        return plan_tasks(task_store.among(self._store.reading, task_ids), task_ids, fields)

    def _change(self, task_ids: Sequence[TaskId], fields: dict[str, object], label: str) -> "Future[ActionResult]":
        batch, now = new_batch(), self._store.clock()

        def change(db: apsw.Connection) -> ActionResult:
            count = changes.change_tasks(db, task_ids, fields, batch=batch, label=label, now=now)
            return ActionResult(count, (), batch if count else "", label)

        return self._store.write(change)

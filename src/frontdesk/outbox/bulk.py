"""Bulk actions: the plan, its cost, and retrying failures."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from frontdesk.api.contract.ids import TaskId
from frontdesk.config.settings import Settings
from frontdesk.outbox import progress, queue
from frontdesk.outbox.changes import ChangeHandlers, NotPossible, retry
from frontdesk.outbox.overlay import ASSIGNED, differing
from frontdesk.storage.records import NEEDS_PERSON, ChangeKind, TaskRecord


@dataclass(frozen=True, slots=True)
class Cost:
    """The requests and seconds of sending, within the budget when nothing else is requested."""

    requests: int
    seconds: float


@dataclass(frozen=True, slots=True)
class BulkPlan:
    """The tasks that an action would change, that are so already, and that are gone."""

    will: tuple[TaskId, ...]
    already: tuple[TaskId, ...]
    gone: tuple[TaskId, ...]


def plan_tasks(
    tasks: Mapping[TaskId, TaskRecord], task_ids: Sequence[TaskId], fields: Mapping[str, Any]
) -> BulkPlan:
    """Plan setting these fields on tasks, with their pending changes."""
    will: list[TaskId] = []
    already: list[TaskId] = []
    for each in task_ids:
        task = tasks.get(each)
        if task is not None:
            (will if differing(_shown(task), fields) else already).append(each)
    return BulkPlan(tuple(will), tuple(already), tuple(each for each in task_ids if each not in tasks))


def cost(count: int, kind: ChangeKind, settings: Settings) -> Cost:
    """Estimate the cost of so many changes within each minute's budget."""
    requests = count * progress.REQUESTS[kind]
    minutes, rest = divmod(max(0, requests - 1), max(1, settings.requests_per_minute))
    return Cost(requests, minutes * 60 + (rest + 1) / max(1.0, settings.requests_per_second))


def retry_all(db: apsw.Connection, handlers: ChangeHandlers, change_ids: Iterable[int], now: float) -> int:
    """Send again those of these changes that need a decision; returns how many."""
    count = 0
    for each in change_ids:
        change = queue.change(db, each)
        if change is not None and change.state in NEEDS_PERSON:
            retry(db, handlers, each, now)
            count += 1
    if not count:
        raise NotPossible("nothing of it waits to be decided any more")
    return count


def _shown(task: TaskRecord) -> dict[str, Any]:
    return {
        "statusCase": task.status,
        "dueDate": task.due_at,
        "title": task.title,
        "body": task.body,
        ASSIGNED: list(task.assigned),
    }

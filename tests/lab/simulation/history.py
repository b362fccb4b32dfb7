"""What the judge remembers: values that were written on the platform, and changes as people made them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from frontdesk.outbox.task_fields import ASSIGNED
from frontdesk.storage.records import TaskRecord


@dataclass(frozen=True, slots=True)
class Written:
    """A value that a field of a task got on the platform."""

    at: float
    by: str
    value: Any


@dataclass(frozen=True, slots=True)
class Made:
    """A change as a person made it.

    Attributes:
        shown: the task's values on the screen before it; empty for any other target.
        not_before: when its hold ends, in the loop's seconds.
    """

    at: float
    target: str
    shown: Mapping[str, Any]
    not_before: float


def fields_of(task: TaskRecord) -> dict[str, Any]:
    """Return the shown values by the names that they have in the interface."""
    return {
        "title": task.title,
        "body": task.body,
        "statusCase": task.status,
        "dueDate": task.due_at,
        ASSIGNED: list(task.assigned),
    }

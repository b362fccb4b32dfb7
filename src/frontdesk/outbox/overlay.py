"""Pending changes applied to the platform's data, for lists and for building a PATCH. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from frontdesk.storage import json_access
from frontdesk.storage.records import Change

ASSIGNED = "assignedAgentIds"


def merge_people(current: object, intent: Mapping[str, Any]) -> list[str]:
    """Add and remove people, keeping the order, without duplicates."""
    removed = set(intent.get("remove", ()))
    there = json_access.texts(current)
    people = [person for person in there if person not in removed]
    return people + [person for person in intent.get("add", ()) if person not in people]


def apply_fields(task: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the task with these fields set."""
    changed = dict(task)
    for name, value in fields.items():
        changed[name] = merge_people(task.get(name), value) if name == ASSIGNED else value
    return changed


def lay_over(task: Mapping[str, Any], changes: Iterable[Change]) -> dict[str, Any]:
    """Apply changes to the task in the order in which they were made."""
    shown = dict(task)
    for change in changes:
        shown = apply_fields(shown, change.fields)
    return shown


def same_value(name: str, one: Any, other: Any) -> bool:
    """Whether two values of a task's field mean the same.

    A removed due date may be returned as 0 or not at all (rule 177); the order of people means nothing.
    """
    if name == "dueDate":
        return (one or 0) == (other or 0)
    if name in (ASSIGNED, "viewedByAgentIds"):
        return set(json_access.texts(one)) == set(json_access.texts(other))
    return (one or "") == (other or "")


def differing(shown: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that would change something."""
    wanted = apply_fields(shown, fields)
    return {
        name: value for name, value in fields.items() if not same_value(name, shown.get(name), wanted.get(name))
    }

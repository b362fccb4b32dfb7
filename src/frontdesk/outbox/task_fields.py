"""The editable fields of a task, each declared once; what a surface does with one follows from its kind.

A further field is a line of `TASK_FIELDS`. A kind has its equality here, its words in `outbox.change_view`, its
option in `tasks.cli` and its verb in `tasks.commands`.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from frontdesk_api import json_access

if TYPE_CHECKING:
    from frontdesk.storage.records import TaskRecord

TITLE, BODY, STATUS, ASSIGNED, DUE = "title", "body", "statusCase", "assignedAgentIds", "dueDate"


class FieldKind(StrEnum):
    """The kind of value that a field has."""

    TEXT = "text"
    LONG_TEXT = "long text"
    STATUS = "status"
    PEOPLE = "people"
    """A change names those to add and those to remove, so that changes of two people merge."""
    READERS = "readers"
    """People whose list is replaced whole."""
    TIME = "time"
    CONVERSATION = "conversation"
    LINE = "line"


class TaskField(NamedTuple):
    """A field that `TaskUpdate` can set.

    Attributes:
        name: in the interface.
        option: of `frontdesk tasks update`, and the verb of a macro's step.
        label: before its values.
        words: for it, in sentences.
        key: in documents for programs.
        why_unseen: why nothing but the command line sets and shows it; empty for the others.
    """

    name: str
    kind: FieldKind
    option: str
    label: str = ""
    words: str = ""
    key: str = ""
    why_unseen: str = ""

    @property
    def is_text(self) -> bool:
        """Return whether people write it, so that it may say anything."""
        return self.kind in (FieldKind.TEXT, FieldKind.LONG_TEXT)

    @property
    def unset(self) -> object:
        """Return how an unset value is sent."""
        if self.kind in (FieldKind.PEOPLE, FieldKind.READERS):
            return []
        return {FieldKind.TIME: 0, FieldKind.STATUS: "open"}.get(self.kind, "")

    def value_of(self, task: "TaskRecord") -> Any:
        """Return its value in a task with pending changes, as documents have it: of its type, whatever came."""
        value = task.value(self.name)
        if self.kind is FieldKind.TIME:
            return json_access.number(value) or None
        return json_access.texts(value) if self.kind is FieldKind.PEOPLE else json_access.text(value)


_LINKED, _READ = "a task stays with its conversation", "what was read is marked on this machine only"
_FIELDS = (
    TaskField(TITLE, FieldKind.TEXT, "title", "Title", "title", "title"),
    TaskField(BODY, FieldKind.LONG_TEXT, "body", "Text", "text", "text"),
    TaskField(STATUS, FieldKind.STATUS, "status", "Status", "status", "status"),
    TaskField(ASSIGNED, FieldKind.PEOPLE, "assign", "Assigned", "people", "assigned"),
    TaskField("viewedByAgentIds", FieldKind.READERS, "viewed_by", "Viewed", "viewers", why_unseen=_READ),
    TaskField(DUE, FieldKind.TIME, "due", "Due", "due date", "due_at"),
    TaskField(
        "participantsIdentifiers",
        FieldKind.CONVERSATION,
        "conversation",
        "Conversation",
        "conversation",
        why_unseen=_LINKED,
    ),
    TaskField("phoneNumberId", FieldKind.LINE, "phone", "Line", "line", why_unseen=_LINKED),
)
TASK_FIELDS: Mapping[str, TaskField] = {each.name: each for each in _FIELDS}
SEEN_FIELDS = tuple(each for each in _FIELDS if not each.why_unseen)


def field_of(name: str) -> TaskField:
    """Return a field; one that isn't known here is a text."""
    return TASK_FIELDS.get(name) or TaskField(name, FieldKind.TEXT, name, name, name, name)


def is_merged(name: str) -> bool:
    """Return whether changes of a field merge, so that they never collide."""
    return field_of(name).kind is FieldKind.PEOPLE


def same_value(name: str, one: Any, other: Any) -> bool:
    """Return whether two values of a field mean the same.

    A removed due date may be returned as 0 or not at all (rule 177); the order of people means nothing.
    """
    kind = field_of(name).kind
    if kind in (FieldKind.PEOPLE, FieldKind.READERS):
        return set(json_access.texts(one)) == set(json_access.texts(other))
    nothing = 0 if kind is FieldKind.TIME else ""
    return bool((one or nothing) == (other or nothing))

"""Tasks in storage: reading, inserting, and what every change of one brings with it."""

import json
from typing import Any

from frontdesk.sandbox.responses import encode
from frontdesk.sandbox.storage import Storage
from frontdesk.sandbox.threads import Conversation, find_conversation


def read_task(storage: Storage, account: str, task_id: str) -> str | None:
    """Return the task's JSON, or None."""
    row = storage.row("SELECT json FROM tasks WHERE account=? AND task_id=?", account, task_id)
    return str(row[0]) if row else None


def new_task(account: str, task_id: str, now_seconds: int) -> dict[str, Any]:
    """Make a task as the platform creates it."""
    return {
        "taskId": task_id,
        "title": "",
        "body": "",
        "associatedTo": account,
        "statusCase": "open",
        "unreadCount": 0,
        "createdAt": now_seconds,
        "updatedAt": now_seconds,
        "dueDate": 0,
        "assignedAgentIds": [],
        "viewedByAgentIds": [],
    }


def insert_task(storage: Storage, account: str, task: dict[str, Any]) -> None:
    """Store a task, in place of an earlier one of its taskId."""
    conversation = task.get("participantsIdentifiers")
    where = find_conversation(storage, account, conversation) if isinstance(conversation, str) else None
    storage.run("INSERT OR REPLACE INTO tasks VALUES(?,?,?,?,?,?,?,?,?)", *task_row(account, task, where))


def task_row(account: str, task: dict[str, Any], where: Conversation | None) -> tuple[Any, ...]:
    """Return the columns of a task; `where` is its conversation, if it is known."""
    updated_at = task.get("updatedAt")
    assigned = task.get("assignedAgentIds")
    return (
        account,
        task["taskId"],
        _text(task.get("phoneNumberId")),
        _text(task.get("participantsIdentifiers")),
        updated_at if isinstance(updated_at, int | float) else 0,
        encode(assigned if isinstance(assigned, list) else []),
        where.line if where else None,
        where.customer if where else None,
        encode(task),
    )


def update_task_row(
    storage: Storage, account: str, task_id: str, fields: dict[str, Any], person: dict[str, str], now_seconds: int
) -> str:
    """Change a task's fields, and with them updatedAt, agentIdentification and unreadCount (178-181)."""
    task: dict[str, Any] = json.loads(read_task(storage, account, task_id) or "{}")
    task.update(fields)
    task["agentIdentification"] = person
    _count_change(task, now_seconds)
    insert_task(storage, account, task)
    return encode(task)


def _count_change(task: dict[str, Any], now_seconds: int) -> None:
    """Count a change: updatedAt always grows, also within one second, so that it tells changes apart."""
    before, unread = task.get("updatedAt"), task.get("unreadCount")
    # What a test stored may be no time at all; a number beyond this can't be counted up either.
    was_time = before if isinstance(before, int | float) and abs(before) < 2**53 else -1
    task["updatedAt"] = max(now_seconds, int(was_time) + 1)
    task["unreadCount"] = (unread if isinstance(unread, int) else 0) + 1


def record_arrival(storage: Storage, where: Conversation, now_ms: int) -> None:
    """Show in a customer's tasks that they wrote, and count it in those that aren't completed."""
    for (stored,) in storage.rows(
        "SELECT json FROM tasks WHERE account=? AND line_of=? AND customer_of=?", *where
    ):
        task = json.loads(stored)
        if isinstance(task.get("customer"), dict):
            task["customer"]["lastActiveAt"] = now_ms
        if task.get("statusCase") != "completed":
            _count_change(task, now_ms // 1000)
        storage.run(
            "UPDATE tasks SET updated_at=?, json=? WHERE account=? AND task_id=?",
            *(task.get("updatedAt"), encode(task), where.account, task["taskId"]),
        )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None

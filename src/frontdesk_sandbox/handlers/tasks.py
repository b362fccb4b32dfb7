"""List, get and update tasks (docs/interface.md, List tasks, Get task, Update task; rules, chapters 8, 9)."""

import hashlib
import hmac
import random
from typing import Any

from frontdesk_api.contract.base import DEFAULT_TASKS_LIMIT
from frontdesk_api.contract.tasks import TaskQuery, TaskUpdate
from frontdesk_sandbox.request import Call
from frontdesk_sandbox.responses import Response, bad_request, encode, not_found, page_response, text_response
from frontdesk_sandbox.storage import Value, read_task, update_task_row
from frontdesk_sandbox.world import World

BUILT_IN_STATUSES = ("open", "standby", "completed")
SERVER_MANAGED = frozenset(
    {"taskId", "unreadCount", "agentIdentification", "createdAt", "updatedAt", "customer", "associatedTo"}
)


def list_tasks(world: World, call: Call) -> Response:
    """List a page, latest change first; the cursor holds only for the filters it was given with (161, 162)."""
    query = call.body(TaskQuery)
    limit = query.limit or DEFAULT_TASKS_LIMIT
    where = "account=?"
    values: list[Value] = [call.account]
    filters: dict[str, str] = {}
    for name, condition in _FILTERS.items():
        wanted = getattr(query, name)
        if wanted is not None:
            where += f" AND {condition}"
            values.append(wanted)
            filters[name] = wanted
    scope = [call.account, filters]
    if query.lastEvaluatedKey:
        updated_at, task_id = read_cursor(world.secret, scope, query.lastEvaluatedKey)
        where += " AND (updated_at < ? OR (updated_at = ? AND task_id > ?))"
        values += [updated_at, updated_at, task_id]
    rows = world.storage.rows(
        f"SELECT updated_at, task_id, json FROM tasks WHERE {where} ORDER BY updated_at DESC, task_id LIMIT ?",
        *values,
        limit + 1,
    )
    page, has_more = rows[:limit], len(rows) > limit
    cursor = make_cursor(world.secret, scope, page[-1][0], page[-1][1]) if has_more else None
    shown = [row[2] for row in page]
    if world.settings.shuffle_tasks:
        random.shuffle(shown)
    return page_response("dbObject", shown, has_more, cursor)


def get_task(world: World, call: Call) -> Response:
    stored = read_task(world.storage, call.account, call.ids["taskId"])
    if stored is None:
        raise not_found("task", call.ids["taskId"])
    return text_response(f'{{"task":{stored}}}')


def update_task(world: World, call: Call) -> Response:
    """Answer the task after the change; without a version check, the last writer wins (rule 184)."""
    update = call.body(TaskUpdate)
    storage, account, task_id = world.storage, call.account, call.ids["taskId"]
    if world.settings.strict_tasks:
        refused = sorted(set(call.raw) - set(TaskUpdate.model_fields))
        if refused:
            raise bad_request(f"{', '.join(refused)} can't be updated.")
    if read_task(storage, account, task_id) is None:
        raise not_found("task", task_id)
    status = update.statusCase
    if status not in (None, *BUILT_IN_STATUSES) and not storage.exists("statuses", account=account, status=status):
        raise bad_request(f"statusCase {status!r} isn't a status of this business.")
    fields = {name: call.raw[name] for name in TaskUpdate.model_fields if name in call.raw}
    person = {"name": call.identity.name, "email": call.identity.email}
    with storage.writing():
        stored = update_task_row(storage, account, task_id, fields, person, world.clock.now_seconds())
    return text_response(f'{{"task":{stored}}}')


_FILTERS = {
    "phoneNumberId": "line=?",
    "agentId": "EXISTS (SELECT 1 FROM json_each(assigned) WHERE value=?)",
    "participantsIdentifiers": "conversation=?",
}


def make_cursor(secret: bytes, scope: list[Any], updated_at: float, task_id: str) -> dict[str, Any]:
    """Make the lastEvaluatedKey after a row of the list that `scope` describes, sealed so that none is made up."""
    return {"updatedAt": updated_at, "taskId": task_id, "check": _check(secret, scope, updated_at, task_id)}


def read_cursor(secret: bytes, scope: list[Any], cursor: dict[str, Any]) -> tuple[float, str]:
    """Return the position of a cursor.

    Raises:
        Refusal: it was altered, or belongs to another list.
    """
    updated_at, task_id, check = cursor.get("updatedAt"), cursor.get("taskId"), cursor.get("check")
    if len(cursor) != 3 or isinstance(updated_at, bool) or not isinstance(updated_at, int | float):
        raise bad_request("lastEvaluatedKey wasn't issued by this service.")
    if not isinstance(task_id, str) or not isinstance(check, str) or not check.isascii():
        raise bad_request("lastEvaluatedKey wasn't issued by this service.")
    if not hmac.compare_digest(check, _check(secret, scope, updated_at, task_id)):
        raise bad_request("lastEvaluatedKey was altered or belongs to another list.")
    return updated_at, task_id


def _check(secret: bytes, scope: list[Any], updated_at: float, task_id: str) -> str:
    # A number that was sent as 5 may come back as 5.0: JSON doesn't tell them apart.
    text = encode([scope, float(updated_at), task_id])
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()[:32]

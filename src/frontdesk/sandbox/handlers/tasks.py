"""List, get and update tasks (docs/interface.md, List tasks, Get task, Update task; docs/interface-rules.md,
chapters 8, 9).

What a PATCH changes besides its fields is in `task_rows`, since the crowd's people do the same.
"""

import random

from frontdesk.api.contract.base import DEFAULT_TASKS_LIMIT
from frontdesk.api.contract.tasks import TaskQuery, TaskUpdate
from frontdesk.sandbox.answers import Response, broken_rule, page_answer, text_answer, unknown
from frontdesk.sandbox.cursors import open_cursor, seal_cursor
from frontdesk.sandbox.handlers.call import Call
from frontdesk.sandbox.storage import Value
from frontdesk.sandbox.task_rows import apply_update, read_task
from frontdesk.sandbox.world import World

BUILT_IN_STATUSES = ("open", "standby", "completed")
SERVER_MANAGED = frozenset(
    {"taskId", "unreadCount", "agentIdentification", "createdAt", "updatedAt", "customer", "associatedTo"}
)


def list_tasks(world: World, call: Call) -> Response:
    """A page, latest change first; the cursor holds only for the filters it was given with (161, 162)."""
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
        updated_at, task_id = open_cursor(world.secret, scope, query.lastEvaluatedKey)
        where += " AND (updated_at < ? OR (updated_at = ? AND task_id > ?))"
        values += [updated_at, updated_at, task_id]
    rows = world.storage.rows(
        f"SELECT updated_at, task_id, json FROM tasks WHERE {where} ORDER BY updated_at DESC, task_id LIMIT ?",
        *values,
        limit + 1,
    )
    page, has_more = rows[:limit], len(rows) > limit
    cursor = seal_cursor(world.secret, scope, page[-1][0], page[-1][1]) if has_more else None
    shown = [row[2] for row in page]
    if world.switches.shuffle_tasks:
        random.shuffle(shown)
    return page_answer("dbObject", shown, has_more, cursor)


def get_task(world: World, call: Call) -> Response:
    """The task under `task`."""
    stored = read_task(world.storage, call.account, call.ids["taskId"])
    if stored is None:
        raise unknown("task", call.ids["taskId"])
    return text_answer(f'{{"task":{stored}}}')


def update_task(world: World, call: Call) -> Response:
    """The task after the change; no version check, the last writer wins (rule 184)."""
    update = call.body(TaskUpdate)
    storage, account, task_id = world.storage, call.account, call.ids["taskId"]
    if world.switches.strict_tasks:
        refused = sorted(set(call.raw) - set(TaskUpdate.model_fields))
        if refused:
            raise broken_rule(f"{', '.join(refused)}: not a field that can be updated.")
    if read_task(storage, account, task_id) is None:
        raise unknown("task", task_id)
    if update.statusCase is not None and not _is_status(world, account, update.statusCase):
        raise broken_rule(f"statusCase {update.statusCase!r} is neither built in nor one of this business.")
    fields = {name: call.raw[name] for name in TaskUpdate.model_fields if name in call.raw}
    person = {"name": call.identity.name, "email": call.identity.email}
    with storage.writing():
        stored = apply_update(storage, account, task_id, fields, person, world.clock.now_seconds())
    return text_answer(f'{{"task":{stored}}}')


def _is_status(world: World, account: str, status: str) -> bool:
    if status in BUILT_IN_STATUSES:
        return True
    return world.storage.row("SELECT 1 FROM statuses WHERE account=? AND status=?", account, status) is not None


_FILTERS = {
    "phoneNumberId": "line=?",
    "agentId": "EXISTS (SELECT 1 FROM json_each(assigned) WHERE value=?)",
    "participantsIdentifiers": "conversation=?",
}

"""Tasks that were read, for a team's other desks, and those that another desk has read."""

import json
from collections.abc import Iterable, Mapping

import apsw

from frontdesk.storage.records import Json
from frontdesk.storage.sql import rows
from frontdesk.sync.observations import Observed, ObservedKind
from frontdesk.tasks import store
from frontdesk.tasks.history import Seen
from frontdesk_api import json_access
from frontdesk_api.contract.ids import TaskId


def observed_tasks(raws: Iterable[Json], asked_at: float) -> list[Observed]:
    return [
        Observed(ObservedKind.TASK, str(raw["taskId"]), json_access.text(raw.get("phoneNumberId")), asked_at, raw)
        for raw in raws
    ]


def is_of(raw: Json, task_id: str, line_id: str) -> bool:
    return raw.get("taskId") == task_id and json_access.text(raw.get("phoneNumberId")) == line_id


def observed_gone(db: apsw.Connection, task_id: TaskId, asked_at: float) -> list[Observed]:
    """Return that a task doesn't exist any more; call it before the task is removed."""
    raw = store.raw_task(db, task_id)
    if raw is None:
        return []
    line_id = json_access.text(raw.get("phoneNumberId"))
    return [Observed(ObservedKind.GONE, task_id, line_id, asked_at, {})]


def missing_tasks(db: apsw.Connection, task_ids: Iterable[str]) -> set[str]:
    wanted = set(task_ids)
    found = rows(
        db,
        "SELECT task_id FROM tasks WHERE task_id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(wanted)),),
    )
    return wanted - {str(row[0]) for row in found}


def apply(
    db: apsw.Connection, observed: Iterable[Observed], confirmed_at: Mapping[str, float], now: float
) -> None:
    """Store tasks that another desk has read, in their order, and remove those that are gone.

    Args:
        confirmed_at: when this desk asked for the newest values that it knows, by the task's id; what was asked
            for before is older than that.
    """
    for each in observed:
        if each.asked_at < confirmed_at.get(each.id, 0.0):
            continue
        if each.kind is ObservedKind.GONE:
            store.remove(db, TaskId(each.id))
        else:
            # This desk's own read may have been the last one before it.
            own = {each.id: confirmed_at[each.id]} if each.id in confirmed_at else {}
            store.put(db, [each.body], Seen(each.asked_at, max(now, each.asked_at), own))

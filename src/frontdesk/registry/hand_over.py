"""Hand a conversation over as one action: assign a task of it, set its due date, and write what is open.

Here, as it works on a task and on a conversation. The inbox's screen and the linear mode call it.
"""

from concurrent.futures import Future
from typing import Any

from frontdesk.inbox import changes
from frontdesk.inbox.changes import NoteDraft
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.task_fields import ASSIGNED, DUE
from frontdesk.outbox.verbs import write_action
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import Made, TaskRecord
from frontdesk.tasks import changes as task_changes


def hand_over(
    store: ProfileStore, draft: NoteDraft, task: TaskRecord | None, due_seconds: int | None
) -> "Future[ActionResult]":
    """Hand a conversation over with a note; the future holds `NotPossible` for a note that is empty or too long.

    Args:
        task: the one to assign; None for none.
        due_seconds: when it is due from now on, Unix seconds; None leaves it as it is.
    """
    to, me = draft.hand_over_to, store.catalogue.me
    assert to is not None, "a hand-over names its receiver"

    def write(db: Any, made: Made) -> int:
        changes.add_note(db, draft, made)
        if task is not None:
            others = [] if me is None or me == to else [me]
            fields: dict[str, Any] = {ASSIGNED: {"add": [to], "remove": others}}
            if due_seconds is not None:
                fields[DUE] = due_seconds
            task_changes.change_tasks(db, [task.task_id], fields, made)
        return 1

    return write_action(store, f"Hand over: {store.catalogue.person(to)}", write)

"""What a builder does to workflows and webhooks: the part of `app.services` that puts it into the outbox."""

import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

import apsw

from frontdesk.storage.database import Store
from frontdesk.storage.records import Change

if TYPE_CHECKING:
    from types import ModuleType


def new_batch() -> str:
    """What all changes of one action carry."""
    return uuid.uuid4().hex


class WorkflowCommands:
    """Each action waits five seconds, in which undo takes it back, and is then sent by whoever runs the engine.

    The futures raise `NotPossible` where something can't be sent so, or is on its way already. What is given is
    read on the writer's thread: change nothing of it any more.
    """

    def __init__(self, store: Store, clock: Callable[[], float]):
        self._store = store
        self.clock = clock

    def create_workflow(self, workflow_id: str, folder_id: str, body: dict[str, Any]) -> "Future[Change]":
        """Store a new workflow in a folder, once; the platform always stores it inactive."""
        batch, now = new_batch(), self.clock()
        return self._put(lambda deeds, db: deeds.create(db, workflow_id, folder_id, body, batch=batch, now=now))

    def update_workflow(
        self, workflow_id: str, body: dict[str, Any], base: Mapping[str, Any] | None
    ) -> "Future[Change]":
        """Send what `workflows.request_body` made of the whole workflow `base`.

        What somebody else has changed of it since is a conflict, with theirs kept.
        """
        batch, now = new_batch(), self.clock()
        return self._put(lambda deeds, db: deeds.update(db, workflow_id, body, base, batch=batch, now=now))

    def set_workflow_active(
        self, workflow_id: str, active: bool, base: Mapping[str, Any] | None
    ) -> "Future[Change]":
        """Switch a workflow on or off, as it was looked at; `base` is None for one that is being created."""
        batch, now = new_batch(), self.clock()
        return self._put(
            lambda deeds, db: deeds.switch(db, workflow_id, active=active, base=base, batch=batch, now=now)
        )

    def reset_analytics(self, workflow_id: str) -> "Future[Change]":
        """Zero a workflow's analytics for good; they are kept here right before it is sent."""
        batch, now = new_batch(), self.clock()
        return self._put(lambda deeds, db: deeds.reset(db, workflow_id, batch=batch, now=now))

    def delete_webhook(self, webhook_id: str) -> "Future[Change]":
        """Delete a webhook for good; needs the Bearer token."""
        batch, now = new_batch(), self.clock()
        return self._put(lambda deeds, db: deeds.delete_webhook(db, webhook_id, batch=batch, now=now))

    def send_over_theirs(self, change_id: int) -> "Future[Change]":
        """Send a conflicting update over what somebody else made of the workflow, which the person has seen.

        Answers the new change that does it. What is changed once more before it leaves is a conflict again.
        """
        from frontdesk.outbox.commands import retry

        now = self.clock()
        return self._store.write(lambda db: retry(db, change_id, now, over_theirs=True))

    def keep_snapshot(self, workflow_id: str, document: Mapping[str, Any], cause: str) -> "Future[int]":
        """Keep a workflow's analytics as they are, without its canvas; answers the snapshot's id."""
        from frontdesk.workflows.store.pending_payloads import keep_snapshot

        now = self.clock()
        return self._store.write(lambda db: keep_snapshot(db, workflow_id, document, cause, now))

    def _put(self, job: "Callable[[ModuleType, apsw.Connection], Change]") -> "Future[Change]":
        def put(db: apsw.Connection) -> Change:
            from frontdesk.workflows import commands as workflow_commands  # brings what a start does without

            return job(workflow_commands, db)

        return self._store.write(put)

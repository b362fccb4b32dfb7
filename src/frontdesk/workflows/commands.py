"""WorkflowCommands: what a person does to workflows and webhooks; each is one write, answered by a future."""

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from frontdesk.outbox.batches import new_batch
from frontdesk.storage.profile_store import ProfileStore
from frontdesk.storage.records import Change
from frontdesk.workflows import changes
from frontdesk.workflows.store import pending_payloads


class WorkflowCommands:
    """Each change waits five seconds, in which undo takes it back, and is then sent by whoever runs the engine.

    The futures raise `NotPossible` where something can't be sent so, or is on its way already. What is given is
    read on the writer's thread: change nothing of it any more.
    """

    def __init__(self, store: ProfileStore):
        self._store = store

    def create(self, workflow_id: str, folder_id: str, body: dict[str, Any]) -> "Future[Change]":
        """Store a new workflow in a folder, once; the platform always stores it inactive."""
        batch, now = new_batch(), self._store.clock()
        return self._store.write(lambda db: changes.create(db, workflow_id, folder_id, body, batch=batch, now=now))

    def update(self, workflow_id: str, body: dict[str, Any], base: Mapping[str, Any] | None) -> "Future[Change]":
        """Send what `workflows.request_body` made of the whole workflow `base`.

        What somebody else has changed of it since is a conflict, with theirs kept.
        """
        batch, now = new_batch(), self._store.clock()
        return self._store.write(lambda db: changes.update(db, workflow_id, body, base, batch=batch, now=now))

    def set_active(self, workflow_id: str, active: bool, base: Mapping[str, Any] | None) -> "Future[Change]":
        """Switch a workflow on or off, as it was looked at; `base` is None for one that is being created."""
        batch, now = new_batch(), self._store.clock()
        return self._store.write(
            lambda db: changes.switch(db, workflow_id, active=active, base=base, batch=batch, now=now)
        )

    def reset_analytics(self, workflow_id: str) -> "Future[Change]":
        """Zero a workflow's analytics for good; they are kept here right before it is sent."""
        batch, now = new_batch(), self._store.clock()
        return self._store.write(lambda db: changes.reset(db, workflow_id, batch=batch, now=now))

    def delete_webhook(self, webhook_id: str) -> "Future[Change]":
        """Delete a webhook for good; needs the Bearer token."""
        batch, now = new_batch(), self._store.clock()
        return self._store.write(lambda db: changes.delete_webhook(db, webhook_id, batch=batch, now=now))

    def keep_snapshot(self, workflow_id: str, document: Mapping[str, Any], cause: str) -> "Future[int]":
        """Keep a workflow's analytics as they are, without its canvas; answers the snapshot's id."""
        now = self._store.clock()
        return self._store.write(lambda db: pending_payloads.keep_snapshot(db, workflow_id, document, cause, now))

"""User actions on workflows and webhooks; each is one write and returns a future."""

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from frontdesk.outbox.batches import new_batch
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import Change
from frontdesk.workflows import changes
from frontdesk.workflows.store import pending_payloads


class WorkflowCommands:
    """Queues changes, which are sent after five seconds for an undo.

    The futures raise `NotPossible` if something can't be sent so, or is on its way already. The writer's thread
    reads the arguments: don't modify them any more.
    """

    def __init__(self, store: ProfileStore):
        self._store = store

    def create(self, workflow_id: str, folder_id: str, body: dict[str, Any]) -> "Future[Change]":
        """Create a workflow in a folder, once; the platform always stores it inactive."""
        batch, now = new_batch(), self._store.clock()
        return self._store.write(lambda db: changes.create(db, workflow_id, folder_id, body, batch=batch, now=now))

    def update(self, workflow_id: str, body: dict[str, Any], base: Mapping[str, Any] | None) -> "Future[Change]":
        """Send a body of `workflows.request_body` made from the whole workflow `base`; later changes conflict."""
        batch, now = new_batch(), self._store.clock()
        return self._store.write(lambda db: changes.update(db, workflow_id, body, base, batch=batch, now=now))

    def set_active(self, workflow_id: str, active: bool, base: Mapping[str, Any] | None) -> "Future[Change]":
        """Switch a workflow on or off; `base` is None for one that is being created."""
        batch, now = new_batch(), self._store.clock()
        return self._store.write(
            lambda db: changes.switch(db, workflow_id, active=active, base=base, batch=batch, now=now)
        )

    def reset_analytics(self, workflow_id: str) -> "Future[Change]":
        """Zero a workflow's analytics for good, after a snapshot."""
        batch, now = new_batch(), self._store.clock()
        return self._store.write(lambda db: changes.reset(db, workflow_id, batch=batch, now=now))

    def delete_webhook(self, webhook_id: str) -> "Future[Change]":
        """Delete a webhook for good; needs the Bearer token."""
        batch, now = new_batch(), self._store.clock()
        return self._store.write(lambda db: changes.delete_webhook(db, webhook_id, batch=batch, now=now))

    def keep_snapshot(self, workflow_id: str, document: Mapping[str, Any], cause: str) -> "Future[int]":
        """Keep a workflow's analytics without its canvas; returns the snapshot's id."""
        now = self._store.clock()
        return self._store.write(lambda db: pending_payloads.keep_snapshot(db, workflow_id, document, cause, now))

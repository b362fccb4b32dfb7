"""User actions on workflows and webhooks; each is one write and returns a future."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

from frontdesk.outbox.batches import new_batch
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import Change, Made
from frontdesk.workflows import changes, versions


class WorkflowCommands:
    """Queues changes, which are sent after five seconds for an undo.

    The futures raise `NotPossible` if something can't be sent so, or is on its way already. The writer's thread
    reads the arguments: don't modify them any more.
    """

    def __init__(self, store: ProfileStore):
        self._store = store

    def _write(self, change: Callable[..., Change], *args: object, **more: object) -> "Future[Change]":
        made = Made(new_batch(), "", self._store.clock())
        return self._store.write(lambda db: change(db, *args, **more, made=made))

    def create(self, workflow_id: str, folder_id: str, body: dict[str, Any]) -> "Future[Change]":
        """Create a workflow in a folder, once; the platform always stores it inactive."""
        return self._write(changes.create, workflow_id, folder_id, body)

    def update(self, workflow_id: str, body: dict[str, Any], base: Mapping[str, Any] | None) -> "Future[Change]":
        """Send a body of `workflows.request_body` made from the whole workflow `base`; later changes conflict."""
        return self._write(changes.update, workflow_id, body, base)

    def set_active(self, workflow_id: str, active: bool, base: Mapping[str, Any] | None) -> "Future[Change]":
        """Switch a workflow on or off; `base` is None for one that is being created."""
        return self._write(changes.switch, workflow_id, active=active, base=base)

    def reset_analytics(self, workflow_id: str, *, keeps_snapshot: bool = True) -> "Future[Change]":
        """Zero a workflow's analytics for good, after a snapshot."""
        return self._write(changes.reset, workflow_id, keeps_snapshot=keeps_snapshot)

    def delete_webhook(self, webhook_id: str) -> "Future[Change]":
        """Delete a webhook for good; needs the Bearer token."""
        return self._write(changes.delete_webhook, webhook_id)

    def keep_snapshot(self, workflow_id: str, document: Mapping[str, Any], cause: str) -> "Future[int]":
        """Keep a workflow's analytics without its canvas; returns the snapshot's id."""
        now = self._store.clock()
        return self._store.write(lambda db: versions.keep_snapshot(db, workflow_id, document, cause, now))

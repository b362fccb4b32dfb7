"""SyncRequests: a screen's requests to the engine, and its focus."""

import json
from concurrent.futures import Future

from frontdesk.api.contract.ids import ConversationId
from frontdesk.storage import clients
from frontdesk.storage.clients import Focus
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import MessagePosition


class SyncRequests:
    """Requests to the process that runs the engine; the futures hold the request's id."""

    def __init__(self, store: ProfileStore):
        self._store = store

    def request_older(self, conversation_id: ConversationId, before: MessagePosition) -> "Future[int]":
        """Request the messages before a known one."""
        return self._request(clients.OLDER, json.dumps([conversation_id, before.created_at, before.message_id]))

    def request_refresh(self, target: str = "") -> "Future[int]":
        """Request a read now of one thing (a conversation's or campaign's id) or everything."""
        return self._request(clients.REFRESH, target)

    def request_workflow(self, workflow_id: str) -> "Future[int]":
        """Request a workflow's whole document; empty requests all."""
        return self._request(clients.WORKFLOW_DOCUMENT, workflow_id)

    def report_focus(self, focus: Focus) -> None:
        """Report what this process shows, so that it is polled first."""
        now = self._store.clock()
        self._store.write_unawaited(lambda db: clients.report_focus(db, self._store.process, focus, now))

    def clear_focus(self) -> None:
        self._store.write(lambda db: clients.clear_focus(db, self._store.process))

    def _request(self, kind: str, target: str) -> "Future[int]":
        now = self._store.clock()
        return self._store.write(lambda db: clients.ask(db, kind, target, now))

"""SyncRequests: what a screen asks the engine for, and what it reports to be looking at."""

import json
from concurrent.futures import Future

from frontdesk.api.contract.ids import ConversationId
from frontdesk.storage import clients
from frontdesk.storage.clients import Focus
from frontdesk.storage.profile_store import ProfileStore
from frontdesk.storage.records import MessagePosition


class SyncRequests:
    """Requests to whichever process runs the engine; the futures answer the id of the request."""

    def __init__(self, store: ProfileStore):
        self._store = store

    def request_older(self, conversation_id: ConversationId, before: MessagePosition) -> "Future[int]":
        """Ask for the messages before one that is known."""
        return self._request(clients.OLDER, json.dumps([conversation_id, before.created_at, before.message_id]))

    def request_refresh(self, target: str = "") -> "Future[int]":
        """Ask for one thing (a conversation's or campaign's id) or everything to be read again now."""
        return self._request(clients.REFRESH, target)

    def request_workflow(self, workflow_id: str) -> "Future[int]":
        """Ask for a workflow's whole document to be read now; empty asks for all."""
        return self._request(clients.WORKFLOW_DOCUMENT, workflow_id)

    def report_focus(self, focus: Focus) -> None:
        """Report what this process shows, which is where requests are spent."""
        now = self._store.clock()
        self._store.write_unawaited(lambda db: clients.report_focus(db, self._store.process, focus, now))

    def clear_focus(self) -> None:
        """Report that this process shows nothing any more."""
        self._store.write(lambda db: clients.clear_focus(db, self._store.process))

    def _request(self, kind: str, target: str) -> "Future[int]":
        now = self._store.clock()
        return self._store.write(lambda db: clients.ask(db, kind, target, now))

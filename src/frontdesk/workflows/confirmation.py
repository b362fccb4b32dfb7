"""State changes of workflow and webhook changes while they are sent, each one transaction.

`workflows.delivery` decides; nothing here asks the platform.
"""

from collections.abc import Callable, Mapping
from typing import Any

import apsw

from frontdesk.outbox import queue
from frontdesk.outbox.delivery import SENT, WAITING
from frontdesk.storage.database import Store
from frontdesk.storage.records import Change, ChangeKind, ChangeState, Json
from frontdesk.workflows import pending_payloads, versions
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.pending_payloads import parse_document
from frontdesk_api import json_access

COUNTERS = ("totalStarted", "totalCompleted", "totalDropped")


class WorkflowConfirmation:
    """Moves changes of workflows and webhooks from state to state, each step one transaction."""

    def __init__(self, store: Store, clock: Callable[[], float], owner: str):
        self._store = store
        self._clock = clock
        self._owner = owner

    async def claim(self, change: Change, before: Json | None = None) -> Change | None:
        """Mark a change as being sent, with the workflow as it was read before; None if it moved meanwhile.

        A reset's analytics are kept in the same step: nothing is zeroed that isn't kept.
        """
        now = self._clock()

        def claim(db: apsw.Connection) -> Change | None:
            if not queue.claim(db, [change], self._owner, now):
                return None
            if before is not None:
                pending_payloads.set_base(db, change.change_id, pending_payloads.encode(before))
            analytics = (before or {}).get("analytics")
            if change.kind is ChangeKind.ANALYTICS_RESET and analytics is not None:
                versions.delete_snapshot_of(db, change.change_id)
                cause = versions.BEFORE_RESET
                versions.keep_snapshot(db, change.target, before or {}, cause, now, change.change_id)
                lost = {name: value for name, value in json_access.mapping(analytics).items() if name in COUNTERS}
                queue.set_fields(db, change.change_id, {**change.fields, **lost})
            return queue.change(db, change.change_id)

        return await self._store.run(claim)

    async def confirm(
        self,
        change: Change,
        after: Json | None,
        reason: str = "",
        *,
        nothing_sent: bool = False,
        answer: Json | None = None,
    ) -> None:
        """Confirm a change, and store the platform's version and, if that is another object, its answer."""
        now = self._clock()
        theirs = None if answer == after else answer

        def confirm(db: apsw.Connection) -> None:
            expected = (*WAITING, *SENT)
            done = ChangeState.CONFIRMED
            moved = queue.move(
                db, change.change_id, done, expected=expected, now=now, reason=reason, theirs=theirs
            )
            if after is None or not moved:
                return
            if nothing_sent:
                pending_payloads.set_base(db, change.change_id, pending_payloads.encode(after))
            _store_version(db, change, after, now)

        await self._store.run(confirm)

    async def read_back(self, change: Change, after: Json, reason: str) -> None:
        """Store the platform's version of a confirmed change, with a reason."""
        now = self._clock()

        def read_back(db: apsw.Connection) -> None:
            done, stored = ChangeState.CONFIRMED, queue.change(db, change.change_id)
            if reason and stored is not None:
                theirs = stored.theirs
                queue.move(db, change.change_id, done, expected=(done,), now=now, reason=reason, theirs=theirs)
            _store_version(db, change, after, now)

        await self._store.run(read_back)

    async def mark_conflict(self, change: Change, theirs: Json, reason: str, *, was_refused: bool = False) -> None:
        """Mark a conflict, and keep theirs for comparison.

        Args:
            was_refused: the platform refused the request, so nothing of it is on its way.
        """
        now = self._clock()

        def mark_conflict(db: apsw.Connection) -> None:
            shown = {name: theirs.get(name) for name in ("isActive", "lastModified")}
            moved = queue.move(
                db,
                change.change_id,
                ChangeState.CONFLICT,
                expected=(*WAITING, *SENT),
                now=now,
                reason=reason,
                theirs=shown,
            )
            if not moved:
                return
            if was_refused:
                queue.uncount_sends(db, [change])
            pending_payloads.set_theirs(db, change.change_id, pending_payloads.encode(theirs))
            workflow_store.put_whole(db, theirs, now)

        await self._store.run(mark_conflict)

    async def offer_graph(self, change: Change, body: Json, after: Json, reason: str) -> None:
        """Offer to send a graph again that the platform dropped."""
        now = self._clock()

        def offer_graph_again(db: apsw.Connection) -> None:
            text = pending_payloads.encode(body)
            moved = queue.move(
                db, change.change_id, ChangeState.CONFLICT, expected=(*WAITING, *SENT), now=now, reason=reason
            )
            if moved:
                digest = pending_payloads.digest_of(text)
                fields = {**change.fields, **pending_payloads.describe_body(body), "digest": digest}
                queue.set_fields(db, change.change_id, fields)
                queue.end_transit(db, change.change_id)
                pending_payloads.put_payload(db, change.change_id, text, pending_payloads.encode(after))
                _store_version(db, change, after, now)

        await self._store.run(offer_graph_again)

    async def requeue(self, change: Change) -> None:
        """Queue a change again that was not carried out, and can't arrive any more."""
        now = self._clock()
        await self._store.run(
            lambda db: queue.move(db, change.change_id, ChangeState.QUEUED, expected=SENT, now=now, send_after=now)
        )


def _store_version(db: apsw.Connection, change: Change, after: Mapping[str, Any], now: float) -> None:
    """Store the platform's version, and make it the base of later changes that were made knowing of this one.

    Changes after a reset were made from the workflow before it, so only if nobody else changed it between.
    """
    workflow_store.put_whole(db, dict(after), now)
    text, is_reset = pending_payloads.encode(after), change.kind is ChangeKind.ANALYTICS_RESET
    for later in pending_payloads.find_pending(db, change.target, change.kind.about):
        if later.change_id <= change.change_id or later.kind is not ChangeKind.WORKFLOW_UPDATE:
            continue
        if not is_reset or _base_version(db, later) == _base_version(db, change):
            # What this one did is no colleague's doing.
            pending_payloads.set_base(db, later.change_id, text)


def _base_version(db: apsw.Connection, change: Change) -> object:
    """Return the lastModified that a change was made from, or as it was right before it was sent."""
    payload = pending_payloads.payload(db, change.change_id)
    return (parse_document(payload.base) or parse_document(payload.body) or {}).get("lastModified")

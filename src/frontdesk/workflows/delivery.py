"""Send changes of workflows and webhooks: a workflow is read before, sent once, and read back without an answer.

A live workflow answers customers: nobody's change is overwritten, and nothing is sent again unless it is known
that it didn't arrive (docs/architecture.md, Unknown outcomes).
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import apsw

from frontdesk.outbox import queue
from frontdesk.outbox.delivery import (
    MAX_SENDS,
    MAX_WAITS,
    MEANWHILE,
    SENT,
    SO_ALREADY,
    WAITED_LONG,
    WAITING,
    PlatformDelivery,
)
from frontdesk.storage.records import Change, ChangeKind, ChangeState, Json
from frontdesk.workflows import pending_payloads, versions
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.changes import NO_SNAPSHOT
from frontdesk.workflows.counter_samples import TOTALS
from frontdesk.workflows.pending_payloads import Payload, parse_document
from frontdesk.workflows.request_body import (
    ListedWorkflow,
    changes_of,
    export_document,
    find_workflow,
    has_graph,
    is_document,
    is_unchanged_since,
    is_zeroed,
    keeps_graph,
    same_as_sent,
    update_body,
    was_applied,
    was_zeroed,
    with_last_modified,
)
from frontdesk_api import json_access
from frontdesk_api.client.errors import (
    ApiError,
    Conflict,
    CredentialsMissing,
    CredentialsRefused,
    NotFound,
    PlanRequired,
)
from frontdesk_api.contract.base import JsonObject
from frontdesk_api.contract.endpoints import Host
from frontdesk_api.contract.ids import FolderId, WebhookId, WorkflowId

AS_BEFORE = "sent over an hour ago without a clear response, and the workflow is unchanged: resend or discard it"
LOST = "its content is missing or damaged on this machine: start again from the file"
TAKEN = "a workflow with this id already exists; choose another id, or update it"
OTHERWISE = "a workflow with this id exists, but not as sent: check it before you send anything"
MAY_EXIST = (
    "the platform has more workflows than it lists; if one of them has this id, this would overwrite it:"
    " send it if you're sure that none does, or discard it"
)
NOT_SEEN = "it doesn't seem to be stored: resend it with the same id, or discard it"
GONE = "the platform lists no workflow with this id; nothing was sent"
NOT_SHOWN = "the platform no longer lists it, so the outcome can't be checked"
UNSURE = (
    "the copy of what was sent is missing or damaged on this machine: check the workflow before you send anything"
)
NOT_LISTED = (
    "the platform lists only some of its workflows, and not this one, so there's no way to see what would be"
    " lost; nothing was sent: `frontdesk workflows update --direct` sends it anyway"
)
READ_BACK = "no clear response, but it is stored"
WAS_RESET = "no clear response, but its counters were reset"
NOT_READ = "the platform accepted it; couldn't load what it stored"
STORED_OTHERWISE = "the platform accepted it, but stored it differently: compare it with your file"
DROPPED_GRAPH = (
    "the platform accepted it, but LOST ITS GRAPH: it can't run like this. Resend it to restore the graph as it"
    " was"
)
SENT_TWICE = "sent twice without a clear response, and the workflow is unchanged"
NEITHER = "no clear response, and the workflow is neither as before nor as sent"
NOT_ZERO = "the platform accepted it, but the counters aren't zero"
NO_PLAN = "this account's plan doesn't include resetting analytics (403: {reason}); nothing was changed"
NOT_ZEROED = "its counters don't seem to have been reset: resend or discard it"
PROBABLY_DELETED = "probably deleted: the platform answered yes, but with {answer}"
IS_GONE = "no clear response; sent again, and the platform has no webhook with this id, so it is deleted"
NOBODY_KNOWS = (
    "sent twice without a clear response, and webhooks can't be looked up, so it may or may not be deleted:"
    " resend or discard it"
)


class _WriteDelivery(PlatformDelivery):
    """Moves changes of workflows and webhooks from state to state, each step one transaction."""

    joins_changes = False

    async def _claim(self, change: Change, before: Json | None = None) -> Change | None:
        """Mark a change as being sent, with the workflow as it was read before; None if it moved meanwhile.

        A reset's analytics are kept in the same step: nothing is zeroed that isn't kept.
        """
        now = self._clock()

        def claim(db: apsw.Connection) -> Change | None:
            if not queue.claim(db, [change], self._confirmation.owner, now):
                return None
            if before is not None:
                pending_payloads.set_base(db, change.change_id, pending_payloads.encode(before))
            analytics = (before or {}).get("analytics")
            if change.kind is ChangeKind.ANALYTICS_RESET and analytics is not None:
                versions.delete_snapshot_of(db, change.change_id)
                cause = versions.BEFORE_RESET
                versions.keep_snapshot(db, change.target, before or {}, cause, now, change.change_id)
                lost = {name: value for name, value in json_access.mapping(analytics).items() if name in TOTALS}
                queue.set_fields(db, change.change_id, {**change.fields, **lost})
            return queue.change(db, change.change_id)

        return await self._store.run(claim)

    async def _confirm(
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

    async def _note_read_back(self, change: Change, after: Json, reason: str) -> None:
        """Store the platform's version of a confirmed change, with a reason."""
        now = self._clock()

        def read_back(db: apsw.Connection) -> None:
            done, stored = ChangeState.CONFIRMED, queue.change(db, change.change_id)
            if reason and stored is not None:
                theirs = stored.theirs
                queue.move(db, change.change_id, done, expected=(done,), now=now, reason=reason, theirs=theirs)
            _store_version(db, change, after, now)

        await self._store.run(read_back)

    async def _mark_conflict(
        self, change: Change, theirs: Json, reason: str, *, was_refused: bool = False
    ) -> None:
        """Mark a conflict, and keep theirs for comparison; what was refused is not on its way."""
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

    async def _offer_graph(self, change: Change, body: Json, after: Json, reason: str) -> None:
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

    async def _requeue(self, change: Change) -> None:
        """Queue a change again that was not carried out, and can't arrive any more."""
        now = self._clock()
        await self._store.run(
            lambda db: queue.move(db, change.change_id, ChangeState.QUEUED, expected=SENT, now=now, send_after=now)
        )


class WorkflowDelivery(_WriteDelivery):
    """Delivers changes of workflows."""

    host = Host.WORKFLOWS
    can_read_back = True

    async def send(self, changes: Sequence[Change]) -> bool:
        """Send a change unless something is against it; whether the platform accepted it."""
        change = changes[0]
        if change.kind is ChangeKind.ANALYTICS_RESET:
            return not await self._is_late(change) and await self._reset(change)
        payload = pending_payloads.payload(self._store.reading, change.change_id)
        body = _load_body(payload, change)
        if body is None:
            await self._confirmation.refuse([change], LOST)
            return False
        if change.kind is ChangeKind.WORKFLOW_CREATE:
            return await self._create(change, body)
        return not await self._is_late(change) and await self._update(change, body, payload)

    async def read_back(self, changes: Sequence[Change], *, final: bool) -> None:
        """Read an unknown change back; the last time, mark it for a decision if the result stays unknown."""
        change = changes[0]
        found = await self._read(change)
        payload = pending_payloads.payload(self._store.reading, change.change_id)
        body, before = _load_body(payload, change), parse_document(payload.base)
        if change.kind is ChangeKind.ANALYTICS_RESET and found.document is not None:
            if was_zeroed(before, found.document):
                await self._confirm(change, found.document, WAS_RESET)
            elif final:
                await self._confirmation.mark_needs_decision(change, _add_reason(change, NOT_ZEROED))
        elif change.kind is not ChangeKind.ANALYTICS_RESET and body is None:
            # With what is left of it nothing that is stored can be compared.
            await self._confirmation.mark_needs_decision(change, _add_reason(change, UNSURE))
        elif change.kind is ChangeKind.WORKFLOW_CREATE and body is not None:
            await self._resolve_created(change, body, found, final=final)
        elif found.document is None:
            if final:
                await self._confirmation.mark_needs_decision(change, _add_reason(change, NOT_SHOWN))
        elif body is not None:
            await self._resolve_updated(change, body, before, found.document, final=final)

    # Create

    async def _create(self, change: Change, body: JsonObject) -> bool:
        found = await self._read(change)
        if found.document is not None:
            if queue.was_sent(self._store.reading, change.target, change.kind):
                await self._resolve_stored(change, body, found.document, final=True)
            else:
                await self._confirmation.refuse([change], TAKEN)
            return False
        if found.has_more and not change.fields.get("isSure"):
            await self._confirmation.mark_needs_decision(change, MAY_EXIST)
            return False
        claimed = await self._claim(change)
        if claimed is None:
            return False
        try:
            folder = FolderId(json_access.text(change.fields.get("folderId")))
            created = await self._client.create_workflow(WorkflowId(change.target), folder, body)
        except ApiError as error:
            await self._confirmation.resolve_failure([claimed], error)
            return False
        await self._confirm(claimed, None, answer=created.raw)
        after = await self._read_after(claimed)
        if after is not None:
            is_so = await asyncio.to_thread(same_as_sent, body, after)
            await self._note_read_back(claimed, after, "" if is_so else STORED_OTHERWISE)
        return True

    async def _resolve_created(
        self, change: Change, body: JsonObject, found: ListedWorkflow, *, final: bool
    ) -> None:
        if found.document is not None:
            await self._resolve_stored(change, body, found.document, final=final)
        elif final:
            await self._confirmation.mark_needs_decision(change, _add_reason(change, NOT_SEEN))

    async def _resolve_stored(self, change: Change, body: JsonObject, stored: Json, *, final: bool) -> None:
        """Confirm a workflow that is stored as it was sent; with another one stored, send nothing."""
        if await asyncio.to_thread(same_as_sent, body, stored):
            await self._confirm(change, stored, READ_BACK)
        elif change.state is ChangeState.UNKNOWN and final:
            await self._mark_conflict(change, stored, OTHERWISE)
        elif change.state is not ChangeState.UNKNOWN:
            await self._confirmation.refuse([change], OTHERWISE)

    # Update, and switching on and off

    async def _update(self, change: Change, body: JsonObject, payload: Payload) -> bool:
        found = await self._read(change)
        if found.document is None:
            await self._confirmation.refuse([change], NOT_LISTED if found.has_more else GONE)
            return False
        before, seen = found.document, parse_document(payload.base) or {}
        if not await asyncio.to_thread(changes_of, before, body):
            await self._confirm(change, before, SO_ALREADY, nothing_sent=True)
            return False
        if not await asyncio.to_thread(is_unchanged_since, before, seen, body.get("lastModified")):
            await self._mark_conflict(change, before, MEANWHILE)
            return False
        claimed = await self._claim(change, before)
        if claimed is None:
            return False
        sent = with_last_modified(body, before)
        try:
            answer: Json = (await self._client.update_workflow(WorkflowId(change.target), sent)).raw
        except Conflict as error:
            await self._resolve_conflict(claimed, sent, error)
            return False
        except ApiError as error:
            await self._confirmation.resolve_failure([claimed], error)
            return False
        is_whole = is_document(answer, before, change.target)
        after = answer if is_whole else await self._read_after(claimed)
        await self._confirm_updated(claimed, sent, before, after, answer=answer)
        return True

    async def _confirm_updated(
        self,
        change: Change,
        sent: JsonObject,
        before: Json,
        after: Json | None,
        found: str = "",
        answer: Json | None = None,
    ) -> None:
        if after is None:
            await self._confirm(change, None, NOT_READ, answer=answer)
        elif not has_graph(sent) and not await asyncio.to_thread(keeps_graph, before, after):
            body = await asyncio.to_thread(update_body, export_document(before), after)
            body |= {name: sent[name] for name in sent if name != "lastModified"}
            body = with_last_modified(body, after)
            await self._offer_graph(change, body, after, DROPPED_GRAPH)
        else:
            is_so = await asyncio.to_thread(same_as_sent, sent, after)
            await self._confirm(change, after, found if is_so else STORED_OTHERWISE, answer=answer)

    async def _resolve_conflict(self, change: Change, sent: JsonObject, error: Conflict) -> None:
        """Compare after a 409: a colleague was faster, or this very change, whose answer was lost."""
        try:
            found = await self._read(change)
        except ApiError:
            await self._confirmation.requeue([change], wait=0.0, reason=str(error))
            raise
        answer_text = ": ".join(part for part in ("409", error.error, error.message) if part)
        reason = f"{MEANWHILE} ({answer_text})"
        if found.document is None:
            await self._confirmation.refuse([change], reason)
        elif not await asyncio.to_thread(changes_of, found.document, sent):
            await self._confirm(change, found.document, READ_BACK)
        else:
            await self._mark_conflict(change, found.document, reason, was_refused=True)

    async def _resolve_updated(
        self, change: Change, body: JsonObject, before: Json | None, now: Json, *, final: bool
    ) -> None:
        sent = with_last_modified(body, before or {})
        if before is not None and await asyncio.to_thread(was_applied, sent, before, now):
            await self._confirm_updated(change, sent, before, now, READ_BACK)
        elif not final:
            return
        elif before is None or not await asyncio.to_thread(is_unchanged_since, now, before, None):
            await self._mark_conflict(change, now, _add_reason(change, NEITHER))
        elif change.sends >= MAX_SENDS:
            await self._confirmation.mark_needs_decision(change, SENT_TWICE)
        else:
            await self._requeue(change)

    # Reset

    async def _reset(self, change: Change) -> bool:
        before: Json | None = None
        if not change.fields.get(NO_SNAPSHOT):
            found = await self._read(change)
            before = found.document
            if before is None:
                await self._confirmation.refuse([change], NOT_LISTED if found.has_more else GONE)
                return False
            if is_zeroed(before):
                await self._confirm(change, before, f"{SO_ALREADY}: its counters are zero")
                return False
        claimed = await self._claim(change, before)
        if claimed is None:
            return False
        try:
            after: Json = (await self._client.reset_workflow_analytics(WorkflowId(change.target))).raw
        except PlanRequired as error:
            await self._confirmation.refuse([claimed], NO_PLAN.format(reason=error.message or "no reason given"))
            return False
        except ApiError as error:
            await self._confirmation.resolve_failure([claimed], error)
            return False
        reason, answer = "", after
        if not is_document(after, before or {}, change.target):
            read = await self._read_after(claimed)
            reason, after = ("" if read is not None else NOT_READ), read or {}
        if after and not reason and not is_zeroed(after) and not (before and was_zeroed(before, after)):
            reason = NOT_ZERO
        await self._confirm(claimed, after or None, reason, answer=answer)
        return True

    # What they share

    async def _is_late(self, change: Change) -> bool:
        """Whether a change waited too long to be sent unasked: it would change a live workflow by surprise."""
        is_late = self._clock() - change.made_at > MAX_WAITS
        if is_late:
            await self._confirmation.mark_needs_decision(change, AS_BEFORE if change.sends else WAITED_LONG)
        return is_late

    async def _read(self, change: Change) -> ListedWorkflow:
        """Read the workflow, which the interface gives only with all the others."""
        try:
            page = await self._client.list_workflow_documents()
        except ApiError as error:
            reason = f"couldn't load the workflows before sending, retrying: {error}"
            await self._confirmation.set_wait_reason([change], reason)
            raise
        return find_workflow(page, change.target)

    async def _read_after(self, change: Change) -> Json | None:
        """Read the workflow after a write; None if that isn't possible now."""
        try:
            return (await self._read(change)).document
        except ApiError:
            return None


class WebhookDelivery(_WriteDelivery):
    """Delivers deletions of webhooks. None can be read back, so one without a clear answer is sent once more."""

    host = Host.BASE
    can_read_back = False

    async def send(self, changes: Sequence[Change]) -> bool:
        """Send the DELETE; whether the platform accepted it."""
        change = changes[0]
        if change.sends == 0 and self._clock() - change.made_at > MAX_WAITS:
            await self._confirmation.mark_needs_decision(change, WAITED_LONG)
            return False
        before = queue.recent_of(self._store.reading, change.target, limit=100)
        may_be_gone = any(
            each.kind is change.kind and each.sent_at is not None and each.state is not ChangeState.CONFIRMED
            for each in before
        )
        claimed = await self._claim(change)
        if claimed is None:
            return False
        try:
            odd = await self._client.delete_webhook(WebhookId(change.target))
        except NotFound as error:
            if may_be_gone:
                await self._confirm(claimed, None, IS_GONE)
            else:
                await self._confirmation.refuse([claimed], str(error))
            return False
        except (CredentialsMissing, CredentialsRefused) as error:
            # The Bearer token is for this alone: nothing else that is asked of the host waits for another one.
            await self._confirmation.refuse([claimed], str(error))
            return False
        except ApiError as error:
            await self._confirmation.resolve_failure([claimed], error)
            return False
        await self._confirm(claimed, None, odd and PROBABLY_DELETED.format(answer=odd))
        return True

    async def read_back(self, changes: Sequence[Change], *, final: bool) -> None:
        """Send once more when the first request can't arrive any more; then leave it to a person."""
        change = changes[0]
        if not final:
            return
        if change.sends >= MAX_SENDS:
            await self._confirmation.mark_needs_decision(change, _add_reason(change, NOBODY_KNOWS))
        else:
            await self.send(changes)


def _load_body(payload: Payload, change: Change) -> dict[str, Any] | None:
    """Return the body to send; None if damaged or incomplete."""
    if pending_payloads.digest_of(payload.body) != change.fields.get("digest"):
        return None
    return parse_document(payload.body)


def _add_reason(change: Change, words: str) -> str:
    return f"{change.reason}; {words}" if change.reason else words


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

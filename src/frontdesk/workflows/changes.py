"""Changes of workflows and webhooks in the outbox: create, update, switch, reset analytics, delete a webhook.

Each function runs in one write transaction and raises NotPossible if the change can't be sent or another one is on
its way. The delivery compares the bodies with what is stored before it sends them.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, NamedTuple

import apsw

from frontdesk.outbox import batches, queue
from frontdesk.outbox.batches import new_batch
from frontdesk.outbox.changes import SENT_ANEW, ChangeHandler, NotPossible
from frontdesk.storage import record_lookup
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import (
    NEEDS_PERSON,
    UNCONFIRMED,
    Change,
    ChangeKind,
    ChangeState,
    Json,
    JsonObject,
    Made,
)
from frontdesk.workflows import pending_payloads, versions
from frontdesk.workflows import store as workflow_store
from frontdesk_api import json_access

HOLD_SECONDS = 5.0
"""The time for an undo before sending: nobody can take back what a live workflow does."""

MAX_ID_BYTES = 512

NO_SNAPSHOT = "withoutSnapshot"
"""The field of a reset for which the counters aren't read before."""

GONE = "its content is no longer stored here; start again from the file"
CHANGED_SINCE = "it has changed again since then"
COMPARE_FIRST = (
    "someone else has changed it since then; to compare theirs with yours, press enter on the change in"
    " Activity or run `frontdesk outbox retry`"
)


class WorkflowChangeHandler(ChangeHandler):
    """Handles changes of workflows and webhooks in the outbox."""

    def send_again(self, db: apsw.Connection, change: Change, now: float, *, over_theirs: bool) -> Change:
        """Send a refused or conflicting change anew; `over_theirs`: the user has seen and overwrites theirs."""
        body, base, theirs_text = pending_payloads.payload(db, change.change_id)
        if (
            change.kind in (ChangeKind.WORKFLOW_CREATE, ChangeKind.WORKFLOW_UPDATE)
            and pending_payloads.parse_document(body) is None
        ):
            raise NotPossible(GONE)
        if any(
            each.state in UNCONFIRMED
            for each in pending_payloads.find_pending(db, change.target, change.kind.about)
        ):
            raise NotPossible("another change to it is still in progress; see Activity")
        fields = change.fields
        if change.kind is ChangeKind.WORKFLOW_CREATE and change.state is ChangeState.CONFLICT:
            # The person was told why it waited; what is stored under its id is refused all the same.
            fields = {**fields, "isSure": True}
        theirs = pending_payloads.parse_document(theirs_text)
        if theirs is not None and change.kind is ChangeKind.WORKFLOW_UPDATE:
            if not over_theirs:
                raise NotPossible(COMPARE_FIRST)
            sent = {**(pending_payloads.parse_document(body) or {}), "lastModified": theirs.get("lastModified")}
            body, base = pending_payloads.encode(sent), theirs_text
            fields = {**fields, "digest": pending_payloads.digest_of(body)}
        queue.move(db, change.change_id, ChangeState.DROPPED, expected=(change.state,), now=now, reason=SENT_ANEW)
        if not change.sends:
            versions.delete_snapshot_of(db, change.change_id)
        draft = _Draft(change.kind, change.target, fields, change.base, body, base)
        return _add_change(db, draft, Made.like(change, now), hold_seconds=0.0)


class UpdateChangeHandler(WorkflowChangeHandler):
    """Undoes and redoes updates and switches."""

    def reverse(self, db: apsw.Connection, change: Change, made: Made) -> bool:
        """Add an update that reverts a sent one, unless the workflow was changed since."""
        if change.state is not ChangeState.CONFIRMED:
            raise NotPossible("it is still in progress; you can undo it once it is confirmed")
        payload = pending_payloads.payload(db, change.change_id)
        before, sent = map(pending_payloads.parse_document, (payload.base, payload.body))
        stored = pending_payloads.parse_document(workflow_store.text(db, change.target))
        if before is None or sent is None or stored is None:
            raise NotPossible("the earlier version is no longer stored")
        if pending_payloads.is_switch(change):
            active = not change.fields["isActive"]
            if stored.get("isActive") is active:
                raise NotPossible(CHANGED_SINCE)
            switch(db, change.target, made, active=active, base=stored)
            return True
        # The checks and the diff: not at the start of a screen.
        from frontdesk.workflows.request_body import changes_of, update_body

        if changes_of(stored, sent):
            raise NotPossible(CHANGED_SINCE)
        back = update_body(
            {name: before[name] for name in sent if name in before and name != "lastModified"}, stored
        )
        if not changes_of(stored, back):
            raise NotPossible("it changed nothing that can be undone")
        update(db, change.target, back, stored, made)
        return True

    def repeat_undone(self, db: apsw.Connection, change: Change, now: float) -> bool:
        """Add an update or a switch again that was undone before it was sent."""
        payload = pending_payloads.payload(db, change.change_id)
        if not payload.body:
            raise NotPossible(GONE)
        _require_none_pending(db, change.target, change.kind, is_switch=pending_payloads.is_switch(change))
        draft = _Draft(change.kind, change.target, change.fields, change.base, payload.body, payload.base)
        _add_change(db, draft, Made.like(change, now))
        return True


class ResetChangeHandler(WorkflowChangeHandler):
    """Deletes the snapshots of resets that weren't carried out."""

    def clean_up_unsent(self, db: apsw.Connection, change: Change) -> None:
        if not change.sends:  # one that was sent may have zeroed them
            versions.delete_snapshot_of(db, change.change_id)

    def clean_up_refused(self, db: apsw.Connection, change: Change) -> None:
        versions.delete_snapshot_of(db, change.change_id)


def submit(store: ProfileStore, change: Callable[..., Change], *about: object, **more: object) -> "Future[Change]":
    """Queue one of the changes below, which is sent after five seconds for an undo.

    The future raises NotPossible if it can't be sent so, or another one is on its way already. The writer's thread
    reads the arguments: don't modify them any more.
    """
    made = Made(new_batch(), "", store.clock())
    return store.write(lambda db: change(db, *about, **more, made=made))


def create(db: apsw.Connection, workflow_id: str, folder_id: str, body: JsonObject, made: Made) -> Change:
    """Add a new workflow, which the platform stores inactive."""
    from frontdesk_api.contract.workflows import WorkflowCreate  # pydantic models: not at the start of a screen

    _require_id(workflow_id, "workflow")
    if not folder_id:
        raise NotPossible("a folder is required; nothing was sent")
    _require_valid(WorkflowCreate, body)
    if _known_name(db, workflow_id) is not None:
        raise NotPossible(
            f"a workflow with the id {workflow_id} already exists: choose another id, or update it", quotes=True
        )
    _require_none_pending(db, workflow_id, ChangeKind.WORKFLOW_CREATE)
    fields = {
        "name": _storable(body["name"]),
        "folderId": _storable(folder_id),
        **pending_payloads.describe_body(body),
    }
    draft = _Draft(ChangeKind.WORKFLOW_CREATE, workflow_id, fields, {}, pending_payloads.encode(body))
    return _queue_draft(db, draft, made, f"Create workflow: {fields['name']}")


def update(
    db: apsw.Connection, workflow_id: str, body: JsonObject, base: Mapping[str, Any] | None, made: Made
) -> Change:
    """Add an update.

    Args:
        body: what is sent, with the lastModified of the workflow that it was made from.
        base: that workflow, whole; None if only its lastModified is known.
    """
    from frontdesk_api.contract.workflows import WorkflowUpdate  # pydantic models: not at the start of a screen

    _require_id(workflow_id, "workflow")
    base = base or {}
    if body.get("lastModified") is None:
        body = {**body, "lastModified": base.get("lastModified")}
    if body["lastModified"] is None:
        raise NotPossible("without lastModified, there's no way to tell whether someone else has changed it since")
    _require_valid(WorkflowUpdate, body)
    _require_none_pending(db, workflow_id, ChangeKind.WORKFLOW_UPDATE)
    name = _display_name(db, workflow_id, body, base)
    fields = {"name": name, **pending_payloads.describe_body(body)}
    texts = pending_payloads.encode(body), _encode_base(base)
    draft = _Draft(ChangeKind.WORKFLOW_UPDATE, workflow_id, fields, {}, *texts)
    return _queue_draft(db, draft, made, f"Update workflow: {name}")


def switch(
    db: apsw.Connection, workflow_id: str, made: Made, *, active: bool, base: Mapping[str, Any] | None
) -> Change:
    """Add a switch on or off: an update of nothing else (docs/interface.md, States and transitions)."""
    _require_id(workflow_id, "workflow")
    base = base or {}
    _require_none_pending(db, workflow_id, ChangeKind.WORKFLOW_UPDATE, is_switch=True)
    body = {"isActive": active, "lastModified": base.get("lastModified")}
    name = _display_name(db, workflow_id, {}, base)
    fields, before = {"isActive": active}, {"isActive": base.get("isActive")}
    texts = (pending_payloads.encode(body), _encode_base(base))
    draft = _Draft(ChangeKind.WORKFLOW_UPDATE, workflow_id, fields, before, *texts)
    return _queue_draft(db, draft, made, f"Switch {'on' if active else 'off'}: {name}")


def reset(db: apsw.Connection, workflow_id: str, made: Made, *, keeps_snapshot: bool = True) -> Change:
    """Add an analytics reset; a snapshot is taken right before it is sent, if that is wanted."""
    _require_id(workflow_id, "workflow")
    _require_none_pending(db, workflow_id, ChangeKind.ANALYTICS_RESET)
    name = _display_name(db, workflow_id, {}, {})
    fields = {"name": name} if keeps_snapshot else {"name": name, NO_SNAPSHOT: True}
    draft = _Draft(ChangeKind.ANALYTICS_RESET, workflow_id, fields, {})
    return _queue_draft(db, draft, made, f"Reset analytics: {name}")


def delete_webhook(db: apsw.Connection, webhook_id: str, made: Made) -> Change:
    _require_id(webhook_id, "webhook")
    _require_none_pending(db, webhook_id, ChangeKind.WEBHOOK_DELETE)
    return _queue_draft(db, _Draft(ChangeKind.WEBHOOK_DELETE, webhook_id, {}, {}), made, "Delete webhook")


class _Draft(NamedTuple):
    """A change that isn't queued yet, with its payload (see `Payload`)."""

    kind: ChangeKind
    target: str
    fields: Json
    before: Json
    body: str = ""
    base: str | None = None


def _queue_draft(db: apsw.Connection, draft: _Draft, made: Made, label: str) -> Change:
    """Add a batch of one change, which replaces others of its kind that wait for a decision.

    A switch doesn't contain the graph, so it replaces no update that waits.

    Args:
        label: the name of the action, unless it reverses another.
    """
    made = made if made.undoes else made._replace(label=label)
    before = queue.recent_of(db, draft.target, limit=100)
    if draft.body:
        draft = draft._replace(fields={**draft.fields, "digest": pending_payloads.digest_of(draft.body)})
    change = _add_change(db, draft, made)
    for each in before:
        if each.kind is draft.kind and pending_payloads.is_switch(each) is pending_payloads.is_switch(change):
            queue.move(
                db, each.change_id, ChangeState.DROPPED, expected=NEEDS_PERSON, now=made.now, reason=SENT_ANEW
            )
    if not made.undoes:
        batches.record(db, made)
    return change


def _add_change(db: apsw.Connection, draft: _Draft, made: Made, *, hold_seconds: float = HOLD_SECONDS) -> Change:
    change_id = queue.add(db, made, draft.kind, draft.target, draft.fields, draft.before, hold_seconds)
    if draft.body or draft.base:
        pending_payloads.put_payload(db, change_id, draft.body, draft.base)
    change = queue.change(db, change_id)
    assert change is not None
    return change


def _encode_base(document: Mapping[str, Any]) -> str | None:
    return pending_payloads.encode(document) if document else None


def _display_name(db: apsw.Connection, workflow_id: str, body: Mapping[str, Any], base: Mapping[str, Any]) -> str:
    names = (body.get("name"), base.get("name"), _known_name(db, workflow_id))
    return next((_storable(each) for each in names if isinstance(each, str) and each), workflow_id)


def _known_name(db: apsw.Connection, workflow_id: str) -> str | None:
    return record_lookup.name_of(db, record_lookup.WORKFLOW, workflow_id)


def _require_none_pending(db: apsw.Connection, target: str, kind: ChangeKind, *, is_switch: bool = False) -> None:
    """Refuse a second change: it was made without knowing the result of the first.

    A switch doesn't contain the graph, so it may follow an update or a creation.
    """
    for each in pending_payloads.find_pending(db, target, kind.about):
        if each.kind is kind and ("parts" not in each.fields or not is_switch):
            raise NotPossible(f"“{each.label}” is still in progress; see Activity", quotes=True)


def _require_id(value: str, what: str) -> None:
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise NotPossible(f"the {what}'s id has an invalid character") from None
    if value in ("", ".", "..") or size > MAX_ID_BYTES:
        raise NotPossible(f"that isn't a valid {what} id; nothing was sent")


def _require_valid(model: Any, body: JsonObject) -> None:
    from pydantic import ValidationError

    try:
        model.model_validate(body)
    except ValidationError as error:
        found = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in found["loc"])
        raise NotPossible(f"it can't be sent: {where or 'the workflow'}: {found['msg']}", quotes=True) from None


def _storable(value: object) -> str:
    """Return a text without lone surrogates, which SQLite can't store."""
    return json_access.text(value).encode("utf-8", "replace").decode()

"""Stored workflows, brought to `workflows.update_plan` before a change of them is confirmed.

Run by `ProfileStore.read_in_background`, on a thread that only reads: documents may be megabytes.
"""

import json
from functools import partial
from typing import Any

import apsw

from frontdesk.api.contract.base import JsonObject
from frontdesk.outbox.changes import NotPossible
from frontdesk.storage import json_access
from frontdesk.storage.records import Json
from frontdesk.workflows import update_plan
from frontdesk.workflows.checks.finding import References
from frontdesk.workflows.checks.known_references import current_document, load_references
from frontdesk.workflows.diff.models import Differences
from frontdesk.workflows.request_body import Unsendable, changes_of, has_graph
from frontdesk.workflows.snapshots import Comparison, compare
from frontdesk.workflows.store import pending_payloads
from frontdesk.workflows.store import workflows as workflow_store
from frontdesk.workflows.update_plan import CountersBefore, Creation, Switch, Update, UpdateConflict

AGAIN = "it is asked for now: try again in a moment"


class NotReadYet(NotPossible):
    """Nothing can be told before the workflow is read again."""


def prepare_creation(db: apsw.Connection, workflow_id: str, file: JsonObject) -> Creation:
    """What creating a workflow from a file would send, checked.

    Raises:
        NotPossible: it can't be sent so.
    """
    try:
        return update_plan.creation(workflow_id, file, partial(_known, db))
    except Unsendable as error:
        raise NotPossible(str(error)) from None


def prepare_update(db: apsw.Connection, workflow_id: str, file: JsonObject) -> Update:
    """What a file would change of a stored workflow, checked.

    Raises:
        NotReadYet: the whole workflow, or the version that the file was made from, isn't stored here.
        NotPossible: it can't be sent so.
    """
    stored = stored_whole(db, workflow_id)
    try:
        return update_plan.update(file, stored, partial(_known, db))
    except Unsendable as error:
        raise NotPossible(str(error)) from None
    except update_plan.NewerFile as error:
        raise NotReadYet(f"{error}; {AGAIN}") from None


def prepare_switch(db: apsw.Connection, workflow_id: str) -> Switch:
    """What speaks against switching a workflow on or off.

    Raises:
        NotReadYet: the whole workflow isn't stored here.
    """
    return update_plan.switch(stored_whole(db, workflow_id), partial(_known, db))


def prepare_reset(db: apsw.Connection, workflow_id: str) -> CountersBefore:
    """What zeroing a workflow's analytics would lose.

    Raises:
        NotReadYet: the whole workflow isn't stored here.
    """
    return update_plan.counters_of(stored_whole(db, workflow_id))


def compare_snapshots(db: apsw.Connection, workflow_id: str, before: int, after: int | None) -> Comparison:
    """What was kept of a workflow's analytics beside what was kept later, or beside what they are now.

    Raises:
        NotReadYet: the whole workflow isn't stored here.
        NotPossible: one of them isn't kept any more.
    """
    documents = [
        None if each is None else _object(pending_payloads.snapshot_text(db, each)) for each in (before, after)
    ]
    if documents[0] is None or (documents[1] is None and after is not None):
        raise NotPossible("this snapshot isn't kept any more")
    return compare(documents[0], documents[1] or stored_whole(db, workflow_id))


def prepare_conflict(db: apsw.Connection, change_id: int) -> UpdateConflict:
    """Theirs and yours of an update that somebody else was faster than.

    Raises:
        NotPossible: one of them isn't kept any more.
    """
    kept = pending_payloads.texts(db, change_id)
    body, base, theirs = (None, None, None) if kept is None else map(_object, kept)
    if body is None or theirs is None:
        raise NotPossible("what was to be sent, or what they made of it, isn't kept any more: drop it")
    return update_plan.conflict(body, base, theirs)


def kept_differences(db: apsw.Connection, change_id: int) -> Differences | None:
    """What an update changes, or did, of what it was sent over; None where that isn't kept (any more), whole."""
    kept = pending_payloads.texts(db, change_id)
    body, base = (None, None) if kept is None else (_object(kept.body), _object(kept.base))
    if body is None or not base or (has_graph(body) and not has_graph(base)):
        return None
    return changes_of(base, body)


def stored_whole(db: apsw.Connection, workflow_id: str) -> JsonObject:
    """The whole document of a workflow, as new as its list.

    Raises:
        NotReadYet: it isn't stored here, or was changed since.
    """
    found = current_document(workflow_id, db)
    if not found:
        lack = workflow_store.lack(db)
        raise NotReadYet(
            f"the whole workflow, as it is now, isn't read yet{f' ({lack})' if lack else ''}; {AGAIN}"
        )
    return dict(found)


def _known(db: apsw.Connection, raw: Json) -> References:
    listed = [each.workflow_id for each in workflow_store.listing(db).records]
    return load_references(raw, [*listed, json_access.text(raw.get("id"))], db)


def _object(text: str | None) -> JsonObject | None:
    found: Any = None if not text else json.loads(text)
    return found if isinstance(found, dict) else None

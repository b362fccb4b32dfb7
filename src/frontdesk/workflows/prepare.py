"""What is stored, brought to `workflows.update_plan` before a builder's action is confirmed.

Run by `Services.beside`, on a thread that only reads: documents may be megabytes.
"""

import json
from functools import partial
from typing import Any

from frontdesk.api.contract.base import JsonObject
from frontdesk.app.reader import Reader
from frontdesk.outbox.commands import NotPossible
from frontdesk.storage import json_access
from frontdesk.storage.records import Json
from frontdesk.workflows import update_plan
from frontdesk.workflows.checks.finding import References
from frontdesk.workflows.checks.known_references import current_document, load_references
from frontdesk.workflows.diff.models import Differences
from frontdesk.workflows.request_body import Unsendable, changes_of, has_graph
from frontdesk.workflows.snapshots import Comparison, compare
from frontdesk.workflows.update_plan import CountersBefore, Creation, Switch, Update, UpdateConflict

AGAIN = "it is asked for now: try again in a moment"


class NotReadYet(NotPossible):
    """Nothing can be told before the workflow is read again."""


def prepare_creation(reads: Reader, workflow_id: str, file: JsonObject) -> Creation:
    """What creating a workflow from a file would send, checked.

    Raises:
        NotPossible: it can't be sent so.
    """
    try:
        return update_plan.creation(workflow_id, file, partial(_known, reads))
    except Unsendable as error:
        raise NotPossible(str(error)) from None


def prepare_update(reads: Reader, workflow_id: str, file: JsonObject) -> Update:
    """What a file would change of a stored workflow, checked.

    Raises:
        NotReadYet: the whole workflow, or the version that the file was made from, isn't stored here.
        NotPossible: it can't be sent so.
    """
    stored = stored_whole(reads, workflow_id)
    try:
        return update_plan.update(file, stored, partial(_known, reads))
    except Unsendable as error:
        raise NotPossible(str(error)) from None
    except update_plan.NewerFile as error:
        raise NotReadYet(f"{error}; {AGAIN}") from None


def prepare_switch(reads: Reader, workflow_id: str) -> Switch:
    """What speaks against switching a workflow on or off.

    Raises:
        NotReadYet: the whole workflow isn't stored here.
    """
    return update_plan.switch(stored_whole(reads, workflow_id), partial(_known, reads))


def prepare_reset(reads: Reader, workflow_id: str) -> CountersBefore:
    """What zeroing a workflow's analytics would lose.

    Raises:
        NotReadYet: the whole workflow isn't stored here.
    """
    return update_plan.counters_of(stored_whole(reads, workflow_id))


def compare_snapshots(reads: Reader, workflow_id: str, before: int, after: int | None) -> Comparison:
    """What was kept of a workflow's analytics beside what was kept later, or beside what they are now.

    Raises:
        NotReadYet: the whole workflow isn't stored here.
        NotPossible: one of them isn't kept any more.
    """
    documents = [None if each is None else _object(reads.snapshot_text(each)) for each in (before, after)]
    if documents[0] is None or (documents[1] is None and after is not None):
        raise NotPossible("this snapshot isn't kept any more")
    return compare(documents[0], documents[1] or stored_whole(reads, workflow_id))


def prepare_conflict(reads: Reader, change_id: int) -> UpdateConflict:
    """Theirs and yours of an update that somebody else was faster than.

    Raises:
        NotPossible: one of them isn't kept any more.
    """
    kept = reads.workflow_change(change_id)
    body, base, theirs = (None, None, None) if kept is None else map(_object, kept)
    if body is None or theirs is None:
        raise NotPossible("what was to be sent, or what they made of it, isn't kept any more: drop it")
    return update_plan.conflict(body, base, theirs)


def kept_differences(reads: Reader, change_id: int) -> Differences | None:
    """What an update changes, or did, of what it was sent over; None where that isn't kept (any more), whole."""
    kept = reads.workflow_change(change_id)
    body, base = (None, None) if kept is None else (_object(kept.body), _object(kept.base))
    if body is None or not base or (has_graph(body) and not has_graph(base)):
        return None
    return changes_of(base, body)


def stored_whole(reads: Reader, workflow_id: str) -> JsonObject:
    """The whole document of a workflow, as new as its list.

    Raises:
        NotReadYet: it isn't stored here, or was changed since.
    """
    found = current_document(workflow_id, reads)
    if not found:
        lack = reads.why_no_documents()
        raise NotReadYet(
            f"the whole workflow, as it is now, isn't read yet{f' ({lack})' if lack else ''}; {AGAIN}"
        )
    return dict(found)


def _known(reads: Reader, raw: Json) -> References:
    listed = [each.workflow_id for each in reads.workflow_list().records]
    return load_references(raw, [*listed, json_access.text(raw.get("id"))], reads)


def _object(text: str | None) -> JsonObject | None:
    found: Any = None if not text else json.loads(text)
    return found if isinstance(found, dict) else None

"""Plans of writes for review: the body, findings of the check, differences and losses.

The `prepare_` functions read what is stored, which may be megabytes: screens call them on a thread.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

import apsw

from frontdesk.outbox.changes import NotPossible
from frontdesk.workflows import pending_payloads, request_body
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.analysis import Dependents, find_dependents, load_references, stored_document
from frontdesk.workflows.pending_payloads import parse_document
from frontdesk.workflows.request_body import changes_of
from frontdesk.workflows.share_comparison import Comparison, compare
from frontdesk.workflows.versions import (
    SNAPSHOT,
    FileOrigin,
    find,
    find_origin,
    restore_file,
    unrestored_fields,
    version_document,
)
from frontdesk_api import json_access
from frontdesk_api.contract.base import JsonObject
from frontdesk_flows.checks.models import Finding, References
from frontdesk_flows.checks.run import check, has_graph
from frontdesk_flows.diff import Differences, differences
from frontdesk_flows.graph import Graph, read_graph
from frontdesk_flows.merge import MergeConflict, merge
from frontdesk_flows.pointers import reachable_graphs
from frontdesk_flows.simulation.run import Circumstances, dry_run
from frontdesk_flows.simulation.script import Script, shorten_data
from frontdesk_flows.simulation.trace import DryRun

ReferencesFor = Callable[[Mapping[str, Any]], References | None]

AGAIN = "it's loading now; try again in a moment"


class NotReadYet(NotPossible):
    """The workflow has to be read again first."""


@dataclass(frozen=True, slots=True)
class Creation:
    """The creation of a workflow, for review.

    Attributes:
        would_be: the workflow as it would be stored, which is always switched off.
        nodes, exits: of the graph that runs.
    """

    body: JsonObject
    text: str
    would_be: JsonObject
    findings: tuple[Finding, ...]
    omitted_fields: tuple[str, ...]
    nodes: int
    exits: int
    wants_active: bool


@dataclass(frozen=True, slots=True)
class Update:
    """An update from a file, for review.

    Attributes:
        body: what is sent, with the lastModified of `base`.
        text: the body as it stands in a file.
        would_be: the workflow as it would be stored.
        base: the stored document that it was compared with.
        is_checked: whether a graph is sent, which could be checked.
        stored_parts: parts of the graph that the file lacks and that are sent as they are stored.
        is_older: the file was made from an earlier version.
        is_now_active: whether it runs for customers now.
        switches: what it would be switched to; None if that stays.
        dependents: if it would be switched off, and they were looked for.
        as_of: when `base` was loaded, if it is a stored one.
        source: what it was made from, as "file" or "version".
    """

    body: JsonObject
    text: str
    would_be: JsonObject
    base: JsonObject
    differences: Differences
    is_checked: bool
    findings: tuple[Finding, ...]
    stored_parts: tuple[str, ...]
    omitted_fields: tuple[str, ...]
    is_older: bool
    is_now_active: bool
    switches: bool | None
    dependents: Dependents | None = None
    as_of: float | None = None
    source: str = "file"


@dataclass(frozen=True, slots=True)
class Switch:
    """A switch, for review: on with what the check finds in a workflow that is on, or off with its dependents."""

    base: JsonObject
    findings: tuple[Finding, ...] = ()
    dependents: Dependents | None = None


@dataclass(frozen=True, slots=True)
class CountersBefore:
    """The counters that a reset would lose; None if unknown, which is not zero."""

    has_any: bool
    started: float | None
    completed: float | None
    dropped: float | None
    nodes: int
    edges: int
    buttons: int


@dataclass(frozen=True, slots=True)
class UpdateConflict:
    """An update that conflicts with another one.

    Attributes:
        theirs_did: what they changed since this update was made; None if the version before isn't kept.
        mine_does: what sending this update over theirs would change.
    """

    theirs_did: Differences | None
    mine_does: Differences


@dataclass(frozen=True, slots=True)
class ThreeWay:
    """Two versions of a workflow against the one that both were made from.

    Attributes:
        mine, theirs: what each side changed.
        file: both together, as a file that updates theirs; None if there are conflicts.
        adds_mine: whether that has anything that theirs lacks.
    """

    mine: Differences
    theirs: Differences
    conflicts: tuple[MergeConflict, ...]
    file: JsonObject | None
    adds_mine: bool = True


class FileSides(NamedTuple):
    """A file and what it was made from; no sides for the current version, or if its base isn't kept."""

    origin: FileOrigin
    sides: ThreeWay | None


def compare_three_ways(base: JsonObject, mine: JsonObject, theirs: JsonObject) -> ThreeWay:
    """Compare a file and the stored version with their base, and merge them where they don't touch."""
    found = merge(base, mine, theirs)
    return ThreeWay(
        request_body.changes_of(base, mine),
        differences(base, theirs),
        found.conflicts,
        None if found.conflicts else {**found.document, "lastModified": theirs.get("lastModified")},
        bool(found.conflicts or request_body.changes_of(theirs, found.document)),
    )


def plan_creation(workflow_id: str, file: JsonObject, references_for: ReferencesFor) -> Creation:
    """Plan the creation of a workflow from a file; raise Unsendable if it can't be sent."""
    body = request_body.create_body(file)
    nodes = [each for each in json_access.elements(body.get("parsedData")) if isinstance(each, dict)]
    would_be = {**body, "id": workflow_id}
    return Creation(
        body=body,
        text=request_body.format_document(body),
        would_be=would_be,
        findings=check(would_be, known=references_for(would_be)),
        omitted_fields=tuple(
            name for name in request_body.omitted_fields(file, is_new=True) if name not in ("isActive", "folderId")
        ),
        nodes=len(nodes),
        exits=sum(len(json_access.elements(each.get("subNodes"))) for each in nodes),
        wants_active=file.get("isActive") is True,
    )


def plan_update(
    file: JsonObject, stored: JsonObject, references_for: ReferencesFor, body: JsonObject | None = None
) -> Update:
    """Plan an update from a file; `body` has the lastModified that is sent, else that is the stored one's.

    Raises:
        Unsendable: it can't be sent so.
        NotReadYet: it was made from a later version than is stored here.
    """
    given, body = body, body or request_body.update_body(file, stored)
    made_from, now = (json_access.number(each.get("lastModified")) for each in (body, stored))
    if given is None:
        if made_from is not None and now is not None and made_from > now:
            raise NotReadYet(f"the file is based on a newer version than the one loaded here; {AGAIN}")
        # The difference is told to this version, so it is this one that the platform must still have.
        body["lastModified"] = stored.get("lastModified")
    # The platform takes out the counters of what leaves the graph (docs/interface.md, Update workflow graph).
    would_be = {
        name: value for name, value in request_body.apply_body(stored, body).items() if name != "analytics"
    }
    is_checked, switches = has_graph(body), request_body.switches_to(stored, body)
    return Update(
        body=body,
        text=request_body.format_document(body),
        would_be=would_be,
        base=stored,
        differences=request_body.changes_of(stored, body),
        is_checked=is_checked,
        findings=check(would_be, known=references_for(would_be)) if is_checked else (),
        stored_parts=request_body.stored_graph_parts(file, stored),
        omitted_fields=request_body.omitted_fields(file, is_new=False),
        is_older=made_from is not None and now is not None and made_from < now,
        is_now_active=stored.get("isActive") is True,
        switches=switches,
    )


def plan_switch(db: apsw.Connection, workflow_id: str, on: bool | None) -> Switch:
    """Plan to switch a stored workflow on or off, to the other by default; raises as `prepare_update` does."""
    stored = load_current(db, workflow_id)
    if on is False or (on is None and stored.get("isActive") is True):
        return Switch(stored, dependents=_dependents(db, stored))
    return Switch(stored, check({**stored, "isActive": True}, known=load_references(stored, db)))


def count_before(document: Mapping[str, Any]) -> CountersBefore:
    analytics = json_access.mapping(document.get("analytics"))
    return CountersBefore(
        has_any=isinstance(document.get("analytics"), dict),
        started=json_access.number(analytics.get("totalStarted")),
        completed=json_access.number(analytics.get("totalCompleted")),
        dropped=json_access.number(analytics.get("totalDropped")),
        nodes=len(json_access.mapping(analytics.get("nodeStats"))),
        edges=len(json_access.mapping(analytics.get("edgeStats"))),
        buttons=len(json_access.mapping(analytics.get("buttonStats"))),
    )


def compare_conflict(body: JsonObject, base: JsonObject | None, theirs: JsonObject) -> UpdateConflict:
    """Compare theirs and yours; `base` is the workflow that yours was made from, as far as known."""
    comparable = base is not None and has_graph(base) == has_graph(theirs)
    return UpdateConflict(
        differences(base, theirs) if base and comparable else None, request_body.changes_of(theirs, body)
    )


def _dependents(db: apsw.Connection, stored: JsonObject) -> Dependents:
    return find_dependents(stored, db, workflow_store.last_read_at(db, str(stored["id"])))


def prepare_update(db: apsw.Connection, workflow_id: str, file: JsonObject) -> Update:
    """Plan an update of a stored workflow from a file.

    Raises:
        NotReadYet: the whole workflow, or the version that the file was made from, isn't stored here.
        NotPossible: it can't be sent so.
    """
    update = plan_update(file, load_current(db, workflow_id), partial(load_references, db=db))
    dependents = _dependents(db, update.base) if update.switches is False else None
    return replace(update, as_of=workflow_store.last_read_at(db, workflow_id), dependents=dependents)


def prepare_restore(db: apsw.Connection, workflow_id: str, number: int) -> Update:
    """Plan an update of a stored workflow from a kept version of it; raises as `prepare_update` does."""
    version, stored = version_document(db, workflow_id, number), load_current(db, workflow_id)
    return restored(prepare_update(db, workflow_id, restore_file(version, stored)), version)


def restored(update: Update, version: JsonObject) -> Update:
    """Return an update from a `restore_file` as one from that version."""
    return replace(update, source="version", stored_parts=unrestored_fields(version, update.base))


def compare_versions(db: apsw.Connection, workflow_id: str, before: int, after: int | None) -> Differences:
    """Compare a kept version with another, or with the current workflow; raises as `prepare_update` does."""
    later = load_current(db, workflow_id) if after is None else version_document(db, workflow_id, after)
    return differences(version_document(db, workflow_id, before), later)


def prepare_three_ways(db: apsw.Connection, workflow_id: str, file: JsonObject, path: str) -> FileSides:
    """Compare a file of an earlier version with what is stored; an own update of this file is no other version."""
    stored = load_current(db, workflow_id)
    origin = find_origin(db, path, file, {**stored, "id": workflow_id})
    is_current = origin.file.get("lastModified") in (None, stored.get("lastModified"))
    if is_current or origin.base is None:
        return FileSides(origin, None)
    return FileSides(origin, compare_three_ways(origin.base, origin.file, stored))


def prepare_conflict_sides(db: apsw.Connection, change_id: int, workflow_id: str) -> ThreeWay | None:
    """Compare a conflicting update and what is stored now with their base; None if that isn't kept whole."""
    payload = pending_payloads.payload(db, change_id)
    body, base, then = map(parse_document, payload)
    known = [each for each in (then, parse_document(workflow_store.text(db, workflow_id))) if each is not None]
    if body is None or not base or not known:
        return None
    theirs = max(known, key=lambda each: json_access.number(each.get("lastModified")) or 0)
    if has_graph(base) != has_graph(theirs):
        return None
    return compare_three_ways(base, body, theirs)


def compare_snapshots(db: apsw.Connection, workflow_id: str, before: int, after: int | None) -> Comparison:
    """Compare a snapshot with a later one, or with the present analytics.

    Raises:
        NotReadYet: the whole workflow isn't stored here.
        NotPossible: one of them isn't kept any more.
    """
    documents = [
        None if each is None else find(db, workflow_id, SNAPSHOT, number=each) for each in (before, after)
    ]
    if documents[0] is None or (documents[1] is None and after is not None):
        raise NotPossible("this snapshot is no longer stored")
    return compare(documents[0], documents[1] or load_current(db, workflow_id))


def prepare_conflict(db: apsw.Connection, change_id: int) -> UpdateConflict:
    """Compare theirs and yours of a conflicting update; raise NotPossible if one isn't kept any more."""
    body, base, theirs = map(parse_document, pending_payloads.payload(db, change_id))
    if body is None or theirs is None:
        raise NotPossible("your version or theirs is no longer stored: discard this change")
    return compare_conflict(body, base, theirs)


def stored_differences(db: apsw.Connection, change_id: int) -> Differences | None:
    """Return the differences that an update makes, or made; None if its payload isn't stored (any more), whole."""
    payload = pending_payloads.payload(db, change_id)
    body, base = parse_document(payload.body), parse_document(payload.base)
    if body is None or not base or (has_graph(body) and not has_graph(base)):
        return None
    return changes_of(base, body)


def load_current(db: apsw.Connection, workflow_id: str) -> JsonObject:
    """Read the whole document of a workflow; raise NotReadYet if it isn't as new as the list."""
    found = stored_document(workflow_id, db)
    if found.problem or not found.raw:
        why = workflow_store.read_problem(db)
        reason = f" ({why})" if why else ""
        raise NotReadYet(f"the current workflow isn't fully loaded yet{reason}; {AGAIN}")
    return dict(found.raw)


def load_dry_run(db: apsw.Connection, workflow_id: str, begins_at: datetime) -> Callable[[Script], DryRun]:
    """Read the graphs that a dry run of a stored workflow can reach, and return what plays a script on them.

    Raises:
        NotReadYet: its own whole document isn't stored here.
    """
    own = load_current(db, workflow_id)

    def graph_of(identity: str) -> Graph | None:
        text = None if identity == workflow_id else workflow_store.text(db, identity)
        raw = own if identity == workflow_id else None if text is None else json.loads(text)
        return shorten_data(read_graph(raw)) if isinstance(raw, dict) else None

    listing = workflow_store.listing(db)
    knows_all = not listing.has_more and all(each.read_at is not None for each in listing.records)
    graphs = reachable_graphs(workflow_id, graph_of)

    def play(script: Script) -> DryRun:
        given = Circumstances(begins_at, script.variables, knows_all=knows_all)
        return dry_run(graphs, workflow_id, script.steps, given)

    return play

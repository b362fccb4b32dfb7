"""Plans of writes for review: the body, findings of the check, differences and losses. Pure.

`workflows.prepare` reads what is stored. Documents may be megabytes: screens call this on a thread.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from frontdesk.api.contract.base import JsonObject
from frontdesk.storage import json_access
from frontdesk.workflows import request_body
from frontdesk.workflows.checks.finding import Finding, References
from frontdesk.workflows.checks.run import check, has_graph
from frontdesk.workflows.diff.diff import differences
from frontdesk.workflows.diff.models import Differences

KnownOf = Callable[[Mapping[str, Any]], References]
"""What is known beside a document."""


class NewerFile(ValueError):
    """A file was made from a later version than is stored here, so no difference can be told."""


@dataclass(frozen=True, slots=True)
class Creation:
    """The creation of a workflow, for review.

    Attributes:
        body: what is sent.
        text: the same as it stands in a file.
        is_checked: whether there is a graph that could be checked.
        left_out: fields of the file that the platform decides itself.
        nodes, exits: of the graph that runs.
        wants_active: the file says that it is switched on; it is stored switched off.
    """

    body: JsonObject
    text: str
    is_checked: bool
    findings: tuple[Finding, ...]
    left_out: tuple[str, ...]
    nodes: int
    exits: int
    wants_active: bool


@dataclass(frozen=True, slots=True)
class Update:
    """An update from a file, for review.

    Attributes:
        body: what is sent, with the lastModified of `base`: the difference is against that.
        text: the same as it stands in a file.
        base: the stored document that it was compared with.
        is_checked: whether a graph is sent, which could be checked.
        findings: in the workflow as it would be.
        taken: parts of the graph that the file lacks and that are sent as they are stored.
        is_older: the file was made from an earlier version.
        is_now_active: whether it runs for customers while it is changed.
        switches: what it would be switched to; None where that stays.
        scheduled, in_progress: as of a `Switch`, where it would be switched off.
    """

    body: JsonObject
    text: str
    base: JsonObject
    differences: Differences
    is_checked: bool
    findings: tuple[Finding, ...]
    taken: tuple[str, ...]
    left_out: tuple[str, ...]
    is_older: bool
    is_now_active: bool
    switches: bool | None
    scheduled: tuple[str, ...]
    in_progress: float | None


@dataclass(frozen=True, slots=True)
class Switch:
    """A switch on or off, for review.

    Attributes:
        base: the stored document.
        scheduled: campaigns that wait for their time to start it.
        in_progress: how many are within it; None where that isn't known.
    """

    base: JsonObject
    findings: tuple[Finding, ...]
    scheduled: tuple[str, ...]
    in_progress: float | None


@dataclass(frozen=True, slots=True)
class CountersBefore:
    """The counters that a reset would lose.

    Attributes:
        has_any: whether there are analytics at all; not on every plan.
        started, completed, dropped: the totals; None where they aren't said, which is not zero.
        nodes, edges, buttons: of how many there are counters.
    """

    has_any: bool
    started: float | None
    completed: float | None
    dropped: float | None
    nodes: int
    edges: int
    buttons: int


@dataclass(frozen=True, slots=True)
class UpdateConflict:
    """An update for which somebody else was faster.

    Attributes:
        theirs_did: what they changed since this update was made; None where the version before isn't kept.
        mine_does: what sending this update over theirs would change of what is stored now.
    """

    theirs_did: Differences | None
    mine_does: Differences


def creation(workflow_id: str, file: JsonObject, known_of: KnownOf) -> Creation:
    """Plan the creation of a workflow from a file.

    Raises:
        Unsendable: it can't be sent so.
    """
    body = request_body.create_body(file)
    nodes = [each for each in _list(body.get("parsedData")) if isinstance(each, dict)]
    would_be, is_checked = {**body, "id": workflow_id}, has_graph(body)
    return Creation(
        body=body,
        text=request_body.text_of(body),
        is_checked=is_checked,
        findings=check(would_be, known=known_of(would_be)) if is_checked else (),
        left_out=tuple(
            name for name in request_body.left_out(file, is_new=True) if name not in ("isActive", "folderId")
        ),
        nodes=len(nodes),
        exits=sum(len(_list(each.get("subNodes"))) for each in nodes),
        wants_active=file.get("isActive") is True,
    )


def update(file: JsonObject, stored: JsonObject, known_of: KnownOf) -> Update:
    """Plan an update from a file.

    Raises:
        Unsendable: it can't be sent so.
        NewerFile: what is stored here isn't what it was made from.
    """
    body = request_body.update_body(file, stored)
    made_from, now = (json_access.number(each.get("lastModified")) for each in (body, stored))
    if made_from is not None and now is not None and made_from > now:
        raise NewerFile("the file was made from a later version than was read here")
    # The difference is told to this version, so it is this one that the platform must still have.
    body["lastModified"] = stored.get("lastModified")
    # The platform takes out the counters of what leaves the graph (docs/interface.md, Update workflow graph).
    would_be = {name: value for name, value in request_body.applied(stored, body).items() if name != "analytics"}
    is_checked, switches = has_graph(body), request_body.switches_to(stored, body)
    is_off = switches is False
    return Update(
        body=body,
        text=request_body.text_of(body),
        base=stored,
        differences=request_body.changes_of(stored, body),
        is_checked=is_checked,
        findings=check(would_be, known=known_of(would_be)) if is_checked else (),
        taken=request_body.taken_from_stored(file, stored),
        left_out=request_body.left_out(file, is_new=False),
        is_older=made_from is not None and now is not None and made_from < now,
        is_now_active=stored.get("isActive") is True,
        switches=switches,
        scheduled=_scheduled(stored, known_of(stored)) if is_off else (),
        in_progress=_in_progress(counters_of(stored)) if is_off else None,
    )


def switch(stored: JsonObject, known_of: KnownOf) -> Switch:
    """Plan a switch on or off."""
    known, counters = known_of(stored), counters_of(stored)
    return Switch(stored, check(stored, known=known), _scheduled(stored, known), _in_progress(counters))


def counters_of(document: Mapping[str, Any]) -> CountersBefore:
    """The counters of a workflow."""
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


def conflict(body: JsonObject, base: JsonObject | None, theirs: JsonObject) -> UpdateConflict:
    """Compare theirs and yours.

    Args:
        body: yours.
        base: the whole workflow that it was made from, or what of it is known.
    """
    comparable = base is not None and has_graph(base) == has_graph(theirs)
    return UpdateConflict(
        differences(base, theirs) if base and comparable else None, request_body.changes_of(theirs, body)
    )


def _scheduled(stored: JsonObject, known: References) -> tuple[str, ...]:
    return (known.scheduled or {}).get(json_access.text(stored.get("id")), ())


def _in_progress(counters: CountersBefore) -> float | None:
    started, completed, dropped = counters.started, counters.completed, counters.dropped
    if started is None or completed is None or dropped is None:
        return None
    return max(0.0, started - completed - dropped)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []

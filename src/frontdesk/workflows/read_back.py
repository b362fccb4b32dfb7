"""One workflow as the platform has it, and whether a write was carried out.

Used by the engine's delivery and the command line. The interface can't get one workflow: all are read.
"""

from dataclasses import dataclass
from typing import Any

from frontdesk.storage.records import Json
from frontdesk.workflows.request_body import has_graph, same_as_sent
from frontdesk_api import json_access
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import BadReply
from frontdesk_api.contract.base import JsonObject
from frontdesk_api.contract.decode import Page
from frontdesk_flows.checks.models import References
from frontdesk_flows.diff import differences
from frontdesk_flows.pointers import graphs_among

NOTHING_KNOWN = References()


@dataclass(frozen=True, slots=True)
class ListedWorkflow:
    """A workflow in the platform's list.

    Attributes:
        document: None if it isn't listed.
        has_more: whether more workflows exist than are listed.
        is_whole: False if the list was read in its minimal form.
        known: the ids of all workflows, if all are listed.
    """

    document: JsonObject | None
    has_more: bool
    is_whole: bool = True
    known: References = NOTHING_KNOWN


async def read_listed(client: PlatformClient, workflow_id: str, *, may_be_minimal: bool = False) -> ListedWorkflow:
    """Read the whole list; its minimal form if that is enough and the whole list is too large."""
    try:
        return find_workflow(await client.list_workflows(minimal=False), workflow_id)
    except BadReply:
        if not may_be_minimal:
            raise
        return await read_minimal(client, workflow_id)


async def read_minimal(client: PlatformClient, workflow_id: str) -> ListedWorkflow:
    return find_workflow(await client.list_workflows(minimal=True), workflow_id, is_whole=False)


def find_workflow(page: Page[Any], workflow_id: str, *, is_whole: bool = True) -> ListedWorkflow:
    """Find a workflow in a page; a malformed one is a workflow all the same."""
    broken = [each.raw for each in page.broken if isinstance(each.raw, dict)]
    raws: list[JsonObject] = [*(item.raw for item in page.items), *broken]
    document = next((raw for raw in raws if raw.get("id") == workflow_id), None)
    is_all = not page.has_more and not page.broken
    ids = frozenset(str(raw.get("id")) for raw in raws) if is_all else None
    graph_of = graphs_among(raws) if is_whole else None
    return ListedWorkflow(document, page.has_more, is_whole, References(workflow_ids=ids, graph_of=graph_of))


def is_document(answer: Json, before: Json, workflow_id: str) -> bool:
    """Whether an answer is the whole workflow: the interface doesn't describe the answer of the PUT."""
    return answer.get("id") == workflow_id and before.keys() <= answer.keys()


def was_applied(sent: Json, before: Json, now: Json) -> bool:
    """Whether an update was carried out; a reset or a counter changes lastModified alone."""
    return same_as_sent(sent, now) and bool(differences(before, now))


def is_unchanged_since(now: Json, seen: Json, echoed: object) -> bool:
    """Whether a workflow is as a user saw it; `echoed` is the lastModified then, for an empty `seen`."""
    if has_graph(seen) or (seen and not has_graph(now)):
        return not differences(seen, now)
    was = json_access.number(seen.get("lastModified")) if seen else json_access.number(echoed)
    return was is None or was == json_access.number(now.get("lastModified"))


def with_last_modified(body: JsonObject, document: Json) -> JsonObject:
    """Add the lastModified of the compared workflow to a body (docs/interface.md, Update workflow graph)."""
    at = document.get("lastModified")
    return body if at is None else {**body, "lastModified": at}


def is_zeroed(document: Json) -> bool:
    """Whether there are analytics and all counters are zero."""
    analytics = document.get("analytics")
    return isinstance(analytics, dict) and not _counted(analytics)


def was_zeroed(before: Json | None, after: Json) -> bool:
    """Whether counters were zeroed between two reads: a live workflow may have counted again since."""
    if before is None:
        return False
    was, now = json_access.number(before.get("lastModified")), json_access.number(after.get("lastModified"))
    if was is not None and (now is None or now <= was):
        return False
    started = [
        json_access.number(json_access.mapping(each.get("analytics")).get("totalStarted"))
        for each in (before, after)
    ]
    fell = started[0] is not None and started[1] is not None and started[1] < started[0]
    return fell or is_zeroed(after)


def _counted(analytics: Json) -> bool:
    todo: list[Any] = [value for name, value in analytics.items() if name != "lastUpdated"]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            todo += value.values()
        elif isinstance(value, list):
            todo += value
        elif json_access.number(value):
            return True
    return False

"""Request bodies of workflows (docs/interface.md, Create workflow), and what the platform stores of them.

The interface can't get one workflow: all are read. A document may be megabytes: screens call this on a thread.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from frontdesk.outbox.changes import NotPossible
from frontdesk.storage.records import Json
from frontdesk_api import json_access
from frontdesk_api.client.errors import BadReply
from frontdesk_api.contract.base import JsonObject
from frontdesk_flows.checks.models import References
from frontdesk_flows.checks.run import has_graph as has_graph
from frontdesk_flows.checks.run import references_among
from frontdesk_flows.diff import (
    DRAWN,
    EDITOR_FLAG,
    GRAPH,
    REQUEST_ONLY,
    SERVER_MANAGED,
    Differences,
    are_equal,
    differences,
)
from frontdesk_flows.diff import export_document as export_document
from frontdesk_lines.display_text import show_line

if TYPE_CHECKING:
    from frontdesk_api.client.client import PlatformClient
    from frontdesk_api.contract.decode import Page

_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_SENT = ("id", *SERVER_MANAGED)
_DECIDED_ON_CREATE = ("isActive", "folderId")
"""A workflow is always stored inactive, and its folder isn't part of the body."""


class Unsendable(NotPossible):
    """A file can't be sent; the text says why, and what to do."""


def create_body(file: Mapping[str, Any]) -> JsonObject:
    """Make the body that creates a workflow, with autoLayout.

    Raises:
        Unsendable: it asks for no layout, or would make an empty workflow by mistake, which nothing can remove.
    """
    _require_own_format(file, {})
    # An export has lastModified alone; a row of the platform's list, without graphs, has more.
    of_list = set(SERVER_MANAGED) - {"lastModified"}
    if not has_graph(file) and any(file.get(name) is not None for name in of_list):
        raise Unsendable("this workflow was exported without its graph; use `frontdesk workflows export`")
    return _with_layout(
        {name: value for name, value in _sent_fields(file).items() if name not in _DECIDED_ON_CREATE}
    )


def update_body(file: Mapping[str, Any], stored: Mapping[str, Any] | None) -> JsonObject:
    """Make the body that updates a workflow: the whole graph, and the lastModified that the file was made from.

    Raises:
        Unsendable: it asks for no layout, or is another workflow's or another tool's.
    """
    stored = stored or {}
    _require_own_format(file, stored)
    its, wanted = file.get("id"), stored.get("id")
    if its is not None and wanted is not None and its != wanted:
        raise Unsendable(
            f"this file is for workflow {its!r}, not {wanted!r}; to send it anyway, remove the id from it"
        )
    body = _sent_fields(file)
    body |= {name: stored[name] for name in stored_graph_parts(file, stored)}
    echoed = file.get("lastModified")
    if echoed is None:
        echoed = stored.get("lastModified")
    return _with_layout(body) | ({} if echoed is None else {"lastModified": echoed})


def activation_body(stored: Mapping[str, Any], active: bool) -> JsonObject:
    """Make the body that switches a workflow on or off, without a graph (docs/interface.md, States)."""
    return {"isActive": active, "lastModified": stored.get("lastModified")}


def stored_graph_parts(file: Mapping[str, Any], stored: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the parts of the graph that a file with others of them lacks, and that are stored."""
    if not has_graph(file):
        return ()
    return tuple(name for name in GRAPH if file.get(name) is None and stored.get(name) is not None)


def omitted_fields(file: Mapping[str, Any], *, is_new: bool) -> tuple[str, ...]:
    """Return the fields of a file, besides its id, that aren't sent since the platform decides them."""
    names = {*SERVER_MANAGED, *(_DECIDED_ON_CREATE if is_new else ())} - {"lastModified"}
    return tuple(name for name in file if name in names and file[name] is not None)


def format_document(document: Mapping[str, Any]) -> str:
    """Format a document as the text of a file; lone surrogates are escaped."""
    try:
        text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    except RecursionError:  # what is nested deep can be written on one line alone
        text = json.dumps(document, ensure_ascii=False) + "\n"
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def apply_body(stored: Mapping[str, Any], body: Mapping[str, Any]) -> JsonObject:
    """Return the document that the platform would store after an update."""
    return {**stored, **{name: value for name, value in body.items() if name not in (*_NOT_SENT, *REQUEST_ONLY)}}


def changes_of(stored: Mapping[str, Any], body: Mapping[str, Any]) -> Differences:
    return differences(stored, apply_body(stored, body))


def switches_to(stored: Mapping[str, Any], body: Mapping[str, Any]) -> bool | None:
    """Whether an update would switch a workflow on or off; None if it stays as it is."""
    wanted = body.get("isActive")
    return wanted if isinstance(wanted, bool) and wanted is not (stored.get("isActive") is True) else None


def same_as_sent(body: Mapping[str, Any], stored: Mapping[str, Any]) -> bool:
    """Whether the platform stores what was sent.

    How nodes are drawn is the platform's, and additions are no difference as long as lastModified has moved on
    from the echoed one: only that tells an update that just removes something from none.
    """
    sent_fields = {name: value for name, value in _sent_fields(body).items() if name not in REQUEST_ONLY}
    if not differences({name: stored.get(name) for name in sent_fields}, sent_fields):
        return True
    echoed = body.get("lastModified")
    if echoed is not None and are_equal(echoed, stored.get("lastModified")):
        return False
    return all(_contains(value, stored.get(name), name) for name, value in sent_fields.items())


def keeps_graph(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether a whole graph is still stored after an update without one."""
    return all(_contains(before[name], after.get(name), name) for name in GRAPH if before.get(name) is not None)


def _sent_fields(file: Mapping[str, Any]) -> JsonObject:
    return {
        name: value
        for name, value in file.items()
        if name not in _NOT_SENT and name != EDITOR_FLAG and not (name in GRAPH and value is None)
    }


def _require_own_format(file: Mapping[str, Any], stored: Mapping[str, Any]) -> None:
    """Raise Unsendable for another tool's export: no graph, but lists or objects that no workflow has."""
    if has_graph(file):
        return
    from frontdesk_api.contract.workflows import Workflow, WorkflowUpdate  # pydantic models: only when needed

    known = {*Workflow.model_fields, *WorkflowUpdate.model_fields, *stored}
    other = [
        name for name, value in file.items() if isinstance(value, list | dict) and value and name not in known
    ]
    if other:
        named = ", ".join(show_line(name, 40).text for name in other[:3])
        words = f"not a workflow of this platform: it has {named}, but no trigger, parsedData or data"
        raise Unsendable(words, quotes=True)


def _with_layout(body: JsonObject) -> JsonObject:
    canvas = body.get("data")
    layout_flags = [body.get(name) for name in REQUEST_ONLY if body.get(name) is not None]
    if not isinstance(canvas, dict) or canvas.get("nodes") is None or True in layout_flags:
        return body
    if layout_flags:
        named = " and ".join(name for name in REQUEST_ONLY if body.get(name) is not None)
        raise Unsendable(
            f"the platform accepts data.nodes only if autoLayout is true; remove {named} from the file"
        )
    return body | {"autoLayout": True}


def _contains(sent: Any, stored: Any, name: str) -> bool:
    """Whether a field stores all that was sent, whatever else it holds; nodes and lines are matched by id."""
    todo = [(_KIND_OF_FIELD.get(name, ""), sent, stored)]
    while todo:
        kind, one, other = todo.pop()
        if isinstance(one, dict):
            if not isinstance(other, dict):
                return False
            left, inside = _IGNORED_FIELDS.get(kind, frozenset()), _CHILD_KINDS.get(kind, {})
            todo += [
                (inside.get(key, ""), value, other.get(key))
                for key, value in one.items()
                if value is not None and key not in left
            ]
        elif isinstance(one, list):
            if not isinstance(other, list) or len(one) != len(other):
                return False
            ordered = _match_order(one, other) if kind else other
            todo += [(kind, *pair) for pair in zip(one, ordered, strict=True)]
        elif not are_equal(one, other):
            return False
    return True


_KIND_OF_FIELD = {"trigger": "node", "parsedData": "node", "data": "canvas"}
_CHILD_KINDS = {"node": {"subNodes": "node"}, "canvas": {"nodes": "drawn", "edges": "line"}}
_IGNORED_FIELDS = {"drawn": DRAWN, "line": DRAWN}


def _match_order(sent: list[Any], stored: list[Any]) -> list[Any]:
    """Sort stored parts in the order in which they were sent, if all have ids of their own."""
    by_id = {each["id"]: each for each in stored if isinstance(each, dict) and isinstance(each.get("id"), str)}
    wanted = [each.get("id") if isinstance(each, dict) else None for each in sent]
    if len(by_id) != len(stored) or any(not isinstance(each, str) or each not in by_id for each in wanted):
        return stored
    if len(set(wanted)) != len(wanted):
        return stored
    return [by_id[str(each)] for each in wanted]


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


async def read_listed(
    client: "PlatformClient", workflow_id: str, *, may_be_minimal: bool = False
) -> ListedWorkflow:
    """Read the whole list; its minimal form if that is enough and the whole list is too large."""
    try:
        return find_workflow(await client.list_workflows(minimal=False), workflow_id)
    except BadReply:
        if not may_be_minimal:
            raise
        return await read_minimal(client, workflow_id)


async def read_minimal(client: "PlatformClient", workflow_id: str) -> ListedWorkflow:
    return find_workflow(await client.list_workflows(minimal=True), workflow_id, is_whole=False)


def find_workflow(page: "Page[Any]", workflow_id: str, *, is_whole: bool = True) -> ListedWorkflow:
    """Find a workflow in a page; a malformed one is a workflow all the same."""
    broken = [each.raw for each in page.broken if isinstance(each.raw, dict)]
    raws: list[JsonObject] = [*(item.raw for item in page.items), *broken]
    document = next((raw for raw in raws if raw.get("id") == workflow_id), None)
    is_all = not page.has_more and not page.broken
    ids = frozenset(str(raw.get("id")) for raw in raws) if is_all else None
    known = references_among(raws, ids) if is_whole else References(ids)
    return ListedWorkflow(document, page.has_more, is_whole, known)


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

"""Request bodies of workflows (docs/interface.md, Create workflow), compared with what is stored.

A document may be megabytes: screens call this on a thread.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from frontdesk.outbox.changes import NotPossible
from frontdesk_api.contract.base import JsonObject
from frontdesk_flows.checks.run import has_graph as has_graph
from frontdesk_flows.diff import differences
from frontdesk_flows.diff_models import (
    DRAWN,
    EDITOR_FLAG,
    GRAPH,
    REQUEST_ONLY,
    SERVER_MANAGED,
    Differences,
    are_equal,
)
from frontdesk_flows.diff_models import export_document as export_document
from frontdesk_lines.display_text import show_line

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

"""Counts of workflows, a row a number, and the analytics made of them (docs/interface.md, Workflow).

The runtime adds to them in the transaction of the move that they count. A workflow's document holds none of
them, so counting never makes its lastModified stale.
"""

import json
from collections import Counter
from typing import Any

from frontdesk_flows.execution import Count
from frontdesk_sandbox.graphs import empty_analytics, graph_ids
from frontdesk_sandbox.responses import encode
from frontdesk_sandbox.storage import Storage

_TOTALS = {"started": "totalStarted", "completed": "totalCompleted", "dropped": "totalDropped"}
_NODE_COUNTS = {"entered": "enteredCount", "left": "completedCount", "exited": "exitedCount"}
EVER, LAST, UPDATED, RESET = "ever", "last", "updated", "reset"
"""Not analytics: executions ever, and the times (ms) of the last one, of the last count, of the last reset."""

_LIFETIME = (EVER, LAST)


def add_counts(storage: Storage, account: str, counts: Counter[Count], at_ms: int) -> None:
    """Add to the stored counts, in the caller's transaction."""
    rows = [
        (account, each.workflow_id, each.kind, each.about, each.target, number) for each, number in counts.items()
    ]
    for each, number in counts.items():
        if each.kind == "started":
            rows.append((account, each.workflow_id, EVER, "", "", number))
    storage.run_many(
        "INSERT INTO run_counts VALUES(?,?,?,?,?,?) ON CONFLICT DO UPDATE SET count=count+excluded.count", rows
    )
    moments = {each.workflow_id for each in counts}
    started = {each.workflow_id for each in counts if each.kind == "started"}
    for kind, touched in ((UPDATED, moments), (LAST, started)):
        storage.run_many(
            "INSERT INTO run_counts VALUES(?,?,?,'','',?) "
            "ON CONFLICT DO UPDATE SET count=max(count, excluded.count)",
            [(account, workflow, kind, at_ms) for workflow in sorted(touched)],
        )


def add_analytics(storage: Storage, account: str, workflow: dict[str, Any]) -> dict[str, Any]:
    """Add the server's counts to a document."""
    found = storage.rows(
        "SELECT kind, about, target, count FROM run_counts WHERE account=? AND workflow=?", account, workflow["id"]
    )
    analytics = empty_analytics(workflow.get("created") or 0)
    exits = _exits(workflow)
    for kind, about, target, count in found:
        if kind in _TOTALS:
            analytics[_TOTALS[kind]] = count
        elif kind in _NODE_COUNTS:
            node = analytics["nodeStats"].setdefault(about, dict.fromkeys(_NODE_COUNTS.values(), 0))
            node[_NODE_COUNTS[kind]] = count
        elif kind == "traversed":
            analytics["edgeStats"][f"{about}->{target}"] = {
                "sourceNodeId": about,
                "targetNodeId": target,
                "sourceHandle": "out",
                "traversalCount": count,
            }
        elif kind == "clicked":
            label, parent, payload = exits.get(about, ("", "", about))
            analytics["buttonStats"][about] = {
                "subNodeId": about,
                "parentNodeId": parent,
                "label": label,
                "clickCount": count,
                "payload": payload,
            }
        elif kind == UPDATED:
            analytics["lastUpdated"] = count // 1000
    life = {kind: count for kind, _, _, count in found if kind in _LIFETIME}
    shown = {**workflow, "executionCount": life.get(EVER, 0), "analytics": analytics}
    if LAST in life:
        shown["lastExecution"] = life[LAST] // 1000
    return shown


def reset_counts(storage: Storage, account: str, workflow_id: str, at_ms: int) -> None:
    """Zero the analytics; the number of executions ever stays (rules 133, 134).

    Executions under way are not counted any more: else more could complete than was started.
    """
    storage.run(
        "DELETE FROM run_counts WHERE account=? AND workflow=? AND kind NOT IN (?, ?)",
        account,
        workflow_id,
        *_LIFETIME,
    )
    for kind in (UPDATED, RESET):
        storage.run("INSERT INTO run_counts VALUES(?,?,?,'','',?)", account, workflow_id, kind, at_ms)


def reset_at(storage: Storage, account: str, workflow_id: str) -> int:
    """Return the last reset of the analytics, Unix milliseconds; 0 for never."""
    row = storage.row(
        "SELECT count FROM run_counts WHERE account=? AND workflow=? AND kind=?", account, workflow_id, RESET
    )
    return int(row[0]) if row else 0


def prune_counts(storage: Storage, account: str, workflow: dict[str, Any]) -> None:
    """Delete the counts of nodes that left the graph (rules 143, 144)."""
    ids = graph_ids(workflow)
    gone = [
        (account, workflow["id"], kind, about, target)
        for kind, about, target in storage.rows(
            "SELECT kind, about, target FROM run_counts WHERE account=? AND workflow=? AND about<>''",
            account,
            workflow["id"],
        )
        if about not in ids or (target and target not in ids)
    ]
    storage.run_many(
        "DELETE FROM run_counts WHERE account=? AND workflow=? AND kind=? AND about=? AND target=?", gone
    )


def store_analytics(storage: Storage, account: str, workflow: dict[str, Any]) -> None:
    """Move the counts inside a document into rows: the seed's documents, and those of older files."""
    analytics = workflow.pop("analytics", None) or {}
    identity = workflow["id"]
    rows: list[tuple[Any, ...]] = [
        (account, identity, kind, "", "", analytics.get(name, 0)) for kind, name in _TOTALS.items()
    ]
    rows += [
        (account, identity, kind, node, "", stats.get(name, 0))
        for node, stats in (analytics.get("nodeStats") or {}).items()
        for kind, name in _NODE_COUNTS.items()
    ]
    rows += [
        (account, identity, "traversed", edge["sourceNodeId"], edge["targetNodeId"], edge["traversalCount"])
        for edge in (analytics.get("edgeStats") or {}).values()
    ]
    rows += [
        (account, identity, "clicked", button, "", stats["clickCount"])
        for button, stats in (analytics.get("buttonStats") or {}).items()
    ]
    rows.append((account, identity, EVER, "", "", workflow.pop("executionCount", 0)))
    rows.append((account, identity, UPDATED, "", "", analytics.get("lastUpdated", 0) * 1000))
    last = workflow.pop("lastExecution", None)
    if last is not None:
        rows.append((account, identity, LAST, "", "", last * 1000))
    storage.run_many("INSERT OR REPLACE INTO run_counts VALUES(?,?,?,?,?,?)", rows)


def store_all_analytics(storage: Storage) -> None:
    """Move the counts of every stored workflow into rows."""
    for account, identity, stored in storage.rows("SELECT account, id, json FROM workflows"):
        workflow = json.loads(stored)
        store_analytics(storage, account, workflow)
        storage.run("UPDATE workflows SET json=? WHERE account=? AND id=?", encode(workflow), account, identity)


def _exits(workflow: dict[str, Any]) -> dict[str, tuple[str, str, str]]:
    """Label, parent and payload of each sub-node."""
    found = {}
    for node in workflow.get("parsedData") or ():
        subs = node.get("subNodes") if isinstance(node, dict) else None
        for each in subs if isinstance(subs, list) else ():
            if isinstance(each, dict) and isinstance(each.get("id"), str):
                data = each.get("data")
                payload = data.get("payload", each["id"]) if isinstance(data, dict) else each["id"]
                found[each["id"]] = (str(each.get("title") or ""), str(node.get("id") or ""), str(payload))
    return found

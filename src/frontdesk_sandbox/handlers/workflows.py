"""List, create, update workflows and reset their analytics (tests/sandbox/rules.md, chapters 4 to 7 and 14)."""

import json
from typing import Any

from frontdesk_api.contract.workflows import FolderQuery, WorkflowCreate, WorkflowQuery, WorkflowUpdate
from frontdesk_sandbox.graphs import arrange_nodes
from frontdesk_sandbox.request import Call
from frontdesk_sandbox.responses import Refusal, Response, bad_request, json_response, not_found, not_specified
from frontdesk_sandbox.workflow_runs import add_analytics, prune_counts, reset_counts
from frontdesk_sandbox.world import World

MINIMAL_FIELDS = (
    "id",
    "name",
    "folderId",
    "isActive",
    "created",
    "lastModified",
    "triggerType",
    "associatedToBusinessId",
    "platformType",
)

REQUEST_ONLY = frozenset({"autoLayout", "autoClean"})
SERVER_MANAGED = frozenset(
    {"id", "associatedTo", "created", "lastModified", "executionCount", "lastExecution", "analytics"}
)


def list_workflows(world: World, call: Call) -> Response:
    """List all workflows of the account on one page, in order of creation (rule 88)."""
    minimal = call.body(WorkflowQuery).getAllWorkflowsMinimalData is True
    rows = world.storage.rows("SELECT json FROM workflows WHERE account=? ORDER BY position, id", call.account)
    result = []
    for (stored,) in rows:
        workflow = json.loads(stored)
        if minimal:
            result.append({name: workflow[name] for name in MINIMAL_FIELDS if name in workflow})
        else:
            result.append(_with_analytics(world, call.account, workflow))
    more = world.settings.more_workflows
    key = {"id": result[-1]["id"]} if more and result else {}
    return json_response({"result": result, "lastEvaluatedKey": key, "hasMoreItemsToFetch": more})


def create_workflow(world: World, call: Call) -> Response:
    """Store a workflow, inactive whatever the body says (rules 100-102, 119)."""
    call.body(WorkflowCreate)
    folder = call.parameters(FolderQuery).folderId
    storage, account, identity = world.storage, call.account, call.ids["workflowId"]
    if not storage.exists("folders", account=account, folder=folder):
        raise not_found("folder", folder)
    if _read(world, account, identity) is not None:
        raise Refusal(400, "already_exists", f"Workflow {identity!r} already exists.")
    now = world.clock.now_seconds()
    body = _stored_fields(call.raw)
    workflow = {
        "id": identity,
        **body,
        "folderId": folder,
        "associatedTo": account,
        "isActive": False,
        "created": now,
        "lastModified": now,
    }
    if _requests_layout(call.raw) and "data" in workflow:
        workflow["data"] = arrange_nodes(workflow.get("data"), workflow.get("trigger"))
    with storage.writing():
        row = storage.row("SELECT coalesce(max(position), 0) + 1 FROM workflows WHERE account=?", account)
        position = row[0] if row else 1
        storage.run("INSERT INTO workflows VALUES(?,?,?,?)", account, identity, position, json.dumps(workflow))
    world.runs.invalidate(account)
    return json_response({"message": f"Workflow {identity} was created.", "created": now, "lastModified": now})


def update_workflow(world: World, call: Call) -> Response:
    """Replace what is sent if lastModified is still the stored one: the PUT that the interface only refers to."""
    if not world.settings.graph_put:
        raise not_specified("The workflow update")
    update = call.body(WorkflowUpdate)
    workflow = _require_workflow(world, call)
    if update.lastModified is None:
        raise bad_request("An update must include lastModified.")
    if update.lastModified != workflow["lastModified"]:
        raise Refusal(
            409,
            "stale_last_modified",
            f"The workflow has changed in the meantime; its lastModified is now {workflow['lastModified']}.",
        )
    folder = update.folderId
    if folder is not None and not world.storage.exists("folders", account=call.account, folder=folder):
        raise not_found("folder", folder)
    workflow |= _stored_fields(call.raw)
    if update.isActive is not None:
        workflow["isActive"] = update.isActive
    if _requests_layout(call.raw) and "data" in workflow:
        workflow["data"] = arrange_nodes(workflow.get("data"), workflow.get("trigger"))
    with world.storage.writing():
        _store(world, call.account, workflow)
        if any(part in call.raw for part in ("data", "parsedData", "trigger")):
            prune_counts(world.storage, call.account, workflow)
    return json_response(_with_analytics(world, call.account, workflow))


def reset_workflow_analytics(world: World, call: Call) -> Response:
    """Zero the counters; without the Expert AI plan a 403 with a message and nothing else (129-131)."""
    if world.options.plan != "expert":
        return json_response({"message": "Workflow analytics require the Expert AI plan."}, 403)
    workflow = _require_workflow(world, call)
    with world.storage.writing():
        reset_counts(world.storage, call.account, workflow["id"], world.clock.now_ms())
        _store(world, call.account, workflow)
    return json_response(_with_analytics(world, call.account, workflow))


def _require_workflow(world: World, call: Call) -> dict[str, Any]:
    workflow = _read(world, call.account, call.ids["workflowId"])
    if workflow is None:
        raise not_found("workflow", call.ids["workflowId"])
    return workflow


def _read(world: World, account: str, identity: str) -> dict[str, Any] | None:
    row = world.storage.row("SELECT json FROM workflows WHERE account=? AND id=?", account, identity)
    return dict(json.loads(row[0])) if row else None


def _store(world: World, account: str, workflow: dict[str, Any]) -> None:
    # Always later than before, also within one second: else two writers could both be right (147).
    workflow["lastModified"] = max(world.clock.now_seconds(), int(workflow["lastModified"]) + 1)
    world.storage.run(
        "UPDATE workflows SET json=? WHERE account=? AND id=?", json.dumps(workflow), account, workflow["id"]
    )
    world.runs.invalidate(account)


def _stored_fields(body: dict[str, Any]) -> dict[str, Any]:
    """Return the stored part of a body: without flags of the request and what the server decides."""
    dropped = REQUEST_ONLY | SERVER_MANAGED | {"isActive"}
    return {name: value for name, value in body.items() if name not in dropped}


def _requests_layout(body: dict[str, Any]) -> bool:
    return body.get("autoLayout") is True or body.get("autoClean") is True


def _with_analytics(world: World, account: str, workflow: dict[str, Any]) -> dict[str, Any]:
    shown = add_analytics(world.storage, account, workflow)
    if world.options.plan != "expert":
        del shown["analytics"]
    return shown

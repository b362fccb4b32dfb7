"""The handler of each operation; it answers a `Call`, or raises `Refusal`. Rules: tests/sandbox/rules.md."""

import hashlib
import hmac
import json
import random
from collections.abc import Callable
from typing import Any

import apsw

from frontdesk_api.contract.ai_agents import AiAgentQuery
from frontdesk_api.contract.base import DEFAULT_AI_AGENTS_LIMIT, DEFAULT_TASKS_LIMIT
from frontdesk_api.contract.campaigns import CampaignCreate
from frontdesk_api.contract.messages import MessageQuery, TagAssignment
from frontdesk_api.contract.tasks import TaskQuery, TaskUpdate
from frontdesk_api.contract.workflows import FolderQuery, WorkflowCreate, WorkflowQuery, WorkflowUpdate
from frontdesk_sandbox.campaign_delivery import note_unfinished
from frontdesk_sandbox.campaign_engine import insert_campaign, resolution_ms
from frontdesk_sandbox.fixtures import BUILT_IN_STATUSES
from frontdesk_sandbox.graphs import arrange_nodes
from frontdesk_sandbox.request import Call, parse_text
from frontdesk_sandbox.responses import (
    Refusal,
    Response,
    bad_request,
    encode,
    json_response,
    not_found,
    not_specified,
    page_response,
    text_response,
)
from frontdesk_sandbox.storage import Value, find_conversation, read_task, update_task_row
from frontdesk_sandbox.workflow_runs import add_analytics, prune_counts, reset_counts
from frontdesk_sandbox.world import World

# Campaigns (rules, chapters 2, 3)

COUNTER_COLUMNS = {
    "totalRecipients": "total",
    "pendingCount": "pending",
    "sentCount": "sent",
    "deliveredCount": "delivered",
    "readCount": "read",
    "failedCount": "failed",
    "optOutCount": "opted_out",
    "duplicateMessageCount": "duplicate",
    "tooManyRequestsCount": "throttled",
}

MAX_DUE_AT = 2**62
"""Later than this never comes, and storage holds no more; the campaign keeps what was sent."""

_UNFINISHED = ("pending", "scheduled", "inProgress")

_READ = (
    "SELECT number, json, status, created, modified, started_at, ended_at, failure_reason, "
    + ", ".join(COUNTER_COLUMNS.values())
    + " FROM campaigns JOIN campaign_documents USING (number) WHERE account=? AND id=?"
)


def create_campaign(world: World, call: Call) -> Response:
    """Answer 201 and a message that names the id; 500 for a name missing or empty (rules 27, 28)."""
    if call.raw.get("name", "") == "":
        raise Refusal(500, "cannot_be_saved", "The campaign has no name.")
    campaign = call.body(CampaignCreate).root
    storage = world.storage
    if storage.exists("campaigns", account=call.account, id=campaign.id):
        raise Refusal(500, "cannot_be_saved", f"Campaign {campaign.id!r} already exists.")
    now = world.clock.now_ms()
    waits = campaign.whenToSendMessage == "future"
    try:
        with storage.writing():
            insert_campaign(
                storage, call.account, call.raw, "scheduled" if waits else "pending", now, _due_at(call.raw, now)
            )
    except apsw.Error as error:
        raise Refusal(500, "cannot_be_saved", "The campaign couldn't be saved.") from error
    return json_response({"message": f"Campaign {campaign.id} was created."}, 201)


def get_campaign(world: World, call: Call) -> Response:
    """Answer the campaign as it was sent, with status, times and counters (rules 71-79)."""
    row = world.storage.row(_READ, call.account, call.ids["id"])
    if row is None:
        raise not_found("campaign", call.ids["id"])
    number, stored, status, created, modified, started_at, ended_at, failure_reason, *counts = row
    added: dict[str, object] = {
        "status": status,
        "created": created,
        "lastModified": modified,
        "associatedTo": call.account,
    }
    if status in _UNFINISHED:
        note_unfinished(world.storage, number, world.clock.now_ms())
    if started_at is not None:
        added["startedAt"] = started_at
    if status == "completed":
        added["completedAt"] = ended_at
    if status == "failed":
        added |= {"failedAt": ended_at, "failureReason": failure_reason}
    if started_at is not None or not world.settings.absent_counters:
        added |= dict(zip(COUNTER_COLUMNS, counts, strict=True))
    # A list of 50,000 recipients is text already: it is put in front, not read and written again.
    return text_response(f"{stored[:-1]},{json.dumps(added)[1:]}")


def _due_at(campaign: dict[str, Any], now: int) -> int | None:
    """Return the time at which the engine looks at it, or None if it isn't active (docs/interface.md, Choices)."""
    if not campaign["isActive"]:
        return None
    if campaign["whenToSendMessage"] == "now":
        return now + resolution_ms(campaign)
    return int(min(max(campaign["scheduledAt"], 0), MAX_DUE_AT))


# Workflows (chapters 4 to 7 and 14)

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
    if _read_workflow(world, account, identity) is not None:
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
        _store_workflow(world, call.account, workflow)
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
        _store_workflow(world, call.account, workflow)
    return json_response(_with_analytics(world, call.account, workflow))


def _require_workflow(world: World, call: Call) -> dict[str, Any]:
    workflow = _read_workflow(world, call.account, call.ids["workflowId"])
    if workflow is None:
        raise not_found("workflow", call.ids["workflowId"])
    return workflow


def _read_workflow(world: World, account: str, identity: str) -> dict[str, Any] | None:
    row = world.storage.row("SELECT json FROM workflows WHERE account=? AND id=?", account, identity)
    return dict(json.loads(row[0])) if row else None


def _store_workflow(world: World, account: str, workflow: dict[str, Any]) -> None:
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


# Tasks (chapters 8, 9)

_BUILT_IN = tuple(each.id for each in BUILT_IN_STATUSES)


def list_tasks(world: World, call: Call) -> Response:
    """List a page, latest change first; the cursor holds only for the filters it was given with (161, 162)."""
    query = call.body(TaskQuery)
    limit = query.limit or DEFAULT_TASKS_LIMIT
    where = "account=?"
    values: list[Value] = [call.account]
    filters: dict[str, str] = {}
    for name, condition in _FILTERS.items():
        wanted = getattr(query, name)
        if wanted is not None:
            where += f" AND {condition}"
            values.append(wanted)
            filters[name] = wanted
    scope = [call.account, filters]
    if query.lastEvaluatedKey:
        updated_at, task_id = read_cursor(world.secret, scope, query.lastEvaluatedKey)
        where += " AND (updated_at < ? OR (updated_at = ? AND task_id > ?))"
        values += [updated_at, updated_at, task_id]
    rows = world.storage.rows(
        f"SELECT updated_at, task_id, json FROM tasks WHERE {where} ORDER BY updated_at DESC, task_id LIMIT ?",
        *values,
        limit + 1,
    )
    page, has_more = rows[:limit], len(rows) > limit
    cursor = make_cursor(world.secret, scope, page[-1][0], page[-1][1]) if has_more else None
    shown = [row[2] for row in page]
    if world.settings.shuffle_tasks:
        random.shuffle(shown)
    return page_response("dbObject", shown, has_more, cursor)


def get_task(world: World, call: Call) -> Response:
    stored = read_task(world.storage, call.account, call.ids["taskId"])
    if stored is None:
        raise not_found("task", call.ids["taskId"])
    return text_response(f'{{"task":{stored}}}')


def update_task(world: World, call: Call) -> Response:
    """Answer the task after the change; without a version check, the last writer wins (rule 184)."""
    update = call.body(TaskUpdate)
    storage, account, task_id = world.storage, call.account, call.ids["taskId"]
    if world.settings.strict_tasks:
        refused = sorted(set(call.raw) - set(TaskUpdate.model_fields))
        if refused:
            raise bad_request(f"{', '.join(refused)} can't be updated.")
    if read_task(storage, account, task_id) is None:
        raise not_found("task", task_id)
    status = update.statusCase
    if status not in (None, *_BUILT_IN) and not storage.exists("statuses", account=account, status=status):
        raise bad_request(f"statusCase {status!r} isn't a status of this business.")
    fields = {name: call.raw[name] for name in TaskUpdate.model_fields if name in call.raw}
    person = {"name": call.identity.name, "email": call.identity.email}
    with storage.writing():
        stored = update_task_row(storage, account, task_id, fields, person, world.clock.now_seconds())
    return text_response(f'{{"task":{stored}}}')


_FILTERS = {
    "phoneNumberId": "line=?",
    "agentId": "EXISTS (SELECT 1 FROM json_each(assigned) WHERE value=?)",
    "participantsIdentifiers": "conversation=?",
}


def make_cursor(secret: bytes, scope: list[Any], updated_at: float, task_id: str) -> dict[str, Any]:
    """Make the lastEvaluatedKey after a row of the list that `scope` describes, sealed so that none is made up."""
    return {"updatedAt": updated_at, "taskId": task_id, "check": _cursor_check(secret, scope, updated_at, task_id)}


def read_cursor(secret: bytes, scope: list[Any], cursor: dict[str, Any]) -> tuple[float, str]:
    """Return the position of a cursor; raise Refusal if it was altered, or belongs to another list."""
    updated_at, task_id, check = cursor.get("updatedAt"), cursor.get("taskId"), cursor.get("check")
    if len(cursor) != 3 or isinstance(updated_at, bool) or not isinstance(updated_at, int | float):
        raise bad_request("lastEvaluatedKey wasn't issued by this service.")
    if not isinstance(task_id, str) or not isinstance(check, str) or not check.isascii():
        raise bad_request("lastEvaluatedKey wasn't issued by this service.")
    if not hmac.compare_digest(check, _cursor_check(secret, scope, updated_at, task_id)):
        raise bad_request("lastEvaluatedKey was altered or belongs to another list.")
    return updated_at, task_id


def _cursor_check(secret: bytes, scope: list[Any], updated_at: float, task_id: str) -> str:
    # A number that was sent as 5 may come back as 5.0: JSON doesn't tell them apart.
    text = encode([scope, float(updated_at), task_id])
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()[:32]


# Messages, tags and webhooks (chapters 10, 11, 13)

_PAGE = "SELECT created_at, message_id, json FROM messages WHERE account=? AND line=? AND customer=?"
_NEWEST_FIRST = " ORDER BY created_at DESC, message_id DESC LIMIT ?"


def get_messages(world: World, call: Call) -> Response:
    """List a page of one thread, newest first; an unknown pair is an empty thread (rule 195).

    The cursor is (createdAt, messageId), so that messages of one moment are neither lost nor repeated.
    """
    query = call.body(MessageQuery)
    size = world.settings.message_page_size
    pair = (call.account, query.phoneNumberId, query.targetPhoneNumberId)
    if query.startKey is None:
        rows = world.storage.rows(_PAGE + _NEWEST_FIRST, *pair, size + 1)
    else:
        rows = world.storage.rows(
            _PAGE + " AND (created_at, message_id) < (?, ?)" + _NEWEST_FIRST,
            *pair,
            query.startKey.createdAt,
            query.startKey.messageId,
            size + 1,
        )
    page, has_more = rows[:size], len(rows) > size
    cursor = {"messageId": page[-1][1], "createdAt": page[-1][0]} if has_more else None
    return page_response("dbObject", [row[2] for row in page], has_more, cursor)


def assign_tags(world: World, call: Call) -> Response:
    """Answer the JSON string "success"; giving a tag twice changes nothing (rule 208), and none can be taken."""
    wanted = dict.fromkeys(call.body(TagAssignment).tagIds)
    storage = world.storage
    where = find_conversation(storage, call.account, call.ids["id"])
    if where is None:
        raise not_found("conversation", call.ids["id"])
    for tag in wanted:
        if not storage.exists("tags", account=call.account, tag=tag):
            raise not_found("tag", tag)
    with storage.writing():
        if world.settings.tags_replace:
            storage.run("DELETE FROM conversation_tags WHERE account=? AND line=? AND customer=?", *where)
        storage.run_many(
            "INSERT OR IGNORE INTO conversation_tags VALUES(?,?,?,?)",
            [(where.account, tag, where.line, where.customer) for tag in wanted],
        )
        for tag in wanted:
            world.runs.queue_tag(where, tag, world.clock.now_ms())
    return json_response("success")


def delete_webhook(world: World, call: Call) -> Response:
    """Delete a webhook with an empty 200, since the body isn't shown."""
    webhook = call.ids["webhookId"]
    if not world.storage.run("DELETE FROM webhooks WHERE account=? AND id=?", call.account, webhook):
        raise not_found("webhook", webhook)
    return Response(200, b"")


# AI agents (chapter 12)

MAX_AGENTS_LIMIT = 1_000_000
"""The interface shows no upper bound of limit (rule 218); storage has one."""

TOKENS_AN_HOUR, TOKENS_STEP = 60, 41
"""Tokens of an active agent: some use more than others, evenly since the last change. A modelling choice."""


def list_ai_agents(world: World, call: Call) -> Response:
    """List a flat page in creation order; files only with getFiles (rule 216)."""
    query = call.parameters(AiAgentQuery)
    limit = min(query.limit or DEFAULT_AI_AGENTS_LIMIT, MAX_AGENTS_LIMIT)
    rows = world.storage.rows(
        "SELECT position, id, json FROM ai_agents WHERE account=? AND position>? ORDER BY position LIMIT ?",
        call.account,
        _agent_position(world, call.account, query.exclusiveStartKey),
        limit + 1,
    )
    page, has_more = rows[:limit], len(rows) > limit
    cursor = {"id": page[-1][1]} if has_more else {}
    now = world.agents_at_ms() // 1000
    shown = [_render_agent(row[2], row[0], now, with_files=query.getFiles is True) for row in page]
    return page_response("agents", shown, has_more, cursor)


def _agent_position(world: World, account: str, start_key: str | None) -> int:
    if start_key is None:
        return -1
    key: Any = parse_text(start_key, "exclusiveStartKey")
    if key == {}:
        return -1
    if not isinstance(key, dict) or not isinstance(key.get("id"), str):
        raise bad_request("exclusiveStartKey isn't a lastEvaluatedKey of this list.")
    row = world.storage.row("SELECT position FROM ai_agents WHERE account=? AND id=?", account, key["id"])
    if row is None:
        raise bad_request("exclusiveStartKey isn't a lastEvaluatedKey of this list.")
    return int(row[0])


def _render_agent(stored: str, position: int, now: int, *, with_files: bool) -> str:
    agent = json.loads(stored)
    if agent.get("isActive") is True:
        since = max(0, now - int(agent["lastModified"]))
        agent["tokensUsed"] += since * (TOKENS_AN_HOUR + TOKENS_STEP * (position % 9)) // 3600
    if not with_files and isinstance(agent.get("vectorStore"), dict):
        agent["vectorStore"].pop("files", None)
    return encode(agent)


HANDLERS: dict[str, Callable[[World, Call], Response]] = {
    handler.__name__: handler
    for handler in (
        *(create_campaign, get_campaign),
        *(list_workflows, create_workflow, update_workflow, reset_workflow_analytics),
        *(list_tasks, get_task, update_task),
        *(get_messages, assign_tags, delete_webhook, list_ai_agents),
    )
}
"""By the endpoint's name."""

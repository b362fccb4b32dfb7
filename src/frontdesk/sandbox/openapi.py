"""The OpenAPI document at /openapi.json, made from the same endpoints as the routes.

The tables below say what the contract's models can't say in JSON Schema by themselves, because they check it in
code or read more leniently than the sandbox answers.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from frontdesk.api.contract import endpoints
from frontdesk.api.contract.base import DEFAULT_AI_AGENTS_LIMIT, DEFAULT_TASKS_LIMIT, ErrorBody
from frontdesk.api.contract.campaigns import Campaign, ListCampaign, Recipient, TagsCampaign
from frontdesk.api.contract.endpoints import OPERATIONS, Credentials, Endpoint, Host, Listing, One
from frontdesk.api.contract.messages import ConversationTag, MessageContext, MessageKey
from frontdesk.api.contract.tasks import TaskQuery
from frontdesk.api.contract.workflows import (
    Canvas,
    CanvasEdge,
    CanvasNode,
    ExecutionNode,
    Position,
    Workflow,
    WorkflowCreate,
    WorkflowUpdate,
)
from frontdesk.sandbox.operations import SHOWN, refusals

Json = dict[str, Any]

_REFERENCE = "#/components/schemas/{model}"

_DESCRIPTION = """The interface as the sandbox serves it (`docs/interface.md`; docs/sandbox.md, Choices).

What no schema below can say: a body is UTF-8 and at most 8 MiB, no object in it has a name twice, no string
holds NUL or half a surrogate pair, no number is infinite and no whole number 2^63 or beyond, and nothing is
nested deeper than 100. Whatever breaks that is refused with 400, a body that is larger with 413. Status codes
are the ones that the sandbox chose where the interface shows none; `--other-codes` varies those."""

_GRAPH = (ExecutionNode, Position, CanvasNode, CanvasEdge, Canvas)
"""Inside a graph null is accepted in place of a field, and answered again."""

_FUTURE_HAS_A_TIME: Json = {
    "anyOf": [
        {"properties": {"whenToSendMessage": {"const": "now"}}},
        {"properties": {"whenToSendMessage": {"const": "future"}}, "required": ["scheduledAt"]},
    ]
}

_NODES_NEED_LAYOUT: Json = {
    "anyOf": [
        {"properties": {"data": {"properties": {"nodes": {"type": "null"}}}}},
        {"properties": {"autoLayout": {"const": True}}, "required": ["autoLayout"]},
        {"properties": {"autoClean": {"const": True}}, "required": ["autoClean"]},
    ]
}

_CAMPAIGN_ANSWER: Json = {
    "required": ["status", "created", "lastModified", "associatedTo", "source"],
    "properties": {
        "status": {"enum": ["pending", "scheduled", "inProgress", "completed", "failed", "stopped"]},
        "source": {"enum": ["tags", "excel"]},
        "conversationTags": {"items": {"$ref": _REFERENCE.format(model=ConversationTag.__name__)}},
        "customerList": {"items": {"$ref": _REFERENCE.format(model=Recipient.__name__)}},
    },
    "oneOf": [{"required": ["conversationTags"]}, {"required": ["customerList"]}],
}

_WORKFLOW_ANSWER: Json = {"required": ["name", "folderId", "isActive", "created", "lastModified"]}

_ADDED: dict[type[BaseModel], Json] = {
    TagsCampaign: _FUTURE_HAS_A_TIME,
    ListCampaign: _FUTURE_HAS_A_TIME,
    Campaign: _CAMPAIGN_ANSWER,
    TaskQuery: {"properties": {"limit": {"default": DEFAULT_TASKS_LIMIT}}},
    MessageContext: {"properties": {"from": {"type": "string"}}},
    Workflow: _WORKFLOW_ANSWER,
    WorkflowCreate: _NODES_NEED_LAYOUT,
    WorkflowUpdate: {"required": ["lastModified"]},
}
"""Rules that the models check in code, and what an answer of the sandbox always has (by schema)."""

_PARAMETERS: dict[str, Json] = {
    "limit": {"schema": {"type": "integer", "minimum": 1, "default": DEFAULT_AI_AGENTS_LIMIT}},
    "exclusiveStartKey": {"content": {"application/json": {"schema": {"type": "object"}}}},
}
"""Query parameters that a flat schema says too little of: the start key is URI-encoded JSON."""

_HAS_MORE: Json = {"hasMoreItemsToFetch": {"const": True}}
_HAS_NO_MORE: Json = {"hasMoreItemsToFetch": {"const": False}}
_CURSOR_ONLY_WHEN_MORE: Json = {
    "anyOf": [
        {"properties": _HAS_MORE, "required": ["lastEvaluatedKey"]},
        {"properties": _HAS_NO_MORE, "not": {"required": ["lastEvaluatedKey"]}},
    ]
}
_CURSOR_ALWAYS: Json = {"required": ["lastEvaluatedKey"]}

_CURSORS: dict[str, tuple[Json, Json]] = {
    endpoints.LIST_WORKFLOWS.name: ({"type": "object"}, _CURSOR_ALWAYS),
    endpoints.LIST_AI_AGENTS.name: ({"type": "object"}, _CURSOR_ALWAYS),
    endpoints.LIST_TASKS.name: ({"type": "object"}, _CURSOR_ONLY_WHEN_MORE),
    endpoints.GET_MESSAGES.name: (
        {"$ref": _REFERENCE.format(model=MessageKey.__name__)},
        _CURSOR_ONLY_WHEN_MORE,
    ),
}
"""A page's cursor: its shape, and when it is there (rules 84, 158, 190, 212)."""

_ANYTHING: dict[str, Json | None] = {
    endpoints.ASSIGN_TAGS.name: {"type": "string", "const": "success"},
    endpoints.DELETE_WEBHOOK.name: None,
}
"""Where the answer is no object: what the sandbox answers, None for no body."""

_HOSTS = {
    Host.BASE: "Messages, conversation tags and webhooks",
    Host.CAMPAIGNS: "Campaigns",
    Host.WORKFLOWS: "Workflows and their analytics",
    Host.BUSINESS: "Tasks",
    Host.AI: "AI agents",
}


@cache
def document() -> Json:
    """Make the whole document; version 1.0.0 as the interface carries it."""
    paths: dict[str, Json] = {}
    for endpoint in OPERATIONS:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {"title": "frontdesk sandbox", "version": "1.0.0", "description": _DESCRIPTION},
        "servers": [{"url": "/"}],
        "tags": [{"name": host.value, "description": told} for host, told in _HOSTS.items()],
        "paths": paths,
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {
                "cookie": {"type": "apiKey", "in": "cookie", "name": "token"},
                "apiKey": {"type": "apiKey", "in": "header", "name": "x-api-key"},
                "bearer": {"type": "http", "scheme": "bearer"},
            },
        },
    }


def _schemas() -> Json:
    _, found = models_json_schema([(model, "validation") for model in _models()], ref_template=_REFERENCE)
    loose = {model.__name__ for model in _GRAPH}
    schemas = {name: _plain(schema, keeps_null=name in loose) for name, schema in found.get("$defs", {}).items()}
    for model, added in _ADDED.items():
        _lay_over(schemas[model.__name__], added)
    return schemas


def _models() -> list[type[BaseModel]]:
    found: list[type[BaseModel]] = [ErrorBody]
    for endpoint in OPERATIONS:
        found += [endpoint.request] if endpoint.request is not None else []
        found += SHOWN.get(endpoint.name, {}).values()
        if isinstance(endpoint.reply, One):
            found.append(endpoint.reply.model)
        elif isinstance(endpoint.reply, Listing):
            found.append(endpoint.reply.item)
    return list(dict.fromkeys(found))


def _plain(schema: Any, *, keeps_null: bool) -> Any:
    """Reduce a model's schema to the wire's: an optional field may be absent, which is not null."""
    if isinstance(schema, list):
        return [_plain(inner, keeps_null=keeps_null) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    found = {
        name: {field: _plain(inner, keeps_null=keeps_null) for field, inner in value.items()}
        if name == "properties"
        else _plain(value, keeps_null=keeps_null)
        for name, value in schema.items()
        if name not in ("title", "default")
    }
    choices = found.get("anyOf", [])
    if {"type": "null"} in choices and not keeps_null:
        rest = [choice for choice in choices if choice != {"type": "null"}]
        del found["anyOf"]
        found |= rest[0] if len(rest) == 1 else {"anyOf": rest}
    return found


def _lay_over(schema: Json, added: Json) -> None:
    for name, value in added.items():
        if name == "properties":
            for field, more in value.items():
                schema["properties"].setdefault(field, {}).update(more)
        elif name == "required":
            schema["required"] = [*schema.get("required", []), *value]
        else:
            schema[name] = value


def _operation(endpoint: Endpoint[Any]) -> Json:
    scheme = "bearer" if endpoint.credentials is Credentials.BEARER else "cookie"
    operation: Json = {
        "operationId": endpoint.name,
        "tags": [endpoint.host.value],
        "summary": endpoint.summary + ("" if endpoint.specified else " (referenced only)"),
        "security": [{scheme: [], "apiKey": []}],
        "parameters": list(_parameters(endpoint)),
        "responses": dict(sorted(_responses(endpoint).items())),
    }
    if endpoint.request is not None:
        operation["requestBody"] = {"required": True, "content": _content(_reference(endpoint.request))}
    return operation


def _parameters(endpoint: Endpoint[Any]) -> Iterable[Json]:
    for name in re.findall(r"{(\w+)}", endpoint.path):
        yield {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
    if endpoint.query is not None:
        schema = endpoint.query.model_json_schema()
        for name, inner in schema["properties"].items():
            required = name in schema.get("required", ())
            told = _PARAMETERS.get(name) or {"schema": _plain(inner, keeps_null=False)}
            yield {"name": name, "in": "query", "required": required, **told}


def _responses(endpoint: Endpoint[Any]) -> dict[str, Json]:
    found: dict[str, Json] = {str(endpoint.success): _success(endpoint)}
    for status, when in refusals(endpoint).items():
        found[str(status)] = {"description": when, "content": _content(_reference(ErrorBody))}
    found["429"]["headers"] = {"Retry-After": {"required": True, "schema": {"type": "string"}}}
    for status, model in SHOWN.get(endpoint.name, {}).items():
        if status != endpoint.success:
            found[str(status)] = {
                "description": f"As `docs/interface.md` shows it for {endpoint.summary}.",
                "content": _content(_reference(model)),
            }
    return found


def _success(endpoint: Endpoint[Any]) -> Json:
    schema = _reply(endpoint)
    return {"description": "Done.", "content": _content(schema)} if schema else {"description": "Done, no body."}


def _reply(endpoint: Endpoint[Any]) -> Json | None:
    reply = endpoint.reply
    if isinstance(reply, One):
        inner = _reference(reply.model)
        if reply.field is None:
            return inner
        return {"type": "object", "properties": {reply.field: inner}, "required": [reply.field]}
    if isinstance(reply, Listing):
        cursor, when = _CURSORS[endpoint.name]
        page: Json = {
            "type": "object",
            "properties": {
                reply.field: {"type": "array", "items": _reference(reply.item)},
                "hasMoreItemsToFetch": {"type": "boolean"},
                "lastEvaluatedKey": cursor,
            },
            "required": [reply.field, "hasMoreItemsToFetch"],
        }
        _lay_over(page, when)
        return page
    return _ANYTHING[endpoint.name]


def _reference(model: type[BaseModel]) -> Json:
    return {"$ref": _REFERENCE.format(model=model.__name__)}


def _content(schema: Json) -> Json:
    return {"application/json": {"schema": schema}}

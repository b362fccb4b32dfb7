"""The OpenAPI document at /openapi.json, and the operation of a raw path.

Both are made from the same endpoints as the routes. `data/openapi.json` has what the contract's models can't say
in JSON Schema by themselves, because they check it in code or read more leniently than the sandbox answers. In a
path, an encoded slash stays inside its id.
"""

import json
import random
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import unquote_to_bytes

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from frontdesk_api.contract import endpoints
from frontdesk_api.contract.base import ErrorBody, MessageOnly
from frontdesk_api.contract.campaigns import CampaignCreated
from frontdesk_api.contract.endpoints import OPERATIONS, Credentials, Endpoint, Listing, One
from frontdesk_api.contract.workflows import Canvas, CanvasEdge, CanvasNode, ExecutionNode, Position
from frontdesk_sandbox.data import read_text
from frontdesk_sandbox.responses import Refusal, bad_request, not_specified


@dataclass(frozen=True, slots=True)
class Match:
    """An operation and the decoded ids of its path."""

    endpoint: Endpoint[Any]
    ids: dict[str, str]


_TEMPLATES = tuple((endpoint, tuple(endpoint.path.strip("/").split("/"))) for endpoint in OPERATIONS)


def find_operation(method: str, raw_path: str) -> Match:
    """Find the operation of a request; raise Refusal, 501 for a known path with other methods, else 404."""
    segments = raw_path.removeprefix("/").split("/")
    known_path = False
    matches: list[Match] = []
    for endpoint, template in _TEMPLATES:
        ids = _ids(template, segments)
        if ids is None:
            continue
        known_path = True
        if endpoint.method == method:
            matches.append(Match(endpoint, ids))
    if matches:
        # A literal path (/tasks/list) beats one with an id.
        return min(matches, key=lambda match: len(match.ids))
    if known_path:
        raise not_specified(f"{method} {raw_path}")
    raise Refusal(404, "not_found", f"Nothing at {raw_path!r}.")


def find_endpoint(method: str, raw_path: str) -> Endpoint[Any] | None:
    try:
        return find_operation(method, raw_path).endpoint
    except Refusal:
        return None


def decode_segment(segment: str) -> str:
    """Percent-decode one path segment (rules 82, 94, 203, 226)."""
    try:
        text = unquote_to_bytes(segment).decode()
    except UnicodeDecodeError:
        raise bad_request("The path isn't UTF-8.") from None
    if "\0" in text:
        raise bad_request("The path contains NUL.")
    return text


def _ids(template: tuple[str, ...], segments: list[str]) -> dict[str, str] | None:
    if len(template) != len(segments):
        return None
    ids: dict[str, str] = {}
    for expected, segment in zip(template, segments, strict=True):
        if expected.startswith("{"):
            if not segment:
                return None
            ids[expected[1:-1]] = decode_segment(segment)
        elif expected != segment:
            return None
    return ids


SHOWN: Mapping[str, Mapping[int, type[BaseModel]]] = {
    endpoints.CREATE_CAMPAIGN.name: {201: CampaignCreated, 500: ErrorBody},
    endpoints.RESET_WORKFLOW_ANALYTICS.name: {403: MessageOnly},
    endpoints.UPDATE_WORKFLOW.name: {409: ErrorBody},
}
"""docs/interface.md, Errors and Create campaign: these codes, and no others, are the interface's own."""

_OTHERS = {
    200: (200, 201, 202),
    400: (400, 422),
    401: (401, 403),
    404: (404, 410),
    413: (413, 400),
    429: (429, 420),
    501: (501, 505),
}


def refusals(endpoint: Endpoint[Any]) -> dict[int, str]:
    """Return the other status codes an operation may be refused with, and when (docs/interface.md, Choices)."""
    found = {401: "Credentials are missing or wrong."}
    if endpoint.request or endpoint.query or "{" in endpoint.path:
        found[400] = "The request is malformed or breaks a rule."
    if "{" in endpoint.path:
        found[404] = "Not found in this account."
    found[413] = "The body is too large."
    found[429] = "Too many requests per second."
    if not endpoint.specified:
        found[501] = "Turned off, because the interface doesn't describe it."
    return dict(sorted(found.items()))


def other_code(status: int, endpoint: Endpoint[Any] | None, chance: random.Random) -> int:
    """Draw a code of the same class, unless the interface shows this one for the operation.

    A code with a meaning of its own in the interface is never taken for another.
    """
    shown = SHOWN.get(endpoint.name, {}) if endpoint else {}
    if status in shown or status not in _OTHERS:
        return status
    return chance.choice([code for code in _OTHERS[status] if code not in shown])


Json = dict[str, Any]

_REFERENCE = "#/components/schemas/{model}"

_GRAPH = (ExecutionNode, Position, CanvasNode, CanvasEdge, Canvas)
"""Inside a graph null is accepted in place of a field, and answered again."""

_DATA: Json = json.loads(read_text("openapi.json"))
"""Rules that the models check in code, and fields that an answer of the sandbox always has.

`additions` by schema, `parameters` by name; `cursors` by operation, with what a page says by them (rules 84, 158,
190, 212); `other_replies` by operation if the answer isn't an object, null for no body.
"""


@cache
def document() -> Json:
    """Make the whole document; version 1.0.0 as the interface carries it."""
    paths: dict[str, Json] = {}
    for endpoint in OPERATIONS:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {"title": "frontdesk sandbox", "version": "1.0.0", "description": _DATA["description"]},
        "servers": [{"url": "/"}],
        "tags": _DATA["tags"],
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
    schemas = {
        name: _reduce_schema(schema, keeps_null=name in loose) for name, schema in found.get("$defs", {}).items()
    }
    for name, added in _DATA["additions"].items():
        _merge_schema(schemas[name], added)
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


def _reduce_schema(schema: Any, *, keeps_null: bool) -> Any:
    """Reduce a model's schema to the wire's: an optional field may be absent, which is not null."""
    if isinstance(schema, list):
        return [_reduce_schema(inner, keeps_null=keeps_null) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    found = {
        name: {field: _reduce_schema(inner, keeps_null=keeps_null) for field, inner in value.items()}
        if name == "properties"
        else _reduce_schema(value, keeps_null=keeps_null)
        for name, value in schema.items()
        if name not in ("title", "default")
    }
    choices = found.get("anyOf", [])
    if {"type": "null"} in choices and not keeps_null:
        rest = [choice for choice in choices if choice != {"type": "null"}]
        del found["anyOf"]
        found |= rest[0] if len(rest) == 1 else {"anyOf": rest}
    return found


def _merge_schema(schema: Json, added: Json) -> None:
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
            shape = _DATA["parameters"].get(name) or {"schema": _reduce_schema(inner, keeps_null=False)}
            yield {"name": name, "in": "query", "required": required, **shape}


def _responses(endpoint: Endpoint[Any]) -> dict[str, Json]:
    found: dict[str, Json] = {str(endpoint.success): _success(endpoint)}
    for status, when in refusals(endpoint).items():
        found[str(status)] = {"description": when, "content": _content(_reference(ErrorBody))}
    found["429"]["headers"] = {"Retry-After": {"required": True, "schema": {"type": "string"}}}
    for status, model in SHOWN.get(endpoint.name, {}).items():
        if status != endpoint.success:
            found[str(status)] = {
                "description": f"As shown in `docs/interface.md` for {endpoint.summary}.",
                "content": _content(_reference(model)),
            }
    return found


def _success(endpoint: Endpoint[Any]) -> Json:
    schema = _reply(endpoint)
    return (
        {"description": "Done.", "content": _content(schema)}
        if schema
        else {"description": "Done, without a body."}
    )


def _reply(endpoint: Endpoint[Any]) -> Json | None:
    reply = endpoint.reply
    if isinstance(reply, One):
        inner = _reference(reply.model)
        if reply.field is None:
            return inner
        return {"type": "object", "properties": {reply.field: inner}, "required": [reply.field]}
    if isinstance(reply, Listing):
        cursor = _DATA["cursors"][endpoint.name]
        page: Json = {
            "type": "object",
            "properties": {
                reply.field: {"type": "array", "items": _reference(reply.item)},
                "hasMoreItemsToFetch": {"type": "boolean"},
                "lastEvaluatedKey": cursor["schema"],
            },
            "required": [reply.field, "hasMoreItemsToFetch"],
        }
        _merge_schema(page, cursor["page"])
        return page
    reply_schema: Json | None = _DATA["other_replies"][endpoint.name]
    return reply_schema


def _reference(model: type[BaseModel]) -> Json:
    return {"$ref": _REFERENCE.format(model=model.__name__)}


def _content(schema: Json) -> Json:
    return {"application/json": {"schema": schema}}

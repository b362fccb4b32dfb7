"""The OpenAPI document at /openapi.json, made from the same endpoints as the routes.

Called by the application.
"""

import re
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from frontdesk.contract.endpoints import OPERATIONS, Credentials, Endpoint, Listing, One
from frontdesk.contract.errors import ErrorBody

_REFERENCE = "#/components/schemas/{model}"


@cache
def document() -> dict[str, Any]:
    """The whole document; version 1.0.0 as the interface carries it."""
    _, definitions = models_json_schema([(model, "validation") for model in _models()], ref_template=_REFERENCE)
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in OPERATIONS:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {"title": "frontdesk sandbox", "version": "1.0.0"},
        "paths": paths,
        "components": {
            "schemas": definitions.get("$defs", {}),
            "securitySchemes": {
                "cookie": {"type": "apiKey", "in": "cookie", "name": "token"},
                "apiKey": {"type": "apiKey", "in": "header", "name": "x-api-key"},
                "bearer": {"type": "http", "scheme": "bearer"},
            },
        },
    }


def _models() -> list[type[BaseModel]]:
    found: list[type[BaseModel]] = [ErrorBody]
    for endpoint in OPERATIONS:
        found += [model for model in (endpoint.request, endpoint.query) if model is not None]
        if isinstance(endpoint.reply, One):
            found.append(endpoint.reply.model)
        elif isinstance(endpoint.reply, Listing):
            found.append(endpoint.reply.item)
    return list(dict.fromkeys(found))


def _operation(endpoint: Endpoint[Any]) -> dict[str, Any]:
    scheme = "bearer" if endpoint.credentials is Credentials.BEARER else "cookie"
    operation: dict[str, Any] = {
        "operationId": endpoint.name,
        "summary": endpoint.summary + ("" if endpoint.specified else " (referenced only)"),
        "security": [{scheme: [], "apiKey": []}],
        "parameters": _parameters(endpoint),
        "responses": {
            str(endpoint.success): {"description": "Done", "content": _content(_reply(endpoint))},
            "default": {"description": "Refused", "content": _content(_reference(ErrorBody))},
        },
    }
    if endpoint.request is not None:
        operation["requestBody"] = {"required": True, "content": _content(_reference(endpoint.request))}
    return operation


def _parameters(endpoint: Endpoint[Any]) -> list[dict[str, Any]]:
    names = re.findall(r"{(\w+)}", endpoint.path)
    found: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in names
    ]
    if endpoint.query is not None:
        schema = endpoint.query.model_json_schema()
        found += [
            {"name": name, "in": "query", "required": name in schema.get("required", ()), "schema": inner}
            for name, inner in schema["properties"].items()
        ]
    return found


def _reply(endpoint: Endpoint[Any]) -> dict[str, Any]:
    reply = endpoint.reply
    if isinstance(reply, One):
        inner = _reference(reply.model)
        if reply.field is None:
            return inner
        return {"type": "object", "properties": {reply.field: inner}, "required": [reply.field]}
    if isinstance(reply, Listing):
        return {
            "type": "object",
            "properties": {
                reply.field: {"type": "array", "items": _reference(reply.item)},
                "hasMoreItemsToFetch": {"type": "boolean"},
                "lastEvaluatedKey": {"type": "object"},
            },
            "required": [reply.field, "hasMoreItemsToFetch"],
        }
    return {}


def _reference(model: type[BaseModel]) -> dict[str, Any]:
    return {"$ref": _REFERENCE.format(model=model.__name__)}


def _content(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}

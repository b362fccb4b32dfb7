"""Responses of the sandbox, and refusals with the Error body."""

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Response:
    """A finished response."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


class Refusal(Exception):
    """Raised to refuse a request with the Error body (docs/interface.md, Errors); `error` is a stable slug."""

    def __init__(self, status: int, error: str, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.error = error
        self.message = message
        self.headers = headers or {}

    def response(self) -> Response:
        return json_response({"error": self.error, "message": self.message}, self.status, self.headers)


def bad_request(message: str) -> Refusal:
    """Make a 400: the request is malformed or breaks a rule of the interface."""
    return Refusal(400, "invalid_request", message)


def not_found(what: str, name: str) -> Refusal:
    """Make a 404: the account has no such thing."""
    return Refusal(404, "not_found", f"No {what} {name!r}.")


def not_specified(what: str) -> Refusal:
    """Make a 501: the interface names no such operation."""
    return Refusal(501, "not_specified", f"{what} isn't specified by the interface.")


def json_response(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return text_response(encode(value), status, headers)


def text_response(json_text: str, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Respond with JSON that already is text, such as rows from storage put together."""
    return Response(status, json_text.encode(), headers or {})


def page_response(field_name: str, rows: list[str], has_more: bool, cursor: dict[str, Any] | None) -> Response:
    """Respond with a listing: rows of JSON text, and the cursor if there is one."""
    tail = "" if cursor is None else f',"lastEvaluatedKey":{encode(cursor)}'
    more = "true" if has_more else "false"
    return text_response(f'{{"{field_name}":[{",".join(rows)}],"hasMoreItemsToFetch":{more}{tail}}}')


def encode(value: Any) -> str:
    """Write compact JSON with non-ASCII letters as they are."""
    return _ENCODER.encode(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

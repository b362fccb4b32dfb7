"""Faults on demand: answers that come late, broken, or not at all (docs/command-line.md).

Set through `PUT /sandbox/faults`; the application asks for one before each request of the interface. A broken body
is made from the platform's own answer: of another shape or type, with too much in it, or with the request.
"""

import asyncio
import json
import random
import re
import time
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from frontdesk_api.contract.endpoints import Endpoint, Listing, One
from frontdesk_sandbox.connections import transport_of, wait_until_closed
from frontdesk_sandbox.responses import Response, bad_request, encode, json_response

Kind = Literal[
    "status",
    "delay",
    "drop",
    "garbage",
    "truncate",
    "page",
    "hang",
    "empty",
    "shape",
    "types",
    "echo",
    "more",
    "many",
    "huge",
    "gzip",
    "drip",
    "longer",
    "shorter",
    "headers",
    "continues",
    "cut",
]

_NOT_CARRIED_OUT = ("status", "drop", "page", "hang", "echo")
"""Kinds that answer in the platform's place, unless `after`."""

SILENT = ("drop", "hang")
RAW = ("drip", "longer", "shorter", "headers", "continues", "cut")
"""Kinds that break HTTP itself."""

BODIES = ("empty", "shape", "types", "echo", "more", "many", "gzip")
"""Kinds that break the body."""


class FaultRule(BaseModel):
    """One entry of the list.

    Attributes:
        path: searched for in the path as it was sent (percent-encoded).
        method: only requests of this method, if given.
        share: the part of the matching requests that is hit.
        times: how many are hit at most; None for all.
        after: carry the request out before a status, a drop, a page, a hang or an echo.
    """

    model_config = ConfigDict(extra="forbid")

    path: str
    kind: Kind
    method: str | None = None
    status: Annotated[int, Field(ge=200, le=599)] = 503
    seconds: Annotated[float, Field(ge=0, le=3600)] = 2.0
    share: Annotated[float, Field(ge=0, le=1)] = 1.0
    times: Annotated[int, Field(ge=0)] | None = None
    headers: dict[str, str] = {}
    after: bool = False

    @model_validator(mode="after")
    def _path_is_a_pattern(self) -> Self:
        try:
            re.compile(self.path)
        except re.error as error:
            raise ValueError(f"path is not a regular expression: {error}") from None
        for name, value in self.headers.items():
            if not re.fullmatch(r"[A-Za-z0-9-]+", name) or not re.fullmatch(r"[\x20-\x7e]*", value):
                raise ValueError("headers must be plain ASCII")
            if name.lower() in ("content-length", "transfer-encoding", "connection"):
                raise ValueError(f"{name} is set by the server; to break a response, use truncate or drop")
        return self

    @property
    def is_carried_out(self) -> bool:
        """True if the platform carries the request out."""
        return self.after or self.kind not in _NOT_CARRIED_OUT or (self.kind == "echo" and self.status < 300)


_RULES = TypeAdapter(list[FaultRule])


class Faults:
    """The faults in force, and how often each may still hit."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._rules: list[FaultRule] = []
        self._left: list[int | None] = []

    def replace(self, value: Any) -> None:
        """Take a new list; `[]` clears. Raise Refusal if it isn't one of faults."""
        try:
            rules = _RULES.validate_python(value)
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in problem["loc"])
            raise bad_request(f"{where or 'body'}: {problem['msg']}") from None
        self._rules = rules
        self._left = [rule.times for rule in rules]

    def as_json(self) -> list[dict[str, Any]]:
        """Return the rules in force, each with what is left of `times`."""
        return [rule.model_dump() | {"times": left} for rule, left in zip(self._rules, self._left, strict=True)]

    def match(self, method: str, path: str) -> FaultRule | None:
        """Find the first fault that hits this request, and count it."""
        for index, rule in enumerate(self._rules):
            left = self._left[index]
            if left == 0 or (rule.method or method).upper() != method or not re.search(rule.path, path):
                continue
            if rule.share < 1 and self._random.random() >= rule.share:
                continue
            if left is not None:
                self._left[index] = left - 1
            return rule
        return None

    def garbage(self) -> bytes:
        return b'\xff\xfe<html>{"dbObject":[' + self._random.randbytes(48)


def login_page() -> Response:
    """Respond as a network that wants a login does."""
    page = (
        b"<!DOCTYPE html>\n<html><head><title>Log in</title></head><body>Welcome to our network.</body></html>\n"
    )
    return Response(200, page, {"content-type": "text/html; charset=utf-8"})


def status_response(rule: FaultRule) -> Response:
    """Respond with the fault's status and the Error body."""
    body = {"error": "fault", "message": f"A fault rule returned {rule.status}."}
    return json_response(body, rule.status, dict(rule.headers))


MORE_PAGES = 3
"""Number of full pages that an answer of the kind `more` has on one."""

MORE_FIELDS = 1_000

MANY_ITEMS = 600_000
"""Tiny ones: 12 MiB of tasks, and 100 times that once parsed."""

HUGE_BYTES = 64 * 1024 * 1024

_CHUNK = b"x" * (64 * 1024)

_ECHOED = ("title", "body", "name", "message", "description", "customerName")
"""The fields that people read, which an echo is put into."""


def broken_answer(
    kind: str, answer: Response, endpoint: Endpoint[Any] | None, headers: Mapping[str, str], body: bytes
) -> Response:
    """Return the platform's answer as a fault of this kind breaks it; `headers` and `body` are the request's."""
    if kind == "empty":
        return Response(answer.status, b"")
    if kind == "gzip":
        return Response(answer.status, b"\x1f\x8b" + answer.body[::-1], {"content-encoding": "gzip"})
    if kind == "shape":
        return json_response([1, "two", None], answer.status)
    value = json.loads(answer.body) if answer.body else None
    if not isinstance(value, dict):
        value = {"message": value}
    field = endpoint.reply.field if endpoint and isinstance(endpoint.reply, One | Listing) else None
    if kind == "types":
        changed = _other_types(value[field]) if field in value else _other_types(value)
        return json_response(value | {field: changed} if field in value else changed, answer.status)
    if kind == "more":
        return json_response(_more(value, endpoint), answer.status)
    if kind == "many":
        return Response(answer.status, _many(value, endpoint).encode())
    return json_response(_with_echo(value, echo_text(headers, body)), answer.status)


def echo_response(status: int, headers: Mapping[str, str], body: bytes) -> Response:
    """Refuse with the request's headers and body in the Error body, and its headers in the answer's."""
    text = echo_text(headers, body)
    sent = {
        "x-echo": "; ".join(headers.values()),
        "location": "https://elsewhere.test/?" + "&".join(headers.values()),
    }
    shown = {name: value for name, value in sent.items() if value.isascii() and value.isprintable()}
    return json_response({"error": text, "message": f"you sent {text}", text[:200]: [headers]}, status, shown)


def echo_text(headers: Mapping[str, str], body: bytes) -> str:
    lines = [f"{name}: {value}" for name, value in headers.items()]
    return "\n".join([*lines, "", body[:2000].decode("utf-8", "replace")])


def huge_chunks(answer: Response) -> Iterator[bytes]:
    """Yield the platform's answer, with a text of 64 MiB in a field of its own in front."""
    yield b'{"unknown":"'
    for _ in range(HUGE_BYTES // len(_CHUNK)):
        yield _CHUNK
    yield b'",' + answer.body[1:] if answer.body.startswith(b"{") else b'"}'


def _other_types(value: Any) -> Any:
    """Give each value of an object another type, and each object of a list."""
    if isinstance(value, list):
        return [_other_types(each) if isinstance(each, dict) else [each] for each in value]
    if not isinstance(value, dict):
        return [value]
    return {name: _other_type(each) for name, each in value.items()}


def _other_type(value: Any) -> Any:
    if isinstance(value, bool | int | float):
        return {"number": str(value)}
    if isinstance(value, str):
        return [len(value)]
    return "text"


def _more(value: dict[str, Any], endpoint: Endpoint[Any] | None) -> dict[str, Any]:
    if endpoint is None or not isinstance(endpoint.reply, Listing):
        return value | {f"unknown{number}": number for number in range(MORE_FIELDS)}
    field, name = endpoint.reply.field, _id_field(endpoint)
    first = (value.get(field) or [{}])[0]
    count = MORE_PAGES * endpoint.page_size
    return value | {field: [first | {name: f"{first.get(name, '')}-{number}"} for number in range(count)]}


def _many(value: dict[str, Any], endpoint: Endpoint[Any] | None) -> str:
    if endpoint is None or not isinstance(endpoint.reply, Listing):
        return encode(value)[:-1] + (',"unknown":[' if value else '"unknown":[') + "{}," * MANY_ITEMS + "{}]}"
    name = _id_field(endpoint)
    items = ",".join(f'{{"{name}":"t{number}"}}' for number in range(MANY_ITEMS))
    return f'{{"{endpoint.reply.field}":[{items}],"hasMoreItemsToFetch":false}}'


def _id_field(endpoint: Endpoint[Any]) -> str:
    fields = endpoint.reply.item.model_fields
    return next(name for name in ("taskId", "messageId", "id") if name in fields)


def _with_echo(value: Any, echo: str) -> Any:
    """Put the echo after each text that people read, and into fields of no known name."""
    if isinstance(value, list):
        return [_with_echo(each, echo) for each in value]
    if not isinstance(value, dict):
        return value
    found = {
        name: f"{each} {echo}" if name in _ECHOED and isinstance(each, str) else _with_echo(each, echo)
        for name, each in value.items()
    }
    return found | {"unknown": {echo[:200]: [echo]}}


_LINES_AT_ONCE = 50

_PAUSE_SECONDS = 0.01
"""5,000 lines a second: without a pause they would also be a flood, which is another fault."""

MISSING_BYTES = 1_000
"""Bytes that an answer of the kind `longer` announces and doesn't have."""


async def send_broken(kind: str, answer: Response, seconds: float, scope: dict[str, Any]) -> None:
    """Write an answer that the kind breaks, `drip` within `seconds`, and wait until the connection has ended."""
    transport = transport_of(scope)
    if kind == "drip":
        await _drip(transport, _head(answer, len(answer.body)) + answer.body, seconds)
    elif kind == "longer":
        transport.write(_head(answer, len(answer.body) + MISSING_BYTES) + answer.body)
    elif kind == "shorter":
        transport.write(_head(answer, len(answer.body) // 2) + answer.body)
    elif kind == "cut":
        head = _head(answer, len(answer.body))
        transport.write(head[: len(head) // 2])
    else:
        for lines in _endless(kind, answer):
            if transport.is_closing():
                break
            transport.write(lines)
            await asyncio.sleep(_PAUSE_SECONDS)
    if kind in ("drip", "shorter", "cut"):
        transport.close()
    # `longer` keeps the connection open: what it announced may still come, until the client gives up.
    await wait_until_closed(scope)


def _endless(kind: str, answer: Response) -> Iterator[bytes]:
    if kind == "headers":
        yield f"HTTP/1.1 {answer.status} OK\r\n".encode()
    line = b"X-More: yes\r\n" if kind == "headers" else b"HTTP/1.1 100 Continue\r\n\r\n"
    while True:
        yield line * _LINES_AT_ONCE


async def _drip(transport: asyncio.Transport, content: bytes, seconds: float) -> None:
    began = time.monotonic()
    sent = 0
    while sent < len(content) and not transport.is_closing():
        share = min(1.0, (time.monotonic() - began + _PAUSE_SECONDS) / max(seconds, _PAUSE_SECONDS))
        until = max(sent + 1, int(len(content) * share))
        transport.write(content[sent:until])
        sent = until
        await asyncio.sleep(_PAUSE_SECONDS)


def _head(answer: Response, length: int) -> bytes:
    lines = [f"HTTP/1.1 {answer.status} OK", "content-type: application/json", f"content-length: {length}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()

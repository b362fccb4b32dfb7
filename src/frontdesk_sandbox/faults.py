"""Faults on demand: answers that come late, broken, or not at all (docs/command-line.md).

Set through `PUT /sandbox/faults`; the application asks for one before each request of the interface.
"""

import random
import re
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from frontdesk_sandbox.responses import Response, bad_request, json_response

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
"""Kinds that break HTTP itself (`broken_answers`)."""

BODIES = ("empty", "shape", "types", "echo", "more", "many", "gzip")
"""Kinds that break the body (`broken_answers`)."""


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
        """Take a new list; `[]` clears.

        Raises:
            Refusal: the list isn't one of faults.
        """
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

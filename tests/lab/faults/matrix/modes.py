"""The fault modes: what the platform, or something in its place, does to a request."""

from dataclasses import dataclass, field
from typing import Any

AN_HOUR = "3600"


@dataclass(frozen=True, slots=True)
class Mode:
    """A fault mode.

    Attributes:
        name: in the docs' table.
        rule: of the sandbox's fault (docs/command-line.md, Faults), without path and method.
        is_right: the answer is whole and the platform's, if late or long.
        items_broken: a page is believed, and its items are set aside as broken.
        echoes: sends the credentials back.
    """

    name: str
    rule: dict[str, Any] = field(hash=False)
    is_right: bool = False
    items_broken: bool = False
    echoes: bool = False

    @property
    def asks_to_wait(self) -> bool:
        """Whether the platform asks to be left in peace for longer than a person waits."""
        return bool(self.rule.get("headers", {}).get("Retry-After") == AN_HOUR)


def _status(name: str, status: int, retry_after: str | None = None, *, after: bool = False) -> Mode:
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return Mode(name, {"kind": "status", "status": status, "headers": headers, "after": after})


MODES = (
    Mode("late by a tenth of a second", {"kind": "delay", "seconds": 0.1}, is_right=True),
    _status("400, refused", 400),
    _status("401, refused", 401),
    _status("403, refused", 403),
    _status("404, refused", 404),
    _status("409, refused", 409),
    _status("429 without Retry-After", 429),
    _status("429, Retry-After 3", 429, "3"),
    _status("429, Retry-After an hour", 429, AN_HOUR),
    _status("429, Retry-After malformed", 429, "soon; 5, -3"),
    _status("500, not carried out", 500),
    _status("500, carried out", 500, after=True),
    _status("503, Retry-After 3", 503, "3"),
    Mode("closed, not carried out", {"kind": "drop"}),
    Mode("closed, carried out", {"kind": "drop", "after": True}),
    Mode("hangs, not carried out", {"kind": "hang"}),
    Mode("hangs, carried out", {"kind": "hang", "after": True}),
    Mode("closed within the headers", {"kind": "cut"}),
    Mode("closed within the JSON", {"kind": "truncate"}),
    Mode("garbage instead of JSON", {"kind": "garbage"}),
    Mode("garbage that says it is gzip", {"kind": "gzip"}),
    Mode("HTML with 200, not carried out", {"kind": "page"}),
    Mode("HTML with 200, carried out", {"kind": "page", "after": True}),
    Mode(
        "redirect to another host",
        {"kind": "status", "status": 307, "headers": {"Location": "http://127.0.0.1:1/"}},
    ),
    Mode("empty body", {"kind": "empty"}),
    Mode("JSON of another shape", {"kind": "shape"}),
    Mode("values of other types", {"kind": "types"}, items_broken=True),
    Mode("more than was asked for", {"kind": "more"}),
    Mode("600,000 tiny items", {"kind": "many"}),
    Mode("64 MiB", {"kind": "huge"}),
    Mode("dripping without a pause", {"kind": "drip", "seconds": 3600}),
    Mode("length larger than the body", {"kind": "longer"}),
    Mode("length smaller than the body", {"kind": "shorter"}),
    Mode("header lines without end", {"kind": "headers"}),
    Mode("100 Continue without end", {"kind": "continues"}),
    Mode("401 with the credentials", {"kind": "echo", "status": 401}, echoes=True),
    Mode("500 with the credentials", {"kind": "echo", "status": 500}, echoes=True),
    Mode("200 with the credentials", {"kind": "echo", "status": 200}, is_right=True, echoes=True),
)

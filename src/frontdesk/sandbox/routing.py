"""Finds the operation of a request by the raw path, so that an encoded slash stays inside its id.

Made from `api.contract.endpoints.OPERATIONS`; called by the application.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

from frontdesk.api.contract.endpoints import OPERATIONS, Endpoint
from frontdesk.sandbox.answers import Refusal, broken_rule, not_specified


@dataclass(frozen=True, slots=True)
class Match:
    """An operation and the decoded ids of its path."""

    endpoint: Endpoint[Any]
    ids: dict[str, str]


_TEMPLATES = tuple((endpoint, tuple(endpoint.path.strip("/").split("/"))) for endpoint in OPERATIONS)


def find_operation(method: str, raw_path: str) -> Match:
    """The operation that this request asks for.

    Raises:
        Refusal: 501 where the path is known with other methods only, 404 where it isn't known.
    """
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
    raise Refusal(404, "not_found", f"There is nothing at {raw_path!r}.")


def find_endpoint(method: str, raw_path: str) -> Endpoint[Any] | None:
    """The operation itself, or None where there is none."""
    try:
        return find_operation(method, raw_path).endpoint
    except Refusal:
        return None


def decode_segment(segment: str) -> str:
    """One path segment, percent-decoded (rules 82, 94, 203, 226)."""
    try:
        text = unquote_to_bytes(segment).decode()
    except UnicodeDecodeError:
        raise broken_rule("The path is not UTF-8.") from None
    if "\0" in text:
        raise broken_rule("The path contains NUL.")
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

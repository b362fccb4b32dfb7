"""Find the operation of a raw path, and the status codes of its answers.

An encoded slash stays inside its id. The OpenAPI document is made from `SHOWN` and `refusals`.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

from pydantic import BaseModel

from frontdesk_api.contract import endpoints
from frontdesk_api.contract.base import ErrorBody, MessageOnly
from frontdesk_api.contract.campaigns import CampaignCreated
from frontdesk_api.contract.endpoints import OPERATIONS, Endpoint
from frontdesk_sandbox.responses import Refusal, bad_request, not_specified


@dataclass(frozen=True, slots=True)
class Match:
    """An operation and the decoded ids of its path."""

    endpoint: Endpoint[Any]
    ids: dict[str, str]


_TEMPLATES = tuple((endpoint, tuple(endpoint.path.strip("/").split("/"))) for endpoint in OPERATIONS)


def find_operation(method: str, raw_path: str) -> Match:
    """Find the operation of a request.

    Raises:
        Refusal: 501 if the path is known with other methods only, 404 if it is unknown.
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
    raise Refusal(404, "not_found", f"Nothing at {raw_path!r}.")


def find_endpoint(method: str, raw_path: str) -> Endpoint[Any] | None:
    """Find the operation of a request, or None."""
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

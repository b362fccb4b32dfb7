"""Which status codes an operation answers: the few that the interface shows, and what else may come.

The OpenAPI document is made from it; `--other-codes` leaves alone what is shown here and varies the rest.
"""

import random
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from frontdesk.api.contract import endpoints
from frontdesk.api.contract.base import ErrorBody, MessageOnly
from frontdesk.api.contract.campaigns import CampaignCreated
from frontdesk.api.contract.endpoints import Endpoint

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
    """What else the sandbox may refuse this operation with, and when (docs/sandbox.md, Choices)."""
    found = {401: "Credentials are missing or wrong."}
    if endpoint.request or endpoint.query or "{" in endpoint.path:
        found[400] = "The request is malformed or breaks a rule."
    if "{" in endpoint.path:
        found[404] = "There is no such thing in this account."
    found[413] = "The body is too large."
    found[429] = "More requests a second than the throttle lets through."
    if not endpoint.specified:
        found[501] = "Turned off, since the interface gives it no description of its own."
    return dict(sorted(found.items()))


def other_code(status: int, endpoint: Endpoint[Any] | None, chance: random.Random) -> int:
    """A code of the same class, unless the interface shows this one for the operation.

    A code that the interface gives a meaning of its own is never taken for another.
    """
    shown = SHOWN.get(endpoint.name, {}) if endpoint else {}
    if status in shown or status not in _OTHERS:
        return status
    return chance.choice([code for code in _OTHERS[status] if code not in shown])

"""What models of the contract share: strict types, unknown fields kept, values frozen; and limits and refusals."""

from typing import Any

from pydantic import BaseModel, ConfigDict

JsonObject = dict[str, Any]
"""A loose object: its inside is not shown by the interface, so it is kept as it came."""


# docs/interface.md, Limits
MIN_TASKS_LIMIT = 1
MAX_TASKS_LIMIT = 100
DEFAULT_TASKS_LIMIT = 50
MIN_AI_AGENTS_LIMIT = 1
DEFAULT_AI_AGENTS_LIMIT = 25
MIN_TAG_IDS = 1


class Resource(BaseModel):
    """Something the platform stores. Fields may be missing and unknown ones are kept."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)


class Request(BaseModel):
    """A body or a query that a caller sends; dumped with `exclude_unset`."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)


class ClosedModel(BaseModel):
    """A body for which the interface says that no other property is accepted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ErrorBody(Resource):
    """The answer of a documented refusal (docs/interface.md, Errors). The interface doesn't show the values of
    `error`: never branch on them."""

    error: str
    message: str


class MessageOnly(Resource):
    """The 403 of analytics reset without the Expert AI plan: a message and nothing else."""

    message: str

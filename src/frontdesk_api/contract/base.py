"""Base models of the contract (strict types, unknown fields kept, frozen), limits, refusals."""

from pydantic import BaseModel, ConfigDict

from frontdesk_api.json_access import JsonObject as JsonObject

# docs/interface.md, Limits
MIN_TASKS_LIMIT = 1
MAX_TASKS_LIMIT = 100
DEFAULT_TASKS_LIMIT = 50
MIN_AI_AGENTS_LIMIT = 1
DEFAULT_AI_AGENTS_LIMIT = 25
MIN_TAG_IDS = 1


class Resource(BaseModel):
    """A resource of the platform. Fields may be missing and unknown ones are kept."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)


class Request(BaseModel):
    """A body or a query; dumped with `exclude_unset`."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)


class ClosedModel(BaseModel):
    """A body for which the interface accepts no other property."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ErrorBody(Resource):
    """A documented refusal (docs/interface.md, Errors). Never branch on `error`: its values aren't shown."""

    error: str
    message: str


class MessageOnly(Resource):
    """The 403 of analytics reset without the Expert AI plan."""

    message: str

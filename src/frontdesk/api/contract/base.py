"""What every model of the contract shares: strict types, unknown fields kept, values frozen."""

from typing import Any

from pydantic import BaseModel, ConfigDict

JsonObject = dict[str, Any]
"""A loose object: its inside is not shown by the interface, so it is kept as it came."""


class Resource(BaseModel):
    """Something the platform stores. Fields may be missing and unknown ones are kept."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)


class Request(BaseModel):
    """A body or a query that a caller sends; dumped with `exclude_unset`."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)


class ClosedModel(BaseModel):
    """A body for which the interface says that no other property is accepted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

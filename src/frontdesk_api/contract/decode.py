"""Decode answers into models, setting a broken item aside so that the page isn't lost.

The raw JSON stays with each model so that unknown fields reach the store and `--json` untouched.
"""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from frontdesk_api.contract.base import JsonObject
from frontdesk_api.contract.endpoints import Listing, One

ModelT = TypeVar("ModelT", bound=BaseModel)


class Undecodable(ValueError):
    """Raised when an answer doesn't have the interface's shape; `raw` is its one object."""

    raw: object = None


class PageTooLong(Undecodable):
    """Raised when a page has more items than it may."""


@dataclass(frozen=True, slots=True)
class Item(Generic[ModelT]):
    """An object as a model and as raw JSON; `blanked` names fields of a wrong type."""

    value: ModelT
    raw: JsonObject
    blanked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Broken:
    """An unreadable item, with the reason."""

    raw: object
    reason: str


@dataclass(frozen=True, slots=True)
class Page(Generic[ModelT]):
    """One page of a listing. `cursor` is sent back unchanged for the next page."""

    items: tuple[Item[ModelT], ...]
    broken: tuple[Broken, ...]
    has_more: bool
    cursor: JsonObject | None


def decode_one(reply: One[ModelT], data: object) -> Item[ModelT]:
    """Decode the one object of an answer; raise Undecodable if it is missing, isn't an object, or has no id."""
    if reply.field is not None:
        if not isinstance(data, dict) or reply.field not in data:
            raise Undecodable(f"the response has no {reply.field!r}")
        data = data[reply.field]
    item = decode_item(reply.model, data)
    if isinstance(item, Broken):
        error = Undecodable(item.reason)
        error.raw = item.raw
        raise error
    return item


def decode_page(reply: Listing[ModelT], data: object, *, max_items: int | None = None) -> Page[ModelT]:
    """Decode a page of a listing; unreadable items go into `broken`.

    Raises:
        Undecodable: the answer isn't an object with an array of items.
        PageTooLong: the page has more items than it may.
    """
    if not isinstance(data, dict) or not isinstance(data.get(reply.field), list):
        raise Undecodable(f"the response has no array {reply.field!r}")
    count = len(data[reply.field])
    if max_items is not None and count > max_items:
        raise PageTooLong(f"the response has {count:,} items, but a page has at most {max_items:,}")
    decoded = [decode_item(reply.item, raw) for raw in data[reply.field]]
    cursor = data.get("lastEvaluatedKey")
    return Page(
        items=tuple(each for each in decoded if isinstance(each, Item)),
        broken=tuple(each for each in decoded if isinstance(each, Broken)),
        has_more=data.get("hasMoreItemsToFetch") is True,
        cursor=cursor if isinstance(cursor, dict) and cursor else None,
    )


def decode_item(model: type[ModelT], raw: object) -> Item[ModelT] | Broken:
    """Decode one object. Optional fields of a wrong type become absent: only a bad id breaks an item."""
    if not isinstance(raw, dict):
        return Broken(raw, f"expected an object, got {type(raw).__name__}")
    try:
        return Item(model.model_validate(raw), raw)
    except ValidationError as error:
        wrong = {str(problem["loc"][0]) for problem in error.errors() if problem["loc"]}
        reason = "; ".join(_sentence(problem) for problem in error.errors()[:3])
    rest = {name: value for name, value in raw.items() if name not in wrong}
    try:
        return Item(model.model_validate(rest), raw, blanked=tuple(sorted(wrong)))
    except ValidationError:
        return Broken(raw, reason)


def _sentence(problem: Any) -> str:
    where = ".".join(str(part) for part in problem["loc"])
    return f"{where}: {problem['msg']}"

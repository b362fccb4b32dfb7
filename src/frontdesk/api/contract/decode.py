"""What the platform sent, as models: one broken item is set aside, the page is never lost.

The client calls it for every answer; the raw JSON travels beside the model so that unknown
fields reach the store and `--json` untouched.
"""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from frontdesk.api.contract.base import JsonObject
from frontdesk.api.contract.endpoints import Listing, One

ModelT = TypeVar("ModelT", bound=BaseModel)


class Undecodable(ValueError):
    """The answer hasn't the shape that the interface gives it. `raw` is the one object in it, as it came."""

    raw: object = None


@dataclass(frozen=True, slots=True)
class Item(Generic[ModelT]):
    """One object: as a model, as it came, and which of its fields had a wrong type."""

    value: ModelT
    raw: JsonObject
    blanked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Broken:
    """An item that couldn't be read at all, and why."""

    raw: object
    reason: str


@dataclass(frozen=True, slots=True)
class Page(Generic[ModelT]):
    """One page of a listing. `cursor` is sent back unchanged for the next one."""

    items: tuple[Item[ModelT], ...]
    broken: tuple[Broken, ...]
    has_more: bool
    cursor: JsonObject | None


def decode_one(reply: One[ModelT], data: object) -> Item[ModelT]:
    """The one object of an answer.

    Raises:
        Undecodable: it isn't there, isn't an object, or has no id.
    """
    if reply.field is not None:
        if not isinstance(data, dict) or reply.field not in data:
            raise Undecodable(f"the answer has no {reply.field!r}")
        data = data[reply.field]
    item = decode_item(reply.model, data)
    if isinstance(item, Broken):
        error = Undecodable(item.reason)
        error.raw = item.raw
        raise error
    return item


def decode_page(reply: Listing[ModelT], data: object) -> Page[ModelT]:
    """A page of a listing; items that can't be read stand in `broken`.

    Raises:
        Undecodable: the answer isn't an object with an array of items.
    """
    if not isinstance(data, dict) or not isinstance(data.get(reply.field), list):
        raise Undecodable(f"the answer has no array {reply.field!r}")
    items: list[Item[ModelT]] = []
    broken: list[Broken] = []
    for raw in data[reply.field]:
        item = decode_item(reply.item, raw)
        if isinstance(item, Broken):
            broken.append(item)
        else:
            items.append(item)
    cursor = data.get("lastEvaluatedKey")
    return Page(
        items=tuple(items),
        broken=tuple(broken),
        has_more=data.get("hasMoreItemsToFetch") is True,
        cursor=cursor if isinstance(cursor, dict) and cursor else None,
    )


def decode_item(model: type[ModelT], raw: object) -> Item[ModelT] | Broken:
    """One object as a model; optional fields of a wrong type are read as absent.

    An unexpected value is never a reason to reject data, so only an item
    without a usable id is broken.
    """
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

"""Every field of the platform's answers in which text can stand, read from the contract's models.

A new field of the contract is in these lists by itself, so that the tests ask where it is shown.
"""

import types
from collections.abc import Callable
from functools import cache
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel

from frontdesk_api.contract.base import ErrorBody, MessageOnly
from frontdesk_api.contract.endpoints import OPERATIONS, Listing, One

MAX_DEPTH = 2
"""How deep a model that holds itself is filled: a step of a workflow has sub-steps."""

LOOSE_NAMES = (
    *("text", "title", "name", "message", "caption", "description", "label", "value", "email", "url", "header"),
    *("footer", "body", "fileName", "type", "address", "postText", "permalink", "templateName", "messageType"),
    *("eventType", "aiAgentId", "language", "emoji", "reaction", "from", "id", "question", "condition", "content"),
)
"""Names in objects of any shape that screens read; there is text under each."""

Text = Callable[[str], str]
"""Makes the text for a field, by its path."""


def resources() -> tuple[type[BaseModel], ...]:
    """The models of all answers, refusals included."""
    found: dict[type[BaseModel], None] = {ErrorBody: None, MessageOnly: None}
    for endpoint in OPERATIONS:
        if isinstance(endpoint.reply, One):
            found[endpoint.reply.model] = None
        elif isinstance(endpoint.reply, Listing):
            found[endpoint.reply.item] = None
    return tuple(found)


@cache
def text_fields() -> tuple[str, ...]:
    """The path of each field that holds text or an object of any shape: `Task.title`, `Message.error{}`."""
    found: dict[str, None] = {}

    def note(path: str) -> str:
        found[path] = None
        return ""

    for model in resources():
        build(model, note)
    return tuple(found)


def build(model: type[BaseModel], text: Text, path: str = "", depth: int = 0) -> dict[str, Any]:
    """An object with every field of a model, each text made by `text`."""
    path = path or model.__name__
    return {
        name: _value(field.annotation, text, f"{path}.{name}", depth)
        for name, field in model.model_fields.items()
        if depth < MAX_DEPTH or not _holds_models(field.annotation)
    }


def loose(text: Text, path: str) -> dict[str, Any]:
    """An object of any shape: text under each name that is read somewhere, in lists, deeper, and as a name."""
    whole = f"{path}{{}}"
    words = {name: text(whole) for name in LOOSE_NAMES}
    several = {
        "buttons": [{"title": text(whole), "id": text(whole)}],
        "keywords": [text(whole)],
        "tagIds": [text(whole)],
        "sections": [{"rows": [{"title": text(whole)}]}],
        "error_data": {"details": text(whole)},
        "users": [text(whole)],
    }
    return {**words, **several, text(whole): text(whole)}


def _value(annotation: Any, text: Text, path: str, depth: int) -> object:
    kind = _plain(annotation)
    if get_origin(kind) is list:
        return [_value(get_args(kind)[0], text, f"{path}[]", depth)]
    if get_origin(kind) is dict or kind is Any:
        return loose(text, path)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return build(kind, text, path, depth + 1)
    if isinstance(kind, type) and issubclass(kind, str):
        return text(path)
    if kind is bool:
        return True
    assert kind in (int, float), f"{path}: no text is made for {annotation}"
    return 3


def _plain(annotation: Any) -> Any:
    """The type without None and without the name of an id or a time."""
    while True:
        if get_origin(annotation) in (Union, types.UnionType):
            (annotation,) = (each for each in get_args(annotation) if each is not types.NoneType)
        elif hasattr(annotation, "__supertype__"):
            annotation = annotation.__supertype__
        elif isinstance(annotation, str):  # a model that names itself
            from frontdesk_api.contract import workflows

            annotation = getattr(workflows, annotation)
        else:
            return annotation


def _holds_models(annotation: Any) -> bool:
    kind = _plain(annotation)
    inner = get_args(kind)[0] if get_origin(kind) is list else kind
    inner = _plain(inner)
    return isinstance(inner, type) and issubclass(inner, BaseModel)

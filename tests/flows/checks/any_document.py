"""Documents of workflows with anything in them: built from the contract's models and then broken somewhere."""

import copy
import types
import typing
from typing import Any

from hypothesis import strategies as st
from pydantic import BaseModel

from flows.checks.sample_workflows import Json, whole
from frontdesk_api.contract.workflows import Workflow
from frontdesk_flows.document import FLAG, NUMBER, TEXT, JsonKind

EVIL = "[/b]\x1b[2J\x9b31m\u202e$[5]{0}\ud800"
IDS = st.sampled_from(["start", "a", "b", "c", "d", "x", "y", "gone", "", EVIL])
WORDS = st.sampled_from(["", "Yes", "yes ", "No", EVIL, "Messages Created", "template"])
TYPES = st.sampled_from(
    [
        "whatsapp",
        "if",
        "wait",
        "workflowPointer",
        "answer",
        "noSelectionFallback",
        "whatsappTrigger",
        "stickyNote",
        "?",
    ]
)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.just(EVIL),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(max_size=4) | IDS, each, max_size=3),
    max_leaves=4,
)
LOOSE = st.fixed_dictionaries(
    {},
    optional={
        "out": st.lists(IDS, max_size=2),
        "waitForUserResponse": st.booleans(),
        "messageType": WORDS,
        "eventType": WORDS,
        "workflowId": IDS,
        "a->b": JUNK,
        EVIL: JUNK,
    },
)
NAMED = {"type": TYPES, "category": st.sampled_from(["Trigger", "Action", "Note", ""]), "title": WORDS}

KINDS: dict[Any, JsonKind] = {str: TEXT, float: NUMBER, bool: FLAG}


def plain(annotation: Any) -> Any:
    """The type behind `X | None`, `Annotated` and `NewType`."""
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        (annotation,) = (each for each in typing.get_args(annotation) if each is not type(None))
        return plain(annotation)
    return plain(annotation.__supertype__) if isinstance(annotation, typing.NewType) else annotation


def values(name: str, annotation: Any, depth: int) -> st.SearchStrategy[Any]:
    """What a field of a model may hold."""
    kind = plain(annotation)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return of_model(kind, depth - 1)
    if typing.get_origin(kind) is list:
        return st.lists(values(name, typing.get_args(kind)[0], depth), max_size=4) if depth > 0 else st.just([])
    if kind is str:
        return NAMED.get(name, IDS)
    return {float: st.floats() | st.integers(), bool: st.booleans()}.get(kind, LOOSE)


def of_model(model: type[BaseModel], depth: int = 3) -> st.SearchStrategy[Json]:
    """Objects that a model takes."""
    fields = {
        name: st.none() | values(name, field.annotation, depth) for name, field in model.model_fields.items()
    }
    wanted = {name: field for name, field in fields.items() if name in ("id", "trigger", "connections")}
    # In the order of the model and not of a set, so that each run of the tests tries the same documents.
    return st.fixed_dictionaries(wanted, optional={name: fields[name] for name in fields if name not in wanted})


ANY = of_model(Workflow)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container of a document, with each of its keys or places."""
    found: list[tuple[Any, Any]] = []
    todo = [value]
    while todo:
        at = todo.pop()
        keys = list(at) if isinstance(at, dict) else range(len(at)) if isinstance(at, list) else ()
        found += [(at, key) for key in keys]
        todo += [at[key] for key in keys]
    return found


@st.composite
def broken_documents(draw: st.DrawFn) -> Json:
    """A document of the models, or the whole one, with up to four of its parts replaced, repeated or taken out."""
    made = copy.deepcopy(draw(st.just(whole()) | ANY))
    for _ in range(draw(st.integers(0, 4))):
        at, key = draw(st.sampled_from(places(made)))
        change = draw(st.sampled_from(["junk", "id", "repeat", "drop"]))
        if change == "drop":
            del at[key]
        elif change == "repeat" and isinstance(at, list):
            at.append(copy.deepcopy(at[key]))
        else:
            at[key] = draw(IDS if change == "id" else JUNK)
        if not made:
            break
    return made

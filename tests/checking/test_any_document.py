"""Whatever a document holds: nothing is raised, findings are bounded and safe, and what has no error runs.

Documents are built from the contract's models and then broken somewhere.
"""

import copy
import json
import types
import typing
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from checking.workflows import Json, whole, workflow
from frontdesk.checking import document
from frontdesk.checking.check import MOST_FINDINGS, check
from frontdesk.checking.document import FLAG, LIST, NUMBER, OBJECT, TEXT, Fields, Kind
from frontdesk.checking.findings import Known, Severity
from frontdesk.contract.workflows import (
    Analytics,
    Canvas,
    CanvasEdge,
    CanvasNode,
    ExecutionNode,
    Position,
    Workflow,
)
from frontdesk.runtime.execution import Execution, Runner
from frontdesk.runtime.graph import read_graph

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

KINDS: dict[Any, Kind] = {str: TEXT, float: NUMBER, bool: FLAG}


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
    return st.fixed_dictionaries(wanted, optional={name: fields[name] for name in fields.keys() - wanted.keys()})


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


@settings(max_examples=120)
@given(raw=broken_documents(), known=st.sampled_from([None, Known(frozenset(), {"a": "web"}, {"a": (EVIL,)})]))
def test_anything_is_checked_and_told_safely(raw: Json, known: Known | None) -> None:
    findings = check(raw, known=known)
    assert findings == check(copy.deepcopy(raw), known=known)
    assert len(findings) <= MOST_FINDINGS + 1
    assert [each.severity for each in findings] == sorted(each.severity for each in findings)
    for each in findings:
        assert each.words.text.isprintable()
        assert "\u202e" not in each.words.text
        assert each.path.startswith("$")
        assert json.dumps([each.path, each.node_id])


@settings(max_examples=100)
@given(raw=broken_documents())
def test_what_the_contract_refuses_is_an_error(raw: Json) -> None:
    try:
        Workflow.model_validate(raw | {"id": "w"})
    except ValidationError:
        assert any(each.severity is Severity.ERROR for each in check(raw | {"id": "w"}, known=None))


@st.composite
def small_workflows(draw: st.DrawFn) -> Json:
    """Graphs of a few nodes that are whole in themselves, and lead anywhere."""
    names = draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4, unique=True))
    targets = st.lists(st.sampled_from([*names * 6, f"{names[0]}0", "start", "gone"]), max_size=2)
    parents = []
    for name in names:
        subs = [
            {
                "id": f"{name}{at}",
                "parentId": name,
                "type": draw(st.sampled_from(["answer", "answer", "noSelectionFallback", "awaitResponseTimeout"])),
                "title": draw(WORDS),
                "connections": {"out": draw(targets)},
            }
            for at in range(draw(st.integers(0, 2)))
        ]
        parents.append(
            {
                "id": name,
                "type": draw(st.sampled_from(["whatsapp", "whatsapp", "if", "switch", "wait", "task", "answer"])),
                "data": {"waitForUserResponse": draw(st.booleans()), "minutes": 1},
                "connections": {"out": draw(targets)},
                "subNodes": subs,
            }
        )
    return workflow(*parents)


@settings(max_examples=100)
@given(raw=small_workflows(), events=st.lists(st.sampled_from(["Yes", "no", "time"]), max_size=8))
def test_what_has_no_error_runs_and_never_misses_a_node(raw: Json, events: list[str]) -> None:
    if any(each.severity is Severity.ERROR for each in check(raw, known=None)):
        return
    graph = read_graph(raw)
    runner = Runner(lambda identity: graph if identity == graph.workflow_id else None)
    move = runner.start("w")
    assert move is not None
    for event in events:
        assert not move.execution.reason.startswith("there is no node")
        if move.execution.outcome is not None:
            return
        execution = Execution.from_json(move.execution.as_json())
        is_timer = event == "time" or execution.waits_for == "time"
        move = runner.time_is_up(execution) if is_timer else runner.answer(execution, event)


def test_the_fields_are_those_of_the_contract() -> None:
    def of(model: type[BaseModel]) -> Fields:
        kinds = {name: plain(field.annotation) for name, field in model.model_fields.items()}
        return {
            name: LIST if typing.get_origin(kind) is list else KINDS.get(kind, OBJECT)
            for name, kind in kinds.items()
        }

    assert of(Workflow) == document.WORKFLOW
    assert of(ExecutionNode) == document.NODE
    assert of(CanvasNode) == document.CANVAS_NODE
    assert of(Position) == document.POSITION
    assert of(CanvasEdge) == document.EDGE
    assert of(Canvas) == document.CANVAS
    assert of(Analytics) == document.ANALYTICS

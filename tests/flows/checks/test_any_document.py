"""Whatever a document holds: nothing is raised, findings are bounded and safe, and what has no error runs."""

import copy
import json
import typing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from examples import few
from flows.checks.any_document import EVIL, KINDS, WORDS, broken_documents, plain
from flows.checks.sample_workflows import Json, workflow
from frontdesk_api.contract.workflows import (
    Analytics,
    Canvas,
    CanvasEdge,
    CanvasNode,
    ExecutionNode,
    Position,
    Workflow,
)
from frontdesk_flows import document
from frontdesk_flows.checks.models import References, Severity
from frontdesk_flows.checks.run import MAX_FINDINGS, check
from frontdesk_flows.document import LIST, OBJECT, Fields
from frontdesk_flows.execution import Execution, Runner
from frontdesk_flows.graph import read_graph
from frontdesk_flows.pointers import graphs_among


@pytest.mark.slow
@settings(max_examples=120)
@given(
    raw=broken_documents(), known=st.sampled_from([None, References(frozenset(), {"a": "web"}, {"a": (EVIL,)})])
)
def test_anything_is_checked_and_told_safely(raw: Json, known: References | None) -> None:
    findings = check(raw, known=known)
    assert findings == check(copy.deepcopy(raw), known=known)
    assert len(findings) <= MAX_FINDINGS + 1
    assert [each.severity for each in findings] == sorted(each.severity for each in findings)
    for each in findings:
        assert each.words.text.isprintable()
        assert "\u202e" not in each.words.text
        assert each.path.startswith("$")
        assert json.dumps([each.path, each.node_id])


@pytest.mark.slow
@settings(max_examples=100)
@given(raw=broken_documents())
def test_what_the_contract_refuses_is_an_error(raw: Json) -> None:
    try:
        Workflow.model_validate(raw | {"id": "w"})
    except ValidationError:
        assert any(each.severity is Severity.ERROR for each in check(raw | {"id": "w"}, known=None))


@st.composite
def small_workflows(draw: st.DrawFn, pointers: tuple[str, ...] = ()) -> Json:
    """Graphs of a few nodes that are whole in themselves, and lead anywhere."""
    names = draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4, unique=True))
    targets = st.lists(st.sampled_from([*names * 6, f"{names[0]}0", "start", "gone"]), max_size=2)
    kinds = ["whatsapp", "whatsapp", "if", "switch", "wait", "task", "answer"]
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
                "type": draw(st.sampled_from([*kinds, *["workflowPointer"] * len(pointers)])),
                "data": {
                    **{"waitForUserResponse": draw(st.booleans()), "minutes": 1},
                    **({"workflowId": draw(st.sampled_from(pointers))} if pointers else {}),
                },
                "connections": {"out": draw(targets)},
                "subNodes": subs,
            }
        )
    return workflow(*parents)


@few
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
        move = runner.end_wait(execution) if is_timer else runner.answer(execution, event)


@pytest.mark.slow
@settings(max_examples=150)
@given(
    raws=st.lists(small_workflows(pointers=("w0", "w1", "w2", "lost")), min_size=1, max_size=3),
    junk=st.lists(broken_documents(), max_size=1),
)
def test_a_pointer_loop_is_found_where_a_run_without_a_wait_comes_back(raws: list[Json], junk: list[Json]) -> None:
    raws = [{**each, "id": f"w{at}"} for at, each in enumerate(raws)]
    graph_of = graphs_among([*raws, *junk])
    first = raws[0]
    if any(each.rule_id == "pointer-loop" for each in check(first, known=References(graph_of=graph_of))):
        return
    # Whatever way chance takes, no move from the start may come back to the workflow.
    for bits in range(64):
        runner = Runner(lambda identity: graph_of(identity), lambda _node, ways, bits=bits: bits % ways)
        move = runner.start("w0")
        if move is None:
            return
        assert sum(each.kind == "started" and each.workflow_id == "w0" for each in move.counts) <= 1


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

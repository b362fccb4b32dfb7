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
from frontdesk_flows.checks.rules import shared_trigger
from frontdesk_flows.checks.run import MAX_FINDINGS, check
from frontdesk_flows.document import LIST, OBJECT, STEP_TYPES, Fields
from frontdesk_flows.execution import Execution, Runner
from frontdesk_flows.graph import ON_BEGINNING, ON_MESSAGE, ON_TAG, Graph, fill_all, placeholders, read_graph
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


@few
@given(raw=small_workflows(), lost=st.integers(0, 20), handles=st.booleans())
def test_a_way_is_missed_on_the_canvas_where_its_edge_was_taken_out(raw: Json, lost: int, handles: bool) -> None:
    edges = raw["data"]["edges"]
    parent_of = {sub["id"]: each["id"] for each in raw["parsedData"] for sub in each["subNodes"]}
    ways = [each for each in edges if each["target"] in {node["id"] for node in raw["parsedData"]}]
    assert "not-drawn" not in rules_of(raw)
    if not ways:
        return
    gone = ways[lost % len(ways)]
    edges[:] = [each for each in edges if (each["source"], each["target"]) != (gone["source"], gone["target"])]
    # An edge from the node itself is as good as one from the exit.
    is_drawn = (parent_of.get(gone["source"]), gone["target"]) in {
        (each["source"], each["target"]) for each in edges
    }
    for each in edges if handles else ():  # as editors draw that have a handle for each exit
        each |= {"source": parent_of.get(each["source"], each["source"]), "sourceHandle": each["source"]}
    if edges:
        missed = {each.node_id for each in check(raw, known=None) if each.rule_id == "not-drawn"}
        assert missed == (set() if is_drawn else {gone["source"]})


TEXTS = st.sampled_from(
    ["Hi {name}", "{{customer.name}}", "{order}", "{{ lookup.day }}", "{saved}", "none", "", " "]
)


@st.composite
def talking_workflows(draw: st.DrawFn) -> Json:
    """Small workflows of messages, requests, agents, and nodes that nobody knows, which say something."""
    raw = draw(small_workflows())
    for each in raw["parsedData"]:
        each["type"] = draw(
            st.sampled_from(["whatsapp", "whatsapp", "task", "httpRequest", "ai", "courierBooking"])
        )
        each["title"] = draw(TEXTS)
        each["data"] |= draw(
            st.fixed_dictionaries(
                {},
                optional={
                    "message": TEXTS,
                    "url": TEXTS,
                    "messageType": st.sampled_from(["custom", "template", "ai", "carousel"]),
                    "saveAs": st.sampled_from(["saved", ""]),
                    "media": st.sampled_from([[], ["a.png"]]),
                },
            )
        )
    return raw


@few
@given(raw=talking_workflows(), declared=st.sets(st.sampled_from(["order", "lookup"])), bits=st.integers(0, 63))
def test_texts_addresses_and_placeholders_are_missed_where_a_run_has_none(
    raw: Json, declared: set[str], bits: int
) -> None:
    raw["variables"] = dict.fromkeys(declared, "")
    graph, findings = read_graph(raw), check(raw, known=None)
    values = {"name": "Ada", "customer.name": "Ada B"}
    values |= {each: "1" for each in ("order", "lookup.day") if each.partition(".")[0] in declared}
    if any(each.data.get("saveAs") == "saved" for each in graph.nodes.values()):
        values["saved"] = "1"
    accused = {each.node_id for each in findings if each.rule_id == "unset-placeholder"}
    for each in findings:
        data = graph.nodes[each.node_id].data if each.node_id in graph.nodes else {}
        if each.rule_id in ("no-text", "no-url", "unset-placeholder"):
            assert graph.nodes[each.node_id].type in STEP_TYPES, "nothing is said of unknown nodes"
        if each.rule_id == "no-text":
            assert not data.get("message", "").strip()
        if each.rule_id == "no-url":
            assert not data.get("url", "").strip()
        if each.rule_id == "unset-placeholder":
            assert [*placeholders(str(fill_all(data, values)))]
    if any(
        each.type not in ("whatsapp", "task") or each.data.get("messageType") == "ai"
        for each in graph.nodes.values()
    ):
        return
    move = Runner({"w": graph}.get, lambda _node, ways: bits % ways, values).start("w")
    for effect in () if move is None else move.effects:
        if [*placeholders(str(fill_all(effect.data, values)))]:
            assert effect.node_id in accused


@few
@given(
    event=st.sampled_from([ON_MESSAGE, ON_BEGINNING, ON_TAG, "Manual Trigger", "Of tomorrow"]),
    words=st.lists(
        st.lists(st.sampled_from(["price", "PRICE", "tag-1", "Hi"]), max_size=2), min_size=2, max_size=2
    ),
)
def test_two_triggers_are_the_same_where_one_message_or_tag_fits_both(event: str, words: list[list[str]]) -> None:
    graphs = [
        read_graph({"id": str(at), "trigger": {"data": {"eventType": event, "keywords": each}}})
        for at, each in enumerate(words)
    ]

    def fits(graph: Graph, text: str) -> bool:
        """Whether a text, or a tag of that id, starts a workflow by what the sandbox's runtime knows."""
        if event == ON_MESSAGE:
            return graph.keyword_in(text) is not None
        return event == ON_TAG and text in graph.keywords

    shared = shared_trigger(*graphs)
    assert (shared is None) is (shared_trigger(*reversed(graphs)) is None)
    if shared:
        assert all(fits(each, shared) or fits(each, shared.upper()) for each in graphs)
    elif shared is None and event != ON_BEGINNING:
        assert not any(all(fits(each, text) for each in graphs) for text in ("price", "PRICE", "tag-1", "Hi"))
    else:
        assert not any(each.keywords for each in graphs) or event == ON_BEGINNING


def rules_of(raw: Json) -> set[str]:
    return {each.rule_id for each in check(raw, known=None)}


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

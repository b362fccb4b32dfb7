"""Whatever a graph holds: it ends, nothing is raised, and the sums of the analytics agree."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.graphs import Json
from frontdesk_flows.execution import Count, Execution, Runner
from frontdesk_flows.graph import read_graph

IDS = st.sampled_from(["a", "b", "c", "d", "e", "gone"])
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(max_size=4), each, max_size=3),
    max_leaves=4,
)
KINDS = st.sampled_from(
    ["whatsapp", "if", "switch", "wait", "workflowPointer", "task", "ai", "stickyNote", "unheard of"]
)
SUB_KINDS = st.sampled_from(
    ["answer", "noSelectionFallback", "awaitResponseTimeout", "conditionEvaluation", "switchCaseEvaluation"]
)


def connections() -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({"out": st.lists(IDS, max_size=2)}) | JUNK


def datas() -> st.SearchStrategy[Any]:
    return (
        st.fixed_dictionaries(
            {},
            optional={
                "message": st.text(max_size=6) | JUNK,
                "waitForUserResponse": st.booleans() | JUNK,
                "workflowId": st.sampled_from(["one", "two", "three"]) | JUNK,
                "minutes": JUNK,
                "value": JUNK,
                "from": JUNK,
                "to": JUNK,
                "left": JUNK,
                "right": JUNK,
                "operator": st.sampled_from(["equals", "contains", "lessThan", "?"]),
                "result": st.booleans() | JUNK,
                "afterTries": JUNK,
                "payload": st.sampled_from(["x", "y"]),
            },
        )
        | JUNK
    )


def subs() -> st.SearchStrategy[Any]:
    return st.lists(
        st.fixed_dictionaries(
            {
                "id": st.sampled_from(["s1", "s2", "s3"]),
                "type": SUB_KINDS,
                "title": st.sampled_from(["Yes", "No", ""]),
                "data": datas(),
                "connections": connections(),
            }
        )
        | JUNK,
        max_size=3,
    )


def nodes() -> st.SearchStrategy[Any]:
    return (
        st.fixed_dictionaries(
            {"id": IDS, "type": KINDS, "data": datas(), "connections": connections(), "subNodes": subs() | JUNK}
        )
        | JUNK
    )


def workflows(identity: str) -> st.SearchStrategy[Json]:
    return st.fixed_dictionaries(
        {
            "id": st.just(identity),
            "isActive": st.sampled_from([True, True, True, False]),
            "trigger": st.fixed_dictionaries({"id": st.just("t"), "connections": connections()}) | JUNK,
            "parsedData": st.lists(nodes(), max_size=6) | JUNK,
            "settings": JUNK,
        }
    )


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(
    given_workflows=st.tuples(workflows("one"), workflows("two"), workflows("three")),
    events=st.lists(st.sampled_from(["Yes", "no", "x", "", "time"]), max_size=12),
)
def test_any_graph_ends_and_its_sums_agree(given_workflows: tuple[Json, ...], events: list[str]) -> None:
    graphs = {each["id"]: read_graph(each) for each in given_workflows}
    runner = Runner(graphs.get)
    move = runner.start("one")
    if move is None:
        return
    counts: Counter[Count] = Counter(move.counts)
    for event in events:
        if move.execution.outcome is not None:
            break
        execution = Execution.from_json(move.execution.as_json())
        is_timer = event == "time" or execution.waits_for == "time"
        move = runner.end_wait(execution) if is_timer else runner.answer(execution, event)
        counts.update(move.counts)
    living = {(frame.workflow_id, frame.node_id) for frame in move.execution.frames if not move.execution.outcome}
    check_sums(counts, graphs, living)


def check_sums(counts: Counter[Count], graphs: dict[str, Any], living: set[tuple[str, str]]) -> None:
    for identity, graph in graphs.items():

        def total(kind: str, about: str | None = None, identity: str = identity) -> int:
            return sum(
                number
                for each, number in counts.items()
                if each.workflow_id == identity and each.kind == kind and about in (None, each.about)
            )

        still = sum(workflow == identity for workflow, _ in living)
        assert (
            total("started") >= total("completed") + total("dropped") >= total("started") - still - 8 * bool(still)
        )
        for node in graph.nodes.values():
            entered, left, exited = (total(kind, node.id) for kind in ("entered", "left", "exited"))
            assert entered >= left + exited
            if not still:
                assert entered == left + exited
            own = {node.id} if not node.exits else {node.id, *(each.id for each in node.exits)}
            onward = sum(
                number
                for each, number in counts.items()
                if each.workflow_id == identity and each.kind == "traversed" and each.about in own
            )
            clicks = sum(total("clicked", exit_id) for exit_id in {each.id for each in node.exits})
            if sum(bool(own & {x.id for x in other.exits}) for other in graph.nodes.values()) <= 1:
                assert onward <= entered
                assert clicks <= entered

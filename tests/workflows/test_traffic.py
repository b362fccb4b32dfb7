"""Traffic on nodes and exits: shares add up, what is absent is no zero, what can't be true is said."""

import re
from typing import Any

import pytest

from flows.checks.sample_workflows import Json, node, sub, workflow
from frontdesk.workflows.view.tree import tree_heading, tree_row
from frontdesk_flows.graph import FALLBACK, TIMEOUT
from frontdesk_flows.traffic import (
    DropOff,
    Loss,
    TrafficState,
    WorkflowTraffic,
    find_drop_offs,
    find_loss,
    measure_traffic,
)
from frontdesk_flows.tree_layout import outline_of
from frontdesk_lines.glyphs import UNICODE
from frontdesk_sandbox.seeding.workflows import make_workflows
from sample_records import words


def asking(**analytics: Any) -> Json:
    """A question with two answers, a fallback and silence."""
    made = workflow(
        node(
            "ask",
            "whatsapp",
            None,
            sub("yes", "thank"),
            sub("no", "thank"),
            sub("else", None, FALLBACK),
            sub("silent", "thank", TIMEOUT),
            waitForUserResponse=True,
        ),
        node("thank"),
    )
    return made | {"analytics": {"totalStarted": 100, "totalCompleted": 80, "totalDropped": 15} | analytics}


def read(made: Json) -> WorkflowTraffic:
    return measure_traffic(outline_of(made).document)


def anomalies(traffic: WorkflowTraffic) -> list[str]:
    return [each.words.text for each in traffic.anomalies]


def test_counts_and_shares_of_nodes_and_exits() -> None:
    traffic = read(
        asking(
            nodeStats={"ask": {"enteredCount": 90, "completedCount": 60, "exitedCount": 20}},
            edgeStats={"yes->thank": {"traversalCount": 45}, "silent->thank:out": {"traversalCount": 9}},
            buttonStats={"yes": {"clickCount": 45}, "b1": {"subNodeId": "no", "clickCount": 0}},
        )
    )
    assert (traffic.conversion, traffic.in_progress) == (0.8, 5)
    ask = traffic.nodes["ask"]
    assert (ask.entered, ask.dropped, ask.still_here, ask.participation) == (90, 20, 10, 0.9)
    assert traffic.exits["yes"].share == 0.5
    assert (traffic.exits["no"].taken, traffic.exits["no"].share) == (0, 0.0)
    assert traffic.exits["silent"].share == 0.1
    assert traffic.exits["else"].taken is None
    assert anomalies(traffic) == []


@pytest.mark.parametrize(
    "edges",
    [
        {"ask->thank:yes": {"traversalCount": 7}},
        {"e1": {"sourceNodeId": "ask", "targetNodeId": "thank", "sourceHandle": "yes", "traversalCount": 7}},
        {"e1": {"sourceNodeId": "yes", "targetNodeId": "thank", "sourceHandle": "out", "traversalCount": 7}},
        {"yes->thank": {"traversalCount": 7}},
        {"yes->thank:a": {"traversalCount": 3}, "yes->thank:b": {"traversalCount": 4}},
        {"yes->thank": {"traversalCount": 7}, "yes->thank:a": {"traversalCount": 7}},
    ],
)
def test_an_exits_way_is_found_however_it_is_named(edges: Json) -> None:
    traffic = read(asking(edgeStats=edges))
    assert traffic.exits["yes"].taken == 7
    assert traffic.exits["no"].taken is None
    assert anomalies(traffic) == []


def test_a_way_that_names_the_node_alone_counts_only_where_one_exit_leads_there() -> None:
    made = workflow(node("if", "if", None, sub("a", "x"), sub("b", "y"), sub("c", "y")), node("x"), node("y"))
    counted = {"if->x": {"traversalCount": 5}, "if->y": {"traversalCount": 6}}
    traffic = read(made | {"analytics": {"edgeStats": counted}})
    assert [traffic.exits[each].taken for each in "abc"] == [5, None, None]


def test_a_plan_without_analytics_and_one_that_counted_nothing_are_told_apart() -> None:
    made = asking()
    assert read(made).state is TrafficState.SHOWN
    assert read(made).nodes["ask"].entered is None
    del made["analytics"]
    assert read(made).state is TrafficState.NOT_ON_PLAN
    assert read(made).started is None
    assert (
        read(made | {"analytics": {"totalStarted": 0, "totalCompleted": 0, "totalDropped": 0}}).conversion is None
    )


@pytest.mark.parametrize(
    ("analytics", "said"),
    [
        ({"totalStarted": 3}, "80 completed and 15 dropped, but only 3 started"),
        ({"totalStarted": -1}, "totalStarted isn't a valid count"),
        ({"totalStarted": True}, "totalStarted isn't a valid count"),
        ({"totalStarted": "many"}, "totalStarted isn't a valid count"),
        ({"totalStarted": 100.5}, "totalStarted isn't a valid count"),
        ({"totalStarted": float("inf")}, "totalStarted isn't a valid count"),
        ({"totalStarted": 10**400}, "totalStarted isn't a valid count"),
        ({"nodeStats": 7}, "nodeStats isn't an object"),
        ({"nodeStats": {"ask": 7}}, 'nodeStats of "ask" isn\'t an object'),
        ({"nodeStats": {"gone": {}}}, '"gone" has counts but isn\'t in the graph'),
        ({"edgeStats": {"yes->gone": {}}}, 'the edge "yes->gone" has counts but isn\'t in the graph'),
        ({"edgeStats": {"yes->thank": {"traversalCount": None}}}, None),
        ({"buttonStats": {"gone": {"clickCount": 1}}}, '"gone" has counts but isn\'t in the graph'),
        (
            {"nodeStats": {"ask": {"enteredCount": 5, "completedCount": 4, "exitedCount": 3}}},
            '"ask": 4 completed and 3 dropped, but only 5 entered',
        ),
        (
            {"nodeStats": {"ask": {"enteredCount": 5}}, "buttonStats": {"yes": {"clickCount": 6}}},
            '"ask": 6 took an exit, but only 5 entered',
        ),
        (
            {"buttonStats": {"yes": {"clickCount": 1}}, "edgeStats": {"yes->thank": {"traversalCount": 2}}},
            '"yes": 2 continued, but only 1 took this exit',
        ),
    ],
)
def test_what_is_no_count_or_can_not_be_true_is_said(analytics: Json, said: str | None) -> None:
    traffic = read(asking(**analytics))
    assert anomalies(traffic) == ([said] if said else [])
    assert traffic.in_progress is None or traffic.in_progress >= 0


def test_the_sandboxs_own_workflows_leave_no_doubt() -> None:
    for raw in make_workflows(1_790_000_000):
        assert anomalies(read(raw)) == []


def test_who_dropped_out_comes_before_who_took_an_exit_and_exits_nobody_takes_come_last() -> None:
    made = asking(
        nodeStats={"ask": {"enteredCount": 90, "completedCount": 60, "exitedCount": 20}},
        buttonStats={
            "yes": {"clickCount": 45},
            "no": {"clickCount": 0},
            "else": {"clickCount": 3},
            "silent": {"clickCount": 22},
        },
    )
    outline = outline_of(made)
    found = find_drop_offs(outline, measure_traffic(outline.document))
    assert [(each.drop_off, each.customers, outline.rows[each.row].id) for each in found] == [
        (DropOff.DROPPED, 20, "ask"),
        (DropOff.SILENT, 22, "silent"),
        (DropOff.NOT_UNDERSTOOD, 3, "else"),
        (DropOff.UNUSED, 0, "no"),
    ]
    assert [each.ends for each in found] == [True, False, True, False]
    assert found[1].share == 22 / 90
    assert find_drop_offs(outline, WorkflowTraffic(TrafficState.NOT_ON_PLAN)) == ()


@pytest.mark.parametrize("absent", ["completedCount", "exitedCount"])
def test_who_is_still_in_a_node_is_not_known_where_who_left_it_is_not(absent: str) -> None:
    counts = {"enteredCount": 90, "completedCount": 60, "exitedCount": 20}
    assert read(asking(nodeStats={"ask": counts})).nodes["ask"].still_here == 10
    del counts[absent]
    assert read(asking(nodeStats={"ask": counts})).nodes["ask"].still_here is None


@pytest.mark.parametrize(
    ("width", "labels"),
    [
        (80, "entered of runs of node waiting dropped"),
        (69, "entered of runs of node waiting dropped"),
        (60, "entered of node waiting dropped"),
        (57, "entered of node dropped"),
        (45, "entered of node"),
    ],
)
def test_each_share_has_a_column_that_names_what_it_is_of(width: int, labels: str) -> None:
    made = asking(
        totalStarted=200,
        nodeStats={"ask": {"enteredCount": 100, "completedCount": 60, "exitedCount": 20}},
        buttonStats={"yes": {"clickCount": 45}},
    )
    outline = outline_of(made)
    traffic = measure_traffic(outline.document)
    heading = words(tree_heading(traffic, width))
    assert " ".join(heading.split()).endswith(labels)
    asked, answered = (
        words(tree_row(outline.rows[outline.row_of[each]], traffic, width, UNICODE)) for each in ("ask", "yes")
    )
    of_node = heading.index("of node") + len("of node")
    assert answered[:of_node].endswith("45%")
    if "of runs" in labels:
        assert asked[: heading.index("of runs") + len("of runs")].endswith("50%")
    assert "%" not in asked[of_node - 4 : of_node]


def test_who_waits_at_a_node_has_a_column_and_is_no_zero_where_that_is_unknown() -> None:
    def cells(**counts: int) -> tuple[str, str]:
        made = asking(nodeStats={"ask": counts})
        outline, traffic = outline_of(made), read(made)
        heading = words(tree_heading(traffic, 90))
        end = heading.index("waiting") + len("waiting")
        rows = [outline.rows[outline.row_of[each]] for each in ("start", "ask")]
        trigger, ask = (words(tree_row(each, traffic, 90, UNICODE))[end - 7 : end].strip() for each in rows)
        return trigger, ask

    assert cells(enteredCount=2_000, completedCount=60, exitedCount=20) == ("5", "1,920")
    assert cells(enteredCount=80, completedCount=60, exitedCount=20) == ("5", "")
    assert cells(enteredCount=80, completedCount=60) == ("5", "?")


@pytest.mark.parametrize(("width", "said"), [(60, False), (59, True), (45, True)])
def test_who_waits_is_told_beside_the_title_where_there_is_no_room_for_the_column(width: int, said: bool) -> None:
    made = asking(nodeStats={"ask": {"enteredCount": 90, "completedCount": 60, "exitedCount": 20}})
    outline, traffic = outline_of(made), read(made)
    for each, is_node in (("start", False), ("ask", True), ("yes", False)):
        line = words(tree_row(outline.rows[outline.row_of[each]], traffic, width, UNICODE))
        assert ("10 waiting" in line) is (said and is_node)


def test_a_loss_names_the_node_that_drops_most_and_is_unknown_where_nothing_was_counted() -> None:
    def loss(made: Json) -> Loss | None:
        document = outline_of(made).document
        return find_loss(document, measure_traffic(document))

    stats = {"ask": {"enteredCount": 90, "exitedCount": 4}, "thank": {"enteredCount": 50, "exitedCount": 11}}
    found = loss(asking(nodeStats=stats))
    assert found is not None
    assert found.node is not None
    assert (found.customers, found.share, found.node.id, found.at_node) == (15, 0.15, "thank", 11)
    assert loss(asking(nodeStats={})) == Loss(15, 100)
    assert loss(asking(totalDropped=None)) is None
    assert loss(asking() | {"analytics": None}) is None
    zeros = dict.fromkeys(("totalStarted", "totalCompleted", "totalDropped"), 0)
    assert loss(asking(**zeros) | {"executionCount": 0}) == Loss(0, 0)
    assert loss(asking(**zeros) | {"executionCount": 9}) is None, "nothing was counted since the reset"


@pytest.mark.parametrize("period", ["", "counted since the last reset", "since yesterday"])
def test_the_columns_names_stand_at_least_two_blanks_apart(period: str) -> None:
    traffic = measure_traffic(outline_of(asking(totalStarted=200)).document)
    for width in range(45, 141):
        heading = words(tree_heading(traffic, width, period))
        left, *names = re.split(r" {2,}", heading.rstrip())
        assert "entered" not in left, width
        assert names == [
            each for each in ("entered", "of runs", "of node", "waiting", "dropped") if each in heading
        ], width

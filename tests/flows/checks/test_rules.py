"""Each rule of the catalogue has workflows that break it and others, close to them, that don't."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from call_counts import count_calls
from flows.checks.sample_workflows import (
    Json,
    broken,
    chain,
    draw,
    drawn,
    exit_of,
    node,
    parent,
    sub,
    whole,
    workflow,
)
from frontdesk_flows.checks.models import Finding, References, Severity
from frontdesk_flows.checks.rules import RULES
from frontdesk_flows.checks.run import (
    MAX_FINDINGS,
    MORE,
    check,
    count_findings,
    find_skipped_rules,
    has_graph,
    references_among,
)
from frontdesk_flows.graph import read_graph
from frontdesk_flows.pointers import graphs_among
from frontdesk_sandbox.fixtures import LINES
from frontdesk_sandbox.seeding.workflows import make_workflows

ALL = References(frozenset({"other", "w"}), {"line": "whatsapp"}, {}, active_on=lambda _: ())


def found(raw: Json, known: References | None = ALL) -> list[tuple[str, str]]:
    return [(each.rule_id, each.path) for each in check(raw, known=known)]


def edit(made: Json, *path: Any, to: Any) -> Json:
    """Set what stands at a path of keys and places."""
    at: Any = made
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = to
    return made


def drop(made: Json, *path: Any) -> Json:
    at: Any = made
    for step in path[:-1]:
        at = at[step]
    del at[path[-1]]
    return made


def added(*parents: Json, **more: Any) -> Json:
    """The whole workflow, with more nodes behind its `thank`, drawn anew."""
    made = whole()
    made["parsedData"] += parents
    parent(made, "thank")["connections"]["out"] = [parents[0]["id"]]
    draw(made)
    return made | more


def lone(*parents: Json, **more: Any) -> Json:
    return workflow(*parents, **more)


def repeated_trigger() -> Json:
    made = whole()
    made["parsedData"].append(made["trigger"] | {"subNodes": []})
    return made


def exit_listed() -> Json:
    made = whole()
    made["parsedData"].append(dict(exit_of(made, "yes")))
    return made


def waiting(*subs: Json) -> Json:
    return node("q", "whatsapp", None, *subs, messageType="custom", message="?", waitForUserResponse=True)


def listening(*keywords: str) -> Json:
    return edit(whole(), "trigger", "data", "keywords", to=list(keywords))


def handled(handle: str, target: str) -> Json:
    """The whole workflow, the first answer of which is drawn from its node with a handle."""
    return edit(
        whole(),
        "data",
        "edges",
        1,
        to={"id": "e", "source": "ask", "sourceHandle": handle, "target": target},
    )


FALLBACK, TIMEOUT = ("noSelectionFallback", "awaitResponseTimeout")

BREAKS: dict[str, list[tuple[Json, str]]] = {
    "no-trigger": [
        (drop(whole(), "trigger"), "$.trigger"),
        (edit(whole(), "trigger", to=None), "$.trigger"),
        (edit(whole(), "trigger", to=["start"]), "$.trigger"),
    ],
    "trigger-leads-nowhere": [
        (edit(whole(), "trigger", "connections", "out", to=[]), "$.trigger.connections.out"),
        (drop(whole(), "trigger", "connections"), "$.trigger.connections.out"),
    ],
    "wrong-shape": [
        (edit(whole(), "name", to=5), "$.name"),
        (edit(whole(), "isActive", to=1), "$.isActive"),
        (edit(whole(), "lastModified", to=True), "$.lastModified"),
        (edit(whole(), "parsedData", to={}), "$.parsedData"),
        (edit(whole(), "parsedData", 1, to="thank"), "$.parsedData[1]"),
        (edit(whole(), "parsedData", 1, "connections", to=[]), "$.parsedData[1].connections"),
        (edit(whole(), "parsedData", 1, "connections", "out", to="on"), "$.parsedData[1].connections.out"),
        (edit(whole(), "parsedData", 2, "connections", "out", 0, to=7), "$.parsedData[2].connections.out[0]"),
        (edit(whole(), "parsedData", 0, "subNodes", 0, "title", to=[]), "$.parsedData[0].subNodes[0].title"),
        (
            edit(whole(), "parsedData", 0, "subNodes", 0, "subNodes", to=[sub("deep")]),
            "$.parsedData[0].subNodes[0].subNodes",
        ),
        (edit(whole(), "data", "nodes", 1, "position", to=[0, 0]), "$.data.nodes[1].position"),
        (edit(whole(), "data", "edges", 0, to=None), "$.data.edges[0]"),
        (edit(whole(), "analytics", "nodeStats", to=[]), "$.analytics.nodeStats"),
    ],
    "no-id": [
        (edit(whole(), "parsedData", 1, "id", to=""), "$.parsedData[1]"),
        (drop(whole(), "parsedData", 0, "subNodes", 3, "id"), "$.parsedData[0].subNodes[3]"),
        (drop(whole(), "data", "nodes", 0, "id"), "$.data.nodes[0]"),
    ],
    "missing-target": [
        (edit(whole(), "trigger", "connections", "out", to=["gone"]), "$.trigger.connections.out[0]"),
        (
            edit(whole(), "parsedData", 0, "subNodes", 0, "connections", "out", 0, to="gone"),
            "$.parsedData[0].subNodes[0].connections.out[0]",
        ),
        (edit(whole(), "data", "edges", 0, "target", to="gone"), "$.data.edges[0].target"),
        (drop(whole(), "data", "edges", 0, "source"), "$.data.edges[0].source"),
    ],
    "wrong-target": [
        (edit(whole(), "parsedData", 2, "connections", "out", to=["yes"]), "$.parsedData[2].connections.out[0]"),
        (edit(whole(), "parsedData", 2, "connections", "out", to=["start"]), "$.parsedData[2].connections.out[0]"),
    ],
    "duplicate-id": [
        (broken(lambda made: made["parsedData"].append(node("thank"))), "$.parsedData[4]"),
        (edit(whole(), "parsedData", 0, "subNodes", 1, "id", to="yes"), "$.parsedData[0].subNodes[1]"),
        (edit(whole(), "parsedData", 0, "subNodes", 1, "id", to="start"), "$.parsedData[0].subNodes[1]"),
        (broken(lambda made: made["data"]["nodes"].append(drawn(made, "ask"))), "$.data.nodes[9]"),
    ],
    "trigger-in-graph": [
        (repeated_trigger(), "$.parsedData[4]"),
        (edit(whole(), "parsedData", 1, "category", to="Trigger"), "$.parsedData[1]"),
    ],
    "exit-as-node": [
        (exit_listed(), "$.parsedData[4]"),
        (added(node("stray", "answer")), "$.parsedData[4]"),
        (edit(whole(), "parsedData", 1, "parentId", to="ask"), "$.parsedData[1]"),
    ],
    "wrong-parent": [
        (
            edit(whole(), "parsedData", 0, "subNodes", 0, "parentId", to="thank"),
            "$.parsedData[0].subNodes[0].parentId",
        ),
        (drop(whole(), "data", "nodes", 2, "parentId"), "$.data.nodes[2].parentId"),
    ],
    "no-graph": [
        (drop(whole(), "parsedData"), "$.parsedData"),
        (edit(whole(), "parsedData", to=[]), "$.parsedData"),
    ],
    "no-canvas": [
        (drop(whole(), "data"), "$.data"),
        (edit(whole(), "data", to={"nodes": [], "edges": []}), "$.data"),
    ],
    "ids-differ": [
        (drop(whole(), "data", "nodes", 6), "$.parsedData[1]"),
        (broken(lambda made: made["data"]["nodes"].append({"id": "extra"})), "$.data.nodes[9]"),
    ],
    "no-line": [
        (drop(whole(), "associatedToBusinessId"), "$.associatedToBusinessId"),
        (edit(whole(), "associatedToBusinessId", to=" "), "$.associatedToBusinessId"),
        (
            lone(node("a", "ai", messageType="ai"), associatedToBusinessId=None, associatedToPlatformId="line"),
            "$.associatedToBusinessId",
        ),
    ],
    "template-inbound": [
        (edit(whole(), "parsedData", 1, "data", "messageType", to="template"), "$.parsedData[1].data.messageType"),
        (
            edit(
                drop(whole() | {"triggerType": "New Conversation Started"}, "trigger", "data"),
                "parsedData",
                1,
                "data",
                to={"messageType": "template"},
            ),
            "$.parsedData[1].data.messageType",
        ),
    ],
    "pointer-empty": [
        (drop(whole(), "parsedData", 3, "data", "workflowId"), "$.parsedData[3].data.workflowId"),
        (edit(whole(), "parsedData", 3, "data", "workflowId", to=3), "$.parsedData[3].data.workflowId"),
    ],
    "pointer-unknown": [
        (edit(whole(), "parsedData", 3, "data", "workflowId", to="lost"), "$.parsedData[3].data.workflowId")
    ],
    "no-url": [
        (added(node("h", "httpRequest", method="GET")), "$.parsedData[4].data.url"),
        (added(node("h", "httpRequest", url=" ", headers={"a": "b"})), "$.parsedData[4].data.url"),
    ],
    "no-text": [
        (drop(whole(), "parsedData", 1, "data", "message"), "$.parsedData[1].data.message"),
        (edit(whole(), "parsedData", 1, "data", "message", to=" \n"), "$.parsedData[1].data.message"),
        (edit(whole(), "parsedData", 1, "data", to={"title": "Thanks"}), "$.parsedData[1].data.message"),
    ],
    "unset-placeholder": [
        (edit(whole(), "parsedData", 1, "data", "message", to="Hi {{ ordr }}"), "$.parsedData[1].data.message"),
        (
            added(node("i", "if", None, sub("f", "on"), left="{{lookup.status}}", right="200")),
            "$.parsedData[4].data.left",
        ),
        (added(node("h", "httpRequest", url="x", body={"a": ["{order}"]})), "$.parsedData[4].data.body"),
        (
            added(node("t", "task", "h", title="{a.b}"), node("h", "httpRequest", url="https://x.example")),
            "$.parsedData[4].data.title",
        ),
    ],
    "same-trigger": [(whole(), "$.trigger"), (listening("price", "REFUND"), "$.trigger.data.keywords")],
    "not-drawn": [
        (drop(whole(), "data", "edges", 0), "$.trigger.connections.out[0]"),
        (drop(whole(), "data", "edges", 1), "$.parsedData[0].subNodes[0].connections.out[0]"),
        (edit(whole(), "data", "edges", -1, "target", to="ask"), "$.parsedData[2].connections.out[0]"),
        (edit(whole(), "data", "edges", to=[]), "$.data.edges"),
        (handled("no", "thank"), "$.parsedData[0].subNodes[0].connections.out[0]"),
    ],
    "unreachable": [
        (edit(whole(), "parsedData", 2, "connections", "out", to=[]), "$.parsedData[3]"),
        (edit(whole(), "parsedData", 2, "connections", "out", to=["thank", "on"]), "$.parsedData[3]"),
    ],
    "waits-for-nothing": [
        (added(waiting()), "$.parsedData[4]"),
        (added(waiting(sub("a"), sub("b", None, FALLBACK), sub("c", None, TIMEOUT))), "$.parsedData[4]"),
    ],
    "loop-without-wait": [
        (added(node("round", "task", "round")), "$.parsedData[4]"),
        (added(node("a", "task", "b"), node("b", "task", "a")), "$.parsedData[4]"),
        (
            added(node("a", "if", None, sub("f", "b", "conditionEvaluation")), node("b", "task", "a")),
            "$.parsedData[4]",
        ),
    ],
    "pointer-loop": [
        (lone(node("on", "workflowPointer", workflowId="w")), "$.parsedData[0].data.workflowId"),
        (
            lone(node("a", "task", "on"), node("on", "workflowPointer", workflowId="back")),
            "$.parsedData[1].data.workflowId",
        ),
    ],
    "equal-answers": [
        (edit(whole(), "parsedData", 0, "subNodes", 1, "title", to=" take YES "), "$.parsedData[0].subNodes[1]")
    ],
    "no-fallback": [(added(waiting(sub("a", "on"), sub("c", "on", TIMEOUT))), "$.parsedData[4]")],
    "no-timeout": [
        (added(waiting(sub("a", "on"), sub("c", "on", FALLBACK))), "$.parsedData[4]"),
        (added(node("q", to="on", waitForUserResponse=True)), "$.parsedData[4]"),
    ],
    "several-targets": [
        (
            edit(whole(), "parsedData", 2, "connections", "out", to=["on", "thank"]),
            "$.parsedData[2].connections.out",
        ),
        (edit(whole(), "trigger", "connections", "out", to=["ask", "on"]), "$.trigger.connections.out"),
    ],
    "no-title": [
        (edit(whole(), "parsedData", 1, "title", to=" "), "$.parsedData[1].title"),
        (drop(whole(), "trigger", "title"), "$.trigger.title"),
        (edit(whole(), "parsedData", 0, "subNodes", 0, "title", to=""), "$.parsedData[0].subNodes[0].title"),
    ],
    "channel-differs": [(edit(whole(), "platformType", to="instagram"), "$.platformType")],
    "inactive-scheduled": [(whole() | {"id": "offers", "isActive": False}, "$.isActive")],
    "unknown-type": [
        (edit(whole(), "parsedData", 1, "type", to="courierBooking"), "$.parsedData[1].type"),
        (edit(whole(), "parsedData", 0, "subNodes", 0, "type", to="whatsapp"), "$.parsedData[0].subNodes[0].type"),
        (
            broken(lambda made: made["trigger"].update(type="timer", category="Action")),
            "$.trigger.type",
        ),
        (drop(whole(), "parsedData", 1, "type"), "$.parsedData[1].type"),
    ],
    "too-many-nodes": [(chain(101), "$.parsedData")],
    "stale-stats": [
        (edit(whole(), "analytics", "nodeStats", "gone", to={}), '$.analytics.nodeStats["gone"]'),
        (edit(whole(), "analytics", "edgeStats", "yes->gone", to={}), '$.analytics.edgeStats["yes->gone"]'),
        (
            edit(whole(), "analytics", "edgeStats", "k", to={"sourceNodeId": "yes", "targetNodeId": "gone"}),
            '$.analytics.edgeStats["k"]',
        ),
        (
            edit(whole(), "analytics", "buttonStats", "yes", to={"subNodeId": "gone"}),
            '$.analytics.buttonStats["yes"]',
        ),
    ],
}
"""By rule, workflows that break it, and where."""

KEEPS: dict[str, list[Json]] = {
    "trigger-leads-nowhere": [edit(whole(), "trigger", "connections", "out", to=["thank"])],
    "wrong-shape": [whole() | {"notes": None, "unheard of": [1], "lastModified": 1.5, "executionCount": 3}],
    "missing-target": [drop(whole(), "parsedData")],
    "trigger-in-graph": [edit(whole(), "parsedData", 1, "category", to="Note")],
    "wrong-parent": [drop(whole(), "parsedData", 0, "subNodes", 0, "parentId")],
    "no-graph": [edit(whole(), "data", to={"nodes": []}) | {"parsedData": []}],
    "ids-differ": [
        broken(lambda made: made["data"]["nodes"].append({"id": "memo", "type": "stickyNote"})),
        drop(whole(), "data"),
    ],
    "no-line": [lone(node("t", "task"), associatedToBusinessId=None)],
    "template-inbound": [
        broken(
            lambda made: (
                made["trigger"]["data"].update(eventType="Manual Trigger"),
                parent(made, "thank")["data"].update(messageType="template"),
            )
        )
    ],
    "pointer-empty": [edit(whole(), "parsedData", 3, "data", "workflowId", to="lost")],
    "pointer-unknown": [edit(whole(), "parsedData", 3, "data", "workflowId", to="w")],
    "unreachable": [
        broken(lambda made: made["parsedData"].append(node("memo", "stickyNote"))),
    ],
    "no-url": [
        added(node("h", "httpRequest", url="{{address}}")),
        added(node("h", "httpRequest", method="GET", webhookId="hook-1")),
        added(node("h", "courierBooking")),
    ],
    "no-text": [
        added(node("m", messageType="ai")),
        added(node("m", messageType="carousel")),
        added(node("m", messageType="template", templateName="hello")),
        added(node("m", messageType="custom", media={"url": "https://x.example/a.png"})),
        added(node("m", messageType="custom", message={"text": "Hi"})),
        added(node("m", "telegram", messageType="custom")),
    ],
    "unset-placeholder": [
        edit(
            whole(), "parsedData", 1, "data", "message", to="Hi {name}, {{customer.city}} {{now.day}}, {{1}} {a b}"
        ),
        edit(whole(), "parsedData", 1, "data", "message", to="Hi {order.id}") | {"variables": {"order": ""}},
        edit(whole(), "parsedData", 1, "data", "message", to="{ask.title}"),
        edit(
            edit(whole(), "parsedData", 1, "data", "message", to="{order}"),
            *("parsedData", 0, "data", "saveAs"),
            to="order",
        ),
        added(node("h", "httpRequest", "m", url="https://x.example"), node("m", message="{lookup.day}")),
        added(node("h", "courierBooking", "m"), node("m", message="{courier}")),
        added(node("a", messageType="ai", message="") | {"connections": {"out": ["m"]}}, node("m", message="{x}")),
        added(node("p", "workflowPointer", "m", workflowId="asks"), node("m", message="{x}")),
        added(node("u", "courierBooking", message="{x}")),
        broken(lambda made: made["parsedData"].append(node("memo", "stickyNote", message="{x}"))),
        broken(lambda made: made["parsedData"].append(node("alone", message="{x}"))),
        edit(whole(), "parsedData", 1, "data", "message", to="{x}") | {"id": "pointed"},
    ],
    "same-trigger": [
        whole() | {"isActive": False},
        whole() | {"associatedToBusinessId": "elsewhere"},
        whole() | {"id": "twin"} | {"associatedToBusinessId": "quiet"},
        listening("price"),
        edit(whole(), "trigger", "data", "eventType", to="Manual Trigger"),
        edit(whole(), "trigger", "data", "eventType", to="Conversation Status Changed"),
        edit(whole(), "trigger", "data", "eventType", to="New Conversation Started"),
    ],
    "not-drawn": [
        edit(whole(), "data", "edges", 1, "source", to="ask"),
        handled("yes", "thank"),
        broken(lambda made: made["data"]["edges"].append({"source": "ask", "target": "thank"})),
        edit(whole(), "data", to={"nodes": []}),
        drop(whole(), "data", "nodes", 1),
    ],
    "waits-for-nothing": [added(waiting(sub("a"), sub("b", "on", FALLBACK)))],
    "loop-without-wait": [
        added(node("round", "wait", "round", minutes=1)),
        added(waiting(sub("a", "q"), sub("b", "q", FALLBACK), sub("c", None, TIMEOUT))),
        added(node("a", "if", None, sub("x", "b"), sub("y", "b")), node("b", "task", "on")),
        added(node("a", "workflowPointer", "b", workflowId="asks"), node("b", "task", "a")),
    ],
    "pointer-loop": [
        edit(whole(), "parsedData", 3, "data", "workflowId", to="w"),
        lone(node("on", "workflowPointer", workflowId="asks")),
        lone(node("on", "workflowPointer", workflowId="lost")),
        lone(node("p", "wait", "on", minutes=1), node("on", "workflowPointer", workflowId="w")),
        lone(node("p", "workflowPointer", "on", workflowId="asks"), node("on", "workflowPointer", workflowId="w")),
        lone(node("p", "workflowPointer", "on", workflowId="lost"), node("on", "workflowPointer", workflowId="w")),
    ],
    "equal-answers": [edit(whole(), "parsedData", 0, "subNodes", 2, "title", to="Take yes")],
    "no-fallback": [
        added(node("q", to="on", waitForUserResponse=True)),
        added(node("i", "if", None, sub("f", "on"))),
    ],
    "no-timeout": [added(node("q", to="on", waitForUserResponse=False))],
    "no-title": [broken(lambda made: made["parsedData"].append(node("memo", "stickyNote") | {"title": ""}))],
    "channel-differs": [
        edit(whole(), "associatedToBusinessId", to="elsewhere") | {"platformType": "instagram"},
        drop(whole(), "platformType"),
    ],
    "inactive-scheduled": [whole() | {"id": "offers"}, whole() | {"isActive": False}],
    "unknown-type": [edit(whole(), "trigger", "type", to="somethingNewTrigger")],
    "too-many-nodes": [chain(100)],
    "stale-stats": [edit(whole(), "analytics", "edgeStats", "no->pause:a:b", to={}) | {"analytics": []}],
}
"""By rule, workflows that come close to breaking it; the whole one keeps all of them."""

OTHERS = [
    workflow(node("p", "task", "q"), node("q", "workflowPointer", workflowId="w"), id="back"),
    workflow(waiting(sub("a", "p")), node("p", "workflowPointer", workflowId="w"), id="asks"),
]
ON_LINES = {
    "line": [whole() | {"id": "twin", "name": "Twin"}, listening("refund", "return") | {"id": "returns"}, whole()],
    "quiet": [whole() | {"id": "twin"}],
}
"""The active workflows by line."""
SURROUNDED = References(
    frozenset({"other"}),
    {"line": "whatsapp"},
    {"offers": ("Spring sale",)},
    graphs_among(OTHERS),
    lambda line: [read_graph(each) for each in ON_LINES.get(line, ())],
    lambda workflow_id: workflow_id == "pointed",
)


def test_nothing_is_found_in_a_whole_workflow() -> None:
    assert found(whole()) == []
    assert found(chain(3)) == []


def test_each_rule_is_tried() -> None:
    assert BREAKS.keys() == {rule.id for rule in RULES}


@pytest.mark.parametrize(
    ("rule_id", "raw", "path"),
    [
        pytest.param(rule_id, *case, id=f"{rule_id}-{at}")
        for rule_id, cases in BREAKS.items()
        for at, case in enumerate(cases)
    ],
)
def test_a_broken_workflow_is_found_out(rule_id: str, raw: Json, path: str) -> None:
    assert (rule_id, path) in found(raw, SURROUNDED)
    (rule,) = (each for each in RULES if each.id == rule_id)
    one = next(each for each in check(raw, known=SURROUNDED) if each.rule_id == rule_id)
    assert (one.severity, one.what_to_do) == (rule.severity, rule.what_to_do)
    assert one.words.text


@pytest.mark.parametrize(
    ("rule_id", "raw"),
    [
        pytest.param(rule_id, raw, id=f"{rule_id}-{at}")
        for rule_id, raws in KEEPS.items()
        for at, raw in enumerate(raws)
    ],
)
def test_what_only_comes_close_is_left_alone(rule_id: str, raw: Json) -> None:
    assert rule_id not in {each for each, _ in found(raw, SURROUNDED)}


def test_one_fault_is_told_once() -> None:
    alone = {
        "duplicate-id": 3,
        "trigger-in-graph": 0,
        "exit-as-node": 0,
        "no-graph": 0,
        "no-canvas": 0,
        "pointer-empty": 0,
        "no-line": 0,
        "template-inbound": 0,
    }
    for rule_id, at in alone.items():
        errors = [each.rule_id for each in check(BREAKS[rule_id][at][0], known=ALL) if each.severity == "error"]
        assert errors == [rule_id]


def test_what_only_the_store_knows_is_not_guessed() -> None:
    raw = whole() | {"platformType": "instagram", "isActive": False}
    assert found(raw, None) == found(raw, References()) == []
    assert [rule.id for rule in find_skipped_rules(None)] == [
        "pointer-unknown",
        "channel-differs",
        "inactive-scheduled",
        "same-trigger",
    ]
    assert [rule.id for rule in find_skipped_rules(References(scheduled={}))] == [
        "pointer-unknown",
        "channel-differs",
        "same-trigger",
    ]
    assert find_skipped_rules(ALL) == ()


def test_the_words_quote_strangers_made_safe() -> None:
    evil = "\x1b]52;c;x\x07[@click=quit]{0}\u202e" + "x" * 500
    raw = edit(whole(), "parsedData", 2, "connections", "out", 0, to=evil)
    one = next(each for each in check(raw, known=None) if each.rule_id == "missing-target")
    assert one.words.text.isprintable()
    assert "\u202e" not in one.words.text
    assert "[@click=quit]{0}" in one.words.text
    assert len(one.words.text) < 150


def test_errors_come_first_and_more_than_anybody_reads_are_counted() -> None:
    raw = chain(400)
    for each in raw["parsedData"]:
        each |= {"title": "", "connections": {"out": ["gone"]}}
    findings = check(raw, known=None)
    assert len(findings) == MAX_FINDINGS + 1
    severities = [each.severity for each in findings[:-1]]
    assert severities == sorted(severities)
    told = {each.rule_id for each in findings}
    assert {"missing-target", "unreachable", "no-title", "too-many-nodes", MORE} <= told
    assert "1,000 more" in findings[-1].words.text
    assert findings[-1].severity is Severity.ERROR
    assert sum(count_findings(findings[:-1]).values()) == MAX_FINDINGS
    assert sum(count_findings(findings).values()) == MAX_FINDINGS + 1_000


def ring_of(nodes: int) -> Json:
    return edit(chain(nodes), "parsedData", -1, "connections", "out", to=["n0"])


def broken_ring_of(nodes: int) -> Json:
    ring = ring_of(nodes)
    for each in ring["parsedData"]:
        each["connections"]["out"] = [f"gone {each['id']}"]
    return ring


@pytest.mark.slow
@pytest.mark.parametrize("make", [ring_of, broken_ring_of])
def test_the_check_of_ten_times_the_nodes_makes_ten_times_the_calls(make: Callable[[int], Json]) -> None:
    few, many = (count_calls(partial(check, make(nodes), known=ALL)) for nodes in (1_000, 10_000))
    assert many < 12 * few
    assert "loop-without-wait" in {each for each, _ in found(ring_of(10_000))}


def test_a_long_key_of_the_analytics_is_read_once() -> None:
    # Reading it again from each of its places would run for minutes and meet the test's time limit.
    check(whole() | {"analytics": {"edgeStats": {"->" * 500_000: 1}}}, known=ALL)


def test_a_row_of_the_minimal_list_has_no_graph() -> None:
    assert has_graph(whole())
    assert not has_graph({"id": "w", "name": "W", "isActive": True, "trigger": None})


def test_the_workflows_of_the_sandbox_have_no_errors() -> None:
    made = make_workflows(1_790_000_000)
    channels = {line.id: line.platform for line in LINES}
    known = replace(references_among(made, [each["id"] for each in made]), channels=channels, scheduled={})
    assert find_skipped_rules(known) == ()
    findings: list[Finding] = [one for each in made for one in check(each, known=known)]
    assert [each for each in findings if each.severity is Severity.ERROR] == []
    assert {each.rule_id for each in findings} == {"no-fallback", "no-timeout", "unknown-type"}

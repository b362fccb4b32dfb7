"""Workflows and their analytics (rules.md chapters 4 to 7 and 14)."""

from collections.abc import Callable
from typing import Any

import pytest

from frontdesk.contract.workflows import Workflow
from frontdesk.sandbox.graphs import graph_ids
from frontdesk.sandbox.handlers.workflows import MINIMAL_FIELDS
from sandbox.asking import Sandbox, assert_error_body

PATH = "/workflows/new?folderId=folder-service"
TRIGGER = {"id": "t", "type": "whatsappTrigger", "category": "Trigger", "connections": {"out": ["b"]}}
NODES = [
    {"id": "a", "type": "whatsapp", "position": {"x": 500, "y": 1}},
    {"id": "b", "type": "whatsapp", "position": {"x": 3, "y": 1}},
    {"id": "t", "type": "whatsappTrigger"},
    {"id": "b1", "type": "answer", "parentId": "b", "position": {"x": 999, "y": 999}},
    {"id": "b2", "type": "answer", "parentId": "b"},
]
EDGES = [{"id": "e1", "source": "t", "target": "b"}, {"id": "e2", "source": "b1", "target": "a"}]
PARENTS = [
    {"id": "b", "type": "whatsapp", "subNodes": [{"id": "b1", "parentId": "b"}, {"id": "b2", "parentId": "b"}]},
    {"id": "a", "type": "whatsapp"},
]
GRAPH = {"trigger": TRIGGER, "data": {"nodes": NODES, "edges": EDGES}, "parsedData": PARENTS, "autoLayout": True}


def listed(sandbox: Sandbox, identity: str) -> dict[str, Any]:
    result = sandbox.post("/workflows", {}).json()["result"]
    return dict(next(workflow for workflow in result if workflow["id"] == identity))


def test_84_to_88_lists_everything_minimal_or_full(sandbox: Sandbox) -> None:
    full = sandbox.post("/workflows", {"getAllWorkflowsMinimalData": False}).json()
    assert full == sandbox.post("/workflows", {}).json()
    assert (full["hasMoreItemsToFetch"], full["lastEvaluatedKey"]) == (False, {})
    minimal = sandbox.post("/workflows", {"getAllWorkflowsMinimalData": True}).json()["result"]
    assert [workflow["id"] for workflow in minimal] == [workflow["id"] for workflow in full["result"]]
    assert all(set(workflow) <= set(MINIMAL_FIELDS) for workflow in minimal)
    assert_error_body(sandbox.post("/workflows", {"getAllWorkflowsMinimalData": "true"}), 400)
    sandbox.put("/sandbox/settings", {"more_workflows": True})
    assert sandbox.post("/workflows", {}).json()["hasMoreItemsToFetch"] is True


def test_92_to_102_create_answers_times_and_stores_it_inactive(sandbox: Sandbox) -> None:
    body = {"name": "New", "isActive": True, "associatedTo": "mine", "executionCount": 7, "analytics": {"x": 1}}
    answer = sandbox.post("/workflows/a%2Fb%20c?folderId=folder-service", body)
    assert answer.is_success
    assert isinstance(answer.json()["message"], str)
    stored = listed(sandbox, "a/b c")
    assert stored["created"] == answer.json()["created"] < 1e11
    assert stored["lastModified"] == answer.json()["lastModified"]
    assert stored["isActive"] is False
    assert stored["associatedTo"] == "acme-home"
    assert stored["executionCount"] == 0
    assert stored["analytics"]["totalStarted"] == 0


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/workflows/new", {"name": "x"}, 400),  # 95
        ("/workflows/new?folderId=", {"name": "x"}, 400),
        ("/workflows/new?folderId=none", {"name": "x"}, 404),  # 96
        (PATH, {}, 400),  # 98
        (PATH, {"name": 1}, 400),
        (PATH, {"name": "x", "notes": 1}, 400),  # 103
        (PATH, {"name": "x", "trigger": []}, 400),  # 105
        (PATH, {"name": "x", "parsedData": {}}, 400),
        (PATH, {"name": "x", "variables": []}, 400),
        (PATH, {"name": "x", "data": {"nodes": [{"position": {"x": "1"}}]}, "autoLayout": True}, 400),
        (PATH, {"name": "x", "data": {"nodes": []}}, 400),  # 111
        (PATH, {"name": "x", "data": {"nodes": []}, "autoLayout": False}, 400),  # 112
        ("/workflows/wf-welcome?folderId=folder-service", {"name": "x"}, 400),  # 120
    ],
)
def test_95_to_120_broken_rules_are_refused(still: Sandbox, path: str, body: dict[str, Any], status: int) -> None:
    before = still.post("/workflows", {}).json()
    assert_error_body(still.post(path, body), status)
    assert still.post("/workflows", {}).json() == before


@pytest.mark.parametrize("flag", ["autoLayout", "autoClean"])
def test_113_to_116_the_server_lays_the_graph_out(sandbox: Sandbox, flag: str) -> None:
    body = {name: value for name, value in GRAPH.items() if name != "autoLayout"} | {"name": "x", flag: True}
    assert sandbox.post(PATH, body).is_success
    stored = listed(sandbox, "new")
    assert not {"autoLayout", "autoClean"} & set(stored)
    nodes = {node["id"]: node for node in stored["data"]["nodes"]}
    assert nodes["t"]["position"]["x"] < nodes["b"]["position"]["x"] < nodes["a"]["position"]["x"]
    for identity in ("b1", "b2"):
        assert nodes[identity]["draggable"] is False
        assert nodes[identity]["extent"] == "parent"
    assert nodes["b1"]["position"]["y"] < nodes["b2"]["position"]["y"] < 500
    assert stored["parsedData"] == PARENTS
    assert stored["trigger"] == TRIGGER


def test_117_118_without_or_with_half_a_graph_is_accepted(sandbox: Sandbox) -> None:
    assert sandbox.post(PATH, {"name": "x"}).is_success
    assert sandbox.post(PATH.replace("new", "half"), {"name": "x", "parsedData": PARENTS}).is_success


def test_129_to_131_reset_needs_the_plan_and_its_refusal_has_a_message_only(
    make_sandbox: Callable[..., Sandbox],
) -> None:
    basic = make_sandbox(plan="basic")
    answer = basic.post("/workflows/wf-welcome/analytics/reset")
    assert answer.status_code == 403
    assert list(answer.json()) == ["message"]
    assert "Expert AI" in answer.json()["message"]
    assert "analytics" not in listed(basic, "wf-welcome")  # 89, 230
    assert listed(make_sandbox(), "wf-welcome")["analytics"]["totalStarted"] > 0


def test_128_to_139_reset_zeroes_the_counters_and_nothing_else(sandbox: Sandbox) -> None:
    before = listed(sandbox, "returns/v2")
    answer = sandbox.ask("POST", "/workflows/returns%2Fv2/analytics/reset")
    after = answer.json()
    assert after == listed(sandbox, "returns/v2")
    counters = dict.fromkeys(("totalStarted", "totalCompleted", "totalDropped"), 0)
    assert after["analytics"] | counters == after["analytics"]
    assert all(after["analytics"][name] == {} for name in ("nodeStats", "edgeStats", "buttonStats"))
    assert after["lastModified"] > before["lastModified"]
    unchanged = set(before) - {"analytics", "lastModified"}
    assert all(after[name] == before[name] for name in unchanged)
    stale = {"lastModified": before["lastModified"], "name": "x"}
    assert_error_body(sandbox.put("/workflows/returns%2Fv2", stale), 409)  # 136
    assert_error_body(sandbox.ask("POST", "/workflows/none/analytics/reset"), 404)


def test_140_to_147_the_put_takes_the_current_last_modified_once(sandbox: Sandbox) -> None:
    seen = listed(sandbox, "wf-draft-chairs")["lastModified"]
    first = sandbox.put("/workflows/wf-draft-chairs", {"lastModified": seen, "isActive": True})  # 145
    assert first.is_success
    assert first.json()["isActive"] is True
    assert first.json()["lastModified"] > seen
    assert_error_body(sandbox.put("/workflows/wf-draft-chairs", {"lastModified": seen, "name": "x"}), 409)
    again = {"lastModified": first.json()["lastModified"], "name": "y", "analytics": {"totalStarted": 9}}
    assert sandbox.put("/workflows/wf-draft-chairs", again).json()["analytics"]["totalStarted"] == 0  # 146
    assert_error_body(sandbox.put("/workflows/wf-draft-chairs", {"name": "z"}), 400)  # 142
    assert_error_body(sandbox.put("/workflows/none", {"lastModified": 1}), 404)


def test_143_144_a_put_prunes_statistics_of_what_left_the_graph(sandbox: Sandbox) -> None:
    before = listed(sandbox, "wf-survey")
    parents = [node for node in before["parsedData"] if node["id"] not in ("sur-tag", "sur-task")]
    nodes = [node for node in before["data"]["nodes"] if node["id"] not in ("sur-tag", "sur-task")]
    body = {
        "lastModified": before["lastModified"],
        "parsedData": parents,
        "data": before["data"] | {"nodes": nodes},
    }
    after = sandbox.put("/workflows/wf-survey", body).json()["analytics"]
    assert set(before["analytics"]["nodeStats"]) - set(after["nodeStats"]) == {"sur-tag", "sur-task"}
    assert all("sur-tag" not in key and "sur-task" not in key for key in after["edgeStats"])
    assert after["edgeStats"]["sur-good->sur-thanks"] == before["analytics"]["edgeStats"]["sur-good->sur-thanks"]
    assert after["buttonStats"] == before["analytics"]["buttonStats"]


def test_the_put_can_be_turned_off(sandbox: Sandbox) -> None:
    sandbox.put("/sandbox/settings", {"graph_put": False})
    assert_error_body(sandbox.put("/workflows/wf-survey", {"lastModified": 1}), 501)


def test_229_the_seeds_analytics_add_up(still: Sandbox) -> None:
    for stored in still.post("/workflows", {}).json()["result"]:
        workflow = Workflow.model_validate(stored)
        analytics = workflow.analytics
        assert analytics is not None
        done = (analytics.totalCompleted or 0) + (analytics.totalDropped or 0)
        assert done <= (analytics.totalStarted or 0)
        ids = graph_ids(stored)
        entered = {key: value["enteredCount"] for key, value in (analytics.nodeStats or {}).items()}
        assert set(entered) <= ids
        for key, edge in (analytics.edgeStats or {}).items():
            assert key == f"{edge['sourceNodeId']}->{edge['targetNodeId']}"
            assert edge["traversalCount"] <= entered[edge["targetNodeId"]]
        for button in (analytics.buttonStats or {}).values():
            assert button["clickCount"] <= entered[button["parentNodeId"]]

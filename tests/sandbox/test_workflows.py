"""Workflows and their analytics (tests/sandbox/rules.md, chapters 4 to 7 and 14)."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from api.contract.test_requests import BODIES as ALL_BODIES
from frontdesk_api.contract.workflows import Workflow
from frontdesk_sandbox import fixtures
from frontdesk_sandbox.graphs import graph_ids
from frontdesk_sandbox.handlers import MINIMAL_FIELDS
from sandbox.asking import ACCOUNT, Sandbox, assert_error_body, list_workflow

PLATFORMS = ("whatsapp", "facebookMessenger", "instagram", "web", "carrier pigeon")
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
BODIES = [row for row in ALL_BODIES if row[0].__name__ in ("WorkflowCreate", "WorkflowQuery")]


@pytest.mark.rules("84-88")
def test_lists_everything_minimal_or_full(sandbox: Sandbox) -> None:
    full = sandbox.post("/workflows", {"getAllWorkflowsMinimalData": False}).json()
    assert full == sandbox.post("/workflows", {}).json()
    assert (full["hasMoreItemsToFetch"], full["lastEvaluatedKey"]) == (False, {})
    assert all("trigger" in workflow and "analytics" in workflow for workflow in full["result"])
    minimal = sandbox.post("/workflows", {"getAllWorkflowsMinimalData": True}).json()["result"]
    wanted = [{name: workflow[name] for name in MINIMAL_FIELDS if name in workflow} for workflow in full["result"]]
    assert minimal == wanted
    for wrong in ("true", 1, 0, None, [], {}):
        assert_error_body(sandbox.post("/workflows", {"getAllWorkflowsMinimalData": wrong}), 400)
    sandbox.put("/sandbox/settings", {"more_workflows": True})
    more = sandbox.post("/workflows", {}).json()
    assert more["hasMoreItemsToFetch"] is True
    assert isinstance(more["lastEvaluatedKey"], dict)


def test_a_layout_without_a_canvas_stores_none(sandbox: Sandbox) -> None:
    assert sandbox.post("/workflows/bare?folderId=folder-service", {"name": "Bare", "autoLayout": True}).is_success
    stored = list_workflow(sandbox, "bare")
    assert "data" not in stored
    update = {"lastModified": stored["lastModified"], "autoClean": True}
    assert "data" not in sandbox.put("/workflows/bare", update).json()
    assert "data" not in list_workflow(sandbox, "bare")


@pytest.mark.rules("92-94 100-102 119")
def test_create_answers_times_and_stores_it_inactive(sandbox: Sandbox) -> None:
    body = {"name": "New", "isActive": True, "associatedTo": "mine", "executionCount": 7, "analytics": {"x": 1}}
    answer = sandbox.post("/workflows/a%2Fb%20c?folderId=folder-service", body)
    assert answer.is_success
    assert isinstance(answer.json()["message"], str)
    stored = list_workflow(sandbox, "a/b c")
    assert stored["created"] == answer.json()["created"] < 1e11
    assert stored["lastModified"] == answer.json()["lastModified"]
    assert stored["isActive"] is False
    assert stored["associatedTo"] == "acme-home"
    assert stored["executionCount"] == 0
    assert stored["analytics"]["totalStarted"] == 0


@pytest.mark.rules("95 96 98 103 105 106 108 109 111 112 120")
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
def test_broken_rules_are_refused(still: Sandbox, path: str, body: dict[str, Any], status: int) -> None:
    before = still.post("/workflows", {}).json()
    assert_error_body(still.post(path, body), status)
    assert still.post("/workflows", {}).json() == before


@pytest.mark.rules("107 113-116")
@pytest.mark.parametrize("flag", ["autoLayout", "autoClean"])
def test_the_server_lays_the_graph_out(sandbox: Sandbox, flag: str) -> None:
    body = {name: value for name, value in GRAPH.items() if name != "autoLayout"} | {"name": "x", flag: True}
    assert sandbox.post(PATH, body).is_success
    stored = list_workflow(sandbox, "new")
    assert not {"autoLayout", "autoClean"} & set(stored)
    nodes = {node["id"]: node for node in stored["data"]["nodes"]}
    assert nodes["t"]["position"]["x"] < nodes["b"]["position"]["x"] < nodes["a"]["position"]["x"]
    for identity in ("b1", "b2"):
        assert nodes[identity]["draggable"] is False
        assert nodes[identity]["extent"] == "parent"
    assert nodes["b1"]["position"]["y"] < nodes["b2"]["position"]["y"] < 500
    assert stored["parsedData"] == PARENTS
    assert stored["trigger"] == TRIGGER


@pytest.mark.rules("117 118")
def test_without_or_with_half_a_graph_is_accepted(sandbox: Sandbox) -> None:
    assert sandbox.post(PATH, {"name": "x"}).is_success
    assert sandbox.post(PATH.replace("new", "half"), {"name": "x", "parsedData": PARENTS}).is_success


@pytest.mark.rules("89 129-131 230")
def test_reset_needs_the_plan_and_its_refusal_has_a_message_only(
    make_sandbox: Callable[..., Sandbox],
) -> None:
    basic = make_sandbox(plan="basic")
    answer = basic.post("/workflows/wf-welcome/analytics/reset")
    assert answer.status_code == 403
    assert list(answer.json()) == ["message"]
    assert "Expert AI" in answer.json()["message"]
    assert "analytics" not in list_workflow(basic, "wf-welcome")  # 89, 230
    assert list_workflow(make_sandbox(), "wf-welcome")["analytics"]["totalStarted"] > 0


@pytest.mark.rules("128-139")
def test_reset_zeroes_the_counters_and_nothing_else(sandbox: Sandbox) -> None:
    before = list_workflow(sandbox, "returns/v2")
    answer = sandbox.ask("POST", "/workflows/returns%2Fv2/analytics/reset")
    after = answer.json()
    assert after == list_workflow(sandbox, "returns/v2")
    counters = dict.fromkeys(("totalStarted", "totalCompleted", "totalDropped"), 0)
    assert after["analytics"] | counters == after["analytics"]
    assert all(after["analytics"][name] == {} for name in ("nodeStats", "edgeStats", "buttonStats"))
    assert after["lastModified"] > before["lastModified"]
    unchanged = set(before) - {"analytics", "lastModified"}
    assert all(after[name] == before[name] for name in unchanged)
    stale = {"lastModified": before["lastModified"], "name": "x"}
    assert_error_body(sandbox.put("/workflows/returns%2Fv2", stale), 409)  # 136
    assert_error_body(sandbox.ask("POST", "/workflows/none/analytics/reset"), 404)


@pytest.mark.rules("140-142 145 146")
def test_the_put_takes_the_current_last_modified_once(sandbox: Sandbox) -> None:
    seen = list_workflow(sandbox, "wf-draft-chairs")["lastModified"]
    first = sandbox.put("/workflows/wf-draft-chairs", {"lastModified": seen, "isActive": True})  # 145
    assert first.is_success
    assert first.json()["isActive"] is True
    assert first.json()["lastModified"] > seen
    assert_error_body(sandbox.put("/workflows/wf-draft-chairs", {"lastModified": seen, "name": "x"}), 409)
    again = {"lastModified": first.json()["lastModified"], "name": "y", "analytics": {"totalStarted": 9}}
    assert sandbox.put("/workflows/wf-draft-chairs", again).json()["analytics"]["totalStarted"] == 0  # 146
    assert_error_body(sandbox.put("/workflows/wf-draft-chairs", {"name": "z"}), 400)  # 142
    assert_error_body(sandbox.put("/workflows/none", {"lastModified": 1}), 404)


@pytest.mark.rules("143 144")
def test_a_put_prunes_statistics_of_what_left_the_graph(sandbox: Sandbox) -> None:
    before = list_workflow(sandbox, "wf-survey")
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


@pytest.mark.rules("230")
def test_analytics_are_shown_in_the_list_and_in_the_resets_answer_alike(
    make_sandbox: Callable[..., Sandbox],
) -> None:
    expert = make_sandbox()
    assert all("analytics" in workflow for workflow in expert.post("/workflows", {}).json()["result"])
    assert "analytics" in expert.post("/workflows/wf-survey/analytics/reset").json()
    basic = make_sandbox(plan="basic")
    for minimal in (True, False):
        shown = basic.post("/workflows", {"getAllWorkflowsMinimalData": minimal}).json()["result"]
        assert shown
        assert not any("analytics" in workflow for workflow in shown)
    seen = list_workflow(basic, "wf-survey")["lastModified"]
    assert "analytics" not in basic.put("/workflows/wf-survey", {"lastModified": seen, "name": "x"}).json()


@pytest.mark.rules("97")
def test_folders_come_from_the_fixtures_and_have_no_endpoint(sandbox: Sandbox) -> None:
    for place, folder in enumerate(fixtures.FOLDERS):
        assert sandbox.post(f"/workflows/in-{place}?folderId={folder}", {"name": "x"}).is_success
        assert list_workflow(sandbox, f"in-{place}")["folderId"] == folder
    for method in ("GET", "POST", "PUT", "DELETE"):
        assert_error_body(sandbox.ask(method, "/folders"), 404)


@pytest.mark.rules("87 98 99 103-106 108 109 111-113 117")
@pytest.mark.parametrize(("model", "rules", "accepted", "rejected"), BODIES, ids=lambda value: "")
def test_the_contracts_bodies_mean_the_same_over_http(
    sandbox: Sandbox, model: Any, rules: str, accepted: list[dict[str, Any]], rejected: list[dict[str, Any]]
) -> None:
    path = {"WorkflowCreate": PATH, "WorkflowQuery": "/workflows"}[model.__name__]
    for body in rejected:
        assert_error_body(sandbox.post(path, body), 400)
    for place, body in enumerate(accepted):
        assert sandbox.post(path.replace("new", f"new-{place}"), body).is_success


OF_ANOTHER_TYPE: list[tuple[str, object]] = [
    *((name, 5) for name in ("associatedToBusinessId", "associatedToPlatformId", "platformType")),
    *((name, ["x"]) for name in ("triggerType", "notes")),
    *((name, []) for name in ("variables", "settings", "trigger", "data")),
    *(("trigger", {field: 5}) for field in ("id", "type", "category", "title", "parentId")),
    *(("trigger", {field: []}) for field in ("data", "connections")),
    ("trigger", {"subNodes": {}}),
    ("trigger", {"subNodes": [{"subNodes": [{"title": 5}]}]}),
    ("parsedData", [5]),
    ("parsedData", [{"id": 5}]),
    *(("data", {"nodes": [{field: 5}]}) for field in ("id", "type", "category", "parentId", "data")),
    *(("data", {"nodes": [{field: "yes"}]}) for field in ("draggable", "selected", "position")),
    *(("data", {"nodes": [{"position": {axis: "1"}}]}) for axis in ("x", "y")),
    *(
        ("data", {"edges": [{field: 5}]})
        for field in ("id", "source", "target", "sourceHandle", "targetHandle", "type")
    ),
    ("data", {"nodes": {}}),
    ("data", {"edges": {}}),
    ("autoLayout", "true"),
    ("autoClean", 1),
]


@pytest.mark.rules("103 105 106 108-110")
def test_a_field_of_another_type_is_refused(still: Sandbox) -> None:
    before = still.post("/workflows", {}).json()
    seen = next(each for each in before["result"] if each["id"] == "wf-survey")["lastModified"]
    for name, wrong in OF_ANOTHER_TYPE:
        made = still.post(PATH, {"name": "x", "autoLayout": True} | {name: wrong})
        changed = still.put("/workflows/wf-survey", {"lastModified": seen, name: wrong})
        assert (made.status_code, changed.status_code) == (400, 400), (name, wrong)
        assert_error_body(made, 400)
        assert_error_body(changed, 400)
    assert still.post("/workflows", {}).json() == before


@pytest.mark.rules("99 104 118 121 124-126")
@pytest.mark.parametrize(
    "choice",
    [
        {"name": ""},  # 99
        *(
            {"platformType": kind} for kind in ("whatsapp", "facebookMessenger", "instagram", "web", "pigeon")
        ),  # 104
        {"carrier": {"hops": [1, None]}, "icon": "x"},  # 121
        {"associatedToBusinessId": "972737001200", "associatedToPlatformId": "34911230045"},  # 124
        {"platformType": "whatsapp"},  # 125: one without the other
        {"associatedToBusinessId": "972737001200"},
        {"triggerType": "Manual Trigger", "trigger": {"data": {"eventType": "Messages Created"}}},  # 126
        {"data": {"edges": EDGES}},  # 118
        {"parsedData": PARENTS},
    ],
)
def test_what_is_left_open_is_stored_as_it_came(sandbox: Sandbox, choice: dict[str, Any]) -> None:
    assert sandbox.post(PATH, {"name": "x"} | choice).is_success
    stored = list_workflow(sandbox, "new")
    assert stored | choice == stored


@pytest.mark.rules("101")
def test_a_workflow_with_a_whole_graph_starts_inactive_too(sandbox: Sandbox) -> None:
    assert sandbox.post(PATH, GRAPH | {"name": "x", "isActive": True}).is_success
    assert list_workflow(sandbox, "new")["isActive"] is False


@pytest.mark.rules("107")
def test_the_trigger_stands_apart_from_the_nodes_that_run(sandbox: Sandbox) -> None:
    sandbox.post(PATH, GRAPH | {"name": "x"})
    for workflow in sandbox.post("/workflows", {}).json()["result"]:
        parents = {node["id"] for node in workflow.get("parsedData", ())}
        assert workflow["trigger"]["id"] not in parents
        # 106: parents only; what hangs off them is under subNodes.
        below = {sub["id"] for node in workflow.get("parsedData", ()) for sub in node.get("subNodes", ())}
        assert not below & parents


@pytest.mark.rules("119 122 146")
def test_server_managed_fields_are_never_taken_over(sandbox: Sandbox) -> None:
    forged = {"executionCount": 77, "lastExecution": 5, "analytics": {"totalStarted": 9}, "created": 1, "id": "z"}
    sandbox.post(PATH, {"name": "x"} | forged)
    before = list_workflow(sandbox, "new")
    assert before["executionCount"] == 0
    assert "lastExecution" not in before
    assert before["created"] > 1e9
    assert before["analytics"]["totalStarted"] == 0
    after = sandbox.put("/workflows/new", forged | {"lastModified": before["lastModified"]}).json()
    managed = ("id", "executionCount", "created", "associatedTo", "folderId")
    assert {name: after[name] for name in managed} == {name: before[name] for name in managed}
    assert "lastExecution" not in after
    assert after["analytics"]["totalStarted"] == 0


@pytest.mark.rules("123")
def test_a_line_is_named_by_its_row_id_and_not_needed_to_create(sandbox: Sandbox) -> None:
    lines = {line.id: line.platform for line in fixtures.LINES}
    for workflow in sandbox.post("/workflows", {}).json()["result"]:
        assert lines[workflow["associatedToBusinessId"]] == workflow["platformType"]
        assert workflow["associatedToPlatformId"] == workflow["associatedToBusinessId"]
        assert workflow["triggerType"] == workflow["trigger"]["data"]["eventType"]  # 126
    assert sandbox.post(PATH, GRAPH | {"name": "x"}).is_success
    assert "associatedToBusinessId" not in list_workflow(sandbox, "new")


@pytest.mark.rules("127")
def test_selected_is_never_needed_and_kept_where_it_was(sandbox: Sandbox) -> None:
    nodes = [{"id": "a", "selected": True}, {"id": "b"}]
    sandbox.post(PATH, {"name": "x", "data": {"nodes": nodes, "edges": []}, "autoLayout": True})
    stored = {node["id"]: node for node in list_workflow(sandbox, "new")["data"]["nodes"]}
    assert stored["a"]["selected"] is True
    assert "selected" not in stored["b"]


@pytest.mark.rules("147")
def test_of_two_writers_at_once_exactly_one_wins(sandbox: Sandbox) -> None:
    seen = list_workflow(sandbox, "wf-draft-chairs")["lastModified"]

    async def both() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app=sandbox.application)
        async with httpx.AsyncClient(transport=transport, base_url="http://sandbox", headers=ACCOUNT) as client:
            return await asyncio.gather(
                *(
                    client.put("/workflows/wf-draft-chairs", json={"lastModified": seen, "name": name})
                    for name in ("one", "two")
                )
            )

    answers = asyncio.run(both())
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    winner = next(answer for answer in answers if answer.status_code == 200)
    assert list_workflow(sandbox, "wf-draft-chairs") == winner.json()
    for answer in answers:
        if answer is not winner:
            assert_error_body(answer, 409)


@pytest.mark.rules("233")
def test_a_template_is_accepted_anywhere_and_used_by_the_seed_only_to_open(sandbox: Sandbox) -> None:
    """No refusal is shown for a template in a workflow that replies, so there is none."""
    reply = {"id": "b", "type": "whatsapp", "data": {"messageType": "template", "templateName": "x"}}
    trigger = TRIGGER | {"data": {"eventType": "Messages Created"}}
    assert sandbox.post(PATH, {"name": "x", "trigger": trigger, "parsedData": [reply]}).is_success
    used: set[bool] = set()
    for workflow in sandbox.post("/workflows", {}).json()["result"]:
        if workflow["id"] == "new":
            continue
        kinds = [node["data"].get("messageType") for node in workflow.get("parsedData", ())]
        opens = workflow["triggerType"] == "Manual Trigger"
        used.add("template" in kinds)
        assert opens or "template" not in kinds
    assert used == {True, False}


@pytest.mark.rules("135 136 234")
def test_last_modified_only_ever_grows(make_sandbox: Callable[..., Sandbox]) -> None:
    """Within one second, by resets and updates by turns, and over a restart."""
    seen = [list_workflow(make_sandbox(), "wf-survey")["lastModified"]]
    for _ in range(3):
        sandbox = make_sandbox()
        assert list_workflow(sandbox, "wf-survey")["lastModified"] == seen[-1]
        for _ in range(4):
            seen.append(sandbox.post("/workflows/wf-survey/analytics/reset").json()["lastModified"])
            stale = {"lastModified": seen[-2], "name": "x"}
            assert_error_body(sandbox.put("/workflows/wf-survey", stale), 409)
            current = {"lastModified": seen[-1], "name": "x"}
            seen.append(sandbox.put("/workflows/wf-survey", current).json()["lastModified"])
    assert seen == sorted(set(seen))


@pytest.mark.rules("133 134 229")
def test_analytics_have_their_numbers_and_objects_before_and_after_a_reset(sandbox: Sandbox) -> None:
    before = list_workflow(sandbox, "wf-survey")["analytics"]
    after = sandbox.post("/workflows/wf-survey/analytics/reset").json()["analytics"]
    for analytics in (before, after):
        for name in ("totalStarted", "totalCompleted", "totalDropped", "lastUpdated"):
            assert isinstance(analytics[name], int | float)
        for name in ("nodeStats", "edgeStats", "buttonStats"):
            assert isinstance(analytics[name], dict)
    assert before["nodeStats"]
    assert (after["nodeStats"], after["totalStarted"]) == ({}, 0)


@pytest.mark.rules("229")
def test_the_seeds_analytics_add_up(still: Sandbox) -> None:
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

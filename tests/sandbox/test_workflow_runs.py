"""Workflows that run in the sandbox: what begins them, what customers get, and sums that agree."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.asking import Sandbox, campaign, list_workflow

LINE, SPAIN, PAGE = "972737001200", "34911230045", "104729871230456"
NEW = "972500000777"
DAY = 86_400


def write(sandbox: Sandbox, text: str, customer: str = NEW, line: str = LINE, **more: Any) -> None:
    body = {"sender": customer, "receiver": line, "message": text, "messageDirection": "incoming", **more}
    assert sandbox.post("/sandbox/messages", body).is_success


def thread(sandbox: Sandbox, customer: str = NEW, line: str = LINE) -> list[dict[str, Any]]:
    """The newest page, the oldest of it first."""
    answer = sandbox.post("/getMessages", {"phoneNumberId": line, "targetPhoneNumberId": customer})
    return list(reversed(answer.json()["dbObject"]))


def said(sandbox: Sandbox, customer: str = NEW, line: str = LINE) -> list[str]:
    """What bots, AI and campaigns have said to a customer."""
    found = thread(sandbox, customer, line)
    return [each["message"].split("\n")[0] for each in found if each["messageDirection"] == "outgoing"]


def analytics(sandbox: Sandbox, identity: str) -> dict[str, Any]:
    return dict(list_workflow(sandbox, identity)["analytics"])


def entered(found: dict[str, Any], node: str) -> int:
    return int(found["nodeStats"].get(node, {}).get("enteredCount", 0))


@pytest.mark.rules("231")
def test_a_message_begins_the_lines_active_workflow_when_the_platform_moves_on(quiet: Sandbox) -> None:
    before = list_workflow(quiet, "wf-welcome")
    write(quiet, "Hello?")
    assert said(quiet) == []
    quiet.advance(1)
    assert said(quiet) == ["Hi! 👋 This is Acme Home. What is it about?"]
    assert "• Where is my order?" in thread(quiet)[-1]["message"]
    assert thread(quiet)[-1]["initiator"] == "bot"
    after = list_workflow(quiet, "wf-welcome")
    assert after["analytics"]["totalStarted"] == before["analytics"]["totalStarted"] + 1
    assert after["executionCount"] == before["executionCount"] + 1
    assert after["lastExecution"] >= before["lastExecution"]
    assert after["lastModified"] == before["lastModified"], "counting makes no update stale"


@pytest.mark.rules("232")
def test_an_answer_leaves_by_its_sub_node_and_a_pointer_leads_into_another_workflow(quiet: Sandbox) -> None:
    before = {name: analytics(quiet, name) for name in ("wf-welcome", "returns/v2")}
    write(quiet, "Hello?")
    quiet.advance(1)
    write(quiet, "return something")
    quiet.advance(1)
    assert said(quiet)[-1] == "I'm sorry it didn't work out. What's the reason?"
    welcome, returns = analytics(quiet, "wf-welcome"), analytics(quiet, "returns/v2")
    edge = "welcome-return->welcome-returns"
    count = "traversalCount"
    assert welcome["edgeStats"][edge][count] == before["wf-welcome"]["edgeStats"][edge][count] + 1
    clicks = [found["buttonStats"]["welcome-return"]["clickCount"] for found in (before["wf-welcome"], welcome)]
    assert clicks[1] == clicks[0] + 1
    assert returns["totalStarted"] == before["returns/v2"]["totalStarted"] + 1
    write(quiet, "Wrong size")
    quiet.advance(5)
    assert said(quiet)[-1].startswith("We'll swap it.")
    assert analytics(quiet, "wf-welcome")["totalCompleted"] == before["wf-welcome"]["totalCompleted"] + 1


def test_a_task_node_makes_a_task_on_the_conversation(quiet: Sandbox) -> None:
    write(quiet, "I want a refund")
    quiet.advance(1)
    write(quiet, "Wrong size")
    quiet.advance(5)
    found = quiet.post("/tasks/list", {"participantsIdentifiers": f"{LINE}#{NEW}"}).json()["dbObject"]
    assert [task["title"] for task in found] == [f"Return from {NEW}"]
    assert found[0]["dueDate"] > found[0]["createdAt"]


def test_silence_takes_the_timeout_when_its_time_has_come(quiet: Sandbox) -> None:
    write(quiet, "refund")
    quiet.advance(1)
    quiet.advance(59 * 60)
    assert said(quiet)[-1] == "I'm sorry it didn't work out. What's the reason?"
    quiet.advance(2 * 60)
    assert said(quiet)[-1] == "Still there? Just pick one of the three."


def test_a_keyword_begins_its_workflow_in_the_middle_of_a_conversation_and_any_other_word_does_not(
    quiet: Sandbox,
) -> None:
    write(quiet, "hello", createdAt=quiet.world.clock.now_ms() - 3_600_000)
    write(quiet, "is anybody there")
    quiet.advance(1)
    assert said(quiet) == [], "somebody has this conversation in hand"
    write(quiet, "I need a REFUND now")
    quiet.advance(1)
    assert said(quiet) == ["I'm sorry it didn't work out. What's the reason?"]


def test_inactive_workflows_do_not_run(quiet: Sandbox) -> None:
    seen = list_workflow(quiet, "wf-welcome")
    assert quiet.put("/workflows/wf-welcome", {"lastModified": seen["lastModified"], "isActive": False}).is_success
    write(quiet, "Hello?")
    quiet.advance(1)
    assert said(quiet) == []
    quiet.post("/campaigns", campaign(workflowId="wf-comments"))
    quiet.advance(5)
    stored = quiet.get("/campaigns/c1").json()
    assert stored["status"] == "failed"
    assert "isn't active" in stored["failureReason"]


def test_a_switch_goes_by_the_virtual_hour(quiet: Sandbox) -> None:
    hour = quiet.world.clock.now_ms() // 3_600_000 % 24
    quiet.advance(((23 - hour) % 24) * 3600)
    write(quiet, "hola", line=SPAIN, customer="34600000777")
    quiet.advance(1)
    assert said(quiet, "34600000777", SPAIN)[0].startswith("¡Buenas noches!")


def test_a_graph_of_ones_own_runs_once_it_is_active(quiet: Sandbox) -> None:
    graph = {
        "name": "Echo",
        "associatedToBusinessId": PAGE,
        "platformType": "facebookMessenger",
        "trigger": {
            "id": "t",
            "data": {"eventType": "Messages Created", "keywords": ["echo"]},
            "connections": {"out": ["say"]},
        },
        "parsedData": [
            {
                "id": "say",
                "type": "facebookMessenger",
                "data": {"message": "You wrote: {{message}}"},
                "connections": {"out": ["rest"]},
            },
            {"id": "rest", "type": "wait", "data": {"minutes": 2}, "connections": {"out": ["bye"]}},
            {"id": "bye", "type": "facebookMessenger", "data": {"message": "Bye"}, "connections": {}},
        ],
    }
    made = quiet.post("/workflows/echo?folderId=folder-service", graph)
    write(quiet, "echo one", line=PAGE, customer="fb-77")
    quiet.advance(1)
    assert said(quiet, "fb-77", PAGE) == [], "created is inactive"
    assert quiet.put("/workflows/echo", {"lastModified": made.json()["lastModified"], "isActive": True}).is_success
    write(quiet, "echo two", line=PAGE, customer="fb-77")
    quiet.advance(1)
    quiet.advance(121)
    assert said(quiet, "fb-77", PAGE) == ["You wrote: echo two", "Bye"]
    assert analytics(quiet, "echo")["totalCompleted"] == 1
    assert analytics(quiet, "echo")["edgeStats"]["say->rest"]["traversalCount"] == 1


def test_a_campaign_leads_its_recipients_through_the_workflow(quiet: Sandbox) -> None:
    people = [{"phoneNumberId": f"+97250{place:07d}"} for place in range(220)]
    before = analytics(quiet, "wf-early-access")
    quiet.post("/campaigns", campaign(customerList=people))
    quiet.advance(DAY)
    quiet.advance(7 * DAY)
    stored, after = quiet.get("/campaigns/c1").json(), analytics(quiet, "wf-early-access")
    reached = stored["sentCount"]
    late = stored["failedCount"]
    began = after["totalStarted"] - before["totalStarted"]
    assert reached <= began <= reached + late
    assert entered(after, "ea-invite") - entered(before, "ea-invite") == began
    clicked = {
        name: after["buttonStats"][name]["clickCount"] - before["buttonStats"][name]["clickCount"]
        for name in ("ea-yes", "ea-no", "ea-silent")
    }
    assert clicked["ea-yes"] + clicked["ea-no"] > 0
    assert clicked["ea-silent"] > 140
    links = [
        name
        for name in (person["phoneNumberId"][1:] for person in people)
        if any("acme-home.example/early" in words for words in said(quiet, name))
    ]
    assert len(links) == clicked["ea-yes"]
    check_sums(after, everybody_is_through=True)


@pytest.mark.rules("235")
def test_a_restart_loses_nobody_on_their_way(make_sandbox: Callable[..., Sandbox]) -> None:
    first = make_sandbox()
    write(first, "refund")
    first.advance(1)
    second = make_sandbox()
    write(second, "Damaged")
    second.advance(5)
    assert said(second)[-1] == "Could you send a photo of the damage?"


def test_a_reset_in_the_middle_of_a_run_lets_nobody_complete_who_was_not_started(quiet: Sandbox) -> None:
    write(quiet, "refund")
    quiet.advance(1)
    assert quiet.ask("POST", "/workflows/returns%2Fv2/analytics/reset").is_success
    write(quiet, "Changed my mind")
    quiet.advance(5)
    found = analytics(quiet, "returns/v2")
    assert (found["totalStarted"], found["totalCompleted"], found["nodeStats"]) == (0, 0, {})
    write(quiet, "refund")
    quiet.advance(5)
    assert analytics(quiet, "returns/v2")["totalStarted"] == 1


def test_a_node_that_left_the_graph_is_not_counted_again(quiet: Sandbox) -> None:
    write(quiet, "refund")
    quiet.advance(1)
    seen = list_workflow(quiet, "returns/v2")
    parents = [node for node in seen["parsedData"] if node["id"] != "ret-reason"]
    nodes = [
        node
        for node in seen["data"]["nodes"]
        if node["id"] not in ("ret-reason",) and node.get("parentId") != "ret-reason"
    ]
    body = {"lastModified": seen["lastModified"], "parsedData": parents, "data": {"nodes": nodes, "edges": []}}
    assert quiet.put("/workflows/returns%2Fv2", body | {"autoLayout": True}).is_success
    write(quiet, "Damaged")
    quiet.advance(5)
    assert "ret-reason" not in analytics(quiet, "returns/v2")["nodeStats"]


def test_the_basic_plan_runs_workflows_and_shows_no_analytics(make_sandbox: Callable[..., Sandbox]) -> None:
    sandbox = make_sandbox(plan="basic")
    write(sandbox, "refund")
    sandbox.advance(1)
    assert said(sandbox)
    shown = list_workflow(sandbox, "returns/v2")
    assert "analytics" not in shown
    assert shown["executionCount"] > 0


def check_sums(found: dict[str, Any], *, everybody_is_through: bool = False) -> None:
    """completed + dropped <= started; what leaves a node is not more than what entered (docs/interface.md)."""
    done = found["totalCompleted"] + found["totalDropped"]
    assert done <= found["totalStarted"]
    for node, stats in found["nodeStats"].items():
        gone = stats["completedCount"] + stats["exitedCount"]
        assert gone <= stats["enteredCount"], node
        clicks = [each["clickCount"] for each in found["buttonStats"].values() if each["parentNodeId"] == node]
        assert sum(clicks) <= stats["enteredCount"], node
        ways = {node, *(key for key, each in found["buttonStats"].items() if each["parentNodeId"] == node)}
        onward = [each["traversalCount"] for each in found["edgeStats"].values() if each["sourceNodeId"] in ways]
        assert sum(onward) <= stats["enteredCount"], node
    if everybody_is_through:
        assert found["totalStarted"] - done <= 200  # the seed's own, who are still on their way


WORDS = st.sampled_from(
    [
        "hello",
        "refund",
        "Where is my order?",
        "Return something",
        "Talk to a person",
        "Wrong size",
        "???",
        "Damaged",
    ]
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.integers(0, 3), WORDS),
        st.tuples(st.just("advance"), st.sampled_from([1, 60, 3_700, 2 * DAY]), st.just("")),
        st.tuples(st.just("reset"), st.integers(0, 1), st.just("")),
    ),
    min_size=3,
    max_size=14,
)


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_the_sums_agree_at_every_read_whatever_customers_do(
    quiet: Sandbox, steps: list[tuple[str, int, str]]
) -> None:
    for kind, number, words in steps:
        if kind == "write":
            write(quiet, words, customer=f"97250000090{number}")
        elif kind == "advance":
            quiet.advance(number)
        else:
            quiet.ask("POST", f"/workflows/{('returns%2Fv2', 'wf-welcome')[number]}/analytics/reset")
        for workflow in quiet.post("/workflows", {}).json()["result"]:
            check_sums(workflow["analytics"])


@pytest.mark.rules("123")
def test_a_whatsapp_send_without_a_line_of_its_own_fails_at_run_time(quiet: Sandbox) -> None:
    graph = {
        "name": "No line",
        "trigger": {"id": "t", "data": {"eventType": "Manual Trigger"}, "connections": {"out": ["say"]}},
        "parsedData": [{"id": "say", "type": "whatsapp", "data": {"message": "Hi"}, "connections": {}}],
    }
    made = quiet.post("/workflows/no-line?folderId=folder-service", graph).json()
    assert quiet.put("/workflows/no-line", {"lastModified": made["lastModified"], "isActive": True}).is_success
    quiet.post("/campaigns", campaign(workflowId="no-line"))
    quiet.advance(5)
    stored = quiet.get("/campaigns/c1").json()
    assert stored["status"] == "failed"
    assert "associatedToBusinessId" in stored["failureReason"]


def test_a_campaign_says_the_opening_once_and_does_what_stands_before_it(quiet: Sandbox) -> None:
    """The first node need not be the message, and placeholders are those of every workflow."""
    graph = {
        "name": "Tag, then say",
        "associatedToBusinessId": LINE,
        "trigger": {"id": "t", "data": {"eventType": "Manual Trigger"}, "connections": {"out": ["tag"]}},
        "parsedData": [
            {"id": "tag", "type": "assignTags", "data": {"tagIds": ["tag-vip"]}, "connections": {"out": ["say"]}},
            {
                "id": "say",
                "type": "whatsapp",
                "data": {"message": "Hello {{customer.name}}"},
                "connections": {"out": ["more"]},
            },
            {"id": "more", "type": "whatsapp", "data": {"message": "And more"}, "connections": {}},
        ],
    }
    made = quiet.post("/workflows/tag-say?folderId=folder-service", graph).json()
    assert quiet.put("/workflows/tag-say", {"lastModified": made["lastModified"], "isActive": True}).is_success
    people = [{"phoneNumberId": f"+97252000070{place}", "customerName": "Dana Levi"} for place in range(10)]
    quiet.post("/campaigns", campaign(workflowId="tag-say", customerList=people))
    quiet.advance(60)
    sent = quiet.get("/campaigns/c1").json()["sentCount"]
    words = [said(quiet, person["phoneNumberId"][1:]) for person in people]
    assert words.count(["Hello Dana Levi", "And more"]) == sent > 0
    tagged = quiet.world.storage.rows(
        "SELECT count(*) FROM conversation_tags WHERE tag='tag-vip' AND customer LIKE '97252000070_'"
    )
    assert tagged == [(sent,)]

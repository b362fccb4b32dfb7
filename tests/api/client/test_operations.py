"""Each operation as docs/interface.md shows it: method, host, path, body, credentials, answer."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from api.client.fake_server import Platform, reply, task
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import BadReply, BadRequestInput
from frontdesk_api.contract.ai_agents import AiAgentQuery
from frontdesk_api.contract.messages import MessageQuery
from frontdesk_api.contract.tasks import TaskQuery, TaskUpdate
from frontdesk_api.contract.workflows import WorkflowCreate, WorkflowUpdate

PAGE = {"dbObject": [], "hasMoreItemsToFetch": False}
CREATED = {"message": "made", "created": 1, "lastModified": 2}
Work = Callable[[PlatformClient], Awaitable[Any]]

OPERATIONS: list[tuple[str, str, str, Any, Any, Work]] = [
    ("business.test", "POST", "/tasks/list", {}, PAGE, lambda c: c.list_tasks()),
    ("business.test", "GET", "/tasks/t1", None, {"task": task()}, lambda c: c.get_task("t1")),
    (
        "business.test",
        "PATCH",
        "/tasks/t1",
        {"dueDate": 1760000000, "assignedAgentIds": []},
        {"task": task()},
        lambda c: c.update_task("t1", TaskUpdate(dueDate=1760000000, assignedAgentIds=[])),
    ),
    (
        "base.test",
        "POST",
        "/getMessages",
        {"phoneNumberId": "L", "targetPhoneNumberId": "C"},
        PAGE,
        lambda c: c.get_messages(MessageQuery(phoneNumberId="L", targetPhoneNumberId="C")),
    ),
    (
        "base.test",
        "POST",
        "/conversations/L%23C/tags",
        {"tagIds": ["a"]},
        "success",
        lambda c: c.assign_tags("L#C", ["a"]),
    ),
    ("campaigns.test", "POST", "/campaigns", {"x": 1}, {"message": "c1"}, lambda c: c.create_campaign({"x": 1})),
    ("campaigns.test", "GET", "/campaigns/c1", None, {"id": "c1"}, lambda c: c.get_campaign("c1")),
    (
        "workflows.test",
        "POST",
        "/workflows",
        {"getAllWorkflowsMinimalData": True},
        {"result": [], "hasMoreItemsToFetch": False},
        lambda c: c.list_workflows(),
    ),
    (
        "workflows.test",
        "POST",
        "/workflows",
        {"getAllWorkflowsMinimalData": False},
        {"result": [], "hasMoreItemsToFetch": False},
        lambda c: c.list_workflow_documents(),
    ),
    (
        "workflows.test",
        "POST",
        "/workflows/w%2F1?folderId=f%201%26x",
        {"name": "n"},
        CREATED,
        lambda c: c.create_workflow("w/1", "f 1&x", WorkflowCreate(name="n")),
    ),
    (
        "workflows.test",
        "PUT",
        "/workflows/w1",
        {"isActive": True, "lastModified": 5},
        {"lastModified": 6},
        lambda c: c.update_workflow("w1", WorkflowUpdate(isActive=True, lastModified=5)),
    ),
    (
        "workflows.test",
        "POST",
        "/workflows/w1/analytics/reset",
        None,
        {"id": "w1"},
        lambda c: c.reset_workflow_analytics("w1"),
    ),
    ("ai.test", "GET", "/v/ai-agents?flat=true", None, {"agents": []}, lambda c: c.list_ai_agents()),
    ("base.test", "DELETE", "/webhook/h%231", None, "", lambda c: c.delete_webhook("h#1")),
]

READS = ("POST /tasks/list", "POST /getMessages", "POST /workflows")
"""The reads among those that aren't a GET (docs/interface.md)."""


@pytest.mark.parametrize(("host", "method", "target", "body", "answer", "work"), OPERATIONS)
def test_an_operation_is_asked_as_the_interface_shows(
    host: str, method: str, target: str, body: Any, answer: Any, work: Work
) -> None:
    platform = Platform(reply(answer))
    platform.ask(work)
    assert platform.line == f"{method} {target}"
    assert platform.request.url.host == host
    assert (json.loads(platform.request.content) if platform.request.content else None) == body
    assert ("content-type" in platform.request.headers) is (body is not None)
    assert platform.request.headers["accept-encoding"] == "identity"


@pytest.mark.parametrize(("host", "method", "target", "body", "answer", "work"), OPERATIONS)
def test_credentials_are_cookie_and_key_but_bearer_for_webhooks(
    host: str, method: str, target: str, body: Any, answer: Any, work: Work
) -> None:
    platform = Platform(reply(answer))
    platform.ask(work)
    headers = platform.request.headers
    assert headers["x-api-key"] == "canary-key"
    if method == "DELETE":
        assert headers["authorization"] == "Bearer canary-bearer"
        assert "cookie" not in headers
    else:
        assert headers["cookie"] == "token=canary-cookie"
        assert "authorization" not in headers


@pytest.mark.parametrize(("host", "method", "target", "body", "answer", "work"), OPERATIONS)
def test_a_read_only_client_sends_reads_alone(
    host: str, method: str, target: str, body: Any, answer: Any, work: Work
) -> None:
    platform = Platform(reply(answer), read_only="frontdesk is read-only")
    if method == "GET" or f"{method} {target}" in READS:
        platform.ask(work)
        assert platform.request.url.host == host
    else:
        with pytest.raises(BadRequestInput, match="read-only"):
            platform.ask(work)
        assert platform.requests == []


@pytest.mark.parametrize(
    ("conversation", "encoded"),
    [
        ("a#b", "a%23b"),
        ("a/b", "a%2Fb"),
        ("a%23b", "a%2523b"),
        ("a b?c", "a%20b%3Fc"),
        ("ה🙂", "%D7%94%F0%9F%99%82"),
        ("...", "..."),
        ("a\n", "a%0A"),
    ],
)
def test_a_path_id_is_percent_encoded_whole(conversation: str, encoded: str) -> None:
    platform = Platform(reply("success"))
    platform.ask(lambda client: client.assign_tags(conversation, ["t"]))
    assert platform.line == f"POST /conversations/{encoded}/tags"


@pytest.mark.parametrize("task_id", ["", ".", "..", "\ud800", "x" * 513, "ä" * 257])
def test_an_id_that_would_reach_another_path_is_refused_unsent(task_id: str) -> None:
    platform = Platform(reply({"task": task()}))
    with pytest.raises(BadRequestInput):
        platform.ask(lambda client: client.get_task(task_id))
    assert platform.requests == []


@pytest.mark.parametrize(
    "work",
    [
        lambda c: c.assign_tags("c", []),
        lambda c: c.create_workflow("w", "", {"name": "n"}),
        lambda c: c.create_campaign({"name": "\ud800"}),
        lambda c: c.create_campaign({"x": float("nan")}),
    ],
)
def test_input_that_cannot_be_sent_is_refused_unsent(work: Work) -> None:
    platform = Platform(reply({}))
    with pytest.raises(BadRequestInput):
        platform.ask(work)
    assert platform.requests == []


@pytest.mark.parametrize("answer", [reply({}), reply({"message": "ok"}), reply({"id": "other"})])
def test_the_graph_put_takes_any_object_since_no_answer_is_described(answer: httpx.Response) -> None:
    item = Platform(answer).ask(lambda client: client.update_workflow("w1", {"isActive": True}))
    assert item.value.id == "w1"


def test_unknown_fields_come_back_whole_beside_the_model() -> None:
    raw = task(custom={"deep": [1, None]}, assignedAgentIds=["a"])
    item = Platform(reply({"task": raw})).ask(lambda client: client.get_task("t1"))
    assert item.raw == raw
    assert item.value.assignedAgentIds == ["a"]


def test_a_raw_body_is_sent_as_it_is() -> None:
    body = {"id": "c", "scheduledAt": 1.5, "unknown": {"n": 2.0}}
    platform = Platform(reply({"message": "c"}, 201))
    platform.ask(lambda client: client.create_campaign(body))
    assert platform.bodies() == [body]


def test_only_set_fields_and_whole_numbers_are_sent() -> None:
    platform = Platform(reply({"task": task()}))
    platform.ask(lambda client: client.update_task("t1", TaskUpdate(title="", dueDate=1.0)))
    assert platform.request.content == b'{"title":"","dueDate":1}'


def test_filters_of_tasks_and_ai_agents_are_sent() -> None:
    tasks, agents = Platform(reply(PAGE)), Platform(reply({"agents": []}))
    tasks.ask(lambda client: client.list_tasks(TaskQuery(agentId="a", limit=7, lastEvaluatedKey={})))
    agents.ask(lambda client: client.list_ai_agents(AiAgentQuery(flat=True, getFiles=True, limit=3)))
    assert tasks.bodies() == [{"agentId": "a", "limit": 7, "lastEvaluatedKey": {}}]
    assert agents.line == "GET /v/ai-agents?flat=true&getFiles=true&limit=3"


def test_an_answer_of_megabytes_is_decoded_beside_what_else_goes_on() -> None:
    graph = [{"id": f"n{number}", "data": {"text": "x" * 200}} for number in range(5_000)]
    platform = Platform(reply({"result": [{"id": "w1", "parsedData": graph}, {"name": "no id"}]}))
    page = platform.ask(lambda c: c.list_workflow_documents())
    assert [item.raw["parsedData"] for item in page.items] == [graph]
    assert [each.raw for each in page.broken] == [{"name": "no id"}]


def test_an_answer_of_megabytes_that_is_no_json_is_told_as_one_of_a_few_bytes_is() -> None:
    with pytest.raises(BadReply):
        Platform(httpx.Response(200, content=b"<html>" + b"x" * 1_000_000)).ask(
            lambda c: c.list_workflow_documents()
        )

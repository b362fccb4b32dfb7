"""What holds for every operation alike (tests/sandbox/rules.md, chapter 1), and the error answers that each one
has."""

import json
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from frontdesk_api.contract.endpoints import OPERATIONS, Endpoint
from sandbox.asking import ACCOUNT, BEARER, OTHER, Sandbox, assert_error_body, campaign, headers_of, path_of

DOCS = Path(__file__).parents[2] / "docs" / "interface.md"

MILLISECONDS = {"campaign": {"created", "lastModified", "scheduledAt", "startedAt", "completedAt", "failedAt"}}
MILLISECONDS["message"] = {"createdAt", "updatedAt"}
SECONDS = {"workflow": {"created", "lastModified", "lastExecution", "lastUpdated"}, "task": {"dueDate"}}
UNSTATED = {"task": {"createdAt", "updatedAt"}, "customer": {"createdAt", "lastActiveAt"}}
UNSTATED["agent"] = {"created", "lastModified"}


@pytest.mark.rules("1")
def test_the_sandbox_serves_all_five_hosts_on_one_url(still: Sandbox) -> None:
    assert len({endpoint.host for endpoint in OPERATIONS}) == 5
    for endpoint in OPERATIONS:
        # 401 and neither 404 nor 501: the operation is there.
        assert_error_body(still.ask(endpoint.method, path_of(endpoint), headers={}, json={}), 401)


@pytest.mark.rules("2")
def test_every_answer_with_a_body_is_json(sandbox: Sandbox) -> None:
    for endpoint in OPERATIONS:
        answer = sandbox.ask(endpoint.method, path_of(endpoint), headers=headers_of(endpoint), json={})
        assert answer.headers["content-type"] == "application/json"
        answer.json()


def dated(sandbox: Sandbox) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every kind of object that carries times."""
    for name in ("early-access", "delivery-survey", "back-in-stock", "weekend", "win-back", "loyalty"):
        yield "campaign", sandbox.get(f"/campaigns/cmp-{name}").json()
    for workflow in sandbox.post("/workflows", {}).json()["result"]:
        yield "workflow", workflow
        yield "workflow", workflow["analytics"]
    for task in sandbox.post("/tasks/list", {"limit": 100}).json()["dbObject"]:
        yield "task", task
        yield "customer", task["customer"]
        line, _, customer = task["participantsIdentifiers"].partition("#")
        pair = {"phoneNumberId": line, "targetPhoneNumberId": customer}
        for message in sandbox.post("/getMessages", pair).json()["dbObject"]:
            yield "message", message
    for agent in sandbox.get("/ai-agents?flat=true").json()["agents"]:
        yield "agent", agent


@pytest.mark.rules("4 74 93 176 192")
def test_every_time_is_a_number_in_the_unit_of_its_field(still: Sandbox) -> None:
    seen: set[tuple[str, str]] = set()
    for kind, found in dated(still):
        for units, fits in ((MILLISECONDS, lambda at: at > 1e12), (SECONDS, lambda at: at < 1e11)):
            for name in units.get(kind, set()) & set(found):
                assert isinstance(found[name], int | float), (kind, name)
                assert not isinstance(found[name], bool)
                assert fits(found[name]), (kind, name, found[name])
                seen.add((kind, name))
        for name in UNSTATED.get(kind, set()) & set(found):
            assert isinstance(found[name], int | float), (kind, name)
            seen.add((kind, name))
    wanted = {
        (kind, name)
        for units in (MILLISECONDS, SECONDS, UNSTATED)
        for kind, names in units.items()
        for name in names
    }
    assert seen == wanted


@pytest.mark.rules("13 14")
@pytest.mark.parametrize(("headers", "account"), [(ACCOUNT, "acme-home"), (OTHER, "birch-and-co")])
def test_what_is_created_belongs_to_the_account_of_the_cookie(
    sandbox: Sandbox, headers: dict[str, str], account: str
) -> None:
    assert sandbox.post("/campaigns", campaign(), headers=headers).status_code == 201
    assert sandbox.get("/campaigns/c1", headers=headers).json()["associatedTo"] == account
    folder = {"acme-home": "folder-service", "birch-and-co": "folder-birch"}[account]
    body = {"name": "Mine", "associatedTo": "somebody-else"}
    assert sandbox.post(f"/workflows/mine?folderId={folder}", body, headers=headers).is_success
    listed = sandbox.post("/workflows", {}, headers=headers).json()["result"]
    assert [each["associatedTo"] for each in listed if each["id"] == "mine"] == [account]
    stranger = OTHER if headers is ACCOUNT else ACCOUNT
    assert_error_body(sandbox.get("/campaigns/c1", headers=stranger), 404)
    assert "mine" not in {each["id"] for each in sandbox.post("/workflows", {}, headers=stranger).json()["result"]}


@pytest.mark.rules("15 90")
def test_no_list_shows_what_is_another_accounts(still: Sandbox) -> None:
    for path, field in (("/workflows", "result"), ("/tasks/list", "dbObject")):
        mine, theirs = (
            {each.get("id") or each["taskId"] for each in still.post(path, {}, headers=headers).json()[field]}
            for headers in (ACCOUNT, OTHER)
        )
        assert mine
        assert theirs
        assert not mine & theirs
    owners = {each["associatedTo"] for each in still.post("/workflows", {}).json()["result"]}
    assert owners == {"acme-home"}


def refusals(endpoint: Endpoint[Any], sandbox: Sandbox) -> Iterator[Any]:
    """Every way in which this operation can be refused without waiting for anything."""
    path, headers = path_of(endpoint), headers_of(endpoint)

    def ask(body: bytes = b"{}", path: str = path, **more: str) -> Any:
        sent = headers | {"Content-Type": "application/json"} | more
        return sandbox.ask(endpoint.method, path, headers=sent, content=body)

    yield ask(**{"x-api-key": "wrong"})
    if "{" in endpoint.path:
        yield ask(path=path_of(endpoint, id="%FF", workflowId="%FF", taskId="%FF", webhookId="%FF"))
    if endpoint.request is not None:
        yield ask(b"[]")
        yield ask(b'{"limit": 0, "name": 5, "tagIds": [], "getAllWorkflowsMinimalData": 1, "title": 5}')
    if endpoint.query is not None:
        yield ask(path=path.partition("?")[0])
    yield ask()
    yield ask(b" " * (9 * 1024 * 1024))


@pytest.mark.rules("16-18 80 81 91 139 164 166 185 201 211 224 228")
@pytest.mark.parametrize("endpoint", OPERATIONS, ids=lambda endpoint: endpoint.name)
def test_the_counted_error_answers_have_the_error_body(sandbox: Sandbox, endpoint: Endpoint[Any]) -> None:
    """At least as many different error answers as the interface counts, each with the Error body and a slug."""
    met: dict[int, set[str]] = {}
    for answer in refusals(endpoint, sandbox):
        if answer.status_code >= 400:
            assert_error_body(answer, answer.status_code)
            assert set(answer.json()) == {"error", "message"}
            met.setdefault(answer.status_code, set()).add(answer.json()["error"])
    sandbox.put("/sandbox/settings", {"requests_per_second": 1})
    throttled = next(
        answer for answer in (sandbox.ask(endpoint.method, path_of(endpoint), headers=headers_of(endpoint))
        for _ in range(1000)) if answer.status_code == 429
    )  # fmt: skip
    sandbox.put("/sandbox/settings", {"requests_per_second": 0})
    met[429] = {throttled.json()["error"]}
    assert len(met) >= endpoint.errors + (endpoint.name == "reset_workflow_analytics")
    slugs = {slug for found in met.values() for slug in found}
    assert slugs <= documented_slugs()
    sandbox.put("/sandbox/faults", [{"path": ".", "kind": "status", "status": 503}])
    assert_error_body(sandbox.ask(endpoint.method, path_of(endpoint), headers=headers_of(endpoint)), 503)


def documented_slugs() -> set[str]:
    told = re.search(r"`error` is\s+one of the slugs\s+([\w,\s]+)\.", DOCS.read_text())
    assert told is not None
    return set(re.split(r",\s+", told[1]))


@pytest.mark.rules("18")
def test_the_same_cause_has_the_same_slug_whatever_the_operation(still: Sandbox) -> None:
    causes: dict[str, set[str]] = {}
    for endpoint in OPERATIONS:
        path, headers = path_of(endpoint), headers_of(endpoint)
        sent = headers | {"Content-Type": "application/json"}
        for cause, answer in (
            ("nobody", still.ask(endpoint.method, path, headers={})),
            ("broken", still.ask(endpoint.method, path, headers=sent, content=b"{") if endpoint.request else None),
        ):
            if answer is not None:
                causes.setdefault(cause, set()).add(answer.json()["error"])
    assert causes == {"nobody": {"unauthorized"}, "broken": {"invalid_request"}}


@pytest.mark.rules("20")
def test_nothing_is_sent_to_anybody(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """A webhook is only ever deleted: whatever happens, the service opens no connection of its own."""
    called: list[object] = []
    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, lambda _socket, *given: called.append(given))
    made = sandbox.post("/sandbox/webhooks", {"webhookId": "w", "url": "http://127.0.0.1:9/hook"}).json()
    sandbox.post("/sandbox/messages", {"sender": "5", "receiver": "972737001200", "message": "Hello"})
    sandbox.post("/campaigns", campaign())
    sandbox.advance(30)
    sandbox.task(title="New")
    assert sandbox.delete(f"/webhook/{made['webhookId']}", headers=BEARER).is_success
    assert called == []


@pytest.mark.rules("20")
def test_the_description_has_no_events_and_no_stream_is_offered(still: Sandbox) -> None:
    told = still.get("/openapi.json").json()
    assert "webhooks" not in told
    assert '"callbacks"' not in json.dumps(told)
    for path in ("/events", "/stream", "/ws", "/socket", "/webhooks"):
        assert_error_body(still.get(path), 404)
    upgrade = ACCOUNT | {"Connection": "Upgrade", "Upgrade": "websocket", "Accept": "text/event-stream"}
    answer = still.post("/tasks/list", {"limit": 1}, headers=upgrade)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.rules("19")
def test_a_throttle_is_an_accounts_own_and_off_unless_asked_for(make_sandbox: Callable[..., Sandbox]) -> None:
    sandbox = make_sandbox()
    assert {sandbox.get("/tasks/none").status_code for _ in range(60)} == {404}
    sandbox.put("/sandbox/settings", {"requests_per_second": 1})
    answers = (sandbox.get("/tasks/none") for _ in range(1000))
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert_error_body(refused, 429)
    assert refused.headers["retry-after"] == "1"
    assert sandbox.get("/tasks/none", headers=OTHER).status_code == 404

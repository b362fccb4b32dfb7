"""Who may ask (tests/sandbox/rules.md, chapter 1)."""

import pytest

from frontdesk_api.contract.endpoints import OPERATIONS, Credentials
from frontdesk_sandbox.handlers import HANDLERS
from sandbox.asking import ACCOUNT, BEARER, COOKIE, KEY, OTHER, Sandbox, assert_error_body

ACCOUNT_OPERATIONS = [endpoint for endpoint in OPERATIONS if endpoint.credentials is Credentials.ACCOUNT]


def test_every_operation_of_the_contract_has_a_handler() -> None:
    assert set(HANDLERS) == {endpoint.name for endpoint in OPERATIONS}


@pytest.mark.rules("5-9")
@pytest.mark.parametrize(
    "headers",
    [
        {},
        KEY,
        COOKIE,
        {"Cookie": "token=wrong"} | KEY,
        COOKIE | {"x-api-key": "wrong"},
        {"Cookie": "other=sandbox"} | KEY,
        COOKIE | {"x-api-key": "other-key"},
        BEARER,
    ],
)
def test_both_headers_of_one_account_are_needed_everywhere(still: Sandbox, headers: dict[str, str]) -> None:
    for endpoint in ACCOUNT_OPERATIONS:
        path = endpoint.path.replace("{", "").replace("}", "")
        assert_error_body(still.ask(endpoint.method, path, headers=headers, json={}), 401)


def test_a_cookie_expires_where_the_token_is_set_anew(sandbox: Sandbox) -> None:
    sandbox.put("/sandbox/settings", {"token": "fresh"})
    assert_error_body(sandbox.post("/tasks/list", {}, headers=COOKIE | KEY), 401)
    assert sandbox.post("/tasks/list", {}, headers={"Cookie": "token=fresh"} | KEY).status_code == 200
    assert_error_body(sandbox.put("/sandbox/settings", {"token": ""}), 400)


def test_a_cookie_among_others_is_found(still: Sandbox) -> None:
    headers = {"Cookie": "theme=dark; token=sandbox; a=b"} | KEY
    assert still.post("/tasks/list", {}, headers=headers).status_code == 200


@pytest.mark.rules("10-12")
@pytest.mark.parametrize(
    "headers",
    [
        ACCOUNT,
        {"Authorization": "Bearer sandbox-bearer"},
        {"Authorization": "bearer sandbox-bearer"} | KEY,
        {"Authorization": "sandbox-bearer"} | KEY,
        {"Authorization": "Basic sandbox-bearer"} | KEY,
        {"Authorization": "Bearer wrong"} | KEY,
        {"Authorization": "Bearer sandbox-bearer x"} | KEY,
    ],
)
def test_deleting_a_webhook_needs_bearer_and_key(sandbox: Sandbox, headers: dict[str, str]) -> None:
    assert_error_body(sandbox.delete("/webhook/wh-crm", headers=headers), 401)
    assert sandbox.delete("/webhook/wh-crm", headers=BEARER).status_code == 200


@pytest.mark.rules("15")
def test_another_accounts_things_do_not_exist(still: Sandbox) -> None:
    mine = still.post("/tasks/list", {"limit": 1}).json()["dbObject"][0]["taskId"]
    assert_error_body(still.get(f"/tasks/{mine}", headers=OTHER), 404)
    assert_error_body(still.patch(f"/tasks/{mine}", {"title": "x"}, headers=OTHER), 404)
    assert_error_body(still.get("/campaigns/cmp-early-access", headers=OTHER), 404)
    assert len(still.post("/tasks/list", {}, headers=OTHER).json()["dbObject"]) == 2
    assert len(still.post("/workflows", {}, headers=OTHER).json()["result"]) == 1
    assert still.get("/ai-agents?flat=true", headers=OTHER).json()["agents"] == []
    thread = {"phoneNumberId": "972737001200", "targetPhoneNumberId": "972525000000"}
    assert still.post("/getMessages", thread, headers=OTHER).json()["dbObject"] == []
    assert_error_body(still.delete("/webhook/wh-birch", headers=BEARER), 404)


def test_unspecified_operations_answer_501_and_unknown_paths_404(still: Sandbox) -> None:
    for method, path in (
        ("DELETE", "/conversations/a%23b/tags"),
        ("GET", "/workflows/wf-welcome"),
        ("POST", "/campaigns/x"),
        ("PUT", "/getMessages"),
    ):
        assert_error_body(still.ask(method, path), 501)
    assert_error_body(still.get("/folders"), 404)
    assert_error_body(still.get("/v1/tasks/x"), 404)


def test_other_codes_of_the_same_class_can_be_asked_for(sandbox: Sandbox) -> None:
    sandbox.put("/sandbox/settings", {"other_codes": True})
    codes = {sandbox.get("/tasks/none").status_code for _ in range(40)}
    assert codes == {404, 410}

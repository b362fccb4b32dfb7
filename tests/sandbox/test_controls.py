"""Controls and faults (docs/command-line.md)."""

import time
from typing import Any

import httpx
import pytest

from frontdesk_api.contract.endpoints import OPERATIONS
from frontdesk_sandbox import application
from sandbox.asking import Sandbox, assert_error_body


def test_requests_lists_what_was_asked_newest_first(sandbox: Sandbox) -> None:
    before = time.time()
    sandbox.get("/tasks/a%23b?x=1")
    sandbox.post("/tasks/list", {})
    log = sandbox.get("/sandbox/requests").json()
    assert [(entry["method"], entry["path"], entry["status"]) for entry in log] == [
        ("POST", "/tasks/list", 200),
        ("GET", "/tasks/a%23b", 404),
    ]
    assert before <= log[1]["time"] <= log[0]["time"] <= time.time()


def test_a_task_made_by_the_control_is_whole_and_may_be_odd(sandbox: Sandbox) -> None:
    made = sandbox.task(title=5, customer="not an object", dueDate="x")
    assert made["taskId"]
    assert sandbox.get(f"/tasks/{made['taskId']}").json()["task"]["title"] == 5
    assert sandbox.patch(f"/tasks/{made['taskId']}", {"title": "x"}).is_success


def test_a_status_fault_strikes_as_often_as_told(sandbox: Sandbox) -> None:
    fault = {"path": "^/tasks", "kind": "status", "status": 503, "times": 2, "headers": {"Retry-After": "7"}}
    sandbox.put("/sandbox/faults", [fault])
    first = sandbox.post("/tasks/list", {})
    assert_error_body(first, 503)
    assert first.headers["retry-after"] == "7"
    assert sandbox.post("/workflows", {}).is_success
    assert sandbox.post("/tasks/list", {}).status_code == 503
    assert sandbox.post("/tasks/list", {}).is_success


def test_share_hits_that_part_and_an_empty_list_clears(sandbox: Sandbox) -> None:
    sandbox.put("/sandbox/faults", [{"path": ".", "kind": "status", "share": 0.3}])
    hits = sum(sandbox.get("/tasks/none").status_code == 503 for _ in range(200))
    assert 30 < hits < 90
    sandbox.put("/sandbox/faults", [])
    assert sandbox.get("/tasks/none").status_code == 404


def test_delay_garbage_and_controls_stay_reachable(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)
        # Nothing has been carried out while it waits.
        assert sandbox.world.request_log == journal

    monkeypatch.setattr(application.asyncio, "sleep", sleep)
    sandbox.put("/sandbox/faults", [{"path": ".*", "kind": "delay", "seconds": 3000}])
    journal = sandbox.world.request_log.copy()
    assert sandbox.post("/tasks/list", {}).is_success
    assert waited == [3000]
    assert sandbox.get("/sandbox/health").json()["status"] == "ok"
    sandbox.put("/sandbox/faults", [{"path": ".*", "kind": "garbage"}])
    with pytest.raises(ValueError):
        sandbox.post("/tasks/list", {}).json()


def test_a_login_page_answers_in_the_platforms_place(sandbox: Sandbox) -> None:
    task = sandbox.task(title="Before")
    path = f"/tasks/{task['taskId']}"
    for after, title in ((False, "Before"), (True, "After")):
        sandbox.put("/sandbox/faults", [{"path": "^/tasks/", "kind": "page", "after": after, "times": 1}])
        answer = sandbox.patch(path, {"title": "After"})
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert answer.text.startswith("<!DOCTYPE html>")
        assert sandbox.get(path).json()["task"]["title"] == title


def test_a_request_can_be_dropped_before_or_after_it_was_carried_out(sandbox: Sandbox) -> None:
    task = sandbox.task(title="Before")
    path = f"/tasks/{task['taskId']}"
    for after, title in ((False, "Before"), (True, "After")):
        sandbox.put("/sandbox/faults", [{"path": "^/tasks/", "kind": "drop", "after": after, "times": 1}])
        with pytest.raises((ConnectionAbortedError, httpx.HTTPError)):
            sandbox.patch(path, {"title": "After"})
        assert sandbox.get(path).json()["task"]["title"] == title
        assert sandbox.get("/sandbox/requests").json()[1]["status"] == 0


@pytest.mark.parametrize(
    "faults",
    [
        {},
        [{"kind": "status"}],
        [{"path": "("}],
        [{"path": "(", "kind": "status"}],
        [{"path": "x", "kind": "explode"}],
        [{"path": "x", "kind": "status", "share": 2}],
        [{"path": "x", "kind": "status", "headers": {"a b": "c"}}],
        [{"path": "x", "kind": "status", "headers": {"a": "c\r\nd: e"}}],
        [{"path": "x", "kind": "status", "surprise": 1}],
    ],
)
def test_a_wrong_fault_is_refused_and_the_old_ones_stay(sandbox: Sandbox, faults: Any) -> None:
    sandbox.put("/sandbox/faults", [{"path": "x", "kind": "drop"}])
    assert_error_body(sandbox.put("/sandbox/faults", faults), 400)
    assert len(sandbox.get("/sandbox/faults").json()) == 1


def test_unknown_controls_and_settings_are_refused(sandbox: Sandbox) -> None:
    assert_error_body(sandbox.get("/sandbox/nothing"), 404)
    assert_error_body(sandbox.ask("DELETE", "/sandbox/faults"), 501)
    assert_error_body(sandbox.put("/sandbox/settings", {"nothing": 1}), 400)
    assert_error_body(sandbox.post("/sandbox/advance", {"seconds": -1}), 400)
    assert_error_body(sandbox.post("/sandbox/messages", {"message": "to nobody"}), 400)
    assert_error_body(sandbox.post("/sandbox/messages", {"sender": "1", "receiver": "2"}), 404)


def test_the_openapi_document_names_every_operation(still: Sandbox) -> None:
    document = still.get("/openapi.json", headers={}).json()
    for endpoint in OPERATIONS:
        operation = document["paths"][endpoint.path][endpoint.method.lower()]
        assert operation["operationId"] == endpoint.name
        for reference in str(operation).split("#/components/schemas/")[1:]:
            assert reference.split("'")[0] in document["components"]["schemas"]

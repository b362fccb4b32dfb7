"""Tasks (rules.md chapters 8 and 9)."""

from typing import Any

import pytest

from sandbox.asking import Sandbox, assert_error_body


def pages(sandbox: Sandbox, **body: Any) -> list[list[dict[str, Any]]]:
    found = []
    cursor: dict[str, Any] = {}
    while True:
        page = sandbox.post("/tasks/list", body | {"lastEvaluatedKey": cursor}).json()
        found.append(page["dbObject"])
        assert isinstance(page["hasMoreItemsToFetch"], bool)  # 157
        assert ("lastEvaluatedKey" in page) is page["hasMoreItemsToFetch"]  # 158
        if not page["hasMoreItemsToFetch"]:
            return found
        cursor = page["lastEvaluatedKey"]


def ids(tasks: list[dict[str, Any]]) -> list[str]:
    return [task["taskId"] for task in tasks]


def test_148_an_empty_object_uses_defaults(still: Sandbox) -> None:
    assert len(still.post("/tasks/list", {}).json()["dbObject"]) == 50


@pytest.mark.parametrize("limit", [1, 7, 100])
def test_149_156_to_160_162_walking_all_pages_yields_every_task_once_in_order(still: Sandbox, limit: int) -> None:
    # One by one, a part of them is enough.
    only = {"agentId": "agent-pilar"} if limit == 1 else {}
    pages_found = pages(still, limit=limit, **only)
    assert all(len(page) <= limit for page in pages_found)
    walked = [task for page in pages_found for task in page]
    assert len(set(ids(walked))) == len(walked)
    keys = [(-task["updatedAt"], task["taskId"]) for task in walked]
    assert keys == sorted(keys)
    if limit > 1:
        assert len(walked) == still.get("/sandbox/health").json()["counts"]["tasks"] - 2


def test_159_equal_updated_at_across_a_page_border_loses_nothing(sandbox: Sandbox) -> None:
    made = sandbox.post(
        "/sandbox/tasks", [{"agent": place, "assignedAgentIds": ["only-me"]} for place in range(23)]
    )
    wanted = {task["taskId"] for task in made.json()}
    walked = [task for page in pages(sandbox, limit=5, agentId="only-me") for task in page]
    assert set(ids(walked)) == wanted
    assert len(walked) == 23


@pytest.mark.parametrize("limit", [0, 101, -1, 1.5, "10", True, None, 10**30])
def test_150_other_limits_are_refused(still: Sandbox, limit: object) -> None:
    assert_error_body(still.post("/tasks/list", {"limit": limit}), 400)


def test_151_to_154_filters_hold_together(still: Sandbox) -> None:
    everything = [task for page in pages(still, limit=100) for task in page]
    example = next(task for task in everything if task["assignedAgentIds"])
    line, agent, conversation = (
        example["phoneNumberId"],
        example["assignedAgentIds"][0],
        example["participantsIdentifiers"],
    )
    for body, fits in (
        ({"phoneNumberId": line}, lambda task: task["phoneNumberId"] == line),
        ({"agentId": agent}, lambda task: agent in task["assignedAgentIds"]),
        ({"participantsIdentifiers": conversation}, lambda task: task["participantsIdentifiers"] == conversation),
        (
            {"phoneNumberId": line, "agentId": agent},
            lambda task: task["phoneNumberId"] == line and agent in task["assignedAgentIds"],
        ),
    ):
        walked = [task for page in pages(still, limit=100, **body) for task in page]
        assert ids(walked) == ids([task for task in everything if fits(task)])
    assert still.post("/tasks/list", {"agentId": "ai-01"}).json()["dbObject"] == []  # 223


def test_161_an_altered_or_foreign_cursor_is_refused(still: Sandbox) -> None:
    cursor = still.post("/tasks/list", {"limit": 5}).json()["lastEvaluatedKey"]
    assert still.post("/tasks/list", {"lastEvaluatedKey": cursor, "limit": 9}).status_code == 200
    altered = cursor | {"updatedAt": cursor["updatedAt"] + 1}
    for wrong in (altered, {"taskId": "x"}, cursor | {"check": "é"}, cursor | {"more": 1}):
        assert_error_body(still.post("/tasks/list", {"lastEvaluatedKey": wrong}), 400)
    foreign = {"lastEvaluatedKey": cursor, "agentId": "agent-noa"}
    assert_error_body(still.post("/tasks/list", foreign), 400)


def test_165_166_185_get_and_unknown_ids(sandbox: Sandbox) -> None:
    task = sandbox.task(title="New")
    assert sandbox.get(f"/tasks/{task['taskId']}").json() == {"task": task}
    assert_error_body(sandbox.get("/tasks/none"), 404)
    assert_error_body(sandbox.patch("/tasks/none", {}), 404)


def test_82_ids_in_paths_are_decoded(sandbox: Sandbox) -> None:
    sandbox.task(taskId="a/b #ü")
    path = "/tasks/a%2Fb%20%23%C3%BC"
    assert sandbox.get(path).json()["task"]["taskId"] == "a/b #ü"
    assert sandbox.patch(path, {"title": "Slash"}).json()["task"]["title"] == "Slash"


def test_167_to_169_a_patch_changes_its_fields_and_no_others(sandbox: Sandbox) -> None:
    task = sandbox.task(title="Before", body="kept", dueDate=5)
    patch = {
        "title": "After",
        "statusCase": "standby",
        "assignedAgentIds": ["agent-tom"],
        "viewedByAgentIds": ["agent-noa"],
        "dueDate": 1_800_000_000,
        "participantsIdentifiers": "972737001200#1",
        "phoneNumberId": "972737001200",
    }
    after = sandbox.patch(f"/tasks/{task['taskId']}", patch).json()["task"]
    assert after == task | patch | {
        "updatedAt": after["updatedAt"],
        "unreadCount": 1,
        "agentIdentification": {"name": "Noa Ben-David", "email": "noa@acme-home.example"},
    }
    assert sandbox.get(f"/tasks/{task['taskId']}").json()["task"] == after


@pytest.mark.parametrize("status", ["open", "standby", "completed", "st-with-warehouse"])
def test_170_171_173_every_known_status_may_follow_any(sandbox: Sandbox, status: str) -> None:
    for before in ("completed", "open"):
        task = sandbox.task(statusCase=before)
        changed = sandbox.patch(f"/tasks/{task['taskId']}", {"statusCase": status})
        assert changed.json()["task"]["statusCase"] == status


@pytest.mark.parametrize(
    "patch",
    [
        {"statusCase": "nobody-knows"},
        {"statusCase": 1},
        {"assignedAgentIds": "agent-tom"},
        {"assignedAgentIds": [1]},
        {"assignedAgentIds": None},
        {"dueDate": "tomorrow"},
        {"dueDate": True},
        {"title": None},
        {"title": 5},
    ],
)
def test_172_183_wrong_values_are_refused_and_nothing_changes(sandbox: Sandbox, patch: dict[str, Any]) -> None:
    task = sandbox.task(title="Same")
    assert_error_body(sandbox.patch(f"/tasks/{task['taskId']}", patch), 400)
    assert sandbox.get(f"/tasks/{task['taskId']}").json()["task"] == task


def test_174_176_an_empty_list_clears_and_0_unsets(sandbox: Sandbox) -> None:
    task = sandbox.task(assignedAgentIds=["agent-tom", "agent-noa"], dueDate=1_800_000_000)
    after = sandbox.patch(f"/tasks/{task['taskId']}", {"assignedAgentIds": [], "dueDate": 0}).json()["task"]
    assert after["assignedAgentIds"] == []
    assert after["dueDate"] == 0


def test_178_to_181_every_patch_counts_even_an_empty_one(sandbox: Sandbox) -> None:
    task = sandbox.task()
    seen = [task]
    for patch in ({}, {"title": "a", "body": "b"}, {}):
        seen.append(sandbox.patch(f"/tasks/{task['taskId']}", patch).json()["task"])
    assert [step["unreadCount"] for step in seen] == [0, 1, 2, 3]
    times = [step["updatedAt"] for step in seen]
    assert times == sorted(set(times))


def test_182_server_managed_fields_are_ignored_or_in_strict_mode_refused(sandbox: Sandbox) -> None:
    task = sandbox.task()
    path = f"/tasks/{task['taskId']}"
    after = sandbox.patch(path, {"unreadCount": 99, "createdAt": 1, "taskId": "x"}).json()["task"]
    assert (after["unreadCount"], after["createdAt"], after["taskId"]) == (1, task["createdAt"], task["taskId"])
    sandbox.put("/sandbox/settings", {"strict_tasks": True})
    assert_error_body(sandbox.patch(path, {"unreadCount": 99}), 400)


def test_235_a_patch_survives_a_restart(make_sandbox: Any) -> None:
    first = make_sandbox()
    task = first.task()
    after = first.patch(f"/tasks/{task['taskId']}", {"title": "Kept"}).json()["task"]
    assert make_sandbox().get(f"/tasks/{task['taskId']}").json()["task"] == after

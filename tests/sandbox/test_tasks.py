"""Tasks (tests/sandbox/rules.md, chapters 8 and 9)."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frontdesk_api.contract.tasks import Customer
from sandbox.asking import OTHER, Sandbox, assert_error_body


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


@pytest.mark.rules("148")
def test_an_empty_object_uses_defaults(still: Sandbox) -> None:
    assert len(still.post("/tasks/list", {}).json()["dbObject"]) == 50


@pytest.mark.rules("149 156-160 162")
@pytest.mark.parametrize("limit", [1, 7, 100])
def test_walking_all_pages_yields_every_task_once_in_order(still: Sandbox, limit: int) -> None:
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


@pytest.mark.rules("159")
def test_equal_updated_at_across_a_page_border_loses_nothing(sandbox: Sandbox) -> None:
    made = sandbox.post(
        "/sandbox/tasks", [{"agent": place, "assignedAgentIds": ["only-me"]} for place in range(23)]
    )
    wanted = {task["taskId"] for task in made.json()}
    walked = [task for page in pages(sandbox, limit=5, agentId="only-me") for task in page]
    assert set(ids(walked)) == wanted
    assert len(walked) == 23


@pytest.mark.rules("150")
@pytest.mark.parametrize("limit", [0, 101, -1, 1.5, "10", True, None, 10**30])
def test_other_limits_are_refused(still: Sandbox, limit: object) -> None:
    assert_error_body(still.post("/tasks/list", {"limit": limit}), 400)


@pytest.mark.rules("151-154")
def test_filters_hold_together(still: Sandbox) -> None:
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


@pytest.mark.rules("161")
def test_an_altered_or_foreign_cursor_is_refused(still: Sandbox) -> None:
    cursor = still.post("/tasks/list", {"limit": 5}).json()["lastEvaluatedKey"]
    assert still.post("/tasks/list", {"lastEvaluatedKey": cursor, "limit": 9}).status_code == 200
    was_sanitized = cursor | {"updatedAt": cursor["updatedAt"] + 1}
    for wrong in (was_sanitized, {"taskId": "x"}, cursor | {"check": "é"}, cursor | {"more": 1}):
        assert_error_body(still.post("/tasks/list", {"lastEvaluatedKey": wrong}), 400)
    foreign = {"lastEvaluatedKey": cursor, "agentId": "agent-noa"}
    assert_error_body(still.post("/tasks/list", foreign), 400)


@pytest.mark.rules("165 166 185")
def test_get_and_unknown_ids(sandbox: Sandbox) -> None:
    task = sandbox.task(title="New")
    assert sandbox.get(f"/tasks/{task['taskId']}").json() == {"task": task}
    assert_error_body(sandbox.get("/tasks/none"), 404)
    assert_error_body(sandbox.patch("/tasks/none", {}), 404)


@pytest.mark.rules("82")
def test_ids_in_paths_are_decoded(sandbox: Sandbox) -> None:
    sandbox.task(taskId="a/b #ü")
    path = "/tasks/a%2Fb%20%23%C3%BC"
    assert sandbox.get(path).json()["task"]["taskId"] == "a/b #ü"
    assert sandbox.patch(path, {"title": "Slash"}).json()["task"]["title"] == "Slash"


@pytest.mark.rules("167-169")
def test_a_patch_changes_its_fields_and_no_others(sandbox: Sandbox) -> None:
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


@pytest.mark.rules("170 171 173")
@pytest.mark.parametrize("status", ["open", "standby", "completed", "st-with-warehouse"])
def test_every_known_status_may_follow_any(sandbox: Sandbox, status: str) -> None:
    for before in ("completed", "open"):
        task = sandbox.task(statusCase=before)
        changed = sandbox.patch(f"/tasks/{task['taskId']}", {"statusCase": status})
        assert changed.json()["task"]["statusCase"] == status


@pytest.mark.rules("172 183")
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
def test_wrong_values_are_refused_and_nothing_changes(sandbox: Sandbox, patch: dict[str, Any]) -> None:
    task = sandbox.task(title="Same")
    assert_error_body(sandbox.patch(f"/tasks/{task['taskId']}", patch), 400)
    assert sandbox.get(f"/tasks/{task['taskId']}").json()["task"] == task


@pytest.mark.rules("174 176")
def test_an_empty_list_clears_and_0_unsets(sandbox: Sandbox) -> None:
    task = sandbox.task(assignedAgentIds=["agent-tom", "agent-noa"], dueDate=1_800_000_000)
    after = sandbox.patch(f"/tasks/{task['taskId']}", {"assignedAgentIds": [], "dueDate": 0}).json()["task"]
    assert after["assignedAgentIds"] == []
    assert after["dueDate"] == 0


@pytest.mark.rules("178-181")
def test_every_patch_counts_even_an_empty_one(sandbox: Sandbox) -> None:
    task = sandbox.task()
    seen = [task]
    for patch in ({}, {"title": "a", "body": "b"}, {}):
        seen.append(sandbox.patch(f"/tasks/{task['taskId']}", patch).json()["task"])
    assert [step["unreadCount"] for step in seen] == [0, 1, 2, 3]
    times = [step["updatedAt"] for step in seen]
    assert times == sorted(set(times))


@pytest.mark.rules("182")
def test_server_managed_fields_are_ignored_or_in_strict_mode_refused(sandbox: Sandbox) -> None:
    task = sandbox.task()
    path = f"/tasks/{task['taskId']}"
    after = sandbox.patch(path, {"unreadCount": 99, "createdAt": 1, "taskId": "x"}).json()["task"]
    assert (after["unreadCount"], after["createdAt"], after["taskId"]) == (1, task["createdAt"], task["taskId"])
    sandbox.put("/sandbox/settings", {"strict_tasks": True})
    assert_error_body(sandbox.patch(path, {"unreadCount": 99}), 400)


@pytest.mark.rules("155")
def test_an_empty_cursor_and_none_are_the_first_page(still: Sandbox) -> None:
    absent = still.post("/tasks/list", {"limit": 7}).json()
    assert still.post("/tasks/list", {"limit": 7, "lastEvaluatedKey": {}}).json() == absent
    assert len(absent["dbObject"]) == 7
    second = still.post("/tasks/list", {"limit": 7, "lastEvaluatedKey": absent["lastEvaluatedKey"]}).json()
    assert not set(ids(second["dbObject"])) & set(ids(absent["dbObject"]))


@pytest.mark.rules("155 156")
@pytest.mark.parametrize("cursor", ["t", [], None, 5, True])
def test_a_cursor_is_an_object(still: Sandbox, cursor: object) -> None:
    assert_error_body(still.post("/tasks/list", {"lastEvaluatedKey": cursor}), 400)


@pytest.mark.rules("162")
def test_shuffled_pages_hold_the_same_tasks(sandbox: Sandbox) -> None:
    in_order = pages(sandbox, limit=100)
    sandbox.put("/sandbox/settings", {"shuffle_tasks": True})
    shuffled = pages(sandbox, limit=100)
    assert [sorted(ids(page)) for page in shuffled] == [sorted(ids(page)) for page in in_order]
    assert [ids(page) for page in shuffled] != [ids(page) for page in in_order]


@pytest.mark.rules("163")
def test_what_stays_as_it_is_during_a_walk_is_met_once(sandbox: Sandbox) -> None:
    """A task that is created or changed meanwhile may be met twice or not at all: clients look at the id."""
    before = {task["taskId"] for page in pages(sandbox, limit=100) for task in page}
    met: list[str] = []
    cursor: dict[str, Any] = {}
    changed = set()
    while True:
        page = sandbox.post("/tasks/list", {"limit": 30, "lastEvaluatedKey": cursor}).json()
        met += ids(page["dbObject"])
        changed.add(sandbox.task(title="Meanwhile")["taskId"])
        touched = page["dbObject"][-1]["taskId"]
        changed.add(touched)
        assert sandbox.patch(f"/tasks/{touched}", {}).is_success
        if not page["hasMoreItemsToFetch"]:
            break
        cursor = page["lastEvaluatedKey"]
    steady = before - changed
    assert sorted(identity for identity in met if identity in steady) == sorted(steady)


VALUES: dict[str, list[Any]] = {
    "title": ["", "A title", "שלום"],
    "body": ["", "What to do"],
    "statusCase": ["open", "standby", "completed", "st-waiting-customer"],
    "assignedAgentIds": [[], ["agent-tom"], ["agent-tom", "agent-noa"]],
    "viewedByAgentIds": [[], ["agent-noa"]],
    "dueDate": [0, 1_800_000_000],
    "participantsIdentifiers": ["972737001200#1", ""],
    "phoneNumberId": ["972737001200", "nobody's line"],
}


@pytest.mark.slow
@pytest.mark.rules("167-169 177-181")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(patches=st.lists(st.fixed_dictionaries({}, optional={n: st.sampled_from(v) for n, v in VALUES.items()})))
def test_any_subset_of_the_eight_fields_changes_those_and_no_others(
    sandbox: Sandbox, patches: list[dict[str, Any]]
) -> None:
    task = sandbox.task(title="Before", body="kept")
    path = f"/tasks/{task['taskId']}"
    for patch in patches:
        after = sandbox.patch(path, patch).json()["task"]
        managed = {name: after[name] for name in ("updatedAt", "agentIdentification")}
        assert after == task | patch | managed | {"unreadCount": task["unreadCount"] + 1}
        assert after["updatedAt"] > task["updatedAt"]
        assert after["agentIdentification"] == {"name": "Noa Ben-David", "email": "noa@acme-home.example"}
        assert sandbox.get(path).json() == {"task": after}
        task = after


@pytest.mark.rules("175")
def test_the_list_of_who_has_viewed_it_is_replaced(sandbox: Sandbox) -> None:
    task = sandbox.task(viewedByAgentIds=["agent-tom", "agent-yael"])
    path = f"/tasks/{task['taskId']}"
    for viewed in (["agent-noa"], ["agent-noa", "agent-tom"], []):
        assert sandbox.patch(path, {"viewedByAgentIds": viewed}).json()["task"]["viewedByAgentIds"] == viewed
    for wrong in ("agent-noa", [5], {}, None):
        assert_error_body(sandbox.patch(path, {"viewedByAgentIds": wrong}), 400)


@pytest.mark.rules("177")
def test_a_due_date_that_is_unset_is_0(sandbox: Sandbox) -> None:
    task = sandbox.task(dueDate=1_800_000_000)
    assert sandbox.patch(f"/tasks/{task['taskId']}", {"dueDate": 0}).json()["task"]["dueDate"] == 0
    assert sandbox.get(f"/tasks/{task['taskId']}").json()["task"]["dueDate"] == 0


@pytest.mark.rules("179 180")
def test_whoever_edits_is_named_and_counted(sandbox: Sandbox) -> None:
    made = sandbox.post("/sandbox/tasks", {"title": "Theirs"}, headers=OTHER).json()
    after = sandbox.patch(f"/tasks/{made['taskId']}", {"title": "x"}, headers=OTHER).json()["task"]
    assert after["agentIdentification"]["name"] == "Iris Birch"
    assert after["unreadCount"] == made["unreadCount"] + 1


@pytest.mark.rules("184")
def test_without_a_version_check_the_last_writer_wins(sandbox: Sandbox) -> None:
    """Two people read the same task; what the first wrote in other fields stays, in the same field it goes."""
    task = sandbox.task(title="Before", body="Before")
    path = f"/tasks/{task['taskId']}"
    assert sandbox.patch(path, {"title": "First", "body": "First"}).is_success
    assert sandbox.patch(path, {"title": "Second", "updatedAt": task["updatedAt"]}).is_success
    after = sandbox.get(path).json()["task"]
    assert (after["title"], after["body"]) == ("Second", "First")


@pytest.mark.rules("186")
def test_a_customer_carries_only_the_listed_fields(still: Sandbox) -> None:
    platforms = set()
    for page in pages(still, limit=100):
        for task in page:
            assert set(task["customer"]) <= set(Customer.model_fields)
            platforms.add(task["customer"]["platform"])
    assert "whatsapp" in platforms


@pytest.mark.rules("235")
def test_a_patch_survives_a_restart(make_sandbox: Any) -> None:
    first = make_sandbox()
    task = first.task()
    after = first.patch(f"/tasks/{task['taskId']}", {"title": "Kept"}).json()["task"]
    assert make_sandbox().get(f"/tasks/{task['taskId']}").json()["task"] == after

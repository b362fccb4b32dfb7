"""Tags, AI agents and webhooks (tests/sandbox/rules.md, chapters 11, 12, 13)."""

import json
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from frontdesk_api.contract.ai_agents import AiAgent
from frontdesk_sandbox.options import SandboxOptions
from frontdesk_sandbox.storage import Storage
from frontdesk_sandbox.world import Clock, open_world
from sandbox.asking import BEARER, Sandbox, assert_error_body, stop_seeded_campaigns

AGENT: dict[str, Any] = {
    **dict.fromkeys(("id", "name", "associatedTo", "folderId", "profileImage", "description"), str),
    **dict.fromkeys(("created", "lastModified", "tokensUsed"), int | float),
    "isActive": bool,
    "roles": list,
    "vectorStore": dict,
}
ROLE: dict[str, Any] = {
    **dict.fromkeys(("name", "description", "instructions", "webhook"), str),
    "allRequired": bool,
    "tool": dict,
}
STORE: dict[str, Any] = {"id": str, "required": bool, "files": list, "fileNamesMapping": dict}


def conversation(sandbox: Sandbox) -> str:
    return str(sandbox.post("/tasks/list", {"limit": 1}).json()["dbObject"][0]["participantsIdentifiers"])


def added_tags(sandbox: Sandbox) -> int:
    return int(sandbox.world.storage.rows("SELECT count(*) FROM conversation_tags")[0][0])


@pytest.mark.rules("202 207 208")
def test_tags_are_added_and_the_answer_is_a_string(sandbox: Sandbox) -> None:
    path = f"/conversations/{quote(conversation(sandbox), safe='')}/tags"
    assert "%23" in path
    sandbox.post(path, {"tagIds": ["tag-complaint"]})
    before = added_tags(sandbox)
    answer = sandbox.post(path, {"tagIds": ["tag-complaint", "tag-newsletter"]})
    assert answer.json() == "success"
    assert added_tags(sandbox) == before + 1
    sandbox.put("/sandbox/settings", {"tags_replace": True})
    sandbox.post(path, {"tagIds": ["tag-vip"]})
    assert added_tags(sandbox) <= before
    log = sandbox.get("/sandbox/requests").json()
    assert log[0]["path"] == path  # 204


@pytest.mark.rules("203")
def test_the_halves_may_come_in_either_order(sandbox: Sandbox) -> None:
    first, second = conversation(sandbox).split("#")
    for name in (f"{first}%23{second}", f"{second}%23{first}"):
        assert sandbox.post(f"/conversations/{name}/tags", {"tagIds": ["tag-vip"]}).json() == "success"


@pytest.mark.rules("205")
@pytest.mark.parametrize("body", [{}, {"tagIds": "tag-vip"}, {"tagIds": []}, {"tagIds": [1]}, {"tagIds": None}])
def test_other_bodies_are_refused(still: Sandbox, body: dict[str, Any]) -> None:
    path = f"/conversations/{quote(conversation(still), safe='')}/tags"
    assert_error_body(still.post(path, body), 400)


@pytest.mark.rules("206")
@pytest.mark.parametrize("tags", [["tag-vip"], ["tag-vip", "tag-late", "tag-refund"], ["tag-vip", "tag-vip"]])
def test_one_tag_is_enough_and_several_are_accepted(sandbox: Sandbox, tags: list[str]) -> None:
    line, customer = sandbox.world.storage.rows(
        "SELECT line, customer FROM conversations WHERE account='acme-home' "
        "AND customer NOT IN (SELECT customer FROM conversation_tags) LIMIT 1"
    )[0]
    answer = sandbox.post(f"/conversations/{line}%23{customer}/tags", {"tagIds": tags})
    assert answer.text == '"success"'
    stored = sandbox.world.storage.rows("SELECT tag FROM conversation_tags WHERE customer=?", customer)
    assert {row[0] for row in stored} == set(tags)


@pytest.mark.rules("209 210")
def test_unknown_tags_and_conversations_and_removal(sandbox: Sandbox) -> None:
    path = f"/conversations/{quote(conversation(sandbox), safe='')}/tags"
    before = added_tags(sandbox)
    assert_error_body(sandbox.post(path, {"tagIds": ["tag-vip", "none"]}), 404)
    assert added_tags(sandbox) == before
    assert_error_body(sandbox.post("/conversations/a%23b/tags", {"tagIds": ["tag-vip"]}), 404)
    assert_error_body(sandbox.ask("DELETE", path, json={"tagIds": ["tag-vip"]}), 501)


@pytest.mark.rules("212 218-221")
@pytest.mark.parametrize("limit", [None, 1, 7, 28, 1000])
def test_walking_the_ai_agents_meets_each_once(still: Sandbox, limit: int | None) -> None:
    path = "/ai-agents?flat=true" + (f"&limit={limit}" if limit else "")
    found: list[str] = []
    start = ""
    while True:
        page = still.get(path + start).json()
        assert len(page["agents"]) <= (limit or 25)
        found += [AiAgent.model_validate(agent).id for agent in page["agents"]]
        if not page["hasMoreItemsToFetch"]:
            break
        start = "&exclusiveStartKey=" + quote(json.dumps(page["lastEvaluatedKey"]), safe="")
    assert len(found) == len(set(found)) == 28


@pytest.mark.rules("213 214 217 218 220")
@pytest.mark.parametrize(
    "query",
    [
        "",
        "flat=false",
        "flat=1",
        "flat=true&getFiles=false",
        "flat=true&limit=0",
        "flat=true&limit=-1",
        "flat=true&limit=x",
        "flat=true&limit=1.5",
        "flat=true&limit=",
        "flat=true&exclusiveStartKey=nope",
        "flat=true&exclusiveStartKey=%5B%5D",
        "flat=true&exclusiveStartKey=%7B%22id%22%3A%22none%22%7D",
        "flat=true&exclusiveStartKey=%ff",
        "flat=true&exclusiveStartKey=%7B%22id%22%3A%22%5Cud800%22%7D",
        "flat=true&exclusiveStartKey=%7B%22id%22%3A%22%5Cu0000%22%7D",
        "flat=true&exclusiveStartKey=" + "%5B" * 3000 + "%5D" * 3000,
        "flat=true&limit=" + "9" * 5000,
    ],
)
def test_other_queries_are_refused(still: Sandbox, query: str) -> None:
    assert_error_body(still.get(f"/ai-agents?{query}"), 400)


def test_active_ai_agents_use_tokens_as_time_passes(quiet: Sandbox) -> None:
    def used() -> dict[str, tuple[bool, int]]:
        agents = quiet.get("/ai-agents?flat=true").json()["agents"]
        return {each["id"]: (each["isActive"], each["tokensUsed"]) for each in agents}

    before = used()
    quiet.advance(3600)
    for identity, (is_active, tokens) in used().items():
        grew = tokens - before[identity][1]
        assert 60 <= grew <= 500 if is_active else grew == 0


@pytest.mark.rules("216")
def test_files_come_only_when_asked_for(still: Sandbox) -> None:
    without = still.get("/ai-agents?flat=true").json()["agents"]
    assert all("files" not in agent["vectorStore"] for agent in without)
    with_files = still.get("/ai-agents?flat=true&getFiles=true").json()["agents"]
    assert any(agent["vectorStore"]["files"] for agent in with_files)


@pytest.mark.rules("215 219 222")
def test_the_list_is_flat_and_has_the_listed_fields(still: Sandbox) -> None:
    page = still.get("/ai-agents?flat=true&getFiles=true&limit=1000").json()
    assert set(page) == {"agents", "hasMoreItemsToFetch", "lastEvaluatedKey"}
    assert len(page["agents"]) == 28
    for agent in page["agents"]:
        assert set(agent) == set(AGENT), "an agent and no group of agents"
        assert {name: isinstance(agent[name], kind) for name, kind in AGENT.items()} == dict.fromkeys(AGENT, True)
        for role in agent["roles"]:
            assert {name: isinstance(role[name], kind) for name, kind in ROLE.items()} == dict.fromkeys(ROLE, True)
        store = agent["vectorStore"]
        assert {name: isinstance(store[name], kind) for name, kind in STORE.items()} == dict.fromkeys(STORE, True)
        assert all(isinstance(file, dict) for file in store["files"])


@pytest.mark.rules("218")
def test_the_default_is_25_and_no_limit_is_too_large(still: Sandbox) -> None:
    assert len(still.get("/ai-agents?flat=true").json()["agents"]) == 25
    assert len(still.get("/ai-agents?flat=true&limit=1").json()["agents"]) == 1
    for limit in (10**18, 10**30):
        assert len(still.get(f"/ai-agents?flat=true&limit={limit}").json()["agents"]) == 28


@pytest.mark.rules("223")
def test_no_ai_agent_is_assigned_to_a_task(still: Sandbox) -> None:
    agents = {agent["id"] for agent in still.get("/ai-agents?flat=true&limit=100").json()["agents"]}
    assigned: set[str] = set()
    cursor: dict[str, Any] = {}
    while True:
        page = still.post("/tasks/list", {"limit": 100, "lastEvaluatedKey": cursor}).json()
        assigned |= {agent for task in page["dbObject"] for agent in task["assignedAgentIds"]}
        if not page["hasMoreItemsToFetch"]:
            break
        cursor = page["lastEvaluatedKey"]
    assert assigned
    assert agents
    assert not agents & assigned


@pytest.mark.rules("225-227")
def test_a_deleted_webhook_is_gone(sandbox: Sandbox) -> None:
    identity = sandbox.post("/sandbox/webhooks", {"url": "https://x.example"}).json()["webhookId"]
    assert sandbox.delete(f"/webhook/{identity}", headers=BEARER).is_success
    assert_error_body(sandbox.delete(f"/webhook/{identity}", headers=BEARER), 404)
    assert sandbox.delete("/webhook/wh%2Freports%231", headers=BEARER).is_success
    assert sandbox.post("/sandbox/webhooks").json()["webhookId"] != identity


@pytest.mark.slow
def test_without_a_crowd_agents_use_tokens_only_when_time_is_moved(tmp_path: Path) -> None:
    openings = count(1_780_000_000.0, 7200.0)

    def tokens(storage: Storage, options: SandboxOptions, *, advance: float = 0.0) -> list[int]:
        # Hours after the one before, and standing: time that ran on with each look would make ever more due.
        opened_at = next(openings)
        clock = Clock(wall=lambda: opened_at, steady=lambda: opened_at)
        sandbox = stop_seeded_campaigns(Sandbox(open_world(options, clock, storage)))
        if advance:
            sandbox.advance(advance)
        agents = sandbox.get("/ai-agents?flat=true").json()["agents"]
        return [each["tokensUsed"] for each in agents if each["isActive"]]

    still, moving = SandboxOptions(crowd=False), SandboxOptions()
    with closing(Storage.open(tmp_path)) as storage:
        first = tokens(storage, still)
        assert tokens(storage, still) == first
        moved = tokens(storage, still, advance=3600)
        assert all(after > before for before, after in zip(first, moved, strict=True))
        assert tokens(storage, still) == moved
        crowded = tokens(storage, moving)
        assert all(after > before for before, after in zip(moved, crowded, strict=True))
        resumed = tokens(storage, still)
        assert all(after >= before for before, after in zip(crowded, resumed, strict=True))
        assert tokens(storage, still) == resumed

"""`--other-codes`: where the interface shows no status code, one of the same class at random.

No client may come to depend on a code that the sandbox chose.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import httpx
import pytest

from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import Refused
from frontdesk_api.client.transport import ONCE
from frontdesk_api.contract.endpoints import OPERATIONS
from frontdesk_api.contract.ids import (
    CampaignId,
    ConversationId,
    CustomerId,
    FolderId,
    LineId,
    TagId,
    TaskId,
    WebhookId,
    WorkflowId,
)
from frontdesk_api.contract.messages import MessageQuery
from frontdesk_api.contract.tasks import TaskUpdate
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_api.hosts import Hosts
from frontdesk_sandbox import service
from frontdesk_sandbox.__main__ import main
from frontdesk_sandbox.openapi import SHOWN
from frontdesk_sandbox.options import SandboxOptions
from sandbox.asking import BEARER, Sandbox, campaign
from sandbox.serving import Process

Ask = Callable[[Sandbox], httpx.Response]
TIMES = 15
NUMBERS = itertools.count()


@pytest.fixture
def varied(sandbox: Sandbox) -> Sandbox:
    sandbox.put("/sandbox/settings", {"other_codes": True})
    return sandbox


def fresh_campaign(sandbox: Sandbox) -> httpx.Response:
    return sandbox.post("/campaigns", campaign(id=f"c{next(NUMBERS)}"))


SHOWN_CODES: list[tuple[str, Ask, int]] = [
    ("create", fresh_campaign, 201),
    ("no name", lambda it: it.post("/campaigns", campaign(name=...)), 500),
    ("empty name", lambda it: it.post("/campaigns", campaign(name="")), 500),
    ("cannot be saved", lambda it: it.post("/campaigns", campaign(id="cmp-weekend")), 500),
    ("stale", lambda it: it.put("/workflows/wf-survey", {"lastModified": 1}), 409),
]

CHOSEN_CODES: list[tuple[str, Ask, int]] = [
    ("list workflows", lambda it: it.post("/workflows", {"getAllWorkflowsMinimalData": True}), 2),
    ("reset", lambda it: it.post("/workflows/wf-survey/analytics/reset"), 2),
    ("list tasks", lambda it: it.post("/tasks/list", {"limit": 1}), 2),
    ("get messages", lambda it: it.post("/getMessages", {"phoneNumberId": "a", "targetPhoneNumberId": "b"}), 2),
    ("ai agents", lambda it: it.get("/ai-agents?flat=true&limit=1"), 2),
    ("get campaign", lambda it: it.get("/campaigns/cmp-weekend"), 2),
    ("rule broken", lambda it: it.post("/campaigns", campaign(isActive=7)), 4),
    ("limit", lambda it: it.post("/tasks/list", {"limit": 0}), 4),
    ("unknown task", lambda it: it.get("/tasks/none"), 4),
    ("unknown workflow", lambda it: it.put("/workflows/none", {"lastModified": 1}), 4),
    ("unknown webhook", lambda it: it.delete("/webhook/none", headers=BEARER), 4),
    ("no credentials", lambda it: it.get("/tasks/none", headers={}), 4),
    ("nothing there", lambda it: it.get("/nothing"), 4),
    ("not specified", lambda it: it.delete("/conversations/a%23b/tags"), 5),
]


def test_a_code_that_the_interface_shows_never_changes(varied: Sandbox) -> None:
    for name, ask, status in SHOWN_CODES:
        assert {ask(varied).status_code for _ in range(TIMES)} == {status}, name


def test_the_403_of_analytics_reset_never_changes(make_sandbox: Callable[..., Sandbox]) -> None:
    basic = make_sandbox(other_codes=True, plan="basic")
    answers = [basic.post("/workflows/wf-survey/analytics/reset") for _ in range(TIMES)]
    assert {answer.status_code for answer in answers} == {403}
    assert all(list(answer.json()) == ["message"] for answer in answers)


def test_a_code_that_the_interface_does_not_show_varies_within_its_class(varied: Sandbox) -> None:
    for name, ask, kind in CHOSEN_CODES:
        answers = [ask(varied) for _ in range(TIMES)]
        codes = {answer.status_code for answer in answers}
        assert len(codes) > 1, name
        assert {code // 100 for code in codes} == {kind}, name
        if kind > 2:
            assert all(set(answer.json()) == {"error", "message"} for answer in answers), name


def test_a_shown_code_is_never_taken_for_something_else(varied: Sandbox) -> None:
    """A 403 of the reset means the plan and nothing else, so missing credentials are another code there."""
    for endpoint in OPERATIONS:
        path = endpoint.path.replace("{", "").replace("}", "")
        codes = {varied.ask(endpoint.method, path, headers={}, json={}).status_code for _ in range(TIMES)}
        assert codes <= {401, 403}
        assert not codes & set(SHOWN.get(endpoint.name, ()))


def test_the_body_stays_the_same_and_the_controls_keep_their_codes(varied: Sandbox) -> None:
    bodies = {varied.get("/tasks/none").text for _ in range(TIMES)}
    assert len(bodies) == 1
    assert {varied.get("/sandbox/nothing").status_code for _ in range(TIMES)} == {404}
    assert {varied.get("/sandbox/health").status_code for _ in range(TIMES)} == {200}
    assert varied.get("/sandbox/settings").json()["other_codes"] is True
    varied.put("/sandbox/settings", {"other_codes": False})
    assert {varied.get("/tasks/none").status_code for _ in range(TIMES)} == {404}


def test_without_the_option_every_code_is_the_chosen_one(sandbox: Sandbox) -> None:
    assert sandbox.get("/sandbox/settings").json()["other_codes"] is False
    for _, ask, kind in CHOSEN_CODES:
        codes = {ask(sandbox).status_code for _ in range(5)}
        assert len(codes) == 1
        assert codes <= ({200} if kind == 2 else {400, 401, 404, 501})


def test_the_module_takes_the_option(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[SandboxOptions] = []
    monkeypatch.setattr(service, "run", lambda options, _: begun.append(options))
    assert main(["--port", "0"]) == 0
    assert main(["--port", "0", "--other-codes"]) == 0
    assert [each.other_codes for each in begun] == [False, True]


def test_help_names_the_option(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "--other-codes" in capfd.readouterr().out


@pytest.mark.slow
def test_the_client_takes_every_success_and_knows_every_refusal_whatever_its_code(
    seeded: Path, tmp_path: Path
) -> None:
    """Each operation often enough to meet each of its codes."""
    folder = copytree(seeded, tmp_path / "data")
    process = Process("--no-crowd", "--data", str(folder), "--other-codes")
    credentials = CredentialSet(*(Secret(text) for text in ("token=sandbox", "sandbox-key", "sandbox-bearer")))
    task = httpx.post(f"{process.url}/sandbox/tasks", json={}).json()["taskId"]
    for number in range(12):
        httpx.post(f"{process.url}/sandbox/webhooks", json={"webhookId": f"w{number}"})
    pair = MessageQuery(phoneNumberId=LineId("972737001200"), targetPhoneNumberId=CustomerId("1"))

    async def each(client: PlatformClient, number: int) -> None:
        await client.list_tasks()
        await client.get_task(task)
        await client.update_task(task, TaskUpdate(title=str(number)))
        await client.get_messages(pair)
        await client.create_campaign(campaign(id=f"c{number}", whenToSendMessage="future", scheduledAt=9e12))
        await client.get_campaign(CampaignId(f"c{number}"))
        await client.list_workflows()
        await client.create_workflow(WorkflowId(f"w{number}"), FolderId("folder-service"), {"name": "x"})
        await client.reset_workflow_analytics(WorkflowId(f"w{number}"))
        await client.list_ai_agents()
        await client.delete_webhook(WebhookId(f"w{number}"))
        refused: list[Awaitable[Any]] = [
            client.get_task(TaskId("none")),
            client.update_task(TaskId("none"), TaskUpdate(title="x")),
            client.get_campaign(CampaignId("none")),
            client.create_workflow(WorkflowId("z"), FolderId("none"), {"name": "x"}),
            client.assign_tags(ConversationId("a#b"), [TagId("tag-vip")]),
            client.delete_webhook(WebhookId("none")),
        ]
        for work in refused:
            with pytest.raises(Refused):
                await work

    async def often() -> None:
        async with PlatformClient(Hosts(process.url), credentials, retry=ONCE) as client:
            for number in range(12):
                await each(client, number)

    try:
        asyncio.run(often())
        met = httpx.get(f"{process.url}/sandbox/requests").json()
        assert {asked["status"] for asked in met} >= {200, 201, 202, 404, 410}
    finally:
        assert process.end()[0] == 0

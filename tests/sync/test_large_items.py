"""Lists whose items are large, read through the client from a platform that honours `limit` or ignores it."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
import pytest

from frontdesk.ai_agents import store as agent_store
from frontdesk.ai_agents.sync import AiAgentPuller
from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from frontdesk.tasks.sync import FilteredTasks, TaskPuller
from frontdesk.tasks.task_filter import Scope
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import ReplyTooLarge
from frontdesk_api.client.transport import ONCE
from frontdesk_api.contract.tasks import TaskQuery
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_sandbox.application import Application
from sandbox.asking import Sandbox
from sync.running_engine import HOSTS, run

LINE, CONVERSATION = "972737001200", "972737001200#972500000001"
TASKS = 9
LARGE = 700_000
"""Five such tasks fit into a page, six don't."""


class Platform(httpx.AsyncBaseTransport):
    """The sandbox with a large text in each task and AI agent; notes the limits."""

    def __init__(self, sandbox: Sandbox, *, honours: bool):
        self._through = httpx.ASGITransport(app=Application(sandbox.world))
        self.honours = honours
        self.large = LARGE
        self.limits: list[int | None] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content) if request.content else {}
        query = dict(request.url.params)
        limit = body.get("limit", query.get("limit"))
        self.limits.append(None if limit is None else int(limit))
        if not self.honours:
            body.pop("limit", None)
            query.pop("limit", None)
        content = json.dumps(body).encode() if request.content else b""
        headers = [each for each in request.headers.raw if each[0].lower() != b"content-length"]
        sent = httpx.Request(
            request.method, request.url.copy_with(params=query or None), headers=headers, content=content
        )
        answer = await self._through.handle_async_request(sent)
        found = json.loads(await answer.aread())
        for each in found.get("dbObject", ()):
            each["body"] = "x" * self.large
        for each in found.get("agents", ()):
            each["description"] = "x" * self.large
        return httpx.Response(answer.status_code, content=in_parts(json.dumps(found).encode()))


async def in_parts(body: bytes) -> AsyncIterator[bytes]:
    for at in range(0, len(body), 65_536):
        yield body[at : at + 65_536]


def reading(platform: Platform, work: Callable[[PlatformClient], Awaitable[Any]]) -> None:
    """Work with a client of the platform."""

    async def bounded() -> None:
        credentials = CredentialSet(Secret("token=sandbox"), Secret("sandbox-key"), None)
        async with PlatformClient(
            HOSTS, credentials, transport=platform, retry=ONCE, close_grace_seconds=0
        ) as client:
            await work(client)

    run(bounded)


def pulling(
    platform: Platform, store: Store, work: Callable[[TaskPuller, PlatformClient], Awaitable[None]]
) -> None:
    """Work with a puller of the platform's tasks, and with its client."""
    reading(platform, lambda client: work(TaskPuller(client, store, lambda: 1.0), client))


@pytest.fixture
def tasks(sandbox: Sandbox) -> list[str]:
    """The ids of the only tasks."""
    storage = sandbox.world.storage
    with storage.writing():
        storage.run("DELETE FROM tasks")
    here = {"phoneNumberId": LINE, "participantsIdentifiers": CONVERSATION}
    return [sandbox.task(title=f"task {number}", **here)["taskId"] for number in range(TASKS)]


def stored(store: Store) -> int:
    return sum(task_store.counts_by_status(store.reading).values())


@pytest.mark.slow
def test_tasks_with_large_texts_are_all_read_in_smaller_pages(
    store: Store, sandbox: Sandbox, tasks: list[str]
) -> None:
    platform = Platform(sandbox, honours=True)

    async def work(puller: TaskPuller, client: PlatformClient) -> None:
        await puller.tasks_head()
        assert platform.limits == [100, 50, 25, 12, 6, 3]
        assert stored(store) == 3
        await puller.tasks_head()
        assert platform.limits[6:] == [3], "the size is found once"
        platform.limits.clear()
        while not puller.swept:
            await puller.tasks_sweep()
        assert platform.limits == [100, 50, 25, 12, 6, 3, 3, 3]
        assert stored(store) == TASKS
        platform.limits.clear()
        pages = [page async for page in client.iter_task_pages(TaskQuery())]
        assert sorted(item.value.taskId for page in pages for item in page.items) == sorted(tasks)
        assert platform.limits[0] is None, "without a limit of its own the request has none"
        platform.limits.clear()
        await FilteredTasks(puller, store, lambda: 1.0).next_page(Scope(line_id=LINE))
        assert platform.limits == [100, 50, 25, 12, 6, 3]

    pulling(platform, store, work)


@pytest.mark.slow
def test_a_platform_that_ignores_the_limit_is_said_to_send_too_much_and_is_read_again_when_it_fits(
    store: Store, sandbox: Sandbox, tasks: list[str]
) -> None:
    platform = Platform(sandbox, honours=False)

    async def work(puller: TaskPuller, client: PlatformClient) -> None:
        for _ in range(2):
            with pytest.raises(ReplyTooLarge, match=r"the response from 127\.0\.0\.1:1 is larger than 4 MiB"):
                await puller.tasks_head()
        assert platform.limits == [100, 50, 25, 12, 6, 3, 1, 1]
        platform.large = 10
        platform.limits.clear()
        for _ in range(2):
            await puller.tasks_head()
        assert platform.limits == [1, 100, 100]
        assert stored(store) == len(tasks)

    pulling(platform, store, work)


@pytest.mark.slow
@pytest.mark.parametrize("honours", [True, False])
def test_ai_agents_with_long_instructions_come_in_smaller_pages(
    store: Store, sandbox: Sandbox, *, honours: bool
) -> None:
    platform = Platform(sandbox, honours=honours)
    count = len(sandbox.get("/ai-agents?flat=true&limit=1000").json()["agents"])
    assert count > 12

    async def work(client: PlatformClient) -> None:
        puller = AiAgentPuller(client, store, lambda: 1.0)
        if honours:
            for _ in range(2):
                await puller.ai_agents()
            assert platform.limits[:3] == [None, 12, 6]
            assert platform.limits.count(None) == 1, "the size is found once"
        else:
            with pytest.raises(ReplyTooLarge, match="larger than 8 MiB, although only 1 item was requested"):
                await puller.ai_agents()
            assert platform.limits == [None, 12, 6, 3, 1]
            assert not agent_store.listing(store.reading).records
        platform.large = 10
        await puller.ai_agents()
        assert len(agent_store.listing(store.reading).records) == count

    reading(platform, work)

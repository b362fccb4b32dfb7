"""The tasks to which a board is narrowed: what the platform is asked, how far, and what is concluded."""

import json
from typing import Any

import httpx
import pytest

from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from frontdesk.tasks import task_filter
from frontdesk.tasks.sync import MAX_PAGES, FilteredTasks, TaskPuller, query_for
from frontdesk.tasks.task_filter import FilterProgress, Scope
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import ApiError, RateLimited, Refused, ReplyTooLarge, ServerError
from frontdesk_api.client.transport import ONCE
from frontdesk_api.contract.base import MAX_TASKS_LIMIT
from frontdesk_api.contract.decode import Item, Page
from frontdesk_api.contract.ids import TaskId
from frontdesk_api.contract.tasks import Task, TaskQuery
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_sandbox.application import Application
from sample_json import raw_task
from sandbox.asking import Sandbox
from sync.running_engine import HOSTS, run

SCOPE = Scope(line_id="L1")


class Platform:
    """Pages of one task each, as many as it is told."""

    def __init__(self, pages: int):
        self.pages = pages
        self.asked: list[int] = []
        self.says: ApiError | None = None

    async def list_tasks(self, query: TaskQuery) -> Page[Task]:
        if self.says is not None:
            raise self.says
        at = (query.lastEvaluatedKey or {}).get("at", 0)
        self.asked.append(at)
        raw = raw_task(at)
        more = at + 1 < self.pages
        cursor = {"at": at + 1} if more else None
        return Page(items=(Item(Task.model_validate(raw), raw),), broken=(), cursor=cursor, has_more=more)


def filtered(platform: Platform, store: Store) -> tuple[TaskPuller, FilteredTasks]:
    puller = TaskPuller(platform, store, lambda: 1.0)  # type: ignore[arg-type]
    return puller, FilteredTasks(puller, store, lambda: 1.0)


def test_the_sandbox_is_asked_by_line_agent_and_conversation_and_page_by_page(
    store: Store, sandbox: Sandbox
) -> None:
    here = {"phoneNumberId": "972737001200", "participantsIdentifiers": "972737001200#972500000001"}
    made = {
        sandbox.task(title=f"task {number}", assignedAgentIds=["agent-x"], **here)["taskId"] for number in range(3)
    }
    sandbox.task(title="another", assignedAgentIds=["agent-y"], **here)
    bodies: list[Any] = []
    through = httpx.ASGITransport(app=Application(sandbox.world))

    class Seen(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            bodies.append(json.loads(request.content))
            return await through.handle_async_request(request)

    scopes = (
        Scope(agent_id="agent-x"),
        Scope("972737001200", "agent-x", "972737001200#972500000001"),
        Scope("972737001200", "agent-x", "no#such"),
    )

    async def test() -> None:
        credentials = CredentialSet(Secret("token=sandbox"), Secret("sandbox-key"), None)
        async with PlatformClient(
            HOSTS, credentials, transport=Seen(), retry=ONCE, close_grace_seconds=0
        ) as client:
            walked = FilteredTasks(TaskPuller(client, store, lambda: 1.0), store, lambda: 1.0)
            for scope in scopes:
                assert await walked.next_page(scope) is (scope is scopes[0])
                assert task_filter.progress_of(store.reading, scope) == FilterProgress(complete=True)

    run(test)
    limit = {"limit": MAX_TASKS_LIMIT}
    whole = {"phoneNumberId": "972737001200", "agentId": "agent-x"}
    assert bodies == [
        {"agentId": "agent-x", **limit},
        {**whole, "participantsIdentifiers": "972737001200#972500000001", **limit},
        {**whole, "participantsIdentifiers": "no#such", **limit},
    ]
    assert sum(task_store.counts_by_status(store.reading).values()) == 3
    assert all(record_lookup.task(store.reading, TaskId(each)) for each in made)


def test_a_cursor_goes_back_as_it_came_and_what_is_not_asked_about_is_not_sent() -> None:
    cursor = {"taskId": "t", "at": 1.5, "more": {"a": None}}
    asked = query_for(Scope(agent_id="noa"), cursor).model_dump(exclude_unset=True)
    assert asked == {"agentId": "noa", "lastEvaluatedKey": cursor, "limit": MAX_TASKS_LIMIT}


def test_its_pages_are_walked_once_and_then_the_first_is_read_again(store: Store) -> None:
    async def test() -> None:
        platform = Platform(3)
        _, walked = filtered(platform, store)
        db = store.reading
        for stood in (
            FilterProgress(),
            FilterProgress(),
            FilterProgress(complete=True),
            FilterProgress(complete=True),
        ):
            assert (SCOPE.key in walked.walked) is (len(platform.asked) >= 3)
            await walked.next_page(SCOPE)
            assert task_filter.progress_of(db, SCOPE) == stood
        assert platform.asked == [0, 1, 2, 0]

    run(test)


def test_a_long_walk_is_left_to_the_walk_over_all_tasks(store: Store) -> None:
    async def test() -> None:
        platform = Platform(MAX_PAGES + 5)
        puller, walked = filtered(platform, store)
        for _ in range(MAX_PAGES + 1):
            await walked.next_page(SCOPE)
        assert platform.asked == [*range(MAX_PAGES), 0]
        assert task_filter.progress_of(store.reading, SCOPE) == FilterProgress(complete=False)
        puller.swept = True
        await walked.next_page(SCOPE)
        assert task_filter.progress_of(store.reading, SCOPE) == FilterProgress(complete=True)

    run(test)


def test_what_a_filtered_walk_does_not_meet_is_never_taken_for_gone(store: Store) -> None:
    store.write(lambda db: task_store.put(db, [raw_task(7), raw_task(8)])).result()

    async def test() -> None:
        _, walked = filtered(Platform(1), store)
        for _ in range(4):
            await walked.next_page(SCOPE)
        missed = store.reading.execute("SELECT sum(missed) FROM tasks").fetchall()
        assert missed == [(0,)]
        assert record_lookup.task(store.reading, TaskId("t7")) is not None

    run(test)


def test_a_no_to_the_filter_is_told_and_taken_back_when_it_is_answered(store: Store) -> None:
    async def test() -> None:
        platform = Platform(1)
        _, walked = filtered(platform, store)
        platform.says = Refused("no such agent", status=400)
        with pytest.raises(Refused):
            await walked.next_page(SCOPE)
        assert walked.refused == {SCOPE.key}
        stood = task_filter.progress_of(store.reading, SCOPE)
        assert stood is not None
        assert "no such agent" in stood.problem
        platform.says = ServerError("down", status=503)
        with pytest.raises(ServerError):
            await walked.next_page(SCOPE)
        platform.says = None
        await walked.next_page(SCOPE)
        assert not walked.refused
        assert task_filter.progress_of(store.reading, SCOPE) == FilterProgress(complete=True)

    run(test)


def test_pages_that_are_too_large_are_told_until_one_fits(store: Store) -> None:
    async def test() -> None:
        platform = Platform(1)
        _, walked = filtered(platform, store)
        platform.says = ReplyTooLarge("the response from business.test is larger than 4 MiB", "check the host")
        with pytest.raises(ReplyTooLarge):
            await walked.next_page(SCOPE)
        stood = task_filter.progress_of(store.reading, SCOPE)
        assert stood == FilterProgress(
            problem="the response from business.test is larger than 4 MiB, although only 1 item was requested"
        )
        assert not walked.refused
        platform.says = None
        await walked.next_page(SCOPE)
        assert task_filter.progress_of(store.reading, SCOPE) == FilterProgress(complete=True)

    run(test)


def test_a_cursor_that_has_expired_is_no_no_to_the_filter(store: Store) -> None:
    async def test() -> None:
        platform = Platform(3)
        _, walked = filtered(platform, store)
        await walked.next_page(SCOPE)
        platform.says = RateLimited("slower", status=429)
        with pytest.raises(RateLimited):
            await walked.next_page(SCOPE)
        platform.says = None
        await walked.next_page(SCOPE)
        platform.says = Refused("no such key", status=400)
        with pytest.raises(Refused):
            await walked.next_page(SCOPE)
        platform.says = None
        assert not walked.refused
        await walked.next_page(SCOPE)
        assert platform.asked == [0, 1, 0], "it is not walked again and again to where it was refused"
        assert task_filter.progress_of(store.reading, SCOPE) == FilterProgress()

    run(test)

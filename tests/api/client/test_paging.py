"""Pages: the cursor is sent back as it came, and a walk never ends silently before its end."""

import json
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest

from api.client.fake_server import Platform, collect, ids, reply, task
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import InvalidPaging
from frontdesk_api.contract.ai_agents import AiAgentQuery
from frontdesk_api.contract.messages import MessageQuery
from frontdesk_api.contract.tasks import TaskQuery

CURSOR = {"taskId": "t1", "updatedAt": 1.0, "odd": {"ü#": [None, True, 10**20]}}


def page(*task_ids: str, cursor: Any = None, more: bool | None = None) -> httpx.Response:
    body: dict[str, Any] = {"dbObject": [task(one) for one in task_ids]}
    body["hasMoreItemsToFetch"] = cursor is not None if more is None else more
    return reply(body | ({} if cursor is None else {"lastEvaluatedKey": cursor}))


def test_a_cursor_of_tasks_goes_back_unchanged() -> None:
    platform = Platform(page("t1", cursor=CURSOR), page("t2"))
    pages = platform.ask(lambda client: collect(client.iter_task_pages(TaskQuery(limit=1))))
    assert ids(pages, "taskId") == ["t1", "t2"]
    assert platform.bodies() == [{"limit": 1}, {"limit": 1, "lastEvaluatedKey": CURSOR}]
    assert b'"updatedAt":1.0' in platform.requests[1].content


def test_a_cursor_of_messages_is_the_start_key() -> None:
    key = {"messageId": "m1", "createdAt": 1760000000000, "kept": "too"}
    first = reply({"dbObject": [{"messageId": "m1"}], "hasMoreItemsToFetch": True, "lastEvaluatedKey": key})
    last = reply({"dbObject": [{"messageId": "m0"}], "hasMoreItemsToFetch": False})
    query = MessageQuery(phoneNumberId="L", targetPhoneNumberId="C")
    platform = Platform(first, last)
    pages = platform.ask(lambda client: collect(client.iter_message_pages(query)))
    assert ids(pages, "messageId") == ["m1", "m0"]
    assert [body.get("startKey") for body in platform.bodies()] == [None, key]


def test_a_cursor_of_ai_agents_is_uri_encoded_json() -> None:
    first = reply({"agents": [{"id": "a"}], "hasMoreItemsToFetch": True, "lastEvaluatedKey": {"id": "a&#/"}})
    platform = Platform(first, reply({"agents": [], "hasMoreItemsToFetch": False}))
    platform.ask(lambda client: collect(client.iter_ai_agent_pages(AiAgentQuery(flat=True))))
    query = parse_qs(platform.requests[1].url.query.decode())
    assert json.loads(query["exclusiveStartKey"][0]) == {"id": "a&#/"}
    assert b"%23" in platform.requests[1].url.raw_path


def test_a_page_is_read_from_a_kept_cursor_on() -> None:
    platform = Platform(page("t2"))
    platform.ask(lambda client: client.list_tasks(cursor=CURSOR))
    assert platform.bodies() == [{"lastEvaluatedKey": CURSOR}]


@pytest.mark.parametrize(
    ("answers", "got"),
    [
        ([page("t1", cursor={"k": 1}), page("t2", cursor={"k": 2}), page("t3", cursor={"k": 1})], 3),
        ([page("t1", cursor={"k": 1})], 2),
        ([page("t1", more=True)], 1),
        ([page("t1", cursor={}, more=True)], 1),
    ],
)
def test_a_repeated_or_missing_cursor_ends_the_walk_loudly(answers: list[httpx.Response], got: int) -> None:
    seen: list[Any] = []

    async def walk(client: PlatformClient) -> None:
        async for one in client.iter_task_pages(TaskQuery()):
            seen.append(one)

    with pytest.raises(InvalidPaging):
        Platform(*answers).ask(walk)
    assert len(seen) == got


def test_a_broken_item_never_costs_the_page() -> None:
    body = {
        "dbObject": [task("t1"), "junk", {"title": "no id"}, task("t2", dueDate="soon")],
        "hasMoreItemsToFetch": False,
    }
    found = Platform(reply(body)).ask(lambda client: client.list_tasks())
    assert ids([found], "taskId") == ["t1", "t2"]
    assert [broken.raw for broken in found.broken] == ["junk", {"title": "no id"}]

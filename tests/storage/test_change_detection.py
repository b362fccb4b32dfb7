"""A page that differs in nothing writes nothing; one with a broken item stores the rest and reports the one."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from api.client.fake_server import CREDENTIALS, HOSTS
from frontdesk.campaigns.store import campaigns
from frontdesk.engine.features import ProfileResources
from frontdesk.inbox.store import conversations, thread_pages
from frontdesk.storage import change_feed, invalid_items, record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.invalid_items import KEEP
from frontdesk.tasks import store as task_store
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.transport import ONCE
from frontdesk_api.contract.ids import CampaignId, ConversationId, StatusId
from frontdesk_api.json_access import canonical
from sample_json import raw_message, raw_task
from services import Services

HERE = ConversationId("L1#C1")
CAMPAIGN = CampaignId("c1")


class Platform(httpx.AsyncBaseTransport):
    """Answers each kind of read with what a test put there."""

    def __init__(self) -> None:
        self.tasks: list[object] = [raw_task(1), raw_task(2)]
        self.messages: list[object] = [raw_message(2), raw_message(1)]
        self.campaign: object = {"id": "c1", "name": "Spring", "status": "inProgress", "sentCount": 1}
        self.workflows: list[object] = [{"id": "w1", "name": "Welcome"}]
        self.ai_agents: list[object] = [{"id": "a1", "name": "Concierge"}]

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if path.endswith("/getMessages"):
            body: Any = {"dbObject": self.messages, "hasMoreItemsToFetch": False}
        elif path.endswith("/tasks/list"):
            body = {"dbObject": self.tasks, "hasMoreItemsToFetch": False}
        elif "/campaigns/" in path:
            body = self.campaign
        elif path.endswith("/workflows"):
            body = {"result": self.workflows, "hasMoreItemsToFetch": False}
        else:
            body = {"agents": self.ai_agents, "hasMoreItemsToFetch": False}
        return httpx.Response(200, content=_stream(json.dumps(body)))


async def _stream(text: str) -> Any:
    yield text.encode()


class Polls:
    """A puller over a platform, and how much it has written."""

    def __init__(self, store: Store):
        self.platform = Platform()
        self.store = store
        self.now = 1000.0
        store.write(lambda db: conversations.add_by_pair(db, HERE, "L1", "C1")).result()
        store.write(lambda db: campaigns.watch(db, [CAMPAIGN], 1.0)).result()

    def poll(self, *kinds: str) -> dict[str, bool]:
        async def work() -> dict[str, bool]:
            async with PlatformClient(
                HOSTS, CREDENTIALS, transport=self.platform, retry=ONCE, close_grace_seconds=0
            ) as client:
                puller = ProfileResources(client, self.store, lambda: self.now)
                polls: dict[str, Callable[[], Awaitable[bool]]] = {
                    "task": puller.tasks.tasks_head,
                    "sweep": puller.tasks.tasks_sweep,
                    "message": lambda: puller.threads.thread_head(HERE),
                    "campaign": lambda: puller.campaigns.campaign(CAMPAIGN),
                    "workflow": puller.documents.workflows,
                    "ai_agent": puller.ai_agents.ai_agents,
                }
                return {kind: await polls[kind]() for kind in kinds or tuple(polls)}

        return asyncio.run(work())

    @contextmanager
    def writes_nothing(self) -> Iterator[None]:
        before = self.state()
        yield
        assert self.state() == before

    def state(self) -> object:
        """What any commit moves, what any row that is written moves, and what any screen is told by."""
        changes = self.store.write(lambda db: db.total_changes()).result()
        return self.store.reading.pragma("data_version"), changes, change_feed.position(self.store.reading)


KINDS = ("task", "message", "campaign", "workflow", "ai_agent")


@pytest.fixture
def polls(store: Store) -> Polls:
    return Polls(store)


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_that_differs_in_nothing_writes_nothing(
    polls: Polls, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even a transaction is begun."""
    polls.poll(kind)
    with polls.writes_nothing(), monkeypatch.context() as patch:
        patch.setattr(polls.store, "run", _refused)
        assert polls.poll(kind) == {kind: False}
        assert polls.poll(kind) == {kind: False}


async def _refused(_: object) -> None:
    raise AssertionError("a page that differs in nothing began a transaction")


def test_a_field_that_came_in_another_order_is_no_difference(polls: Polls) -> None:
    polls.poll("task")
    polls.platform.tasks = [dict(reversed(raw.items())) for raw in (raw_task(1), raw_task(2))]
    with polls.writes_nothing():
        assert polls.poll("task") == {"task": False}


def test_a_walk_over_all_tasks_that_meets_what_is_known_moves_no_row(polls: Polls) -> None:
    polls.poll("sweep")
    with polls.writes_nothing():
        # The end of a walk looks for tasks that it missed: a transaction, but no row.
        version = polls.store.reading.pragma("data_version")
        polls.poll("sweep")
        assert polls.store.reading.pragma("data_version") == version


@pytest.mark.parametrize("kind", KINDS)
def test_what_differs_is_written_and_told_once(polls: Polls, kind: str) -> None:
    polls.poll(kind)
    before = change_feed.position(polls.store.reading)
    platform = polls.platform
    platform.tasks[0] = raw_task(1, title="another")
    platform.messages[0] = raw_message(2, status="read")
    platform.campaign = {"id": "c1", "name": "Spring", "status": "completed", "sentCount": 2}
    platform.workflows[0] = {"id": "w1", "name": "Hello"}
    platform.ai_agents[0] = {"id": "a1", "name": "Hello"}
    assert polls.poll(kind) == {kind: True}
    assert change_feed.position(polls.store.reading) > before
    with polls.writes_nothing():
        polls.poll(kind)


BROKEN = {"task": {"title": "no id"}, "message": {"message": "no id"}, "workflow": ["w"], "ai_agent": "a"}


@pytest.mark.parametrize("kind", BROKEN)
def test_of_a_page_with_a_broken_item_the_rest_is_stored_and_the_one_reported(
    polls: Polls, services: Services, kind: str
) -> None:
    items = {
        "task": polls.platform.tasks,
        "message": polls.platform.messages,
        "workflow": polls.platform.workflows,
        "ai_agent": polls.platform.ai_agents,
    }[kind]
    items.insert(0, BROKEN[kind])
    before = change_feed.position(polls.store.reading)
    polls.poll(kind)
    counts = {
        "task": lambda: task_store.counts_by_status(services.store.reading)[StatusId("open")],
        "message": lambda: len(thread_pages.page_before(services.store.reading, HERE, None, 10)),
        "workflow": lambda: len(record_lookup.all_of(services.store.reading, record_lookup.WORKFLOW)),
        "ai_agent": lambda: len(record_lookup.all_of(services.store.reading, record_lookup.AI_AGENT)),
    }
    assert counts[kind]() == len(items) - 1
    (record,) = invalid_items.all_invalid_items(services.store.reading)
    assert (record.kind, json.loads(record.raw), record.at) == (kind, BROKEN[kind], 1000.0)
    assert record.reason
    _, events = change_feed.since(polls.store.reading, before)
    assert change_feed.BROKEN in {event.kind for event in events}
    with polls.writes_nothing():
        polls.poll(kind)


def test_a_campaign_that_can_not_be_read_is_reported_and_keeps_its_last_state(
    polls: Polls, services: Services
) -> None:
    polls.poll("campaign")
    whole, polls.platform.campaign = polls.platform.campaign, {"name": "no id"}
    polls.poll("campaign")
    (record,) = invalid_items.all_invalid_items(services.store.reading)
    assert (record.kind, record.place, json.loads(record.raw)) == ("campaign", "c1", {"name": "no id"})
    (campaign,) = campaigns.watched(services.store.reading)
    assert campaign.name == "Spring"
    assert campaign.problem
    with polls.writes_nothing():
        polls.poll("campaign")
    polls.platform.campaign = whole
    polls.poll("campaign")
    assert invalid_items.all_invalid_items(services.store.reading) == []
    assert campaigns.watched(services.store.reading)[0].problem == ""


def test_an_item_that_comes_whole_later_is_reported_no_longer(polls: Polls, services: Services) -> None:
    polls.platform.tasks[0] = {**raw_task(1), "taskId": 7}
    polls.poll("task")
    assert [each.place for each in invalid_items.all_invalid_items(services.store.reading)] == ["7"]
    polls.platform.tasks[0] = {**raw_task(1), "taskId": "7"}
    polls.poll("task")
    assert invalid_items.all_invalid_items(services.store.reading) == []


def test_a_broken_item_that_changes_is_kept_in_its_place(store: Store) -> None:
    for words in ("one", "two"):
        item = {"taskId": 7, "title": words}
        store.write(lambda db, item=item: invalid_items.report(db, "task", [(item, "no id")], 1.0)).result()
    (record,) = invalid_items.all_invalid_items(store.reading)
    assert json.loads(record.raw)["title"] == "two"


def test_only_so_many_broken_items_are_kept_and_the_newest(store: Store) -> None:
    many = [({"n": number}, "no id") for number in range(KEEP + 50)]
    for place, each in enumerate(many):
        store.write(lambda db, each=each, at=float(place): invalid_items.report(db, "task", [each], at)).result()
    found = invalid_items.all_invalid_items(store.reading, limit=1000)
    assert [json.loads(each.raw)["n"] for each in found] == list(range(KEEP + 49, 49, -1))


def test_an_item_without_an_id_is_dropped_by_a_whole_page_after_a_while(polls: Polls, store: Store) -> None:
    def places() -> list[str]:
        return [each.place for each in invalid_items.all_invalid_items(store.reading)]

    broken = {**raw_task(1), "taskId": ["1"]}
    long_ago = polls.now - invalid_items.UNIDENTIFIED_SECONDS - 1
    for at, kept in ((polls.now, 1), (long_ago, 0)):
        store.write(lambda db: db.execute("DELETE FROM broken")).result()
        store.write(lambda db, at=at: invalid_items.report(db, "task", [(broken, "no id")], at)).result()
        polls.poll("task")
        assert len(places()) == kept


def test_a_screen_counts_the_unreadable_items_of_its_kinds(store: Store) -> None:
    def on(screen: str) -> str:
        return invalid_items.unreadable_on(store.reading, screen)

    def report(kind: str, count: int) -> None:
        many = [({"n": number}, "no id") for number in range(count)]
        store.write(lambda db: invalid_items.report(db, kind, many, 1.0)).result()

    assert on("inbox") == ""
    report("message", 1)
    report("task", 2)
    assert (on("inbox"), on("board"), on("campaigns"), on("activity")) == ("3", "2", "", "")
    report("task", KEEP)
    assert on("inbox") == f"{KEEP}+"


def test_an_unchanged_campaign_tells_its_age_once_a_minute_and_redraws_nothing(
    polls: Polls, services: Services
) -> None:
    polls.poll("campaign")
    before = change_feed.position(polls.store.reading)
    polls.now += campaigns.READ_AGAIN_SECONDS
    assert polls.poll("campaign") == {"campaign": False}
    assert campaigns.watched(services.store.reading)[0].read_at == polls.now
    assert change_feed.position(polls.store.reading) == before


def test_canonical_text_is_the_same_whatever_the_order_of_fields() -> None:
    assert canonical({"b": {"y": 1, "x": [2, {"q": 1, "p": "ש"}]}, "a": None}) == (
        '{"a":null,"b":{"x":[2,{"p":"ש","q":1}],"y":1}}'
    )

"""What a desk publishes to its team and applies of the others' rows, with a relay in memory."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from app.fake_relay import FakeRelay
from frontdesk.app.team_follower import Follower
from frontdesk.app.team_publisher import Publisher, observation
from frontdesk.storage.database import Store
from frontdesk.tasks.observations import observed_tasks
from new_store import open_store
from sample_json import raw_task

pytestmark = pytest.mark.anyio

NOW = 1_800_000_000.0


@pytest.fixture
def relay() -> FakeRelay:
    return FakeRelay()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(tmp_path / "store")
    yield store
    store.close()


def follower_of(store: Store, publisher: Publisher | None = None) -> Follower:
    applied = (publisher or Publisher(lambda: None)).note_stored
    return Follower(store, "acme", lambda: NOW, lambda _, __: None, applied)


def leader() -> Publisher:
    publisher = Publisher(lambda: None)
    publisher.begin(["*"])
    return publisher


async def catch_up(follower: Follower, relay: FakeRelay) -> None:
    while await follower.step(relay.as_client()):
        pass


async def publish_tasks(publisher: Publisher, relay: FakeRelay, tasks: Sequence[dict[str, Any]]) -> None:
    publisher.observe(observed_tasks(tasks, NOW), 0.0)
    while publisher.is_waiting:
        await publisher.publish(relay.as_client(), 1)


def title_in(relay: FakeRelay, task_id: str) -> str:
    return str(json.loads(relay.rows["task", task_id].item.body)["title"])


async def test_a_value_that_comes_back_after_a_colleagues_is_published_again(
    store: Store, relay: FakeRelay
) -> None:
    publisher = leader()
    follower = follower_of(store, publisher)
    before, after = raw_task(1, title="before"), raw_task(1, title="after")
    await publish_tasks(publisher, relay, [before])
    await catch_up(follower, relay)
    relay.put([observation(each, 0.0) for each in observed_tasks([after], NOW)])
    await catch_up(follower, relay)
    await publish_tasks(publisher, relay, [before])
    assert title_in(relay, "t1") == "before"

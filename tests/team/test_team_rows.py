"""What a desk publishes to its team and applies of the others' rows, with a relay in memory."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.fake_relay import FakeRelay
from frontdesk.inbox.observations import ReadPage, ThreadObserver, message_key
from frontdesk.inbox.store import conversations, thread_pages, threads
from frontdesk.relay.records import Observation
from frontdesk.storage.database import Store
from frontdesk.storage.sql import rows
from frontdesk.tasks import store as tasks
from frontdesk.tasks.observations import observed_tasks
from frontdesk.team import follower as team_follower
from frontdesk.team.follower import Follower
from frontdesk.team.publisher import Publisher, observation
from frontdesk_api.contract.ids import ConversationId, TaskId
from new_store import open_store
from sample_json import raw_message, raw_task

pytestmark = pytest.mark.anyio

NOW = 1_800_000_000.0
HERE = ConversationId("L1#C1")


@pytest.fixture
def relay() -> FakeRelay:
    return FakeRelay()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(tmp_path / "store")
    store.write(lambda db: conversations.add_by_pair(db, HERE, "L1", "C1")).result()
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


async def publish_tasks(publisher: Publisher, relay: FakeRelay, raws: Sequence[dict[str, Any]]) -> None:
    publisher.observe(observed_tasks(raws, NOW), 0.0)
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


async def test_rows_are_read_only_where_the_position_has_moved(store: Store, relay: FakeRelay) -> None:
    follower = follower_of(store)
    await publish_tasks(leader(), relay, [raw_task(1)])
    await catch_up(follower, relay)
    relay.read.clear()
    await catch_up(follower, relay)
    assert relay.read == []
    relay.read_only_by_others(3)
    await catch_up(follower, relay)
    await catch_up(follower, relay)
    assert relay.read == [0], "of other lines, and not once more"
    await publish_tasks(leader(), relay, [raw_task(2)])
    await catch_up(follower, relay)
    assert relay.read == [0, 1]


async def publish_page(
    publisher: Publisher, relay: FakeRelay, numbers: Sequence[int], observer: ThreadObserver
) -> None:
    """Publish the newest page of the thread, which is its beginning too."""
    messages = [raw_message(each) for each in numbers][::-1]
    page = ReadPage(messages, None, None, has_more=False, sign_at=0.0)
    publisher.observe(observer.observed(HERE, "L1", page, NOW), 0.0)
    while publisher.is_waiting:
        await publisher.publish(relay.as_client(), 1)


def tasks_json(store: Store) -> dict[str, str]:
    return dict(rows(store.reading, "SELECT task_id, raw FROM tasks"))


def stored_ids(store: Store) -> list[str]:
    return [each.raw["messageId"] for each in thread_pages.page_from(store.reading, HERE, None, 100)]


async def test_a_page_ends_before_a_message_that_the_relay_has_deleted(store: Store, relay: FakeRelay) -> None:
    await publish_page(leader(), relay, [1, 2, 3, 4], ThreadObserver())
    del relay.rows["message", message_key(HERE, "m00002")]
    await catch_up(follower_of(store), relay)
    assert stored_ids(store) == ["m00003", "m00004"]
    [segment] = threads.segments(store.reading, HERE)
    assert not segment.complete


async def test_messages_that_the_relay_has_deleted_are_published_again(relay: FakeRelay) -> None:
    publisher, observer = leader(), ThreadObserver()
    await publish_page(publisher, relay, [1, 2], observer)
    del relay.rows["message", message_key(HERE, "m00001")]
    publisher.forget_published()
    await publish_page(publisher, relay, [1, 2], observer)
    assert ("message", message_key(HERE, "m00001")) in relay.rows


async def test_messages_at_the_end_of_a_part_wait_for_their_page(
    store: Store, relay: FakeRelay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(team_follower, "PART", 4)
    publisher, follower = leader(), follower_of(store)
    await publish_tasks(publisher, relay, [raw_task(1)])
    await publish_page(publisher, relay, range(1, 13), ThreadObserver())
    assert await follower.step(relay.as_client())
    assert (relay.read, follower.place.position) == ([4], 1)
    await catch_up(follower, relay)
    assert len(stored_ids(store)) == 12


async def test_a_part_of_few_fat_rows_is_not_taken_for_the_last(
    store: Store, relay: FakeRelay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(team_follower, "MAX_PART_BYTES", 10)
    await publish_tasks(leader(), relay, [raw_task(1)])
    assert await follower_of(store).step(relay.as_client())


@pytest.mark.parametrize("change", [{"taskId": "t2"}, {"phoneNumberId": "L2"}, {"phoneNumberId": None}])
async def test_a_task_under_another_ones_id_or_line_is_skipped(
    store: Store, relay: FakeRelay, change: dict[str, str | None]
) -> None:
    raw = raw_task(1)
    [true] = [observation(each, 0.0) for each in observed_tasks([raw], NOW)]
    relay.put([replace(true, body=json.dumps({**raw, **change}))])
    await catch_up(follower_of(store), relay)
    assert tasks_json(store) == {}


async def test_what_is_too_long_is_not_published_and_what_comes_with_it_is(
    relay: FakeRelay, caplog: pytest.LogCaptureFixture
) -> None:
    await publish_tasks(leader(), relay, [raw_task(1, title="ä" * 500_000), raw_task(2)])
    assert [key for _, key in relay.rows] == ["t2"]
    assert "not publishing a task: it is longer than 1000000 bytes" in caplog.text


async def test_missing_messages_are_asked_for_in_parts(
    store: Store, relay: FakeRelay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(team_follower, "MESSAGES_AT_ONCE", 2)
    follower = follower_of(store)
    await publish_page(leader(), relay, [1, 2, 3, 4, 5], ThreadObserver())
    follower.place = follower.place._replace(position=5)
    await catch_up(follower, relay)
    assert relay.asked == [2, 2, 1]
    assert len(stored_ids(store)) == 5


async def test_a_message_of_a_wrong_shape_is_not_taken_by_its_key_either(store: Store, relay: FakeRelay) -> None:
    await publish_page(leader(), relay, [1, 2, 3], ThreadObserver())
    key = "message", message_key(HERE, "m00001")
    row = relay.rows[key]
    assert isinstance(row.item, Observation)
    relay.rows[key] = replace(row, item=replace(row.item, body=json.dumps({"messageId": 7})))
    await catch_up(follower_of(store), relay)
    assert stored_ids(store) == ["m00002", "m00003"]


async def test_a_task_that_is_gone_here_alone_is_published_as_gone_by_the_next_leader(
    store: Store, relay: FakeRelay
) -> None:
    publisher = leader()
    follower = follower_of(store, publisher)
    await publish_tasks(publisher, relay, [raw_task(1), raw_task(2)])
    await catch_up(follower, relay)
    store.write(lambda db: tasks.remove(db, TaskId("t1"))).result()
    # This one isn't applied here yet.
    relay.put([observation(each, 0.0) for each in observed_tasks([raw_task(3)], NOW)])
    publisher.begin(["*"])
    await publisher.observe_gone(relay.as_client(), store.reading, follower.place.position)
    await publisher.publish(relay.as_client(), 1)
    assert [key for kind, key in relay.rows if kind == "gone"] == ["t1"]


async def test_what_is_looked_at_comes_first_and_everything_else_in_its_order_afterwards(
    store: Store, relay: FakeRelay, tmp_path: Path
) -> None:
    publisher, observer = leader(), ThreadObserver()
    await publish_page(publisher, relay, range(1, 5), observer)
    await publish_tasks(publisher, relay, [raw_task(1, title="before")])
    # The thread went on while nobody read it: between these pages is a gap.
    page = ReadPage([raw_message(each) for each in (32, 31, 30)], None, None, has_more=True, sign_at=0.0)
    publisher.observe(observer.observed(HERE, "L1", page, NOW), 0.0)
    await publish_tasks(publisher, relay, [raw_task(1, title="after")])
    follower = follower_of(store)
    await follower.apply_first(relay.as_client(), [HERE, "L1#nobody"])
    assert stored_ids(store) == ["m00030", "m00031", "m00032"]
    assert json.loads(tasks_json(store)["t1"])["title"] == "after"
    assert follower.place.position == 0
    await catch_up(follower, relay)
    with open_store(tmp_path / "in order") as other:
        other.write(lambda db: conversations.add_by_pair(db, HERE, "L1", "C1")).result()
        await catch_up(follower_of(other), relay)
        assert stored_ids(store) == stored_ids(other)
        assert [*threads.segments(store.reading, HERE)] == [*threads.segments(other.reading, HERE)]
        assert tasks_json(store) == tasks_json(other)

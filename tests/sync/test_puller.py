"""Catching a thread up: how far, where it goes on, and what a gap is loaded with."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from frontdesk.inbox.store import conversations, thread_pages, threads
from frontdesk.inbox.store.threads import older_cursor
from frontdesk.inbox.thread_sync import CATCH_UP_PAGES, ThreadPuller
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import ApiError
from frontdesk_api.client.transport import ONCE
from frontdesk_api.contract.ids import ConversationId
from frontdesk_api.credentials import CredentialSet, Secret
from inbox.store.thread_model import Message, ThreadPlatform
from sync.running_engine import HOSTS

HERE = ConversationId("L1#C1")
PAGE = 5


class Desk:
    """One thread on a platform, and the puller of the store that follows it."""

    def __init__(self, store: Store):
        self.store = store
        self.platform = ThreadPlatform(PAGE)
        self._serial = 0
        store.write(lambda db: conversations.add_by_pair(db, HERE, "L1", "C1")).result()

    def say(self, count: int) -> None:
        """So many new messages."""
        for _ in range(count):
            self._serial += 1
            message = Message(f"m{self._serial:04}", self._serial * 1000, 0.0)
            message.change(messageDirection="incoming")
            self.platform.messages[message.each] = message

    def run(self, work: Callable[[ThreadPuller], Awaitable[Any]]) -> Any:
        async def bounded() -> Any:
            credentials = CredentialSet(Secret("token=sandbox"), Secret("sandbox-key"), None)
            async with PlatformClient(
                HOSTS, credentials, transport=self.platform, retry=ONCE, close_grace_seconds=0
            ) as client:
                return await work(ThreadPuller(client, self.store, lambda: 1.0))

        return asyncio.run(bounded())

    def poll(self) -> Any:
        return self.run(lambda puller: puller.thread_head(HERE))

    @property
    def stretches(self) -> list[tuple[str, str, bool]]:
        found = threads.segments(self.store.reading, HERE)
        return [(each.newest.message_id, each.oldest.message_id, each.complete) for each in found]


@pytest.fixture
def services(store: Store) -> Desk:
    return Desk(store)


def test_a_thread_is_first_read_by_one_page(services: Desk) -> None:
    services.say(30)
    assert services.poll() is True
    assert services.stretches == [("m0030", "m0026", False)]


def test_after_days_offline_a_thread_is_caught_up_until_it_meets_what_is_known(services: Desk) -> None:
    services.say(8)
    services.poll()
    services.say(PAGE * 4)
    services.poll()
    assert services.stretches == [("m0028", "m0004", False)]


def test_a_catch_up_ends_at_its_limit_and_the_gap_loads_page_by_page(services: Desk) -> None:
    services.say(3)
    services.poll()
    services.say(PAGE * (CATCH_UP_PAGES + 2))
    services.platform.requests = 0
    services.poll()
    assert services.platform.requests == CATCH_UP_PAGES
    newest, oldest = threads.segments(services.store.reading, HERE)
    assert oldest.complete
    assert not newest.complete
    for _ in range(2):
        gap = threads.segments(services.store.reading, HERE)[0].oldest
        services.run(lambda puller, gap=gap: puller.thread_older(HERE, gap))
    assert len(services.stretches) == 2, "the pages lie in the gap, and don't fill it quite"
    gap = threads.segments(services.store.reading, HERE)[0].oldest
    services.run(lambda puller: puller.thread_older(HERE, gap))
    assert services.stretches == [("m0053", "m0001", True)]


def test_a_catch_up_that_the_network_breaks_off_leaves_a_gap_and_goes_on_at_the_next_poll(services: Desk) -> None:
    services.say(3)
    services.poll()
    services.say(PAGE * 5)

    async def broken_off(puller: ThreadPuller) -> list[tuple[str, str, bool]]:
        services.platform.failures = ["", "", "lost"]
        with pytest.raises(ApiError):
            await puller.thread_head(HERE)
        after_the_break = services.stretches
        services.say(2)
        await puller.thread_head(HERE)
        return after_the_break

    assert services.run(broken_off) == [("m0028", "m0019", False), ("m0003", "m0001", True)]
    assert services.stretches == [("m0030", "m0001", True)]


def test_after_a_restart_what_was_broken_off_is_a_gap_that_is_shown(services: Desk) -> None:
    services.say(3)
    services.poll()
    services.say(PAGE * 5)
    services.platform.failures = ["", "lost"]
    with pytest.raises(ApiError):
        services.poll()
    services.poll()
    assert services.stretches == [("m0028", "m0024", False), ("m0003", "m0001", True)]


def test_a_thread_whose_newest_messages_are_unreadable_is_read_on_until_a_gap_can_be_shown(services: Desk) -> None:
    services.say(PAGE * (CATCH_UP_PAGES + 1) + 2)
    for message in list(services.platform.messages.values())[2:]:
        message.is_broken = True

    async def polls(puller: ThreadPuller) -> bool:
        await puller.thread_head(HERE)
        after_one = record_lookup.conversation(services.store.reading, HERE)
        await puller.thread_head(HERE)
        return after_one is not None and after_one.thread_known

    assert services.run(polls) is False, "unreadable pages don't make it an empty thread"
    assert services.stretches == [("m0002", "m0001", True)]


def test_a_page_whose_last_message_is_broken_is_gone_on_from_where_the_platform_says(services: Desk) -> None:
    services.say(12)
    services.platform.messages["m0008"].is_broken = True
    services.poll()
    (stretch,) = threads.segments(services.store.reading, HERE)
    assert stretch.oldest.message_id == "m0009"
    assert older_cursor(stretch).message_id == "m0008"
    services.run(lambda puller: puller.thread_older(HERE, stretch.oldest))
    assert services.stretches == [("m0012", "m0003", False)]


def test_a_page_of_broken_messages_alone_is_passed(services: Desk) -> None:
    services.say(3)
    services.poll()
    services.say(PAGE * 2)
    for number in range(9, 14):
        services.platform.messages[f"m{number:04}"].is_broken = True
    services.poll()
    assert services.stretches == [("m0008", "m0001", True)]


def test_a_gap_that_was_loaded_meanwhile_may_be_asked_for_again(services: Desk) -> None:
    """Two screens press the key at the same gap."""
    services.say(20)
    services.poll()
    gap = threads.segments(services.store.reading, HERE)[0].oldest
    for _ in range(2):
        services.run(lambda puller: puller.thread_older(HERE, gap))
    assert services.stretches == [("m0020", "m0011", False)]


def test_a_status_or_a_reaction_that_came_later_is_seen_and_told(services: Desk) -> None:
    services.say(3)
    services.poll()
    services.platform.messages["m0002"].change(status="read", reactions=[{"emoji": "+"}])
    assert services.poll() is True
    stored = thread_pages.page_before(services.store.reading, HERE, None, 3)[1]
    assert (stored.raw["status"], stored.raw["reactions"]) == ("read", [{"emoji": "+"}])

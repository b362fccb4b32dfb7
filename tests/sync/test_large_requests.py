"""A reply that is too large concerns its own read: older messages."""

import pytest

from frontdesk.inbox.store import conversations as conversation_store
from frontdesk.inbox.store import threads as thread_store
from frontdesk.storage import clients
from frontdesk.storage.clients import EngineRequest
from frontdesk.storage.records import Connection, ConversationOrder
from frontdesk_api.client.errors import ReplyTooLarge
from frontdesk_api.contract.endpoints import Host
from sync.running_engine import Start, run

PROBLEM = "list messages: the response from 127.0.0.1:1 is larger than 4 MiB"


@pytest.mark.slow
def test_older_messages_that_are_too_large_are_said_to_be_and_keep_nothing_else_waiting(
    works: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def too_large(*_: object) -> bool:
        raise ReplyTooLarge(PROBLEM, "report it to the platform")

    async def story() -> None:
        async with works(is_filled=True) as it:
            await it.until(lambda: it.engine.has_read_all)
            db = it.services.store.reading
            here = conversation_store.ids(db, ConversationOrder.NAME)[0]
            (segment,) = thread_store.segments(db, here)
            monkeypatch.setattr(it.engine._resources.threads, "thread_older", too_large)
            asked = it.services.sync.request_older(here, segment.oldest).result()

            def request() -> EngineRequest | None:
                return clients.request_by_id(db, asked)

            await it.until(lambda: (found := request()) is not None and found.state != "asked")
            found = request()
            assert found is not None
            assert found.reason == PROBLEM
            assert it.engine._backoff.ready_at(Host.BASE) <= it.services.store.clock()
            assert clients.health(db).state is Connection.LIVE

    run(story)

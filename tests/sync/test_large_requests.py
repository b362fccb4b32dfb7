"""A reply that is too large concerns its own read: older messages, a filter's pages."""

from typing import Any

import pytest

from frontdesk.inbox.store import conversations as conversation_store
from frontdesk.inbox.store import threads as thread_store
from frontdesk.storage import clients
from frontdesk.storage.clients import EngineRequest, Focus
from frontdesk.storage.database import Store
from frontdesk.storage.records import Connection, ConversationOrder
from frontdesk.tasks.sync import FilteredTasks, TaskPuller
from frontdesk.tasks.task_filter import Scope
from frontdesk_api.client.errors import ReplyTooLarge
from frontdesk_api.contract.decode import Page
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


class Platform:
    """Answers with empty pages."""

    async def list_tasks(self, *_: object, **__: object) -> Page[Any]:
        return Page((), (), False, None)


def test_the_limits_of_filters_that_no_board_shows_are_forgotten(store: Store) -> None:
    puller = TaskPuller(Platform(), store, lambda: 1000.0)  # type: ignore[arg-type]
    filtered = FilteredTasks(puller, store, lambda: 1000.0)
    scopes = [Scope(line_id=f"L{number}") for number in range(5)]

    async def story() -> None:
        for scope in scopes:
            focus = Focus("board", tasks_of=scope.key, active_at=1000.0)
            store.write(lambda db, shown=focus: clients.report_focus(db, "one", shown, 1000.0)).result()
            await filtered.next_page(scope)
            await filtered.next_page(scope)

    run(story)
    assert set(filtered._limits) == {scopes[-1].key}

"""A network's login page answers in the platform's place: nothing is believed, and the state has its own words."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.outbox import queue as outbox_queue
from frontdesk.outbox.sender import SETTLE_AFTER
from frontdesk.storage import clients
from frontdesk.storage.clients import WHOLE_WORKFLOWS, Focus
from frontdesk.storage.records import ChangeState, Connection
from frontdesk.tasks import store as task_store
from frontdesk.workflows import store as workflow_store
from frontdesk_api.client.errors import Intercepted
from frontdesk_api.contract.ids import CampaignId, ConversationId, TagId
from sandbox.asking import Sandbox
from sync.running_engine import Clocks, Start, Works, run
from sync.scene import HERE, Scene

BETWEEN = "something between you and 127.0.0.1:1 is answering (a login page?)"
ALL = {"path": ".*", "kind": "page"}


def is_between(it: Works) -> bool:
    health = clients.health(it.services.store.reading)
    return (health.state, health.reason) == (Connection.INTERCEPTED, BETWEEN)


async def faults(sandbox: Sandbox, *found: dict[str, Any]) -> None:
    await asyncio.to_thread(sandbox.put, "/sandbox/faults", list(found))


async def time_goes_by(it: Works, clocks: Clocks, is_true: Callable[[], object]) -> None:
    """Let the engine's clocks go on until this holds: it waits longer from try to try."""

    def later() -> bool:
        clocks.go_on(1)
        it.engine._wake()
        return bool(is_true())

    await it.until(later)


@pytest.mark.slow
def test_a_first_start_behind_a_login_page_is_no_empty_account(works: Start, sandbox: Sandbox) -> None:
    async def story() -> None:
        clocks = Clocks()
        clocks.stand()
        await faults(sandbox, ALL)
        async with works(clocks=clocks) as it:
            await it.until(lambda: is_between(it))
            it.services.sync.report_focus(Focus("workflows", active_at=it.services.store.clock()))
            it.services.sync.request_refresh(WHOLE_WORKFLOWS)
            it.services.campaigns.watch(CampaignId("cmp-early-access"))
            number = len(it.line.seen)
            await time_goes_by(it, clocks, lambda: len(it.line.seen) > number + 3)
            db = it.services.store.reading
            assert is_between(it)
            assert clients.health(db).fresh_at is None
            assert not workflow_store.listing(db).records
            assert workflow_store.listing(db).read_at is None
            assert not any(each.problem for each in campaign_store.watched(db))
            await faults(sandbox)
            it.services.sync.request_refresh()
            await time_goes_by(it, clocks, lambda: clients.health(db).state is Connection.LIVE)

    run(story)


def test_what_is_stored_outlasts_a_login_page(works: Start, sandbox: Sandbox) -> None:
    async def story() -> None:
        async with works() as it:
            await it.until(lambda: sum(task_store.counts_by_status(it.services.store.reading).values()) == 340)
            await faults(sandbox, ALL)
            it.services.sync.request_refresh()
            await it.until(lambda: is_between(it))
            assert sum(task_store.counts_by_status(it.services.store.reading).values()) == 340
            assert clients.health(it.services.store.reading).fresh_at is not None

    run(story)


def test_tags_that_a_login_page_took_are_sent_again_once_and_then_a_person_decides(scene: Scene) -> None:
    page = Intercepted(f"{BETWEEN}; log in", interception=BETWEEN)
    scene.fail("tags", page)
    scene.services.inbox.give_tags([ConversationId(HERE)], [TagId("vip")]).result()
    scene.send(6)
    assert scene.states() == [ChangeState.UNKNOWN]
    assert outbox_queue.recent(scene.services.store.reading)[0].reason.startswith(BETWEEN)
    health = scene.backoff.health()
    assert (health.state, health.reason) == (Connection.INTERCEPTED, BETWEEN)
    for _ in range(3):
        scene.send(SETTLE_AFTER + 1)
    assert scene.states() == [ChangeState.CONFLICT]
    assert outbox_queue.recent(scene.services.store.reading)[0].reason.startswith(BETWEEN)
    assert outbox_queue.recent(scene.services.store.reading)[0].reason.endswith(
        "the platform can't show which tags were added"
    )

"""A network's login page answers in the platform's place: nothing is believed, and the state has its own words."""

import asyncio
from typing import Any

from frontdesk.api.client.errors import Intercepted
from frontdesk.api.contract.ids import CampaignId, ConversationId, TagId
from frontdesk.outbox.sender import SETTLE_AFTER
from frontdesk.storage.clients import WHOLE_WORKFLOWS, Focus
from frontdesk.storage.records import ChangeState, Connection
from sandbox.asking import Sandbox
from sync.running_engine import Start, Works, run
from sync.scene import HERE, Scene

BETWEEN = "something between you and 127.0.0.1:1 answers (a login page?)"
ALL = {"path": ".*", "kind": "page"}


def is_between(it: Works) -> bool:
    health = it.services.queries.health()
    return (health.state, health.reason) == (Connection.INTERCEPTED, BETWEEN)


async def faults(sandbox: Sandbox, *found: dict[str, Any]) -> None:
    await asyncio.to_thread(sandbox.put, "/sandbox/faults", list(found))


def test_a_first_start_behind_a_login_page_is_no_empty_account(works: Start, sandbox: Sandbox) -> None:
    async def story() -> None:
        await faults(sandbox, ALL)
        async with works() as it:
            await it.until(lambda: is_between(it))
            it.services.look(Focus("workflows", active_at=it.services.clock()))
            it.services.ask_refresh(WHOLE_WORKFLOWS)
            it.services.watch_campaign(CampaignId("cmp-early-access"))
            number = len(it.line.seen)
            await it.until(lambda: len(it.line.seen) > number + 3)
            reads = it.services.queries
            assert is_between(it)
            assert reads.health().fresh_at is None
            assert not reads.workflow_list().records
            assert reads.workflow_list().read_at is None
            assert not any(each.problem for each in reads.campaigns())
            await faults(sandbox)
            it.services.ask_refresh()
            await it.until(lambda: reads.health().state is Connection.LIVE)

    run(story)


def test_what_is_stored_outlasts_a_login_page(works: Start, sandbox: Sandbox) -> None:
    async def story() -> None:
        async with works() as it:
            await it.until(lambda: sum(it.services.queries.task_counts().values()) == 340)
            await faults(sandbox, ALL)
            it.services.ask_refresh()
            await it.until(lambda: is_between(it))
            assert sum(it.services.queries.task_counts().values()) == 340
            assert it.services.queries.health().fresh_at is not None

    run(story)


def test_tags_that_a_login_page_took_are_sent_again_once_and_then_a_person_decides(scene: Scene) -> None:
    page = Intercepted(f"{BETWEEN}; log in", interception=BETWEEN)
    scene.fail("tags", page)
    scene.services.give_tags([ConversationId(HERE)], [TagId("vip")]).result()
    scene.send(6)
    assert scene.states() == [ChangeState.UNKNOWN]
    assert scene.services.queries.changes()[0].reason.startswith(BETWEEN)
    health = scene.backoff.health()
    assert (health.state, health.reason) == (Connection.INTERCEPTED, BETWEEN)
    for _ in range(3):
        scene.send(SETTLE_AFTER + 1)
    assert scene.states() == [ChangeState.CONFLICT]
    assert scene.services.queries.changes()[0].reason.startswith(BETWEEN)
    assert scene.services.queries.changes()[0].reason.endswith("the platform has no way to read tags back")

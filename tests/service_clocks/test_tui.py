"""Service clocks on the screens: rows, cards, the view, the order, and each alert once."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

import kit
from frontdesk.config.settings import Settings
from frontdesk.inbox.store import threads
from frontdesk.service_clocks import tui as notices
from frontdesk.storage.database import Store
from frontdesk.storage.records import ConversationOrder
from frontdesk_api.contract.ids import ConversationId
from kit import At, Clock
from sample_json import raw_message
from service_clocks.desk import MINUTE, PROFILE, SLA, Desk
from tui.hosts import quiet, until

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def running(desk: Desk, settings: Settings = SLA, size: tuple[int, int] = (140, 30)) -> AsyncIterator[At]:
    clock = Clock(desk.now)
    context = {"environ": {}}
    async with kit.running(
        desk.store, fills=False, as_profile=PROFILE, settings=settings, clock=clock, size=size, context=context
    ) as at:
        yield at


@pytest.fixture
def desk(store: Store) -> Desk:
    return Desk(store)


CHECKS: list[None] = []
"""One for each look at what is due."""


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    check = notices.ServiceClockNotices._check

    def counted(self: notices.ServiceClockNotices) -> None:
        check(self)
        CHECKS.append(None)

    monkeypatch.setattr(notices.ServiceClockNotices, "_check", counted)
    monkeypatch.setattr(notices, "CHECK_SECONDS", 0.05)
    monkeypatch.setattr(notices, "TOAST_SECONDS", 30.0)


async def checked(at: At) -> None:
    """Wait until it was looked for what is due now, and that was told."""
    before = len(CHECKS)
    await until(lambda: len(CHECKS) > before + 1)
    at.services.store.flush().result()
    await quiet(at.app)


async def test_rows_have_the_nearest_deadline_and_the_order_and_view_go_by_it(desk: Desk) -> None:
    await desk.write(1, 10)
    await desk.write(2, 50)
    await desk.write(3, 90)
    async with running(desk, size=(140, 40)) as at:
        await until(lambda: "sla < 15m 2" in " ".join(at.text.split()))
        assert "! reply 30m" in at.text
        at.inbox.list.sort(ConversationOrder.SLA)
        await quiet(at.app)
        assert [str(each) for each in at.inbox.list.rows.keys] == ["L1#C3", "L1#C2", "L1#C1"]
        assert "deadline first" in at.text
        at.inbox.list.open_view(next(each for each in at.inbox.list.views if each.name == "sla < 15m"))
        await quiet(at.app)
        assert [str(each) for each in at.inbox.list.rows.keys] == ["L1#C3", "L1#C2"]


async def test_a_card_and_the_facts_have_it_too(desk: Desk) -> None:
    await desk.write(1, 10)
    async with running(desk) as at:
        await until(lambda: "SLA         first response by" in at.text)
        assert "(Service)" in at.text
        await at.press("2")
        await quiet(at.app)
        await until(lambda: "reply" in at.text)


async def test_without_clocks_there_is_no_view_no_order_and_a_filter_says_why(desk: Desk) -> None:
    await desk.write(1, 90)
    async with running(desk, Settings()) as at:
        assert "sla" not in at.text
        assert "reply" not in at.text
        seen = set()
        for _ in range(6):
            at.inbox.list.run("sort")
            seen.add(at.inbox.list.order)
        assert ConversationOrder.SLA not in seen
        await at.press("/")
        await at.types("sla<1h")
        await until(lambda: "needs an SLA" in at.text)


async def test_an_alert_comes_once_before_and_once_after_over_restarts(desk: Desk) -> None:
    await desk.write(1, 44)
    async with running(desk) as at:
        await checked(at)
        assert "Customer 1: first response" not in at.text
        desk.now += 2 * MINUTE
        at.clock.now = desk.now
        await until(lambda: "Customer 1: first response by" in at.text)
        at.app.clear_notifications()
        await checked(at)
        assert "Customer 1: first response" not in at.text
    async with running(desk) as at:
        await checked(at)
        assert "Customer 1: first response" not in at.text
        desk.now += 15 * MINUTE
        at.clock.now = desk.now
        await until(lambda: "Customer 1: first response was due" in at.text)
    async with running(desk) as at:
        await checked(at)
        assert "Customer 1: first response" not in at.text


async def test_an_alert_stands_on_the_screen_once_while_a_dialog_is_open(desk: Desk) -> None:
    await desk.write(1, 90)
    async with running(desk) as at:
        await until(lambda: "Customer 1: first response was due" in at.text)
        await at.press("s")
        await quiet(at.app)
        assert at.text.count("Customer 1: first response was due") == 1
        await at.press("escape")
        await until(lambda: at.text.count("Customer 1: first response was due") == 1)


async def test_what_passed_while_no_screen_was_open_is_told_in_one_notice(desk: Desk) -> None:
    for number in range(1, 5):
        await desk.write(number, 90)
    await desk.write(5, 50)
    async with running(desk) as at:
        await until(lambda: "4 SLA deadlines passed, 1 more near:" in at.text)


async def test_a_colleagues_conversation_makes_no_alert_unless_all_are_wanted(desk: Desk) -> None:
    await desk.write(1, 90, assigned=("agent-dan",))
    async with running(desk) as at:
        await checked(at)
        assert "Customer 1: first response" not in at.text
    async with running(desk, replace(SLA, attention="all")) as at:
        await until(lambda: "Customer 1: first response was due" in at.text)


async def test_an_answer_by_a_person_takes_the_deadline_away(desk: Desk) -> None:
    await desk.write(1, 10)
    async with running(desk) as at:
        await until(lambda: "reply" in at.text)
        here = ConversationId("L1#C1")
        page = [
            raw_message(9, createdAt=desk.now * 1000, messageDirection="outgoing", initiator="person"),
            raw_message(1, createdAt=(desk.now - 600) * 1000),
        ]
        await desk.store.run(lambda db: threads.put_page(db, here, page, start=None, has_more=False, now=desk.now))
        await desk.compute()
        await until(lambda: "reply" not in at.text)
        assert "solve" in at.text

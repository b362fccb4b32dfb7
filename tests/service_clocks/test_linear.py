"""Service clocks in the linear mode: each alert once, and not where a screen has claimed it."""

from dataclasses import replace
from datetime import UTC

import pytest

from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.config.settings import Settings
from frontdesk.service_clocks.linear import ServiceClockNews
from frontdesk.storage.database import Store
from frontdesk_lines.glyphs import glyphs
from service_clocks.desk import MINUTE, PROFILE, SLA, Desk

pytestmark = pytest.mark.anyio


@pytest.fixture
def desk(store: Store) -> Desk:
    return Desk(store)


def listener(desk: Desk, settings: Settings = SLA) -> ServiceClockNews:
    services = desk.services(settings)
    return ServiceClockNews(services.store.reading, services.store, services.outbox)


def said(desk: Desk, news: ServiceClockNews) -> list[str]:
    view = RenderContext(Catalogue(PROFILE), glyphs(True), desk.now, UTC)
    return [each.text for each in news({}, view)]


async def test_an_alert_is_told_once_before_and_once_after_a_deadline(desk: Desk) -> None:
    await desk.write(1, 44)
    news = listener(desk)
    assert said(desk, news) == []
    desk.now += 2 * MINUTE
    (line,) = said(desk, news)
    assert line.startswith("SLA: Customer 1: first response by ")
    assert said(desk, news) == []
    assert said(desk, listener(desk)) == [], "another screen of the profile"
    desk.now += 15 * MINUTE
    (line,) = said(desk, news)
    assert "first response was due" in line


async def test_many_at_once_are_one_line_and_a_colleagues_are_none(desk: Desk) -> None:
    for number in range(1, 5):
        await desk.write(number, 90)
    await desk.write(5, 90, assigned=("agent-dan",))
    (line,) = said(desk, listener(desk))
    assert line.startswith("SLA: 4 SLA deadlines passed: ")
    (line,) = said(desk, listener(desk, replace(SLA, attention="all")))
    assert line.startswith("SLA: Customer 5: first response was due")


async def test_without_service_clocks_nothing_is_told(desk: Desk) -> None:
    await desk.write(1, 90)
    assert said(desk, listener(desk, Settings())) == []

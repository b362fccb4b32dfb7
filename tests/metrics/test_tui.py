"""The numbers on the screen: read in the background, broken down, and opened."""

from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

import kit
from app.test_sizes import resize
from frontdesk.inbox.store import conversations
from frontdesk.metrics.facts import RunningCampaign
from frontdesk.metrics.models import Dimension, Measure
from frontdesk.metrics.tui import NumbersScreen
from frontdesk.outbox.commands import claim_notifications
from frontdesk.storage.database import Store
from frontdesk.tui.dialogs.picker import PickerDialog
from metrics.small_desk import MINUTE, NOW, fill
from tui.hosts import until

pytestmark = pytest.mark.anyio


class At(kit.At):
    """A running app with the numbers on top."""

    @property
    def screen(self) -> NumbersScreen:
        return self.on(NumbersScreen)

    async def is_at(self, measure: Measure) -> None:
        self.screen.rows.move_to(measure)
        await until(lambda: self.screen.measure is measure)

    async def opens_numbers(self) -> None:
        await self.sees("People", "response")
        await self.press("tab", "tab")
        await until(lambda: self.screen.rows.is_active)

    async def is_in(self, mode: str) -> None:
        await until(lambda: self.app.current_mode == mode)


def opened(store: Store, size: tuple[int, int] = (140, 40)) -> AbstractAsyncContextManager[At]:
    return kit.running(store, fills=False, screen="7", size=size, clock=kit.Clock(NOW), wraps=At)


async def test_today_is_compared_with_yesterday_and_other_days_and_breakdowns_are_kept(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    async with opened(store) as at:
        await at.opens_numbers()
        await at.sees(
            "7 Numbers",
            "Mon 21 Sep 2026",
            "compared with Sun 20 Sep 2026 up to the same time",
            "Sun 20 Sep 1 (+100%)",
            "all threads with a task",
        )
        await at.sees("Messages received, by hour", "12:00", "30 min")
        assert at.screen.report is not None
        assert at.screen.report.rows[0].now.value == 2
        await at.press("right_square_bracket", "right_square_bracket")
        await at.sees("15 to 21 Sep 2026")
        await at.press("b")
        await at.sees("Messages received, by weekday", "Monday")
        await at.press("b")
        await at.sees("Messages received, by hour of week", "Mon", "12:00")
        await at.press("tab")
        await until(lambda: at.screen.chart.bars.is_active)
        at.screen.chart.bars.move_to("12")
        await at.opens(PickerDialog, "enter")
        await at.sees("Messages received, 12:00: 1 conversation")
        await at.press("escape", "shift+tab")
        await until(lambda: at.screen.rows.is_active)
        await at.press(*"b" * 5)
        await at.sees("Messages received, by weekday")
        await at.press("d", *"2026-09-20", "enter")
        await at.sees("Sun 20 Sep 2026")

        reading: Future[Any] = Future()
        with monkeypatch.context() as patched:
            patched.setattr(at.app.app_context.store, "read_in_background", lambda _: reading)
            at.screen.read()
        await at.press("d", *"2026-09-17", "enter")
        reading.set_exception(OSError("disk"))
        await at.sees("Thu 17 Sep 2026")
        await at.press("d", *"2026-09-20", "enter")
        await at.sees("Sun 20 Sep 2026")
    async with opened(store, (80, 24)) as at:
        await at.opens_numbers()
        await at.sees("Sun 20 Sep 2026")
        await at.press("tab")
        await at.sees("by weekday")


@pytest.mark.slow
async def test_a_number_or_a_bar_opens_what_it_was_counted_from(store: Store) -> None:
    fill(store)
    async with opened(store, (120, 30)) as at:
        await at.opens_numbers()
        await at.sees("Messages received")
        await at.is_at(Measure.FIRST_MEDIAN)
        await at.opens(PickerDialog, "enter")
        await at.sees("First responses: 1 conversation", "waited 30 min")
        await at.press("enter")
        await at.is_in("inbox")
        await at.press("escape")
        await at.is_in("numbers")
        await at.is_at(Measure.BACKLOG)
        await at.sees("can't be counted by hour")
        await at.press("b")
        await until(lambda: at.screen.by is Dimension.STATUS)  # what can't count a number is left out
        await at.press("b", "b")
        await until(lambda: at.screen.by is Dimension.AGENT)
        await at.sees("Open tasks now, by agent", "a1", "no agent")
        await at.press("tab")
        await until(lambda: at.screen.chart.bars.is_active)
        at.screen.chart.bars.move_to("a1")
        await at.opens(PickerDialog, "enter")
        await at.sees("Open tasks now, a1: 1 task")
        await at.press("escape", "shift+tab")
        await until(lambda: at.screen.rows.is_active)
        await at.is_at(Measure.CLOSED)
        await at.opens(PickerDialog, "enter")
        await at.sees("Tasks closed: 1 task", "open for 31 min")
        await at.press("enter")
        await at.is_in("board")


async def test_an_alert_says_how_it_ended_and_opens_what_it_is_about(store: Store) -> None:
    fill(store)
    key = f"sla after L1#C1  first response {NOW - 80 * MINUTE}"
    store.write(lambda db: claim_notifications(db, {key: 1.0}, NOW - 75 * MINUTE)).result()
    async with opened(store, (120, 30)) as at:
        await at.opens_numbers()
        await at.is_at(Measure.ALERTS)
        await at.sees("Alerts on this machine", "how it ended", "first response", "late by 10m")
        await at.press("b")
        await at.press("enter")
        await until(lambda: at.screen.chart.bars.is_active)
        await at.press("enter")
        await at.is_in("inbox")


async def test_new_messages_change_the_numbers_and_too_few_threads_hide_them(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small terminal shows one pane at a time."""
    monkeypatch.setattr("frontdesk.metrics.tui.REFRESH_SECONDS", 0.05)
    fill(store)

    def add(db: Any) -> None:
        for number in range(2, 9):
            conversations.add_by_pair(db, f"L1#N{number}", "L1", f"N{number}")

    async with opened(store, (60, 15)) as at:
        await at.press("tab", "tab")
        for size in ((60, 15), (80, 24), (100, 30)):
            await resize(at.app, *size)
            await at.sees("Messages received", "all threads with a task")
            await at.press("tab")
            await at.sees("Messages received, by hour")
            await at.press("shift+tab")
        store.write(add).result()
        await at.sees("not enough data (")
        assert at.screen.report is not None
        assert at.screen.report.rows[0].now.value is None


async def test_the_overview_comes_first_and_each_of_its_numbers_opens_what_it_counts(store: Store) -> None:
    fill(store)
    seen: list[float] = []

    def read(_db: Any, now: float) -> list[RunningCampaign]:
        seen.append(now)
        return [RunningCampaign("c1", "Winter sale", "L1", is_known=True, is_throttled=True, pace=120.0)]

    async with opened(store) as at:
        at.screen._read_campaigns = read
        at.screen.read()
        await until(lambda: seen)
        await at.sees("line", "throttled", "120", "person", "no agent", "[1]")
        await at.sees("Customers waiting over 1 h: 1")
        await at.press("l")
        await at.sees("Campaigns throttled now: 1")
        await at.opens(PickerDialog, "enter")
        await at.sees("Campaigns throttled now, L1: 1 campaign", "Winter sale", "120/min, throttled")
        await at.press("enter")
        await at.is_in("campaigns")
        await at.press("escape")
        await at.is_in("numbers")
        await at.press("h", "tab")
        await at.sees("Customers waiting over 1 h: 1")
        await at.opens(PickerDialog, "enter")
        await at.sees("Customers waiting over 1 h, a1: 1 conversation", "waiting 25 h")
        await at.press("escape")
        await at.press("h")
        await until(lambda: at.screen.overview.lines.rows.is_active)  # at the edge to the table before
        await at.press("b")
        await at.sees("Customers waiting over 1 h, by hour", "earlier")
        await at.opens(PickerDialog, "G", "enter")
        await at.sees("Customers waiting over 1 h, earlier: 1 conversation")
        await at.press("escape", "escape")
        await at.sees("person")


async def test_a_small_terminal_has_the_columns_that_matter_most(store: Store) -> None:
    fill(store)
    async with opened(store, (80, 24)) as at:
        await at.sees("throttled", "overdue", "response")
        assert " open" not in at.text.split("person")[0]
        for size in ((60, 15), (100, 30), (140, 40)):
            await resize(at.app, *size)
            await at.press("j", "l", "k", "h")
            await at.sees(">1 h")
        await until(lambda: " open" in at.text.split("person")[0])

"""The numbers on the screen: read in the background, broken down, and opened."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC
from typing import Any

import pytest

from frontdesk.app.screens import KEYMAP
from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.config.settings import Hosts, Profile
from frontdesk.inbox.store import conversations
from frontdesk.metrics.models import Dimension, Measure
from frontdesk.metrics.tui import NumbersScreen
from frontdesk.storage.database import Store
from frontdesk.text.glyphs import glyphs
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.picker import PickerDialog
from metrics.small_desk import NOW, fill
from services import Services
from tui.running_app import Running
from tui.widgets.hosts import text_of, until, wire

__all__ = ["wire"]

pytestmark = pytest.mark.anyio


class At(Running):
    """A running app with the numbers on top."""

    @property
    def screen(self) -> NumbersScreen:
        screen = self.app.current_screen
        assert isinstance(screen, NumbersScreen)
        return screen

    @property
    def text(self) -> str:
        return "\n".join(text_of(self.app))

    async def sees(self, *words: str) -> None:
        await until(lambda: all(each in self.text for each in words))

    async def is_at(self, measure: Measure) -> None:
        self.screen.rows.move_to(measure)
        await until(lambda: self.screen.measure is measure)


@asynccontextmanager
async def opened(store: Store, size: tuple[int, int] = (140, 40)) -> AsyncIterator[At]:
    services = Services(store, Profile("test", Hosts(*["http://127.0.0.1:9"] * 5)), clock=lambda: NOW)
    app = FrontdeskApp(
        AppContext(services.store, services.outbox, glyphs(False), UTC, services.store.clock, keymap=KEYMAP)
    )
    async with app.run_test(size=size) as pilot:
        await until(lambda: app.current_screen is not None and app.current_screen.focused)
        await pilot.press("7")
        await until(lambda: isinstance(app.current_screen, NumbersScreen) and app.current_screen.focused)
        at = At(app, pilot)
        await until(lambda: at.screen.rows.keys)
        yield at


async def test_today_is_compared_with_yesterday_and_drawn_by_hour(store: Store) -> None:
    fill(store)
    async with opened(store) as at:
        await at.sees(
            "7 Numbers",
            "Mon 21 Sep 2026",
            "compared with Sun 20 Sep 2026",
            "was 1 (+100%)",
            "all threads with a task",
        )
        await at.sees("Messages received, by hour", "12:00", "30 min")
        assert at.screen.report is not None
        assert at.screen.report.rows[0].now.value == 2


async def test_the_days_and_the_breakdown_change_by_key_and_are_kept(store: Store) -> None:
    fill(store)
    async with opened(store) as at:
        await at.pilot.press("right_square_bracket", "right_square_bracket")
        await at.sees("15 to 21 Sep 2026")
        await at.pilot.press("b")
        await at.sees("Messages received, by weekday", "Monday")
        await at.pilot.press("d", *"2026-09-20", "enter")
        await at.sees("Sun 20 Sep 2026")
    async with opened(store) as at:
        await at.sees("Sun 20 Sep 2026", "by weekday")


async def test_a_breakdown_that_cannot_count_a_number_is_left_out(store: Store) -> None:
    fill(store)
    async with opened(store) as at:
        await at.is_at(Measure.BACKLOG)
        await at.sees("can't be counted by hour")
        await at.pilot.press("b")
        await until(lambda: at.screen.by is Dimension.AGENT)
        await at.sees("Open tasks now, by agent", "a1", "no agent")


async def test_a_number_opens_its_conversations_and_a_task_its_board(store: Store) -> None:
    fill(store)
    async with opened(store) as at:
        await at.is_at(Measure.FIRST_MEDIAN)
        await at.pilot.press("enter")
        await until(lambda: isinstance(at.app.screen, PickerDialog))
        await at.sees("First responses: 1 conversation", "waited 30 min")
        await at.pilot.press("enter")
        await until(lambda: at.app.current_mode == "inbox")
        await at.pilot.press("escape")
        await until(lambda: at.app.current_mode == "numbers")
        await at.is_at(Measure.CLOSED)
        await at.pilot.press("enter")
        await until(lambda: isinstance(at.app.screen, PickerDialog))
        await at.sees("Tasks closed: 1 task", "open for 31 min")
        await at.pilot.press("enter")
        await until(lambda: at.app.current_mode == "board")


async def test_new_messages_change_the_numbers_and_too_few_threads_hide_them(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("frontdesk.metrics.tui.REFRESH_SECONDS", 0.05)
    fill(store)

    def add(db: Any) -> None:
        for number in range(2, 9):
            conversations.add_by_pair(db, f"L1#N{number}", "L1", f"N{number}")

    async with opened(store) as at:
        await at.sees("all threads with a task")
        store.write(add).result()
        await at.sees("not enough data (")
        assert at.screen.report is not None
        assert at.screen.report.rows[0].now.value is None


@pytest.mark.parametrize("size", [(100, 30), (80, 24), (60, 15)])
async def test_a_small_terminal_shows_one_pane_at_a_time(store: Store, size: tuple[int, int]) -> None:
    fill(store)
    async with opened(store, size) as at:
        await at.sees("Messages received", "all threads with a task")
        await at.pilot.press("tab")
        await at.sees("Messages received, by hour")


async def test_a_bar_opens_what_it_was_counted_from(store: Store) -> None:
    fill(store)
    async with opened(store) as at:
        await at.is_at(Measure.BACKLOG)
        await at.pilot.press("b")
        await until(lambda: at.screen.by is Dimension.AGENT)
        await at.pilot.press("tab")
        await until(lambda: at.screen.chart.bars.is_active)
        at.screen.chart.bars.move_to("a1")
        await at.pilot.press("enter")
        await until(lambda: isinstance(at.app.screen, PickerDialog))
        await at.sees("Open tasks now, a1: 1 task")

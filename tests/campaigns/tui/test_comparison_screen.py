"""Campaigns beside each other: curves, the time since the start that moves, and the report that is written."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC
from pathlib import Path
from typing import Any

import apsw
import pytest

from frontdesk.api.contract.ids import CampaignId
from frontdesk.app.screens import KEYMAP
from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.tui.comparison_screen import ComparisonScreen
from frontdesk.campaigns.tui.screen import CampaignsScreen
from frontdesk.config.settings import Hosts, Profile
from frontdesk.storage.database import Store
from frontdesk.text.glyphs import glyphs
from frontdesk.tui.content import plain
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.prompt import PromptDialog
from services import Services
from tui.screen_text import shown_toasts
from tui.widgets import hosts

pytestmark = pytest.mark.anyio
NOW = 1_700_000_000.0
WEEK = 7 * 86_400.0
SIZES = [(140, 40), (100, 30), (80, 24), (60, 15)]
HEBREW = "מבצע סוף שבוע 14/11"


def raw(campaign_id: str, name: str, started_at: float, sent: int, status: str = "inProgress") -> dict[str, Any]:
    return {
        "id": campaign_id,
        "name": name,
        "status": status,
        "workflowId": f"offers of {campaign_id}",
        "workflowName": "Offers",
        "startedAt": started_at * 1000,
        "totalRecipients": 1000,
        "pendingCount": 1000 - sent,
        "sentCount": sent,
        "deliveredCount": sent // 2,
        "readCount": sent // 4,
        "failedCount": 0,
    }


def put(db: apsw.Connection, campaign_id: str, name: str, started_at: float, a_minute: int, minutes: int) -> None:
    """A campaign that was read every 30 seconds since it started."""
    for step in range(2 * minutes + 1):
        now = started_at + 30 * step
        campaigns.put(db, CampaignId(campaign_id), raw(campaign_id, name, started_at, a_minute * step // 2), now)


def fill(db: apsw.Connection) -> None:
    """A week ago it went faster; today's is five minutes old."""
    campaigns.watch(db, [CampaignId(each) for each in ("today", "lastweek", "other")], NOW)
    put(db, "lastweek", HEBREW, NOW - WEEK - 300, 50, 8)
    put(db, "today", "מבצע סוף שבוע 21/11 \x1b[31", NOW - 300, 41, 5)
    put(db, "other", "Other", NOW - 86_400, 10, 4)


async def until(is_true: Any) -> None:
    await hosts.until(is_true, 30)


@asynccontextmanager
async def deck(
    store: Store, size: tuple[int, int] = (140, 40), *, ascii_only: bool = False
) -> AsyncIterator[tuple[FrontdeskApp, Any, CampaignsScreen]]:
    store.write(fill).result()
    services = Services(store, Profile("test", Hosts(*["http://127.0.0.1:9"] * 5)), clock=lambda: NOW)
    app = FrontdeskApp(
        AppContext(services.store, services.outbox, glyphs(ascii_only), UTC, lambda: NOW, keymap=KEYMAP), None
    )
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(lambda: app.current_screen is not None and app.current_screen.focused)
        await pilot.press("3")
        await until(lambda: isinstance(app.current_screen, CampaignsScreen) and app.current_screen.focused)
        screen = app.current_screen
        assert isinstance(screen, CampaignsScreen)
        screen.rows.move_to("today")
        yield app, pilot, screen


async def compared(app: FrontdeskApp, pilot: Any) -> ComparisonScreen:
    await pilot.press("=")
    await until(lambda: isinstance(app.current_screen, ComparisonScreen) and app.current_screen.focused)
    screen = app.current_screen
    assert isinstance(screen, ComparisonScreen)
    await until(lambda: screen.curves.frame())
    return screen


def said(screen: ComparisonScreen) -> str:
    lines = [each.line for view in (screen.curves, screen.columns, screen.rows) for each in view.frame()]
    edges = [screen.upper.title, screen.upper.subtitle, screen.lower.title]
    return "\n".join(map(plain, [*lines, *edges]))


@pytest.mark.parametrize("size", SIZES)
async def test_the_one_under_the_cursor_meets_last_weeks(store: Store, size: tuple[int, int]) -> None:
    async with deck(store, size) as (app, pilot, _):
        screen = await compared(app, pilot)
        words = said(screen)
        assert "A · 18% behind last week's at this point (it had 250 sent)" in words
        assert "5 min 00 s since the start" in words
        assert "205" in words
        assert "\x1b" not in words
        assert any(0x2800 < ord(sign) < 0x2900 for sign in words)
        await pilot.press("escape")
        await until(lambda: isinstance(app.current_screen, CampaignsScreen))


@pytest.mark.slow
async def test_the_time_moves_and_the_table_with_it_and_goes_back_to_now(store: Store) -> None:
    async with deck(store) as (app, pilot, _):
        screen = await compared(app, pilot)
        newest = screen.seconds
        await pilot.press("h", "left", "[")
        assert screen.seconds < newest - 20
        assert "now" not in plain(screen.upper.title)
        assert "205" not in plain(screen.rows.frame()[0].line)
        for _ in range(12):
            await pilot.press("[")
        assert screen.seconds == 0
        for _ in range(14):
            await pilot.press("]")
        assert screen.seconds == 600
        words = said(screen)
        assert "no data for this point" in words
        assert "no data for this point" in words
        await pilot.press("n")
        assert screen.seconds == newest


async def test_curves_of_another_counter_and_of_shares(store: Store) -> None:
    async with deck(store) as (app, pilot, _):
        screen = await compared(app, pilot)
        await pilot.press("s")
        assert "Delivered" in said(screen)
        await pilot.press("s", "s", "s", "t")
        words = said(screen)
        assert "Sent, share of all recipients" in words
        assert "4.5 points behind last week's at this point (it had 25.0% sent)" in words
        assert "30%" in words or "40%" in words


async def test_marked_ones_are_compared_the_newest_first(store: Store) -> None:
    async with deck(store) as (app, pilot, campaigns_screen):
        campaigns_screen.rows.mark(["other", "lastweek", "today"])
        screen = await compared(app, pilot)
        assert list(screen.rows.keys) == ["today", "other", "lastweek"]


async def test_one_alone_is_shown_and_says_what_is_missing(store: Store) -> None:
    async with deck(store) as (app, pilot, campaigns_screen):
        campaigns_screen.rows.move_to("lastweek")
        screen = await compared(app, pilot)
        assert list(screen.rows.keys) == ["lastweek"]
        assert "No earlier campaign has" in said(screen)


async def test_beside_one_that_has_not_started_the_others_are_shown_as_far_as_they_went(store: Store) -> None:
    async with deck(store) as (app, pilot, campaigns_screen):
        later: dict[str, Any] = {"id": "other", "name": "Other", "status": "scheduled", "totalRecipients": 10}
        store.write(lambda db: campaigns.put(db, CampaignId("other"), later, NOW)).result()
        await until(lambda: campaigns_screen.records[CampaignId("other")].started_at is None)
        campaigns_screen.rows.mark(["other", "today"])
        screen = await compared(app, pilot)
        screen.rows.move_to("other")
        await until(lambda: screen.rows.cursor_key == "other")
        assert screen.seconds == 300
        assert "205" in said(screen), "what the other one had sent by then"


async def test_a_poll_redraws_only_the_campaign_that_differs(store: Store) -> None:
    async with deck(store) as (app, pilot, _):
        screen = await compared(app, pilot)
        before = [plain(each.line) for each in screen.curves.frame()]
        rows = [plain(each.line) for each in screen.rows.frame()]
        store.write(lambda db: put(db, "today", "מבצע סוף שבוע 21/11", NOW - 300, 41, 6)).result()
        await until(lambda: screen.seconds == 360)
        after = [plain(each.line) for each in screen.curves.frame()]
        assert after[-2:] == before[-2:]
        assert after[0][:6] == before[0][:6]
        assert plain(screen.rows.frame()[0].line) != rows[0]
        assert "246" in plain(screen.rows.frame()[0].line)


async def test_a_terminal_without_signs_gets_ascii(store: Store) -> None:
    async with deck(store, ascii_only=True) as (app, pilot, _):
        screen = await compared(app, pilot)
        assert "\n".join(plain(each.line) for each in screen.curves.frame()).isascii()


async def test_the_report_is_written_to_a_file_that_is_named_and_never_over_another(
    store: Store, tmp_path: Path
) -> None:
    async with deck(store) as (app, pilot, campaigns_screen):
        campaigns_screen.rows.mark(["today"])
        for name in ("shift", "again"):
            await pilot.press("W")
            await until(lambda: isinstance(app.screen, PromptDialog))
            dialog = app.screen
            assert isinstance(dialog, PromptDialog)
            assert dialog.draft.startswith(str(store.folder))
            dialog._field.value = str(tmp_path / "shift.md")
            await pilot.press("enter")
            if name == "shift":
                await until(lambda: not isinstance(app.screen, PromptDialog))
                await until(lambda: any("Saved" in each for each in shown_toasts(app)))
        assert "already" in plain(dialog.note)
        text = (tmp_path / "shift.md").read_text()
        assert "# Shift report" in text
        assert "205 (20.5%)" in text
        assert "Other |" not in text
        assert "## Other" not in text
        assert (tmp_path / "shift-samples.csv").read_text().count("\n") == 12


async def test_where_the_folder_of_reports_cant_be_made_another_is_named(store: Store, tmp_path: Path) -> None:
    (store.folder / "reports").touch()
    async with deck(store) as (app, pilot, _):
        await pilot.press("W")
        await until(lambda: isinstance(app.screen, PromptDialog))
        dialog = app.screen
        assert isinstance(dialog, PromptDialog)
        await pilot.press("enter")
        await until(lambda: "folder doesn't exist" in plain(dialog.note))
        dialog._field.value = str(tmp_path / "shift.md")
        await pilot.press("enter")
        await until(lambda: any("Saved" in each for each in shown_toasts(app)))
        assert "# Shift report" in (tmp_path / "shift.md").read_text()

"""Campaigns beside each other: curves, the time since the start that moves, and the report that is written."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import apsw
import pytest

import kit
from app.test_sizes import resize
from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.tui.comparison_screen import ComparisonScreen
from frontdesk.campaigns.tui.screen import CampaignsScreen
from frontdesk.storage.database import Store
from frontdesk.tui.dialogs.prompt import PromptDialog
from frontdesk_api.contract.ids import CampaignId
from frontdesk_lines.content import plain
from tui.hosts import until

pytestmark = pytest.mark.anyio
NOW = 1_700_000_000.0
WEEK = 7 * 86_400.0
SIZES = [(140, 40), (80, 24), (60, 15), (100, 30)]
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


class At(kit.At):
    """A running app with the campaigns, or those beside each other, on top."""

    @property
    def campaigns(self) -> CampaignsScreen:
        return self.on(CampaignsScreen)

    async def compares(self, *ids: str) -> ComparisonScreen:
        """Compare these; without any, the one under the cursor."""
        if ids:
            self.campaigns.rows.mark(ids)
        screen = await self.opens(ComparisonScreen, "=")
        await until(lambda: screen.is_ready and screen.curves.frame())
        return screen

    async def leaves(self) -> None:
        await self.press("escape")
        await until(lambda: isinstance(self.app.screen, CampaignsScreen))
        self.campaigns.rows.unmark(self.campaigns.rows.marks)


def opened(
    store: Store, size: tuple[int, int] = (100, 30), *, ascii_only: bool = False
) -> AbstractAsyncContextManager[At]:
    store.write(fill).result()
    return kit.running(store, fills=False, screen="3", size=size, ascii_only=ascii_only, wraps=At)


def said(screen: ComparisonScreen) -> str:
    lines = [each.line for view in (screen.curves, screen.columns, screen.rows) for each in view.frame()]
    edges = [screen.upper.title, screen.upper.subtitle, screen.lower.title]
    return "\n".join(map(plain, [*lines, *edges]))


async def test_the_one_under_the_cursor_meets_last_weeks(store: Store) -> None:
    """At every size, by another counter, and as shares."""
    async with opened(store) as at:
        at.campaigns.rows.move_to("today")
        screen = await at.compares()
        for size in SIZES:
            await resize(at.app, *size)
            await until(lambda: any(0x2800 < ord(sign) < 0x2900 for sign in said(screen)))
            words = said(screen)
            assert "A · 18% behind the one from Tue 7 Nov 22:08 at this point (it had 250 sent)" in words, size
            assert "5 min 00 s since the start" in words, size
            assert "205" in words, size
            assert "\x1b" not in words, size
        await at.press("s")
        assert "Delivered" in said(screen)
        await at.press("s", "s", "s", "t")
        words = said(screen)
        assert "Sent, share of all recipients" in words
        assert "4.5 points behind the one from Tue 7 Nov 22:08 at this point (it had 25.0% sent)" in words
        assert "30%" in words or "40%" in words
        await at.leaves()


@pytest.mark.slow
async def test_the_time_moves_and_the_table_with_it_and_goes_back_to_now(store: Store) -> None:
    async with opened(store) as at:
        at.campaigns.rows.move_to("today")
        screen = await at.compares()
        newest = screen.seconds
        await at.press("h", "left", "[")
        assert screen.seconds < newest - 20
        assert "now" not in plain(screen.upper.title)
        assert "205" not in plain(screen.rows.frame()[0].line)
        for _ in range(12):
            await at.press("[")
        assert screen.seconds == 0
        for _ in range(14):
            await at.press("]")
        assert screen.seconds == 600
        assert "no data for this point" in said(screen)
        await at.press("n")
        assert screen.seconds == newest


async def test_marked_ones_are_compared_the_newest_first_as_far_as_they_went(store: Store) -> None:
    async with opened(store) as at:
        screen = await at.compares("other", "lastweek", "today")
        assert list(screen.rows.keys) == ["today", "other", "lastweek"]
        await at.leaves()

        at.campaigns.rows.move_to("lastweek")
        screen = await at.compares()
        assert list(screen.rows.keys) == ["lastweek"]
        assert "No earlier campaign has" in said(screen)
        await at.leaves()

        at.campaigns.rows.move_to("today")
        screen = await at.compares()
        before = [plain(each.line) for each in screen.curves.frame()]
        rows = [plain(each.line) for each in screen.rows.frame()]
        store.write(lambda db: put(db, "today", "מבצע סוף שבוע 21/11", NOW - 300, 41, 6)).result()
        await until(lambda: screen.seconds == 360)
        after = [plain(each.line) for each in screen.curves.frame()]
        assert after[-2:] == before[-2:], "only the campaign that differs is redrawn"
        assert after[0][:6] == before[0][:6]
        assert plain(screen.rows.frame()[0].line) != rows[0]
        assert "246" in plain(screen.rows.frame()[0].line)
        await at.leaves()

        later: dict[str, Any] = {"id": "other", "name": "Other", "status": "scheduled", "totalRecipients": 10}
        store.write(lambda db: campaigns.put(db, CampaignId("other"), later, NOW)).result()
        await until(lambda: at.campaigns.records[CampaignId("other")].started_at is None)
        screen = await at.compares("other", "today")
        screen.rows.move_to("other")
        await until(lambda: screen.rows.cursor_key == "other")
        assert screen.seconds == 360
        assert "246" in said(screen), "what the other one had sent by then"


async def test_a_terminal_without_signs_gets_ascii(store: Store) -> None:
    async with opened(store, (80, 24), ascii_only=True) as at:
        at.campaigns.rows.move_to("today")
        screen = await at.compares()
        assert "\n".join(plain(each.line) for each in screen.curves.frame()).isascii()


async def test_the_report_is_written_to_a_file_that_is_named_and_never_over_another(
    store: Store, tmp_path: Path
) -> None:
    (store.folder / "reports").touch()
    shift = tmp_path / "shift.md"
    async with opened(store) as at:
        at.campaigns.rows.mark(["today"])
        dialog = await at.opens(PromptDialog, "W")
        assert dialog.draft.startswith(str(store.folder))
        await at.press("enter")
        await until(lambda: "folder doesn't exist" in plain(dialog.note))  # it can't be made
        await at.types(str(shift))
        await at.press("enter")
        await at.says("Saved")
        await at.back()
        text = shift.read_text()
        assert "# Shift report" in text
        assert "205 (20.5%)" in text
        assert "Other |" not in text
        assert "## Other" not in text
        assert (tmp_path / "shift-samples.csv").read_text().count("\n") == 12

        dialog = await at.opens(PromptDialog, "W")
        await at.types(str(shift))
        await at.press("enter")
        await until(lambda: "already" in plain(dialog.note))
        assert shift.read_text() == text

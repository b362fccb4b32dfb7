"""The campaigns screen: what a tick repaints, and that a list of recipients is never made for a redraw."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC
from typing import Any

import apsw
import pytest

from frontdesk.api.contract.ids import CampaignId
from frontdesk.app.screens import KEYMAP
from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.campaigns.models import Sample
from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.tui.screen import RECIPIENTS_SHOWN, CampaignsScreen
from frontdesk.config.settings import Hosts, Profile
from frontdesk.storage import clients, record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import Connection, Health, Json
from frontdesk.text.glyphs import glyphs
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.review import RecordDialog
from services import Services
from tui.screen_text import shown_toasts
from tui.widgets.hosts import until

pytestmark = pytest.mark.anyio
START = 1_700_000_000.0
PEOPLE = [{"phoneNumberId": f"97252{n:07d}"} for n in range(RECIPIENTS_SHOWN + 500)]


class Clock:
    now = START

    def __call__(self) -> float:
        return self.now


def came(number: int, sent: int) -> dict[str, Any]:
    return {
        "id": f"c{number}",
        "name": f"Campaign {number}",
        "status": "inProgress",
        "startedAt": START * 1000,
        "totalRecipients": len(PEOPLE),
        "pendingCount": len(PEOPLE) - sent,
        "sentCount": sent,
        "failedCount": 0,
        "customerList": PEOPLE,
    }


@asynccontextmanager
async def opened(store: Store, clock: Clock) -> AsyncIterator[tuple[FrontdeskApp, CampaignsScreen]]:
    ids = [CampaignId(f"c{number}") for number in range(5)]
    store.write(lambda db: campaigns.watch(db, ids, START)).result()
    for number, each in enumerate(ids):
        read(store, each, came(number, 0), START)
    services = Services(store, Profile("test", Hosts(*["http://127.0.0.1:9"] * 5)), clock=clock)
    app = FrontdeskApp(AppContext(services.store, services.outbox, glyphs(False), UTC, clock, keymap=KEYMAP), None)
    async with app.run_test(size=(140, 40)) as pilot:
        await until(lambda: app.current_screen is not None and app.current_screen.focused)
        await pilot.press("3")
        await until(lambda: isinstance(app.current_screen, CampaignsScreen) and app.current_screen.focused)
        screen = app.current_screen
        assert isinstance(screen, CampaignsScreen)
        yield app, screen


def read(store: Store, campaign_id: CampaignId, raw: dict[str, Any], now: float) -> None:
    store.write(lambda db: campaigns.put(db, campaign_id, raw, now)).result()


def lines_of(screen: CampaignsScreen) -> list[str]:
    return ["".join(part.text.text for part in painted.line) for painted in screen.rows.frame()]


def lines_of_box(screen: CampaignsScreen) -> list[str]:
    return ["".join(part.text.text for part in painted.line) for painted in screen.facts.frame()]


async def test_a_tick_changes_the_lines_of_its_campaign_alone_and_shows_pace_and_end(store: Store) -> None:
    clock = Clock()
    async with opened(store, clock) as (_, screen):
        for step in range(1, 16):
            clock.now = START + 2 * step
            read(store, CampaignId("c3"), came(3, 20 * step), clock.now)
        await until(lambda: any("300 sent" in line for line in lines_of(screen)))
        before = lines_of(screen)
        at = next(place for place, line in enumerate(before) if "300 sent" in line) // 4 * 4
        assert "600/min" in before[at + 1]
        assert "left" in before[at + 1]
        clock.now += 2
        read(store, CampaignId("c3"), came(3, 320), clock.now)
        await until(lambda: any("320 sent" in line for line in lines_of(screen)))
        after = lines_of(screen)
        moved = {place for place, line in enumerate(after) if line != before[place]}
        assert moved <= set(range(at, at + 4))


async def test_an_opened_campaign_shows_its_numbers_as_they_change(store: Store) -> None:
    clock = Clock()
    async with opened(store, clock) as (app, screen):
        screen.rows.move_to("c3")
        screen.post_message(screen.rows.Chosen(screen.rows, "c3"))
        await until(lambda: isinstance(app.screen, RecordDialog) and app.screen.view.frame())
        dialog = app.screen
        assert isinstance(dialog, RecordDialog)

        def shows(pattern: str) -> bool:
            drawn = "\n".join("".join(part.text.text for part in each.line) for each in dialog.view.frame())
            return re.search(pattern, drawn) is not None

        assert shows("sent +0")
        read(store, CampaignId("c3"), came(3, 320), START + 2)
        await until(lambda: shows("sent +320"))
        read(store, CampaignId("c3"), came(3, 340), START + 4)
        await until(lambda: shows("sent +340"))
        clock.now = START + 4 + 300
        screen.redraw_times()
        await until(lambda: shows("not updated since 22:13"))


async def test_no_redraw_makes_a_list_of_recipients_and_what_asks_for_it_gets_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    async with opened(store, clock) as (_, screen):
        with monkeypatch.context() as patch:
            for name in ("campaign_json", "first_recipients"):
                patch.setattr(campaigns, name, None)
            read(store, CampaignId("c0"), came(0, 7), START + 2)
            await until(lambda: any(line.startswith("7 sent") for line in lines_of(screen)))
            screen.rows.redraw()
            screen.facts.redraw()
        screen.rows.move_to("c0")
        record = screen.record_actions.raw()
        assert record is not None
        shown: Any = record[1]
        assert shown["customerList"] == PEOPLE[:RECIPIENTS_SHOWN]
        copied: list[str] = []
        monkeypatch.setattr(screen.record_actions, "copy_text", lambda text, _: copied.append(text))
        screen.record_actions.copy_json()
        assert json.loads(copied[0]) == came(0, 7)


async def test_one_that_is_no_longer_watched_says_so_and_how_it_comes_back(store: Store) -> None:
    async with opened(store, Clock()) as (app, screen):
        screen.rows.move_to("c1")
        screen.action_unwatch()
        await until(lambda: "c1" not in screen.rows.keys)
        told = shown_toasts(app)
        assert any("keeps running. To watch it again, press w and enter c1" in each for each in told)


async def test_one_that_the_wheel_moved_the_cursor_to_is_named_first(store: Store) -> None:
    async with opened(store, Clock()) as (app, screen):
        screen.rows.move_to("c1")
        screen.rows.scrolled_from = "c0"
        screen.action_unwatch()
        await until(lambda: any("was scrolled; the cursor is now on" in each for each in shown_toasts(app)))
        assert "c1" in screen.rows.keys
        screen.action_unwatch()
        await until(lambda: "c1" not in screen.rows.keys)


async def test_when_time_passes_a_campaign_becomes_stalled_without_a_word_from_the_platform(store: Store) -> None:
    clock = Clock()
    async with opened(store, clock) as (_, screen):
        clock.now = START + 2
        read(store, CampaignId("c1"), came(1, 5), clock.now)
        for _minute in range(3):
            clock.now += campaigns.READ_AGAIN_SECONDS
            read(store, CampaignId("c1"), came(1, 5), clock.now)
        screen.redraw_times()
        await until(lambda: any("stalled 3 min: no progress since 22:13" in line for line in lines_of(screen)))


@pytest.mark.slow
async def test_since_when_nothing_is_sent_is_known_though_customers_read_on_for_long(store: Store) -> None:
    clock = Clock()
    async with opened(store, clock) as (_, screen):
        for minute in range(1, 25):
            clock.now = START + 60 * minute
            read(store, CampaignId("c1"), came(1, 5) | {"readCount": minute}, clock.now)
        wanted = "stalled 23 min: nothing sent since 22:14"
        await until(lambda: any(wanted in line for line in lines_of(screen)))


async def test_of_one_that_ended_no_row_reads_all_samples_though_customers_read_on(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, asked, real = Clock(), [], campaign_store.samples

    def samples(db: apsw.Connection, campaign_id: CampaignId, since: float) -> list[Sample]:
        asked.append((campaign_id, since))
        return real(db, campaign_id, since)

    monkeypatch.setattr(campaign_store, "samples", samples)
    async with opened(store, clock) as (_, screen):
        for minute in range(1, 25):
            clock.now = START + 60 * minute
            ended = {"status": "completed", "completedAt": (START + 60) * 1000, "deliveredCount": 1_500}
            read(store, CampaignId("c1"), came(1, 1_500) | ended | {"readCount": minute}, clock.now)
        await until(lambda: any("24 read" in line for line in lines_of(screen)))
        assert any(campaign_id == "c1" for campaign_id, _ in asked)
        assert ("c1", 0.0) not in asked


async def test_one_line_each_and_the_order_are_kept_for_the_next_run(store: Store) -> None:
    clock = Clock()
    async with opened(store, clock) as (app, screen):
        clock.now += 10
        failing = came(4, 100) | {"failedCount": 50}
        read(store, CampaignId("c4"), failing, clock.now)
        await until(lambda: any("50 failed" in line for line in lines_of(screen)))
        screen.action_compact()
        assert len(lines_of(screen)) == 5
        for _press in range(2):
            screen.action_sort()
        assert screen.rows.keys[0] == "c4"
        assert "by failing" in "".join(part.text.text for part in screen._list.title)
        outbox = screen.app_context.outbox
        await until(lambda: outbox.saved_view_state("campaigns") == {"order": "failing", "compact": True})
        again = CampaignsScreen(screen.app_context, screen._workflows)
        assert (again.rows.row_height, again._readings.order) == (1, "failing")
        assert app.is_running


async def test_the_line_above_the_list_counts_what_was_never_read(store: Store) -> None:
    async with opened(store, Clock()) as (_, screen):
        store.write(lambda db: campaigns.watch(db, [CampaignId("new")], START)).result()
        await until(lambda: "new" in screen.rows.keys)
        (line,) = screen.summary.frame()
        shown = "".join(part.text.text for part in line.line)
        assert shown.startswith("5+ running")
        assert "1 not loaded yet" in shown


async def test_a_row_and_its_details_say_the_same_end(store: Store) -> None:
    clock, sent = Clock(), 0
    async with opened(store, clock) as (_, screen):
        for step in range(1, 100):
            clock.now = START + 20 * step
            sent += (3, 11, 5, 14)[step // 9 % 4]
            read(store, CampaignId("c3"), came(3, sent), clock.now)
        await until(lambda: any(f"{sent} sent" in line for line in lines_of(screen)))
        screen.rows.move_to("c3")
        await until(lambda: "c3" in lines_of_box(screen)[1])
        (left,) = re.findall(r"([\d.:]+ to [\d.:]+ \w+) left", "\n".join(lines_of(screen)))
        (done,) = re.findall(r"done in +(.+?) *\n", "\n".join(lines_of_box(screen)))
        assert done == left


async def test_workflows_of_one_name_are_told_apart(store: Store) -> None:
    listed: list[Json] = [{"id": f"workflow-{each}-0123", "name": "Offers"} for each in "ab"]
    store.write(lambda db: record_lookup.replace_all(db, record_lookup.WORKFLOW, listed)).result()
    async with opened(store, Clock()) as (_, screen):
        named = came(3, 5) | {"workflowId": "workflow-b-0123", "workflowName": "Offers"}
        read(store, CampaignId("c3"), named, START + 2)
        screen.rows.move_to("c3")
        await until(lambda: any("Offers  …w-b-0123" in line for line in lines_of_box(screen)))


async def test_a_redraw_reads_no_sample_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(store, Clock()) as (_, screen):
        screen.rows.redraw()
        monkeypatch.setattr(campaign_store, "recent_history", None)
        screen.rows.redraw()
        screen.summary.redraw()
        assert len(lines_of(screen)) == 20


async def test_what_is_read_without_a_difference_is_as_old_as_its_last_read_and_nothing_is_painted_for_it(
    store: Store,
) -> None:
    clock = Clock()
    store.write(lambda db: clients.write_health(db, Health(Connection.LIVE, heard_at=START))).result()
    async with opened(store, clock) as (_, screen):

        def beat() -> None:
            reads = {f"c{number}": clock.now - 2 - number / 10 for number in range(5)}
            store.write(lambda db: clients.write_heartbeat(db, clock.now, clock.now, reads)).result()

        def summary() -> str:
            (painted,) = screen.summary.frame()
            return "".join(part.text.text for part in painted.line)

        told, loaded, beaten = set(), set(), 200
        for second in range(0, beaten, 5):
            clock.now = START + second + 5
            beat()
            screen.summary.redraw()
            if second % 15 == 0:
                screen.redraw_times()
            told.add(summary().rpartition("·")[2].strip())
            loaded |= {line.strip() for line in lines_of_box(screen) if "loaded" in line or "as of" in line}
            assert not any("not updated" in line for line in lines_of(screen))
        assert (told, loaded) == ({"updated <15 s ago"}, {"loaded in the last 2 minutes"})
        clock.now = START + beaten + 240
        screen.redraw_times()
        assert "updated <5 min ago" in summary()
        assert any("not updated since 22:16" in line for line in lines_of(screen))
        assert any("as of 22:16" in line for line in lines_of_box(screen))

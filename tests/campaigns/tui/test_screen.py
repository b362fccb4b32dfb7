"""The campaigns screen: what a tick repaints, and that a list of recipients is never made for a redraw."""

import json
import re
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from typing import Any

import apsw
import pytest

import kit
from frontdesk.campaigns.models import Sample
from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.tui.screen import RECIPIENTS_SHOWN, CampaignsScreen
from frontdesk.storage import clients, record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import Connection, Health, Json
from frontdesk.tui.dialogs.review import RecordDialog
from frontdesk_api.contract.ids import CampaignId
from kit import Clock
from tui.hosts import until

pytestmark = pytest.mark.anyio
START = kit.NOW
PEOPLE = [{"phoneNumberId": f"97252{n:07d}"} for n in range(RECIPIENTS_SHOWN + 500)]


def came(number: int, sent: int) -> dict[str, Any]:
    """A campaign as it is read; the first one with its recipients."""
    raw = {
        "id": f"c{number}",
        "name": f"Campaign {number}",
        "status": "inProgress",
        "startedAt": START * 1000,
        "totalRecipients": len(PEOPLE),
        "pendingCount": len(PEOPLE) - sent,
        "sentCount": sent,
        "failedCount": 0,
    }
    return raw | {"customerList": PEOPLE} if number == 0 else raw


FAILING = {"failedCount": 100, "pendingCount": len(PEOPLE) - 200}
"""Of a campaign that has sent 100."""


class At(kit.At):
    """A running app with the campaigns on top."""

    @property
    def screen(self) -> CampaignsScreen:
        screen = self.app.current_screen
        assert isinstance(screen, CampaignsScreen)
        return screen

    @property
    def rows(self) -> list[str]:
        return lines_of(self.screen.rows)

    @property
    def details(self) -> list[str]:
        return lines_of(self.screen.facts)

    def reads(self, *raws: dict[str, Any]) -> None:
        """The engine reads a campaign now."""
        read(self.store, ((self.clock.now, raw) for raw in raws))


def opened(store: Store, clock: Clock) -> AbstractAsyncContextManager[At]:
    store.write(lambda db: campaigns.watch(db, [CampaignId(f"c{number}") for number in range(5)], START)).result()
    read(store, ((START, came(number, 0)) for number in range(5)))
    return kit.running(store, fills=False, clock=clock, size=(140, 40), screen="3", wraps=At)


def read(store: Store, reads: Iterable[tuple[float, dict[str, Any]]]) -> None:
    def put(db: apsw.Connection) -> None:
        for at, raw in reads:
            campaigns.put(db, CampaignId(raw["id"]), raw, at)

    store.write(put).result()


def lines_of(view: Any) -> list[str]:
    return [kit.plain(painted.line) for painted in view.frame()]


def has(lines: Iterable[str], words: str) -> bool:
    return any(words in line for line in lines)


async def test_a_tick_changes_the_lines_of_its_campaign_alone_and_shows_pace_and_end(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No redraw makes a list of recipients, or reads a sample again."""
    clock = Clock(START)
    offers: list[Json] = [{"id": f"workflow-{each}-0123", "name": "Offers"} for each in "ab"]
    store.write(lambda db: record_lookup.replace_all(db, record_lookup.WORKFLOW, offers)).result()
    async with opened(store, clock) as at:
        screen = at.screen
        for step in range(1, 16):
            clock.now = START + 2 * step
            at.reads(came(3, 20 * step))
        await until(lambda: has(at.rows, "300 of 1,500"))
        before = at.rows
        first = next(place for place, line in enumerate(before) if "300 of 1,500" in line)
        assert "done 22:15" in before[first]
        assert "600/min" in before[first + 1]
        clock.now += 2
        at.reads(came(3, 320))
        await until(lambda: has(at.rows, "320 of 1,500"))
        moved = {place for place, line in enumerate(at.rows) if line != before[place]}
        assert moved <= {first, first + 1}

        at.reads(came(4, 5) | {"workflowId": "workflow-b-0123", "workflowName": "Offers"})
        screen.rows.move_to("c4")
        await until(lambda: has(at.details, "Offers  …w-b-0123"))  # as another has this name

        with monkeypatch.context() as patch:
            for name in ("campaign_json", "first_recipients"):
                patch.setattr(campaigns, name, None)
            at.reads(came(0, 7))
            await until(lambda: has(at.rows, " 7 of 1,500"))
            screen.rows.redraw()
            screen.facts.redraw()
            patch.setattr(campaigns, "recent_history", None)
            screen.rows.redraw()
            screen.summary.redraw()
            assert len(at.rows) == 10
        screen.rows.move_to("c0")
        record = screen.record_actions.raw()
        assert record is not None
        shown: Any = record[1]
        assert shown["customerList"] == PEOPLE[:RECIPIENTS_SHOWN]
        copied: list[str] = []
        monkeypatch.setattr(screen.record_actions, "copy_text", lambda text, _: copied.append(text))
        screen.record_actions.copy_json()
        assert json.loads(copied[0]) == came(0, 7)

        screen.rows.move_to("c2")
        screen.post_message(screen.rows.Chosen(screen.rows, "c2"))
        dialog = await at.opens(RecordDialog)

        def shows(pattern: str) -> bool:
            return re.search(pattern, "\n".join(lines_of(dialog.view))) is not None

        await until(lambda: shows("sent +0"))
        at.reads(came(2, 320))
        await until(lambda: shows("sent +320"))
        at.reads(came(2, 340))
        await until(lambda: shows("sent +340"))
        clock.now += 300
        screen.redraw_times()
        await until(lambda: shows("not updated since 22:13"))


async def test_one_that_stalls_without_a_word_from_the_platform_and_is_no_longer_watched(store: Store) -> None:
    clock = Clock(START)
    async with opened(store, clock) as at:
        screen = at.screen
        store.write(lambda db: campaigns.watch(db, [CampaignId("new")], START)).result()
        await until(lambda: "new" in screen.rows.keys)
        (line,) = lines_of(screen.summary)
        assert line.startswith("5+ running")
        assert "1 not loaded yet" in line

        clock.now = START + 2
        at.reads(came(1, 5))
        for _minute in range(3):
            clock.now += campaigns.READ_AGAIN_SECONDS
            at.reads(came(1, 5))
        screen.redraw_times()
        await until(lambda: has(at.rows, "stalled 3 min: no progress since 22:13"))

        screen.rows.move_to("c1")
        screen.rows.scrolled_from = "c0"
        screen.action_unwatch()
        await at.says("was scrolled; the cursor is now on")  # what the wheel moved it to is named first
        assert "c1" in screen.rows.keys
        screen.action_unwatch()
        await until(lambda: "c1" not in screen.rows.keys)
        await until(lambda: "keeps running. To watch it again, press w and enter c1" in at.toasts)


@pytest.mark.slow
async def test_since_when_nothing_is_sent_is_known_though_customers_read_on_for_long(store: Store) -> None:
    clock = Clock(START)
    async with opened(store, clock) as at:
        for minute in range(1, 25):
            clock.now = START + 60 * minute
            at.reads(came(1, 5) | {"readCount": minute})
        await until(lambda: has(at.rows, "stalled 23 min: nothing sent since 22:14"))


async def test_rows_and_details_agree_and_their_order_is_kept_for_the_next_run(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, asked, real = Clock(START), [], campaigns.samples

    def samples(db: apsw.Connection, campaign_id: CampaignId, since: float) -> list[Sample]:
        asked.append((campaign_id, since))
        return real(db, campaign_id, since)

    monkeypatch.setattr(campaigns, "samples", samples)
    async with opened(store, clock) as at:
        screen, sent, reads = at.screen, 0, []
        for step in range(1, 100):
            clock.now = START + 20 * step
            sent += (3, 11, 5, 14)[step // 9 % 4]
            reads.append((clock.now, came(3, sent)))
        read(store, reads)
        await until(lambda: has(at.rows, f" {sent} of"))
        screen.rows.move_to("c3")
        await until(lambda: "c3" in at.details[1])
        (end,) = re.findall(r"(?:done|about) (\d\d:\d\d to \d\d:\d\d)", "\n".join(at.rows))
        (done,) = re.findall(r"done by +(.+?) *\n", "\n".join(at.details))
        assert done == end

        ended = {"status": "completed", "completedAt": (clock.now + 60) * 1000, "deliveredCount": 1_500}
        for minute in range(1, 25):
            clock.now += 60
            at.reads(came(1, 1_500) | ended | {"readCount": minute})
        await until(lambda: has(at.rows, "24 read"))
        assert any(campaign_id == "c1" for campaign_id, _ in asked)
        assert ("c1", 0.0) not in asked, "no row reads all samples, though customers read on"

        at.reads(came(4, 100) | {"failedCount": 50, "pendingCount": 1_350})
        await until(lambda: has(at.rows, "33% failed"))
        screen.action_compact()
        assert len(at.rows) == 5
        screen.action_sort()
        assert screen.rows.keys[0] == "c4"
        assert "by failing" in kit.plain(screen.list.title)
        outbox, kept = screen.app_context.outbox, {"order": "failing", "compact": True, "filter": ""}
        await until(lambda: outbox.saved_view_state("campaigns") == kept)
        again = CampaignsScreen(screen.app_context, screen._workflows)
        assert (again.rows.row_height, again._readings.order) == (1, "failing")


async def test_trouble_is_on_top_and_a_cursor_that_was_moved_stays_at_its_place(store: Store) -> None:
    clock = Clock(START)
    failed = {"status": "failed", "failedAt": (START + 5) * 1000, "failureReason": "gone"}
    async with opened(store, clock) as at:
        rows = at.screen.rows
        clock.now = START + 10
        at.reads(came(3, 100) | failed)
        await until(lambda: rows.keys[0] == "c3")
        assert rows.cursor_key == "c3", "until a key it is on the first row, whichever that is"
        await at.press("j")
        assert (rows.cursor_key, rows.cursor_index) == ("c0", 1)
        at.reads(came(0, 100) | FAILING)
        await until(lambda: has(at.rows, "▲ failed 50.0%"))
        assert (rows.cursor_key, rows.cursor_index, list(rows.keys[:2])) == ("c0", 1, ["c3", "c0"])
        await at.press("j")
        at.reads(came(4, 1))
        await until(lambda: list(rows.keys[:2]) == ["c0", "c3"])
        assert (rows.cursor_key, rows.cursor_index) == ("c1", 2)
        clock.now += 86_400
        at.screen.redraw_times()
        assert list(rows.keys)[-1] == "c3", "what failed yesterday is over"


async def test_a_filter_finds_names_and_states_and_keeps_marks(store: Store) -> None:
    clock = Clock(START)
    async with opened(store, clock) as at:
        screen, rows = at.screen, at.screen.rows
        clock.now = START + 10
        at.reads(came(3, 100) | FAILING, came(2, 1) | {"status": "completed"})
        await until(lambda: rows.keys[0] == "c3")
        rows.mark(["c0"])
        await at.press("/")
        await at.types("alert campaign")
        await until(lambda: list(rows.keys) == ["c3"])
        assert rows.cursor_key == "c3"
        assert (rows.marks, rows.hidden_marks) == ({"c0"}, {"c0"})
        assert "1 of 5 watched" in kit.plain(screen.list.title)
        rows.unmark(["c0"])
        await at.press("enter", "escape")
        await until(lambda: len(rows.keys) == 5)
        assert rows.cursor_key == "c3"
        await at.press("/")
        await at.types("completed nobody")
        await until(lambda: not rows.keys)
        assert has(at.rows, "No campaign matches “completed nobody”.")
        outbox = screen.app_context.outbox
        await until(lambda: (outbox.saved_view_state("campaigns") or {}).get("filter") == "completed nobody")


async def test_what_is_read_without_a_difference_is_as_old_as_its_last_read_and_nothing_is_painted_for_it(
    store: Store,
) -> None:
    clock = Clock(START)
    store.write(lambda db: clients.write_health(db, Health(Connection.LIVE, heard_at=START))).result()
    async with opened(store, clock) as at:
        screen = at.screen

        def beat() -> None:
            reads = {f"c{number}": clock.now - 2 - number / 10 for number in range(5)}
            store.write(lambda db: clients.write_heartbeat(db, clock.now, clock.now, reads)).result()

        def summary() -> str:
            (line,) = lines_of(screen.summary)
            return line

        told, loaded, beaten = set(), set(), 200
        for second in range(0, beaten, 5):
            clock.now = START + second + 5
            beat()
            screen.summary.redraw()
            if second % 15 == 0:
                screen.redraw_times()
            told.add(summary().rpartition("·")[2].strip())
            loaded |= {line.strip() for line in at.details if "loaded" in line or "as of" in line}
            assert not any("not updated" in line for line in at.rows)
        assert (told, loaded) == ({"<15 s old"}, {"loaded in the last 2 minutes"})
        clock.now = START + beaten + 240
        screen.redraw_times()
        assert "<5 min old" in summary()
        assert any("not updated since 22:16" in line for line in at.rows)
        assert any("as of 22:16" in line for line in at.details)

"""How a campaign's recipients fared, from the campaigns screen: what is shown, asked for, and written."""

import csv
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest
from textual.widgets import Input

import kit
from app.test_sizes import resize
from frontdesk.campaigns.delivery_results import PORTION, DeliveryResult, Tally
from frontdesk.campaigns.store import campaigns, delivery_results
from frontdesk.campaigns.tui.delivery_results_dialog import DeliveryResultsDialog
from frontdesk.campaigns.tui.screen import CampaignsScreen
from frontdesk.storage.database import Store
from frontdesk.tui.dialogs.prompt import PromptDialog
from frontdesk_api.contract.ids import CampaignId, CustomerId
from frontdesk_lines.content import plain
from frontdesk_lines.widgets.note import Note
from tui.hosts import quiet, until, wire
from tui.screen_text import use_truecolor

__all__ = ["wire"]

pytestmark = pytest.mark.anyio

ONE = CampaignId("one")
CAMPAIGN = {
    "id": ONE,
    "name": "Spring",
    "status": "completed",
    "source": "excel",
    "associatedToBusinessId": "L1",
    "startedAt": 1_600_000_000_000,
    "completedAt": 1_600_000_900_000,
    "totalRecipients": 900,
    "customerList": [
        {"phoneNumberId": f"+44770090{place:04}", "customerName": f"C{place}"} for place in range(900)
    ],
}
FOUND = (
    [DeliveryResult("failed", "131026", "Message undeliverable")] * 6
    + [DeliveryResult("failed", "470", "Re-engagement \x1b[2J message")] * 2
    + [DeliveryResult("not found")] * 4
    + [DeliveryResult("read")] * 88
)


def find(store: Store, found: list[DeliveryResult]) -> None:
    people = [CustomerId(f"44770090{place:04}") for place in range(len(found))]
    tally = Tally(zip(people, found, strict=True))
    rows = [(who, *_columns(outcome), 1.0) for who, outcome in zip(people, found, strict=True)]
    store.write(lambda db: delivery_results.put(db, ONE, rows, tally.groups(), 900, len(found))).result()


def _columns(outcome: DeliveryResult) -> tuple[str, str, str]:
    return outcome.status, outcome.code, outcome.reason


class At(kit.At):
    """A running app with the delivery results of a campaign on top."""

    @property
    def dialog(self) -> DeliveryResultsDialog:
        return self.on(DeliveryResultsDialog)

    @property
    def said(self) -> str:
        return "\n".join(plain(note.line) for note in self.dialog.query(Note))

    async def looks_at(self, campaign_id: str) -> None:
        """Open the results of another campaign."""
        await self.press("escape")
        await until(lambda: isinstance(self.app.screen, CampaignsScreen))
        self.on(CampaignsScreen).rows.move_to(campaign_id)
        await self.opens(DeliveryResultsDialog, "E")


@asynccontextmanager
async def opened(
    store: Store,
    size: tuple[int, int] = (140, 40),
    found: list[DeliveryResult] | None = None,
    others: dict[str, dict[str, Any]] | None = None,
) -> AsyncIterator[At]:
    """An app with the results of one campaign; there are others, each with these fields of its own."""

    def put(db: apsw.Connection) -> None:
        for name, fields in ({ONE: {}} | (others or {})).items():
            campaigns.watch(db, [CampaignId(name)], 1.0)
            campaigns.put(db, CampaignId(name), {**CAMPAIGN, "id": name, **fields}, 2.0)

    store.write(put).result()
    if found is not None:
        find(store, found)
    async with kit.running(store, fills=False, size=size, screen="3", wraps=At) as at:
        at.on(CampaignsScreen).rows.move_to(ONE)
        await at.opens(DeliveryResultsDialog, "E")
        yield at


async def test_groups_stand_with_shares_advice_and_examples_at_any_size(store: Store) -> None:
    async with opened(store, found=FOUND) as at:
        assert "checked 100 of 900 · failed 8.0% (" in at.said
        assert "unclear 4.0%" in at.said
        for shown in ("131026", "undeliverable", "no message from this campaign", "sending the same again won't"):
            assert shown in at.text
        assert "447700900000, 447700900001" in at.text
        await at.press("j")
        await at.sees("Re-engagement ␛[2J message", "title comes from the platform")
        await at.press("k")
        for size in ((80, 24), (20, 6), (60, 15), (1, 1), (60, 15)):
            await resize(at.app, *size)
            if size[0] >= 60:
                await at.sees("131026", "esc close", "checked 100 of 900")


@pytest.mark.slow
async def test_each_campaign_says_what_can_be_checked_of_it(store: Store) -> None:
    def of(count: int) -> dict[str, Any]:
        people = [{"phoneNumberId": f"+44770090{place:04}"} for place in range(count)]
        return {"customerList": people, "totalRecipients": count}

    others = {
        "three": of(3),
        "running": {"status": "inProgress", "completedAt": None},
        "tagged": {"source": "tags", "customerList": None},
    }
    async with opened(store, others=others) as at:
        for name, shown in (
            ("three", "Press s to check 400 recipients, chosen at random, or all of fewer (one"),
            ("running", "The campaign is still running"),
            ("tagged", "No delivery results: the campaign's audience is defined by tags"),
        ):
            await at.looks_at(name)
            assert shown in at.text, name
        await at.press("s", "a")
        store.write(lambda db: None).result()
        assert delivery_results.next_ask(store.reading) is None


async def test_s_asks_for_a_portion_and_takes_it_back_and_what_comes_is_shown(store: Store) -> None:
    async with opened(store) as at:
        assert "Press s to check 400 recipients" in at.text
        await at.press("s")
        await until(lambda: at.dialog.record.state == "asked")
        assert at.dialog.record.wanted == PORTION
        assert delivery_results.next_ask(store.reading) is not None
        find(store, FOUND)
        await until(lambda: at.dialog.record.checked == 100)
        assert "checking, as fast as the request limit allows" in at.said
        at.clock.now += 60
        find(store, FOUND * 2)
        await until(lambda: "200 a minute · about 1 minute for 200 more" in at.said)
        await at.press("s")
        await until(lambda: at.dialog.record.state == "stopped")
        assert delivery_results.next_ask(store.reading) is None
        await at.press("a")
        await until(lambda: at.dialog.record.wanted > 900)
        await at.press("escape")
        await until(lambda: not isinstance(at.app.screen, DeliveryResultsDialog))
        assert delivery_results.next_ask(store.reading) is not None, "it goes on without the dialog"


@pytest.mark.slow
async def test_the_failed_or_the_marked_are_written_as_a_list(store: Store, tmp_path: Path) -> None:
    async with opened(store, found=FOUND) as at:
        assert "w save failed" in at.text
        await at.opens(PromptDialog, "w")
        assert at.app.screen.query_one(Input).value == "~/one-again.csv"
        for name, count in (("failed.csv", 8), ("marked.csv", 2)):
            at.app.screen.query_one(Input).value = str(tmp_path / name)
            await at.press("enter")
            await until(lambda path=tmp_path / name: path.exists() and path.stat().st_size > 50)
            with (tmp_path / name).open(newline="") as file:
                rows = list(csv.DictReader(file))
            assert len(rows) == count
            if name == "failed.csv":
                await until(lambda: not isinstance(at.app.screen, PromptDialog))
                await at.opens(DeliveryResultsDialog, "E")
                await at.opens(PromptDialog, "j", "space", "w")
        assert {row["customerName"] for row in rows} == {"C6", "C7"}


async def test_a_file_that_is_there_is_not_written_over(store: Store, tmp_path: Path) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_text("precious")
    async with opened(store, (80, 24), found=FOUND) as at:
        prompt = await at.opens(PromptDialog, "w")
        for typed, words in (
            (str(mine), "already exists"),
            (str(tmp_path / "no" / "x.csv"), "folder doesn't exist"),
        ):
            prompt.query_one(Input).value = typed
            await at.press("enter")
            await until(lambda words=words: words in plain(prompt.note))
    assert mine.read_text() == "precious"


async def test_a_count_that_grows_costs_few_bytes_and_nothing_new_none(store: Store, wire: list[str]) -> None:
    async with opened(store, found=FOUND) as at:
        use_truecolor(at.app)
        wire.clear()
        at.dialog.reload()
        await quiet(at.app)
        assert "".join(wire) == ""
        find(store, [*FOUND, DeliveryResult("read")])
        await until(lambda: at.dialog.record.checked == 101)
        await quiet(at.app)
        assert 0 < len("".join(wire)) < 2_500

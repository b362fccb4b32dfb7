"""How a campaign's recipients fared, from the campaigns screen: what is shown, asked for, and written."""

import csv
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.widgets import Input

from frontdesk.api.contract.ids import CampaignId, CustomerId
from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.campaigns.delivery_results import DeliveryResult, Tally
from frontdesk.campaigns.store import campaigns, delivery_results
from frontdesk.campaigns.tui.delivery_results_dialog import PORTION, DeliveryResultsDialog
from frontdesk.storage.database import Store
from frontdesk.tui.content import plain
from frontdesk.tui.dialogs.prompt import PromptDialog
from frontdesk.tui.widgets.note import Note
from kit import At, running
from tui.screen_text import use_truecolor
from tui.widgets.hosts import quiet, text_of, until, wire

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


@asynccontextmanager
async def opened(
    store: Store, size: tuple[int, int] = (140, 40), found: list[DeliveryResult] | None = None, **fields: object
) -> AsyncIterator[At]:
    def put(db: object) -> None:
        campaigns.watch(db, [ONE], 1.0)  # type: ignore[arg-type]
        campaigns.put(db, ONE, {**CAMPAIGN, **fields}, 2.0)  # type: ignore[arg-type]

    store.write(put).result()
    if found is not None:
        find(store, found)
    async with running(store, size=size) as at:
        await at.press("3")
        await quiet(at.app)
        await at.press("E")
        await until(lambda: isinstance(at.app.screen, DeliveryResultsDialog))
        await quiet(at.app)
        yield at


def dialog(at: At) -> DeliveryResultsDialog:
    screen = at.app.screen
    assert isinstance(screen, DeliveryResultsDialog)
    return screen


def words(at: At) -> str:
    return "\n".join(text_of(at.app))


def said(at: At) -> str:
    return "\n".join(plain(note.line) for note in dialog(at).query(Note))


async def test_groups_stand_with_shares_advice_and_examples(store: Store) -> None:
    async with opened(store, found=FOUND) as at:
        assert "checked 100 of 900 · failed 8.0% ± " in said(at)
        assert "unclear 4.0%" in said(at)
        for shown in ("131026", "undeliverable", "no message from this campaign", "sending the same again won't"):
            assert shown in words(at)
        assert "447700900000, 447700900001" in words(at)
        await at.press("j")
        await quiet(at.app)
        assert "Re-engagement ␛[2J message" in words(at)
        assert "title comes from the platform" in words(at)


@pytest.mark.parametrize(
    ("count", "shown"),
    [(1, "Press s to check the only recipient (one request)."), (3, "Press s to check all 3 recipients (one")],
)
async def test_no_more_recipients_are_offered_than_there_are(store: Store, count: int, shown: str) -> None:
    people = [{"phoneNumberId": f"+44770090{place:04}"} for place in range(count)]
    async with opened(store, customerList=people, totalRecipients=count) as at:
        assert shown in words(at)


async def test_s_asks_for_a_portion_and_takes_it_back_and_what_comes_is_shown(store: Store) -> None:
    async with opened(store) as at:
        assert "Press s to check 400 recipients" in words(at)
        await at.press("s")
        await until(lambda: dialog(at).record.state == "asked")
        assert dialog(at).record.wanted == PORTION
        assert delivery_results.next_ask(store.reading) is not None
        find(store, FOUND)
        await until(lambda: dialog(at).record.checked == 100)
        assert "checking, as fast as the request limit allows" in said(at)
        at.clock.now += 60
        find(store, FOUND * 2)
        await until(lambda: "200 a minute · about a minute for 200 more" in said(at))
        await at.press("s")
        await until(lambda: dialog(at).record.state == "stopped")
        assert delivery_results.next_ask(store.reading) is None
        await at.press("a")
        await until(lambda: dialog(at).record.wanted > 900)
        await at.press("escape")
        await until(lambda: not isinstance(at.app.screen, DeliveryResultsDialog))
        assert delivery_results.next_ask(store.reading) is not None, "it goes on without the dialog"


@pytest.mark.slow
async def test_the_failed_or_the_marked_are_written_as_a_list(store: Store, tmp_path: Path) -> None:
    async with opened(store, found=FOUND) as at:
        assert "w save failed" in words(at)
        await at.press("w")
        await until(lambda: isinstance(at.app.screen, PromptDialog))
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
                await at.press("E")
                await until(lambda: isinstance(at.app.screen, DeliveryResultsDialog))
                await quiet(at.app)
                await at.press("j", "space", "w")
                await until(lambda: isinstance(at.app.screen, PromptDialog))
        assert {row["customerName"] for row in rows} == {"C6", "C7"}


async def test_a_file_that_is_there_is_not_written_over(store: Store, tmp_path: Path) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_text("precious")
    async with opened(store, found=FOUND) as at:
        await at.press("w")
        await until(lambda: isinstance(at.app.screen, PromptDialog))
        prompt = at.app.screen
        assert isinstance(prompt, PromptDialog)
        for typed, words in (
            (str(mine), "already exists"),
            (str(tmp_path / "no" / "x.csv"), "folder doesn't exist"),
        ):
            prompt.query_one(Input).value = typed
            await at.press("enter")
            await until(lambda words=words: words in plain(prompt.note))
    assert mine.read_text() == "precious"


async def test_of_an_audience_by_tags_it_says_that_it_cant_and_why(store: Store) -> None:
    async with opened(store, source="tags", customerList=None) as at:
        assert "No delivery results: the campaign's audience is defined by tags" in words(at)
        await at.press("s", "a")
        store.write(lambda db: None).result()
        assert delivery_results.next_ask(store.reading) is None


async def test_while_it_runs_it_says_what_not_found_means(store: Store) -> None:
    async with opened(store, status="inProgress", completedAt=None) as at:
        assert "The campaign is still running" in said(at)


@pytest.mark.parametrize("size", [(80, 24), (60, 15)])
async def test_it_fits_and_outlives_any_size(store: Store, size: tuple[int, int]) -> None:
    async with opened(store, size, found=FOUND) as at:
        assert "131026" in words(at)
        assert "esc close" in words(at)
        for width, height in ((20, 6), (1, 1), size):
            await at.pilot.resize_terminal(width, height)
            await quiet(at.app)
        assert "checked 100 of 900" in words(at)


async def test_a_count_that_grows_costs_few_bytes_and_nothing_new_none(
    store: Store, wire: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FrontdeskApp, "is_headless", False)  # what it writes is looked at
    async with opened(store, found=FOUND) as at:
        use_truecolor(at.app)
        wire.clear()
        dialog(at).reload()
        await quiet(at.app)
        assert "".join(wire) == ""
        find(store, [*FOUND, DeliveryResult("read")])
        await until(lambda: dialog(at).record.checked == 101)
        await quiet(at.app)
        assert 0 < len("".join(wire)) < 2_500

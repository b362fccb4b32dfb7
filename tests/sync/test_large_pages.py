"""Large replies are compared and stored in parts, so that the heartbeat and other writes needn't wait for them."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.sync import CampaignPuller, PolledCampaigns
from frontdesk.storage import full_text, invalid_items
from frontdesk.storage.database import Store
from frontdesk.storage.invalid_items import KEEP, LARGE_PAGE, store_page
from frontdesk.storage.sql import first
from frontdesk.tasks import store as task_store
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.sync import PART_SIZE, DocumentPuller
from frontdesk_api.contract.decode import Broken, Item, Page
from frontdesk_api.contract.ids import CampaignId
from sample_json import raw_task
from sync.running_engine import run


class Platform:
    """Answers with a page of whole workflows, and with a campaign."""

    def __init__(self, count: int) -> None:
        self.raws = [{"id": f"w{number}", "name": "Flow", "nodes": []} for number in range(count)]

    async def list_workflow_documents(self) -> Page[Any]:
        return Page(tuple(Item(raw, raw) for raw in self.raws), (), False, None)

    async def get_campaign(self, campaign_id: CampaignId) -> Item[Any]:
        raw = {"id": campaign_id, "status": "inProgress", "customerList": [{"phoneNumber": "+1"}]}
        return Item(raw, raw)


@pytest.mark.slow
def test_between_the_parts_of_many_documents_others_write(store: Store) -> None:
    count = 4 * PART_SIZE + 1
    puller = DocumentPuller(Platform(count), store, lambda: 1000.0)  # type: ignore[arg-type]
    seen: set[int] = set()

    def stored(db: Any) -> int:
        row = first(db, "SELECT count(*) FROM workflow_documents")
        return row[0] if row else 0

    async def story() -> None:
        reading = asyncio.create_task(puller.whole_workflows())
        while not reading.done():
            seen.add(await store.run(stored))
        assert await reading is True
        assert stored(store.reading) == count
        assert await puller.whole_workflows() is False, "compared in parts too"

    run(story)
    assert {PART_SIZE, 2 * PART_SIZE, 3 * PART_SIZE} <= seen


def test_documents_that_differ_in_any_part_are_noticed(store: Store) -> None:
    platform = Platform(2 * PART_SIZE)
    puller = DocumentPuller(platform, store, lambda: 1000.0)  # type: ignore[arg-type]

    async def story() -> None:
        assert await puller.whole_workflows() is True
        platform.raws[-1]["name"] = "Another name"
        assert await puller.whole_workflows() is True

    run(story)
    text = workflow_store.text(store.reading, platform.raws[-1]["id"])
    assert text is not None
    assert "Another name" in text


@pytest.mark.parametrize(("count", "elsewhere"), [(LARGE_PAGE, False), (LARGE_PAGE + 1, True)])
def test_a_large_page_is_compared_off_the_loop(store: Store, count: int, elsewhere: bool) -> None:
    compared_on: list[int] = []

    def find_unchanged(_db: object) -> bool:
        compared_on.append(threading.get_ident())
        return True

    async def story() -> None:
        ids = [str(number) for number in range(count)]
        assert await store_page(
            store, lambda: 1.0, "task", ids, (), find_unchanged=find_unchanged, put=lambda _db: False
        )

    run(story)
    assert len(compared_on) == 1
    assert (compared_on[0] != threading.get_ident()) is elsewhere


def test_a_campaign_with_its_recipients_is_prepared_off_the_loop(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared_on: list[int] = []
    prepare = campaigns.prepare

    def prepare_noted(raw: Any) -> Any:
        prepared_on.append(threading.get_ident())
        return prepare(raw)

    monkeypatch.setattr(campaigns, "prepare", prepare_noted)
    puller = CampaignPuller(Platform(0), store, lambda: 1000.0, {}, PolledCampaigns(store))  # type: ignore[arg-type]
    run(lambda: until_true(puller.campaign(CampaignId("c1"))))
    assert len(prepared_on) == 1
    assert prepared_on[0] != threading.get_ident()


async def until_true(reading: Any) -> None:
    assert await reading is True


def test_of_very_many_unreadable_items_the_first_are_kept_and_compared(store: Store) -> None:
    broken = [Broken({"number": number}, "no id") for number in range(KEEP + 50)]
    writes: list[Callable[..., object]] = []

    async def story() -> None:
        for _ in range(2):
            await store_page(
                store,
                lambda: 1.0,
                "workflow",
                (),
                broken,
                find_unchanged=lambda _db: False,
                put=lambda db: writes.append(db) or True,  # type: ignore[func-returns-value]
            )

    run(story)
    assert len(invalid_items.all_invalid_items(store.reading, 10 * KEEP)) == KEEP
    assert len(writes) == 1, "the same page again writes nothing"


def test_long_texts_are_indexed_in_smaller_batches(store: Store) -> None:
    raws = [raw_task(number, title=f"word{number} " * 1_000) for number in range(5)]
    store.write(lambda db: task_store.put(db, raws)).result()
    longest = len(raws[0]["title"])
    batches = []
    while count := store.write(lambda db: full_text.index_batch(db, 100, max_characters=2 * longest)).result():
        batches.append(count)
    assert batches == [2, 2, 1]
    assert all(full_text.find_tasks(store.reading, f"word{number}", 9) for number in range(5))

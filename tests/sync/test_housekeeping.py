"""Beside the polls words are indexed and the store's size is kept within its bound."""

import time
from pathlib import Path

import apsw
import pytest

from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.store.campaigns import HOUR, KEEP_LISTS_SECONDS
from frontdesk.engine.features import make_housekeeping
from frontdesk.inbox.store import retention, threads
from frontdesk.storage import full_text
from frontdesk.storage.database import Store
from frontdesk.storage.sql import rows
from frontdesk.sync.housekeeping import REST_SECONDS, SIZE_CHECK_SECONDS, THIN_SECONDS, Housekeeping
from frontdesk.tasks.history import HISTORY_DAYS
from frontdesk_api.contract.ids import CampaignId, ConversationId
from sample_json import raw_message
from sync.running_engine import Clocks, Start, run

HERE = ConversationId("L1#C1")


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def fill(store: Store, count: int) -> None:
    raws = [raw_message(number, message="word " * 50) for number in range(count)]
    store.write(lambda db: threads.put_page(db, HERE, raws, start=None, has_more=False, now=1.0)).result()


def test_what_was_stored_is_found_after_a_while_and_then_it_rests(store: Store) -> None:
    async def test() -> None:
        fill(store, 30)
        keeping = make_housekeeping(store, time.time, Clock(), 10**9, HISTORY_DAYS)
        while await keeping.step() < REST_SECONDS:
            pass
        assert full_text.unindexed(store.reading) == 0
        assert len(full_text.find_messages(store.reading, "word", 100)) == 30

    run(test)


@pytest.mark.slow
def test_the_size_is_looked_at_now_and_then_whatever_the_wall_clock_does(store: Store) -> None:
    async def rest(keeping: Housekeeping) -> None:
        while await keeping.step() < REST_SECONDS:
            pass

    async def test() -> None:
        wall, steady = Clock(), Clock()
        keeping = make_housekeeping(store, wall, steady, 1, HISTORY_DAYS)
        await rest(keeping)
        fill(store, retention.KEEP_NEWEST + 100)
        await rest(keeping)
        assert store.reading.execute("SELECT count(*) FROM messages").fetchone() == (retention.KEEP_NEWEST + 100,)
        wall.now -= SIZE_CHECK_SECONDS + 1
        steady.now += SIZE_CHECK_SECONDS + 1
        await rest(keeping)
        assert store.reading.execute("SELECT count(*) FROM messages").fetchone() == (retention.KEEP_NEWEST,)

    run(test)


def test_an_engine_thins_samples_by_the_clock_that_they_were_written_by(works: Start, tmp_path: Path) -> None:
    async def test() -> None:
        now, campaign = time.time(), CampaignId("c1")

        def sample(store: Store) -> int:
            return len(campaigns.samples(store.reading, campaign, 0.0))

        with Store(tmp_path / "profile") as before:
            for sent in range(60):
                raw = {"id": campaign, "sentCount": sent}
                at = now - 2 * HOUR + sent
                before.write(lambda db, raw=raw, at=at: campaigns.put(db, campaign, raw, at)).result()
            assert sample(before) == 60
        async with works(clocks=Clocks()) as it:
            await it.until(lambda: sample(it.store) < 5)

    run(test)


def test_a_list_that_nobody_watches_goes_a_week_after_its_last_read_and_comes_back_with_the_next(
    store: Store,
) -> None:
    raws = {
        CampaignId(each): {"id": each, "customerList": [{"phoneNumberId": "1"}]}
        for each in ("gone", "kept", "late")
    }

    def lists() -> set[str]:
        return {each for (each,) in rows(store.reading, "SELECT campaign_id FROM audiences")}

    def read(db: apsw.Connection, at: float) -> None:
        campaigns.watch(db, raws, at)
        for each, raw in raws.items():
            campaigns.put(db, each, raw, at)

    async def test() -> None:
        wall, steady = Clock(), Clock()
        keeping = make_housekeeping(store, wall, steady, 10**9, HISTORY_DAYS)

        async def later(seconds: float) -> set[str]:
            wall.now += seconds
            steady.now += seconds
            await keeping.step()
            return lists()

        store.write(lambda db: read(db, wall.now)).result()
        for each in ("gone", "late"):
            store.write(lambda db, each=each: campaigns.unwatch(db, CampaignId(each))).result()
        assert await later(KEEP_LISTS_SECONDS) == {*raws}
        store.write(lambda db: campaigns.put(db, CampaignId("late"), raws[CampaignId("late")], wall.now)).result()
        assert await later(THIN_SECONDS) == {"kept", "late"}
        assert campaigns.known(store.reading, CampaignId("gone"), raws[CampaignId("gone")], wall.now) is None
        store.write(lambda db: read(db, wall.now)).result()
        assert lists() == {*raws}

    run(test)

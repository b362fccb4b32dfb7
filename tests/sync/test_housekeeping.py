"""Beside the polls words are indexed and the store's size is kept within its bound."""

from frontdesk.contract.ids import ConversationId
from frontdesk.store import bounds, search, threads
from frontdesk.store.store import Store
from frontdesk.sync.housekeeping import LOOK_AT_SIZE_SECONDS, REST_SECONDS, Housekeeping
from raws import raw_message
from sync.works import run

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
        keeping = Housekeeping(store, Clock(), 10**9)
        while await keeping.step() < REST_SECONDS:
            pass
        assert search.unindexed(store.reading) == 0
        assert len(search.find_messages(store.reading, "word", 100)) == 30

    run(test)


def test_the_size_is_looked_at_now_and_then_also_after_the_clock_went_back(store: Store) -> None:
    async def rest(keeping: Housekeeping) -> None:
        while await keeping.step() < REST_SECONDS:
            pass

    async def test() -> None:
        clock = Clock()
        keeping = Housekeeping(store, clock, 1)
        await rest(keeping)
        fill(store, bounds.KEEP_NEWEST + 100)
        await rest(keeping)
        assert store.reading.execute("SELECT count(*) FROM messages").fetchone() == (bounds.KEEP_NEWEST + 100,)
        clock.now -= LOOK_AT_SIZE_SECONDS + 1
        await rest(keeping)
        assert store.reading.execute("SELECT count(*) FROM messages").fetchone() == (bounds.KEEP_NEWEST,)

    run(test)

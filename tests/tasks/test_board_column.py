"""A long column holds a stretch of its ids, and is otherwise the list that a plain read gives."""

import random

import pytest

from frontdesk.api.contract.ids import StatusId, TaskId
from frontdesk.app.reader import Reader
from frontdesk.app.services import Services
from frontdesk.storage.database import Store
from frontdesk.tasks import board_column
from frontdesk.tasks import store as task_store
from frontdesk.tasks.board_column import ListedCards, MovedCards, StoredCards
from frontdesk.tasks.store import place_on_board
from sample_json import raw_task

OPEN, DONE = StatusId("open"), StatusId("completed")
COUNT = 60
STRETCH = 8


@pytest.fixture(autouse=True)
def _filled(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_column, "STRETCH", STRETCH)
    raws = [
        raw_task(
            number,
            statusCase=(OPEN, OPEN, DONE, "standby")[number % 4],
            dueDate=[0, 1_900_000_000 + number * 37 % 11][number % 3 > 0],
            updatedAt=[None, 1_700_000_000 + number * 7 % 13][number % 5 > 0],
        )
        for number in range(COUNT)
    ]
    store.write(lambda db: task_store.put(db, raws)).result()


class Counting:
    """Reads that remember how many ids each of them gave."""

    def __init__(self, reads: Reader):
        self._reads = reads
        self.task, self.task_rank = reads.task, reads.task_rank
        self.given: list[int] = []

    def task_ids(self, status: StatusId, limit: int = -1, offset: int = 0) -> list[TaskId]:
        found = self._reads.task_ids(status, limit, offset)
        self.given.append(len(found))
        return found


def is_like(cards: StoredCards | ListedCards | MovedCards, plain: list[TaskId]) -> None:
    """Whatever way one looks at them."""
    assert len(cards) == len(plain)
    places = list(range(len(plain)))
    random.Random(7).shuffle(places)
    for place in places:
        assert cards[place] == plain[place]
        assert cards.index(plain[place]) == place
    assert list(cards) == plain
    assert cards[-1] == plain[-1]
    assert list(cards[2:7]) == plain[2:7]
    assert list(cards[1:]) == plain[1:]
    assert TaskId("nowhere") not in cards
    with pytest.raises(IndexError):
        cards[len(plain)]


@pytest.mark.parametrize("status", [OPEN, DONE])
def test_every_card_stands_where_a_plain_read_has_it_and_little_is_held(
    services: Services, status: StatusId
) -> None:
    plain = services.queries.task_ids(status)
    reads = Counting(services.queries)
    cards = StoredCards(reads, status, len(plain))
    for place in (*range(len(plain)), *reversed(range(len(plain)))):
        assert cards[place] == plain[place]
    assert max(reads.given) <= STRETCH
    assert len(reads.given) <= 4 * len(plain) // STRETCH + 2, "neighbours are had without a further read"
    is_like(cards, plain)


@pytest.mark.parametrize("is_filtered", [False, True])
@pytest.mark.parametrize("status", [OPEN, DONE])
def test_cards_on_their_way_stand_where_the_store_will_have_them(
    services: Services, status: StatusId, is_filtered: bool
) -> None:
    plain = services.queries.task_ids(status)
    for seed in range(20):
        chance = random.Random(seed)
        out = chance.sample(plain, seed % 4)
        others = chance.sample(services.queries.task_ids(StatusId("standby")), 3 - seed % 3)
        into = [task for each in others if (task := services.queries.task(each)) is not None]
        stored = (
            ListedCards(services.queries, status, plain)
            if is_filtered
            else StoredCards(services.queries, status, len(plain))
        )
        wanted = [task for each in {*plain} - {*out} if (task := services.queries.task(each)) is not None]
        wanted = sorted([*wanted, *into], key=lambda task: place_on_board(task, status))
        moved = MovedCards(stored, status, [*out, TaskId("gone")], into)
        is_like(moved, [task.task_id for task in wanted])
        assert not any(each in moved for each in out)


def test_what_others_took_away_meanwhile_is_an_empty_place_and_no_error(services: Services, store: Store) -> None:
    count = services.queries.task_counts()[OPEN]
    cards = StoredCards(services.queries, OPEN, count)
    last = cards[count - 1]
    into = services.queries.task(services.queries.task_ids(DONE)[-1])
    assert into is not None
    store.write(lambda db: db.execute("DELETE FROM tasks WHERE status = 'open'")).result()
    moved = MovedCards(StoredCards(services.queries, OPEN, count), OPEN, [last], [into])
    assert [moved[place] for place in range(len(moved))] == [into.task_id] + [""] * count
    assert last not in StoredCards(services.queries, OPEN, count)

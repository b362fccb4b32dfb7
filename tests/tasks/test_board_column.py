"""A long column holds a stretch of its ids, and is otherwise the list that a plain read gives."""

import random
from typing import Any

import pytest

from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.tasks import board_column
from frontdesk.tasks import store as task_store
from frontdesk.tasks.board_column import ListedCards, MovedCards, StoredCards
from frontdesk.tasks.store import board_sort_key
from frontdesk_api.contract.ids import StatusId, TaskId
from sample_json import raw_task
from services import Services

OPEN, DONE = StatusId("open"), StatusId("completed")
COUNT = 60
MAX_HELD_IDS = 8


@pytest.fixture(autouse=True)
def _filled(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_column, "MAX_HELD_IDS", MAX_HELD_IDS)
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
    services: Services, status: StatusId, monkeypatch: pytest.MonkeyPatch
) -> None:
    db, read, given = services.store.reading, task_store.ids_of_status, []
    plain = read(db, status)

    def counted(*asked: Any) -> list[TaskId]:
        found = read(*asked)
        given.append(len(found))
        return found

    monkeypatch.setattr(task_store, "ids_of_status", counted)
    cards = StoredCards(db, status, len(plain))
    for place in (*range(len(plain)), *reversed(range(len(plain)))):
        assert cards[place] == plain[place]
    assert max(given) <= MAX_HELD_IDS
    assert len(given) <= 4 * len(plain) // MAX_HELD_IDS + 2, "neighbours are had without a further read"
    is_like(cards, plain)


@pytest.mark.parametrize("is_filtered", [False, True])
@pytest.mark.parametrize("status", [OPEN, DONE])
def test_cards_on_their_way_stand_where_the_store_will_have_them(
    services: Services, status: StatusId, is_filtered: bool
) -> None:
    plain = task_store.ids_of_status(services.store.reading, status)
    for seed in range(20):
        chance = random.Random(seed)
        out = chance.sample(plain, seed % 4)
        others = chance.sample(task_store.ids_of_status(services.store.reading, StatusId("standby")), 3 - seed % 3)
        into = [task for each in others if (task := record_lookup.task(services.store.reading, each)) is not None]
        stored = (
            ListedCards(services.store.reading, status, plain)
            if is_filtered
            else StoredCards(services.store.reading, status, len(plain))
        )
        wanted = [
            task
            for each in {*plain} - {*out}
            if (task := record_lookup.task(services.store.reading, each)) is not None
        ]
        wanted = sorted([*wanted, *into], key=lambda task: board_sort_key(task, status))
        moved = MovedCards(stored, status, [*out, TaskId("gone")], into)
        is_like(moved, [task.task_id for task in wanted])
        assert not any(each in moved for each in out)


def test_what_others_took_away_meanwhile_is_an_empty_place_and_no_error(services: Services, store: Store) -> None:
    count = task_store.counts_by_status(services.store.reading)[OPEN]
    cards = StoredCards(services.store.reading, OPEN, count)
    last = cards[count - 1]
    into = record_lookup.task(services.store.reading, task_store.ids_of_status(services.store.reading, DONE)[-1])
    assert into is not None
    store.write(lambda db: db.execute("DELETE FROM tasks WHERE status = 'open'")).result()
    moved = MovedCards(StoredCards(services.store.reading, OPEN, count), OPEN, [last], [into])
    assert [moved[place] for place in range(len(moved))] == [into.task_id] + [""] * count
    assert last not in StoredCards(services.store.reading, OPEN, count)

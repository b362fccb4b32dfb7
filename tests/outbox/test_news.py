"""What is new since a person's last look: kept by list and person, whatever happens in between."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import apsw
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.outbox import news, queue
from frontdesk.outbox.news import LOOKS, News, NewsSource, Reader, Stamps
from frontdesk.storage.database import Store
from frontdesk_api.contract.ids import AgentId
from new_store import open_store

NOW = 1_790_000_000.0


class Events:
    """A source of news: a list of events numbered from 1, and one whose stamps are times."""

    def __init__(self) -> None:
        self.numbered: list[str] = []
        self.timed: list[tuple[str, float]] = []
        self.source = NewsSource("tasks", self.latest, self.read, timed=("at",))

    def latest(self, _db: apsw.Connection, now: float) -> Stamps:
        return {"number": len(self.numbered), "at": now}

    def read(self, _db: apsw.Connection, after: Stamps, _me: AgentId | None, now: float) -> Sequence[News]:
        numbered = [News(row, "number", at, "came") for at, row in enumerate(self.numbered, 1)]
        timed = [News(row, "at", at, "late") for row, at in self.timed if at <= now]
        return [each for each in (*numbered, *timed) if each.stamp > after[each.kind]]

    def reader(self, now: float = NOW, me: str | None = None) -> Reader:
        return Reader(self.source, None if me is None else AgentId(me), now)


def look(store: Store, reader: Reader, *rows: str) -> None:
    store.write(lambda db: news.look(db, reader, rows)).result()


def new(store: Store, reader: Reader) -> set[str]:
    return set(news.unseen(store.reading, reader))


def test_nothing_is_new_before_the_first_look_and_then_what_comes_after_it(store: Store) -> None:
    events = Events()
    events.numbered = ["a", "b"]
    assert new(store, events.reader()) == set()
    look(store, events.reader())
    assert new(store, events.reader()) == set()
    events.numbered += ["c", "a"]
    assert news.unseen(store.reading, events.reader()) == {
        "c": News("c", "number", 3, "came"),
        "a": News("a", "number", 4, "came"),
    }


def test_a_row_that_was_seen_is_new_again_once_more_happens_to_it(store: Store) -> None:
    events = Events()
    look(store, events.reader())
    events.numbered += ["a", "b"]
    look(store, events.reader(), "b")
    assert new(store, events.reader()) == {"a"}
    events.numbered += ["b"]
    assert new(store, events.reader()) == {"a", "b"}
    look(store, events.reader(), "a", "b")
    assert new(store, events.reader()) == set()
    assert queue.kept(store.reading, LOOKS, "tasks")["rows"] == {}


def test_each_person_has_looks_of_their_own(store: Store) -> None:
    events = Events()
    look(store, events.reader(me="dana"))
    look(store, events.reader(me="noa"))
    events.numbered += ["a"]
    look(store, events.reader(me="dana"), "a")
    assert new(store, events.reader(me="dana")) == set()
    assert new(store, events.reader(me="noa")) == {"a"}


def test_a_time_that_is_known_a_little_later_is_still_news(store: Store) -> None:
    events = Events()
    look(store, events.reader())
    events.timed += [("a", NOW + 30)]
    look(store, events.reader(NOW + 31), "a")
    events.timed += [("b", NOW + 29)]
    assert new(store, events.reader(NOW + 32)) == {"b"}


def test_a_store_made_anew_or_a_clock_set_back_begins_below_what_was_seen(store: Store) -> None:
    events = Events()
    events.numbered = ["a", "b", "c"]
    look(store, events.reader())
    events.numbered = ["a"]
    look(store, events.reader(NOW - 7200))
    events.numbered += ["b"]
    events.timed += [("c", NOW - 7100)]
    assert new(store, events.reader(NOW - 7000)) == {"b", "c"}


STEPS = st.lists(
    st.one_of(
        st.sampled_from("abc").map(lambda row: ("happens", row)),
        st.sets(st.sampled_from("abc")).map(lambda rows: ("looks", rows)),
    ),
    max_size=30,
)


@few
@given(STEPS)
def test_a_row_is_new_until_the_look_after_the_last_that_happened_to_it(
    steps: list[tuple[str, str | set[str]]],
) -> None:
    events, expected = Events(), set[str]()
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder)) as store:
        look(store, events.reader())
        for step, what in steps:
            if step == "happens":
                events.numbered += what
                expected |= {*what}
            else:
                look(store, events.reader(), *what)
                expected -= {*what}
            assert new(store, events.reader()) == expected

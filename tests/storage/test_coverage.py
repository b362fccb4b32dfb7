"""How much was read, and what a part of it is called."""

import pytest

from frontdesk.inbox import filter_words
from frontdesk.inbox.store import conversations, threads
from frontdesk.storage import team_state
from frontdesk.storage.coverage import (
    Coverage,
    Precision,
    answers_as_of,
    count_sentence,
    count_words,
    note_listed,
    read_coverage,
)
from frontdesk.storage.database import Store
from frontdesk.storage.records import ConversationOrder, Duty, TeamState
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import ConversationId
from sample_json import raw_message, raw_task


def put_task(store: Store, number: int, active_at: float) -> None:
    raw = raw_task(number, customer={"phoneNumberId": f"C{number}", "lastActiveAt": active_at * 1000})
    store.write(lambda db: task_store.put(db, [raw])).result()


def read_thread(store: Store, number: int, at: float, direction: str = "incoming") -> None:
    page = [raw_message(1, createdAt=at * 1000, messageDirection=direction, initiator="person")]
    here = ConversationId(f"L1#C{number}")
    store.write(lambda db: threads.put_page(db, here, page, start=None, has_more=False, now=at)).result()


def test_a_thread_counts_as_read_until_its_task_tells_of_something_newer(store: Store) -> None:
    for number in (1, 2):
        put_task(store, number, 1_700_000_000.0)
    assert read_coverage(store.reading) == Coverage(0, 2, is_listed=False)
    read_thread(store, 1, 1_700_000_000.0)
    assert read_coverage(store.reading).read == 1
    put_task(store, 1, 1_700_000_900.0)
    assert read_coverage(store.reading).read == 0
    read_thread(store, 1, 1_700_000_900.0)
    assert read_coverage(store.reading).read == 1


def test_a_conversation_that_can_not_be_read_is_not_counted_as_read(store: Store) -> None:
    raw = raw_task(1, phoneNumberId=None)
    store.write(lambda db: task_store.put(db, [raw])).result()
    assert read_coverage(store.reading).read == 0


def test_answers_from_elsewhere_are_known_up_to_the_oldest_check(store: Store) -> None:
    assert answers_as_of(store.reading) is None
    for number, at in ((1, 1_700_000_900.0), (2, 1_700_000_300.0)):
        put_task(store, number, at)
        read_thread(store, number, at)
    assert answers_as_of(store.reading) == 1_700_000_300.0
    store.write(lambda db: team_state.put_state(db, TeamState(Duty.FOLLOWS))).result()
    assert answers_as_of(store.reading) is None, "the leader checks them"


def test_that_all_tasks_were_listed_is_stored_once(store: Store) -> None:
    def feed() -> list[tuple[str, ...]]:
        return list(store.reading.execute("SELECT kind FROM feed WHERE kind = 'coverage'"))

    for _ in range(2):
        store.write(note_listed).result()
        assert read_coverage(store.reading).is_listed
        assert len(feed()) == 1


def test_who_may_wait_stands_between_who_does_and_who_does_not(store: Store) -> None:
    for number in range(1, 5):
        put_task(store, number, 1_700_000_000.0 + number)
    read_thread(store, 1, 1_700_000_100.0, "outgoing")
    read_thread(store, 4, 1_700_000_100.0)
    found = conversations.ids(store.reading, ConversationOrder.WAITING)
    assert found == ["L1#C4", "L1#C3", "L1#C2", "L1#C1"]


def test_a_completed_task_with_nothing_after_it_ranks_below_an_open_one(store: Store) -> None:
    asked_at = {number: 1_700_000_000.0 + number for number in range(1, 5)}
    for number, at in asked_at.items():
        put_task(store, number, at)
        read_thread(store, number, at)
    put_task(store, 5, 1_700_000_005.0)

    def complete(number: int, at: float) -> None:
        raw = raw_task(number, statusCase="completed", updatedAt=at)
        store.write(lambda db: task_store.put(db, [raw])).result()

    complete(1, asked_at[1] + 60)
    complete(2, asked_at[2] - 60)
    found = conversations.ids(store.reading, ConversationOrder.WAITING)
    assert found == ["L1#C2", "L1#C3", "L1#C4", "L1#C5", "L1#C1"]


def test_the_count_of_what_was_read_uses_a_small_index(store: Store) -> None:
    statements: list[str] = []
    store.reading.exec_trace = lambda _, sql, __: bool(statements.append(sql)) or True
    try:
        read_coverage(store.reading)
    finally:
        store.reading.exec_trace = None
    plans = [
        str(row[3])
        for sql in statements
        if "FROM conversations WHERE" in sql
        for row in store.reading.execute(f"EXPLAIN QUERY PLAN {sql}")
    ]
    assert plans == ["SCAN conversations USING COVERING INDEX conversations_unread_threads"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("is:mine", Precision.EXACT),
        ("due<1h", Precision.EXACT),
        ("waiting>1h", Precision.AT_LEAST),
        ("is:unread is:mine", Precision.AT_LEAST),
        ("refund", Precision.AT_LEAST),
        ("!is:unread", Precision.ABOUT),
    ],
)
def test_a_count_is_exact_only_where_all_it_stands_on_was_read(query: str, expected: Precision) -> None:
    parsed = filter_words.parse(query)
    assert filter_words.precision(Coverage(61, 128, is_listed=True), parsed) is expected
    assert filter_words.precision(Coverage(128, 128, is_listed=True), parsed) is Precision.EXACT
    assert filter_words.precision(Coverage(128, 128, is_listed=False), parsed) is Precision.AT_LEAST


def test_a_part_is_never_worded_as_the_whole() -> None:
    part = Coverage(61, 1_128, is_listed=True)
    assert part.words(of_threads=True) == "loaded 61 of 1,128"
    assert part.words(of_threads=False) == ""
    assert Coverage(61, 128).words(of_threads=True) == "loaded 61 of 128+"
    assert Coverage(5, 5).words(of_threads=False) == "still loading"
    assert part.sentence(of_threads=True) == "61 of 1,128 conversations loaded so far."
    assert Coverage(5, 5, is_listed=True).words(of_threads=True) == ""
    assert [count_words(7, each) for each in Precision] == ["7", "7+", "~7"]
    assert [count_words(0, each) for each in Precision] == ["0", "?", "?"]
    assert count_words(102_400, Precision.AT_LEAST, is_short=True) == "102k+"
    assert count_sentence(0, "task", Precision.AT_LEAST) == "no tasks found yet"
    assert count_sentence(1, "task", Precision.AT_LEAST) == "at least 1 task"


def test_each_view_has_a_letter_of_its_own() -> None:
    made = [filter_words.View(name, filter_words.Query()) for name in ("all", "mine", "Mail", "מחר", "aim", "m")]
    assert {letter: view.name for letter, view in filter_words.letters(made).items()} == {
        "a": "all",
        "m": "mine",
        "i": "Mail",
        "b": "מחר",
        "c": "aim",
        "d": "m",
    }

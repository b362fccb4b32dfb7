"""Which threads are read in the background, and in what order."""

from typing import Any

from frontdesk.inbox.store import conversations, threads
from frontdesk.storage.database import Store
from frontdesk.storage.records import ConversationOrder
from frontdesk.sync.poll_results import SET_ASIDE_SECONDS, ThreadQueue
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import ConversationId
from sample_json import raw_message, raw_task

NOW = 1_700_000_000.0


class StoredThreads:
    """The threads of a store, as the poller asks for them."""

    def __init__(self, store: Store):
        self._db = store.reading

    def outdated_threads(self, count: int) -> list[str]:
        return [each[0] for each in conversations.outdated_threads(self._db, count)]

    def never_read_threads(self, count: int, *, from_oldest: bool = False) -> list[str]:
        return [each[0] for each in conversations.never_read_threads(self._db, count, from_oldest=from_oldest)]

    def threads_to_check(self, count: int) -> list[str]:
        return []


def put_tasks(store: Store, active_at: dict[int, float | None], status: str = "open") -> None:
    raws = [
        raw_task(
            number, statusCase=status, customer={"phoneNumberId": f"C{number}", "lastActiveAt": at and at * 1000}
        )
        for number, at in active_at.items()
    ]
    store.write(lambda db: task_store.put(db, raws)).result()


def read_thread(store: Store, conversation: str, at: float) -> None:
    """Store a thread whose last message, the customer's, nobody has answered."""
    page = [raw_message(1, createdAt=at * 1000)]
    store.write(
        lambda db: threads.put_page(db, ConversationId(conversation), page, start=None, has_more=False, now=NOW)
    ).result()


def ids(found: list[conversations.Thread]) -> list[str]:
    return [each for each, *_ in found]


def test_both_ends_of_those_never_read_are_known(store: Store) -> None:
    put_tasks(store, {1: NOW - 10, 2: NOW - 30, 3: NOW - 20, 4: None})
    put_tasks(store, {5: NOW - 5, 6: NOW - 90}, "completed")
    newest = conversations.never_read_threads(store.reading, 10)
    assert ids(newest) == ["L1#C5", "L1#C1", "L1#C3", "L1#C2", "L1#C6", "L1#C4"]
    assert newest[0] == ("L1#C5", "L1", "C5")
    oldest = conversations.never_read_threads(store.reading, 10, from_oldest=True)
    assert ids(oldest) == ["L1#C2", "L1#C3", "L1#C1"], "no open task, or no activity known: nobody waits for long"
    assert ids(conversations.never_read_threads(store.reading, 1, from_oldest=True)) == ["L1#C2"]


def test_a_thread_that_was_read_is_of_neither_end_until_its_task_tells_of_something_newer(store: Store) -> None:
    put_tasks(store, {1: NOW - 10, 2: NOW - 30, 3: NOW - 20})
    for number, at in ((2, NOW - 30), (3, NOW - 20)):
        read_thread(store, f"L1#C{number}", at)
    put_tasks(store, {2: NOW - 2, 3: NOW - 1})
    assert ids(conversations.outdated_threads(store.reading, 10)) == ["L1#C3", "L1#C2"]
    for from_oldest in (False, True):
        assert ids(conversations.never_read_threads(store.reading, 10, from_oldest=from_oldest)) == ["L1#C1"]


def test_each_order_is_an_index_of_its_own_and_needs_no_sort(store: Store) -> None:
    statements: list[str] = []
    store.reading.exec_trace = lambda _, sql, __: bool(statements.append(sql)) or True
    try:
        conversations.outdated_threads(store.reading, 1)
        conversations.never_read_threads(store.reading, 1)
        conversations.never_read_threads(store.reading, 1, from_oldest=True)
    finally:
        store.reading.exec_trace = None
    plans = [
        [str(row[3]) for row in store.reading.execute(f"EXPLAIN QUERY PLAN {sql}", (1,))] for sql in statements
    ]
    assert plans == [
        ["SEARCH conversations USING INDEX conversations_to_read (<expr>=?)"],
        ["SEARCH conversations USING INDEX conversations_to_read (<expr>=?)"],
        ["SEARCH conversations USING INDEX conversations_oldest_to_read (<expr>>?)"],
    ]


def test_of_245_conversations_the_twenty_that_wait_longest_are_known_after_forty_reads(store: Store) -> None:
    """They were known after 245."""
    active_at = {number: NOW - 60.0 * number for number in range(245)}
    put_tasks(store, dict(active_at))
    queue = ThreadQueue(StoredThreads(store), lambda: NOW)  # type: ignore[arg-type]
    for _ in range(40):
        chosen = queue.choose(())
        queue.note_begun(chosen)
        read_thread(store, chosen, active_at[int(chosen.removeprefix("L1#C"))])
    first = conversations.ids(store.reading, ConversationOrder.WAITING, 20)
    assert first == [f"L1#C{number}" for number in range(244, 224, -1)]


def test_a_thread_that_is_open_or_can_not_be_read_keeps_no_other_waiting(store: Store) -> None:
    put_tasks(store, {1: NOW - 10, 2: NOW - 20, 3: NOW - 30})
    put_tasks(store, {4: NOW - 40}, "completed")
    now = [NOW]
    queue = ThreadQueue(StoredThreads(store), lambda: now[0])  # type: ignore[arg-type]
    for each in ("L1#C1", "L1#C3"):
        queue.set_aside(each)
    chosen = queue.choose({"L1#C4"})
    queue.note_begun(chosen)
    assert (chosen, queue.choose({"L1#C4"})) == ("L1#C2", "L1#C2"), "the only one from either end"
    assert queue.choose({"L1#C2"}) == "L1#C4", "where the longest quiet is used up, the other end is left"
    assert queue.choose({"L1#C2", "L1#C4"}) == ""
    now[0] += SET_ASIDE_SECONDS
    assert queue.choose({"L1#C2", "L1#C4"}) in {"L1#C1", "L1#C3"}, "they are tried again after a time"


def due(store: Store, now: float) -> list[str]:
    return ids(conversations.threads_to_check(store.reading, now, 10))


def test_a_thread_in_which_somebody_waits_is_read_again_ever_less_often(store: Store) -> None:
    put_tasks(store, {1: NOW})
    read_thread(store, "L1#C1", NOW)
    assert due(store, NOW + 599) == []
    assert due(store, NOW + 600) == ["L1#C1"]
    page: dict[str, Any] = {"start": None, "has_more": False}
    raws = [raw_message(1, createdAt=NOW * 1000)]
    for read_at, again_at in ((600, 1200), (3600, 4500), (40 * 3600, 50 * 3600), (400 * 3600, 500 * 3600)):
        at = NOW + read_at
        assert threads.known_page(store.reading, ConversationId("L1#C1"), raws, **page, now=at) is None
        store.write(
            lambda db, at=at: threads.put_page(db, ConversationId("L1#C1"), raws, **page, now=at)  # type: ignore[misc]
        ).result()
        assert due(store, NOW + again_at - 1) == []
        assert threads.known_page(store.reading, ConversationId("L1#C1"), raws, **page, now=at + 1) is not None
        assert due(store, NOW + again_at) == ["L1#C1"]


def test_an_answered_thread_is_read_again_until_it_was_quiet_for_a_day(store: Store) -> None:
    put_tasks(store, {1: NOW})
    read_thread(store, "L1#C1", NOW)
    answer = raw_message(2, createdAt=NOW * 1000 + 1, messageDirection="outgoing", initiator="person")
    raws = [answer, raw_message(1, createdAt=NOW * 1000)]
    page: dict[str, Any] = {"start": None, "has_more": False}

    def read(at: float) -> None:
        store.write(lambda db: threads.put_page(db, ConversationId("L1#C1"), raws, **page, now=at)).result()

    read(NOW + 600)
    assert due(store, NOW + 1200) == ["L1#C1"]
    read(NOW + 23 * 3600)
    assert due(store, NOW + 48 * 3600) == ["L1#C1"]
    read(NOW + 24 * 3600 + 1)
    assert due(store, NOW + 100 * 3600) == []


def test_the_threads_whose_new_messages_no_open_task_shows(store: Store) -> None:
    put_tasks(store, {1: NOW})
    put_tasks(store, {2: NOW}, "completed")
    read_thread(store, "L1#C3", NOW)
    found = conversations.unsigned_threads(store.reading, ["L1#C1", "L1#C2", "L1#C3", "L1#C9"])
    assert found == {"L1#C2": True, "L1#C3": False}
    store.write(lambda db: db.execute("UPDATE conversations SET task_active_at = NULL")).result()
    found = conversations.unsigned_threads(store.reading, ["L1#C1", "L1#C2"])
    assert found == {"L1#C1": False, "L1#C2": False}, "their tasks name no activity"

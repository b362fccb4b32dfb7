"""The store's size is bounded: oldest messages first, and threads say so."""

from typing import Any

from frontdesk.inbox.store import retention, thread_pages, threads
from frontdesk.inbox.store.threads import Segment, older_cursor
from frontdesk.outbox import bulk as outbox_bulk
from frontdesk.outbox import queue
from frontdesk.storage import full_text, record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeKind, ConversationRecord, Made, MessagePosition
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import ConversationId, MessageId
from sample_json import raw_message, raw_task
from services import Services

OLD, NEW = ConversationId("L1#C1"), ConversationId("L1#C2")


def fill(store: Store, conversation: ConversationId, first: int, count: int) -> None:
    raws = [raw_message(number, message=f"word{number} " * 40) for number in range(first, first + count)]
    store.write(
        lambda db: threads.put_page(db, conversation, raws[::-1], start=None, has_more=False, now=1.0)
    ).result()


def shrink(store: Store, most: int, keep: int) -> int:
    gone = 0
    while now := store.write(lambda db: retention.shrink(db, most, keep)).result():
        gone += now
        while store.write(lambda db: full_text.index_batch(db, 500)).result():
            pass
    return gone


def test_the_oldest_messages_of_all_threads_go_first_and_nothing_else(store: Store, services: Services) -> None:
    store.write(lambda db: task_store.put(db, [raw_task(1), raw_task(2)])).result()
    fill(store, OLD, 1, 300)
    fill(store, NEW, 1000, 300)
    store.write(
        lambda db: queue.add(
            db,
            Made("b", "x", 1.0),
            kind=ChangeKind.TASK,
            target="t1",
            fields={"title": "x"},
            base={},
        )
    ).result()
    assert shrink(store, 1, keep=350) == 250
    assert [each.key.created_at for each in thread_pages.page_before(services.store.reading, OLD, None, 1000)] == [
        number * 1000 for number in range(251, 301)
    ]
    assert len(thread_pages.page_before(services.store.reading, NEW, None, 1000)) == 300
    assert sum(task_store.counts_by_status(services.store.reading).values()) == 2
    assert outbox_bulk.unconfirmed_count(services.store.reading) == 1


def test_a_thread_that_lost_messages_says_that_older_ones_exist(store: Store, services: Services) -> None:
    fill(store, OLD, 1, 100)
    (whole,) = threads.segments(services.store.reading, OLD)
    assert whole.complete
    shrink(store, 1, keep=30)
    (rest,) = threads.segments(services.store.reading, OLD)
    assert (rest.oldest.created_at, rest.complete) == (71_000, False)
    shrink(store, 1, keep=0)
    assert (
        thread_pages.page_before(services.store.reading, OLD, None, 10),
        threads.segments(services.store.reading, OLD),
    ) == ([], [])


def test_what_went_is_not_found_any_more(store: Store) -> None:
    fill(store, OLD, 1, 100)
    shrink(store, 1, keep=30)
    assert full_text.find_messages(store.reading, "word5", 5) == []
    assert len(full_text.find_messages(store.reading, "word99", 5)) == 1


def test_below_its_bound_nothing_goes(store: Store) -> None:
    fill(store, OLD, 1, 100)
    assert shrink(store, 1_000_000_000, keep=0) == 0


def test_of_one_moment_all_messages_go_or_none_and_older_ones_are_asked_for_anew(
    store: Store, services: Services
) -> None:
    """The platform orders them as it likes: what went could stand on either side of what stayed."""
    names = ["a", "z", "m", "c"]
    page = [raw_message(9), *(raw_message(5, messageId=each) for each in names), raw_message(1)]
    cursor = MessagePosition(1000, MessageId("elsewhere"))
    store.write(
        lambda db: threads.put_page(db, OLD, page, start=None, has_more=True, now=1.0, cursor=cursor)
    ).result()
    assert shrink(store, 1, keep=3) == 5
    (rest,) = threads.segments(services.store.reading, OLD)
    assert rest == Segment(
        MessagePosition(9000, MessageId("m00009")), MessagePosition(9000, MessageId("m00009")), False
    )
    assert older_cursor(rest) == rest.oldest


def test_a_thread_that_lost_all_messages_is_not_loaded_until_it_is_read_again(
    store: Store, services: Services
) -> None:
    def record(conversation: ConversationId) -> ConversationRecord:
        found = record_lookup.conversation(services.store.reading, conversation)
        assert found is not None
        return found

    fill(store, OLD, 1, 30)
    fill(store, NEW, 1000, 30)
    shrink(store, 1, keep=20)
    assert (record(OLD).thread_loaded, record(NEW).thread_loaded) == (False, True)
    assert record(OLD).thread_known, "its last words are known still"
    page: dict[str, Any] = {"start": None, "has_more": False}
    assert threads.known_page(services.store.reading, OLD, [], **page, now=0.0) is None, (
        "an empty page has to be stored"
    )
    store.write(lambda db: threads.put_page(db, OLD, [], **page, now=2.0)).result()
    assert record(OLD).thread_loaded
    assert threads.known_page(services.store.reading, OLD, [], **page, now=0.0) is not None

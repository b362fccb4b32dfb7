"""Read markers, unread counts and who waits."""

from threading import Event
from typing import Any

from frontdesk.inbox.store import read_markers, threads
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import ConversationRecord
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import ConversationId, TaskId
from sample_json import raw_message, raw_task
from services import Services

HERE = ConversationId("L1#C1")


def put(store: Store, *raws: dict[str, Any]) -> None:
    page = sorted(raws, key=lambda raw: raw["createdAt"], reverse=True)
    store.write(lambda db: threads.put_page(db, HERE, page, start=None, has_more=False, now=1.0)).result()


def known(services: Services) -> ConversationRecord:
    record = record_lookup.conversation(services.store.reading, HERE)
    assert record is not None
    return record


def settle(store: Store) -> None:
    store.write(lambda _: None).result()


def answer(number: int, **fields: Any) -> dict[str, Any]:
    return raw_message(number, messageDirection="outgoing", initiator="person", **fields)


def test_a_customer_waits_from_their_first_message_until_a_person_answers(
    store: Store, services: Services
) -> None:
    put(store, raw_message(1), raw_message(5))
    assert known(services).waiting_since == 1.0
    put(store, raw_message(6, messageDirection="outgoing", initiator="bot"))
    assert known(services).waiting_since == 1.0
    put(store, raw_message(7, messageDirection="incoming", type="note"))
    assert known(services).waiting_since == 1.0
    put(store, answer(8))
    assert known(services).waiting_since is None


def test_the_last_answer_counts_however_long_ago_it_was(store: Store, services: Services) -> None:
    put(store, answer(1), *(raw_message(n, messageDirection="outgoing", initiator="bot") for n in range(2, 300)))
    put(store, raw_message(400))
    assert (known(services).waiting_since, known(services).unread) == (400.0, 1)


def test_a_read_marker_only_moves_on(store: Store, services: Services) -> None:
    put(store, raw_message(1), raw_message(2))
    assert known(services).unread == 2
    store.write(lambda db: read_markers.mark_read(db, HERE, 2000, 1.0)).result()
    store.write(lambda db: read_markers.mark_read(db, HERE, 1000, 2.0)).result()
    assert known(services).unread == 0
    put(store, raw_message(3))
    assert known(services).unread == 1


def test_what_came_while_it_was_read_stays_unread(store: Store, services: Services) -> None:
    put(store, raw_message(1), raw_message(2))
    store.write(lambda db: read_markers.mark_read(db, HERE, 1000, 1.0)).result()
    assert known(services).unread == 1


def test_what_arrives_before_a_mark_as_unread_is_written_leaves_that(store: Store, services: Services) -> None:
    may_write = Event()
    put(store, raw_message(1))
    store.write(lambda _: may_write.wait(30))
    services.inbox.mark_unread(HERE)
    services.inbox.mark_arrived(HERE)
    may_write.set()
    settle(store)
    assert known(services).unread == 1
    services.inbox.mark_read(HERE)
    put(store, raw_message(2))
    services.inbox.mark_arrived(HERE)
    settle(store)
    assert known(services).unread == 0


def test_marked_unread_by_hand_stays_so_until_it_is_read(store: Store, services: Services) -> None:
    put(store, raw_message(1), answer(2))
    services.inbox.mark_unread(HERE)
    settle(store)
    assert known(services).unread == 1
    put(store, answer(3))
    assert known(services).unread == 1
    services.inbox.mark_read(HERE)
    settle(store)
    assert known(services).unread == 0


def test_our_own_patches_are_discounted_from_a_tasks_unread_count(store: Store, services: Services) -> None:
    def task(count: int) -> int:
        store.write(lambda db: task_store.put(db, [raw_task(1, unreadCount=count, updatedAt=count)])).result()
        shown = record_lookup.task(services.store.reading, TaskId("t1"))
        assert shown is not None
        return shown.unread

    def patched() -> None:
        store.write(lambda db: task_store.discount_own_patch(db, TaskId("t1"), 1.0)).result()

    assert task(2) == 2
    task(3)
    patched()
    assert task(3) == 2, "each PATCH raises it by one (rule 180)"
    assert task(4) == 3, "a colleague's counts"
    assert task(0) == 0, "the platform began anew"
    assert task(1) == 1, "what was discounted before is forgotten with it"


def test_reading_a_conversation_sees_what_its_tasks_count(store: Store, services: Services) -> None:
    store.write(lambda db: task_store.put(db, [raw_task(1, unreadCount=3)])).result()
    services.inbox.mark_read(HERE)
    settle(store)
    shown = record_lookup.task(services.store.reading, TaskId("t1"))
    assert shown is not None
    assert shown.unread == 0

"""Who waits, and since when: the same in lists, service clocks and numbers, and ended by a mark."""

from datetime import UTC
from typing import Any

import pytest

from frontdesk.inbox.store import conversations, threads
from frontdesk.metrics import facts
from frontdesk.metrics import store as metrics
from frontdesk.metrics.periods import parse_period
from frontdesk.outbox import queue
from frontdesk.outbox.batches import ActionResult
from frontdesk.service_clocks.clocks import needs_no_answer, read_answers
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeState, ConversationOrder, ConversationRecord
from frontdesk_api.contract.ids import ConversationId
from sample_json import raw_message
from services import Services

HERE = ConversationId("L1#C1")


def said(at: float, who: str = "customer", **fields: Any) -> dict[str, Any]:
    sent = {} if who == "customer" else {"messageDirection": "outgoing", "initiator": who}
    return raw_message(int(at), createdAt=at * 1000, **sent, **fields)


def put(store: Store, *raws: dict[str, Any], has_more: bool = False) -> None:
    page = sorted(raws, key=lambda raw: raw["createdAt"], reverse=True)
    store.write(lambda db: conversations.add_by_pair(db, HERE, "L1", "C1")).result()
    store.write(lambda db: threads.put_page(db, HERE, page, start=None, has_more=has_more, now=1.0)).result()


def mark(services: Services, *, needs_answer: bool = False) -> ActionResult:
    return services.inbox.set_needs_answer([record(services)], needs_answer=needs_answer).result()


def record(services: Services) -> ConversationRecord:
    found = record_lookup.conversation(services.store.reading, HERE)
    assert found is not None
    return found


def waits(services: Services) -> tuple[float | None, float | None]:
    """Since when they wait by the list, and by the service clock."""
    return record(services).waiting_since, read_answers(services.store.reading, 1).waiting_from


def responses(store: Store) -> list[float | None]:
    """For how long customers had waited when they were answered."""
    store.write(lambda db: metrics.count_batch(db, 100)).result()
    found = [
        each for group in facts.responses(store.reading, parse_period("today", 0.0, UTC)) for each in group.each()
    ]
    return [each.seconds for each in sorted(found, key=lambda each: each.at)]


def test_they_wait_from_their_first_message_that_nobody_has_answered(store: Store, services: Services) -> None:
    """A list counted from the last one, beside a deadline that was counted from the first."""
    put(store, said(10), said(20, "person"), said(30), said(40, "bot"), said(50, type="note"), said(60))
    assert waits(services) == (30.0, 30.0)
    assert record(services).last_incoming_at == 60.0
    put(store, said(60), said(90, "person"))
    assert waits(services) == (None, None)
    assert responses(store) == [10.0, 60.0]


def test_before_a_gap_nothing_counts_as_unanswered(store: Store, services: Services) -> None:
    """What lies between two parts of a thread that were read may be an answer."""
    put(store, said(10))
    put(store, said(70), said(80), has_more=True)
    assert waits(services) == (70.0, 70.0)
    assert not read_answers(store.reading, 1).is_known


def test_what_needs_no_answer_keeps_nobody_waiting_until_they_write(store: Store, services: Services) -> None:
    put(store, said(10), said(20))
    done = mark(services)
    assert (done.count, done.label) == (1, "Answer: none needed")
    assert waits(services) == (None, None)
    assert needs_no_answer(store.reading, HERE)
    assert conversations.ids(services.store.reading, ConversationOrder.WAITING) == [HERE]
    assert mark(services).count == 0, "nobody waits any more"
    put(store, said(20), said(30, "bot"), said(40))
    assert waits(services) == (40.0, 40.0)
    assert not needs_no_answer(store.reading, HERE)
    put(store, said(40), said(100, "person"))
    assert responses(store) == [60.0], "the answer is to the second question"


def test_what_came_since_the_person_looked_still_needs_an_answer(store: Store, services: Services) -> None:
    put(store, said(10))
    seen = record(services)
    put(store, said(10), said(20))
    assert services.inbox.set_needs_answer([seen], needs_answer=False).result().count == 1
    assert waits(services) == (20.0, 20.0)
    assert services.inbox.set_needs_answer([seen], needs_answer=False).result().count == 0, (
        "that is marked already"
    )


def test_an_answer_after_a_mark_answers_nothing(store: Store, services: Services) -> None:
    put(store, said(10))
    mark(services)
    put(store, said(10), said(100, "person"))
    assert responses(store) == []
    assert not needs_no_answer(store.reading, HERE), "it was answered all the same"


def test_each_mark_counts_for_the_answers_of_its_time(store: Store, services: Services) -> None:
    for asked in (10, 110, 210):
        put(store, *(said(at) for at in range(10, asked, 100)), said(asked))
        mark(services)
        put(store, said(asked), said(asked + 20), said(asked + 50, "person"))
    assert responses(store) == [30.0, 30.0, 30.0]


@pytest.mark.parametrize("by_undo", [True, False])
def test_a_mark_is_taken_back(store: Store, services: Services, *, by_undo: bool) -> None:
    put(store, said(10), said(20))
    mark(services)
    if by_undo:
        services.outbox.undo().result()
    else:
        assert mark(services, needs_answer=True).count == 1
    assert waits(services) == (10.0, 10.0)
    if by_undo:
        services.outbox.redo().result()
        assert waits(services) == (None, None)
    made = queue.recent(store.reading)
    assert {each.state for each in made} == {ChangeState.CONFIRMED}
    assert {each.sends for each in made} == {0}, "nothing of it is sent"


def test_undone_after_an_answer_it_is_counted_again(store: Store, services: Services) -> None:
    put(store, said(10))
    mark(services)
    put(store, said(10), said(100, "person"))
    assert responses(store) == []
    services.outbox.undo().result()
    assert responses(store) == [90.0]


def test_marks_outlast_the_store(store: Store, services: Services) -> None:
    """`store.db` may be deleted; they are kept in `outbox.db`."""
    put(store, said(10))
    mark(services)

    def forget(db: Any) -> None:
        for table in ("messages", "segments", "conversations"):
            db.execute(f"DELETE FROM {table}")

    store.write(forget).result()
    put(store, said(10))
    assert waits(services) == (None, None)

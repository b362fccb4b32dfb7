"""What the customer pane tells of the past, and what it leaves unknown."""

import json
from typing import Any

from frontdesk.inbox.store import threads
from frontdesk.inbox.store.customer_history import CustomerHistory, customer_history
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import MessagePosition
from frontdesk_api.contract.ids import ConversationId, MessageId
from inbox.view.test_conversation_row import LATE
from sample_json import raw_message

HERE = ConversationId("L1#C1")


def test_of_a_thread_that_was_never_read_only_the_tasks_tell(store: Store) -> None:
    assert customer_history(store.reading, HERE, []) == CustomerHistory()
    customer = {"countryCode": "IL", "createdAt": 1_700_000_000_000, "description": 7}
    task = LATE._replace(raw_json=json.dumps({"customer": customer}))
    assert customer_history(store.reading, HERE, [task]) == CustomerHistory("IL", "", 1_700_000_000)


def test_the_first_message_is_the_first_of_all_only_where_the_beginning_is_loaded(store: Store) -> None:
    def put(numbers: range, start: MessagePosition | None, *, more: bool) -> None:
        messages = [raw_message(each, initiator="campaign" if each == 12 else "person") for each in numbers]
        store.write(lambda db: threads.put_page(db, HERE, messages, start=start, has_more=more, now=1.0)).result()

    put(range(20, 15, -1), None, more=True)
    assert customer_history(store.reading, HERE, []) == CustomerHistory(first_at=16)
    put(range(15, 10, -1), MessagePosition(16_000, MessageId("m00016")), more=False)
    known = customer_history(store.reading, HERE, [])
    assert known == CustomerHistory(first_at=11, is_whole=True, campaign_at=12)
    assert record_lookup.conversation(store.reading, HERE) is not None


def test_the_other_lines_of_a_customer_are_known_the_latest_first(store: Store) -> None:
    def fill(db: Any) -> None:
        for line, customer, at in (("L1", "C1", 1), ("L2", "C1", 2), ("L3", "C1", 3), ("L4", "C2", 4)):
            db.execute(
                "INSERT INTO conversations (conversation_id, line_id, customer_id, active_at) VALUES (?, ?, ?, ?)",
                (f"{line}#{customer}", line, customer, at),
            )

    store.write(fill).result()
    assert customer_history(store.reading, HERE, []).other_lines == ("L3", "L2")
    assert customer_history(store.reading, ConversationId("L4#C2"), []).other_lines == ()
    plan = store.reading.execute(
        "EXPLAIN QUERY PLAN SELECT line_id FROM conversations WHERE customer_id = ?", ("C1",)
    ).fetchall()
    assert "conversations_by_customer" in str(plan)

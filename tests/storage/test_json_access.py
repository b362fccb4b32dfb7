"""Odd values: one task or message of a strange type never stops the store."""

import json
from typing import Any

import pytest

from frontdesk.inbox.store import thread_pages, threads
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from frontdesk_api import json_access
from frontdesk_api.contract.ids import ConversationId, TaskId
from sample_json import raw_message, raw_task
from services import Services

ENDLESS = json.loads("1e400")
HUGE = 10**400


@pytest.mark.parametrize("value", [ENDLESS, -ENDLESS, float("nan"), HUGE, 2**63, -(2**63), True, "5", None, [1]])
def test_what_no_column_holds_is_no_number(value: object) -> None:
    assert json_access.number(value) is None


@pytest.mark.parametrize(
    ("value", "found"), [(["a", 1, None, "b"], ["a", "b"]), ("abc", []), (5, []), (None, []), ({"a": 1}, [])]
)
def test_texts_are_those_of_a_list(value: object, found: list[str]) -> None:
    assert json_access.texts(value) == found


@pytest.mark.parametrize(
    "fields",
    [
        {"assignedAgentIds": 5},
        {"assignedAgentIds": "abc"},
        {"unreadCount": ENDLESS},
        {"unreadCount": HUGE},
        {"dueDate": HUGE},
        {"updatedAt": 10**25},
        {"customer": {"phoneNumberId": "C1", "lastActiveAt": HUGE}},
    ],
)
def test_a_task_with_an_odd_value_is_stored_without_it(
    store: Store, services: Services, fields: dict[str, Any]
) -> None:
    store.write(lambda db: task_store.put(db, [raw_task(1, **fields)])).result()
    task = record_lookup.task(services.store.reading, TaskId("t1"))
    assert task is not None
    assert (task.assigned, task.unread, task.due_at) == ((), 0, None)
    assert set(fields) <= set(task.raw)


@pytest.mark.parametrize("created", [10**25, HUGE, ENDLESS, -HUGE, float("nan"), "now", True])
def test_a_message_of_an_odd_time_is_stored(store: Store, services: Services, created: object) -> None:
    here = ConversationId("L1#C1")
    raw = raw_message(1, createdAt=created)
    store.write(lambda db: threads.put_page(db, here, [raw], start=None, has_more=False, now=1.0)).result()
    assert [each.key.message_id for each in thread_pages.page_before(services.store.reading, here, None, 5)] == [
        "m00001"
    ]

"""Pages of threads that another desk has read, applied to a store that knows others."""

from typing import Any

from frontdesk.inbox import observations
from frontdesk.inbox.observations import ReadPage, ThreadObserver
from frontdesk.inbox.store import conversations, threads
from frontdesk.storage.database import Store
from frontdesk_api.contract.ids import ConversationId

HERE = ConversationId("L1#C1")


def message(number: int) -> dict[str, Any]:
    return {"messageId": f"m{number:03}", "createdAt": number * 1000, "messageDirection": "incoming"}


def apply_head(store: Store, oldest: int, newest: int) -> None:
    """Apply the head of the thread as it was when this was its newest message."""
    raws = [message(number) for number in range(newest, oldest - 1, -1)]
    page = ReadPage(raws, None, threads.position_of(raws[-1]), has_more=True, sign_at=0.0)
    *messages, joined = ThreadObserver().observed(HERE, "L1", page, 1.0)
    at_hand = {each.id: each.body for each in messages}
    store.write(lambda db: observations.apply(db, joined, at_hand, 1.0)).result()


def held(store: Store) -> list[tuple[str, str]]:
    return [(each.oldest.message_id, each.newest.message_id) for each in threads.segments(store.reading, HERE)]


def test_an_older_head_leaves_a_gap_to_newer_messages_that_are_stored(store: Store) -> None:
    store.write(lambda db: conversations.add_by_pair(db, HERE, "L1", "C1")).result()
    apply_head(store, 151, 200)
    apply_head(store, 1, 50)
    assert held(store) == [("m151", "m200"), ("m001", "m050")]


def test_heads_that_share_messages_are_joined_in_either_order(store: Store) -> None:
    store.write(lambda db: conversations.add_by_pair(db, HERE, "L1", "C1")).result()
    apply_head(store, 40, 90)
    apply_head(store, 1, 50)
    apply_head(store, 80, 120)
    assert held(store) == [("m001", "m120")]

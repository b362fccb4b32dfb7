"""Threads as segments without holes."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.inbox.store import thread_pages, threads
from frontdesk.inbox.store.read_markers import direction_of
from frontdesk.inbox.store.threads import Segment, covering, join, older_cursor
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import MessagePosition
from frontdesk_api.contract.ids import ConversationId, MessageId
from sample_json import raw_message
from services import Services

HERE = ConversationId("L1#C1")
PAGE = 5


def put(
    store: Store, messages: Sequence[dict[str, Any]], start: MessagePosition | None = None, *, more: bool = True
) -> threads.PagePut:
    return store.write(
        lambda db: threads.put_page(db, HERE, messages, start=start, has_more=more, now=1.0)
    ).result()


def page(newest: int, oldest: int) -> list[dict[str, Any]]:
    return [raw_message(number) for number in range(newest, oldest - 1, -1)]


def key(number: int) -> MessagePosition:
    return MessagePosition(number * 1000, MessageId(f"m{number:05}"))


def task_names_activity_at(store: Store, at: float) -> None:
    store.write(lambda db: db.execute("UPDATE conversations SET task_active_at = ?", (at,))).result()


def is_read(store: Store) -> bool:
    signs = threads.signs(store.reading, HERE)
    return signs.newest <= signs.read_to


def test_a_sign_that_came_while_the_thread_was_on_its_way_is_still_to_be_read(store: Store) -> None:
    put(store, page(5, 1), more=False)
    task_names_activity_at(store, 100.0)
    for messages in (page(6, 1), page(6, 1)):
        store.write(
            lambda db, messages=messages: threads.put_page(
                db, HERE, messages, start=None, has_more=False, now=1.0, sign_at=50.0
            )
        ).result()
        assert not is_read(store), "it was asked for before the sign"
    put(store, page(6, 1), more=False)
    assert is_read(store)


def test_an_older_page_says_nothing_of_new_messages(store: Store) -> None:
    put(store, page(20, 16))
    task_names_activity_at(store, 100.0)
    put(store, page(15, 11), start=key(16))
    assert not is_read(store)


def test_pages_that_follow_each_other_are_one_stretch(store: Store) -> None:
    put(store, page(20, 16))
    put(store, page(15, 11), start=key(16), more=False)
    assert threads.segments(store.reading, HERE) == [Segment(key(20), key(11), complete=True)]


def test_what_lies_between_two_stretches_is_a_gap_until_it_is_loaded(store: Store) -> None:
    put(store, page(10, 6), more=False)
    put(store, page(30, 26))
    assert [each.oldest for each in threads.segments(store.reading, HERE)] == [key(26), key(6)]
    put(store, page(25, 11), start=key(26))
    put(store, page(10, 6), start=key(11), more=False)
    assert threads.segments(store.reading, HERE) == [Segment(key(30), key(6), complete=True)]


def test_a_poll_that_meets_a_known_message_joins(store: Store) -> None:
    put(store, page(10, 6))
    assert put(store, page(12, 8)).met_known
    assert len(threads.segments(store.reading, HERE)) == 1


def test_an_unchanged_page_differs_in_nothing(store: Store) -> None:
    put(store, page(10, 6))
    assert put(store, page(10, 6)).differing == 0


def test_a_message_that_changed_is_stored_again(store: Store, services: Services) -> None:
    put(store, page(10, 6))
    changed = [raw_message(10, status="read"), *page(9, 6)]
    assert put(store, changed).differing == 1
    assert thread_pages.page_before(services.store.reading, HERE, None, 1)[0].raw["status"] == "read"


def test_an_empty_page_after_the_oldest_says_that_the_thread_begins_there(store: Store) -> None:
    put(store, page(10, 6))
    put(store, [], start=key(6), more=False)
    assert threads.segments(store.reading, HERE)[0].complete


def test_windows_are_read_oldest_first(store: Store, services: Services) -> None:
    put(store, page(20, 1))
    assert [each.key for each in thread_pages.page_before(services.store.reading, HERE, key(11), 3)] == [
        key(8),
        key(9),
        key(10),
    ]
    assert [each.key for each in thread_pages.page_from(services.store.reading, HERE, key(19), 5)] == [
        key(19),
        key(20),
    ]


def test_waiting_since_the_first_incoming_message_without_an_answer_by_a_person(
    store: Store, services: Services
) -> None:
    bot = raw_message(9, messageDirection="outgoing", initiator="bot")
    put(store, [raw_message(10), bot, raw_message(8)])
    conversation = record_lookup.conversation(services.store.reading, HERE)
    assert conversation is not None
    assert (conversation.waiting_since, conversation.unread) == (8.0, 2)
    put(store, [raw_message(11, messageDirection="outgoing", initiator="person"), raw_message(10), bot])
    conversation = record_lookup.conversation(services.store.reading, HERE)
    assert conversation is not None
    assert (conversation.waiting_since, conversation.unread) == (None, 0)


def test_reading_marks_locally_and_new_messages_are_unread_again(store: Store, services: Services) -> None:
    put(store, page(10, 8))
    services.inbox.mark_read(HERE)
    store.write(lambda db: None).result()
    assert _unread(services) == 0
    put(store, page(11, 8))
    assert _unread(services) == 1


def _unread(services: Services) -> int:
    conversation = record_lookup.conversation(services.store.reading, HERE)
    assert conversation is not None
    return conversation.unread


def at(moment: int, *names: str) -> list[dict[str, Any]]:
    """Messages of one moment in the platform's own order."""
    return [raw_message(moment, messageId=name) for name in names]


def test_messages_of_one_moment_across_a_page_border_are_neither_lost_nor_repeated(
    store: Store, services: Services
) -> None:
    """The platform's order of them isn't ours: it is asked with its own last message, not with our oldest."""
    put(store, [*at(9, "x"), *at(5, "a", "z")])
    (segment,) = threads.segments(store.reading, HERE)
    assert segment.oldest == MessagePosition(5000, MessageId("a"))
    assert older_cursor(segment) == MessagePosition(5000, MessageId("z"))
    put(store, at(5, "m", "c"), start=older_cursor(segment))
    (segment,) = threads.segments(store.reading, HERE)
    assert older_cursor(segment) == MessagePosition(5000, MessageId("c"))
    put(store, at(5, "q"), start=older_cursor(segment), more=False)
    assert [each.complete for each in threads.segments(store.reading, HERE)] == [True]
    ids = [each.key.message_id for each in thread_pages.page_before(services.store.reading, HERE, None, 20)]
    assert ids == ["a", "c", "m", "q", "z", "x"]


def test_two_stretches_that_end_in_one_moment_are_not_joined_by_the_order_of_ids(store: Store) -> None:
    """Between them are messages of that moment that were never seen, wherever their ids would stand."""
    put(store, at(3, "c1", "a2"), more=False)
    for _ in range(2):
        put(store, [raw_message(6), *at(3, "b9", "c7")])
        assert [each.complete for each in threads.segments(store.reading, HERE)] == [False, True]
    put(store, at(3, "d4", "c1"), start=MessagePosition(3000, MessageId("c7")))
    assert [each.complete for each in threads.segments(store.reading, HERE)] == [True]


def test_a_message_without_a_time_stands_with_its_neighbour(store: Store) -> None:
    """Else one page would span all of time, and every gap with it."""
    put(store, page(3, 1), more=False)
    timeless = {name: value for name, value in raw_message(29).items() if name != "createdAt"}
    put(store, [raw_message(30), timeless, raw_message(28)])
    newest, oldest = threads.segments(store.reading, HERE)
    assert (newest.newest, newest.oldest) == (key(30), key(28))
    assert oldest == Segment(key(3), key(1), complete=True)
    assert put(store, [raw_message(30), timeless, raw_message(28)]).differing == 0


def test_a_message_that_says_another_time_moves_and_takes_no_gap_with_it(store: Store, services: Services) -> None:
    put(store, page(10, 6))
    put(store, [raw_message(6, createdAt=12_000), raw_message(11)])
    shown = [each.key for each in thread_pages.page_before(services.store.reading, HERE, None, 20)]
    assert shown == [key(7), key(8), key(9), key(10), key(11), MessagePosition(12_000, MessageId("m00006"))]
    newest, oldest = threads.segments(store.reading, HERE)
    assert newest.oldest == key(11)
    assert (oldest.oldest, older_cursor(oldest)) == (key(7), key(7))


def test_a_segment_is_continued_from_a_message_that_is_still_there(store: Store) -> None:
    """Asked from where its last message was, the platform would leave out what follows that message now."""
    put(store, [*at(4, "a5"), *at(3, "a4")])
    put(store, at(4, "a5", "a4"))
    (segment,) = threads.segments(store.reading, HERE)
    assert older_cursor(segment) == MessagePosition(4000, MessageId("a4"))


def test_a_message_that_moved_unseen_hides_no_gap_below_the_newest_page(store: Store) -> None:
    put(store, [*at(5, "c2"), *at(4, "c1")], more=False)
    put(store, at(4, "c7", "b6"))
    (segment,) = threads.segments(store.reading, HERE)
    assert not segment.complete
    assert older_cursor(segment) == MessagePosition(4000, MessageId("b6"))


def test_a_thread_that_turns_out_to_begin_earlier_says_so(store: Store) -> None:
    put(store, page(3, 1), more=False)
    put(store, page(3, 1), more=True)
    assert [each.complete for each in threads.segments(store.reading, HERE)] == [False]


def test_a_last_page_joins_what_was_known_below_it(store: Store) -> None:
    """A message that was stored once and comes broken now leaves no gap where the platform has none."""
    put(store, page(3, 3), more=False)
    put(store, page(8, 5), more=False)
    assert threads.segments(store.reading, HERE) == [Segment(key(8), key(3), complete=True)]


def test_what_a_message_says_follows_its_changes(store: Store) -> None:
    def said() -> object:
        return store.reading.execute("SELECT says FROM messages").fetchall()

    put(store, [raw_message(1)])
    assert said() == [("in",)]
    put(store, [raw_message(1, type="deleted")])
    assert said() == [("",)]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"messageDirection": "incoming"}, "in"),
        ({"messageDirection": "incoming", "type": "note"}, ""),
        ({"messageDirection": "incoming", "type": "informative"}, ""),
        ({"messageDirection": "outgoing", "initiator": "person"}, "answer"),
        ({"messageDirection": "outgoing", "initiator": "person", "type": "note"}, ""),
        ({"messageDirection": "outgoing", "initiator": "bot"}, ""),
        ({"messageDirection": "outgoing", "initiator": "campaign"}, ""),
        ({"messageDirection": "outgoing", "initiator": "ai"}, ""),
        ({"messageDirection": ["incoming"], "type": {}}, ""),
        ({}, ""),
    ],
)
def test_only_customers_wait_and_only_people_answer(fields: dict[str, Any], said: str) -> None:
    assert direction_of(fields) == said


@few
@given(st.data())
def test_any_order_of_polls_and_loads_ends_in_the_thread_or_an_honest_gap(data: st.DataObject) -> None:
    """A model: the platform's thread grows; polls of its head and loads at gaps come in any order."""
    thread: list[MessagePosition] = []
    segments: list[Segment] = []
    stored: set[MessagePosition] = set()
    for _ in range(data.draw(st.integers(1, 25))):
        for _ in range(data.draw(st.integers(0, 8))):
            moment = thread[-1].created_at + data.draw(st.integers(0, 1)) if thread else 0
            thread.append(MessagePosition(moment, MessageId(f"{len(thread):04}")))
        start = data.draw(st.sampled_from([None, *(each.oldest for each in segments if not each.complete)]))
        older = thread if start is None else thread[: thread.index(start)]
        got = older[-PAGE:]
        known = {each for each in got if each in stored}
        stored |= set(got)
        segments, _ = join(segments, got[::-1], known=known, start=start, has_more=len(older) > PAGE)
        for each in segments:
            inside = [place for place in thread if each.oldest <= place <= each.newest]
            assert set(inside) <= stored, "a segment has a hole that it does not admit"
            assert not each.complete or each.oldest == thread[0]
        assert stored == {
            place for place in thread if any(each.oldest <= place <= each.newest for each in segments)
        }


def test_a_moment_is_reached_where_its_segment_begins_before_it_or_the_thread_does() -> None:
    new, old = Segment(key(40), key(30), complete=False), Segment(key(20), key(10), complete=False)
    assert covering([new, old], 35_000) == (new, True)
    assert covering([new, old], 50_000) == (new, True)
    assert covering([new, old], 25_000) == (new, False)
    assert covering([new, old], 15_000) == (old, True)
    assert covering([new, old], 5_000) == (old, False)
    assert covering([new, Segment(key(20), key(10), complete=True)], float("-inf"))[1]
    assert covering([], 5_000) == (None, False)

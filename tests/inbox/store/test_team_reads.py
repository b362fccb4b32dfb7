"""Shared read markers in the store, as two desks of one person exchange them in any order."""

from collections.abc import Callable
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frontdesk.inbox.store import conversations, read_markers
from frontdesk.inbox.store.notes import SEEN_MARKER
from frontdesk.inbox.store.read_markers import SharedRead
from frontdesk.outbox import queue
from frontdesk.storage.database import Store

HERE = "L1#C1"


def kept(store: Store, here: str) -> tuple[float, float]:
    db = store.reading
    return (queue.kept(db, read_markers.READ_MARKER, here) or 0, queue.kept(db, SEEN_MARKER, here) or 0)


def test_a_marker_is_told_once_and_again_when_it_moves(store: Store) -> None:
    store.write(lambda db: conversations.add_by_pair(db, HERE, "L1", "C1")).result()
    assert read_markers.unshared(store.reading) == []
    store.write(lambda db: read_markers.mark_read(db, HERE, 5.0, 1.0)).result()
    ((read, line),) = read_markers.unshared(store.reading)
    assert (read, line) == (SharedRead(HERE, 5.0), "L1")
    store.write(lambda db: read_markers.note_shared(db, [read])).result()
    assert read_markers.unshared(store.reading) == []
    store.write(lambda db: queue.keep(db, SEEN_MARKER, HERE, 7.0, 1.0)).result()
    assert [each for each, _ in read_markers.unshared(store.reading)] == [SharedRead(HERE, 5.0, 7.0)]


def test_a_conversation_without_a_line_is_not_told(store: Store) -> None:
    store.write(lambda db: read_markers.mark_read(db, "unknown", 5.0, 1.0)).result()
    assert read_markers.unshared(store.reading) == []


@pytest.mark.parametrize(("until", "is_further"), [(4.0, False), (5.0, False), (6.0, True)])
def test_only_a_marker_that_is_further_reads_what_was_marked_unread(
    store: Store, until: float, is_further: bool
) -> None:
    store.write(lambda db: read_markers.mark_read(db, HERE, 5.0, 1.0)).result()
    store.write(lambda db: queue.keep(db, read_markers.UNREAD_MARKER, HERE, 3.0, 1.0)).result()
    taken = store.write(lambda db: read_markers.apply(db, SharedRead(HERE, until), 1.0))
    assert taken.result() is is_further
    assert read_markers.is_marked_unread(store.reading, HERE) is not is_further


MOVES = st.lists(st.tuples(st.booleans(), st.integers(1, 9), st.integers(0, 9)), max_size=12)


NUMBERS = count()


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moves=MOVES)
def test_markers_never_move_back_and_both_sides_end_alike(
    store: Store, moves: list[tuple[bool, int, int]]
) -> None:
    here = f"L1#C{next(NUMBERS)}"

    def do(job: Callable[..., object], *given: object) -> None:
        store.write(lambda db: job(db, *given)).result()

    do(conversations.add_by_pair, here, "L1", here[3:])
    relay, highest = SharedRead(here, 0.0, 0.0), (0.0, 0.0)
    for is_own, until, seen in moves:
        if is_own:
            do(read_markers.mark_read, here, until, 1.0)
        else:
            relay = SharedRead(here, float(until), float(seen))
            do(read_markers.apply, relay, 1.0)
        highest = (max(highest[0], until), max(highest[1], 0 if is_own else seen))
        assert kept(store, here) == highest
    for read, _ in read_markers.unshared(store.reading):
        relay = read
        do(read_markers.note_shared, [read])
    assert (relay.until_ms, relay.notes_at) == kept(store, here)
    assert read_markers.unshared(store.reading) == []

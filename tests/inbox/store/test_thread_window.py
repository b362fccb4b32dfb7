"""ThreadWindow: a part of a thread that slides over the store, of bounded size and without a hole."""

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.inbox.store import thread_pages
from frontdesk.inbox.store.thread_pages import MAX_HELD, STEP, MessageRecord, ThreadWindow
from frontdesk.storage.records import MessagePosition
from frontdesk_api.contract.ids import ConversationId, MessageId

HERE = ConversationId("L1#C1")


def key(number: int) -> MessagePosition:
    return MessagePosition(number * 1000, MessageId(f"m{number:06}"))


@pytest.fixture(autouse=True)
def read_from_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The window reads `Reads` instead of a store."""
    monkeypatch.setattr(thread_pages, "page_before", Reads.page_before)
    monkeypatch.setattr(thread_pages, "page_from", Reads.page_from)
    monkeypatch.setattr(thread_pages, "ends", Reads.ends)


class Reads:
    """A thread of numbers, and how many messages were read of it."""

    def __init__(self, *numbers: int):
        self.numbers = sorted(numbers)
        self.read = 0

    def page_before(self, _: ConversationId, before: MessagePosition | None, limit: int) -> list[MessageRecord]:
        found = [each for each in self.numbers if before is None or key(each) < before]
        return self._records(found[max(0, len(found) - limit) :])

    def page_from(self, _: ConversationId, start: MessagePosition | None, limit: int) -> list[MessageRecord]:
        return self._records([each for each in self.numbers if start is None or key(each) >= start][:limit])

    def ends(self, _: ConversationId) -> tuple[MessagePosition, MessagePosition] | None:
        return (key(self.numbers[0]), key(self.numbers[-1])) if self.numbers else None

    def _records(self, numbers: list[int]) -> list[MessageRecord]:
        self.read += len(numbers)
        return [MessageRecord(key(each), {"messageId": str(key(each).message_id)}) for each in numbers]


def held(window: ThreadWindow) -> list[int]:
    return [int(each.key.message_id[1:]) for each in window.messages]


def window_on(thread: Reads) -> ThreadWindow:
    return ThreadWindow(cast("Any", thread), HERE)


def check(window: ThreadWindow, thread: Reads) -> None:
    """No hole, what comes before it, whether there is more, and no more than is allowed."""
    numbers = held(window)
    assert len(numbers) <= MAX_HELD
    if not numbers:
        return
    at = thread.numbers.index(numbers[0])
    assert thread.numbers[at : at + len(numbers)] == numbers
    assert (None if window.before is None else window.before.key) == (key(thread.numbers[at - 1]) if at else None)
    assert window.has_newer == (thread.numbers[-1] != numbers[-1])


@few
@given(
    st.integers(1, 900),
    st.lists(
        st.sampled_from(["older", "newer", "oldest", "newest", "around", "arrive", "fill", "again"]), max_size=30
    ),
    st.randoms(use_true_random=False),
)
def test_it_is_always_a_part_without_a_hole_and_reads_little(count: int, moves: list[str], chance: object) -> None:
    import random

    assert isinstance(chance, random.Random)
    thread = Reads(*range(0, count * 10, 10))
    window = window_on(thread)
    window.to_newest()
    check(window, thread)
    for move in moves:
        thread.read = 0
        before = held(window)
        match move:
            case "older":
                assert window.older() == (before[0] != thread.numbers[0])
            case "newer":
                assert window.newer() == (before[-1] != thread.numbers[-1])
            case "oldest":
                window.to_oldest()
                assert held(window)[0] == thread.numbers[0]
            case "newest":
                window.to_newest()
                assert held(window)[-1] == thread.numbers[-1]
            case "around":
                wanted = chance.choice(thread.numbers)
                window.around(key(wanted))
                assert wanted in held(window)
            case "arrive":
                thread.numbers += [thread.numbers[-1] + 10 * step for step in range(1, chance.randint(2, 90))]
                reading = chance.choice(before)
                window.read_again(key(reading))
                assert reading in held(window)
                assert held(window)[0] == before[0]
            case "fill":
                below = chance.choice(before)
                thread.numbers = sorted({*thread.numbers, *(below - 10 + each for each in range(1, 10))})
                window.read_again(key(below))
                assert below in held(window)
            case _:
                window.read_again(None)
                assert held(window)[-1] == thread.numbers[-1]
        check(window, thread)
        assert thread.read <= 2 * MAX_HELD


def test_what_is_read_stays_while_the_window_slides() -> None:
    thread = Reads(*range(1_000))
    window = window_on(thread)
    window.to_newest()
    while window.has_older:
        first = held(window)[0]
        assert window.older()
        assert set(range(first, min(first + STEP, 1_000))) <= set(held(window))
    while window.has_newer:
        last = held(window)[-1]
        assert window.newer()
        assert set(range(last - STEP, last + 1)) <= set(held(window))


def test_how_much_is_outside_is_judged_without_counting_it() -> None:
    thread = Reads(*range(1_000))
    window = window_on(thread)
    window.to_newest()
    assert window.outside(STEP) == (955, 0), "about 940: as many each second as are held"
    window.around(key(500))
    older, newer = window.outside(2 * STEP)
    assert abs(older - 440) < 10
    assert abs(newer - 440) < 10
    few = window_on(Reads(1, 2))
    few.to_newest()
    assert few.outside(2) == (0, 0)


def test_a_thread_that_was_emptied_is_read_from_its_end() -> None:
    thread = Reads(1, 2, 3)
    window = window_on(thread)
    window.to_newest()
    thread.numbers = []
    window.read_again(key(2))
    assert held(window) == []
    thread.numbers = [7, 8]
    window.read_again(None)
    assert held(window) == [7, 8]

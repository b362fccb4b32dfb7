"""EntryStack: what is at hand slides under the reader, and nothing on the screen tells."""

from collections.abc import Sequence
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk_lines.widgets.entry_stack import EntryStack, ReadingPosition

STEP, MOST = 20, 80


def height(key: str) -> int:
    """Lines of an entry: mostly one to three, now and then more than a screen."""
    number = abs(int(key))
    return 25 if number % 41 == 7 else 1 + number * 7919 % 3


def keys(first: int, last: int) -> list[str]:
    return [str(number) for number in range(first, last)]


class Sliding:
    """A supply with a part of a long row of numbers at hand; counts what it hands out."""

    def __init__(self, first: int, last: int):
        self.first, self.last = first, last
        self.low, self.high = max(first, last - STEP), last
        self.handed = 0

    def older(self, height: int) -> Sequence[str] | None:
        if self.low == self.first:
            return None
        self.low = max(self.first, self.low - STEP)
        self.high = min(self.high, self.low + MOST)
        return self.at_hand(STEP)

    def newer(self, height: int) -> Sequence[str] | None:
        if self.high == self.last:
            return None
        self.high = min(self.last, self.high + STEP)
        self.low = max(self.low, self.high - MOST)
        return self.at_hand(STEP)

    def oldest(self) -> Sequence[str] | None:
        self.low, self.high = self.first, min(self.last, self.first + STEP)
        return self.at_hand(STEP)

    def newest(self) -> Sequence[str] | None:
        self.low, self.high = max(self.first, self.last - STEP), self.last
        return self.at_hand(STEP)

    def has_newer(self) -> bool:
        return self.high < self.last

    def outside(self) -> tuple[int, int]:
        return self.low - self.first, self.last - self.high

    def at_hand(self, read: int = 0) -> list[str]:
        self.handed += read
        return keys(self.low, self.high)


def do(stack: EntryStack, move: str) -> None:
    match move.split():
        case ["page", lines]:
            stack.page(int(lines))
        case ["scroll", lines]:
            stack.scroll(int(lines))
        case ["step", by]:
            stack.step(int(by))
        case ["first"]:
            stack.first()
        case _:
            stack.last()


MOVES = st.sampled_from(
    ["page 14", "page -14", "page 7", "page -7", "step 1", "step -1", "scroll 3", "scroll -3", "first", "last"]
)


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.tuples(MOVES, st.integers(1, 12)), max_size=25), st.integers(1, 400), st.sampled_from([1, 4, 15])
)
def test_a_window_reads_as_if_everything_were_at_hand(
    moves: list[tuple[str, int]], count: int, lines: int
) -> None:
    supply = Sliding(0, count)
    sliding, whole = EntryStack(height, supply), EntryStack(height)
    sliding.height = whole.height = lines
    sliding.show(supply.at_hand())
    whole.show(keys(0, count))
    sliding.align()
    whole.align()
    for move, times in moves:
        for _ in range(times):
            do(sliding, move)
            do(whole, move)
            assert sliding.reading is not None
            assert whole.reading is not None
            assert sliding.reading[:2] == whole.reading[:2]
            shown = [(sliding.keys[at], line) for at, line in sliding.visible()]
            assert shown == [(whole.keys[at], line) for at, line in whole.visible()]
            assert sliding.reading.cursor == whole.reading.cursor
            assert sliding.reading.cursor in {key for key, _ in shown}
            assert sliding.is_at_end == whole.is_at_end
            assert len(sliding.keys) <= MOST


def test_a_hundred_thousand_entries_page_up_and_down_line_by_line_for_the_same_price() -> None:
    """The line at the top moves by exactly a page each time; a page reads and lays out no more at the far end."""
    count, lines = 100_000, 30
    starts = [0, *accumulate(height(key) for key in keys(0, count))]
    supply = Sliding(0, count)
    laid = 0

    def counted(key: str) -> int:
        nonlocal laid
        laid += 1
        return height(key)

    stack = EntryStack(counted, supply)
    stack.height = lines
    stack.show(supply.at_hand())
    stack.align()

    def line() -> int:
        assert stack.reading is not None
        return starts[int(stack.reading.top)] + stack.reading.line

    assert line() == starts[-1] - lines
    for way, pages in ((-1, 300), (1, 200), (-1, 400)):
        for _ in range(pages):
            before, had_laid, had_read = line(), laid, supply.handed
            stack.page(way * (lines - 1))
            assert line() == min(max(0, before + way * (lines - 1)), starts[-1] - lines)
            assert laid - had_laid < 1_000
            assert supply.handed - had_read <= 4 * STEP
    stack.first()
    assert line() == 0
    stack.page(lines - 1)
    assert line() == lines - 1
    stack.last()
    assert stack.is_at_end
    assert line() == starts[-1] - lines


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from(["older", "newer", "page -7", "page 7", "step -1"]), st.integers(0, 30))),
    st.integers(1, 60),
)
def test_what_arrives_moves_nothing_that_is_read(steps: list[tuple[str, int]], count: int) -> None:
    supply = Sliding(0, count)
    stack = EntryStack(height, supply)
    stack.height = 8
    stack.show(supply.at_hand())
    stack.align()
    for step, number in steps:
        if step == "older":
            supply.first -= number
            supply.low = max(supply.first, supply.low - number)
        elif step == "newer":
            follow = stack.is_at_end
            supply.last += number
            supply.high = supply.last if follow else supply.high
        else:
            do(stack, step)
            continue
        at_end, before = stack.is_at_end if step == "older" else follow, stack.reading
        stack.replace(supply.at_hand(), follow=at_end)
        stack.align()
        assert stack.is_at_end == at_end or number
        if at_end:
            # What arrives doesn't push the entry under the cursor off the screen.
            assert stack.is_at_end or stack.top == (stack.cursor, 0)
        else:
            assert stack.reading == before


def test_a_place_is_come_back_to_and_a_lost_one_is_near() -> None:
    stack = EntryStack(height)
    stack.height = 5
    stack.show(keys(0, 50), ReadingPosition("21", 0, "22"))
    stack.align()
    assert stack.reading == ReadingPosition("21", 0, "22")
    stack.replace([key for key in keys(0, 50) if key not in ("21", "22")])
    stack.align()
    assert stack.reading == ReadingPosition("23", 0, "23")
    stack.replace(keys(0, 23))
    stack.align()
    assert stack.cursor_key == "20"


@pytest.mark.parametrize("lines", [0, 1, 2, 40])
def test_no_screen_and_no_entry_are_too_few(lines: int) -> None:
    for count in (0, 1, 3):
        supply = Sliding(0, count)
        stack = EntryStack(height, supply)
        stack.height = lines
        stack.show(supply.at_hand())
        stack.align()
        for move in ("page 3", "page -3", "step 1", "step -1", "scroll 9", "scroll -9", "first", "last"):
            do(stack, move)
            assert len(stack.visible()) <= lines
        stack.replace([])
        stack.align()
        assert stack.reading is None
        assert stack.is_at_end

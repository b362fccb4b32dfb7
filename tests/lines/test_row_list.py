"""RowList: cursor and marks by key, what is painted, and how many bytes that is."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from textual.geometry import Offset, Region

from frontdesk_lines.lines import Line, Role, fit, span
from frontdesk_lines.widgets import row_list
from frontdesk_lines.widgets.row_list import RowList
from tui.hosts import Host, draw_two, quiet, text_of, turn_wheel, until

pytestmark = pytest.mark.anyio


def keys(count: int, start: int = 0) -> list[str]:
    return [str(number) for number in range(start, start + count)]


def draw(key: str, width: int) -> tuple[Line, ...]:
    return (fit((span(f"row {key}"),), width),)


def a_list(**options: object) -> RowList:
    return RowList(draw, **options)  # type: ignore[arg-type]


def visible(rows: RowList) -> list[str]:
    """The keys of which at least a line is on the screen."""
    found = [rows.key_at(y) for y in range(rows.size.height)]
    return list(dict.fromkeys(each for each in found if each is not None))


async def test_the_cursor_stays_on_its_key_when_rows_are_sorted_anew() -> None:
    rows = a_list()
    app = Host(rows)
    async with app.run_test(size=(40, 10)) as pilot:
        rows.set_keys(keys(5))
        await pilot.press("j", "j")
        assert rows.cursor_key == "2"
        rows.set_keys(["4", "2", "0", "1", "3"])
        assert rows.cursor_key == "2"
        assert rows.cursor_index == 1


async def test_the_cursor_keeps_its_line_of_the_screen() -> None:
    rows = a_list()
    async with Host(rows).run_test(size=(40, 10)):
        rows.set_keys(keys(100))
        rows.move_to("50")
        before = visible(rows).index("50")
        rows.set_keys([*keys(30, start=200), *keys(100)])
        assert visible(rows).index("50") == before


async def test_new_rows_are_let_in_at_the_top() -> None:
    rows = a_list()
    app = Host(rows)
    async with app.run_test(size=(40, 10)):
        rows.set_keys(keys(50))
        rows.set_keys(["new", *keys(50)])
        await quiet(app)
        assert rows.cursor_key == "0"
        assert text_of(app)[0].strip() == "row new"


async def test_a_found_word_at_the_start_of_a_row_leaves_the_gutter_as_it_is() -> None:
    rows = RowList(lambda _, width: (fit((span("found", Role.HIT),), width),))
    async with Host(rows).run_test(size=(40, 10)):
        rows.set_keys(keys(2))
        gutter, word, *_ = rows.render_lines(Region(0, 1, 40, 1))[0]
        assert (gutter.text, word.text) == ("  ", "found")
        assert gutter.style != word.style


async def test_where_the_cursor_goes_when_its_key_is_gone() -> None:
    rows = a_list()
    async with Host(rows).run_test(size=(40, 10)):
        for left, expected in (("0134", "3"), ("01", "1"), ("98", "8"), ("40", "4")):
            rows.set_keys(keys(5))
            rows.move_to("2")
            rows.set_keys([*left])
            assert rows.cursor_key == expected, left


async def test_marks_follow_their_keys_and_go_with_them() -> None:
    rows = a_list()
    app = Host(rows)
    async with app.run_test(size=(40, 10)) as pilot:
        rows.set_keys(keys(6))
        await pilot.press("space", "space", "j", "v")
        assert rows.marks == {"0", "1", "2", "3"}
        assert rows.cursor_key == "3"
        rows.set_keys(["5", "3", "1", "4"])
        assert rows.marks == {"1", "3"}
        assert rows.targets == ("3", "1")
        await pilot.press("V")
        assert rows.marks == {"5", "3", "1", "4"}
        await pilot.press("escape")
        assert rows.marks == frozenset()
        assert rows.targets == ("3",)
        await until(lambda: app.of(RowList.Marked) and app.of(RowList.Marked)[-1].keys == frozenset())


async def test_enter_and_a_double_click_choose() -> None:
    rows = a_list()
    app = Host(rows)
    async with app.run_test(size=(40, 10)) as pilot:
        rows.set_keys(keys(5))
        await pilot.press("j", "enter")
        await until(lambda: [message.key for message in app.of(RowList.Chosen)] == ["1"])
        await pilot.click(rows, offset=Offset(5, 3))
        assert rows.cursor_key == "3"
        await pilot.double_click(rows, offset=Offset(5, 4))
        await until(lambda: app.of(RowList.Chosen)[-1].key == "4")


async def test_letters_of_other_layouts_move_too() -> None:
    rows = a_list()
    async with Host(rows).run_test(size=(40, 10)) as pilot:
        rows.set_keys(keys(5))
        await pilot.press("ח", "о", "ت")
        assert rows.cursor_key == "3"
        await pilot.press("ל")
        assert rows.cursor_key == "2"


async def test_pages_and_ends() -> None:
    rows = a_list()
    async with Host(rows).run_test(size=(40, 10)) as pilot:
        rows.set_keys(keys(100))
        await pilot.press("ctrl+d")
        assert rows.cursor_key == "5"
        await pilot.press("pagedown")
        assert rows.cursor_key == "15"
        await pilot.press("G")
        assert rows.cursor_key == "99"
        assert visible(rows)[-1] == "99"
        await pilot.press("pageup", "ctrl+u")
        assert rows.cursor_key == "84"
        await pilot.press("g")
        assert rows.cursor_key == "0"


async def test_a_row_at_the_edge_brings_over_half_a_page() -> None:
    rows = a_list()
    async with Host(rows).run_test(size=(40, 10)) as pilot:
        rows.set_keys(keys(100))
        await pilot.press(*["j"] * 10)
        assert rows.cursor_key == "10"
        assert visible(rows)[0] == "6"


async def test_an_empty_list_says_why() -> None:
    rows = RowList(draw, empty="No conversations are known yet\nR asks the platform")
    app = Host(rows)
    async with app.run_test(size=(60, 10)) as pilot:
        await quiet(app)
        assert "No conversations are known yet" in "\n".join(text_of(app))
        await pilot.press("j", "k", "G", "space", "v", "V", "enter", "ctrl+d", "pageup")
        assert rows.cursor_key is None
        rows.set_keys(["1"])
        await quiet(app)
        assert "No conversations" not in "\n".join(text_of(app))


@pytest.mark.parametrize("height", [1, 2, 4])
async def test_the_wheel_takes_the_cursor_along_and_back(height: int) -> None:
    rows = RowList(draw, row_height=height)
    app = Host(rows)
    async with app.run_test(size=(40, 10)) as pilot:
        rows.set_keys(keys(100))
        await pilot.press("j")
        await turn_wheel(rows, 9)
        assert rows.cursor_key == visible(rows)[0] != "1"
        assert rows.scrolled_from == "1"
        await turn_wheel(rows, -2)
        assert rows.cursor_key == visible(rows)[0], "as near as possible to the row that it was moved to"
        await turn_wheel(rows, -9)
        assert (rows.cursor_key, rows.scrolled_from) == ("1", None)
        await turn_wheel(rows, 9)
        seen = visible(rows)
        await pilot.press("j")
        assert visible(rows) == seen, "a key goes on from what is on the screen"
        assert (rows.cursor_key, rows.scrolled_from) == (seen[1], None)


async def test_a_row_that_was_scrolled_from_and_is_gone_is_not_come_back_to() -> None:
    rows = a_list()
    async with Host(rows).run_test(size=(40, 10)):
        rows.set_keys(keys(100))
        await turn_wheel(rows, 9)
        here = rows.cursor_key
        rows.set_keys(keys(99, start=1))
        await turn_wheel(rows, -1)
        assert rows.cursor_key in visible(rows)
        assert here in visible(rows)


async def test_after_a_change_of_width_each_row_is_drawn_once() -> None:
    drawn: list[int] = []

    def counted(key: str, width: int) -> tuple[Line, ...]:
        drawn.append(width)
        return draw(key, width)

    rows = RowList(counted)
    app = Host(rows)
    async with app.run_test(size=(40, 10)) as pilot:
        rows.set_keys(keys(10))
        await pilot.resize_terminal(60, 10)
        await quiet(app)
        drawn.clear()
        await pilot.press("j", "k")
        await quiet(app)
        assert not drawn


@pytest.mark.parametrize("by", [1, -1])
async def test_rows_that_a_step_scrolls_to_are_drawn_one_after_each_step_before(by: int) -> None:
    drawn: list[int] = []

    def counted(key: str, width: int) -> tuple[Line, ...]:
        drawn.append(int(key))
        return draw(key, width)

    rows = RowList(counted)
    async with Host(rows).run_test(size=(40, 10)):
        rows.set_keys(keys(101))
        rows.move_to("0" if by > 0 else "100")
        drawn.clear()
        for steps in range(1, 41):
            before = [*drawn]
            rows.step(by)
            assert drawn == before, f"step {steps} draws"
            # The tenth scrolls over six rows, and so does each sixth from there on.
            ahead = min(steps, 6) if steps < 10 else steps - 3
            await until(lambda ahead=ahead: len(drawn) >= ahead)
        assert drawn == [50 + by * (each - 40) for each in range(37)]


async def test_a_restored_cursor_is_on_the_screen_of_a_lower_terminal() -> None:
    rows = a_list()
    async with Host(rows).run_test(size=(40, 10)):
        rows.set_keys(keys(100))
        assert rows.restore_cursor("50", 30)
        assert "50" in visible(rows)


async def test_no_size_is_too_small() -> None:
    rows = RowList(draw_two, row_height=2, empty="nothing")
    app = Host(rows)
    async with app.run_test(size=(1, 1)) as pilot:
        for size in ((1, 1), (2, 1), (3, 2), (1, 20), (60, 1)):
            rows.set_keys([])
            await pilot.resize_terminal(*size)
            await quiet(app)
            rows.set_keys(keys(10))
            await pilot.press("j", "G", "g", "space", "ctrl+d", "pagedown")
            await pilot.resize_terminal(80, 24)
            await quiet(app)
            assert rows.cursor_key in visible(rows), size


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    steps=st.lists(
        st.one_of(
            st.lists(st.integers(0, 30).map(str), unique=True, max_size=30),
            st.sampled_from(
                ["cursor_down", "cursor_up", "half_down", "page_up", "toggle_mark", "mark_range", "mark_all"]
            ),
        ),
        max_size=25,
    )
)
def test_cursor_and_marks_are_always_among_the_keys(steps: list[list[str] | str]) -> None:
    """Without an app: what is held is right whatever comes in whatever order."""
    rows = a_list()
    for step in steps:
        if isinstance(step, str):
            getattr(rows, f"action_{step}")()
        else:
            had, marked = rows.cursor_key, rows.marks
            rows.set_keys(step)
            assert rows.cursor_key == had or had not in step
            assert rows.marks == marked & set(step)
        if rows.keys:
            assert rows.cursor_key == rows.keys[rows.cursor_index or 0]
        else:
            assert rows.cursor_key is None
        assert rows.marks <= set(rows.keys)
        assert set(rows.targets) <= set(rows.keys)


@pytest.mark.slow
@pytest.mark.parametrize("height", [1, 2])
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    steps=st.lists(
        st.one_of(
            st.lists(st.integers(0, 30).map(str), unique=True, max_size=30),
            st.integers(-9, 9),
            st.sampled_from(["cursor_down", "cursor_up", "half_down", "page_up", "cursor_last", "cursor_first"]),
        ),
        max_size=25,
    )
)
async def test_whatever_scrolls_or_arrives_the_cursor_is_on_the_screen(
    height: int, steps: list[list[str] | int | str]
) -> None:
    rows = RowList(draw, row_height=height)
    async with Host(rows).run_test(size=(40, 7)):
        for step in steps:
            if isinstance(step, str):
                getattr(rows, f"action_{step}")()
            elif isinstance(step, int):
                rows.scroll_lines(step)
            else:
                rows.set_keys(step)
            assert rows.cursor_key in visible(rows) or not rows.keys


@pytest.mark.slow
async def test_a_cursor_move_costs_few_bytes(wire: list[str]) -> None:
    rows = RowList(draw_two, row_height=2)
    app = Host(rows, css="RowList { width: 44; }")
    async with app.run_test(size=(120, 36)) as pilot:
        rows.set_keys(keys(100_000))
        await quiet(app)
        costs = []
        for _ in range(8):
            wire.clear()
            await pilot.press("j")
            await quiet(app)
            costs.append(len("".join(wire).encode()))
        assert max(costs) <= 500
        wire.clear()
        for _ in range(34):
            await pilot.press("j")
            await quiet(app)
        assert len("".join(wire).encode()) / 34 <= 800


async def test_what_did_not_change_costs_nothing(wire: list[str]) -> None:
    rows = RowList(draw_two, row_height=2)
    app = Host(rows)
    async with app.run_test(size=(120, 36)):
        rows.set_keys(keys(1000))
        rows.move_to("500")
        await quiet(app)
        wire.clear()
        rows.set_keys(keys(1000))
        rows.refresh_keys(keys(1000))
        rows.redraw()
        await quiet(app)
        assert "".join(wire) == ""
        rows.set_keys([*keys(40, start=5000), *keys(1000)])
        await quiet(app)
        # Only the scroll mark moved, by one line at each of its ends.
        assert len("".join(wire).encode()) <= 600


async def test_one_changed_row_is_painted_alone(wire: list[str]) -> None:
    names = {key: f"row {key}" for key in keys(50)}
    rows = RowList(lambda key, width: (fit((span(names[key], Role.STRONG),), width),))
    app = Host(rows)
    async with app.run_test(size=(80, 24)):
        rows.set_keys(keys(50))
        await quiet(app)
        wire.clear()
        names["7"] = "row seven"
        rows.refresh_keys({"7", "8", "40"})
        await quiet(app)
        written = "".join(wire)
        assert "row seven" in text_of(app)[7]
        assert "seven" in written
        assert re.findall(r"\x1b\[(\d+);\d+H", written) == ["8", "1"], "one row, then the cursor's place"
        assert len(written.encode()) <= 250


class Long:
    """A list of which only the first keys were given; it keeps how many it was asked for."""

    def __init__(self, total: int, first: int):
        self.total, self.asked = total, list[int | None]()
        self.rows = a_list(more=self.more)
        self.first = first

    def begin(self) -> None:
        self.rows.set_keys(keys(self.first), self.total)

    def more(self, count: int | None) -> None:
        self.asked.append(count)
        self.rows.set_keys(keys(self.total if count is None else min(self.total, max(count, 20))), self.total)


async def test_a_long_list_is_given_further_keys_when_the_cursor_comes_near_them() -> None:
    long = Long(1000, 30)
    async with Host(long.rows).run_test(size=(40, 10)) as pilot:
        long.begin()
        await pilot.press("j", "j")
        assert long.asked == []
        for _ in range(12):
            await pilot.press("pagedown")
        assert long.rows.cursor_key == "122"
        assert None not in long.asked


async def test_the_last_row_and_marking_all_reach_what_was_not_given_yet() -> None:
    long = Long(500, 30)
    async with Host(long.rows).run_test(size=(40, 10)) as pilot:
        long.begin()
        await pilot.press("G")
        assert long.rows.cursor_key == "499"
        long.begin()
        await pilot.press("V")
        assert len(long.rows.marks) == 500


async def test_the_scrollbar_tells_of_the_whole_list() -> None:
    part, whole = Long(1000, 50), a_list()
    async with Host(part.rows).run_test(size=(40, 10)):
        part.begin()
        shown = [painted.thumb for painted in part.rows.frame()]
    async with Host(whole).run_test(size=(40, 10)):
        whole.set_keys(keys(1000))
        assert [painted.thumb for painted in whole.frame()] == shown


async def test_a_cursor_that_nobody_moved_follows_the_first_row_until_a_key() -> None:
    rows = a_list(follows_first=True)
    async with Host(rows).run_test(size=(40, 10)) as pilot:
        rows.set_keys(keys(20))
        rows.set_keys([*keys(30, start=100), *keys(20)])
        assert (rows.cursor_key, rows.rows_above, rows.needed) == ("100", 0, set())
        assert rows.displaced_key is None
        await pilot.press("j")
        rows.set_keys([*keys(30, start=200), *keys(30, start=100)])
        assert (rows.cursor_key, rows.needed) == ("101", {"101"})
        assert rows.rows_above == 30


async def test_a_key_right_after_the_first_row_changed_may_be_meant_for_the_row_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for settled, displaced in ((2.0, "0"), (0.0, None)):
        monkeypatch.setattr(row_list, "SETTLED_SECONDS", settled)
        rows = a_list(follows_first=True)
        async with Host(rows).run_test(size=(40, 10)):
            rows.set_keys(keys(3))
            rows.set_keys(keys(3, start=9))
            rows.hold_cursor()
            assert (rows.cursor_key, rows.displaced_key) == ("9", displaced)

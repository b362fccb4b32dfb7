"""ThreadView: what is read stays where it is, whatever arrives above and below."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frontdesk_lines.lines import Line, span
from frontdesk_lines.widgets.line_view import BAR
from frontdesk_lines.widgets.thread_view import ThreadView
from tui.hosts import Host, quiet, text_of, turn_wheel, until

pytestmark = pytest.mark.anyio


def keys(first: int, last: int) -> list[str]:
    return [str(number) for number in range(first, last)]


def lay(key: str, width: int) -> tuple[Line, ...]:
    height = 1 + abs(int(key)) % 3
    return tuple((span(f"{key} line {part}"),) for part in range(height))


def at_bottom(app: Host) -> str:
    return text_of(app)[-1].strip(" ▌")


async def test_it_opens_at_the_newest() -> None:
    thread = ThreadView(lay)
    app = Host(thread)
    async with app.run_test(size=(40, 10)):
        thread.set_entries(keys(0, 50))
        await quiet(app)
        assert at_bottom(app) == "49 line 1"
        assert thread.cursor_key == "49"
        assert thread.is_at_end


async def test_entries_that_dont_fill_a_thread_are_at_its_bottom_and_are_clicked_there() -> None:
    thread = ThreadView(lay, at_bottom=True)
    app = Host(thread)
    async with app.run_test(size=(40, 10)) as pilot:
        thread.set_entries(keys(0, 2))  # three lines
        await quiet(app)
        assert [line.strip(" ▌") for line in text_of(app)] == [""] * 7 + ["0 line 0", "1 line 0", "1 line 1"]
        await pilot.click(offset=(5, 7))
        assert thread.cursor_key == "0"
        await pilot.click(offset=(5, 2))
        assert thread.cursor_key == "0"
        thread.append(keys(2, 20))
        await quiet(app)
        assert text_of(app)[0].strip(" ▌▐")


async def test_a_text_without_a_cursor_has_no_bar_and_scrolls_by_lines() -> None:
    text = ThreadView(lay, shows_cursor=False)
    app = Host(text)
    async with app.run_test(size=(40, 10)) as pilot:
        text.set_entries(keys(0, 50), at_end=False)
        await quiet(app)
        first, second, *_ = text_of(app)
        assert "▌" not in "".join(text_of(app))
        await pilot.press("j")
        await quiet(app)
        assert first != second
        assert text_of(app)[0].rstrip("▐ ") == second.rstrip("▐ ")


async def test_what_is_read_stays_when_older_ones_arrive(wire: list[str]) -> None:
    thread = ThreadView(lay)
    app = Host(thread)
    async with app.run_test(size=(40, 10)) as pilot:
        thread.set_entries(keys(100, 140))
        await pilot.press("pageup", "k", "k")
        await quiet(app)
        before, cursor = [line.rstrip("▐ ") for line in text_of(app)], thread.cursor_key
        wire.clear()
        thread.set_entries(keys(0, 140), at_end=False)
        await quiet(app)
        assert [line.rstrip("▐ ") for line in text_of(app)] == before
        assert thread.cursor_key == cursor
        assert len("".join(wire).encode()) < 400


async def test_new_ones_are_followed_at_the_end_and_move_nothing_elsewhere() -> None:
    thread = ThreadView(lay)
    app = Host(thread)
    async with app.run_test(size=(40, 10)) as pilot:
        thread.set_entries(keys(0, 50))
        thread.append(["50"])
        await quiet(app)
        assert at_bottom(app) == "50 line 2"
        assert thread.cursor_key == "50"
        await pilot.press("pageup")
        await quiet(app)
        before = text_of(app)
        thread.append(["51", "52", "50"])
        await quiet(app)
        assert text_of(app) == before
        assert not thread.is_at_end
        await pilot.press("G")
        assert at_bottom(app) == "52 line 1"
        await until(lambda: [each.is_at_end for each in app.of(ThreadView.EndReached)] == [False, True])


async def test_the_wheel_takes_the_cursor_along() -> None:
    thread = ThreadView(lay)
    app = Host(thread)
    async with app.run_test(size=(40, 10)) as pilot:
        thread.set_entries(keys(0, 50))
        await quiet(app)
        await turn_wheel(thread, -5)
        assert thread.cursor_key == at_bottom(app).split()[0] != "49"
        await pilot.press("k")
        assert int(thread.cursor_key or 0) == int(at_bottom(app).split()[0]) - 1, "a key goes on from there"
        await turn_wheel(thread, 9)
        assert thread.is_at_end
        assert thread.cursor_key == text_of(app)[0].strip(" ▌▐").split()[0]


async def test_new_ones_do_not_push_the_entry_under_the_cursor_off_the_screen() -> None:
    thread = ThreadView(lay)
    app = Host(thread)
    async with app.run_test(size=(40, 10)) as pilot:
        thread.set_entries(keys(0, 50))
        await pilot.press("k", "k")
        thread.append(keys(50, 70))
        await quiet(app)
        assert thread.cursor_key == "47"
        assert text_of(app)[0].strip(" ▌▐") == "47 line 0"
        assert not thread.is_at_end


async def test_near_the_top_is_said_once_until_more_came() -> None:
    thread = ThreadView(lay)
    app = Host(thread)
    async with app.run_test(size=(40, 10)) as pilot:
        thread.set_entries(keys(100, 150))
        await quiet(app)
        assert not app.of(ThreadView.NearTop)
        await pilot.press("g", "j", "k")
        await until(lambda: len(app.of(ThreadView.NearTop)) == 1)
        thread.set_entries(keys(80, 150), at_end=False)
        await quiet(app)
        assert len(app.of(ThreadView.NearTop)) == 1
        await pilot.press("g")
        await until(lambda: len(app.of(ThreadView.NearTop)) == 2)


async def test_a_tall_entry_is_read_to_its_end_before_the_next() -> None:
    def tall(key: str, width: int) -> tuple[Line, ...]:
        return tuple((span(f"{key} line {part}"),) for part in range(25 if key == "1" else 2))

    thread = ThreadView(tall)
    app = Host(thread)
    async with app.run_test(size=(40, 10)) as pilot:
        thread.set_entries(["0", "1", "2", "3"], at_end=False)
        await pilot.press("j")
        assert thread.cursor_key == "1"
        seen: set[str] = set()
        while thread.cursor_key == "1":
            await quiet(app)
            seen |= {line.strip(" ▌") for line in text_of(app)}
            await pilot.press("j")
        assert {f"1 line {part}" for part in range(25)} <= seen
        assert thread.cursor_key == "2"
        while thread.cursor_key != "0":
            await pilot.press("k")


async def test_a_changed_entry_is_painted_alone(wire: list[str]) -> None:
    words = {"3": "sent"}

    def one(key: str, width: int) -> tuple[Line, ...]:
        return ((span(f"{key} {words.get(key, '')}"),),)

    thread = ThreadView(one)
    app = Host(thread)
    async with app.run_test(size=(40, 10)):
        thread.set_entries(keys(0, 5))
        await quiet(app)
        wire.clear()
        thread.refresh_keys(keys(0, 5))
        await quiet(app)
        assert "".join(wire) == ""
        words["3"] = "read"
        thread.refresh_keys(["3"])
        await quiet(app)
        assert any("3 read" in line for line in text_of(app))
        assert "".join(wire).count("read") == 1
        assert len("".join(wire).encode()) < 150


async def test_a_cursor_move_paints_the_gutter_only(wire: list[str]) -> None:
    thread = ThreadView(lay)
    app = Host(thread)
    async with app.run_test(size=(120, 36)) as pilot:
        thread.set_entries(keys(0, 50))
        await quiet(app)
        wire.clear()
        await pilot.press("k")
        await quiet(app)
        assert thread.cursor_key == "48"
        assert len("".join(wire).encode()) <= 300


async def test_it_stays_at_the_end_through_a_change_of_size() -> None:
    thread = ThreadView(lay)
    app = Host(thread)
    async with app.run_test(size=(40, 10)) as pilot:
        thread.set_entries(keys(0, 50))
        await quiet(app)
        await pilot.resize_terminal(30, 20)
        await quiet(app)
        assert at_bottom(app) == "49 line 1"


async def test_no_size_is_too_small() -> None:
    thread = ThreadView(lay, empty="No messages")
    app = Host(thread)
    async with app.run_test(size=(1, 1)) as pilot:
        for size in ((1, 1), (3, 2), (2, 30)):
            await pilot.resize_terminal(*size)
            thread.set_entries([])
            await pilot.press("j", "k", "g", "G", "ctrl+d")
            thread.set_entries(keys(0, 20))
            await pilot.press("k", "g", "j", "G", "pageup", "ctrl+d", "enter")
            thread.set_entries(keys(-1, 20), at_end=False)
            await quiet(app)
            assert len(thread.frame()) <= thread.size.height <= size[1]
            assert thread.cursor_key in thread.keys, size


async def test_twenty_thousand_entries_open_without_laying_them_out() -> None:
    laid: list[str] = []

    def counted(key: str, width: int) -> tuple[Line, ...]:
        laid.append(key)
        return lay(key, width)

    thread = ThreadView(counted)
    app = Host(thread)
    async with app.run_test(size=(80, 30)) as pilot:
        thread.set_entries(keys(0, 20_000))
        thread.set_entries(keys(-500, 20_000), at_end=False)
        await pilot.press("pageup", "k", "ctrl+u")
        await quiet(app)
        assert len(laid) < 300


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.one_of(
            st.sampled_from(["cursor_down", "cursor_up", "half_down", "page_up", "cursor_last", "cursor_first"]),
            st.integers(-9, 9),
            st.tuples(st.sampled_from(["older", "newer"]), st.integers(0, 8)),
        ),
        max_size=30,
    )
)
async def test_the_top_of_the_screen_never_leaves_its_entry_on_its_own(
    steps: list[str | int | tuple[str, int]],
) -> None:
    thread = ThreadView(lay)
    low, high = 0, 10
    async with Host(thread).run_test(size=(30, 7)):
        thread.set_entries(keys(low, high))
        for step in steps:
            if isinstance(step, str):
                getattr(thread, f"action_{step}")()
            elif isinstance(step, int):
                thread.scroll_lines(step)
            else:
                name, count = step
                top, at_end, cursor = thread.top, thread.is_at_end, thread.cursor_key
                if name == "older":
                    low -= count
                    thread.set_entries(keys(low, high), at_end=False)
                    assert thread.cursor_key == cursor
                else:
                    thread.append(keys(high, high + count))
                    high += count
                if not at_end:
                    assert thread.top == top
                    assert thread.cursor_key == cursor
            assert list(thread.keys) == keys(low, high)
            assert any(painted.bar == BAR for painted in thread.frame()), "the cursor is on the screen"
            assert len(thread.frame()) <= 7


async def test_a_shorter_thread_shown_without_room_has_a_top_of_its_own() -> None:
    """On a terminal too small for anything the thread is laid out at no size at all."""
    thread = ThreadView(lay)
    async with Host(thread).run_test(size=(40, 10)) as pilot:
        thread.set_entries(keys(1, 50))
        await pilot.pause()
        thread.styles.display = "none"
        await until(lambda: thread.size.height == 0)
        thread.set_entries(keys(1, 3))
        assert thread.top is not None
        assert thread.top[0] in keys(1, 3)
        thread.set_entries(keys(1, 2), at_end=False)

"""The bar of views: what it says at each width, and the letter that opens one."""

from typing import Any

import pytest
from textual.app import ComposeResult
from textual.containers import Vertical

from frontdesk_lines.content import plain
from frontdesk_lines.display_text import trusted
from frontdesk_lines.widgets.row_list import RowList
from frontdesk_lines.widgets.view_bar import ViewBar, ViewTab
from tui.hosts import Host, quiet, text_of, until

pytestmark = pytest.mark.anyio

NAMES = ("all", "mine", "unassigned", "overdue", "waiting > 1h")
TABS = [
    ViewTab(trusted(name), count, letter)
    for name, count, letter in zip(NAMES, ("128", "12", "9", "3", "7+"), "amuow", strict=True)
]


def lines(bar: ViewBar) -> list[str]:
    return [plain(line).rstrip() for line in bar.lines]


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (70, ["[all 128] mine 12  unassigned 9  overdue 3  waiting > 1h 7+"]),
        (36, ["[all 128] mine 12  unassigned 9", " overdue 3  waiting > 1h 7+"]),
        (20, ["[all 128] mine 12", " unassigned 9  +2"]),
    ],
)
async def test_views_take_two_lines_where_one_is_too_short(width: int, expected: list[str]) -> None:
    bar = ViewBar()
    async with Host(bar).run_test(size=(width, 5)) as pilot:
        bar.show(TABS, 0)
        await pilot.pause()
        assert lines(bar) == expected
        assert bar.size.height == len(expected)


async def test_the_current_view_is_shown_where_not_all_fit() -> None:
    bar = ViewBar()
    async with Host(bar).run_test(size=(20, 5)):
        for current in range(len(TABS)):
            bar.show(TABS, current)
            assert f"[{NAMES[current]}" in "".join(lines(bar))


async def test_a_letter_opens_its_view_and_any_other_key_gives_the_focus_back() -> None:
    chosen: list[int] = []

    class Opener(Vertical):
        def compose(self) -> ComposeResult:
            yield ViewBar()
            yield RowList(lambda *_: ())

        def on_view_bar_chosen(self, event: ViewBar.Chosen) -> None:
            chosen.append(event.index)

    app: Any = Host(Opener())
    async with app.run_test(size=(70, 5)) as pilot:
        bar, rows = app.query_one(ViewBar), app.query_one(RowList)
        bar.show(TABS, 0)
        app.screen.set_focus(rows)
        # The second one as a Hebrew layout types it; the last two keys open nothing.
        for keys, then in (("o", [3]), ("ם", [3, 3]), ("escape", [3, 3]), ("x", [3, 3])):
            bar.begin_choice()
            assert "w waiting > 1h" in lines(bar)[0]
            await pilot.press(keys)
            await until(lambda then=then: chosen == then and rows.has_focus)  # type: ignore[misc]
            await quiet(app)
            assert rows.has_focus
            assert "[all 128]" in text_of(app)[0]


async def test_while_it_waits_for_a_letter_all_views_are_shown() -> None:
    bar = ViewBar()
    async with Host(bar).run_test(size=(20, 9)) as pilot:
        bar.show(TABS, 0)
        await pilot.pause()
        assert bar.size.height == 2
        bar.begin_choice()
        await pilot.pause()
        assert lines(bar) == [" a all  m mine", " u unassigned", " o overdue", " w waiting > 1h"]
        assert bar.size.height == 4
        await pilot.press("escape")
        await until(lambda: bar.size.height == 2)
        await pilot.click(offset=(16, 1))  # on "+2"
        await until(lambda: bar.is_choosing)


async def test_a_view_that_goes_leaves_nothing_on_the_second_line() -> None:
    bar = ViewBar()
    app = Host(bar)
    async with app.run_test(size=(36, 5)):
        bar.show(TABS, 0)
        await until(lambda: "overdue" in text_of(app)[1])
        bar.show(TABS[:2], 0)
        await until(lambda: not text_of(app)[1].strip())

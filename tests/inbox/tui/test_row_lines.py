"""A row has one line below 100 columns, else two; the cursor and the mouse follow."""

import pytest
from textual.geometry import Offset

from frontdesk.storage.database import Store
from inbox.tui.test_row_tasks import NOW, inbox
from sample_json import raw_task
from tui.hosts import quiet, text_of, turn_wheel

pytestmark = pytest.mark.anyio
TASKS = [
    raw_task(
        number,
        dueDate=NOW - 7_200,
        participantsIdentifiers=f"L1#C{number}",
        customer={"phoneNumberId": f"C{number}", "customerName": f"Customer {number:02}"},
    )
    for number in range(40)
]


def shown(lines: list[str]) -> list[str]:
    """The names of the customers on the screen, from the top."""
    return [line.split("Customer ")[1][:2] for line in lines if "│" in line and "Customer " in line]


async def test_a_narrow_terminal_shows_a_conversation_a_line(store: Store) -> None:
    async with inbox(store, *TASKS, size=(80, 24)) as at:
        await quiet(at.app)
        rows = at.inbox.list.rows
        names = shown(text_of(at.app))
        assert len(names) >= 17
        assert names == [f"{number:02}" for number in range(len(names))]
        await at.pilot.click(rows, offset=Offset(10, 5))
        assert rows.cursor_key == "L1#C5"
        await at.press("space", "ctrl+d")
        assert rows.marks == {"L1#C5"}
        assert rows.cursor_key == f"L1#C{6 + rows.size.height // 2}"
        await at.press("g")
        await turn_wheel(rows, 1)
        assert shown(text_of(at.app))[0] == "03"


async def test_the_second_line_comes_and_goes_with_the_width_and_the_cursor_stays_in_sight(store: Store) -> None:
    async with inbox(store, *TASKS, size=(80, 24)) as at:
        rows = at.inbox.list.rows
        await at.press(*["j"] * 15)
        await quiet(at.app)
        for size, height in (((100, 24), 2), ((99, 24), 1)):
            await at.pilot.resize_terminal(*size)
            await quiet(at.app)
            assert rows.row_height == height
            lines = text_of(at.app)
            assert "15" in shown(lines)
            line = next(
                place for place, each in enumerate(lines) if each.startswith("│") and "Customer 15" in each
            )
            assert "! 2h late" in lines[line + height - 1]
            assert ("unassigned" in lines[line + 1].split("││")[0]) is (height == 2)

"""The header: which tabs and how much of them it has at each width, and what the same again costs."""

import re

import pytest
from textual.geometry import Offset

from frontdesk.tui.header import Header, Tab
from frontdesk_lines.cell_width import cell_width
from frontdesk_lines.display_text import trusted
from frontdesk_lines.lines import span
from tui.hosts import Host, quiet, text_of, until

pytestmark = pytest.mark.anyio

TABS = [
    Tab(name.lower(), str(number), name)
    for number, name in enumerate(["Inbox", "Board", "Campaigns", "Workflows", "AI agents", "Activity"], 1)
]


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (120, "frontdesk  1 Inbox  2 Board  3 Campaigns  4 Workflows  5 AI agents  6 Activity"),
        (92, "1 Inbox  2 Board  3 Campaigns  4 Workflows  5 AI agents  6 Activity"),
        (60, "1 Inbox  2 Board  3 Campaigns  4  5  6"),
        (30, "1  2 Board  3  4  5  6"),
        (20, "2 Board"),
        (4, "2 B"),
    ],
)
async def test_the_header_gives_way_from_the_outside(width: int, expected: str) -> None:
    header = Header(trusted("frontdesk"), TABS, "board" if width < 92 else "inbox")
    app = Host(header)
    async with app.run_test(size=(width, 3)):
        header.set_right((span("acme · all lines"),))
        await quiet(app)
        assert expected in text_of(app)[0].strip()
        assert text_of(app)[0].endswith("acme · all lines") == (width >= 60)


async def test_the_end_of_the_right_side_gives_way_to_the_names_of_tabs() -> None:
    header = Header(trusted("frontdesk"), TABS, "inbox")
    app = Host(header)
    async with app.run_test(size=(80, 3)) as pilot:
        header.set_right((span("acme"),), (span(" · all lines"),))
        await quiet(app)
        assert re.fullmatch(r" 1 Inbox .* 6 Activity +acme ?", text_of(app)[0])
        await pilot.resize_terminal(120, 3)
        await quiet(app)
        assert text_of(app)[0].endswith("acme · all lines")


async def test_right_to_left_text_is_laid_out_once() -> None:
    header = Header(trusted("frontdesk"), TABS, "inbox")
    async with Host(header).run_test(size=(120, 3)):
        header.set_right((span("שלום"),))
        assert "םולש" in "".join(part.text.text for part in header.line)


async def test_a_click_on_a_tab_says_which() -> None:
    header = Header(trusted("frontdesk"), TABS, "inbox")
    app = Host(header)
    async with app.run_test(size=(120, 3)) as pilot:
        await quiet(app)
        await pilot.click(header, offset=Offset(text_of(app)[0].index("Campaigns") + 2, 0))
        await until(lambda: [message.id for message in app.of(Header.TabChosen)] == ["campaigns"])


async def test_the_same_right_side_costs_nothing(wire: list[str]) -> None:
    header = Header(trusted("frontdesk"), TABS, "inbox")
    app = Host(header)
    async with app.run_test(size=(120, 5)):
        header.set_right((span("acme"),))
        await quiet(app)
        assert "acme" in text_of(app)[0]
        wire.clear()
        header.set_right((span("acme"),))
        await quiet(app)
        assert "".join(wire) == ""


async def test_no_width_is_too_small() -> None:
    header = Header(trusted("frontdesk"), TABS, "inbox")
    app = Host(header)
    async with app.run_test(size=(1, 1)) as pilot:
        header.set_right((span("acme"),))
        for width in (1, 2, 5):
            await pilot.resize_terminal(width, 1)
            await quiet(app)
            assert cell_width(text_of(app)[0]) <= width

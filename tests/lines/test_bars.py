"""Status line and pane: what they say at each width, and what a change of it costs."""

import pytest
from textual.widgets import Static

from frontdesk_lines.cell_width import cell_width
from frontdesk_lines.display_text import trusted
from frontdesk_lines.lines import Line, Role, span
from frontdesk_lines.widgets.line_bar import Hint, StatusLine
from frontdesk_lines.widgets.pane import Pane
from frontdesk_lines.widgets.row_list import RowList
from tui.hosts import Host, quiet, text_of, until

pytestmark = pytest.mark.anyio

LIVE: Line = (span("● ", Role.GOOD), span("live"), span(" · 2 s ago", Role.DIM))
HINTS = [
    Hint("", (span(key, Role.ACCENT), span(f" {does}", Role.DIM)))
    for key, does in [("a", "assign"), ("t", "tag"), ("/", "filter"), ("?", "keys")]
]


async def test_right_to_left_text_is_laid_out_once() -> None:
    status = StatusLine()
    async with Host(status).run_test(size=(120, 3)):
        status.set_left((span("שלום"),))
        assert "םולש" in "".join(part.text.text for part in status.line)


async def test_the_status_line_keeps_the_connection_longest() -> None:
    status = StatusLine()
    app = Host(status)
    async with app.run_test(size=(80, 3)) as pilot:
        status.set_left(LIVE, (span("⇅ 1 to send", Role.PENDING),), ())
        status.set_right(*HINTS)
        await quiet(app)
        assert " ".join(text_of(app)[0].split()) == ("● live · 2 s ago ⇅ 1 to send a assign t tag / filter ? keys")
        assert text_of(app)[0].endswith("? keys")
        for width, words in [
            (60, "a assign   t tag   ? keys"),
            (50, "? keys"),
            (34, "1 to send"),
            (20, "live · 2 s ago"),
        ]:
            await pilot.resize_terminal(width, 3)
            await until(lambda words=words: words in text_of(app)[0])
        assert "? keys" not in text_of(app)[0]


async def test_where_it_is_narrow_the_connection_is_said_in_fewer_words_before_anything_goes() -> None:
    """So that at 80 columns all four bad states can still be read, and what waits to be sent."""
    status = StatusLine()
    app = Host(status)
    state = span("○ credentials refused", Role.BAD)
    long: Line = (state, span(" · run frontdesk login · data as of Tue 14:20 · retries at 14:30:20"))
    async with app.run_test(size=(140, 3)) as pilot:
        status.set_left(long, (span("⇅ 1 to send"),), shorter=[(state, span(" · run frontdesk login"))])
        status.set_right(*HINTS)
        await quiet(app)
        assert "retries at 14:30:20" in text_of(app)[0]
        await pilot.resize_terminal(80, 3)
        await until(lambda: "retries" not in text_of(app)[0])
        assert "○ credentials refused · run frontdesk login   ⇅ 1 to send" in text_of(app)[0]
        assert text_of(app)[0].endswith("? keys")


async def test_what_is_said_again_costs_nothing_and_a_change_little(wire: list[str]) -> None:
    status = StatusLine()
    app = Host(status)
    async with app.run_test(size=(120, 5)):
        status.set_left(LIVE)
        status.set_right(*HINTS)
        await quiet(app)
        wire.clear()
        status.set_left(LIVE)
        status.set_right(*HINTS)
        await quiet(app)
        assert "".join(wire) == ""
        status.set_left((span("● ", Role.GOOD), span("live"), span(" · 3 s ago", Role.DIM)))
        await quiet(app)
        assert 0 < len("".join(wire).encode()) <= 120


async def test_a_panes_title_is_painted_without_its_inside(wire: list[str]) -> None:
    pane = Pane(Static("inside"), title=trusted("Conversations"))
    pane.set_subtitle(trusted("1/9"))
    app = Host(pane)
    async with app.run_test(size=(60, 12)):
        await quiet(app)
        assert "Conversations" in text_of(app)[0]
        wire.clear()
        pane.set_title(trusted("Conversations"))
        await quiet(app)
        assert "".join(wire) == ""
        pane.set_title((span("Tasks", Role.STRONG),))
        pane.set_subtitle(trusted("2/9"))
        await quiet(app)
        written = "".join(wire)
        assert "Tasks" in text_of(app)[0]
        assert "2/9" in text_of(app)[-1]
        assert "Tasks" in written
        assert "inside" not in written
        assert len(written.encode()) <= 700


async def test_a_panes_subtitle_takes_the_form_that_fits_and_another_after_a_resize() -> None:
    pane = Pane(Static("inside"))
    pane.set_subtitle(trusted("longest waiting first"), (span("longest wait"),), (span("1 of 245"),))
    app = Host(pane)
    async with app.run_test(size=(27, 5)) as pilot:
        await quiet(app)
        assert text_of(app)[-1] == "╰─ longest waiting first ─╯"
        for width, words in ((26, "longest wait"), (15, "1 of 245"), (27, "longest waiting first")):
            await pilot.resize_terminal(width, 5)
            await until(lambda words=words: f" {words} ─╯" in text_of(app)[-1])


async def test_focus_shows_in_the_title_and_all_borders_have_one_weight() -> None:
    one, two = RowList(lambda key, width: ()), RowList(lambda key, width: ())
    app = Host(Pane(one, title=trusted("[b]One[/x]")), Pane(two, title=trusted("Two")))
    async with app.run_test(size=(60, 12)):
        one.focus()
        await until(lambda: one.has_focus)
        await quiet(app)
        lines = text_of(app)
        assert (lines[0][0], lines[6][0]) == ("╭", "╭")
        assert "[b]One[/x]" in lines[0]
        first, second = (pane.styles.border_title_style for pane in app.query(Pane))
        assert (first.bold, bool(second.bold)) == (True, False)


async def test_no_size_is_too_small() -> None:
    status = StatusLine()
    app = Host(Pane(Static("x"), title=trusted("T")), status)
    async with app.run_test(size=(1, 1)) as pilot:
        status.set_left(LIVE)
        status.set_right(*HINTS)
        for size in ((1, 1), (2, 2), (5, 1)):
            await pilot.resize_terminal(*size)
            await quiet(app)
            shown = text_of(app)
            assert len(shown) == size[1]
            assert all(cell_width(line) <= size[0] for line in shown), size

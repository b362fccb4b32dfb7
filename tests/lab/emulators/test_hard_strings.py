"""No string breaks a column: every cell that isn't the string's own is where it belongs.

All hard strings are put into conversations, the thread, cards and dialogs of the real app; what it writes to
its terminal is given to terminal emulators, and their cells are compared with where Textual put them.
"""

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC
from itertools import zip_longest
from pathlib import Path

import pytest
from rich.cells import cell_len, split_graphemes
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.config.settings import Profile
from frontdesk.inbox.store import threads
from frontdesk.inbox.tui.screen import InboxScreen
from frontdesk.registry.keymap import KEYMAP
from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from frontdesk.tasks.tui.dialogs import AssignDialog, PersonChoice
from frontdesk.tui.context import AppContext
from frontdesk_api.contract.ids import AgentId
from frontdesk_api.hosts import Hosts
from frontdesk_lines.cell_width import is_disputed
from frontdesk_lines.content import segments
from frontdesk_lines.display_text import show_line
from frontdesk_lines.glyphs import glyphs
from frontdesk_lines.lines import Role, Span, fit, paragraph, span
from frontdesk_lines.wide_cells import position_cells
from lab.emulators.cells import Cells, Pyte, gnu_screen, has_screen, has_tmux, tmux
from lab.sample import IS_ALL, count
from sample_json import raw_message, raw_task
from services import Services
from terminal.hard_strings import GROUPS, HARD
from tui.hosts import quiet, until, wire
from tui.screen_text import is_painted, screen_strips, use_truecolor

__all__ = ["wire"]

pytestmark = pytest.mark.anyio

COLUMNS, ROWS = 140, 40
NOW = 1_700_000_000.0
MIXED = tuple(string for turn in zip_longest(*(group.strings for group in GROUPS)) for string in turn if string)
"""One of each group after the other, so that any screenful has all of them."""
FRAME = "│╭╮╰╯─━┃┏┓┗┛▐▌"
CONVERSATION = "L1#C0"


class Screens(FrontdeskApp):
    """The app, writing what it would to a terminal."""

    is_headless = False  # type: ignore[assignment]


def test_the_table_is_large_and_says_why() -> None:
    assert len(GROUPS) >= 15
    assert len(set(HARD)) == len(HARD) >= 120
    assert all(group.why for group in GROUPS)


def belonging(strips: list[Strip]) -> Cells:
    """Where each character has to be that is no part of a hard word.

    What stands between two hard words of one column moves with them; a border never does.
    """
    cells: Cells = {}
    for y, strip in enumerate(strips):
        x = 0
        for segment in strip:
            for stretch in re.findall(r"[^ ]+(?: [^ ]+)*| +", segment.text):
                words = stretch.split(" ")
                hard = [place for place, word in enumerate(words) if is_disputed(word)]
                for place, word in enumerate(words):
                    if (
                        not hard
                        or not hard[0] <= place <= hard[-1]
                        or (set(word) & set(FRAME) and not is_disputed(word))
                    ):
                        _put(cells, word, x, y)
                    x += cell_len(word) + (place < len(words) - 1)
    return cells


def _put(cells: Cells, piece: str, x: int, y: int) -> None:
    for start, end, width in split_graphemes(piece)[0]:
        if piece[start:end].strip():
            cells[x, y] = piece[start:end]
        x += width


def wrong(expected: Cells, found: Cells, *, first_row: int = 0) -> list[str]:
    """The cells that hold something else, in words; a hard word may have its neighbours float with it."""
    return [
        f"{x},{y}: {want!r}, not {found.get((x, y), ' ')!r}"
        for (x, y), want in expected.items()
        if y >= first_row and found.get((x, y), " ")[:1] != want[:1]
    ]


@asynccontextmanager
async def opened(store: Store, wire: list[str]) -> AsyncIterator[tuple[Screens, Callable[..., object]]]:
    """The app over a store in which every name, title and message is hard."""
    raws = [
        raw_task(
            number,
            title=string,
            body=f"{string} | {string}",
            dueDate=NOW - number * 1000,
            statusCase=("open", "standby", "completed")[number % 3],
            customer={
                "phoneNumberId": f"C{number}",
                "customerName": string,
                "lastActiveAt": (NOW - number) * 1000,
            },
        )
        for number, string in enumerate(MIXED)
    ]
    messages = [
        raw_message(number, message=f"{string} and {string} | end", createdAt=(NOW - number * 60) * 1000)
        for number, string in enumerate(MIXED)
    ]
    store.write(lambda db: task_store.put(db, raws)).result()
    page = {"start": None, "has_more": False, "now": NOW}
    store.write(lambda db: threads.put_page(db, CONVERSATION, messages, **page)).result()
    profile = Profile("test", Hosts(*["http://127.0.0.1:9"] * 5), agent_id=AgentId("me"))
    services = Services(store, profile, clock=lambda: NOW)
    app = Screens(AppContext(services.store, services.outbox, glyphs(False), UTC, lambda: NOW, keymap=KEYMAP))
    use_truecolor(app)
    async with app.run_test(size=(COLUMNS, ROWS), notifications=True) as pilot:
        await until(lambda: app.current_screen is not None and app.current_screen.is_mounted)
        await until(lambda: views_are_counted(app))
        await quiet(app)

        async def press(*keys: str) -> None:
            await pilot.press(*keys)
            await settled(app)

        yield app, press


def views_are_counted(app: Screens) -> bool:
    """Counts are had beside the screen, one after the other."""
    screen = app.current_screen
    assert isinstance(screen, InboxScreen)
    return all(screen.list.view_counts.of(each) is not None for each in screen.list.views if not each.off)


async def settled(app: Screens) -> None:
    """Wait until the thread has followed the cursor and all that changed is painted."""
    await quiet(app)
    screen = app.current_screen
    if isinstance(screen, InboxScreen) and app.screen is screen and screen.list.has_focus_within:
        await until(lambda: screen.thread.conversation_id == screen.list.cursor)
    await quiet(app)
    await until(lambda: is_painted(app))


Frame = tuple[str, str, Cells]
"""What is shown, what was written since the one before, and where everything belongs."""


async def frames(
    store: Store, wire: list[str], pages: int, position: Callable[[str], str] = position_cells
) -> list[Frame]:
    """Every screen on the way, of lists so many pages."""
    taken: list[Frame] = []
    async with opened(store, wire) as (app, press):

        def take(name: str) -> None:
            taken.append((name, "".join(map(position, wire)), belonging(screen_strips(app))))
            wire.clear()

        async def page(name: str, key: str = "pagedown") -> None:
            for number in range(pages):
                take(f"{name} {number}")
                await press(key)

        await page("conversations")
        await press("g", "enter")
        await page("thread", "pageup")
        await press("2")
        await page("board")
        for key, name in (("s", "status"), ("d", "due"), ("t", "tag"), ("e", "edit"), ("i", "record")):
            await press(key)
            take(f"dialog {name}")
            await press("escape")
        people = [
            PersonChoice(str(number), show_line(string), seen=show_line(string, 12))
            for number, string in enumerate(MIXED)
        ]
        app.push_screen(AssignDialog(show_line("".join(MIXED[:20]), 60), people))
        await settled(app)
        await page("dialog assign")
    return taken


def test_no_hard_string_moves_what_follows_in_rows_and_paragraphs() -> None:
    styles = {role: Style(bold=role is Role.STRONG) for role in Role}
    columns, wrong_lines = 46, []
    for string in HARD:
        shown = show_line(string)
        name, end = Span(shown, Role.STRONG), (span("| 2m", Role.DIM),)
        lines = [fit([name], columns, end), fit([span("a "), name, span(" b"), name], columns, end)]
        lines += paragraph(show_line(f"{string} and {string}"), columns)[:3]
        written, expected = "", {}
        for y, line in enumerate(lines):
            strip = Strip([*segments(line, styles), Segment("|", Style(dim=True))])
            written += f"\x1b[{y + 1};1H{'X' * 60}\x1b[{y + 1};1H{position_cells(strip.render(Console()))}"
            expected[columns, y] = "|"
            expected |= {(x, y): "X" for x in range(columns + 1, 60)}
            expected |= {(x, each + y): char for (x, each), char in belonging([strip]).items()}
        if found := wrong(expected, Pyte(60, len(lines)).cells(written)):
            wrong_lines.append((string, found))
    assert not wrong_lines


@pytest.mark.lab
@pytest.mark.timeout(1800)
async def test_no_cell_of_any_screen_is_wrong(store: Store, wire: list[str], tmp_path: Path) -> None:
    taken = await frames(store, wire, pages=count(2, 14))
    assert sum(len(expected) for _, _, expected in taken) > 10_000
    assert not pyte_faults(taken)
    if has_screen():
        assert not screen_faults(taken, tmp_path)
    if has_tmux():
        asked = taken if IS_ALL else [frame for frame in taken if frame[0] == "thread 1"]
        assert not tmux_faults(asked, taken, tmp_path)


def pyte_faults(taken: list[Frame]) -> list[str]:
    """The wrong cells in pyte."""
    emulator = Pyte(COLUMNS, ROWS)
    return [
        f"{name}: {cell}" for name, written, expected in taken for cell in wrong(expected, emulator.cells(written))
    ]


def tmux_faults(asked: list[Frame], taken: list[Frame], folder: Path) -> list[str]:
    """The wrong cells in tmux of some of the frames; all before one are written too."""
    faults: list[str] = []
    with tmux(folder, COLUMNS, ROWS) as pane:
        for name, _, expected in asked:
            place = next(place for place, frame in enumerate(taken) if frame[0] == name)
            found = pane.cells("".join(frame[1] for frame in taken[: place + 1]))
            faults += [f"{name}: {cell}" for cell in wrong(expected, found, first_row=1)]
    return faults


def screen_faults(taken: list[Frame], folder: Path) -> list[str]:
    """The wrong cells in GNU screen, which tells the low byte of each character."""
    faults: list[str] = []
    with gnu_screen(folder, COLUMNS, ROWS) as session:
        for name, written, expected in taken:
            found = session.cells(written)
            low = {place: chr(ord(want[0]) & 0xFF) for place, want in expected.items()}
            told = {place: want for place, want in low.items() if want not in " \xff"}
            faults += [f"{name}: {cell}" for cell in wrong(told, found, first_row=1)]
    return faults

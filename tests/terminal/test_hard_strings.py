"""No string breaks a column: every cell that isn't the string's own is where it belongs.

All hard strings are put into conversations, the thread, cards and dialogs of the real app; what it writes to
its terminal is given to terminal emulators, and their cells are compared with where Textual put them.
"""

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC
from pathlib import Path

import pytest
from rich.cells import cell_len, split_graphemes
from rich.color import ColorSystem
from textual.strip import Strip

from frontdesk.cells import is_disputed
from frontdesk.config import Hosts, Profile
from frontdesk.contract.ids import AgentId
from frontdesk.desk.desk import Desk
from frontdesk.present.glyphs import glyphs
from frontdesk.store import tasks, threads
from frontdesk.store.store import Store
from frontdesk.text import show_line
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.dialogs.assign import AssignDialog, PersonChoice
from frontdesk.tui.keymap import Keymap
from frontdesk.tui.placing import placed
from frontdesk.tui.room import Room
from frontdesk.tui.screens.inbox import InboxScreen
from raws import raw_message, raw_task
from terminal.emulators import Cells, Pyte, has_tmux, tmux
from terminal.hard_strings import GROUPS, HARD
from tui.widgets.hosts import quiet, until, wire

__all__ = ["wire"]

pytestmark = pytest.mark.anyio

COLUMNS, ROWS = 140, 40
NOW = 1_700_000_000.0
FRAME = "│╭╮╰╯─━┃┏┓┗┛▐▌"
CONVERSATION = "L1#C0"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


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
                    if not hard or not hard[0] <= place <= hard[-1] or (set(word) & set(FRAME) and not is_disputed(word)):
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
        for number, string in enumerate(HARD)
    ]
    messages = [
        raw_message(number, message=f"{string} and {string} | end", createdAt=(NOW - number * 60) * 1000)
        for number, string in enumerate(HARD)
    ]
    store.write(lambda db: tasks.put(db, raws)).result()
    page = {"start": None, "has_more": False, "now": NOW}
    store.write(lambda db: threads.put_page(db, CONVERSATION, messages, **page)).result()
    profile = Profile("test", Hosts(*["http://127.0.0.1:9"] * 5), agent_id=AgentId("me"))
    desk = Desk(store, profile, clock=lambda: NOW)
    app = Screens(Room(desk, glyphs(False), UTC, lambda: NOW), Keymap())
    app.console._color_system = ColorSystem.TRUECOLOR
    async with app.run_test(size=(COLUMNS, ROWS), notifications=True) as pilot:
        await until(lambda: app.desk_screen is not None and app.desk_screen.is_mounted)
        await quiet(app)

        async def press(*keys: str) -> None:
            await pilot.press(*keys)
            await settled(app)

        yield app, press


async def settled(app: Screens) -> None:
    """Wait until the thread has followed the cursor and all that changed is painted."""
    await quiet(app)
    screen = app.desk_screen
    if isinstance(screen, InboxScreen) and app.screen is screen and screen.list.has_focus_within:
        await until(lambda: screen.thread.conversation_id == screen.list.cursor)
    await quiet(app)
    await until(lambda: not app.screen._dirty_widgets and not app.screen._compositor._dirty_regions)


async def frames(store: Store, wire: list[str]) -> list[tuple[str, str, Cells]]:
    """Every screen on the way: its name, what was written since the last one, and where everything belongs."""
    taken: list[tuple[str, str, Cells]] = []
    async with opened(store, wire) as (app, press):

        def take(name: str) -> None:
            taken.append((name, "".join(map(placed, wire)), belonging(app.screen._compositor.render_strips())))
            wire.clear()

        async def page(name: str, times: int, key: str = "pagedown") -> None:
            for number in range(times):
                take(f"{name} {number}")
                await press(key)

        await page("conversations", 10)
        await press("g", "enter")
        await page("thread", 14, "pageup")
        await press("2")
        await page("board", 5)
        for key, name in (("s", "status"), ("d", "due"), ("t", "tag"), ("e", "edit"), ("i", "record")):
            await press(key)
            take(f"dialog {name}")
            await press("escape")
        people = [
            PersonChoice(str(number), show_line(string), seen=show_line(string, 12))
            for number, string in enumerate(HARD)
        ]
        app.push_screen(AssignDialog(show_line("".join(HARD[::9]), 60), people))
        await settled(app)
        await page("dialog assign", len(HARD) // 12 + 1)
    return taken


async def test_no_cell_is_wrong_in_emulators(store: Store, wire: list[str], tmp_path: Path) -> None:
    taken = await frames(store, wire)
    cells = sum(len(expected) for _, _, expected in taken)
    assert len(taken) > 30
    assert cells > 20_000
    emulator = Pyte(COLUMNS, ROWS)
    faults = {
        name: found for name, written, expected in taken if (found := wrong(expected, emulator.cells(written)))
    }
    assert not faults, f"pyte: {sum(map(len, faults.values()))} of {cells} cells"
    if not has_tmux():
        return
    with tmux(tmp_path, COLUMNS, ROWS) as pane:
        for name in ("conversations 5", "thread 6", "board 1", "dialog assign 3"):
            place = next(place for place, each in enumerate(taken) if each[0] == name)
            written = "".join(each[1] for each in taken[: place + 1])
            assert not wrong(taken[place][2], pane.cells(written), first_row=1), f"tmux: {name}"

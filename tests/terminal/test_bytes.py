"""What goes over the line: nothing while idle, and little for a key."""

import re
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyte.screens import Char

from terminal.service import FRONTDESK, Home, Service, end_all
from terminal.terminal import Terminal

pytestmark = [pytest.mark.pty, pytest.mark.xdist_group("pty")]

FRAME = re.compile(rb"\x1b\[\?2026h.*?\x1b\[\?2026l", re.DOTALL)
BUDGET = 500
HELD_BUDGET = 800
"""Bytes a key, synchronised output's 16 included."""

RESTING_BUDGET = 2_500
DIALOG_BUDGET = 5_500

HELD_KEYS = 30
CTRL_L = "\x0c"


@pytest.fixture(scope="module")
def settled(
    service: Service, business: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Terminal]:
    """One program for all of these tests, live and with nothing left to read."""
    home = Home(tmp_path_factory.mktemp("settled"))
    home.fill(service, business[1])
    with Terminal([FRONTDESK], home.environment(service)) as terminal:
        terminal.wait_for("● live")
        terminal.wait_for(r"waiting > 1h +\d")  # the last view that is counted
        terminal.wait_for_quiet(1.0)
        yield terminal
    end_all(home)


def first_frame(terminal: Terminal, key: str) -> bytes:
    """The first frame that the program sends for a key; those after it follow the cursor."""
    before = len(terminal.raw)
    terminal.press(key)
    terminal.wait_for(lambda: FRAME.search(terminal.raw, before))
    terminal.wait_for_quiet(0.5)
    return FRAME.findall(bytes(terminal.raw[before:]))[0]


def test_an_idle_screen_sends_nothing(settled: Terminal) -> None:
    """The engine polls, at its usual pace, and finds that nothing differs."""
    assert settled.count_for(3.0) == 0, bytes(settled.raw[-400:])


def test_a_cursor_move_in_the_inbox_sends_two_names_and_two_bars(settled: Terminal) -> None:
    settled.press("S", "S", "S")
    settled.wait_for("by name")  # names in Latin letters first: others take two bytes a letter
    settled.press("g")
    settled.wait_for_quiet(0.5)
    for key in "jjk":
        frame = first_frame(settled, key)
        assert len(frame) < BUDGET, frame


def test_the_thread_that_follows_a_resting_cursor_is_sent_in_few_bytes(settled: Terminal) -> None:
    settled.resize(140, 40)
    settled.press("g")
    settled.wait_for_quiet(0.7)
    sizes = []
    for _ in range(9):
        before = len(settled.raw)
        settled.press("j")
        settled.wait_for(lambda before=before: len(FRAME.findall(settled.raw, before)) > 1)  # type: ignore[misc]
        settled.wait_for_quiet(0.5)
        # A letter counts as one: which rows are Hebrew is the seed's, and theirs are twice as long.
        sizes.append(len(settled.raw[before:].decode(errors="replace")))
    settled.resize(120, 36)
    settled.wait_for_quiet(0.5)
    assert statistics.median(sizes) < RESTING_BUDGET, sizes


def test_opening_the_keys_leaves_the_screen_behind_as_it_is(settled: Terminal) -> None:
    before = len(settled.raw)
    settled.press("?")
    settled.wait_for("Keys · Inbox")
    settled.wait_for_quiet(0.5)
    size = len(settled.raw) - before
    settled.press_and_settle("\x1b")
    assert size < DIALOG_BUDGET


def test_a_held_key_stays_within_its_bytes_over_several_pages(settled: Terminal) -> None:
    """In a window for the list alone: what follows the cursor is no part of it."""
    settled.resize(60, 36)
    settled.press("g")
    settled.wait_for_quiet(0.5)
    before = len(settled.raw)
    for _ in range(HELD_KEYS):
        sent = len(settled.raw)
        settled.press("j")
        settled.wait_for(lambda sent=sent: FRAME.search(settled.raw, sent))  # type: ignore[misc]
    settled.wait_for_quiet(0.3)
    assert (len(settled.raw) - before) / HELD_KEYS < HELD_BUDGET


def test_what_was_sent_in_differences_is_what_a_whole_repaint_shows(settled: Terminal) -> None:
    settled.resize(120, 36)
    for _ in range(8):
        settled.press(*"jjjGgj")
        settled.wait_for_quiet(0.7)
        shown, looks = settled.text, cells(settled)
        sent = len(settled.raw)
        settled.press(CTRL_L)
        settled.wait_for(lambda sent=sent: len(settled.raw) > sent + 3000)  # type: ignore[misc]
        settled.wait_for_quiet(0.7)
        if settled.text == shown and cells(settled) == looks:
            return
        # On a busy machine keys may not have been answered by then: what they move is no difference of ours.
    assert settled.text == shown
    assert cells(settled) == looks


def test_a_cursor_move_in_the_thread_sends_two_bars(settled: Terminal) -> None:
    settled.press("\t")
    settled.wait_for("╭─ Conversations")
    settled.wait_for_quiet(0.5)
    for key in "kkj":
        frame = first_frame(settled, key)
        assert len(frame) < BUDGET, frame


def test_a_cursor_move_on_the_board_sends_two_titles_and_bars(settled: Terminal) -> None:
    settled.resize(200, 40)
    settled.press("2")
    settled.wait_for(r"Open \d+")
    settled.wait_for_quiet(0.5)
    frame = first_frame(settled, "j")
    assert len(frame) < BUDGET, frame


def cells(terminal: Terminal) -> list[list[Char]]:
    """Every cell with its look; of a blank what is seen of it, since the colour of its letter isn't sent."""
    screen = terminal.screen
    return [[_seen(screen.buffer[y][x]) for x in range(screen.columns)] for y in range(screen.lines)]


def _seen(cell: Char) -> Char:
    if cell.data != " " or cell.underscore or cell.reverse or cell.strikethrough:
        return cell
    return cell._replace(fg="default", bold=False, italics=False)

"""Any size of the window, down to one cell, on every screen and in a dialog: never a crash."""

import pytest

from terminal.conftest import Open
from terminal.service import Home

pytestmark = [pytest.mark.pty, pytest.mark.xdist_group("pty")]

# Each size, and the dialog that is opened there and still open when the next size comes.
SIZES = [
    (200, 60, "s"),
    (100, 30, "d"),
    (80, 24, "t"),
    (20, 5, ":"),
    (1, 1, "?"),
    (60, 15, "s"),
]


def test_every_size_is_lived_through_and_the_program_answers_afterwards(opened: Open, filled_home: Home) -> None:
    terminal = opened()
    terminal.wait_for("● live")
    for columns, rows, dialog in SIZES:
        terminal.resize(columns, rows)
        terminal.wait_for_quiet(0.1)
        terminal.press_escape()
        terminal.press(*"j23j45j6j1jk", dialog)
        terminal.wait_for_quiet(0.2)
    terminal.resize(120, 36)
    terminal.wait_for_quiet(0.3)  # what stands there before is the smaller window's
    terminal.wait_for("Status · (.|\n)*esc cancel")
    terminal.press_escape()
    terminal.wait_for(lambda: "esc cancel" not in terminal.text)
    terminal.press("2")
    terminal.wait_for(r"Open \d+")
    terminal.press("q")
    terminal.wait_for("Conversations")
    terminal.press("q")
    assert terminal.wait_for_end() == 0


@pytest.mark.parametrize(("columns", "rows"), [(60, 15), (59, 15), (1, 1)])
def test_it_starts_in_a_small_window_too(opened: Open, filled_home: Home, columns: int, rows: int) -> None:
    terminal = opened(columns=columns, rows=rows)
    terminal.wait_for(lambda: terminal.raw)
    terminal.wait_for_quiet(0.3)
    if columns >= 60:
        terminal.wait_for("1 Inbox(.|\n)*Conversations · [1-9](.|\n)*live")
    if 20 < columns < 60:
        terminal.wait_for("need 60x15")
    terminal.resize(120, 36)
    terminal.wait_for("Conversations")
    terminal.wait_for("● live")

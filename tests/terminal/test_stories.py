"""What a person lives through at the screen, from starting the program to leaving it."""

import re
from pathlib import Path

import pytest

from terminal.conftest import LONG_THREAD, Open
from terminal.service import Home, Service, numbers, wait_until_nothing_runs
from terminal.terminal import ENTER, ESCAPE, PAGE_UP, Ended, Terminal

pytestmark = [pytest.mark.pty, pytest.mark.xdist_group("pty")]

LIVE = "● live"
LOADED = r"Conversations · [1-9][\d,]*(?! of|[\d,])"
"""The title of the whole list: loaded, and not filtered."""

OPEN_DIALOG = re.compile("esc (close|cancel)")


def find(terminal: Terminal, name: str) -> None:
    """Go to a customer by typing into the filter; where there is room, their thread is shown then."""
    terminal.wait_for(LOADED)
    terminal.press("/")
    terminal.wait_for("enter keep")
    terminal.press(*name)
    terminal.wait_for(r"· 1 of \d+")
    terminal.press_and_settle(ENTER)
    terminal.wait_for(rf"▌ (?:\S )?{name}")
    if terminal.screen.columns >= 100:
        terminal.wait_for(rf"╭─ {name}")


def complete(terminal: Terminal) -> None:
    """Choose Completed in the status dialog, by its digit."""
    terminal.press("s")
    terminal.wait_for(r"Status · .*(.|\n)*\d  Completed")
    digit = re.search(r"(\d)  Completed", terminal.text)
    assert digit is not None
    terminal.press(digit.group(1))
    terminal.wait_for(lambda: "Status ·" not in terminal.text)


def leave(terminal: Terminal) -> int:
    """Quit, saying yes where it asks because something is unsent; answers the exit status."""
    terminal.press("q")
    try:
        terminal.wait_for("Quit anyway?")
    except Ended:
        return terminal.wait_for_end()
    terminal.press("y")
    return terminal.wait_for_end()


def test_it_opens_on_an_empty_store_and_fills_with_conversations(
    opened: Open, service: Service, home: Home
) -> None:
    tasks = service.tasks()
    terminal = opened()
    terminal.wait_for("Conversations")
    terminal.wait_for(LIVE)
    known = {task["participantsIdentifiers"] for task in tasks}
    terminal.wait_for(f"Conversations · {len(known)} ")
    assert any(task["customer"]["customerName"] in terminal.text for task in tasks)
    terminal.press("q")
    assert terminal.wait_for_end() == 0
    wait_until_nothing_runs(home)


def test_a_status_set_in_the_inbox_reaches_the_platform_and_stays(
    opened: Open, service: Service, filled_home: Home
) -> None:
    terminal = opened(columns=160)
    find(terminal, "Tess Statusstory")
    assert "Oak table arrived scratched" in terminal.text
    assert service.task("task-C-tess")["statusCase"] == "open"
    complete(terminal)
    terminal.wait_for(lambda: service.task("task-C-tess")["statusCase"] == "completed")
    terminal.press(ESCAPE)  # clears the filter
    terminal.wait_for(LOADED)
    assert leave(terminal) == 0

    again = opened(columns=200, rows=30)
    find(again, "Tess Statusstory")
    again.wait_for(r"Oak table arrived scratched(.|\n)*Completed")
    again.press("2")
    again.wait_for(r"Completed \d+")
    # One column after the other is painted, so for a moment it may stand in two.
    again.wait_for(lambda: again.text.count("Oak table arrived scratched") == 1)
    column = next(line for line in again.text.splitlines() if "Completed " in line).index("Completed ")
    card = next(line for line in again.text.splitlines() if "Oak table arrived scratched" in line)
    assert card.index("Oak table") >= column - 3, "the card stands in another column"
    assert service.task("task-C-tess")["unreadCount"] == 1, "one PATCH, not more"


def test_page_up_brings_older_messages_until_the_thread_begins(opened: Open, filled_home: Home) -> None:
    """None is lost and none repeated, over several pages of the platform."""
    terminal = opened(columns=90)  # one pane, so that nothing but the thread is read from the screen
    find(terminal, "Zelda Longthread")
    terminal.press(ENTER)
    newest = list(range(LONG_THREAD - 4, LONG_THREAD + 1))
    terminal.wait_for(lambda: numbers(terminal.text, "number")[-5:] == newest)
    terminal.wait_for_quiet(0.2)
    pages = 0
    while "the thread starts here" not in terminal.text:
        terminal.wait_for(lambda: numbers(terminal.text, "number"))
        top = numbers(terminal.text, "number")[0]
        assert pages < 100, terminal.text
        terminal.press(PAGE_UP)
        pages += 1
        try:
            terminal.wait_for(lambda top=top: min(numbers(terminal.text, "number"), default=top) < top, seconds=1)
        except TimeoutError:
            continue  # the page above is still on its way
    assert pages >= 3
    terminal.resize(90, LONG_THREAD + 30)
    terminal.wait_for(lambda: numbers(terminal.text, "number") == list(range(1, LONG_THREAD + 1)))


def test_without_the_platform_rows_stay_and_it_comes_back_by_itself(
    opened: Open, own_service: Service, home: Home, business: tuple[Path, Path]
) -> None:
    home.fill(own_service, business[1])
    terminal = opened(at=own_service)
    terminal.wait_for(LIVE)
    terminal.wait_for_quiet(0.5)
    before = terminal.text.splitlines()[1:-1]
    own_service.kill()
    terminal.wait_for("○ offline · data as of")
    assert terminal.text.splitlines()[1:-1] == before
    own_service.start()
    terminal.wait_for(LIVE, seconds=60)
    assert terminal.text.splitlines()[1:-1] == before


def test_what_was_done_offline_is_asked_about_kept_and_sent_once_by_the_next_run(
    opened: Open, own_service: Service, home: Home, business: tuple[Path, Path]
) -> None:
    home.fill(own_service, business[1])
    own_service.kill()
    terminal = opened(at=own_service, columns=160)
    terminal.wait_for("○ offline")
    find(terminal, "Tess Statusstory")
    terminal.press_and_settle(ESCAPE)  # clears the filter
    complete(terminal)
    terminal.wait_for("⇅ 1 to send")
    terminal.press("q")
    terminal.wait_for("1 change isn't confirmed yet. Quit anyway?")
    terminal.press("n")
    terminal.wait_for(lambda: "Quit anyway?" not in terminal.text)
    assert leave(terminal) == 0

    own_service.start()
    again = opened(at=own_service)
    again.wait_for(lambda: own_service.task("task-C-tess")["statusCase"] == "completed")
    again.wait_for(LIVE)
    again.wait_for(lambda: "to send" not in again.text)
    assert own_service.task("task-C-tess")["unreadCount"] == 1, "one PATCH, not more"


def test_a_key_works_on_the_row_that_the_cursor_is_on_however_fast_it_is_pressed(
    opened: Open, filled_home: Home, service: Service
) -> None:
    """The thread follows the cursor after a pause, an action does not wait for it."""
    terminal = opened(columns=160)
    terminal.wait_for(LIVE)
    terminal.press("/")
    terminal.wait_for("enter keep")
    terminal.press(*"Quickhand")
    terminal.wait_for(r"· 2 of \d+")
    terminal.press_and_settle(ENTER)
    terminal.wait_for(r"▌ (?:\S )?(Uma|Vera) Quickhand")
    upper = re.search(r"▌ (?:\S )?(Uma|Vera) Quickhand", terminal.text)
    assert upper is not None
    terminal.wait_for(f"╭─ {upper[1]}")
    terminal.press("jc")
    lower = {"Uma": "Vera", "Vera": "Uma"}[upper[1]]
    terminal.wait_for(lambda: service.task(f"task-C-{lower}")["statusCase"] == "completed")
    assert service.task(f"task-C-{upper[1]}")["statusCase"] == "open"


def test_keys_that_come_twice_answer_a_dialog_once(opened: Open, filled_home: Home, service: Service) -> None:
    """A slow line delivers keys in bursts: the second of them must not end the program."""
    terminal = opened(columns=160)
    find(terminal, "Zelda Longthread")
    for dialog, title, keys in (
        ("s", "Status · Numbered thread", "22"),
        ("s", "Status · Numbered thread", "\r\r"),
        ("a", "Assign · Numbered thread", " \r\r"),
        ("d", "Due · Numbered thread", "1\r\r"),
    ):
        terminal.press(dialog)
        terminal.wait_for(title)
        terminal.press(keys)
        terminal.wait_for(lambda title=title: title not in terminal.text)
        terminal.wait_for("◐ In prog")  # before midnight "due tomorrow" leaves it no room
    for dialog, title in (("t", "Tag · Zelda Longthread"), ("?", "Keys · ")):  # there is nothing to accept in them
        terminal.press(dialog)
        terminal.wait_for(title)
        terminal.press("\r\r")
        terminal.wait_for_quiet(0.2)
        if OPEN_DIALOG.search(terminal.text):
            terminal.press_escape()
            terminal.wait_for(lambda: not OPEN_DIALOG.search(terminal.text))
    terminal.wait_for(lambda: service.task("task-C-zelda")["statusCase"] == "standby")


def test_enter_twice_in_the_palette_runs_a_command_once(opened: Open, filled_home: Home) -> None:
    terminal = opened(columns=160)
    terminal.wait_for(LIVE)
    terminal.press(":")
    terminal.wait_for("Type what you want to do(.|\n)*Assign or unassign people")
    terminal.wait_for_quiet(0.3)
    terminal.press("\r\r")
    terminal.wait_for_quiet(0.3)
    terminal.press("2")
    terminal.wait_for(r"Open \d+")


def test_what_is_done_in_one_terminal_is_shown_in_the_other(
    opened: Open, filled_home: Home, service: Service
) -> None:
    """Several programs share one profile; when the one that polls goes, the other takes over."""
    one, other = opened(columns=160), opened(columns=160)
    for terminal in (one, other):
        terminal.wait_for(LIVE)
        find(terminal, "Zelda Longthread")
    complete(one)
    other.wait_for(r"Numbered thread(.|\n)*Completed")
    other.wait_for(lambda: service.task("task-C-zelda")["statusCase"] == "completed")
    one.close()
    service.ask("PATCH", "/tasks/task-C-zelda", {"title": "Renamed by a colleague"})
    other.wait_for("Renamed by a colleague")

"""All commands by name: here and elsewhere, in the command line's words, and never an empty box."""

import re

import pytest
from textual.app import App
from textual.geometry import Offset

from frontdesk.registry.keymap import KEYMAP
from frontdesk.tui.dialogs.base import Answered
from frontdesk.tui.dialogs.help import CommandsDialog, HelpDialog, screen_of
from frontdesk.tui.keymap import SCREENS, Keymap, first_key_name
from frontdesk_lines.display_text import trusted
from tui.hosts import Host, quiet, text_of, until

pytestmark = pytest.mark.anyio

LIVE = {"task.status", "task.due", "campaign.watch", "go.board", "move.down"}


def dialog(keymap: Keymap = KEYMAP) -> CommandsDialog:
    return CommandsDialog(keymap, LIVE)


def test_everything_is_there_what_works_here_first() -> None:
    listed = dialog().matches("")
    assert set(listed) == {key.id for key in KEYMAP} - {"app.palette"}
    assert listed[: len(LIVE)] == ["task.due", "task.status", "campaign.watch", "go.board", "move.down"]


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("status", "task.status"),
        ("campaigns watch", "campaign.watch"),
        ("tasks list", "go.board"),
        ("outbox retry", "change.retry"),
        ("card one", "card.left"),
    ],
)
def test_the_words_of_screens_and_of_the_command_line_find_it(typed: str, first: str) -> None:
    assert dialog().matches(typed)[0] == first


def test_what_works_elsewhere_says_where() -> None:
    assert screen_of(KEYMAP["card.left"]) == "board"
    assert screen_of(KEYMAP["mark.all"]) is None


def test_what_works_anywhere_is_drawn_with_where() -> None:
    shown = CommandsDialog(KEYMAP, ())
    for key in KEYMAP:
        if key.id != "app.palette":
            assert shown.draw(key.id, 90)
    assert {screen_of(key) for key in KEYMAP if tuple(key.contexts) == ("comparing",)} == {"campaigns"}


def _drawn(shown: CommandsDialog | HelpDialog, name: str) -> str:
    return "".join(part.text.text for part in shown.draw(name, 120)[0])


def test_a_heading_stands_beside_the_first_action_of_its_group() -> None:
    commands = dialog()
    assert _drawn(commands, "task.due").startswith("Act     Set or clear")
    assert _drawn(commands, "task.status").startswith("        Set the status")
    assert _drawn(commands, "task.assign").startswith("Act     "), "of the actions that work elsewhere"
    keys = HelpDialog(trusted("Keys"), KEYMAP.help_for("inbox", "list"))
    assert _drawn(keys, "task.assign").startswith("Act     a ")
    assert _drawn(keys, "task.due").startswith("        d ")
    assert _drawn(keys, "move.down").startswith("Move    j ")


async def test_it_says_so_when_nothing_is_called_that() -> None:
    app: App[None] = Host()
    async with app.run_test(size=(100, 30)) as pilot:
        shown = dialog(KEYMAP.with_overrides({"task.status": "f6"}))
        await app.push_screen(shown)
        await pilot.press(*"set the st")
        await quiet(app)
        assert re.search("Set the status +f6 ", "\n".join(text_of(app)))
        await pilot.press(*"qqq")
        await quiet(app)
        assert "No command matches" in "\n".join(text_of(app))


async def test_the_box_is_as_high_as_what_matches_and_its_top_stays() -> None:
    app: App[None] = Host()
    async with app.run_test(size=(100, 30)) as pilot:
        shown = dialog()
        await app.push_screen(shown)
        await quiet(app)
        box = shown.query_one(".dialog--box")
        full = box.region
        assert full.x == 100 - full.right
        await pilot.press(*"set the st")
        await until(lambda: shown.rows.keys[:1] == ["task.status"])
        await quiet(app)
        less = full.height - box.region.height
        assert (box.region.y, less) == (full.y, shown.height_for(200, shown.share) - len(shown.rows.keys))
        await pilot.press(*["backspace"] * 10)
        await until(lambda: shown.rows.keys == shown.matches(""))
        await quiet(app)
        assert box.region == full


async def test_a_click_below_the_last_row_means_none() -> None:
    app: App[None] = Host()
    answers: list[object] = []
    async with app.run_test(size=(100, 30)) as pilot:
        shown = dialog()
        await app.push_screen(shown, answers.append)
        await pilot.press(*"set the st")
        await until(lambda: shown.rows.keys[:1] == ["task.status"])
        await quiet(app)
        assert len(shown.rows.keys) == shown.rows.size.height
        await pilot.click("RowList", offset=Offset(6, shown.rows.size.height))
        await quiet(app)
        assert app.screen is shown
        await pilot.click("RowList", offset=Offset(6, 0))
        await until(lambda: answers == [Answered("task.status")])


async def test_keys_stand_in_two_columns_where_it_is_wide_and_tab_goes_across() -> None:
    app: App[None] = Host()
    answers: list[object] = []
    async with app.run_test(size=(140, 40)) as pilot:
        shown = HelpDialog(trusted("Keys"), KEYMAP.help_for("inbox", "list"))
        await app.push_screen(shown, answers.append)
        await quiet(app)
        names = [key.id for _, keys in KEYMAP.help_for("inbox", "list") for key in keys]
        longer = len(shown.rows.keys)
        assert len(names) / 2 <= longer < len(names) / 2 + 5
        line = next(line for line in text_of(app) if KEYMAP[names[1]].help in line)
        # Either column may be the longer one.
        half = next(each for each in (longer, len(names) - longer) if KEYMAP[names[each + 1]].help in line)
        await pilot.press("down", "tab")
        picked = re.compile(f"> [A-Z]?[a-z]* +{re.escape(first_key_name(KEYMAP[names[half + 1]]))} ")
        await until(lambda: any(map(picked.search, text_of(app))))
        await pilot.press("enter")
        await until(lambda: answers == [Answered(names[half + 1])])
        again = HelpDialog(trusted("Keys"), KEYMAP.help_for("inbox", "list"))
        await app.push_screen(again, answers.append)
        await pilot.press(*"half a page down")
        await until(lambda: list(again.rows.keys)[:1] == ["move.half_down"])
        await pilot.press("enter")
        await until(lambda: answers[1:] == [Answered("move.half_down")])


@pytest.mark.parametrize("context", SCREENS)
async def test_a_group_of_keys_is_in_one_column(context: str) -> None:
    app: App[None] = Host()
    groups = KEYMAP.help_for(context, "list")
    async with app.run_test(size=(140, 40)):
        shown = HelpDialog(trusted("Keys"), groups)
        await app.push_screen(shown)
        await quiet(app)
        pairs = [pair.split("|") for pair in shown.rows.keys]
        left, right = ([name for name in column if name] for column in zip(*pairs, strict=True))
        assert left + right == [key.id for _, keys in groups for key in keys]
        assert right[0] in {keys[0].id for _, keys in groups}
        assert abs(len(left) - len(right)) < 10
        line = "".join(part.text.text for part in shown.draw("|app.help", 120)[0])
        assert line.index(KEYMAP["app.help"].help) > 60  # in its own column, though the left one has ended

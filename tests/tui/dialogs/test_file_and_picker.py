"""The dialogs in which a campaign is decided: files by paths, ids that nobody lists, a name that confirms."""

import os
from pathlib import Path

import pytest
from textual.widgets import Input

from frontdesk.campaigns.tui.wizard_submit import PreflightDialog
from frontdesk.tui.dialogs.base import Answered
from frontdesk.tui.dialogs.file import UP, FileDialog
from frontdesk.tui.dialogs.picker import NamedChoice, PickerDialog
from frontdesk.tui.dialogs.review import RecordDialog
from frontdesk_lines.display_text import trusted
from tui.dialogs.test_dialogs import opened, preflight
from tui.hosts import quiet, text_of, until

pytestmark = pytest.mark.anyio

FOLDERS = [NamedChoice("f-1", trusted("Spring")), NamedChoice("f-2", trusted("Summer"))]


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    folder = tmp_path / "lists"
    (folder / "old").mkdir(parents=True)
    for name in ("spring.csv", "summer.XLSX", "notes.bin", ".hidden.csv"):
        (folder / name).write_text("phone\n")
    (folder / "old" / "last.csv").write_text("phone\n")
    return folder


def choose(folder: Path) -> FileDialog:
    return FileDialog(trusted("A list"), folder, (".csv", ".xlsx"))


async def test_folders_come_first_then_lists_then_other_files(lists: Path) -> None:
    dialog = choose(lists)
    async with opened(dialog):
        await until(lambda: [*dialog.rows.keys] == [UP, "old", "spring.csv", "summer.XLSX", "notes.bin"])
        assert dialog.rows.cursor_key == "old"


async def test_a_name_is_completed_and_taken(lists: Path) -> None:
    dialog = choose(lists)
    async with opened(dialog) as (app, pilot, answers):
        await until(lambda: dialog.rows.keys)
        await pilot.press("s", "u", "tab")
        await quiet(app)
        assert app.screen.query_one(Input).value == "summer.XLSX"
        await pilot.press("enter")
        await until(lambda: answers == [Answered(str(lists / "summer.XLSX"))])


async def test_a_whole_name_is_never_taken_for_a_part_of_another(lists: Path) -> None:
    """A list that was made since the folder was listed is the one that is meant."""
    dialog = choose(lists)
    async with opened(dialog) as (_, pilot, answers):
        await until(lambda: dialog.rows.keys)
        (lists / "ring.csv").write_text("phone\n")
        await pilot.press(*"ring.csv")
        await until(lambda: [*dialog.rows.keys] == ["spring.csv"])
        await pilot.press("enter")
        await until(lambda: answers == [Answered(str(lists / "ring.csv"))])


async def test_folders_are_gone_into_and_left(lists: Path) -> None:
    dialog = choose(lists)
    async with opened(dialog) as (_, pilot, answers):
        await until(lambda: dialog.rows.cursor_key == "old")
        await pilot.press("enter")
        await until(lambda: [*dialog.rows.keys] == [UP, "last.csv"])
        await pilot.press("up", "enter")
        await until(lambda: "spring.csv" in dialog.rows.keys)
        await pilot.press("o", "l", "d", "/", "l")
        await until(lambda: [*dialog.rows.keys] == ["last.csv"])
        await pilot.press("enter")
        await until(lambda: answers == [Answered(str(lists / "old" / "last.csv"))])


async def test_a_path_that_leads_nowhere_is_said_and_answers_nothing(lists: Path) -> None:
    dialog = choose(lists)
    async with opened(dialog) as (app, pilot, answers):
        dialog.query_one(Input).value = "/no/such/folder/list.csv"
        await until(lambda: "/no/such/folder: No such file or directory" in "\n".join(text_of(app)))
        await pilot.press("enter")
        await until(lambda: "no such file" in "\n".join(text_of(app)))
        assert not answers


async def test_a_name_that_no_field_holds_is_taken_as_it_is(lists: Path, wire: list[str]) -> None:
    name = "evil\x1b]52;c;eA==\x07\udcff.csv"
    (lists / name).write_text("phone\n")
    dialog = choose(lists)
    async with opened(dialog) as (app, pilot, answers):
        await until(lambda: name in dialog.rows.keys)
        await pilot.press("e", "v", "i", "l")
        await until(lambda: [*dialog.rows.keys] == [name])
        await pilot.press("tab", "enter")
        await until(lambda: answers == [Answered(os.fspath(lists / name))])
        await quiet(app)
        assert "\x1b]52;c;eA==\x07" not in "".join(wire)


async def test_an_id_that_is_not_listed_can_be_typed() -> None:
    async with opened(PickerDialog(trusted("Folder"), FOLDERS, can_type=True)) as (_, pilot, answers):
        await pilot.press("x", "9", "enter")
        await until(lambda: answers == [Answered("x9")])
    async with opened(PickerDialog(trusted("Folder"), FOLDERS, can_type=True)) as (_, pilot, answers):
        await pilot.press("s", "u", "m", "enter")
        await until(lambda: answers == [Answered("f-2")])


@pytest.mark.parametrize("can_type", [False, True])
async def test_a_choice_begins_on_what_was_chosen(can_type: bool) -> None:
    dialog = PickerDialog(trusted("Folder"), FOLDERS, at="f-2", can_type=can_type)
    async with opened(dialog) as (_, pilot, answers):
        await until(lambda: dialog.rows.cursor_key == "f-2")
        await pilot.press("enter")
        await until(lambda: answers == [Answered("f-2")])


async def test_only_its_name_sends_a_campaign_and_enter_alone_never() -> None:
    async with opened(preflight()) as (app, pilot, answers):
        await pilot.press("enter", "enter", "enter", "n", "o", "enter")
        await quiet(app)
        assert not answers
        assert "The name doesn't match" in "\n".join(text_of(app))
        app.screen.query_one(Input).value = " Spring sale "
        await pilot.press("enter", "enter")
        await until(lambda: answers == [Answered(True)])


async def test_an_error_takes_no_name() -> None:
    async with opened(preflight(errors=2)) as (app, pilot, answers):
        assert not any(words in "\n".join(text_of(app)) for words in ("tab name", "enter send"))
        await pilot.press("tab", "S", "enter", "enter")
        await quiet(app)
        assert app.screen.query_one(Input).disabled
        assert "2 errors prevent sending" in "\n".join(text_of(app))
        assert not answers


async def test_what_is_sent_is_read_line_by_line_and_in_full() -> None:
    async with opened(preflight(), (80, 16)) as (app, pilot, _):
        await until(lambda: "line 0" in "\n".join(text_of(app)))
        await pilot.press("tab", "G")
        await until(lambda: "line 59" in "\n".join(text_of(app)))
        await pilot.press("tab", "pageup", "pageup", "pageup", "pageup", "pageup", "pageup", "pageup", "pageup")
        await until(lambda: "line 0" in "\n".join(text_of(app)))
        await pilot.press("tab", "i")
        await until(lambda: "all of it" in "\n".join(text_of(app)))


async def test_a_preflights_name_is_typed_at_once_and_what_is_read_scrolls_meanwhile() -> None:
    async with opened(preflight()) as (app, pilot, answers):
        assert "line 0" in "\n".join(text_of(app))
        await pilot.press(*"Spring ", "pagedown", "down", *"sali", "backspace")
        await quiet(app)
        assert "line 0" not in "\n".join(text_of(app))
        assert "tab all JSON" in "\n".join(text_of(app))
        await pilot.press("tab", "i")
        await until(lambda: isinstance(app.screen, RecordDialog))
        await pilot.press("escape")
        await until(lambda: isinstance(app.screen, PreflightDialog))
        await quiet(app)
        assert "i all JSON" in "\n".join(text_of(app))
        await pilot.press("tab", "e", "enter")
        await until(lambda: answers == [Answered(True)])


@pytest.mark.parametrize(("draft", "value"), [("Spr", "Spr"), ("Spring sale", "")])
async def test_enter_alone_never_sends_also_where_the_whole_name_was_typed_before(draft: str, value: str) -> None:
    async with opened(preflight(draft=draft)) as (app, pilot, answers):
        assert app.screen.query_one(Input).value == value
        await pilot.press("enter", "enter")
        await quiet(app)
        assert not answers

"""Dialogs: keys in, an answer out, and what was typed kept."""

import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.widgets import Input

from frontdesk.campaigns.draft import Draft
from frontdesk.campaigns.preflight_facts import Preflight, PreflightFinding, error, unchecked, warning
from frontdesk.campaigns.tui.wizard_form import AudienceTagsDialog
from frontdesk.campaigns.tui.wizard_submit import PreflightDialog, UncheckedDialog
from frontdesk.registry.keymap import KEYMAP
from frontdesk.tasks.tui.dialogs import (
    AssignDialog,
    Assignment,
    EditDialog,
    MergeDialog,
    PersonChoice,
    StatusChoice,
    StatusDialog,
)
from frontdesk.tasks.tui.failures_dialog import Failure, FailureChoice, FailuresDialog
from frontdesk.tui.dialogs.base import Answered, Closed, Dialog
from frontdesk.tui.dialogs.confirm import AnswerButton, BulkPlanDialog, ConfirmDialog, PlanRow
from frontdesk.tui.dialogs.copy_lines import CopyLinesDialog
from frontdesk.tui.dialogs.due import DueDialog, DuePreset, DuePreview
from frontdesk.tui.dialogs.file import FileDialog
from frontdesk.tui.dialogs.help import HelpDialog
from frontdesk.tui.dialogs.picker import NamedChoice, PickerDialog, TagChoice, TagDialog, chip
from frontdesk.tui.dialogs.prompt import PromptDialog
from frontdesk.tui.dialogs.review import RecordDialog
from frontdesk_api.contract.ids import CampaignId
from frontdesk_lines.display_text import show_line, trusted
from frontdesk_lines.lines import fit, span
from frontdesk_lines.widgets.note import Note
from frontdesk_lines.widgets.row_list import RowList
from tui.hosts import Host, quiet, text_of, turn_wheel, until

pytestmark = pytest.mark.anyio

STATUSES = [
    StatusChoice("open", trusted("Open"), 12),
    StatusChoice("doing", trusted("In progress")),
    StatusChoice("done", trusted("Completed")),
]
TAGS = [
    TagChoice("vip", trusted("VIP"), trusted("gold")),
    TagChoice("ref", trusted("Refund"), given_at=trusted("Tue 14:02")),
    TagChoice("late", trusted("Delivery late")),
]
PEOPLE = [
    PersonChoice("noa", trusted("Noa Bar"), is_on=True),
    PersonChoice("me", trusted("Idan K"), is_me=True),
    PersonChoice("omar", trusted("Omar Haddad"), is_on=None),
    PersonChoice("x9", trusted("x9")),
]
PROFILES = [
    NamedChoice("acme", trusted("acme"), trusted("https://a.example")),
    NamedChoice("beta", trusted("beta")),
]
PRESETS = [
    DuePreset("1", trusted("in 1 hour"), trusted("15:04"), "hour"),
    DuePreset("2", trusted("today 17:00"), trusted("in 3 h"), "five"),
    DuePreset("0", trusted("none"), trusted(""), None),
]


NUMBERS = (span("9 of 9 change"),)
FAILURES = [
    Failure(number, trusted(f"Task {number}"), trusted("refused"), trusted("no such status")) for number in (1, 2)
]


def plan_row(key: str) -> PlanRow:
    return PlanRow(trusted(f"Task {key}"), (span("Open → Completed"),))


def parse(words: str) -> DuePreview:
    return (
        DuePreview(trusted(f"Fri for {words}"), True, words) if "fri" in words else DuePreview(trusted("?"), False)
    )


def preflight(errors: int = 0, draft: str = "", unchecked: Sequence[PreflightFinding] = ()) -> PreflightDialog:
    lines = tuple((span(f"line {number}"),) for number in range(60))
    findings = (*[error("name", "it has no name")] * errors, *unchecked, warning("audience", "a row is skipped"))
    found = Preflight(findings, trusted("1 recipient"), 1, None, (1.0, 1.0), True, (), {"note": "all of it"})
    checked = Draft("d", CampaignId("c"), 0.0, "Spring  sale")
    return PreflightDialog(checked, found, lambda _: lines, typed=draft)


ALL: list[Callable[[], Dialog[Any]]] = [
    lambda: StatusDialog(trusted("Status · Late delivery"), STATUSES, "doing"),
    lambda: TagDialog(trusted("Tag · 3 conversations"), TAGS),
    lambda: AssignDialog(trusted("Assign · Late delivery"), PEOPLE),
    lambda: DueDialog(trusted("Due · Late delivery"), PRESETS, parse, current=trusted("today")),
    lambda: ConfirmDialog(
        trusted("Create"), trusted("Send now?"), [trusted("It cannot be called back.")], yes=trusted("Send")
    ),
    lambda: HelpDialog(trusted("Keys · Inbox"), KEYMAP.help_for("inbox", "list")),
    lambda: RecordDialog(trusted("Record"), [trusted(f'"line {number}": 1,') for number in range(500)]),
    lambda: PromptDialog(trusted("Watch"), note=trusted("by id")),
    lambda: EditDialog(trusted("Edit · Late delivery"), {"title": "Late delivery", "body": "Call.\nThen write."}),
    lambda: MergeDialog(
        trusted("Edit both · Late delivery"),
        {"title": "Theirs", "body": "Call.\nThen write.\n" * 20},
        {"title": "Yours", "body": "Write."},
    ),
    lambda: PickerDialog(trusted("Folder"), PROFILES, note=trusted("Now: f-1"), can_type=True),
    lambda: AudienceTagsDialog(trusted("Audience"), TAGS),
    lambda: FileDialog(trusted("A list"), Path(__file__).parent, (".csv",)),
    lambda: preflight(),
    lambda: UncheckedDialog([unchecked("workflow", "Workflow not checked: no answer")]),
    lambda: CopyLinesDialog(trusted("Message"), [trusted(f"line {number}") for number in range(500)]),
    lambda: BulkPlanDialog(
        trusted("Complete · 9 marked"), [NUMBERS], "abcdefghi", plan_row, yes=trusted("Yes, on 9")
    ),
    lambda: FailuresDialog(trusted("2 failed · Status: Completed"), FAILURES, note=NUMBERS),
    lambda: PickerDialog(trusted("Open another profile"), PROFILES, note=trusted("2 to send here")),
]
NAMES = [
    "status", "tags", "assign", "due", "confirm", "help", "record", "prompt", "edit", "merge",
    "pick or type", "audience", "file", "preflight", "unchecked", "copy", "plan",
    "failures", "choice",
]  # fmt: skip


class Answers(list[Any]):
    """What a dialog was dismissed with."""


@asynccontextmanager
async def opened(
    dialog: Dialog[Any], size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[Host, Pilot[None], Answers]]:
    app = Host()
    async with app.run_test(size=size) as pilot:
        yield app, pilot, await open_dialog(app, dialog)


async def open_dialog(app: Host, dialog: Dialog[Any]) -> Answers:
    answers = Answers()
    await app.push_screen(dialog, answers.append)
    await quiet(app)
    return answers


async def check_answers(make: Callable[[], Dialog[Any]], *cases: tuple[str, object]) -> None:
    """Check what keys make of a dialog; it is opened anew for each case."""
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        for keys, expected in cases:
            answers = await open_dialog(app, make())
            await pilot.press(*keys.split())
            await until(partial(bool, answers))
            assert answers == [expected], keys


async def test_each_says_what_it_works_on_and_its_keys_sends_nothing_idle_and_escape_closes_it(
    wire: list[str],
) -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        for name, make in zip(NAMES, ALL, strict=True):
            answers = await open_dialog(app, make())
            shown = "\n".join(text_of(app))
            assert make()._heading.text in shown, name
            assert "esc" in shown, name
            wire.clear()
            await quiet(app)
            assert "".join(wire) == "", name
            await pilot.press("escape")
            await until(lambda answers=answers: answers == [Closed("")])  # type: ignore[misc]


async def test_a_dialog_that_is_covered_by_another_closes_itself_and_not_that_one() -> None:
    below = PromptDialog(trusted("Below"))
    async with opened(below) as (app, pilot, answers):
        above = PromptDialog(trusted("Above"))
        await app.push_screen(above)
        below.action_close()
        below.done("late")
        below.done("too late")
        await quiet(app)
        assert app.screen is above
        assert not answers
        await pilot.press("escape")
        await until(lambda: answers == [Answered("late")])
        assert below not in app.screen_stack


@pytest.mark.slow
async def test_no_size_is_too_small_and_the_last_line_says_how_to_close_it_and_a_click_there_does() -> None:
    app = Host()
    async with app.run_test(size=(1, 1)) as pilot:
        for name, make in zip(NAMES, ALL, strict=True):
            await pilot.resize_terminal(1, 1)
            answers = await open_dialog(app, make())
            await pilot.press("down", "j", "up", "pagedown")
            for width, height in ((20, 8), (60, 15), (40, 10)):
                await pilot.resize_terminal(width, height)
                await quiet(app)
                box = app.screen.query_one(".dialog--box")
                assert box.region.right <= width, name
                assert box.region.height <= height, name
                await pilot.press("down", "j", "up", "pagedown")
            line = max(place for place, text in enumerate(text_of(app)) if "esc" in text)
            await pilot.click(offset=Offset(text_of(app)[line].index("esc"), line))
            await until(lambda answers=answers: len(answers) == 1)  # type: ignore[misc]
            assert isinstance(answers[0], Closed), name


async def test_a_status_is_chosen() -> None:
    await check_answers(
        ALL[0],
        ("9 3", Answered("done")),
        ("9 k enter", Answered("open")),
        ("9 enter", Answered("doing")),
        ("9 ח enter", Answered("done")),
    )


async def test_a_status_is_clicked_none_is_marked_and_a_click_beside_closes_it() -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        answers = await open_dialog(app, ALL[0]())
        await pilot.press("space", "v", "V")
        assert app.screen.query_one(RowList).marks == frozenset(), "one status is chosen"
        await pilot.click("RowList", offset=Offset(6, 2))
        await until(lambda: answers == [Answered("done")])
        closed = await open_dialog(app, ALL[0]())
        await pilot.click(offset=Offset(1, 1))
        await until(lambda: closed == [Closed("")])


@pytest.mark.slow
async def test_tags_are_given() -> None:
    await check_answers(
        ALL[1],
        ("enter", Answered(frozenset({"vip"}))),
        ("r e f enter", Answered(frozenset({"ref"}))),
        ("tab l a t tab enter", Answered(frozenset({"vip", "late"}))),
        ("space down space enter", Answered(frozenset({"vip", "ref"}))),
        ("tab tab down enter", Answered(frozenset({"ref"}))),
        ("q q 1 enter enter", Answered(frozenset({"qq1"}))),
        ("q q 1 tab v i p enter enter", Answered(frozenset({"qq1", "vip"}))),
    )


async def test_the_tag_dialog_says_what_it_cannot_do() -> None:
    async with opened(ALL[1]()) as (app, pilot, _):
        shown = " ".join(" ".join(text_of(app)).replace("│", " ").split())
        assert "Tags can't be removed." in shown
        assert "Sends in 5 s; press u to undo it until then." in shown
        assert "added here Tue 14:02" in shown
        await pilot.press("z", "z")
        await quiet(app)
        assert "new id zz" in "\n".join(text_of(app))
        assert "can't be verified" in "\n".join(text_of(app))


async def test_a_draft_comes_back() -> None:
    async with opened(ALL[1]()) as (app, pilot, answers):
        await pilot.press("r", "e", "f", "escape")
        await until(lambda: answers == [Closed("ref")])
        for keys, typed in (("v", "v"), ("right v", "refv"), ("", "ref")):  # an arrow keeps it
            again = await open_dialog(app, TagDialog(trusted("Tag"), TAGS, draft="ref"))
            assert "ref" in "\n".join(text_of(app))
            await pilot.press(*keys.split())
            assert app.screen.query_one(Input).value == typed
            await pilot.press("escape" if keys else "enter")
            await until(lambda again=again: again)  # type: ignore[misc]
        assert again == [Answered(frozenset({"ref"}))]


@pytest.mark.parametrize("at", [1, 2], ids=["tags", "assign"])
async def test_what_was_marked_comes_back_with_what_was_typed(at: int) -> None:
    async with opened(ALL[at]()) as (_, pilot, answers):
        await pilot.press("z", "9", "tab", "n", "escape")
        await until(lambda: len(answers) == 1)
    draft = answers[0].draft
    again = (
        TagDialog(trusted("Tag"), TAGS, draft=draft)
        if at == 1
        else AssignDialog(trusted("Assign"), PEOPLE, draft=draft)
    )
    async with opened(again) as (app, pilot, answers):
        assert again.typed == "n"
        await pilot.press("backspace")
        await quiet(app)
        assert "[x] z9" in " ".join("\n".join(text_of(app)).split())
        assert "z9: can't be verified" in "\n".join(text_of(app))
        await pilot.press("enter")
        await until(lambda: answers == [Answered(frozenset({"z9"}) if at == 1 else Assignment(("z9",)))])


async def test_a_plan_that_can_be_taken_back_is_one_enter_away() -> None:
    await check_answers(
        ALL[-3],
        ("enter", Answered(True)),
        ("y", Answered(True)),
        ("j j n", Closed("")),
        ("tab enter", Closed("")),
    )


async def test_a_plan_names_the_customer_first_and_whole_where_there_is_room() -> None:
    name = "Bartholomew Featherstonehaugh-Cholmondeley"
    rows = {
        "a": PlanRow(trusted("Dana Levi"), (span("Open → Completed"),), trusted("Late delivery of two chairs")),
        "b": PlanRow(trusted(name), (span("Open → Completed"),), trusted("Refund")),
        "c": PlanRow(trusted("Omar Haddad"), (span("no task loaded"),)),
    }
    plan = BulkPlanDialog(trusted("Complete"), [NUMBERS], "abc", rows.__getitem__, yes=trusted("Yes"))
    async with opened(plan, (60, 15)) as (app, pilot, _answers):
        for size, whole in (((60, 15), False), ((80, 24), True), ((140, 40), True)):
            await pilot.resize_terminal(*size)
            await quiet(app)
            lines = [line for line in text_of(app) if "Dana Levi" in line or "Barth" in line or "Omar" in line]
            assert len({line.index("Open") for line in lines[:2]} | {lines[2].index("no task")}) == 1, size
            assert (name in lines[1]) is whole, size
            assert ("Refund" in lines[1]) is whole, size


async def test_a_long_plan_scrolls_as_lists_do() -> None:
    keys = [f"t{number}" for number in range(60)]
    plan = BulkPlanDialog(trusted("Status"), [NUMBERS], keys, plan_row, yes=trusted("Yes"))
    async with opened(plan) as (_, pilot, _answers):
        for key, at in (("G", 59), ("g", 0), ("end", 59), ("home", 0)):
            await pilot.press(key)
            assert plan.rows.cursor_index == at
        await pilot.press("ctrl+d")
        half = plan.rows.cursor_index or 0
        assert 0 < half < 59
        await pilot.press("ctrl+u")
        assert plan.rows.cursor_index == 0


async def test_after_the_wheel_a_picker_answers_with_a_row_on_the_screen() -> None:
    choices = [NamedChoice(f"p{number}", trusted(f"profile {number}")) for number in range(60)]
    dialog = PickerDialog(trusted("Profile"), choices, placeholder="name")
    async with opened(dialog) as (app, pilot, answers):
        await turn_wheel(dialog.rows, 5)
        shown, rows = "\n".join(text_of(app)), dialog.rows
        assert f"profile {rows.keys[rows.rows_above].removeprefix('p')} " in f"{shown} "
        assert rows.cursor_key == rows.keys[rows.rows_above] != "p0"
        here = rows.cursor_key
        await pilot.press("enter")
        await until(lambda: answers == [Answered(here)])


async def test_a_plan_that_cannot_be_taken_back_has_no_near() -> None:
    plan = BulkPlanDialog(trusted("Tag"), [NUMBERS], "ab", plan_row, [trusted("Tags stay.")], yes=trusted("Yes"))
    async with opened(plan) as (app, pilot, answers):
        assert "! Tags stay." in "\n".join(text_of(app))
        assert plan.rows.size.height == 2
        assert plan.query_one(".confirm--answers").region.y == plan.rows.region.bottom + 1
        assert plan.query_one(".dialog--box").region.height < 14
        await pilot.press("enter")
        await until(lambda: answers == [Closed("")])


async def test_of_what_failed_one_is_opened_or_some_sent_again() -> None:
    await check_answers(
        ALL[-2],
        ("j enter", Answered(FailureChoice(open=2))),
        ("j r", Answered(FailureChoice(again=(2,)))),
        ("R", Answered(FailureChoice(again=(1, 2)))),
    )


@pytest.mark.parametrize(
    ("color", "ink"),
    [("#f00", "#f00"), ("rgb(1,2,3)", "rgb(1,2,3)"), ("gold", "gold"), ("gold\x1b[2J", ""), ("", ""),
     ("ansi_red", ""), ("[red]", "")],
)  # fmt: skip
def test_a_chip_has_the_tags_colour_where_it_is_one(color: str, ink: str) -> None:
    assert chip(color)[0].ink == ink


@pytest.mark.slow
async def test_people_are_put_on_and_taken_off() -> None:
    await check_answers(
        ALL[2],
        ("tab down tab enter", Answered(Assignment(("me",), ("noa",)))),
        ("tab tab down down space enter", Answered(Assignment(("omar",)))),
        ("o m a tab tab enter", Answered(Assignment(remove=("omar",)))),
        ("o m a tab n o a enter enter", Answered(Assignment(("omar",), ("noa",)))),
        ("z 9 tab enter", Answered(Assignment(("z9",)))),
    )


@pytest.mark.slow
async def test_enter_on_a_person_assigns_them_instead_of_the_others() -> None:
    others = ("noa", "omar")
    await check_answers(
        ALL[2],
        ("enter", Answered(Assignment(("me",), others))),
        ("n o a enter", Answered(Assignment(("noa",), ("omar",)))),
        ("x 9 enter", Answered(Assignment(("x9",), others))),
    )


async def test_the_assign_dialog_says_who_is_replaced_before_enter_does_it() -> None:
    dialog = AssignDialog(trusted("Assign"), PEOPLE)
    async with opened(dialog) as (app, pilot, answers):
        await until(lambda: "Idan K instead of Noa Bar, Omar Haddad" in "\n".join(text_of(app)))
        assert "tab add or remove  enter assign instead" in "\n".join(text_of(app))
        await pilot.press(*"zz")
        await until(lambda: "Current: Noa Bar, Omar Haddad" in "\n".join(text_of(app)))
        await pilot.press("enter")
        await until(lambda: "−Noa Bar  −Omar Haddad  +zz: can't be verified" in "\n".join(text_of(app)))
        assert "enter apply" in "\n".join(text_of(app))
        assert answers == [], "an id that can't be verified is only marked"
        await pilot.press("enter")
        await until(lambda: answers == [Answered(Assignment(("zz",), ("noa", "omar")))])


async def test_enter_on_an_unassigned_task_just_assigns() -> None:
    dialog = AssignDialog(trusted("Assign"), [PersonChoice("x9", trusted("Dan"))])
    async with opened(dialog) as (app, pilot, answers):
        await until(lambda: "Current: unassigned" in "\n".join(text_of(app)))
        assert "enter assign  esc" in "\n".join(text_of(app))
        await pilot.press("enter")
        await until(lambda: answers == [Answered(Assignment(("x9",)))])


async def test_one_of_several_is_chosen_by_its_name() -> None:
    await check_answers(
        ALL[-1],
        ("enter", Answered("acme")),
        ("down enter", Answered("beta")),
        ("b e enter", Answered("beta")),
    )


async def test_me_comes_first_and_then_those_who_are_on() -> None:
    dialog = AssignDialog(trusted("Assign"), PEOPLE)
    async with opened(dialog):
        assert dialog.rows.keys == ["me", "noa", "omar", "x9"]


async def test_the_time_that_words_mean_is_shown_while_they_are_typed() -> None:
    dialog = DueDialog(trusted("Due"), PRESETS, parse, current=trusted("today"))
    async with opened(dialog) as (app, pilot, answers):
        assert "Current: today" in words(dialog)
        await pilot.press("enter")
        await until(lambda: "Type a time" in "".join(text_of(app)))
        await pilot.press("f", "r", "enter")
        await until(lambda: "✗ ?" in words(dialog))
        assert answers == [], "words that mean no time are not taken"
        await pilot.press("i")
        await until(lambda: "→ Fri for fri" in words(dialog))
        await pilot.press("enter")
        await until(lambda: answers == [Answered("fri")])


async def test_a_digit_alone_is_a_preset_and_a_time_may_begin_with_one() -> None:
    await check_answers(
        ALL[3],
        ("2", Answered("five")),
        ("0", Answered(None)),
        ("down down enter", Answered("five")),
        ("down 2", Answered("five")),
        ("f backspace 1", Answered("hour")),
        ("2 f r i enter", Answered("2fri")),
        ("2 enter", Answered("five")),
        ("space 2 f r i enter", Answered("2fri")),
        ("f r i 2 enter", Answered("fri2")),
        ("7 f r i enter", Answered("7fri")),
    )


async def test_a_digit_is_a_preset_where_it_would_replace_what_was_typed_before() -> None:
    await check_answers(
        lambda: DueDialog(trusted("Due"), PRESETS, parse, draft="fri"),
        ("2", Answered("five")),
        ("end 2 enter", Answered("fri2")),
    )


async def test_a_time_that_begins_with_the_digit_of_a_preset_is_typed_as_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[Callable[[], None]] = []
    monkeypatch.setattr(DueDialog, "set_timer", lambda dialog, seconds, ends: pauses.append(ends))
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        for typed in ("17:05", "2d", "1am", "2 dec"):
            dialog = DueDialog(trusted("Due"), PRESETS, parse)
            answers = await open_dialog(app, dialog)
            await pilot.press(*("space" if each == " " else each for each in typed))
            assert pauses, "its digit is a preset's"
            for ends in pauses:
                ends()
            await quiet(app)
            assert (app.screen, dialog.draft, answers) == (dialog, typed, [])
            pauses.clear()
            await pilot.press("escape")


async def test_a_slow_parse_never_blocks_typing() -> None:
    started, release = threading.Event(), threading.Event()
    released: list[bool] = []

    def slow(typed: str) -> DuePreview:
        started.set()
        released.append(release.wait(30))
        return DuePreview(trusted(f"Fri for {typed}"), True, typed)

    dialog = DueDialog(trusted("Due"), PRESETS, slow)
    async with opened(dialog) as (_, pilot, answers):
        await pilot.press("f")
        await until(started.is_set)
        await pilot.press("r", "i")
        assert dialog.draft == "fri"
        await pilot.press("enter")
        release.set()
        await until(lambda: answers == [Answered("fri")])
        assert released, "it was parsed"
        assert all(released), "no key waited for the end of a parse"


async def test_no_is_the_answer_that_is_near() -> None:
    await check_answers(
        ALL[4],
        ("y", Answered(True)),
        ("н", Answered(True)),
        ("enter", Closed("")),
        ("n", Closed("")),
        ("left enter", Answered(True)),
        ("tab enter", Answered(True)),
    )


async def test_a_question_is_answered_by_a_click() -> None:
    async with opened(ALL[4]()) as (app, pilot, answers):
        await pilot.click(app.screen.query(AnswerButton).first())
        await until(lambda: answers == [Answered(True)])


async def test_help_finds_a_key_by_what_it_does() -> None:
    async with opened(ALL[5]()) as (app, pilot, answers):
        assert "Set the status" in "\n".join(text_of(app))
        await pilot.press(*"unassign people")
        await quiet(app)
        assert "Assign or unassign people" in "\n".join(text_of(app))
        await pilot.press("enter")
        await until(lambda: answers == [Answered("task.assign")])


async def test_a_big_record_opens_and_scrolls() -> None:
    lines = [show_line(f'"field {number}": "{"x" * 150}"') for number in range(50_000)]
    dialog = RecordDialog(trusted("Record"), lines)
    async with opened(dialog) as (app, pilot, answers):
        assert '"field 0"' in "\n".join(text_of(app))
        await pilot.press("G")
        await quiet(app)
        assert '"field 49999"' in "\n".join(text_of(app))
        await pilot.press("q")
        await until(lambda: answers == [Closed("")])


async def test_a_prompt_says_what_is_wrong_and_keeps_the_words() -> None:
    dialog = PromptDialog(
        trusted("Watch"),
        note=trusted("by id"),
        fault=lambda words: None if words == "c1" else trusted("No such campaign."),
    )
    async with opened(dialog) as (_, pilot, answers):
        await pilot.press("c", "enter")
        await until(lambda: "No such campaign." in "".join(part.text.text for part in dialog.note))
        await pilot.press("1")
        await until(lambda: "by id" in "".join(part.text.text for part in dialog.note))
        await pilot.press("enter")
        await until(lambda: answers == [Answered("c1")])


async def test_what_a_prompt_says_is_read_in_full_where_it_is_narrow() -> None:
    says = "Its two letters, or nothing. Numbers without a calling code are read as its own."
    fault = "That is a sentence which is longer than any box of sixty cells is wide, from its start to its end."
    dialog = PromptDialog(trusted("Home country"), note=trusted(says), fault=lambda _: trusted(fault))
    async with opened(dialog, (60, 15)) as (app, pilot, _):
        for size, words in (((60, 15), says), ((40, 12), says), ((40, 12), fault), ((60, 15), fault)):
            await pilot.resize_terminal(*size)
            if words == fault:
                await pilot.press("enter")
            await quiet(app)
            shown = " ".join("\n".join(text_of(app)).replace("│", " ").split())
            assert words in shown, size
            assert "esc cancel" in shown, size


@pytest.mark.slow
async def test_markup_in_names_is_only_text() -> None:
    hostile = show_line("[@click=app.quit]x[/] [/foo] \x1b[2J")
    dialogs: list[Dialog[Any]] = [
        TagDialog(hostile, [TagChoice("a", hostile, hostile, hostile)]),
        AssignDialog(hostile, [PersonChoice("a", hostile, seen=hostile)]),
        StatusDialog(hostile, [StatusChoice("a", hostile)]),
        ConfirmDialog(hostile, hostile, [hostile], yes=hostile),
        RecordDialog(hostile, [hostile]),
        PromptDialog(hostile, note=hostile, draft="[/foo]"),
        DueDialog(hostile, [DuePreset("1", hostile, hostile)], parse, current=hostile),
    ]
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        for dialog in dialogs:
            answers = await open_dialog(app, dialog)
            assert "[@click=app.quit]x" in "\n".join(text_of(app))
            await pilot.press("down", "escape")
            await until(lambda answers=answers: len(answers) == 1)


async def test_a_list_sorted_anew_below_a_dialog_keeps_its_cursor() -> None:
    rows = RowList(lambda key, width: (fit((span(key),), width),))
    app, answers = Host(rows), Answers()
    async with app.run_test(size=(80, 24)) as pilot:
        rows.set_keys(["a", "b", "c"])
        rows.move_to("b")
        await app.push_screen(ALL[0](), answers.append)
        rows.set_keys(["c", "new", "b", "a"])
        await pilot.press("1")
        await until(lambda: answers == [Answered("open")])
        await quiet(app)
        assert rows.cursor_key == "b"
        assert [line.strip(" ▌") for line in text_of(app)[:4]] == ["c", "new", "b", "a"]


def words(dialog: DueDialog) -> str:
    return "".join(part.text.text for part in dialog.query_one("#preview", Note).line)

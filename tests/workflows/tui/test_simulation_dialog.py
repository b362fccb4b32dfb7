"""The dry run as a dialog: what is typed is what the customer does, and a step is taken back."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from textual.widgets import Input

from app.test_sizes import resize
from flows.graphs import message, node, workflow
from frontdesk.tui.dialogs.base import Closed
from frontdesk.workflows.tui.dialogs import DryRunDialog
from frontdesk_flows.graph import Graph, read_graph
from frontdesk_flows.simulation.run import Circumstances, dry_run
from frontdesk_flows.simulation.script import Script, ScriptAction, ScriptStep
from frontdesk_flows.simulation.trace import SimulationState
from frontdesk_lines.display_text import trusted
from frontdesk_lines.glyphs import UNICODE
from frontdesk_sandbox.seeding.workflows import make_workflows
from tui.dialogs.test_dialogs import opened
from tui.hosts import quiet, text_of, until

pytestmark = pytest.mark.anyio

SEEDED = {each["id"]: read_graph(each) for each in make_workflows(1_790_000_000)}
NIGHT = datetime(2026, 11, 20, 23, 5, tzinfo=UTC)


def dialog_of(workflow_id: str, graphs: Mapping[str, Graph] = SEEDED, draft: str = "") -> DryRunDialog:
    def play(script: Script) -> object:
        return dry_run(graphs, workflow_id, script.steps, Circumstances(NIGHT, script.variables))

    return DryRunDialog(trusted(f"Dry run · {workflow_id}"), play, UNICODE, draft=draft)  # type: ignore[arg-type]


async def test_a_customer_writes_presses_by_number_and_lets_time_go_by() -> None:
    dialog = dialog_of("returns/v2")
    async with opened(dialog, (100, 30)) as (app, pilot, _):
        assert dialog.run_so_far.state is SimulationState.TO_BEGIN
        assert any('It starts when a customer\'s message contains "return"' in line for line in text_of(app))
        dialog.query_one(Input).value = "a return"
        await pilot.press("enter")
        await until(lambda: dialog.run_so_far.state is SimulationState.ANSWER)
        await quiet(app)
        screen = "\n".join(text_of(app))
        assert "▸ Why?" in screen
        assert "2 Damaged" in screen
        assert 'Waiting for an answer at "Why?"' in screen
        await pilot.press("2")
        await quiet(app)
        assert any('enter: The customer presses "Damaged"' in line for line in text_of(app))
        await pilot.press("enter")
        await until(lambda: dialog.run_so_far.state is SimulationState.TIME)
        await pilot.press("tab")
        await until(lambda: dialog.run_so_far.state is SimulationState.COMPLETED)
        await quiet(app)
        assert any('Completed at "Make a task" after 15 min.' in line for line in text_of(app))


async def test_what_nothing_decides_is_chosen_by_number_or_given() -> None:
    dialog = dialog_of("wf-welcome")
    async with opened(dialog) as (app, pilot, _):
        await pilot.press("enter", "1", "enter")
        await until(lambda: dialog.run_so_far.state is SimulationState.CHOICE)
        await pilot.press("9", "enter")
        await quiet(app)
        assert any("✗ that isn't one of the choices" in line for line in text_of(app))
        dialog.query_one(Input).value = "{lookup.status} = 200"
        await pilot.press("enter")
        await until(lambda: dialog.run_so_far.state is SimulationState.COMPLETED)
        await pilot.press("backspace")
        await until(lambda: dialog.run_so_far.state is SimulationState.CHOICE)
        await pilot.press("2", "enter")
        await until(lambda: dialog.run_so_far.at is not None and dialog.run_so_far.at.id == "welcome-assign")


async def test_a_step_is_taken_back_and_what_was_played_is_kept_when_it_is_closed() -> None:
    """Backspace takes a letter, and in the empty field a step; what a campaign begins has begun."""
    dialog = dialog_of("returns/v2")
    async with opened(dialog) as (app, pilot, answers):
        dialog.query_one(Input).value = "return"
        await pilot.press("enter")
        await until(lambda: dialog.run_so_far.state is SimulationState.ANSWER)
        await pilot.press("3", "backspace")
        assert dialog.run_so_far.state is SimulationState.ANSWER
        await pilot.press("backspace", "backspace")
        await until(lambda: dialog.run_so_far.state is SimulationState.TO_BEGIN)
        dialog.query_one(Input).value = "return"
        await pilot.press("enter", "x", "escape")
        await until(lambda: answers)
        (closed,) = answers
        assert isinstance(closed, Closed)

        again = dialog_of("returns/v2", draft=closed.draft)
        app.push_screen(again, answers.append)
        await until(lambda: app.screen is again)
        assert again.run_so_far.state is SimulationState.ANSWER
        await pilot.press("backspace", "backspace", "escape")
        await until(lambda: answers == [closed, Closed("")])

        survey = dialog_of("wf-survey")
        app.push_screen(survey)
        await until(lambda: app.screen is survey)
        assert survey.run_so_far.state is SimulationState.ANSWER
        await pilot.press("backspace")
        await quiet(app)
        assert survey.run_so_far.state is SimulationState.ANSWER


async def test_what_was_played_goes_on_as_far_as_a_changed_workflow_has_a_place_for_it() -> None:
    script = Script(
        (
            ScriptStep(ScriptAction.SAY, "return"),
            ScriptStep(ScriptAction.PRESS, "taken out since"),
            ScriptStep(ScriptAction.SILENCE),
        )
    )
    dialog = dialog_of("returns/v2", draft=json.dumps([script.to_json(), ""]))
    async with opened(dialog, (100, 30)) as (app, pilot, _):
        await quiet(app)
        assert dialog.run_so_far.state is SimulationState.ANSWER
        assert any("The workflow has changed" in line for line in text_of(app))
        await pilot.press("2", "enter")
        await until(lambda: dialog.run_so_far.state is SimulationState.TIME)
        await quiet(app)
        assert not any("The workflow has changed" in line for line in text_of(app))


async def test_strangers_words_and_small_sizes_do_no_harm() -> None:
    evil = "\x1b]0;x\x07[/] \u202e" + "שלום " * 300
    it = workflow("w", message("a", evil, to="b"), node("b" + evil, "odd", title=evil), name=evil, start="a")
    dialog = dialog_of("w", {"w": read_graph(it)})
    async with opened(dialog, (60, 15)) as (app, pilot, _):
        await pilot.press("enter")
        for size in ((60, 15), (30, 8), (1, 1)):
            await resize(app, *size)
            await pilot.press("up", "pageup", "down", "tab")
        await resize(app, 80, 24)
        await until(lambda: any("there's no node" in line for line in text_of(app)))
        assert not any("\x1b" in line or "\u202e" in line for line in text_of(app))

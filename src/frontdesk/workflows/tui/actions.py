"""WorkflowActions: what the keys of the workflows screen do to the workflow under the cursor.

Each action reads the stored workflow, shows what would happen, and submits it once that was confirmed.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from frontdesk.text.display_text import show_line, trusted
from frontdesk.text.lines import Line, Role, span
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.content import notify
from frontdesk.tui.dialogs.base import Answered, Closed
from frontdesk.tui.dialogs.review import ReviewDialog, name_to_type
from frontdesk.workflows.graph_cache import StoredGraphs, graphs_from
from frontdesk.workflows.models import WorkflowRecord
from frontdesk.workflows.prepare import prepare_reset, prepare_switch
from frontdesk.workflows.simulation.events import DryRun
from frontdesk.workflows.simulation.run import Circumstances, dry_run
from frontdesk.workflows.simulation.script import Script
from frontdesk.workflows.tui.file_actions import create_workflow, export_workflow, update_workflow
from frontdesk.workflows.tui.simulation_dialog import DryRunDialog
from frontdesk.workflows.tui.snapshots_flow import open_snapshots
from frontdesk.workflows.tui.workflow_flow import WorkflowFlow
from frontdesk.workflows.view.review import errors_in, reset_lines, switch_lines

NO_WORKFLOW = "There is no workflow under the cursor."


class WorkflowActions:
    """One action at a time on a screen that lists workflows."""

    def __init__(self, screen: BaseScreen, selected: Callable[[], WorkflowRecord | None]) -> None:
        self._screen, self._selected = screen, selected

    def create(self) -> None:
        """Store a new workflow from a file."""
        if self._screen.cancel_action is None:
            create_workflow(self._screen)

    def update(self) -> None:
        """Replace the workflow by a file."""
        self._act(update_workflow)

    def switch(self) -> None:
        """Switch the workflow on or off."""
        self._act(switch_workflow)

    def simulate(self) -> None:
        """Try the workflow without a customer."""
        self._act(simulate_workflow)

    def export(self) -> None:
        """Write the workflow into a file."""
        self._act(export_workflow)

    def open_snapshots(self) -> None:
        """Compare the workflow's analytics with earlier ones."""
        self._act(open_snapshots)

    def reset_analytics(self) -> None:
        """Zero the workflow's analytics."""
        self._act(reset_analytics)

    def _act(self, action: Callable[[BaseScreen, WorkflowRecord], None]) -> None:
        if self._screen.cancel_action is not None:
            return  # one was clicked while another is on its way
        record = self._selected()
        if record is None:
            notify(self._screen.app, trusted(NO_WORKFLOW), timeout_seconds=3)
        else:
            action(self._screen, record)


def switch_workflow(screen: BaseScreen, record: WorkflowRecord) -> None:
    """Switch it on where it is off, and off where it is on, once what that means was read."""
    flow = WorkflowFlow(screen, "switch workflow", record.workflow_id)
    flow.start(_switch(flow, record))


async def _switch(flow: WorkflowFlow, record: WorkflowRecord) -> None:
    switch = await flow.run_in_background(partial(prepare_switch, workflow_id=record.workflow_id))
    if switch is None:
        return
    on, name = switch.base.get("isActive") is not True, record.name or record.workflow_id
    does = "switch on" if on else "switch off"
    dialog = ReviewDialog(
        show_line(f"{does.capitalize()} · {name}", 80),
        lambda width: tuple(switch_lines(record, switch, on=on, width=width, view=flow.app_context.view())),
        _switch_question(errors_in(switch.findings) if on else 0, "on" if on else "off"),
        does=does,
    )
    if isinstance(await flow.ask(dialog), Answered):
        switching = flow.app_context.services.set_workflow_active(record.workflow_id, on, switch.base)
        await flow.submit(switching, f"{does.capitalize()} {name}")


def _switch_question(errors: int, state: str) -> Line:
    if not errors:
        return (span(f"y switches it {state}.", Role.WARN),)
    what = "1 error says" if errors == 1 else f"{errors:,} errors say"
    return (span(f"✗ {what} that it won't run or open. y switches it {state} all the same.", Role.BAD),)


def reset_analytics(screen: BaseScreen, record: WorkflowRecord) -> None:
    """Zero them once their name was typed; what they were is kept here."""
    flow = WorkflowFlow(screen, "reset analytics", record.workflow_id)
    flow.start(_reset(flow, record))


async def _reset(flow: WorkflowFlow, record: WorkflowRecord) -> None:
    counters = await flow.run_in_background(partial(prepare_reset, workflow_id=record.workflow_id))
    if counters is None:
        return
    name = record.name if record.name.strip() else record.workflow_id
    dialog = ReviewDialog(
        show_line(f"Reset analytics · {name}", 80),
        lambda width: tuple(reset_lines(record, counters, width, flow.app_context.view())),
        (span("To zero them, type its name or its id: ", Role.WARN), name_to_type(name)),
        does="zero them",
        typed=(name, record.workflow_id),
        placeholder="Its name; nobody can bring them back to the platform",
        draft=flow.draft.get("typed", ""),
    )
    answer = await flow.ask(dialog)
    if isinstance(answer, Closed):
        flow.save_draft(typed=answer.draft)
    else:
        resetting = flow.app_context.services.reset_analytics(record.workflow_id)
        await flow.submit(resetting, f"Reset analytics of {name}")


def simulate_workflow(screen: BaseScreen, record: WorkflowRecord) -> None:
    """Open a dry run; what was played before on the same workflow is played again."""
    flow = WorkflowFlow(screen, "try workflow", record.workflow_id)
    flow.start(_simulate(flow, record))


async def _simulate(flow: WorkflowFlow, record: WorkflowRecord) -> None:
    stored = await flow.run_in_background(partial(graphs_from, workflow_id=record.workflow_id))
    if stored is None:
        return
    at = datetime.fromtimestamp(flow.app_context.clock(), flow.app_context.zone)
    dialog = DryRunDialog(
        show_line(f"Dry run · {record.name or record.workflow_id}", 80),
        partial(_play, stored, record.workflow_id, at),
        flow.app_context.glyphs,
        draft=flow.draft.get("script", ""),
    )
    answer = await flow.ask(dialog)
    flow.save_draft(script=answer.draft if isinstance(answer, Closed) else "")


def _play(stored: StoredGraphs, workflow_id: str, at: datetime, script: Script) -> DryRun:
    given = Circumstances(at, script.variables, knows_all=stored.knows_all)
    return dry_run(stored.graphs, workflow_id, script.steps, given)

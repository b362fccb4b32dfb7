"""The key that tries a workflow without a customer: a dry run of it as it is stored here.

Called by the workflows screen.
"""

from datetime import datetime
from functools import partial

from frontdesk.storage.records import WorkflowRecord
from frontdesk.text.display_text import show_line
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.dialog_flow import DialogFlow
from frontdesk.tui.dialogs.base import Closed
from frontdesk.workflows.graph_cache import StoredGraphs, graphs_from
from frontdesk.workflows.simulation.events import DryRun
from frontdesk.workflows.simulation.run import Circumstances, dry_run
from frontdesk.workflows.simulation.script import Script
from frontdesk.workflows.tui.simulation_dialog import DryRunDialog


def try_workflow(screen: BaseScreen, record: WorkflowRecord) -> None:
    """Open a dry run; what was played before on the same workflow is played again."""
    flow = DialogFlow(screen, "try workflow", record.workflow_id)
    flow.begin(_try(flow, record))


async def _try(flow: DialogFlow, record: WorkflowRecord) -> None:
    stored = await flow.beside(partial(graphs_from, workflow_id=record.workflow_id))
    if stored is None or not flow.screen.is_current:
        return
    at = datetime.fromtimestamp(flow.app_context.clock(), flow.app_context.zone)
    dialog = DryRunDialog(
        show_line(f"Dry run · {record.name or record.workflow_id}", 80),
        partial(_play, stored, record.workflow_id, at),
        flow.app_context.glyphs,
        draft=flow.kept.get("script", ""),
    )
    answer = await flow.ask(dialog)
    flow.keep(script=answer.draft if isinstance(answer, Closed) else "")


def _play(stored: StoredGraphs, workflow_id: str, at: datetime, script: Script) -> DryRun:
    given = Circumstances(at, script.variables, knows_all=stored.knows_all)
    return dry_run(stored.graphs, workflow_id, script.steps, given)

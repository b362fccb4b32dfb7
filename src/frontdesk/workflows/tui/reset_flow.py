"""The key that zeroes a workflow's analytics: what is lost is told in numbers, and its name is typed.

Called by the workflows screen.
"""

from functools import partial

from frontdesk.storage.records import WorkflowRecord
from frontdesk.text.display_text import show_line
from frontdesk.text.lines import Role, span
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.dialog_flow import DialogFlow
from frontdesk.tui.dialogs.base import Closed
from frontdesk.tui.dialogs.review import ReviewDialog, name_to_type
from frontdesk.workflows.prepare import prepare_reset
from frontdesk.workflows.view.review import reset_lines


def reset_analytics(screen: BaseScreen, record: WorkflowRecord) -> None:
    """Zero them once their name was typed; what they were is kept here."""
    flow = DialogFlow(screen, "reset analytics", record.workflow_id)
    flow.begin(_reset(flow, record))


async def _reset(flow: DialogFlow, record: WorkflowRecord) -> None:
    lost = await flow.beside(partial(prepare_reset, workflow_id=record.workflow_id))
    if lost is None or not flow.screen.is_current:
        return
    name = record.name if record.name.strip() else record.workflow_id
    dialog = ReviewDialog(
        show_line(f"Reset analytics · {name}", 80),
        lambda width: tuple(reset_lines(record, lost, width, flow.app_context.view())),
        (span("To zero them, type its name or its id: ", Role.WARN), name_to_type(name)),
        does="zero them",
        typed=(name, record.workflow_id),
        placeholder="Its name; nobody can bring them back to the platform",
        draft=flow.kept.get("typed", ""),
    )
    answer = await flow.ask(dialog)
    if isinstance(answer, Closed):
        flow.keep(typed=answer.draft)
    else:
        await flow.put(flow.app_context.services.reset_analytics(record.workflow_id), f"Reset analytics of {name}")

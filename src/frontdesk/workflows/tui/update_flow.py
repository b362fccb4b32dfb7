"""The key that updates a workflow from a file: what would differ and what the check finds is read first.

Called by the workflows screen.
"""

from functools import partial

from frontdesk.storage.records import WorkflowRecord
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.dialog_flow import DialogFlow
from frontdesk.tui.dialogs.file import FileDialog
from frontdesk.workflows.prepare import prepare_update
from frontdesk.workflows.tui.confirm_flow import Reviewed, confirmed
from frontdesk.workflows.update_plan import Update
from frontdesk.workflows.view.diff import difference_summary
from frontdesk.workflows.view.review import update_lines


def update_workflow(screen: BaseScreen, record: WorkflowRecord) -> None:
    """Ask for a file, show what it would change, and send it once that was read."""
    flow = DialogFlow(screen, "update workflow", record.workflow_id)
    title = show_line(f"Update from a file · {record.name or record.workflow_id}", 80)
    dialog = flow.file_dialog(title)
    flow.open(dialog)
    flow.begin(_update(flow, record, dialog, title))


async def _update(flow: DialogFlow, record: WorkflowRecord, dialog: FileDialog, title: SafeText) -> None:
    name = record.name or record.workflow_id
    chosen = await flow.file_of(dialog, title, record.workflow_id)
    if chosen is None or not flow.screen.is_current:
        return
    update = await flow.beside(partial(prepare_update, workflow_id=record.workflow_id, file=chosen[1]))
    if update is None or not flow.screen.is_current:
        return
    if not update.differences:
        flow.say(trusted(f"{difference_summary(update.differences).text.capitalize()}: nothing to send."))
        return
    await _review(flow, record.workflow_id, name, update)


async def _review(flow: DialogFlow, workflow_id: str, name: str, update: Update) -> None:
    is_sure = await confirmed(
        flow,
        Reviewed(workflow_id, f"Update · {name}", update.findings, update.text),
        lambda width: tuple(update_lines(name, update, width, flow.app_context.view())),
        does="send",
    )
    if is_sure:
        await flow.put(
            flow.app_context.services.update_workflow(workflow_id, update.body, update.base), f"Update {name}"
        )

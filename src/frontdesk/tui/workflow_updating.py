"""The key that updates a workflow from a file: what would differ and what the check finds is read first.

Called by the workflows screen.
"""

from functools import partial

from frontdesk.desk.workflow_preparing import prepare_update
from frontdesk.present.workflow_diff import difference_summary
from frontdesk.present.workflow_review import errors_in, update_lines, whole_text
from frontdesk.store.records import WorkflowRecord
from frontdesk.text import Shown, own, show_line
from frontdesk.tui.dialogs.dialog import Closed
from frontdesk.tui.dialogs.file import FileDialog
from frontdesk.tui.dialogs.review import ReviewDialog
from frontdesk.tui.screens.desk_screen import DeskScreen
from frontdesk.tui.workflow_creating import asks
from frontdesk.tui.workflow_flow import Flow
from frontdesk.workflows.preparing import Update


def update_workflow(screen: DeskScreen, record: WorkflowRecord) -> None:
    """Ask for a file, show what it would change, and send it once that was read."""
    flow = Flow(screen, "update workflow", record.workflow_id)
    title = show_line(f"Update from a file · {record.name or record.workflow_id}", 80)
    dialog = flow.file_dialog(title)
    flow.open(dialog)
    flow.begin(_update(flow, record, dialog, title))


async def _update(flow: Flow, record: WorkflowRecord, dialog: FileDialog, title: Shown) -> None:
    name = record.name or record.workflow_id
    chosen = await flow.file_of(dialog, title, record.workflow_id)
    if chosen is None or not flow.screen.is_current:
        return
    update = await flow.beside(partial(prepare_update, workflow_id=record.workflow_id, file=chosen[1]))
    if update is None or not flow.screen.is_current:
        return
    if not update.differences:
        flow.say(own(f"{difference_summary(update.differences).text.capitalize()}: nothing to send."))
        return
    await _review(flow, record.workflow_id, name, update)


async def _review(flow: Flow, workflow_id: str, name: str, update: Update) -> None:
    errors = errors_in(update.findings)
    dialog = ReviewDialog(
        show_line(f"Update · {name}", 80),
        lambda width: tuple(update_lines(name, update, width, flow.room.view())),
        asks(errors, workflow_id),
        does="send",
        typed=(workflow_id,) if errors else (),
        what="id",
        placeholder="Its id, to send it despite its errors",
        whole=partial(whole_text, update.text),
        draft=flow.kept.get("typed", ""),
    )
    answer = await flow.ask(dialog)
    if isinstance(answer, Closed):
        flow.keep(typed=answer.draft)
        return
    updating = flow.room.desk.update_workflow(workflow_id, update.body, update.base)
    await flow.put(updating, f"Update {name}")

"""The key that switches a workflow on or off: what that means for customers is said, and what speaks against it.

Called by the workflows screen.
"""

from functools import partial

from frontdesk.storage.records import WorkflowRecord
from frontdesk.text.display_text import show_line
from frontdesk.text.lines import Line, Role, span
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.dialog_flow import DialogFlow
from frontdesk.tui.dialogs.base import Answered
from frontdesk.tui.dialogs.review import ReviewDialog
from frontdesk.workflows.prepare import prepare_switch
from frontdesk.workflows.view.review import errors_in, switch_lines


def switch_workflow(screen: BaseScreen, record: WorkflowRecord) -> None:
    """Switch it on where it is off, and off where it is on, once what that means was read."""
    flow = DialogFlow(screen, "switch workflow", record.workflow_id)
    flow.begin(_switch(flow, record))


async def _switch(flow: DialogFlow, record: WorkflowRecord) -> None:
    switch = await flow.beside(partial(prepare_switch, workflow_id=record.workflow_id))
    if switch is None or not flow.screen.is_current:
        return
    on, name = switch.base.get("isActive") is not True, record.name or record.workflow_id
    does = "switch on" if on else "switch off"
    dialog = ReviewDialog(
        show_line(f"{does.capitalize()} · {name}", 80),
        lambda width: tuple(switch_lines(record, switch, on=on, width=width, view=flow.app_context.view())),
        _asks(errors_in(switch.findings) if on else 0, "on" if on else "off"),
        does=does,
    )
    if isinstance(await flow.ask(dialog), Answered):
        switching = flow.app_context.services.set_workflow_active(record.workflow_id, on, switch.base)
        await flow.put(switching, f"{does.capitalize()} {name}")


def _asks(errors: int, state: str) -> Line:
    if not errors:
        return (span(f"y switches it {state}.", Role.WARN),)
    what = "1 error says" if errors == 1 else f"{errors:,} errors say"
    return (span(f"✗ {what} that it won't run or open. y switches it {state} all the same.", Role.BAD),)

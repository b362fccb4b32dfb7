"""An update of a workflow that somebody else was faster than: theirs and yours are compared, and one is chosen.

Called by the activity screen.
"""

from functools import partial

from frontdesk.storage import json_access
from frontdesk.storage.records import Change
from frontdesk.text.display_text import show_line, trusted
from frontdesk.text.lines import Role, span
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.dialogs.base import Answered
from frontdesk.tui.dialogs.review import ReviewDialog
from frontdesk.tui.futures import settled
from frontdesk.workflows.prepare import prepare_conflict
from frontdesk.workflows.tui.workflow_flow import WorkflowFlow
from frontdesk.workflows.view.review import conflict_lines


def decide_update(screen: BaseScreen, change: Change) -> None:
    """Show both; send yours over theirs, or drop yours."""
    flow = WorkflowFlow(screen, "decide update", str(change.change_id))
    flow.start(_decide(flow, change))


async def _decide(flow: WorkflowFlow, change: Change) -> None:
    conflict = await flow.run_in_background(partial(prepare_conflict, change_id=change.change_id))
    if conflict is None:
        return
    asks = "y sends yours over theirs; x drops yours, and theirs stays."
    if not conflict.mine_does:
        asks = "Theirs is what yours would make of it: x drops yours."
    name = json_access.text(change.fields.get("name")) or change.target
    dialog = ReviewDialog(
        show_line(f"Theirs or yours · {name}", 80),
        lambda width: tuple(conflict_lines(name, conflict, width, flow.app_context.view())),
        (span(asks, Role.WARN),),
        does="send yours",
        drops="drop yours",
    )
    answer = await flow.ask(dialog)
    if isinstance(answer, Answered):
        await _settle(flow, change, is_mine=answer.value)


async def _settle(flow: WorkflowFlow, change: Change, *, is_mine: bool) -> None:
    services = flow.app_context.services
    if is_mine:
        if await flow.report_errors(settled(services.send_over_theirs(change.change_id))) is not None:
            flow.notify(trusted("Yours is sent over theirs."))
    elif await flow.report_errors(settled(services.drop(change.change_id))) is not None:
        flow.notify(trusted("Dropped: theirs stays."))

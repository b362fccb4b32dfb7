"""Compare a workflow's analytics with an earlier snapshot, or take a snapshot now.

Called by `WorkflowActions`.
"""

from functools import partial

from frontdesk.text import relative_time
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import Answered
from frontdesk.tui.dialogs.picker import ChoiceDialog, NamedChoice
from frontdesk.tui.dialogs.record import RecordDialog
from frontdesk.tui.futures import settled
from frontdesk.workflows.models import SnapshotRecord, WorkflowCounters, WorkflowRecord
from frontdesk.workflows.prepare import compare_snapshots, stored_whole
from frontdesk.workflows.tui.workflow_flow import WorkflowFlow
from frontdesk.workflows.view.review import NO_PLAN
from frontdesk.workflows.view.snapshot_comparison import comparison_lines

NOW, KEEP = "now", "keep"
BY_HAND = "kept by hand"


def open_snapshots(screen: BaseScreen, record: WorkflowRecord) -> None:
    """List what was kept, and compare one of them with what came after it."""
    flow = WorkflowFlow(screen, "snapshots", record.workflow_id)
    flow.start(_open(flow, record))


async def _open(flow: WorkflowFlow, record: WorkflowRecord) -> None:
    name, kept = record.name or record.workflow_id, flow.app_context.services.queries.snapshots(record.workflow_id)
    has_none = record.analytics is WorkflowCounters.NOT_ON_PLAN
    if has_none and not kept:
        flow.notify(trusted(f"{NO_PLAN} There is nothing to keep or to compare."))
        return
    choices = [_choice(each, flow.app_context) for each in kept]
    if not has_none:
        choices.append(NamedChoice(KEEP, trusted("Keep what they are now"), trusted("to compare with later")))
    says = trusted(
        NO_PLAN if has_none else "Counters begin anew after a reset, so shares are compared, not counts."
    )
    before = await flow.ask(ChoiceDialog(_title("Compare analytics", name), choices, says=says))
    if not isinstance(before, Answered):
        return
    if before.value == KEEP:
        await _keep(flow, record)
        return
    later = [each for each in kept if each.snapshot_id > int(before.value)]
    after = await _after(flow, name, later) if later else NOW
    if after is not None:
        await _compare(flow, record, int(before.value), None if after == NOW else int(after))


async def _after(flow: WorkflowFlow, name: str, later: list[SnapshotRecord]) -> str | None:
    choices = [
        NamedChoice(NOW, trusted("Now"), trusted("as it was read last")),
        *(_choice(each, flow.app_context) for each in later),
    ]
    answer = await flow.ask(ChoiceDialog(_title("Compare it with", name), choices))
    return answer.value if isinstance(answer, Answered) else None


async def _compare(flow: WorkflowFlow, record: WorkflowRecord, before: int, after: int | None) -> None:
    job = partial(compare_snapshots, workflow_id=record.workflow_id, before=before, after=after)
    found = await flow.run_in_background(job)
    if found is not None:
        title, glyphs = _title("Before and after", record.name or record.workflow_id), flow.app_context.glyphs
        await flow.ask(RecordDialog(title, lambda width: comparison_lines(found, width, glyphs)))


async def _keep(flow: WorkflowFlow, record: WorkflowRecord) -> None:
    job = partial(stored_whole, workflow_id=record.workflow_id)
    document = await flow.run_in_background(job, for_dialog=False)
    if document is None:
        return
    if not isinstance(document.get("analytics"), dict):
        flow.notify(trusted(f"{NO_PLAN} Nothing was kept."))
        return
    keeping = flow.app_context.services.keep_snapshot(record.workflow_id, document, BY_HAND)
    if await flow.report_errors(settled(keeping)) is not None:
        flow.notify(trusted("Kept: what its analytics are now."))


def _choice(each: SnapshotRecord, app_context: AppContext) -> NamedChoice:
    now = app_context.clock()
    at = f"{relative_time.day(each.at, now, app_context.zone)} {relative_time.clock(each.at, app_context.zone)}"
    return NamedChoice(str(each.snapshot_id), trusted(at), show_line(each.cause, 60))


def _title(words: str, name: str) -> SafeText:
    return show_line(f"{words} · {name}", 80)

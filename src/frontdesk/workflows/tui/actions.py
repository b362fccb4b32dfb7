"""The actions on one workflow: switch, reset, dry run, snapshots, problems, and the decision on a conflict.

Each reads the stored workflow, shows what would happen, and submits it once that was confirmed. The workflows
screen calls them; Activity calls `decide_update`.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.text.lines import EMPTY, Line, Role, span
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.content import notify
from frontdesk.tui.dialogs.base import Answered, Closed
from frontdesk.tui.dialogs.review import ReviewDialog, name_to_type
from frontdesk.workflows.analysis import WorkflowAnalysis
from frontdesk.workflows.models import WorkflowRecord
from frontdesk.workflows.simulation.graphs import StoredGraphs, graphs_from
from frontdesk.workflows.simulation.run import Circumstances, dry_run
from frontdesk.workflows.simulation.script import Script
from frontdesk.workflows.simulation.trace import DryRun
from frontdesk.workflows.traffic import find_drop_offs
from frontdesk.workflows.tui.dialogs import DryRunDialog, JumpListDialog
from frontdesk.workflows.tui.workflow_flow import WorkflowFlow
from frontdesk.workflows.update_plan import prepare_reset, prepare_switch
from frontdesk.workflows.view.review import errors_in, reset_lines, switch_lines
from frontdesk.workflows.view.row import finding_row, row_height
from frontdesk.workflows.view.tree import drop_off_heading, drop_off_row, no_drop_offs

if TYPE_CHECKING:
    from frontdesk.workflows.tui.screen import WorkflowsScreen


from frontdesk.storage import json_access
from frontdesk.storage.records import Change
from frontdesk.text import relative_time
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.picker import NamedChoice, PickerDialog
from frontdesk.tui.dialogs.review import RecordDialog
from frontdesk.tui.futures import await_future
from frontdesk.workflows.commands import WorkflowCommands
from frontdesk.workflows.models import SnapshotRecord, WorkflowCounters
from frontdesk.workflows.store import pending_payloads
from frontdesk.workflows.update_plan import compare_snapshots, prepare_conflict, stored_whole
from frontdesk.workflows.view.diff import comparison_lines
from frontdesk.workflows.view.review import NO_PLAN, conflict_lines

NO_WORKFLOW = "There is no workflow under the cursor."
NOW, KEEP = "now", "keep"
BY_HAND = "kept by hand"

_HEADING_CELLS = 40
"""The width of the columns, which is less than that of any dialog."""


def act(
    screen: BaseScreen, record: WorkflowRecord | None, action: Callable[[BaseScreen, WorkflowRecord], None]
) -> None:
    """Start an action on the workflow under the cursor, unless another is on its way: that one was clicked."""
    if screen.cancel_action is not None:
        return
    if record is None:
        notify(screen.app, trusted(NO_WORKFLOW), timeout_seconds=3)
    else:
        action(screen, record)


def switch_workflow(screen: BaseScreen, record: WorkflowRecord) -> None:
    """Switch a workflow on or off after a review of the consequences."""
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
        confirm_label=does,
    )
    if isinstance(await flow.ask(dialog), Answered):
        switching = WorkflowCommands(flow.app_context.store).set_active(record.workflow_id, on, switch.base)
        await flow.submit(switching, f"{does.capitalize()} {name}")


def _switch_question(errors: int, state: str) -> Line:
    if not errors:
        return (span(f"y switches it {state}.", Role.WARN),)
    what = "1 error says" if errors == 1 else f"{errors:,} errors say"
    return (span(f"✗ {what} that it won't run or open. y switches it {state} all the same.", Role.BAD),)


def reset_analytics(screen: BaseScreen, record: WorkflowRecord) -> None:
    """Reset a workflow's analytics after its name was typed; a snapshot of them is kept."""
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
        confirm_label="zero them",
        confirm_words=(name, record.workflow_id),
        placeholder="Its name; nobody can bring them back to the platform",
        draft=flow.draft.get("typed", ""),
    )
    answer = await flow.ask(dialog)
    if isinstance(answer, Closed):
        flow.save_draft(typed=answer.draft)
    else:
        resetting = WorkflowCommands(flow.app_context.store).reset_analytics(record.workflow_id)
        await flow.submit(resetting, f"Reset analytics of {name}")


def simulate_workflow(screen: BaseScreen, record: WorkflowRecord) -> None:
    """Open a dry run, with the script of the last one on the same workflow."""
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


def show_worst_exits(screen: "WorkflowsScreen", analysis: WorkflowAnalysis) -> None:
    """List the drop-offs, the largest first; enter goes to the row."""
    drop_offs = find_drop_offs(analysis.outline, analysis.traffic)

    def chosen(answer: Answered[int] | Closed | None) -> None:
        if isinstance(answer, Answered):
            screen.navigation.show_row(analysis, analysis.keys[drop_offs[answer.value].row])

    dialog = JumpListDialog(
        _analysis_title("Worst exits", analysis),
        len(drop_offs),
        lambda place, width: (drop_off_row(drop_offs[place], width, screen.app_context.glyphs),),
        height=lambda _: 1,
        empty=no_drop_offs(analysis.traffic),
        note=drop_off_heading(_HEADING_CELLS) if drop_offs else EMPTY,
    )
    screen.app.push_screen(dialog, chosen)


def show_findings(screen: "WorkflowsScreen", analysis: WorkflowAnalysis) -> None:
    """List the findings of the check, errors first; enter goes to the row."""

    def chosen(answer: Answered[int] | Closed | None) -> None:
        if isinstance(answer, Answered):
            screen.navigation.show_row(analysis, analysis.key_of(analysis.findings[answer.value]))

    dialog = JumpListDialog(
        _analysis_title("Problems", analysis),
        len(analysis.findings),
        lambda place, width: finding_row(analysis.findings[place], width),
        height=lambda width: row_height(analysis.findings, width),
        empty="The check found nothing.",
    )
    screen.app.push_screen(dialog, chosen)


def _analysis_title(what: str, analysis: WorkflowAnalysis) -> SafeText:
    name = show_line(analysis.raw.get("name") or analysis.workflow_id, 40)
    return SafeText(f"{trusted(what).text} · {name.text}", name.was_sanitized)


def open_snapshots(screen: BaseScreen, record: WorkflowRecord) -> None:
    """Take a snapshot of the analytics, or compare one with a later one or the present."""
    flow = WorkflowFlow(screen, "snapshots", record.workflow_id)
    flow.start(_open(flow, record))


async def _open(flow: WorkflowFlow, record: WorkflowRecord) -> None:
    name, kept = (
        record.name or record.workflow_id,
        pending_payloads.snapshots(flow.app_context.store.reading, record.workflow_id),
    )
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
    before = await flow.ask(PickerDialog(_title("Compare analytics", name), choices, note=says))
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
    answer = await flow.ask(PickerDialog(_title("Compare it with", name), choices))
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
    keeping = WorkflowCommands(flow.app_context.store).keep_snapshot(record.workflow_id, document, BY_HAND)
    if await flow.report_errors(await_future(keeping)) is not None:
        flow.notify(trusted("Kept: what its analytics are now."))


def _choice(each: SnapshotRecord, app_context: AppContext) -> NamedChoice:
    now = app_context.clock()
    at = f"{relative_time.day(each.at, now, app_context.zone)} {relative_time.clock(each.at, app_context.zone)}"
    return NamedChoice(str(each.snapshot_id), trusted(at), show_line(each.cause, 60))


def _title(words: str, name: str) -> SafeText:
    return show_line(f"{words} · {name}", 80)


def decide_update(screen: BaseScreen, change: Change) -> None:
    """Compare theirs with yours; send yours over theirs, or drop yours."""
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
        confirm_label="send yours",
        drop_label="drop yours",
    )
    answer = await flow.ask(dialog)
    if isinstance(answer, Answered):
        await _resolve(flow, change, is_mine=answer.value)


async def _resolve(flow: WorkflowFlow, change: Change, *, is_mine: bool) -> None:
    outbox = flow.app_context.outbox
    if is_mine:
        if await flow.report_errors(await_future(outbox.retry(change.change_id, over_theirs=True))) is not None:
            flow.notify(trusted("Yours is sent over theirs."))
    elif await flow.report_errors(await_future(outbox.drop(change.change_id))) is not None:
        flow.notify(trusted("Dropped: theirs stays."))

"""The actions on one workflow: reviewed writes, dry run, snapshots, versions, problems, and conflicts.

Each is a flow that reads the stored workflow, shows what would happen, and submits it once that was confirmed. The
workflows screen starts them; Activity calls `decide_update`.
"""

from collections.abc import Callable, Coroutine, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from frontdesk.config.facts import Fact, drawing, text
from frontdesk.config.render_context import RenderContext
from frontdesk.storage.records import Change
from frontdesk.storage.sql import ReadConnection
from frontdesk.text import relative_time
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import Answered, on_answer
from frontdesk.tui.dialogs.picker import NamedChoice, PickerDialog
from frontdesk.tui.dialogs.review import RecordDialog, ReviewDialog
from frontdesk.tui.futures import await_future
from frontdesk.workflows import reviews, versions
from frontdesk.workflows.analysis import WorkflowAnalysis
from frontdesk.workflows.models import VersionRecord, WorkflowCounters, WorkflowRecord
from frontdesk.workflows.reviews import NO_PLAN, Review, conflict_facts, snapshot_cause
from frontdesk.workflows.tui.dialogs import DryRunDialog, JumpListDialog
from frontdesk.workflows.tui.file_actions import EITHER, MERGED, WorkflowFlow, ask_sides
from frontdesk.workflows.update_plan import (
    compare_snapshots,
    compare_versions,
    load_current,
    load_dry_run,
    prepare_conflict,
    prepare_conflict_sides,
)
from frontdesk.workflows.versions import compare_each
from frontdesk.workflows.view.diff import (
    NO_VERSIONS,
    OLDEST,
    comparison_lines,
    coverage_words,
    difference_facts,
    difference_summary,
)
from frontdesk.workflows.view.row import NO_WORKFLOW, finding_row, row_height
from frontdesk.workflows.view.tree import drop_off_heading, drop_off_row, no_drop_offs
from frontdesk_api import json_access
from frontdesk_flows.diff import Differences, differences
from frontdesk_flows.traffic import find_drop_offs
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import SafeText, show_line, trusted
from frontdesk_lines.lines import EMPTY, Role, span

if TYPE_CHECKING:
    from frontdesk.workflows.tui.screen import WorkflowsScreen

NOW, KEEP = "now", "keep"

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


def start_flow(
    name: str,
    steps: Callable[[WorkflowFlow, WorkflowRecord], Coroutine[Any, Any, object]],
    screen: BaseScreen,
    record: WorkflowRecord,
) -> None:
    """Start a flow about a workflow; its drafts are kept under `name`."""
    flow = WorkflowFlow(screen, name, record.workflow_id)
    flow.start(steps(flow, record))


def start_review(name: str, prepare: Callable[..., Review], screen: BaseScreen, record: WorkflowRecord) -> None:
    start_flow(name, lambda flow, record: flow.confirm(prepare, record), screen, record)


async def simulate_workflow(flow: WorkflowFlow, record: WorkflowRecord) -> None:
    """Open a dry run, with the script of the last one on the same workflow."""
    at = datetime.fromtimestamp(flow.app_context.clock(), flow.app_context.zone)
    play = await flow.run_in_background(partial(load_dry_run, workflow_id=record.workflow_id, begins_at=at))
    if play is None:
        return
    title = _title("Dry run", record.label)
    await flow.ask(
        DryRunDialog(title, play, flow.app_context.glyphs, draft=flow.draft.get("script", "")), "script"
    )


def show_worst_exits(screen: "WorkflowsScreen", analysis: WorkflowAnalysis) -> None:
    """List the drop-offs, the largest first; enter goes to the row."""
    drop_offs = find_drop_offs(analysis.outline, analysis.traffic)
    dialog = JumpListDialog(
        _analysis_title("Drop-offs", analysis),
        len(drop_offs),
        lambda number, width: (drop_off_row(drop_offs[number], width, screen.app_context.glyphs),),
        height=lambda _: 1,
        empty=no_drop_offs(analysis.traffic),
        note=drop_off_heading(_HEADING_CELLS) if drop_offs else EMPTY,
    )
    _push_jump_list(screen, analysis, dialog, lambda number: analysis.keys[drop_offs[number].row])


def show_findings(screen: "WorkflowsScreen", analysis: WorkflowAnalysis) -> None:
    """List the findings of the check, errors first; enter goes to the row."""
    dialog = JumpListDialog(
        _analysis_title("Findings", analysis),
        len(analysis.findings),
        lambda number, width: finding_row(analysis.findings[number], width),
        height=lambda width: row_height(analysis.findings, width),
        empty="No findings.",
    )
    _push_jump_list(screen, analysis, dialog, lambda number: analysis.key_of(analysis.findings[number]))


def _push_jump_list(
    screen: "WorkflowsScreen",
    analysis: WorkflowAnalysis,
    dialog: JumpListDialog,
    key_of: Callable[[int], str | None],
) -> None:
    def show(row: int) -> None:
        screen.navigation.show_row(analysis, key_of(row))

    screen.app.push_screen(dialog, on_answer(show))


def _analysis_title(what: str, analysis: WorkflowAnalysis) -> SafeText:
    name = show_line(analysis.raw.get("name") or analysis.workflow_id, 40)
    return SafeText(f"{trusted(what).text} · {name.text}", name.was_sanitized)


async def open_snapshots(flow: WorkflowFlow, record: WorkflowRecord) -> None:
    name = record.label
    kept = versions.list_versions(flow.app_context.store.reading, record.workflow_id, versions.SNAPSHOT)
    has_none = record.analytics is WorkflowCounters.NOT_ON_PLAN
    if has_none and not kept:
        flow.notify(trusted(f"{NO_PLAN} Nothing to save or compare."))
        return
    choices = [_choice(each, flow.app_context) for each in kept]
    if not has_none:
        choices.append(NamedChoice(KEEP, trusted("Save a snapshot now"), trusted("to compare later")))
    note = NO_PLAN if has_none else "Counters restart at zero after a reset, so shares are compared, not counts."
    before = await flow.ask(PickerDialog(_title("Compare analytics", name), choices, note=trusted(note)))
    if not isinstance(before, Answered):
        return
    if before.value == KEEP:
        await _keep_snapshot(flow, record)
        return
    after: int | None = None
    if later := [_choice(each, flow.app_context) for each in kept if each.number > int(before.value)]:
        choices = [NamedChoice(NOW, trusted("Now"), trusted("as last loaded")), *later]
        chosen = await flow.ask(PickerDialog(_title("Compare with", name), choices))
        if not isinstance(chosen, Answered):
            return
        after = None if chosen.value == NOW else int(chosen.value)
    job = partial(compare_snapshots, workflow_id=record.workflow_id, before=int(before.value), after=after)
    if (found := await flow.run_in_background(job)) is not None:
        glyphs = flow.app_context.glyphs
        title = _title("Before and after", name)
        await flow.ask(RecordDialog(title, lambda width: comparison_lines(found, width, glyphs)))


async def _keep_snapshot(flow: WorkflowFlow, record: WorkflowRecord) -> None:
    job = partial(load_current, workflow_id=record.workflow_id)
    document = await flow.run_in_background(job, for_dialog=False)
    if document is None:
        return
    if not isinstance(document.get("analytics"), dict):
        flow.notify(trusted(f"{NO_PLAN} Nothing was saved."))
        return
    keeping = versions.save_snapshot(flow.app_context.store, record.workflow_id, document)
    if await flow.report_errors(await_future(keeping)) is not None:
        flow.notify(trusted("Snapshot saved."))


def _choice(each: VersionRecord, app_context: AppContext) -> NamedChoice:
    now = app_context.clock()
    at = f"{relative_time.day(each.at, now, app_context.zone)} {relative_time.clock(each.at, app_context.zone)}"
    return NamedChoice(str(each.number), trusted(at), show_line(snapshot_cause(each.label), 60))


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
    sides = await flow.run_in_background(
        partial(prepare_conflict_sides, change_id=change.change_id, workflow_id=change.target)
    )
    if sides is not None and sides.file is not None and conflict.mine_does:
        name = json_access.text(change.fields.get("name")) or change.target
        chosen = await ask_sides(flow, name, sides, EITHER)
        if chosen is None:
            return
        if chosen == MERGED:
            # Once it waits to be sent, it replaces the one in conflict.
            await flow.confirm(reviews.update, change.target, name, sides.file)
            return
    question = "Press y to overwrite theirs with yours, or x to discard yours and keep theirs."
    if not conflict.mine_does:
        question = "Theirs already has your changes. Press x to discard yours."
    name = json_access.text(change.fields.get("name")) or change.target
    dialog = ReviewDialog(
        show_line(f"Theirs or yours · {name}", 80),
        drawing(partial(conflict_facts, name, conflict), flow.app_context.view),
        (span(question, Role.WARN),),
        confirm_label="send yours",
        drop_label="discard yours",
    )
    answer = await flow.ask(dialog)
    if not isinstance(answer, Answered):
        return
    outbox = flow.app_context.outbox
    if answer.value:
        if await flow.report_errors(await_future(outbox.retry(change.change_id, over_theirs=True))) is not None:
            flow.notify(trusted("Overwriting theirs with yours."))
    elif await flow.report_errors(await_future(outbox.drop(change.change_id))) is not None:
        flow.notify(trusted("Discarded yours and kept theirs."))


CURRENT, RESTORE, OTHER = "current", "restore", "other"

MAX_SUMMARY = 32
"""Letters of a version's changes, beside which its date must stay in sight; comparing shows them all."""

_Versions = Sequence[tuple[VersionRecord, str]]


async def open_versions(flow: WorkflowFlow, record: WorkflowRecord) -> None:
    """List the versions, until one is restored or the list is closed."""

    def job(db: ReadConnection) -> _Versions:
        return compare_each(db, record.workflow_id, lambda *both: difference_summary(differences(*both)).text)

    versions = await flow.run_in_background(job)
    if versions is None:
        return
    if not versions:
        flow.notify(trusted(NO_VERSIONS))
        return
    at = ""
    while (number := await _pick(flow, record, versions, "Versions", at, versions[0][0].number)) is not None:
        if await _act_on_version(flow, record, versions, number):
            return
        at = str(number)


async def _act_on_version(flow: WorkflowFlow, record: WorkflowRecord, versions: _Versions, number: int) -> bool:
    """Compare or restore a version; True once it waits to be sent."""
    kept = [each.number for each, _ in versions]
    choices = []
    if number != kept[0]:
        choices.append(NamedChoice(CURRENT, trusted("Compare with the current version")))
    if number - 1 in kept:
        choices.append(NamedChoice(str(number - 1), trusted(f"Compare with version {number - 1}, the one before")))
    if len(kept) > 1:
        choices.append(NamedChoice(OTHER, trusted("Compare with another version")))
    note = "Nothing is sent until you confirm it on the next screen."
    choices.append(NamedChoice(RESTORE, trusted("Restore this version"), trusted("shows what would change")))
    title = show_line(f"Version {number} · {record.label}", 80)
    at = ""
    while True:
        answer = await flow.ask(PickerDialog(title, choices, note=trusted(note), at=at))
        if not isinstance(answer, Answered):
            return False
        at = answer.value
        if answer.value == RESTORE:
            return await flow.confirm(reviews.restore, record, number) is not None
        other: int | None = None
        if answer.value == OTHER:
            others = [each for each in versions if each[0].number != number]
            other = await _pick(flow, record, others, f"Compare version {number} with", "", kept[0])
            if other is None:
                continue
        elif answer.value != CURRENT:
            other = int(answer.value)
        await _compare(flow, record, number, other)


async def _pick(
    flow: WorkflowFlow, record: WorkflowRecord, versions: _Versions, words: str, at: str, current: int
) -> int | None:
    """Ask for a version; None where the list was closed."""
    app_context = flow.app_context

    def when(moment: float) -> str:
        return relative_time.past_moment(moment, app_context.clock(), app_context.zone)

    choices = [
        NamedChoice(
            str(each.number),
            trusted(f"{each.number} · {when(each.last_modified)}{' · current' if each.number == current else ''}"),
            show_line(summary or OLDEST, MAX_SUMMARY),
        )
        for each, summary in versions
    ]
    note = trusted(coverage_words([each for each, _ in versions], when))
    answer = await flow.ask(PickerDialog(show_line(f"{words} · {record.label}", 80), choices, note=note, at=at))
    return int(answer.value) if isinstance(answer, Answered) else None


async def _compare(flow: WorkflowFlow, record: WorkflowRecord, number: int, other: int | None) -> None:
    """Show what differs between two versions, the older one first; None is the current one."""
    before, after = (other, number) if other is not None and other < number else (number, other)
    job = partial(compare_versions, workflow_id=record.workflow_id, before=before, after=after)
    if (found := await flow.run_in_background(job)) is None:
        return
    later = "the current version" if after is None else f"version {after}"
    title = show_line(f"From version {before} to {later} · {record.label}", 80)
    await flow.ask(RecordDialog(title, drawing(partial(_facts, found), flow.app_context.view)))


def _facts(found: Differences, view: RenderContext) -> Iterator[Fact]:  # noqa: ARG001 - as other facts
    summary = difference_summary(found)
    yield text(SafeText(f"{summary.text[0].upper()}{summary.text[1:]}.", summary.was_sanitized))
    yield from difference_facts(found)

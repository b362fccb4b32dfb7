"""The saved versions of a workflow: compare one with another, or restore it after a review."""

from collections.abc import Iterator, Sequence
from functools import partial

from frontdesk.config.facts import Fact, drawing, text
from frontdesk.config.render_context import RenderContext
from frontdesk.storage.sql import ReadConnection
from frontdesk.text import relative_time
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.tui.dialogs.base import Answered
from frontdesk.tui.dialogs.picker import NamedChoice, PickerDialog
from frontdesk.tui.dialogs.review import RecordDialog
from frontdesk.workflows import reviews
from frontdesk.workflows.diff import differences
from frontdesk.workflows.diff_models import Differences
from frontdesk.workflows.models import VersionRecord, WorkflowRecord
from frontdesk.workflows.tui.workflow_flow import WorkflowFlow
from frontdesk.workflows.update_plan import compare_versions
from frontdesk.workflows.versions import compare_each
from frontdesk.workflows.view.diff import difference_facts, difference_summary
from frontdesk.workflows.view.versions import NO_VERSIONS, OLDEST, coverage_words

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

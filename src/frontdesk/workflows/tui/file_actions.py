"""Actions between workflows and files: create, update and export, each after a review."""

from collections import Counter
from functools import partial
from typing import NamedTuple

from frontdesk.config.facts import drawing
from frontdesk.config.paths import expand_path, file_stem, free_export_path, path_problem
from frontdesk.outbox.changes import NotPossible
from frontdesk.storage.sql import ReadConnection
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.dialogs.base import Answered, Closed
from frontdesk.tui.dialogs.file import FileDialog
from frontdesk.tui.dialogs.picker import NamedChoice, PickerDialog
from frontdesk.tui.dialogs.prompt import PromptDialog
from frontdesk.tui.dialogs.review import RecordDialog
from frontdesk.tui.futures import await_future
from frontdesk.workflows import reviews
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.models import WorkflowListing, WorkflowRecord
from frontdesk.workflows.tui.dialogs import JumpListDialog
from frontdesk.workflows.tui.workflow_flow import WorkflowFlow
from frontdesk.workflows.update_plan import ThreeWay, Update, load_current, prepare_three_ways
from frontdesk.workflows.versions import keep_base, keep_sent
from frontdesk.workflows.view.diff import conflict_count, three_way_facts
from frontdesk.workflows.workflow_files import write_workflow
from frontdesk_api import json_access
from frontdesk_api.contract.base import JsonObject
from frontdesk_lines.content import clean_for_input
from frontdesk_lines.display_text import SafeText, counted, show_line, trusted
from frontdesk_lines.lines import Line, Role, Span, fit

CREATE_TITLE = trusted("Create a workflow from a file")

MAX_ID_BYTES = 512

MERGED, MINE, SHOWN = "merged", "mine", "shown"
"""Answers to what to send of two sides."""


def create_workflow(screen: BaseScreen) -> None:
    flow = WorkflowFlow(screen, "create workflow")
    dialog = flow.file_dialog(CREATE_TITLE)
    flow.show(dialog)
    flow.start(_create(flow, dialog))


async def _create(flow: WorkflowFlow, dialog: FileDialog) -> None:
    before = flow.draft.get("path", "")
    chosen = await flow.choose_file(dialog, CREATE_TITLE)
    if chosen is None:
        return
    path, file = chosen
    if path != before:
        flow.save_draft(id="", folder="", typed="")
    workflow_id = await _ask_id(flow, file)
    folder_id = None if workflow_id is None else await _ask_folder(flow, file)
    if workflow_id is None or folder_id is None:
        return
    await flow.confirm(reviews.create, workflow_id, folder_id, file)


async def _ask_id(flow: WorkflowFlow, file: JsonObject) -> str | None:
    listing = workflow_store.listing(flow.app_context.store.reading)
    dialog = PromptDialog(
        trusted("Create a workflow · id"),
        note=trusted("You choose the id; it can't be changed later."),
        placeholder="letters, digits and -, e.g. welcome-2026",
        fault=partial(_id_fault, listing),
        draft=flow.draft.get("id") or clean_for_input(json_access.text(file.get("id")), lines=False),
    )
    answer = await flow.ask(dialog, "id")
    if isinstance(answer, Closed):
        return None
    flow.save_draft(id=answer.value)
    return answer.value


async def _ask_folder(flow: WorkflowFlow, file: JsonObject) -> str | None:
    listing = workflow_store.listing(flow.app_context.store.reading)
    seen = Counter(each.folder_id for each in listing.records if each.folder_id)
    choices = [
        NamedChoice(each, show_line(each, 60), trusted(counted(count, "workflow")))
        for each, count in seen.most_common()
    ]
    dialog = PickerDialog(
        trusted("Create a workflow · folder"),
        choices,
        note=trusted("Folders of listed workflows; the platform doesn't list folders."),
        placeholder="Folder id",
        at=flow.draft.get("folder") or json_access.text(file.get("folderId")),
        can_type=True,
    )
    answer = await flow.ask(dialog)
    if isinstance(answer, Closed):
        return None
    flow.save_draft(folder=answer.value)
    return answer.value


def _id_fault(listing: WorkflowListing, typed: str) -> str:
    if typed in ("", ".", "..") or len(typed.encode(errors="replace")) > MAX_ID_BYTES:
        return "Type a valid id."
    if any(each.workflow_id == typed for each in listing.records):
        return "A workflow with this id already exists."
    return ""


def update_workflow(screen: BaseScreen, record: WorkflowRecord) -> None:
    flow = WorkflowFlow(screen, "update workflow", record.workflow_id)
    title = show_line(f"Update from a file · {record.label}", 80)
    dialog = flow.file_dialog(title)
    flow.show(dialog)
    flow.start(_update(flow, record, dialog, title))


async def _update(flow: WorkflowFlow, record: WorkflowRecord, dialog: FileDialog, title: SafeText) -> None:
    name = record.label
    chosen = await flow.choose_file(dialog, title, record.workflow_id)
    if chosen is None:
        return
    path, given = chosen
    side = await choose_sides(flow, name, path, given)
    if side is None:
        return
    confirmed = await flow.confirm(reviews.update, record.workflow_id, name, side.file)
    if confirmed is None:
        return
    review, change = confirmed
    assert isinstance(review.plan, Update)
    base = {**((side.is_merged and side.base) or review.plan.base), "id": record.workflow_id}
    store = flow.app_context.store
    now, change_id = store.clock(), change.change_id
    store.write_unawaited(lambda db: keep_sent(db, path, given, base, now, change_id=change_id))


class ChosenSide(NamedTuple):
    """What to send of a file, and the version it was made from if that is kept."""

    file: JsonObject
    base: JsonObject | None = None
    is_merged: bool = False


async def choose_sides(flow: WorkflowFlow, name: str, path: str, file: JsonObject) -> ChosenSide | None:
    """Return the file, or both sides merged if it was made from an earlier version; None to stop."""
    try:
        origin, sides = await await_future(
            flow.app_context.store.read_in_background(
                partial(prepare_three_ways, workflow_id=flow.target_id, file=file, path=path)
            )
        )
    except NotPossible:  # the plan of the update says why
        return ChosenSide(file)
    if sides is None or not sides.theirs:
        return ChosenSide(origin.file)
    chosen = await ask_sides(flow, name, sides, OVER_THEIRS)
    if chosen == MERGED and sides.file is not None:
        return ChosenSide(sides.file, origin.base, is_merged=True)
    return None if chosen is None else ChosenSide(origin.file)


OVER_THEIRS = NamedChoice(MINE, trusted("Yours over theirs"), trusted("their changes are lost"))
EITHER = NamedChoice(MINE, trusted("Either theirs or yours"))


async def ask_sides(flow: WorkflowFlow, name: str, sides: ThreeWay, otherwise: NamedChoice) -> str | None:
    """Show both sides against their base, and ask which to send; None to stop."""
    view = flow.app_context.view
    title = show_line(f"Yours and theirs · {name}", 80)
    if sides.file is None:
        note = trusted(f"{conflict_count(sides.conflicts)}, so they can't be merged.")
        choices = [NamedChoice(SHOWN, trusted("Show both sides"))]
    elif not sides.adds_mine:
        note = trusted("Someone else has changed it since this version; theirs already has all your changes.")
        choices = [NamedChoice(SHOWN, trusted("Show both sides"))]
    else:
        note = trusted("Someone else has changed it since this version; your changes and theirs don't overlap.")
        choices = [
            NamedChoice(MERGED, trusted("Merge: keep theirs and add yours")),
            NamedChoice(SHOWN, trusted("Show both sides")),
        ]
    choices.append(otherwise)

    def draw(number: int, width: int) -> tuple[Line, ...]:
        return (fit([Span(choices[number].name)], width, [Span(choices[number].note, Role.WARN)]),)

    while True:
        dialog = JumpListDialog(
            title, len(choices), draw, height=lambda _: 1, note=(Span(note, Role.DIM),), enter_label="choose"
        )
        answer = await flow.ask(dialog)
        if not isinstance(answer, Answered):
            return None
        if (chosen := choices[answer.value].id) != SHOWN:
            return chosen
        await flow.ask(RecordDialog(title, drawing(partial(three_way_facts, sides), view)))


def export_workflow(screen: BaseScreen, record: WorkflowRecord) -> None:
    flow = WorkflowFlow(screen, "export workflow", record.workflow_id)
    stem = file_stem(record.workflow_id, "workflow")
    dialog = PromptDialog(
        show_line(f"Export · {record.label}", 80),
        note=trusted("As JSON that an update accepts."),
        placeholder="path",
        fault=path_problem,
        draft=flow.draft.get("path") or free_export_path(flow.app_context.store.folder, stem, ".json"),
    )
    flow.show(dialog)
    flow.start(_export(flow, record, dialog))


async def _export(flow: WorkflowFlow, record: WorkflowRecord, dialog: PromptDialog) -> None:
    answer = await flow.ask(dialog, "path")
    if isinstance(answer, Closed):
        return
    flow.save_draft(path=answer.value)
    path = expand_path(answer.value)
    flow.release_keys()  # what is being written isn't given up

    store = flow.app_context.store

    def job(db: ReadConnection) -> int:
        stored = load_current(db, record.workflow_id)
        written = write_workflow(stored, path)
        store.write_unawaited(partial(keep_base, stored=stored, now=store.clock()))
        return written

    size = await flow.report_errors(await_future(store.read_in_background(job)))
    if size is not None:
        flow.save_draft(path="")
        flow.save_exported(path)
        flow.notify(show_line(f"Exported to {path} ({size:,} bytes)", 400))

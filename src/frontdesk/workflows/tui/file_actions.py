"""The flow of dialogs about one workflow, and what goes between workflows and files, each after a review.

Files are read and written on a thread: one may be megabytes, or lie on a network that is gone.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from frontdesk.config.credentials import SecretError
from frontdesk.config.facts import drawing
from frontdesk.config.paths import expand_path, file_stem, free_export_path, path_problem
from frontdesk.outbox.changes import NotPossible
from frontdesk.storage.clients import SyncRequests
from frontdesk.storage.records import Change
from frontdesk.storage.sql import ReadConnection
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.dialog_flow import DialogFlow, not_done
from frontdesk.tui.dialogs.base import Answered, Closed
from frontdesk.tui.dialogs.confirm import TypedConfirmDialog
from frontdesk.tui.dialogs.file import FileDialog
from frontdesk.tui.dialogs.picker import NamedChoice, PickerDialog
from frontdesk.tui.dialogs.prompt import PromptDialog
from frontdesk.tui.dialogs.review import RecordDialog, ReviewDialog, name_to_type
from frontdesk.tui.futures import await_future
from frontdesk.workflows import changes, reviews
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.models import WorkflowListing, WorkflowRecord
from frontdesk.workflows.reviews import Review, whole_text
from frontdesk.workflows.tui.dialogs import JumpListDialog
from frontdesk.workflows.update_plan import NotReadYet, ThreeWay, Update, load_current, prepare_three_ways
from frontdesk.workflows.versions import keep_base, keep_sent
from frontdesk.workflows.view.diff import conflict_count, three_way_facts
from frontdesk.workflows.workflow_files import KINDS, read_workflow, write_workflow
from frontdesk_api import json_access
from frontdesk_api.contract.base import JsonObject
from frontdesk_lines.content import clean_for_input
from frontdesk_lines.display_text import SafeText, counted, show_line, trusted
from frontdesk_lines.lines import Line, Role, Span, fit, span

NO_BEARER = (
    "Deleting a webhook needs the Bearer token, but this profile has none. "
    "Run `frontdesk login`, or set FRONTDESK_BEARER."
)


def delete_webhook(screen: BaseScreen) -> None:
    flow = DialogFlow(screen, "delete webhook")
    flow.start(_delete(flow), holds_keys=False)  # a keyring may ask for its password first


async def _delete(flow: DialogFlow) -> None:
    try:
        has_bearer = await asyncio.to_thread(flow.app_context.has_bearer)
    except SecretError as error:
        flow.notify_error(show_line(error, 300))
        return
    if not has_bearer:
        flow.notify_error(trusted(NO_BEARER))
        return
    if not flow.is_on_top:  # left while the token was looked for
        return
    warnings = (
        trusted("This can't be undone: systems that rely on it will stop receiving events."),
        trusted("The platform doesn't list webhooks, so frontdesk can't check that this is the right one."),
    )
    dialog = TypedConfirmDialog(
        trusted("Delete a webhook"), warnings, confirm_label="delete", draft=flow.draft.get("id", "")
    )
    answer = await flow.ask(dialog, "id")
    if isinstance(answer, Closed):
        return
    queued = changes.submit(flow.app_context.store, changes.delete_webhook, answer.value)
    await flow.submit(queued, f"Delete webhook {answer.value}")


T = TypeVar("T")

_EXPORTED = "exported workflow"
_EXAMPLE = "~/welcome.json"


class WorkflowFlow(DialogFlow):
    """A dialog flow about one workflow."""

    async def report_errors(self, awaited: Coroutine[Any, Any, T]) -> T | None:
        """Report as any flow does, and ask for a workflow that isn't read yet."""

        async def refresh_if_unread() -> T | None:
            try:
                return await awaited
            except NotReadYet as error:
                SyncRequests(self.app_context.store).request_refresh(self.target_id)
                self.notify(not_done(error))
                return None

        return await super().report_errors(refresh_if_unread())

    async def confirm(self, prepare: Callable[..., Review], *about: object) -> tuple[Review, Change] | None:
        """Show a review, and queue its write once that is confirmed; return both once it waits to be sent."""
        review = await self.run_in_background(lambda db: prepare(db, *about))
        if review is None or review.nothing:
            if review is not None:
                self.notify(trusted(review.nothing))
            return None
        question = span(review.key_question, Role.BAD if review.errors else Role.WARN)
        dialog = ReviewDialog(
            show_line(f"{review.does} · {review.name}", 80),
            drawing(review.facts, self.app_context.view),
            (question, *map(name_to_type, review.words[:1])),
            confirm_label=review.yes,
            confirm_words=review.words,
            words_name=review.words_name,
            placeholder=review.placeholder,
            full_json=None if review.plan is None else partial(whole_text, review.plan.text),
            draft=self.draft.get("typed", ""),
        )
        if isinstance(await self.ask(dialog, "typed" if review.words else ""), Closed):
            return None
        queued = review.queue(self.app_context.store)
        change = await self.submit(queued, review.label or f"{review.does} {review.name}")
        return None if change is None else (review, change)

    def file_dialog(self, title: SafeText) -> FileDialog:
        """Return a file dialog that begins with the file chosen before, or the workflow's last export."""
        path = self.draft.get("path", "")
        if not path:
            exported = DialogFlow(self.screen, _EXPORTED).draft
            path = exported.get("path", "")
            if exported.get("workflow") != self.target_id and path:
                return FileDialog(title, Path(path).parent, KINDS, example=_EXAMPLE)
        folder = Path(path).parent if path else None
        typed = path if clean_for_input(path, lines=False) == path else ""
        return FileDialog(title, folder, KINDS, example=_EXAMPLE, draft=typed)

    async def choose_file(
        self, dialog: FileDialog, title: SafeText, workflow_id: str = ""
    ) -> tuple[str, JsonObject] | None:
        """Return a path and the workflow in that file; None if the dialog is closed or the read is given up."""
        while True:
            dialog.keep_draft(self._save_path)
            answer = await self.ask(dialog)
            if isinstance(answer, Closed):
                return None
            path = answer.value
            self.save_draft(path=path)
            reading = asyncio.to_thread(read_workflow, path, workflow_id)
            file = await self.wait_for(show_line(Path(path).name, 40), reading)
            if file is not None:
                return path, file
            if not self.is_on_top or self.is_given_up:
                return None
            dialog = self.file_dialog(title)

    def _save_path(self, typed: str) -> None:
        if typed.startswith(("/", "~")):  # else it depends on the folder
            self.save_draft(path=typed)

    def save_exported(self, path: Path) -> None:
        """Remember where this workflow was written, for the next file dialog."""
        exported = DialogFlow(self.screen, _EXPORTED)
        exported.save_draft(path=str(path.absolute()), workflow=self.target_id)


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

"""The key that creates a workflow from a file: file, id, folder, then all that would be stored, and it is sent.

Called by the workflows screen.
"""

from collections import Counter
from functools import partial

from frontdesk.api.contract.base import JsonObject
from frontdesk.storage import json_access
from frontdesk.storage.records import WorkflowListing
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.content import for_field
from frontdesk.tui.dialog_flow import DialogFlow
from frontdesk.tui.dialogs.base import Closed
from frontdesk.tui.dialogs.file import FileDialog
from frontdesk.tui.dialogs.pick_or_type import PickOrTypeDialog
from frontdesk.tui.dialogs.picker import NamedChoice
from frontdesk.tui.dialogs.prompt import PromptDialog
from frontdesk.workflows.prepare import prepare_creation
from frontdesk.workflows.tui.confirm_flow import Reviewed, confirmed
from frontdesk.workflows.update_plan import Creation
from frontdesk.workflows.view.review import creation_lines

TITLE = trusted("Create a workflow from a file")

LONGEST_ID = 512
"""Bytes of an id that the client takes."""


def create_workflow(screen: BaseScreen) -> None:
    """Ask for a file, an id and a folder, and store the workflow once what would be stored was read."""
    flow = DialogFlow(screen, "create workflow")
    dialog = flow.file_dialog(TITLE)
    flow.open(dialog)
    flow.begin(_create(flow, dialog))


async def _create(flow: DialogFlow, dialog: FileDialog) -> None:
    before = flow.kept.get("path", "")
    chosen = await flow.file_of(dialog, TITLE)
    if chosen is None or not flow.screen.is_current:
        return
    path, file = chosen
    if path != before:
        flow.keep(id="", folder="", typed="")
    workflow_id = await _id_of(flow, file)
    folder_id = None if workflow_id is None else await _folder_of(flow, file)
    if workflow_id is None or folder_id is None:
        return
    made = await flow.beside(partial(prepare_creation, workflow_id=workflow_id, file=file))
    if made is not None and flow.screen.is_current:
        await _review(flow, workflow_id, folder_id, made)


async def _id_of(flow: DialogFlow, file: JsonObject) -> str | None:
    listing = flow.app_context.services.queries.workflow_list()
    dialog = PromptDialog(
        trusted("Create a workflow · its id"),
        says=trusted("The platform takes the id from you, and for good."),
        placeholder="letters, digits and -, as welcome-2026",
        fault=partial(_fault, listing),
        draft=flow.kept.get("id") or for_field(json_access.text(file.get("id")), lines=False),
    )
    answer = await flow.ask(dialog)
    if isinstance(answer, Closed):
        flow.keep(id=answer.draft)
        return None
    flow.keep(id=answer.value)
    return answer.value


async def _folder_of(flow: DialogFlow, file: JsonObject) -> str | None:
    listing = flow.app_context.services.queries.workflow_list()
    seen = Counter(each.folder_id for each in listing.records if each.folder_id)
    choices = [
        NamedChoice(each, show_line(each, 60), trusted(f"{count:,} workflow{'s' * (count != 1)}"))
        for each, count in seen.most_common()
    ]
    dialog = PickOrTypeDialog(
        trusted("Create a workflow · its folder"),
        choices,
        says=trusted("No folders are listed; these are those of workflows."),
        placeholder="A folder's id",
        at=flow.kept.get("folder") or json_access.text(file.get("folderId")),
    )
    answer = await flow.ask(dialog)
    if isinstance(answer, Closed):
        return None
    flow.keep(folder=answer.value)
    return answer.value


async def _review(flow: DialogFlow, workflow_id: str, folder_id: str, made: Creation) -> None:
    name = json_access.text(made.body.get("name")) or workflow_id
    is_sure = await confirmed(
        flow,
        Reviewed(workflow_id, f"Create · {name}", made.findings, made.text),
        lambda width: tuple(creation_lines(workflow_id, folder_id, made, width, flow.app_context.view())),
        does="create",
    )
    if is_sure:
        await flow.put(
            flow.app_context.services.create_workflow(workflow_id, folder_id, made.body), f"Create {name}"
        )


def _fault(listing: WorkflowListing, typed: str) -> SafeText | None:
    if typed in ("", ".", "..") or len(typed.encode(errors="replace")) > LONGEST_ID:
        return trusted("Type an id.")
    if any(each.workflow_id == typed for each in listing.records):
        return trusted("It is taken: a workflow has this id already.")
    return None

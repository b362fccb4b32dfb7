"""The key that writes a workflow into a file which, sent back as it is, changes nothing.

Called by the workflows screen.
"""

import contextlib
import re
from functools import partial
from pathlib import Path

from frontdesk.app.reader import Reader
from frontdesk.storage.records import WorkflowRecord
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.text.new_file import fault_of_path, named_path
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.dialog_flow import EXPORTED, DialogFlow
from frontdesk.tui.dialogs.base import Closed
from frontdesk.tui.dialogs.prompt import PromptDialog
from frontdesk.tui.futures import settled
from frontdesk.workflows.files import write_workflow
from frontdesk.workflows.prepare import stored_whole


def export_workflow(screen: BaseScreen, record: WorkflowRecord) -> None:
    """Ask for a file that isn't there yet, and write it."""
    flow = DialogFlow(screen, "export workflow", record.workflow_id)
    folder = flow.app_context.services.folder / "exports"
    with contextlib.suppress(OSError):  # that the folder isn't there is said when its name is taken
        folder.mkdir(mode=0o700, exist_ok=True)
    dialog = PromptDialog(
        show_line(f"Export · {record.name or record.workflow_id}", 80),
        says=trusted("JSON; sent back as it is, it changes nothing."),
        placeholder="path",
        fault=_fault,
        draft=flow.kept.get("path") or _free_name(folder, record.workflow_id),
    )
    flow.open(dialog)
    flow.begin(_export(flow, record, dialog))


async def _export(flow: DialogFlow, record: WorkflowRecord, dialog: PromptDialog) -> None:
    answer = await flow.ask(dialog)
    flow.keep(path=answer.draft if isinstance(answer, Closed) else answer.value)
    if isinstance(answer, Closed):
        return
    path = named_path(answer.value)
    flow.release_keys()  # what is being written isn't given up
    job = partial(_write, workflow_id=record.workflow_id, path=path)
    size = await flow.told(settled(flow.app_context.services.beside(job)))
    if size is not None:
        flow.keep(path="")
        DialogFlow(flow.screen, EXPORTED).keep(path=str(path.absolute()), workflow=record.workflow_id)
        flow.say(show_line(f"Written: {path} ({size:,} bytes)", 400))


def _write(reads: Reader, workflow_id: str, path: Path) -> int:
    return write_workflow(stored_whole(reads, workflow_id), path)


def _free_name(folder: Path, workflow_id: str) -> str:
    """The first name of a file here that isn't taken."""
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", workflow_id).strip(".-")[:80] or "workflow"
    paths = (str(folder / f"{stem}{end}.json") for end in ("", *(f"-{number}" for number in range(2, 100))))
    return next((path for path in paths if not fault_of_path(path)), str(folder))


def _fault(typed: str) -> SafeText | None:
    words = fault_of_path(typed)
    return trusted(words) if words else None

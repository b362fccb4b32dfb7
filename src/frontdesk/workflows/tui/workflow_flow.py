"""The flow of dialogs about one workflow, and the files of workflows that a user names.

Files are read and written on a thread: one may be megabytes, or lie on a network that is gone.
"""

import asyncio
from collections.abc import Coroutine, Mapping
from json import JSONDecodeError
from pathlib import Path
from stat import S_ISREG
from typing import Any, TypeVar

from frontdesk.api.contract.base import JsonObject
from frontdesk.config.paths import write_new_file
from frontdesk.outbox.changes import NotPossible
from frontdesk.storage.clients import SyncRequests
from frontdesk.text.display_text import SafeText, show_line
from frontdesk.text.json_parser import describe_error, parse_file_values
from frontdesk.text.redaction import redact_json
from frontdesk.tui.content import clean_for_input
from frontdesk.tui.dialog_flow import DialogFlow, not_done
from frontdesk.tui.dialogs.base import Closed
from frontdesk.tui.dialogs.file import FileDialog
from frontdesk.workflows import request_body
from frontdesk.workflows.update_plan import NotReadYet

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
            answer = await self.ask(dialog)
            if isinstance(answer, Closed):
                if answer.draft.startswith(("/", "~")):
                    self.save_draft(path=answer.draft)
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

    def save_exported(self, path: Path) -> None:
        """Remember where this workflow was written, for the next file dialog."""
        exported = DialogFlow(self.screen, _EXPORTED)
        exported.save_draft(path=str(path.absolute()), workflow=self.target_id)


MAX_BYTES = 50_000_000
"""Bytes; a workflow of 10,000 nodes has a tenth of that."""

KINDS = (".json", ".jsonl")


def read_workflow(path: str, wanted: str = "") -> JsonObject:
    """Read the workflow in a file: the only one, or the one with the wanted id.

    Raises:
        NotPossible: unreadable, not JSON, a duplicate key (with line and column), or no such workflow.
    """
    name = Path(path).name
    try:
        if not S_ISREG(Path(path).stat().st_mode):  # a pipe or a device may never end
            raise NotPossible(f"{name} isn't a regular file", quotes=True)
        with Path(path).open("rb") as file:
            body = file.read(MAX_BYTES + 1)
        if len(body) > MAX_BYTES:
            raise NotPossible(f"{name} is too large for a workflow (over {MAX_BYTES:,} bytes)", quotes=True)
        found = parse_file_values(body)
    except JSONDecodeError as error:
        raise NotPossible(f"{name}{describe_error(error)}", quotes=True) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise NotPossible(f"couldn't read {name}: {reason}", quotes=True) from None
    return _only_workflow(_entries(found), name, wanted)


def write_workflow(stored: Mapping[str, Any], path: Path) -> int:
    """Write a workflow into a new file in the form that an update takes; returns the bytes written.

    Raises:
        OSError: the file exists, or can't be written.
    """
    text = request_body.format_document(redact_json(request_body.export_document(stored)))
    write_new_file(path, text)
    return len(text.encode())


def _entries(values: list[Any]) -> list[Any]:
    """Return the entries of a list, of an answer of the platform, or of a file of lines."""
    if len(values) != 1:
        return values
    (only,) = values
    if isinstance(only, dict) and isinstance(only.get("result"), list) and "trigger" not in only:
        only = only["result"]
    return only if isinstance(only, list) else [only]


def _only_workflow(entries: list[Any], name: str, wanted: str) -> JsonObject:
    found = [each for each in entries if isinstance(each, dict)]
    if wanted and len(found) > 1:
        found = [each for each in found if each.get("id") == wanted]
    if len(found) == 1:
        return found[0]
    if not found:
        such = f" with the id {wanted}" if wanted and len(entries) > 1 else ": expected a JSON object"
        raise NotPossible(f"{name} has no workflow{such}", quotes=True)
    raise NotPossible(f"{name} has {len(found):,} workflows; put the one you want in its own file", quotes=True)

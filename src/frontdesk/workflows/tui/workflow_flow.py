"""The flow of dialogs about one workflow, and the files of workflows that a user names.

Files are read and written on a thread: one may be megabytes, or lie on a network that is gone.
"""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from frontdesk.config.credentials import SecretError
from frontdesk.config.facts import drawing
from frontdesk.storage.clients import SyncRequests
from frontdesk.storage.records import Change
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.dialog_flow import DialogFlow, not_done
from frontdesk.tui.dialogs.base import Closed
from frontdesk.tui.dialogs.confirm import TypedConfirmDialog
from frontdesk.tui.dialogs.file import FileDialog
from frontdesk.tui.dialogs.review import ReviewDialog, name_to_type
from frontdesk.workflows import changes
from frontdesk.workflows.reviews import Review, whole_text
from frontdesk.workflows.update_plan import NotReadYet
from frontdesk.workflows.workflow_files import KINDS, read_workflow
from frontdesk_api.contract.base import JsonObject
from frontdesk_lines.content import clean_for_input
from frontdesk_lines.display_text import SafeText, show_line, trusted
from frontdesk_lines.lines import Role, span

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

"""DraftSubmitter: a campaign is checked, confirmed by its name, and put into the outbox once.

Held by `CampaignWizard`. A list may be 100,000 recipients, so what walks it runs on a thread.
"""

import asyncio
from concurrent.futures import Future
from datetime import datetime
from functools import partial

from textual.worker import Worker

from frontdesk.campaigns.draft import Draft
from frontdesk.campaigns.preflight.checks import Preflight, preflight
from frontdesk.campaigns.preflight.finding import PreflightSeverity
from frontdesk.campaigns.request_body import body_of
from frontdesk.campaigns.tui.preflight_dialog import PreflightDialog
from frontdesk.campaigns.tui.wizard_fields import DraftForm
from frontdesk.campaigns.tui.workflow_loader import WorkflowLoader
from frontdesk.campaigns.view.preflight import preflight_lines, whole_body
from frontdesk.storage.database_files import StoreUnusable
from frontdesk.storage.records import Change
from frontdesk.text.display_text import show_line, trusted
from frontdesk.tui.content import notify
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import Answered, Closed, Dialog
from frontdesk.tui.futures import on_done

MAX_CHECK_AGE_SECONDS = 1_800.0
"""An older check has to be repeated: the hour is another one, and so may the workflow be."""


class DraftSubmitter:
    """Checks the draft of a form, has it confirmed and submits it; its dialog answers with what was sent."""

    def __init__(self, dialog: Dialog[Draft], app_context: AppContext, form: DraftForm) -> None:
        self._dialog, self._app_context, self._form = dialog, app_context, form
        self._typed = ""

    def check(self) -> None:
        """Show all that would be sent and what speaks against it."""
        _: Worker[None] = self._dialog.run_worker(self._check, group="check", exclusive=True)

    async def _check(self) -> None:
        listed, draft, services = self._form.so_far, self._form.draft, self._app_context.services
        if listed.is_busy:
            notify(self._dialog.app, trusted("The list is still being read."), timeout_seconds=3)
            return
        recipients = () if listed.audience is None else listed.audience.recipients
        try:
            read_error = await self._load_workflow(draft)
        except StoreUnusable as error:
            notify(self._dialog.app, show_line(error), severity="error")
            return
        if not self._is_unchanged(draft):
            self._notify_stopped()
            return
        if read_error is None:
            return
        now = datetime.fromtimestamp(self._app_context.clock(), self._app_context.zone)
        try:
            facts = await asyncio.wrap_future(services.campaign_facts(draft, listed.summary, now, read_error))
        except StoreUnusable as error:
            notify(self._dialog.app, show_line(error), severity="error")
            return
        body = await asyncio.to_thread(body_of, draft, recipients)
        found = await asyncio.to_thread(preflight, draft, facts, body)
        if self._is_unchanged(draft):
            self._show_preflight(draft, found, now.timestamp())
        else:
            self._notify_stopped()

    def _is_unchanged(self, draft: Draft) -> bool:
        """Whether what was checked is still what would be sent, with nothing over it."""
        return self._dialog.is_active and draft == self._form.draft and not self._form.is_sent

    def _notify_stopped(self) -> None:
        """A check that shows nothing must not look like one that is still on its way."""
        words = "The check was stopped: something else was opened or changed meanwhile. Check again."
        notify(self._dialog.app, trusted(words), severity="warning")

    async def _load_workflow(self, draft: Draft) -> str | None:
        """Have the workflow's document read now; answers why it wasn't, and None where a person gives it up."""
        if not draft.workflow_id:
            return ""
        loader = WorkflowLoader(self._dialog, self._app_context, draft.workflow_id)
        return await loader.load(show_line(draft.workflow_name or draft.workflow_id, 60))

    def _show_preflight(self, draft: Draft, found: Preflight, at: float) -> None:
        title = show_line(f"Check · {draft.name or 'a campaign without a name'}", 80)
        dialog = PreflightDialog(
            title,
            lambda width: preflight_lines(draft, found, width, self._app_context.view()),
            draft.name,
            errors=len(found.errors) - len(found.unchecked),
            unchecked=found.unchecked,
            warnings=sum(each.severity is PreflightSeverity.WARNING for each in found.findings),
            whole=partial(whole_body, found),
            draft=self._typed,
        )
        self._dialog.app.push_screen(dialog, partial(self._answered, draft, found, at))

    def _answered(self, draft: Draft, found: Preflight, at: float, answer: Answered[bool] | Closed | None) -> None:
        if isinstance(answer, Closed):
            self._typed = answer.draft
        elif isinstance(answer, Answered):
            self._send(draft, found, at)

    def _send(self, draft: Draft, found: Preflight, at: float) -> None:
        if draft.scheduled_at is not None and draft.scheduled_at <= self._app_context.clock():
            words = "Its time has passed while it was read: nothing was sent. Choose another."
            notify(self._dialog.app, trusted(words), severity="error", timeout_seconds=15)
        elif self._app_context.clock() - at > MAX_CHECK_AGE_SECONDS:
            words = "It was checked over half an hour ago: nothing was sent. Check it again."
            notify(self._dialog.app, trusted(words), severity="error", timeout_seconds=15)
        elif found.can_be_confirmed and not self._form.is_sent:
            self._form.is_sent = True
            created = self._app_context.services.create_campaign(draft, found.body)
            on_done(self._dialog.app, created, partial(self._on_created, draft))

    def _on_created(self, draft: Draft, created: "Future[Change]") -> None:
        error = created.exception()
        if error is None:
            self._dialog.done(draft)
        else:
            self._form.is_sent = False
            notify(
                self._dialog.app,
                trusted(f"Nothing was sent: {show_line(error).text}"),
                severity="error",
                timeout_seconds=15,
            )

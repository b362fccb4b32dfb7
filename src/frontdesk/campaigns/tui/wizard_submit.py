"""The last page of a campaign that is made: checked, confirmed by its name, and put into the outbox once.

`CampaignWizard` is built on it. A list may be 100,000 recipients, so what walks it runs on a thread.
"""

import asyncio
from concurrent.futures import Future
from datetime import datetime
from functools import partial

from textual import work

from frontdesk.campaigns.draft import Draft
from frontdesk.campaigns.preflight.checks import Preflight, preflight
from frontdesk.campaigns.preflight.finding import Severity
from frontdesk.campaigns.request_body import body_of
from frontdesk.campaigns.tui.audience_loader import ListReading
from frontdesk.campaigns.tui.preflight_dialog import PreflightDialog
from frontdesk.campaigns.view.audience import ListSoFar
from frontdesk.campaigns.view.preflight import preflight_lines, whole_body
from frontdesk.storage.database_files import StoreUnusable
from frontdesk.storage.records import Change
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.text.lines import Line
from frontdesk.tui.content import notify
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import Answered, Closed, Dialog
from frontdesk.tui.futures import on_done
from frontdesk.workflows.tui.document_request import WorkflowReading

CHECK_HOLDS = 1_800.0
"""Seconds; what was checked before isn't sent any more: the hour is another one, and so may the workflow be."""


class DraftSubmitter(Dialog[Draft]):
    """From the draft to its change; answers with the draft that was sent.

    Attributes:
        campaign: what was decided so far.
        reading: of the list in its file.
        is_sent: it was given to the outbox; nothing of it changes any more.
    """

    def __init__(
        self, app_context: AppContext, draft: Draft, title: SafeText, keys: Line, reading: ListReading
    ) -> None:
        super().__init__(title, keys=keys)
        self.app_context = app_context
        self.campaign = draft
        self.reading = reading
        self.is_sent = False
        self._typed = ""

    @property
    def so_far(self) -> ListSoFar:
        """What is known of the list in its file."""
        return self.reading.so_far

    @work(exclusive=True, group="check")
    async def check(self) -> None:
        """Show all that would be sent and what speaks against it."""
        listed, draft, services = self.so_far, self.campaign, self.app_context.services
        if listed.is_busy:
            notify(self.app, trusted("The list is still being read."), timeout_seconds=3)
            return
        recipients = () if listed.audience is None else listed.audience.recipients
        try:
            not_read = await self._read_workflow(draft)
        except StoreUnusable as error:
            notify(self.app, show_line(error), severity="error")
            return
        if not self._is_of_now(draft):
            self._say_dropped()
            return
        if not_read is None:
            return
        now = datetime.fromtimestamp(self.app_context.clock(), self.app_context.zone)
        try:
            facts = await asyncio.wrap_future(services.campaign_facts(draft, listed.summary, now, not_read))
        except StoreUnusable as error:
            notify(self.app, show_line(error), severity="error")
            return
        body = await asyncio.to_thread(body_of, draft, recipients)
        found = await asyncio.to_thread(preflight, draft, facts, body)
        if self._is_of_now(draft):
            self._show_preflight(draft, found, now.timestamp())
        else:
            self._say_dropped()

    def _is_of_now(self, draft: Draft) -> bool:
        """Whether what was checked is still what would be sent, with nothing over it."""
        return self.is_active and draft == self.campaign and not self.is_sent

    def _say_dropped(self) -> None:
        """A check that shows nothing must not look like one that is still on its way."""
        words = "The check was stopped: something else was opened or changed meanwhile. Check again."
        notify(self.app, trusted(words), severity="warning")

    async def _read_workflow(self, draft: Draft) -> str | None:
        """Have the workflow's document read now; answers why it wasn't, and None where a person gives it up."""
        if not draft.workflow_id:
            return ""
        reading = WorkflowReading(self, self.app_context.services, draft.workflow_id)
        return await reading.shown(show_line(draft.workflow_name or draft.workflow_id, 60))

    def _show_preflight(self, draft: Draft, found: Preflight, at: float) -> None:
        title = show_line(f"Check · {draft.name or 'a campaign without a name'}", 80)
        dialog = PreflightDialog(
            title,
            lambda width: preflight_lines(draft, found, width, self.app_context.view()),
            draft.name,
            errors=len(found.errors) - len(found.unchecked),
            unchecked=found.unchecked,
            warnings=sum(each.severity is Severity.WARNING for each in found.findings),
            whole=partial(whole_body, found),
            draft=self._typed,
        )
        self.app.push_screen(dialog, partial(self._answered, draft, found, at))

    def _answered(self, draft: Draft, found: Preflight, at: float, answer: Answered[bool] | Closed | None) -> None:
        if isinstance(answer, Closed):
            self._typed = answer.draft
        elif isinstance(answer, Answered):
            self._send(draft, found, at)

    def _send(self, draft: Draft, found: Preflight, at: float) -> None:
        if draft.scheduled_at is not None and draft.scheduled_at <= self.app_context.clock():
            words = "Its time has passed while it was read: nothing was sent. Choose another."
            notify(self.app, trusted(words), severity="error", timeout_seconds=15)
        elif self.app_context.clock() - at > CHECK_HOLDS:
            words = "It was checked over half an hour ago: nothing was sent. Check it again."
            notify(self.app, trusted(words), severity="error", timeout_seconds=15)
        elif found.can_be_confirmed and not self.is_sent:
            self.is_sent = True
            created = self.app_context.services.create_campaign(draft, found.body)
            on_done(self.app, created, partial(self._settled, draft))

    def _settled(self, draft: Draft, created: "Future[Change]") -> None:
        error = created.exception()
        if error is None:
            self.done(draft)
        else:
            self.is_sent = False
            notify(
                self.app,
                trusted(f"Nothing was sent: {show_line(error).text}"),
                severity="error",
                timeout_seconds=15,
            )

"""DraftSubmitter: a campaign is checked, confirmed by its name, and added to the outbox once.

A list may be 100,000 recipients, so what walks it runs on a thread. In PreflightDialog Enter alone sends nothing.
Where something couldn't be checked, UncheckedDialog asks once more.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import datetime
from functools import partial
from typing import Any

from textual.screen import Screen
from textual.worker import Worker

from frontdesk.campaigns.changes import CampaignCommands
from frontdesk.campaigns.draft import Draft, build_body
from frontdesk.campaigns.preflight import preflight
from frontdesk.campaigns.preflight_facts import (
    Preflight,
    PreflightFinding,
    PreflightSeverity,
    WorkflowSource,
    read_facts,
)
from frontdesk.campaigns.tui.wizard_form import DraftForm
from frontdesk.campaigns.view.preflight import preflight_facts, sentence, whole_body
from frontdesk.config.facts import drawing
from frontdesk.storage import clients
from frontdesk.storage.clients import SyncRequests
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.database_files import StoreUnusable
from frontdesk.storage.records import Change
from frontdesk.sync.status_view import SILENT_AFTER_SECONDS
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialog_flow import wait_for_reading
from frontdesk.tui.dialogs.base import Answered, Closed, Dialog, on_answer
from frontdesk.tui.dialogs.confirm import ConfirmDialog
from frontdesk.tui.dialogs.review import ReviewDialog, name_to_type
from frontdesk.tui.futures import await_future, on_done
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import counted, show_error, show_line, trusted
from frontdesk_lines.lines import Line, Role, Span, span

MAX_CHECK_AGE_SECONDS = 1_800.0
"""An older check has to be repeated: the hour is another one, and so may the workflow be."""

MANY_RECIPIENTS = 10_000
"""Saving as many takes about a second, so that it is said."""


class DraftSubmitter:
    """Checks the draft of a form, has it confirmed and submits it; its dialog answers with what was sent."""

    def __init__(
        self, dialog: Dialog[Draft], app_context: AppContext, workflows: WorkflowSource, form: DraftForm
    ) -> None:
        self._dialog, self._app_context, self._form = dialog, app_context, form
        self._workflows = workflows

    def check(self, test: Draft | None = None, sent: Callable[[], None] | None = None) -> None:
        """Check the form's draft, or a test of it, which leaves it as it is and calls `sent`."""
        check = partial(self._check, test or self._form.draft, sent)
        _: Worker[None] = self._dialog.run_worker(check, group="check", exclusive=True)

    async def _check(self, draft: Draft, sent: Callable[[], None] | None) -> None:
        listed, store, of = self._form.progress, self._app_context.store, self._form.draft
        if listed.is_busy:
            notify(self._dialog.app, trusted("The list is still loading."), timeout_seconds=3)
            return
        recipients = () if listed.audience is None or sent else listed.audience.recipients
        try:
            read_error = await load_workflow(self._dialog, store, draft)
            if not self._is_unchanged(of):
                self._notify_stopped()
                return
            if read_error is None:
                return
            now = datetime.fromtimestamp(self._app_context.clock(), self._app_context.zone)
            reading = read_facts(store, self._workflows, draft, listed.summary, now, read_error)
            facts = await asyncio.wrap_future(reading)
        except StoreUnusable as error:
            notify(self._dialog.app, show_error(error), severity="error")
            return
        body = await asyncio.to_thread(build_body, draft, recipients)
        found = await asyncio.to_thread(preflight, draft, facts, body)
        if self._is_unchanged(of):
            self._show_preflight(draft, found, now.timestamp(), sent)
        else:
            self._notify_stopped()

    def _is_unchanged(self, draft: Draft) -> bool:
        return self._dialog.is_active and draft == self._form.draft and not self._form.is_sent

    def _notify_stopped(self) -> None:
        words = "The check stopped because something else was opened or changed. Check again."
        notify(self._dialog.app, trusted(words), severity="warning")

    def _show_preflight(self, draft: Draft, found: Preflight, at: float, sent: Callable[[], None] | None) -> None:
        typed = self._app_context.outbox.drafts.of("campaign check", draft.draft_id)
        draw = drawing(partial(preflight_facts, draft, found), self._app_context.view)
        dialog = PreflightDialog(draft, found, draw, typed="" if sent else typed.text)
        if not sent:
            dialog.keep_draft(typed.keep)

        def send(_: bool) -> None:
            self._send(draft, found, at, sent)

        self._dialog.app.push_screen(dialog, on_answer(send, None if sent else typed))

    def _send(self, draft: Draft, found: Preflight, at: float, sent: Callable[[], None] | None) -> None:
        now = self._app_context.clock()
        if draft.scheduled_at is not None and draft.scheduled_at <= now:
            self._refuse("The scheduled time has passed, so nothing was sent. Choose another time.")
        elif now - at > MAX_CHECK_AGE_SECONDS:
            self._refuse("The check is over half an hour old, so nothing was sent. Check again.")
        elif found.can_be_confirmed and not self._form.is_sent:
            self._form.is_sent = sent is None
            if (found.count or 0) >= MANY_RECIPIENTS:
                words = f"Saving {found.count:,} recipients to the outbox …"
                notify(self._dialog.app, trusted(words), timeout_seconds=3)
            created = CampaignCommands(self._app_context.store).create(draft, found.body)
            on_done(self._dialog.app, created, partial(self._on_created, draft, sent))

    def _on_created(self, draft: Draft, sent: Callable[[], None] | None, created: "Future[Change]") -> None:
        error = created.exception()
        if error is None and sent:
            sent()
        elif error is None:
            self._dialog.done(draft)
        else:
            self._form.is_sent = False
            self._refuse(f"Nothing was sent: {show_error(error).text}")

    def _refuse(self, words: str) -> None:
        notify(self._dialog.app, trusted(words), severity="error", timeout_seconds=15)


POLL_SECONDS = 0.1

MAX_SECONDS = 90.0
"""An answer may take 20 seconds, and two of them are read, perhaps after two of a read that had begun before."""

MAX_SECONDS_WITHOUT_ENGINE = 10.0
"""The engine says every five seconds that it lives, and begins to after the first paint."""


async def load_workflow(screen: Screen[Any], store: ProfileStore, draft: Draft) -> str | None:
    """Have the engine read a draft's workflow, with a dialog over the screen where it takes a while.

    Returns:
        Why it couldn't be read; empty if it was, and None if a person gave up or opened something else meanwhile.

    Raises:
        StoreUnusable: the store can't be used.
    """
    if not draft.workflow_id:
        return ""
    reading = asyncio.ensure_future(_read_workflow(store, draft.workflow_id))
    try:
        words = show_line(f"workflow {draft.workflow_name or draft.workflow_id}", 80)
        is_wanted = await wait_for_reading(screen, trusted("Check"), words, reading, MAX_SECONDS)
        is_covered = not reading.done() and not screen.is_active
        return await reading if is_wanted and not is_covered else None
    finally:
        reading.cancel()


async def _read_workflow(store: ProfileStore, workflow_id: str) -> str:
    ask_id = await await_future(SyncRequests(store).request_workflow(workflow_id))
    loop = asyncio.get_running_loop()
    begun_at = loop.time()
    while True:
        ask = clients.request_by_id(store.reading, ask_id)
        if ask is not None and ask.state != "asked":
            return ask.reason if ask.state == "failed" else ""
        waited, health = loop.time() - begun_at, clients.health(store.reading)
        is_alive = health.heard_at is not None and abs(store.clock() - health.heard_at) <= SILENT_AFTER_SECONDS
        if waited > MAX_SECONDS_WITHOUT_ENGINE and not is_alive:
            return "frontdesk's background process isn't responding"
        if waited > MAX_SECONDS:
            return f"no response within {MAX_SECONDS:.0f} s" + (f" ({health.reason})" if health.reason else "")
        await asyncio.sleep(POLL_SECONDS)


MAX_NAMED = 8
"""Unchecked things that the dialog names; the preflight has all."""


class PreflightDialog(ReviewDialog):
    """Answers with True once the name was typed and unchecked errors were confirmed; no answer is a `Closed`."""

    def __init__(
        self, draft: Draft, found: Preflight, draw: Callable[[int], Sequence[Line]], *, typed: str = ""
    ) -> None:
        runs = f"Runs the workflow {draft.workflow_id}. " if draft.workflow_id and found.has_namesakes else ""
        super().__init__(
            show_line(f"Check · {draft.name or 'unnamed campaign'}", 80),
            draw,
            (Span(show_line(runs, 130)), *_confirm_line(draft.name, found)),
            confirm_label="send",
            confirm_words=(draft.name,),
            placeholder="Campaign name; once sent, a campaign can't be stopped",
            is_refused=not found.can_be_confirmed,
            full_json=partial(whole_body, found),
            draft=typed,
        )
        self._unchecked = found.unchecked

    def done(self, value: bool) -> None:
        """Close with an answer; first ask about what couldn't be checked. After a no the name stays typed."""
        if value and self._unchecked and self.is_current:
            self.app.push_screen(UncheckedDialog(self._unchecked), self._confirmed)
        else:
            super().done(value)

    def _confirmed(self, answer: Answered[bool] | Closed | None) -> None:
        if isinstance(answer, Answered):
            super().done(True)


class UncheckedDialog(ConfirmDialog):
    """Asks once more, naming what couldn't be checked; "no" is the default."""

    accepts_queued_keys = False

    def __init__(self, unchecked: Sequence[PreflightFinding]) -> None:
        left_out = len(unchecked) - MAX_NAMED
        more = [trusted(f"And {left_out:,} more, listed in the check.")] if left_out > 0 else []
        super().__init__(
            trusted("Send without these checks?"),
            trusted(_confirm_reason(unchecked)),
            [*(sentence(each.words) for each in unchecked[:MAX_NAMED]), *more],
            yes=trusted("Send unchecked"),
        )


def _confirm_reason(unchecked: Sequence[PreflightFinding]) -> str:
    what = "These checks couldn't run"
    if any(each.is_outdated for each in unchecked):
        what = "The workflow has changed and hasn't been checked since, so these errors may still be there"
    return f"A campaign can't be stopped once it's sent. {what}:"


def _confirm_line(name: str, found: Preflight) -> Line:
    unchecked = found.unchecked
    if errors := len(found.errors) - len(unchecked):
        what, them = ("1 error prevents", "it") if errors == 1 else (f"{errors:,} errors prevent", "them")
        return (span(f"✗ {what} sending: press esc and fix {them}.", Role.BAD),)
    if unchecked:
        outdated = sum(each.is_outdated for each in unchecked)
        failed = len(unchecked) - outdated
        parts = [f"{counted(failed, 'check')} couldn't run"] if failed else []
        parts += [f"{counted(outdated, 'error')} may still be there"] if outdated else []
        words = f"✗ {', '.join(parts)}: press esc and check again. To send it anyway, type its name and confirm: "
        return (span(words, Role.BAD), name_to_type(name))
    warnings = sum(each.severity is PreflightSeverity.WARNING for each in found.findings)
    read = f"{counted(warnings, 'warning')} to review. " if warnings else ""
    return (span(f"{read}To send it, type its name: ", Role.WARN), name_to_type(name))

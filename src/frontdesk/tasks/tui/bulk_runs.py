"""A running bulk action: stopping it, its end, and its failures."""

from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from frontdesk.outbox import bulk as outbox_bulk
from frontdesk.outbox import queue as outbox_queue
from frontdesk.outbox.labels import describe_state
from frontdesk.outbox.undo import StopResult
from frontdesk.storage import record_lookup
from frontdesk.storage.record_lookup import STANDALONE, change_target
from frontdesk.storage.records import Change, ChangeKind, ChangeState
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.futures import on_done
from frontdesk_api.contract.ids import ConversationId, TaskId
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import show_error, show_line, trusted
from frontdesk_lines.lines import Role, span

if TYPE_CHECKING:
    from frontdesk.tasks.tui.failures_dialog import FailureChoice

REPORT_SECONDS = 4.0
"""An end that comes sooner isn't reported: the report of the action, which names undo, is still shown."""


class BulkRuns:
    """Stops bulk actions, reports their end and resolves their failures."""

    def __init__(self, screen: BaseScreen) -> None:
        self._screen = screen
        self._store, self._outbox = screen.app_context.store, screen.app_context.outbox
        self._stopped_batch = ""

    def stop(self) -> None:
        batch = self._screen.status_bar.run.batch
        if not batch:
            notify(self._screen.app, trusted("No bulk change is running."), timeout_seconds=2)
            return
        self._stopped_batch = batch
        on_done(self._screen.app, self._outbox.stop(batch), self._report_stop)

    def show_failures(self) -> None:
        """List the failures of the newest action with some."""
        found = outbox_bulk.failures(self._store.reading)
        if not found:
            notify(self._screen.app, trusted("No failed changes to resolve."), timeout_seconds=2)
            return
        from frontdesk.tasks.tui.failures_dialog import FailuresDialog

        label = show_line(found[0].label, 40).text
        over = any(change.state is ChangeState.CONFLICT for change in found)
        words = (
            "In a conflict, resending overwrites the other person's version."
            if over
            else "None of these took effect."
        )
        dialog = FailuresDialog(
            trusted(f"{len(found):,} failed · {label}"),
            [self._failure(change) for change in found],
            note=(span(words, Role.DIM),),
        )
        self._screen.app.push_screen(dialog, lambda answer: self._resolve_failure(getattr(answer, "value", None)))

    def report_end(self, batch: str) -> None:
        """Report how a bulk action ended; failures stay until they are decided."""
        confirmed, failed, made_at = outbox_bulk.outcome(self._store.reading, batch)
        was_stopped, self._stopped_batch = batch == self._stopped_batch, ""
        if failed:
            key = self._screen.app_context.key("bulk.failures")
            words = f"{failed:,} of {confirmed + failed:,} failed · {key} list"
            notify(self._screen.app, trusted(words), severity="warning", timeout_seconds=10)
        elif confirmed and not was_stopped and self._store.clock() - made_at > REPORT_SECONDS:
            notify(self._screen.app, trusted(f"All {confirmed:,} sent."), timeout_seconds=3)

    def _report_stop(self, finished: "Future[StopResult]") -> None:
        error = finished.exception()
        if error is not None:
            notify(self._screen.app, trusted(f"Couldn't stop it: {show_error(error).text}"), severity="error")
            return
        done = finished.result()
        if not done.cancelled:
            notify(self._screen.app, trusted("Everything has already been sent."), timeout_seconds=3)
            return
        sent = (
            f"{done.sent:,} already sent · {self._screen.app_context.key('change.undo')} undo those"
            if done.sent
            else "none sent"
        )
        cancelled = f"{done.cancelled:,} {describe_state(done.state)}"
        notify(self._screen.app, trusted(f"Stopped: {cancelled}, {sent}"), timeout_seconds=5)
        self._screen.status_bar.update()

    def _failure(self, change: Change) -> Any:
        from frontdesk.tasks.tui.failures_dialog import Failure

        state = "conflict" if change.state is ChangeState.CONFLICT else "rejected"
        reason = show_line(change.reason or "no reason given")
        return Failure(change.change_id, change_target(self._store.reading, change), trusted(state), reason)

    def _resolve_failure(self, chosen: "FailureChoice | None") -> None:
        if chosen is None:
            return
        if chosen.again:
            on_done(self._screen.app, self._outbox.retry_all(chosen.again), self._report_retry)
        elif (
            chosen.open is not None
            and (change := outbox_queue.change(self._store.reading, chosen.open)) is not None
        ):
            self._open_target(change)

    def _open_target(self, change: Change) -> None:
        if change.kind is ChangeKind.TAGS:
            self._screen.post_message(BaseScreen.ConversationRequested(ConversationId(change.target)))
            return
        if change.kind.about in STANDALONE:
            activity = self._screen.app_context.key("go.activity")
            words = f"A {change.kind.about} has no conversation; see Activity ({activity})."
            notify(self._screen.app, trusted(words), severity="warning")
            return
        task = record_lookup.task(self._store.reading, TaskId(change.target))
        if task is not None and task.conversation_id is not None:
            self._screen.post_message(BaseScreen.ConversationRequested(task.conversation_id))
        else:
            notify(self._screen.app, trusted("No conversation to open."), severity="warning")

    def _report_retry(self, finished: "Future[int]") -> None:
        error = finished.exception()
        if error is not None:
            notify(self._screen.app, show_error(error), severity="warning")
        else:
            notify(self._screen.app, trusted(f"Resending {finished.result():,}."), timeout_seconds=3)

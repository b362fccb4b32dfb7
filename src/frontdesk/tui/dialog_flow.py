"""A sequence of dialogs that one key starts, with slow reads between them."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from inspect import CORO_CREATED, getcoroutinestate
from typing import Any, TypeVar

from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.worker import Worker

from frontdesk.config.actions import Undo
from frontdesk.outbox.changes import NotPossible
from frontdesk.storage.database_files import StoreUnusable
from frontdesk.storage.records import Change
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import Answered, Closed, Dialog
from frontdesk.tui.dialogs.prompt import WaitingDialog
from frontdesk.tui.futures import await_future
from frontdesk_api import json_access
from frontdesk_api.redaction import redact_json
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import SafeText, show_error, show_line, trusted
from frontdesk_lines.lines import Span, span

T = TypeVar("T")

QUIET_SECONDS = 0.3
"""A read that takes longer opens a waiting dialog."""

NOTIFY_SECONDS = 15.0


class DialogFlow:
    """One action of several dialogs, run as a worker of its screen.

    The draft of a dialog that was closed unanswered is kept for the next time, across restarts.

    Attributes:
        draft: the fields entered before for the same target.
        is_given_up: whether the waiting dialog was closed.
    """

    def __init__(self, screen: BaseScreen, name: str, target_id: str = "") -> None:
        self.screen, self.target_id = screen, target_id
        self._name = f"action: {name}"
        self._shown: dict[Dialog[Any], asyncio.Future[Any]] = {}
        self._cancel: Callable[[], None] | None = None
        self.is_given_up = False
        # The screen's own first: a draft saved a moment ago may not be in the store yet.
        saved = screen.unfinished_actions.get(self._name) or json_access.mapping(
            self.app_context.outbox.saved_view_state(self._name)
        )
        self.draft: Mapping[str, str] = {}
        if json_access.text(saved.get("about")) == target_id:
            self.draft = {field: json_access.text(value) for field, value in saved.items() if field != "about"}

    @property
    def app_context(self) -> AppContext:
        return self.screen.app_context

    def start(self, steps: Coroutine[Any, Any, object], *, holds_keys: bool = True) -> None:
        """Run the steps as a worker of the screen.

        Args:
            holds_keys: whether keys wait for the next dialog; not where that may take long.
        """

        async def run() -> None:
            try:
                await steps
            finally:
                self.release_keys()

        worker: Worker[None] = self.screen.run_worker(run, group=self._name, exclusive=True)

        def cancel() -> None:
            worker.cancel()
            if getcoroutinestate(steps) == CORO_CREATED:
                steps.close()
            self.release_keys()  # here: a worker that was not begun yet never comes to its end

        if holds_keys:
            self._cancel = self.screen.cancel_action = cancel

    def cancel(self) -> None:
        """Stop the flow if keys are still held for its next dialog."""
        if self._cancel is not None:
            self._cancel()

    def show(self, dialog: Dialog[Any]) -> None:
        """Open the first dialog at once, so that it gets the keys typed after the action's."""
        self._shown[dialog] = self._push(dialog)

    async def ask(self, dialog: Dialog[T], field: str = "") -> Answered[T] | Closed:
        """Show a dialog, unless it is shown already, and wait for its answer.

        Args:
            field: the field of the draft that keeps what is typed into it; empty to keep nothing.
        """
        if field:
            dialog.keep_draft(lambda typed: self.save_draft(**{field: typed}))
        shown: asyncio.Future[Answered[T] | Closed] | None = self._shown.pop(dialog, None)
        return await (shown or self._push(dialog))

    async def run_in_background(self, job: Callable[[Any], T], *, for_dialog: bool = True) -> T | None:
        """Run a job that reads the store on a thread; None where it failed or was given up.

        Args:
            for_dialog: whether the result is for the next dialog, and so dropped once something else was opened.
        """
        awaited = await_future(self.app_context.store.read_in_background(job))
        return await self.wait_for(trusted("the workflow"), awaited, for_dialog=for_dialog)

    async def wait_for(
        self, name: SafeText, awaited: Coroutine[Any, Any, T], *, for_dialog: bool = True
    ) -> T | None:
        """Wait for a read and report its errors; a slow one is shown.

        Returns:
            None where it failed, was given up, or (see `run_in_background`) something else was opened meanwhile.
        """
        reading = asyncio.ensure_future(self.report_errors(awaited))
        try:
            self.is_given_up = not await wait_for_reading(self.screen, trusted("One moment"), name, reading)
            found = None if self.is_given_up else await reading
        finally:
            reading.cancel()
        if found is None or self.is_on_top or not for_dialog:
            return found
        words = "Canceled: something else was opened in the meantime."
        self.notify(trusted(words), "warning")
        return None

    @property
    def is_on_top(self) -> bool:
        """Whether the screen has the keys; `is_current` is also True under a translucent dialog."""
        return self.screen.is_active

    async def submit(self, queued: "Future[Change]", label: str) -> Change | None:
        """Wait until a change is in the outbox and report it; None where it was refused."""
        self.release_keys()
        change = await self.report_errors(await_future(queued))
        if change is None:
            return None
        self.forget_draft()
        undo = self.app_context.key("change.undo")
        # A long name must not hide the undo key.
        shown = show_line(label, 80)
        words = SafeText(f"{shown.text}: {Undo.UNTIL_SENT.hint(undo)}.", shown.was_sanitized)
        notify(self.screen.app, words, timeout_seconds=5)
        return change

    def save_draft(self, **fields: str) -> None:
        """Keep these fields for the next time; one with a credential in it stays out of the store."""
        self.draft = {**self.draft, **fields}
        saved = self.screen.unfinished_actions[self._name] = {"about": self.target_id, **self.draft}
        self.app_context.outbox.save_view_state(self._name, redact_json(saved))

    def forget_draft(self) -> None:
        self.draft = {}
        self.save_draft()

    def notify(self, words: SafeText, severity: SeverityLevel = "information") -> None:
        notify(self.screen.app, words, severity=severity, timeout_seconds=NOTIFY_SECONDS)

    def notify_error(self, words: SafeText) -> None:
        self.notify(words, "error")

    async def report_errors(self, awaited: Coroutine[Any, Any, T]) -> T | None:
        """Await a result and report its errors; None where it failed."""
        try:
            return await awaited
        except (NotPossible, OSError, StoreUnusable) as error:
            self.notify_error(not_done(error))
            return None

    def release_keys(self) -> None:
        if self._cancel is not None and self.screen.cancel_action is self._cancel:
            self.screen.cancel_action = None
            self.screen.post_message(BaseScreen.ActionEnded())

    def _push(self, dialog: Dialog[T]) -> "asyncio.Future[Answered[T] | Closed]":
        answered, on_answer = _pending_answer()
        self.screen.app.push_screen(dialog, on_answer)
        return answered


async def wait_for_reading(
    screen: Screen[Any],
    title: SafeText,
    name: SafeText,
    reading: "asyncio.Future[Any]",
    max_seconds: float | None = None,
) -> bool:
    """Wait for a read, with a dialog where it takes a while; return False if a person gives it up.

    Args:
        max_seconds: when the read ends by itself; None if that isn't limited.
    """
    await asyncio.wait({reading}, timeout=QUIET_SECONDS)
    if reading.done() or not screen.is_active:
        return True
    dialog = WaitingDialog(title, (span("Loading "), Span(name), span("…")), max_seconds=max_seconds)
    closed, on_answer = _pending_answer()
    await screen.app.push_screen(dialog, on_answer)
    await asyncio.wait({reading, closed}, return_when=asyncio.FIRST_COMPLETED)
    if not closed.done():
        dialog.done(None)
    return isinstance(await closed, Answered)


def not_done(error: Exception) -> SafeText:
    words = show_error(error, 400)
    return SafeText(
        f"Nothing was done: {words.text}{'' if words.text.endswith('.') else '.'}", words.was_sanitized
    )


def _pending_answer() -> "tuple[asyncio.Future[Any], Callable[[Any], None]]":
    answered: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def on_answer(answer: Any) -> None:
        if not answered.done():  # the worker that waited for it may be cancelled
            answered.set_result(answer or Closed())

    return answered, on_answer

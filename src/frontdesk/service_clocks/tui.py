"""ServiceClockNotices: an alert before a service deadline and one after it.

A claim in the store is committed before anything is shown. So each comes once, on one screen, over restarts too;
after a kill it may be missing.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

from textual.app import App

from frontdesk.api.contract.ids import ConversationId, TaskId
from frontdesk.outbox.commands import FORGET_SECONDS
from frontdesk.service_clocks import store as clock_store
from frontdesk.service_clocks.store import DueClock
from frontdesk.service_clocks.view import alert_words
from frontdesk.storage import record_lookup
from frontdesk.storage.record_lookup import conversation_name, customer_name, task_for_customer
from frontdesk.storage.records import TaskRecord
from frontdesk.text.display_text import SafeText, counted, cut, trusted
from frontdesk.tui.content import notify
from frontdesk.tui.context import AppContext
from frontdesk.tui.futures import on_done
from frontdesk.tui.textual_compat import escape_sequences

CHECK_SECONDS = 5.0

MAX_CHECKED = 1_000
"""So many clocks are looked at, the latest first."""

MAX_TOASTS = 2
"""More alerts than this at once are told of in one."""

TOAST_SECONDS = 20.0
MAX_NAMED, NAME_CELLS = 3, 30


def claim_key(found: DueClock, now: float) -> str:
    """Return the name of an alert: one before and one after the deadline of each run of a clock."""
    clock = found.clock
    stage = "after" if clock.due_at is not None and clock.due_at <= now else "before"
    return f"sla {stage} {found.conversation_id} {clock.task_id} {clock.kind} {clock.started_at}"


def summary(found: Sequence[DueClock], customers: Sequence[SafeText], now: float) -> SafeText:
    """Return many alerts in one sentence: `3 service deadlines passed, 1 is near: Dana Levi, …`."""
    passed = sum(1 for each in found if each.clock.due_at is not None and each.clock.due_at <= now)
    near = len(found) - passed
    parts = [f"{counted(passed, 'service deadline')} passed"] if passed else []
    if near:
        parts.append(f"{near:,} more near" if passed else f"{counted(near, 'service deadline')} near")
    named = list(dict.fromkeys(cut(each.text, NAME_CELLS) for each in customers))
    who = ", ".join(named[:MAX_NAMED]) + (" …" if len(named) > MAX_NAMED else "")
    return trusted(f"{', '.join(parts)}: {who}")


class ServiceClockNotices:
    """The alerts of service clocks that no other screen has claimed.

    Args:
        is_focused: whether the terminal has the focus, as far as it reports that.
    """

    def __init__(self, app: App[Any], app_context: AppContext, is_focused: Callable[[], bool]):
        self._app, self._app_context, self._is_focused = app, app_context, is_focused
        self._inside = escape_sequences.multiplexer(app_context.environ)
        self._claimed: frozenset[str] = frozenset()

    def start(self) -> None:
        """Show what came near or passed while the program was closed, and look again from time to time."""
        if self._app_context.store.settings.sla:
            self._check()
            self._app.set_interval(CHECK_SECONDS, self._check)

    def _check(self) -> None:
        db, now = self._app_context.store.reading, self._app_context.clock()
        # A claim is kept for that long: what is older could be alerted twice.
        since = now - FORGET_SECONDS / 2
        found = [each for each in clock_store.with_warning(db, since, now, MAX_CHECKED) if self._is_for_me(each)]
        by_key = {claim_key(each, now): each for each in found}
        new = [key for key in by_key if key not in self._claimed]
        self._claimed = frozenset(by_key)
        if not new:
            return

        def show_claimed(done: "Future[frozenset[str]]") -> None:
            if done.exception() is None:
                self._show([by_key[key] for key in new if key in done.result()])
            else:
                self._claimed -= frozenset(new)  # the next check tries again

        # One moment for all of a key's claims: it is claimed once.
        on_done(self._app, self._app_context.outbox.claim(dict.fromkeys(new, 1.0)), show_claimed)

    def _is_for_me(self, found: DueClock) -> bool:
        store = self._app_context.store
        is_mine = not found.assigned or store.profile.agent_id in found.assigned
        return is_mine or store.settings.attention == "all"

    def _customer(self, found: DueClock) -> SafeText:
        db, task = self._app_context.store.reading, self._task(found)
        return (
            conversation_name(db, ConversationId(found.conversation_id))
            if task is None
            else customer_name(db, task)
        )

    def _about(self, found: DueClock) -> SafeText:
        task = self._task(found)
        return self._customer(found) if task is None else task_for_customer(self._app_context.store.reading, task)

    def _task(self, found: DueClock) -> TaskRecord | None:
        if not found.clock.task_id:
            return None
        return record_lookup.task(self._app_context.store.reading, TaskId(found.clock.task_id))

    def _show(self, found: Sequence[DueClock]) -> None:
        if not found:
            return
        context, now = self._app_context, self._app_context.clock()
        if len(found) > MAX_TOASTS:
            words = [summary(found, [self._customer(each) for each in found], now)]
        else:
            words = [alert_words(each.clock, self._about(each), now, context.zone) for each in found]
        for each in words:
            notify(self._app, each, severity="warning", timeout_seconds=TOAST_SECONDS)
        settings = context.store.settings
        parts = [escape_sequences.BELL] if settings.bell else []
        if settings.notify != "off" and not self._is_focused():
            heading = trusted("frontdesk")
            parts += [
                escape_sequences.notification(settings.notify, heading, each, self._inside) for each in words
            ]
        escape_sequences.send(self._app, "".join(parts))

"""HookMonitor: an engine step that runs the programs of hooks, once for each event.

The mark of an event is committed before anything runs: after a kill a program may be missing, but none runs twice.
"""

import json
import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial

import apsw

from frontdesk.api.contract.ids import CampaignId
from frontdesk.automation.hook_events import SOURCES, TIMED, HookEvent, HookScope, are_catching_up, mark_kind
from frontdesk.campaigns.store import alerts as campaign_alerts
from frontdesk.campaigns.store.alerts import Alert
from frontdesk.config.extensions import EVENTS, HookSetting
from frontdesk.config.program_runner import MadeOption, ProgramRun, ProgramRunner, fill_command
from frontdesk.config.settings import Profile, Settings
from frontdesk.outbox import queue
from frontdesk.storage import change_feed
from frontdesk.storage.database import Store
from frontdesk.storage.records import Event
from frontdesk.sync.store_write_errors import STORE_TROUBLE
from frontdesk.text.redaction import redact, redact_json

CHECK_SECONDS = 2.0
BUSY_SECONDS = 0.2
"""Between two steps while events wait for programs that run."""

MAX_AGE_SECONDS = 30 * 86_400.0
"""What is older is no event, so that older marks can be forgotten."""

FORGET_SECONDS = 2 * MAX_AGE_SECONDS

SHOWN_SECONDS = 600.0
"""A hook's failure is shown at most this often; each is in the log."""

SINCE = "hooks since"
"""Kept for each event that hooks are on: since when there were any, Unix seconds."""

log = logging.getLogger("frontdesk.sync")


class HookMonitor:
    """The hooks of one profile."""

    def __init__(
        self,
        store: Store,
        profile: Profile,
        settings: Settings,
        programs: ProgramRunner,
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ):
        self._store, self._profile, self._settings = store, profile, settings
        self._programs, self._clock, self._steady = programs, clock, steady
        self._hooks = settings.extensions.hooks
        self._events = [each for each in EVENTS if any(hook.on == each for hook in self._hooks)]
        self._checked_at, self._rest = float("-inf"), CHECK_SECONDS
        self._position: int | None = None
        self._recent: frozenset[Event] = frozenset()
        self._since: Mapping[str, float] | None = None
        self._shown_at: dict[str, float] = {}

    async def step(self) -> float:
        """Run hooks on what has happened since the last step; return the seconds until the next one."""
        due = self._checked_at + self._rest - self._steady()
        if due > 0:
            return due
        self._checked_at = self._steady()
        if self._rest == BUSY_SECONDS and not self._programs.free_slots:
            return BUSY_SECONDS
        db = self._store.reading
        if self._since is None:
            self._since = await self._store.run(self._start) if self._events or queue.all_kept(db, SINCE) else {}
        if not self._events:
            return CHECK_SECONDS
        if self._position is None:
            position, changed = change_feed.position(db), frozenset({change_feed.EVERYTHING})
        else:
            position, changed = change_feed.since(db, self._position)
        # Once more what changed before the last step: the outbox's part is committed a moment after the feed.
        ids, now = changed | self._recent, self._clock()
        scope = HookScope(0.0, now, _by_kind(ids), self._profile.agent_id)
        is_done = True
        for event in (each for each in self._events if ids or each in TIMED):
            since = max(self._since[event], now - MAX_AGE_SECONDS)
            is_done = await self._run_event(event, replace(scope, since=since)) and is_done
        if is_done:  # else what is left is found again
            self._position, self._recent = position, changed
        self._rest = CHECK_SECONDS if is_done else BUSY_SECONDS
        return self._rest

    async def close(self) -> None:
        await self._programs.close()

    async def _run_event(self, event: str, scope: HookScope) -> bool:
        """Deal with what is new of an event, as far as programs can begin at once; returns whether that was all.

        What would wait would be lost when frontdesk ends, as its mark is set.
        """
        hooks = [each for each in self._hooks if each.on == event]
        found = SOURCES[event](self._store.reading, scope)
        free = self._programs.free_slots
        is_idle = not self._programs.tasks and self._programs.room >= len(hooks)
        taken = found[: max(free // len(hooks), int(is_idle))]
        if taken:
            for each in await self._store.run(partial(self._commit, events=taken)):
                for hook in hooks:
                    if (hook.attention or self._settings.attention) == "all" or each.is_mine:
                        self._start_program(hook, each)
        return not found and not (event == "message" and are_catching_up(self._store.reading, scope))

    def _start(self, db: apsw.Connection) -> dict[str, float]:
        """Note since when there are hooks on each event: what was there before is none."""
        now, since = self._clock(), queue.all_kept(db, SINCE)
        for event in EVENTS:
            if event not in self._events:
                queue.forget(db, SINCE, event)
                queue.forget_older(db, mark_kind(event), float("inf"))
            elif event not in since:
                queue.keep(db, SINCE, event, now, now)
            else:
                queue.forget_older(db, mark_kind(event), now - FORGET_SECONDS)
        return {event: min(now, float(since.get(event, now))) for event in self._events}

    def _commit(self, db: apsw.Connection, events: Sequence[HookEvent]) -> list[HookEvent]:
        """Set the marks, and return those whose mark was as it was read: another engine may have dealt with it."""
        mine = []
        for each in events:
            kind = mark_kind(each.event)
            if queue.kept(db, kind, each.subject) == each.before:
                queue.keep(db, kind, each.subject, each.after, self._clock())
                mine.append(each)
        return [each for each in mine if not each.is_quiet]

    def _start_program(self, hook: HookSetting, event: HookEvent) -> None:
        words = redact(event.said if hook.text else event.words)
        values = {
            "event": event.event,
            "kind": event.kind,
            "id": event.id,
            "conversation_id": event.conversation_id,
            "words": words,
            "profile": self._profile.name,
        }
        try:
            argv = fill_command(hook.run, values)
        except MadeOption as error:
            self._ended(hook, ProgramRun(hook.run[0], f"didn't run: {error}"))
            return
        found = {**values, "at": event.at, **event.facts, **(event.texts if hook.text else {})}
        line = f"{json.dumps(redact_json(found), ensure_ascii=False, default=str)}\n"
        sent = b"" if hook.input == "none" else line.encode(errors="replace")
        self._programs.start(
            argv,
            partial(self._ended, hook),
            sent=sent,
            timeout_seconds=hook.timeout,
            logs_output=not hook.text,
        )

    def _ended(self, hook: HookSetting, run: ProgramRun) -> None:
        """Show a failure, like an alert."""
        now = self._clock()
        if not run.problem or now - self._shown_at.get(hook.label, float("-inf")) < SHOWN_SECONDS:
            return
        self._shown_at[hook.label] = now
        words = f"A hook failed. {hook.label}: {os.path.basename(run.program)} {run.problem}."
        alert = Alert(f" {hook.label}", CampaignId(""), "", words, now, ())
        self._store.write(partial(campaign_alerts.put, alert=alert)).add_done_callback(_log_failure)


def _log_failure(written: "Future[None]") -> None:
    if not written.cancelled() and (error := written.exception()) is not None:
        level = logging.WARNING if isinstance(error, STORE_TROUBLE) else logging.ERROR
        log.log(level, "couldn't save that a hook failed: %s", error)


def _by_kind(changed: frozenset[Event]) -> dict[str, set[str]] | None:
    """Return the ids of events by their kind; None for everything."""
    if change_feed.EVERYTHING in changed:
        return None
    found: dict[str, set[str]] = {}
    for each in changed:
        found.setdefault(each.kind, set()).add(each.id)
    return found

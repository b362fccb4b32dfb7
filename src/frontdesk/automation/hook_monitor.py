"""HookMonitor: an engine step that runs the programs of hooks, once for each event.

The mark of an event is committed before anything runs: after a kill a program may be missing, but none runs twice.

What hooks run on: each source finds what is new in the store, and the mark that makes an event happen once.

A further event is a source in `SOURCES` and a word in `config.extensions.EVENTS`.
"""

import json
import logging
import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import apsw

from frontdesk.campaigns.store import alerts as campaign_alerts
from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.store.alerts import Alert
from frontdesk.config.extensions import EVENTS, HookSetting
from frontdesk.config.program_runner import MadeOption, ProgramRun, ProgramRunner, fill_command
from frontdesk.config.settings import Profile, Settings
from frontdesk.inbox.view.message_parts import message_text
from frontdesk.outbox import queue
from frontdesk.outbox.task_fields import SEEN_FIELDS, field_of
from frontdesk.storage import change_feed, record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeState, Event, TaskRecord
from frontdesk.storage.sql import first, rows, value_list
from frontdesk.sync.store_write_errors import STORE_TROUBLE
from frontdesk_api.contract.ids import AgentId, CampaignId, ConversationId, TaskId
from frontdesk_api.redaction import redact, redact_json

MAX_EVENTS = 50
"""Events that one source returns at a time."""


@dataclass(frozen=True, slots=True)
class HookEvent:
    """Something that happened.

    Attributes:
        event: of `config.extensions.EVENTS`.
        subject: what its mark is kept under.
        before, after: the mark as it was read, and as it is once this is dealt with.
        kind, id: of the record that it is about.
        at: when it happened, Unix seconds; None where that isn't known.
        words: a sentence without anybody's text.
        is_mine: whether it is mine or nobody's.
        facts: ids, times and states.
        texts: names, numbers and texts; they are given only where a hook's entry says so.
        said: a sentence with them.
        is_quiet: it only sets the mark.
    """

    event: str
    subject: str
    before: Any
    after: Any
    kind: str
    id: str
    at: float | None
    words: str = ""
    conversation_id: str = ""
    is_mine: bool = True
    facts: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, Any] = field(default_factory=dict)
    said: str = ""
    is_quiet: bool = False


@dataclass(frozen=True, slots=True)
class HookScope:
    """Where a source looks.

    Attributes:
        since: Unix seconds; what is older is no event.
        ids: what has changed, by the kind of the feed's events; None for everything.
    """

    since: float
    now: float
    ids: Mapping[str, Collection[str]] | None
    me: AgentId | None


CATCH_UP_SECONDS = 10.0
"""So long after a thread's newest page was read its older ones may follow; a gap that stays isn't waited for."""

FindEvents = Callable[[apsw.Connection, HookScope], list[HookEvent]]


def mark_kind(event: str) -> str:
    return f"hook {event}"


def find_messages(db: apsw.Connection, scope: HookScope) -> list[HookEvent]:
    """Find messages of customers that are newer than the last one dealt with in their conversation."""
    ids = _changed_conversations(db, scope)
    marks = queue.kept_among(db, mark_kind("message"), ids)
    found: list[HookEvent] = []
    for conversation_id in ids:
        mark = marks.get(conversation_id)
        if mark is not None and _is_catching_up(db, conversation_id, mark[0], scope.now):
            continue
        at, message_id = mark or (scope.since * 1000, "")
        come = rows(
            db,
            "SELECT created_at, message_id, raw FROM messages WHERE says = 'in'"
            " AND conversation = (SELECT rowid FROM conversations WHERE conversation_id = ?1)"
            " AND created_at > ?4 AND (created_at, message_id) > (?2, ?3)"
            " ORDER BY created_at, message_id LIMIT ?5",
            (conversation_id, at, message_id, scope.since * 1000, MAX_EVENTS),
        )
        for created_at, each, raw in come:
            after = [created_at, each]
            found.append(_message(db, ConversationId(conversation_id), mark, after, json.loads(raw), scope.me))
            mark = after
        if len(found) >= MAX_EVENTS:
            break
    return found[:MAX_EVENTS]


def are_catching_up(db: apsw.Connection, scope: HookScope) -> bool:
    """Return whether messages of these conversations wait for older ones, which are to run before them."""
    marks = queue.kept_among(db, mark_kind("message"), _changed_conversations(db, scope))
    return any(_is_catching_up(db, each, mark[0], scope.now) for each, mark in marks.items())


def _changed_conversations(db: apsw.Connection, scope: HookScope) -> list[str]:
    if scope.ids is not None:
        return sorted({*scope.ids.get(change_feed.CONVERSATION, ()), *scope.ids.get(change_feed.THREAD, ())})
    newer = rows(
        db,
        "SELECT conversation_id FROM conversations LEFT JOIN outbox.kept"
        " ON kept.kind = ? AND kept.id = conversation_id WHERE last_incoming_at > ?"
        " AND (value IS NULL OR last_incoming_at * 1000 > (value ->> 0) + 0.5)",
        (mark_kind("message"), scope.since),
    )
    return [str(row[0]) for row in newer]


def _is_catching_up(db: apsw.Connection, conversation_id: str, mark_at: float, now: float) -> bool:
    """Return whether messages after a mark may follow: of a catch-up the newest page comes first."""
    row = first(
        db,
        "SELECT complete, oldest_at, thread_checked_at FROM segments"
        " JOIN conversations ON conversations.rowid = segments.conversation"
        " WHERE conversation_id = ? ORDER BY newest_at DESC, newest_id DESC LIMIT 1",
        (conversation_id,),
    )
    if row is None or row[0] or row[1] <= mark_at:
        return False
    return bool(now - (row[2] or 0.0) < CATCH_UP_SECONDS)


def _message(
    db: apsw.Connection,
    conversation_id: ConversationId,
    before: Any,
    after: list[Any],
    raw: Mapping[str, Any],
    me: AgentId | None,
) -> HookEvent:
    record = record_lookup.conversation(db, conversation_id)
    name, number = ("", "") if record is None else (record.name, record.number)
    text = message_text(raw)
    assigned = () if record is None else record.assigned
    return HookEvent(
        "message",
        conversation_id,
        before,
        after,
        "conversation",
        conversation_id,
        after[0] / 1000,
        "New message",
        conversation_id,
        is_mine=not assigned or me in assigned,
        facts={"message_id": after[1], "line_id": record and record.line_id, "assigned": list(assigned)},
        texts={"customer": {"name": name, "number": number}, "message": raw},
        said=f"{name or number or 'Customer'}: {text or '(no text)'}",
    )


def find_tasks(db: apsw.Connection, scope: HookScope) -> list[HookEvent]:
    """Find new tasks, and what the history of tasks has got since."""
    only = "" if scope.ids is None else "AND task_id IN (SELECT value FROM json_each(?3))"
    changed = () if scope.ids is None else (json.dumps(sorted(scope.ids.get(change_feed.TASK, ()))),)
    come = rows(
        db,
        "SELECT task_id, created_at FROM tasks WHERE created_at > ?1 AND NOT EXISTS"
        f" (SELECT 1 FROM outbox.kept WHERE kind = ?2 AND id = task_id) {only}"
        f" ORDER BY created_at LIMIT {MAX_EVENTS}",
        (scope.since, mark_kind("task"), *changed),
    )
    found = []
    for task_id, at in come:
        task = record_lookup.task(db, TaskId(task_id))
        facts, texts, title = _task_facts(task)
        found.append(
            HookEvent(
                *("task", task_id, None, True, "task", task_id, at, "New task"),
                (task and task.conversation_id) or "",
                is_mine=_is_mine(task, scope.me),
                facts={"what": "created", **facts},
                texts=texts,
                said=f"New task: {title}",
            )
        )
    return [*found, *_task_changes(db, scope.me)][:MAX_EVENTS]


def _task_changes(db: apsw.Connection, me: AgentId | None) -> list[HookEvent]:
    mark = queue.kept(db, mark_kind("task"), "")
    last = rows(db, "SELECT coalesce(max(entry_id), 0) FROM outbox.task_history")[0][0]
    if mark is None:  # what was there before the first hook is no event
        return [HookEvent("task", "", None, last, "task", "", None, is_quiet=True)]
    come = rows(
        db,
        "SELECT entry_id, task_id, field, before, after, not_after, author, source FROM outbox.task_history"
        " WHERE entry_id > ? ORDER BY entry_id LIMIT ?",
        (mark, MAX_EVENTS),
    )
    found = []
    for entry_id, task_id, name, old, new, at, author, source in come:
        task = record_lookup.task(db, TaskId(task_id))
        facts, texts, title = _task_facts(task)
        values = {"before": json.loads(old), "after": json.loads(new)}
        is_text, what = field_of(name).is_text, field_of(name).words
        found.append(
            HookEvent(
                *("task", "", mark, entry_id, "task", task_id, at, f"Task changed: {what}"),
                (task and task.conversation_id) or "",
                is_mine=_is_mine(task, me),
                facts={"what": "changed", "field": name, "source": source, **facts, **({} if is_text else values)},
                texts={"by": author, **texts, **(values if is_text else {})},
                said=f"Task changed: {title}: {what}",
            )
        )
        mark = entry_id
    return found


def _task_facts(task: TaskRecord | None) -> tuple[dict[str, Any], dict[str, Any], str]:
    if task is None:
        return {}, {}, "(gone)"
    facts = {each.key: each.value_of(task) for each in SEEN_FIELDS if not each.is_text}
    texts = {each.key: each.value_of(task) for each in SEEN_FIELDS if each.is_text}
    return facts, {**texts, "customer": {"name": task.customer_name}}, task.title or "(no title)"


def _is_mine(task: TaskRecord | None, me: AgentId | None) -> bool:
    return task is None or not task.assigned or me in task.assigned


def _find_changes(event: str, state: ChangeState, word: str) -> FindEvents:
    """Make the source of changes that have come into a state."""

    def find(db: apsw.Connection, scope: HookScope) -> list[HookEvent]:
        come = rows(
            db,
            "SELECT change_id, settled_at, value FROM outbox.changes LEFT JOIN outbox.kept"
            " ON kept.kind = ? AND kept.id = CAST(change_id AS TEXT)"
            f" WHERE state IN ({value_list([state])}) AND settled_at > ?"
            " AND coalesce(abs((kept.value ->> 0) - settled_at) > 0.001, 1)"
            " ORDER BY settled_at, change_id LIMIT ?",
            (mark_kind(event), scope.since, MAX_EVENTS),
        )
        found = []
        for change_id, settled_at, value in come:
            change = queue.change(db, change_id)
            before, after = None if value is None else json.loads(value), [settled_at]
            if change is None:
                continue
            found.append(
                HookEvent(
                    *(event, str(change_id), before, after, "change", str(change_id), settled_at, word),
                    facts={"change": str(change.kind), "target": change.target},
                    texts={"label": change.label, "reason": change.reason, "fields": change.fields},
                    said=": ".join(filter(None, (word, change.label, change.reason))),
                )
            )
        return found

    return find


def find_campaigns(db: apsw.Connection, scope: HookScope) -> list[HookEvent]:  # noqa: ARG001 - they are few
    """Find watched campaigns whose status differs from the one dealt with last; the first one is no event."""
    watched = campaigns.watched(db)
    marks = queue.kept_among(db, mark_kind("campaign"), [each.campaign_id for each in watched])
    return [
        HookEvent(
            *("campaign", each.campaign_id, mark, each.status, "campaign", each.campaign_id, each.read_at),
            f"Campaign is now {each.status}",
            facts={"status": each.status, "before": mark},
            texts={"name": each.name},
            said=f"Campaign {each.name or each.campaign_id} is now {each.status}",
            is_quiet=mark is None,
        )
        for each in watched
        if each.status and (mark := marks.get(each.campaign_id)) != each.status
    ][:MAX_EVENTS]


def find_clocks(db: apsw.Connection, scope: HookScope) -> list[HookEvent]:
    """Find service clocks whose warning or deadline has come; of a clock that has met both, the deadline."""
    come = rows(
        db,
        "SELECT conversation_id, task_id, service_clocks.kind, policy, due_at, due_latest, warn_at, kept.value"
        " FROM service_clocks LEFT JOIN outbox.kept"
        " ON kept.kind = ?1 AND kept.id = conversation_id || ' ' || task_id"
        " WHERE (warn_at > ?2 AND warn_at <= ?3 OR due_at > ?2 AND due_at <= ?3)"
        " AND (kept.value IS NULL OR abs((kept.value ->> 0) - due_at) > 0.001"
        " OR (kept.value ->> 1) < (due_at <= ?3)) ORDER BY warn_at LIMIT ?4",
        (mark_kind("clock"), scope.since, scope.now, MAX_EVENTS),
    )
    return [_clock(db, row, scope) for row in come]


def _clock(db: apsw.Connection, row: Sequence[Any], scope: HookScope) -> HookEvent:
    conversation_id, task_id, clock, policy, due_at, due_latest, warn_at, mark = row
    task = record_lookup.task(db, TaskId(task_id)) if task_id else None
    record = record_lookup.conversation(db, ConversationId(conversation_id))
    is_due = due_at <= scope.now
    words = f"A deadline is near: {clock}"
    if is_due:
        # Where the clock's start isn't known exactly, nor is its deadline.
        is_certain = due_latest is not None and due_latest <= scope.now
        words = f"A deadline {'has' if is_certain else 'may have'} passed: {clock}"
    assigned = task.assigned if task is not None else () if record is None else record.assigned
    name = (record and (record.name or record.number)) or (task and task.customer_name) or "Customer"
    return HookEvent(
        *("clock", f"{conversation_id} {task_id}", None if mark is None else json.loads(mark)),
        [due_at, int(is_due)],
        *("task" if task_id else "conversation", task_id or conversation_id, due_at if is_due else warn_at, words),
        conversation_id if record is not None else "",
        is_mine=not assigned or scope.me in assigned,
        facts={
            "what": "due" if is_due else "warning",
            "clock": clock,
            "policy": policy,
            "due_at": due_at,
            "due_latest": due_latest,
        },
        texts={"customer": {"name": name}},
        said=f"{words}, for {name}",
    )


TIMED = frozenset({"clock"})
"""Events that come by the time, also where nothing has changed."""

SOURCES: Mapping[str, FindEvents] = {
    "message": find_messages,
    "task": find_tasks,
    "conflict": _find_changes("conflict", ChangeState.CONFLICT, "A change conflicts with theirs"),
    "refused": _find_changes("refused", ChangeState.REFUSED, "A change was rejected"),
    "campaign": find_campaigns,
    "clock": find_clocks,
}


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

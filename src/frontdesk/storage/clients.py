"""Focus reports, requests of screens, and the engine's health: screens and engine share only the store."""

import json
import time
from collections.abc import Mapping
from concurrent.futures import Future
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

import apsw

from frontdesk.storage import change_feed, clocks, team_state
from frontdesk.storage.database import ProfileStore, Store
from frontdesk.storage.records import Connection, Health, LateRead, MessagePosition
from frontdesk.storage.sql import first, rows
from frontdesk_api.contract.ids import ConversationId

STALE_SECONDS = 120.0
"""Seconds of silence after which a process counts as showing nothing."""


OLDER = "older"
"""A request for the page before a message; the target is JSON: conversation, time, id."""

REFRESH = "refresh"
"""A request to fetch one record (its id) or everything (empty) now."""

WHOLE_WORKFLOWS = "whole workflows"
"""The refresh target for whole workflow documents, fetched only on request and for their screen."""

WORKFLOW_DOCUMENT = "workflow document"
"""A request to fetch a workflow's whole document now, by its id (empty: all, and their list).

A fetch that began after the request resolves it, with the reason of a failure. One fetch resolves all open ones.
"""

OUTCOMES = "outcomes"
"""A request for a campaign's delivery results, by its id; open until done or withdrawn, maybe for hours."""


NO_READS: Mapping[str, float] = MappingProxyType({})

_SELECT_REQUESTS = "SELECT ask_id, kind, target, asked_at, state, reason FROM asks"


class Focus(NamedTuple):
    """The contents of one screen process.

    Attributes:
        screen: the screen's name (`inbox`, `board`, ...).
        tasks_of: the key of the `tasks.task_filter.Scope` of its tasks; empty for all.
        active_at: when a key was last pressed, Unix seconds.
    """

    screen: str = ""
    conversation_id: str = ""
    tasks_of: str = ""
    focused: bool = True
    paused: bool = False
    active_at: float = 0.0


class EngineRequest(NamedTuple):
    """A person's request to the engine: older messages, a refresh."""

    request_id: int
    kind: str
    target: str
    requested_at: float
    state: str = "asked"
    reason: str = ""


def report_focus(db: apsw.Connection, process: str, focus: Focus, now: float) -> None:
    db.execute("INSERT OR REPLACE INTO looking VALUES (?, ?, ?)", (process, now, json.dumps(focus._asdict())))
    change_feed.append(db, change_feed.FOCUS, [process])


def clear_focus(db: apsw.Connection, process: str) -> None:
    db.execute("DELETE FROM looking WHERE process = ?", (process,))
    change_feed.append(db, change_feed.FOCUS, [process])


def open_screens(db: apsw.Connection, now: float | None = None) -> list[Focus]:
    """Return the focus of every living screen process."""
    now = time.time() if now is None else now
    # After the clock was set back, rows from the future remain; a screen in use reports again.
    found = rows(
        db, "SELECT what FROM looking WHERE at BETWEEN ? AND ?", (now - STALE_SECONDS, now + STALE_SECONDS)
    )
    return [_focus(row[0]) for row in found]


def add_request(db: apsw.Connection, kind: str, target: str, now: float) -> int:
    """Send the engine a request; reuse an equal open one.

    A request for a workflow's document is always new: the fetch for an open one may have begun before.
    """
    row = first(db, "SELECT ask_id FROM asks WHERE kind = ? AND target = ? AND state = 'asked'", (kind, target))
    if row is not None and kind != WORKFLOW_DOCUMENT:
        return int(row[0])
    db.execute("DELETE FROM asks WHERE asked_at < ? AND (state <> 'asked' OR kind <> ?)", (now - 3600, OUTCOMES))
    db.execute("INSERT INTO asks (kind, target, asked_at, state) VALUES (?, ?, ?, 'asked')", (kind, target, now))
    request_id = db.last_insert_rowid()
    change_feed.append(db, change_feed.REQUEST, [str(request_id)])
    return request_id


def open_requests(db: apsw.Connection) -> list[EngineRequest]:
    found = rows(db, f"{_SELECT_REQUESTS} WHERE state = 'asked' ORDER BY ask_id")
    return [EngineRequest(*row) for row in found]


def request_by_id(db: apsw.Connection, request_id: int) -> EngineRequest | None:
    row = first(db, f"{_SELECT_REQUESTS} WHERE ask_id = ?", (request_id,))
    return None if row is None else EngineRequest(*row)


def resolve_request(db: apsw.Connection, request_id: int, *, failed: str = "") -> None:
    db.execute(
        "UPDATE asks SET state = ?, reason = ? WHERE ask_id = ?",
        ("failed" if failed else "done", failed, request_id),
    )
    change_feed.append(db, change_feed.REQUEST, [str(request_id)])


def health(db: apsw.Connection) -> Health:
    row = first(db, "SELECT state, reason, since, fresh_at, retry_at, heard_at, late FROM health")
    process, team, offset = _polling_process(db), team_state.state(db), clocks.last_offset(db)
    if row is None:
        return Health(process=process, team=team, clock_offset=offset)
    state, reason, since, fresh_at, retry_at, heard_at, late = row
    reads = tuple(LateRead(*each) for each in json.loads(late))
    return Health(Connection(state), reason, since, fresh_at, retry_at, heard_at, reads, process, team, offset)


def was_filled(db: apsw.Connection) -> bool:
    """Return whether an engine has read the platform's data; a connection to the store's file alone is enough."""
    row = first(db, "SELECT fresh_at FROM health")
    return row is not None and row[0] is not None


def shown_health(store: Store | ProfileStore) -> Health:
    """Return the health as this process knows it: a full disk can't store the report that it is full."""
    reported, trouble = health(store.reading), store.trouble
    return reported._replace(state=Connection.STUCK, reason=trouble, retry_at=None) if trouble else reported


def write_health(db: apsw.Connection, state: Health) -> None:
    """Write the health; append an event only if words on the screen differ."""
    before = health(db)
    db.execute(
        "INSERT INTO health (one, state, reason, since, fresh_at, retry_at, heard_at, late)"
        " VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (one) DO UPDATE SET"
        " state = ?1, reason = ?2, since = ?3, fresh_at = ?4, retry_at = ?5, heard_at = ?6, late = ?7",
        (
            *(str(state.state), state.reason, state.since, state.fresh_at, state.retry_at, state.heard_at),
            json.dumps(state.late),
        ),
    )
    if _shown(before) != _shown(state):
        change_feed.append(db, change_feed.HEALTH, [str(state.state)])


def _shown(state: Health) -> tuple[object, ...]:
    return state.state, state.reason, state.retry_at, state.late


def write_heartbeat(
    db: apsw.Connection, fresh_at: float | None, now: float, campaign_reads: Mapping[str, float] = NO_READS
) -> None:
    """Record that the engine is running and how fresh the data is; no event, since nothing visible changes.

    Args:
        campaign_reads: by id, when this engine last fetched the campaign, successfully or not.
    """
    db.execute(
        "UPDATE health SET heard_at = ?, fresh_at = coalesce(?, fresh_at), campaign_reads = ?",
        (now, fresh_at, json.dumps(dict(campaign_reads))),
    )


def campaign_read_at(db: apsw.Connection, campaign_id: str) -> float | None:
    """Return when the engine last fetched a campaign, as of its last heartbeat, or `None` if it hasn't."""
    row = first(db, "SELECT campaign_reads FROM health")
    return None if row is None else _campaign_reads(row[0]).get(campaign_id)


@lru_cache(maxsize=4)
def _campaign_reads(report: str) -> Mapping[str, float]:
    """Parse a heartbeat's report, since many rows need it."""
    found: Mapping[str, float] = json.loads(report)
    return found


def refresh_focus_times(db: apsw.Connection, since: float, now: float) -> None:
    """Renew focus reports from before the machine slept or its clock was set."""
    db.execute("UPDATE looking SET at = ? WHERE at >= ? OR at > ?", (now, since - STALE_SECONDS, now))


@lru_cache(maxsize=4096)
def _focus(report: str) -> Focus:
    """Parse another process's report, as far as this version knows its parts; most were parsed a moment ago."""
    what: Mapping[str, Any] = json.loads(report)
    return Focus(**{name: what[name] for name in Focus._fields if name in what})


class SyncRequests:
    """Sends requests to the process that runs the engine; the futures hold the request's id."""

    def __init__(self, store: ProfileStore):
        self._store = store

    def request_older(self, conversation_id: ConversationId, before: MessagePosition) -> "Future[int]":
        """Request the messages before a known one."""
        return self._request(OLDER, json.dumps([conversation_id, before.created_at, before.message_id]))

    def request_refresh(self, target: str = "") -> "Future[int]":
        """Request to fetch one record now (a conversation's or campaign's id), or everything."""
        return self._request(REFRESH, target)

    def request_workflow(self, workflow_id: str) -> "Future[int]":
        """Request a workflow's whole document; an empty id requests all."""
        return self._request(WORKFLOW_DOCUMENT, workflow_id)

    def report_focus(self, focus: Focus) -> None:
        now = self._store.clock()
        self._store.write_unawaited(lambda db: report_focus(db, self._store.process, focus, now))

    def clear_focus(self) -> None:
        self._store.write(lambda db: clear_focus(db, self._store.process))

    def _request(self, kind: str, target: str) -> "Future[int]":
        now = self._store.clock()
        return self._store.write(lambda db: add_request(db, kind, target, now))


def _polling_process(db: apsw.Connection) -> int:
    """Return the id of the process that holds the lease or held it last, or 0 if unknown."""
    row = first(db, "SELECT owner FROM outbox.lease")
    number = "" if row is None else str(row[0]).partition("-")[0]
    return int(number) if number.isdecimal() else 0

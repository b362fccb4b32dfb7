"""News as lines: each feature's, and the state of the connection; read on a thread with its own connection."""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from frontdesk.config.render_context import RenderContext
from frontdesk.linear.console import Console
from frontdesk.storage import change_feed, clients
from frontdesk.storage.change_feed import FeedWatcher
from frontdesk.storage.clients import Focus
from frontdesk.storage.database_files import open_reader
from frontdesk.storage.records import Connection, Event, Health
from frontdesk.sync import status_view
from frontdesk.sync.status_view import view_health
from frontdesk_lines.display_text import SafeText, counted, trusted

NewsSource = Callable[[Mapping[str, Sequence[str]], RenderContext], list[SafeText]]
"""Makes lines of what differs: ids by the kind of their events."""

HEALTH_SECONDS = 5.0
"""How often the engine's health is read."""

MAX_AT_ONCE = 6
"""More lines than this are summed up; the command news has them all."""

MAX_LINES = 200
log = logging.getLogger("frontdesk.linear")


CLAIM_SECONDS = 5.0
"""How long a claim may take; then the notification comes later."""

_Claimed = TypeVar("_Claimed")


def await_claim(claim: "Future[_Claimed]", what: str) -> _Claimed | None:
    """Wait for a claim of news that comes once; None where it failed, so that the next tick tries again."""
    try:
        return claim.result(CLAIM_SECONDS)
    except Exception:
        log.exception("couldn't claim %s", what)
        return None


class Announce(StrEnum):
    """When news is written."""

    NOW = "now"
    PROMPT = "prompt"
    OFF = "off"


class LinearNotifications:
    """Follow the store's feed and make lines of news.

    Args:
        sources: makes what puts news into words, over the connection of this thread.
        on_tick: called every few seconds on this thread; what keeps the engine running.

    Attributes:
        announce: when lines are written.
        reading: the conversation that is open; empty for none.
        focus: what was reported as being looked at.
        is_replaced: other files stand where the store was.
    """

    def __init__(
        self,
        folder: Path,
        console: Console,
        view: Callable[[], RenderContext],
        sources: Callable[[Any], Sequence[NewsSource]],
        on_tick: Callable[[], None] = lambda: None,
        announce: Announce = Announce.PROMPT,
    ):
        self.announce = announce
        self.is_replaced = False
        self.reading, self.focus = "", Focus()
        self._folder, self._console, self._view = folder, console, view
        self._sources, self._on_tick = sources, on_tick
        self._lock = threading.Lock()
        self._events: set[Event] = set()
        self._lines: list[SafeText] = []
        self._known_health = ""
        self._wake, self._stopped, self._moved = threading.Event(), threading.Event(), threading.Condition()
        self._watcher = FeedWatcher(folder, self._collect)
        self._thread = threading.Thread(target=self._work, name="frontdesk-news", daemon=True)

    def start(self) -> None:
        """Start; earlier events are no news."""
        self._watcher.start()
        self._thread.start()

    def stop(self) -> None:
        """Stop; nothing is written once this has returned."""
        self._stopped.set()
        self._wake.set()
        self._watcher.stop()
        if self._thread.is_alive():
            self._thread.join(timeout=2)

    def note_health(self, words: str) -> None:
        """Remember the reported state of the connection, so that only another one is news."""
        self._known_health = words

    def add(self, line: SafeText) -> None:
        """Add a line from any thread."""
        with self._lock:
            self._lines = [*self._lines, line][-MAX_LINES:]
        self._write_now()

    def pop_lines(self, *, everything: bool = False) -> list[SafeText]:
        """Return the lines not yet written; many are summed up unless all are asked for."""
        with self._lock:
            if self.announce is Announce.OFF and not everything:
                return []
            if len(self._lines) <= MAX_AT_ONCE or everything:
                lines, self._lines = self._lines, []
                return lines
            first, self._lines = self._lines[:MAX_AT_ONCE], self._lines[MAX_AT_ONCE:]
            left = counted(len(self._lines), "more notification")
            return [*first, trusted(f"And {left}. To show them, type news.")]

    def wait(self, is_so: Callable[[], bool], seconds: float) -> bool:
        """Wait until something is so, looked at whenever the store changed; whether it became so."""
        with self._moved:
            return self._moved.wait_for(is_so, timeout=seconds)

    def _collect(self, events: frozenset[Event]) -> None:
        with self._lock:
            self._events |= events
        self._wake.set()

    def _work(self) -> None:
        db = open_reader(self._folder)
        try:
            sources = self._sources(db)
            while not self._stopped.is_set():
                self._wake.wait(HEALTH_SECONDS)
                self._wake.clear()
                if self._stopped.is_set():
                    break
                self._tick()
                with self._lock:
                    events, self._events = frozenset(self._events), set()
                try:
                    lines = self._describe(events, clients.health(db), sources)
                except Exception:  # a line that can't be made must not end all that come after it
                    log.exception("couldn't describe the notifications")
                    lines = []
                with self._lock:
                    self._lines = [*self._lines, *lines][-MAX_LINES:]
                self._write_now()
                with self._moved:
                    self._moved.notify_all()
        finally:
            db.close()

    def _tick(self) -> None:
        try:
            self._on_tick()
        except Exception:  # it must end neither the news nor the calls after it
            log.exception("couldn't keep the engine running")

    def _write_now(self) -> None:
        if self.announce is Announce.NOW:
            lines = self.pop_lines()
            if lines and not self._console.write_above_prompt(lines):
                with self._lock:
                    self._lines = [*lines, *self._lines]

    def _describe(self, events: frozenset[Event], health: Health, sources: Sequence[NewsSource]) -> list[SafeText]:
        if change_feed.REPLACED in events:
            self.is_replaced = True
            return [trusted("The store was removed or replaced. It reopens at the next command.")]
        view = self._view()
        by_kind: dict[str, list[str]] = {}
        for event in sorted(events, key=lambda each: (each.kind, each.id)):
            by_kind.setdefault(event.kind, []).append(event.id)
        return [*self._health(health, view), *(line for source in sources for line in source(by_kind, view))]

    def _health(self, health: Health, view: RenderContext) -> list[SafeText]:
        health = view_health(health, self.focus)
        if health.state in (Connection.WAITING, Connection.DELAYED, Connection.LOADING):
            return []  # what comes of it is told: an answer after all, or that there is none
        words = status_view.sentence(health._replace(late=()), view)
        if words == self._known_health:
            return []
        self._known_health = words
        # That it begins was said, or is over before anybody has heard it.
        return [] if health.state is Connection.STARTING else [trusted(f"Connection: {words}.")]

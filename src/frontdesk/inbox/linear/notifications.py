"""What happens while a person reads or types, as lines: new messages and tasks, what became of changes,
how it stands with the platform.

Heard on a thread of its own with a connection of its own; the prompt takes the lines when it comes
round, or they are written at once where the person wants that.
"""

import logging
import threading
from collections.abc import Callable, Iterable
from datetime import tzinfo
from enum import StrEnum
from pathlib import Path

from frontdesk.api.contract.ids import ConversationId, TaskId
from frontdesk.app import linear_sentences
from frontdesk.app.reader import Reader
from frontdesk.config.catalogue import Catalogue
from frontdesk.config.render_context import RenderContext
from frontdesk.linear.console import Console
from frontdesk.storage import change_feed
from frontdesk.storage.change_feed import FeedWatcher
from frontdesk.storage.database_files import open_reader
from frontdesk.storage.record_names import STANDALONE, customer_of
from frontdesk.storage.records import Change, ChangeKind, ChangeState, Connection, Event
from frontdesk.sync import status_view
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.text.glyphs import glyphs
from frontdesk.text.spoken_time import counted

HEAR_SECONDS = 5.0
"""How often it is looked whether the engine still says that it lives."""

AT_ONCE = 6
"""More lines than this are summed up; the command news has them all."""

KEPT = 200
TASK_KEY = "task "
"""With this begins the key of news about a task."""

log = logging.getLogger("frontdesk.linear")


class Announce(StrEnum):
    """When news is written."""

    NOW = "now"
    PROMPT = "prompt"
    OFF = "off"


class LinearNotifications:
    """Hears the store's feed and puts what is new into words.

    Args:
        beside: called every few seconds on this thread; what keeps the engine running.
        is_for_all: whether what is others' is told, too.

    Attributes:
        announce: when lines are written.
        reading: the conversation that is open; empty for none.
        is_replaced: other files stand where the store was.
    """

    def __init__(
        self,
        folder: Path,
        catalogue: Catalogue,
        console: Console,
        zone: tzinfo,
        clock: Callable[[], float],
        beside: Callable[[], None] = lambda: None,
        announce: Announce = Announce.PROMPT,
        is_for_all: bool = False,
    ):
        self.announce = announce
        self.is_replaced = False
        self.reading = ""
        self._is_for_all = is_for_all
        self._folder, self._catalogue, self._console = folder, catalogue, console
        self._zone, self._clock, self._beside = zone, clock, beside
        self._began = self._since = clock()
        self._lock = threading.Lock()
        self._events: set[Event] = set()
        self._lines: list[SafeText] = []
        self._told_until: dict[str, float] = {}
        self._told_changes: dict[int, ChangeState] = {}
        self._told_health = ""
        self._wake, self._stopped, self._moved = threading.Event(), threading.Event(), threading.Condition()
        self._watcher = FeedWatcher(folder, self._hear)
        self._thread = threading.Thread(target=self._work, name="frontdesk-news", daemon=True)

    def start(self) -> None:
        """Begin to listen; what was there before is no news."""
        self._watcher.start()
        self._thread.start()

    def stop(self) -> None:
        """End it; nothing is written once this has returned."""
        self._stopped.set()
        self._wake.set()
        self._watcher.stop()
        if self._thread.is_alive():
            self._thread.join(timeout=2)

    def say_health(self, words: str) -> None:
        """Remember how the connection was told of, so that only another state is news."""
        self._told_health = words

    def add(self, line: SafeText) -> None:
        """Tell of something that was met on another thread."""
        with self._lock:
            self._lines = [*self._lines, line][-KEPT:]
        self._speak()

    def take(self, *, everything: bool = False) -> list[SafeText]:
        """The lines not yet written; many are summed up unless all are asked for."""
        with self._lock:
            if self.announce is Announce.OFF and not everything:
                return []
            if len(self._lines) <= AT_ONCE or everything:
                lines, self._lines = self._lines, []
                return lines
            first, self._lines = self._lines[:AT_ONCE], self._lines[AT_ONCE:]
            left = counted(len(self._lines), "more piece of news", "more pieces of news")
            return [*first, trusted(f"And {left}; the command news says them.")]

    def wait(self, is_so: Callable[[], bool], seconds: float) -> bool:
        """Wait until something is so, looked at whenever the store changed; whether it became so."""
        with self._moved:
            return self._moved.wait_for(is_so, timeout=seconds)

    def _hear(self, events: frozenset[Event]) -> None:
        """From the watcher's thread."""
        with self._lock:
            self._events |= events
        self._wake.set()

    def _work(self) -> None:
        db = open_reader(self._folder)
        try:
            reads = Reader(db)
            # By the platform's clock: what is stored already is no news.
            newest = reads.newest_message_at()
            self._since = self._since if newest is None else min(newest, self._since)
            while not self._stopped.is_set():
                self._wake.wait(HEAR_SECONDS)
                self._wake.clear()
                if self._stopped.is_set():
                    break
                self._beside()
                with self._lock:
                    events, self._events = frozenset(self._events), set()
                try:
                    lines = self._told(events, reads)
                except Exception:  # a line that can't be made must not end all that come after it
                    log.exception("news could not be put into words")
                    lines = []
                with self._lock:
                    self._lines = [*self._lines, *lines][-KEPT:]
                self._speak()
                with self._moved:
                    self._moved.notify_all()
        finally:
            db.close()

    def _speak(self) -> None:
        """Write at once, where that is wanted and a person is at the prompt."""
        if self.announce is Announce.NOW:
            lines = self.take()
            if lines and not self._console.interject(lines):
                with self._lock:
                    self._lines = [*lines, *self._lines]

    def _told(self, events: frozenset[Event], reads: Reader) -> list[SafeText]:
        if change_feed.REPLACED in events:
            self.is_replaced = True
            return [trusted("The store was removed or replaced; it is opened again at the next command.")]
        view = RenderContext(self._catalogue, glyphs(True), self._clock(), self._zone)
        by_kind: dict[str, list[str]] = {}
        for event in sorted(events, key=lambda each: (each.kind, each.id)):
            by_kind.setdefault(event.kind, []).append(event.id)
        return [
            *self._health(reads, view),
            *self._changes(by_kind.get(change_feed.CHANGE, ()), reads, view),
            *self._came(
                {*by_kind.get(change_feed.THREAD, ()), *by_kind.get(change_feed.CONVERSATION, ())},
                by_kind.get(change_feed.TASK, ()),
                reads,
            ),
        ]

    def _health(self, reads: Reader, view: RenderContext) -> list[SafeText]:
        health = reads.health()
        if health.state is Connection.WAITING:
            return []  # what comes of it is told: an answer after all, or that there is none
        words = status_view.sentence(health, view.now, view.zone)
        if words == self._told_health:
            return []
        self._told_health = words
        # That it begins was said, or is over before anybody has heard it.
        return [] if health.state is Connection.STARTING else [trusted(f"Connection: {words}.")]

    def _changes(self, ids: Iterable[str], reads: Reader, view: RenderContext) -> list[SafeText]:
        """What became of changes; those of one batch that went the same way are one line."""
        told: dict[tuple[str, ChangeState], list[Change]] = {}
        for each in ids:
            change = reads.change(int(each)) if each.isdecimal() else None
            if change is None or self._told_changes.get(change.change_id) is change.state:
                continue
            if change.state in (ChangeState.CONFIRMED, ChangeState.REFUSED) and (
                change.settled_at is not None and change.settled_at < self._began
            ):
                continue
            self._told_changes[change.change_id] = change.state
            told.setdefault((change.batch, change.state), []).append(change)
        lines = []
        for changes in told.values():
            first = changes[0]
            on = _target(first, reads)
            if len(changes) > 1:
                on = trusted(f"{on.text} and {len(changes) - 1:,} more")
            line = linear_sentences.outcome(first, on, view)
            lines += [] if line is None else [line]
        return lines

    def _came(self, conversations: Iterable[str], tasks: Iterable[str], reads: Reader) -> list[SafeText]:
        """Messages and tasks that are mine or nobody's, or of the open conversation, each told once."""
        lines = []
        for each in reads.news_since(list(conversations), list(tasks), self._since):
            is_here = each.conversation_id == self.reading and each.conversation_id != ""
            is_task = each.key.startswith(TASK_KEY)
            # What a store knows may be older than its tasks: a task is new when it was made since we began.
            if is_task and each.at <= self._began:
                continue
            mine = self._is_for_all or not each.assigned or self._catalogue.me in each.assigned
            if each.at <= self._told_until.get(each.key, 0.0) or not each.is_unread or not (mine or is_here):
                continue
            self._told_until[each.key] = each.at
            who, says = (
                linear_sentences.said(each.who or "somebody without a name", 60).text,
                linear_sentences.said(each.says).text,
            )
            what = "New task for" if is_task else "New message from"
            here = ", in the open conversation" if is_here else ""
            lines.append(linear_sentences.joined([f"{what} {who}{here}{f': {says}' if says else ''}"]))
        return lines


def _target(change: Change, reads: Reader) -> SafeText:
    if change.kind is ChangeKind.TASK:
        task = reads.task(TaskId(change.target))
        return linear_sentences.said(task.title if task and task.title else change.target, 80)
    if change.kind.about in STANDALONE:
        return linear_sentences.said(change.target, 80)
    record = reads.conversation(ConversationId(change.target))
    return show_line(change.target, 80) if record is None else linear_sentences.said(customer_of(record).text, 60)

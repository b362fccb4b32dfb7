"""Loaded share of the data that counts, orders and searches use, and the words for it.

Every screen, command and report takes both from here, so that a part is never shown as the whole. Tasks are listed
page by page; whether a customer waits is known once the thread was fetched after its last sign of life.
"""

from enum import Enum
from typing import NamedTuple

import apsw

from frontdesk.storage import change_feed, record_lookup, team_state
from frontdesk.storage.record_lookup import IS_CHECKED, THREAD_UNREAD
from frontdesk.storage.records import Duty
from frontdesk.storage.sql import first
from frontdesk_lines.display_text import counted

_LISTED = "tasks listed"


class Precision(Enum):
    """Relations of a count to the true one."""

    EXACT = "exact"
    AT_LEAST = "at least"
    ABOUT = "about"


class Coverage(NamedTuple):
    """Loaded share of the data.

    Attributes:
        read: the number of conversations whose thread was fetched at or after its last sign of life.
        is_listed: whether all tasks were listed at least once: each conversation with a task is known.
        has_clocks: whether each SLA is known.
    """

    read: int = 0
    known: int = 0
    is_listed: bool = False
    has_clocks: bool = True

    @property
    def is_whole(self) -> bool:
        return self.is_listed and self.read >= self.known

    def precision(self, *, of_threads: bool, is_inverse: bool = False, of_clocks: bool = False) -> Precision:
        """Return how far to trust a count.

        Args:
            of_threads: whether the count depends on the contents of threads, such as who waits.
            of_clocks: whether the count depends on SLAs.
            is_inverse: whether loading a thread may also remove a conversation.
        """
        if (of_threads and self.read < self.known) or (of_clocks and not self.has_clocks):
            return Precision.ABOUT if is_inverse else Precision.AT_LEAST
        return Precision.EXACT if self.is_listed else Precision.AT_LEAST

    def words(self, *, of_threads: bool) -> str:
        """Return the loaded share, such as `loaded 61 of 128`; empty if it is all."""
        if of_threads and self.read < self.known:
            return f"loaded {self.read:,} of {self.known:,}{'' if self.is_listed else '+'}"
        return "" if self.is_listed else "still loading"

    def sentence(self, *, of_threads: bool) -> str:
        """Return the loaded share as a sentence for speech; empty if it is all."""
        threads = ""
        if of_threads and self.read < self.known:
            threads = f"{self.read:,} of {counted(self.known, 'conversation')} loaded so far."
        return " ".join(filter(None, (threads, "" if self.is_listed else "Tasks are still loading.")))


def read_coverage(db: apsw.Connection) -> Coverage:
    """Count the loaded conversations with a small index."""
    row = first(db, f"SELECT count(*) FROM conversations WHERE {THREAD_UNREAD}")
    known = record_lookup.conversation_count(db)
    return Coverage(known - (int(row[0]) if row else 0), known, is_listed(db))


def answers_as_of(db: apsw.Connection) -> float | None:
    """Return up to when answers that colleagues sent from elsewhere are known, Unix seconds.

    The platform has no sign of them, so threads are checked now and then: the oldest of these checks counts.

    Returns:
        `None` if no thread has to be checked, or if the team's leader checks them.
    """
    if team_state.state(db).duty is Duty.FOLLOWS:
        return None
    row = first(db, f"SELECT min(thread_checked_at) FROM conversations WHERE {IS_CHECKED}")
    return None if row is None or row[0] is None else float(row[0])


def is_listed(db: apsw.Connection) -> bool:
    """Return whether all tasks were listed at least once."""
    return first(db, "SELECT 1 FROM meta WHERE key = ?", (_LISTED,)) is not None


def tasks_precision(db: apsw.Connection) -> Precision:
    """Return how far to trust a count of tasks."""
    return Coverage(is_listed=is_listed(db)).precision(of_threads=False)


def note_listed(db: apsw.Connection) -> None:
    """Store that all tasks were listed; notify the screens once."""
    if not is_listed(db):
        db.execute("INSERT OR REPLACE INTO meta VALUES (?, 'true')", (_LISTED,))
        change_feed.append(db, change_feed.COVERAGE, [""])


def count_words(count: int, precision: Precision, *, is_short: bool = False) -> str:
    """Return a count for display: `7`, `7+` for at least seven, `~7`; `?` if nothing was found yet.

    Args:
        is_short: whether to use at most five cells up to a million: `9999`, `102k`.
    """
    shown = f"{count:,}"
    if is_short:
        shown = str(count) if count < 10_000 else f"{count // 1000}k"
    if precision is Precision.EXACT:
        return shown
    if not count:
        return "?"
    return f"~{shown}" if precision is Precision.ABOUT else f"{shown}+"


def count_sentence(count: int, thing: str, precision: Precision) -> str:
    """Return a count for speech: `at least 7 tasks`, `no tasks found yet`."""
    if precision is Precision.EXACT:
        return counted(count, thing)
    if not count:
        return f"no {thing}s found yet"
    return f"{precision.value} {counted(count, thing)}"

"""News of a list since a person's last look at it, kept for each list and person of this machine.

A feature says what happened by a `NewsSource`; the looks are kept in `outbox.db`, which is never thrown away, and
stay on this machine. News is forgotten after `NEWS_SECONDS`.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import apsw

from frontdesk.outbox import queue
from frontdesk_api.contract.ids import AgentId
from frontdesk_lines.display_text import counted, show_line

LOOKS = "looks"
"""Stored for each list and person: up to what they have seen all of it, and what they have seen of it since."""

NEWS_SECONDS = 7 * 86_400.0
_LATE_SECONDS = 60.0
"""A time may be known so long after it; until then what is seen is kept by row."""


class News(NamedTuple):
    """Something that happened to a row.

    Attributes:
        kind: one of the source's.
        stamp: rises from one to the next of its kind: a number of a row of the store, or Unix seconds.
        words: what happened, as "taken"; outside text.
    """

    row: str
    kind: str
    stamp: float
    words: str


Stamps = Mapping[str, float]
"""By kind, the stamp up to which everything was seen."""


class NewsSource(NamedTuple):
    """The news of a list.

    Attributes:
        name: of the list.
        latest: returns the stamp of each kind that the next news will be above.
        read: returns what happened after these stamps to rows that are still worth a look.
        timed: the kinds whose stamps are times.
    """

    name: str
    latest: Callable[[apsw.Connection, float], Stamps]
    read: Callable[[apsw.Connection, Stamps, AgentId | None, float], Sequence[News]]
    timed: Collection[str]


class Reader(NamedTuple):
    """A person and the list that they look at, and the time of that, Unix seconds."""

    source: NewsSource
    me: AgentId | None
    now: float

    @property
    def key(self) -> str:
        return f"{self.source.name} {self.me or ''}".strip()


def unseen(db: apsw.Connection, reader: Reader) -> dict[str, News]:
    """Return the newest news of each row that the person hasn't seen; nothing before their first look."""
    kept = queue.kept(db, LOOKS, reader.key)
    return {} if kept is None else {each.row: each for each in _unseen(_read(db, kept, reader), kept)}


def summary(found: Collection[News], thing: str) -> str:
    """Return a sentence: "3 tasks have news since your last look: 1 created, 2 now overdue"."""
    kinds = Counter(show_line(each.words, 80).text for each in found)
    said = ", ".join(f"{count:,} {words}" for words, count in kinds.items())
    return f"{counted(len(found), thing)} {'has' if len(found) == 1 else 'have'} news since your last look: {said}"


def look(db: apsw.Connection, reader: Reader, rows: Collection[str] = ()) -> None:
    """Keep that the person has seen these rows. The first look finds nothing new."""
    latest = reader.source.latest(db, reader.now)
    kept = queue.kept(db, LOOKS, reader.key) or {"all": dict(latest), "rows": {}}
    # A store that was rebuilt, or a clock that was set back, begins again below what was seen.
    done = {kind: min(kept["all"].get(kind, stamp), stamp) for kind, stamp in latest.items()}
    kept = {"all": done, "rows": dict(kept["rows"])}
    found, seen_now = _read(db, kept, reader), frozenset(rows)
    for each in found:
        if each.row in seen_now:
            seen = kept["rows"].get(each.row, {})
            kept["rows"][each.row] = {**seen, each.kind: max(each.stamp, seen.get(each.kind, each.stamp))}
    left = _unseen(found, kept)
    for kind, stamp in latest.items():
        edge = min([stamp, *(each.stamp - 1 for each in left if each.kind == kind)])
        done[kind] = max(done[kind], edge - _LATE_SECONDS if kind in reader.source.timed else edge)
    kept["rows"] = {
        row: {kind: stamp for kind, stamp in seen.items() if stamp > done.get(kind, stamp)}
        for row, seen in kept["rows"].items()
        if any(stamp > done.get(kind, stamp) for kind, stamp in seen.items())
    }
    queue.keep(db, LOOKS, reader.key, kept, reader.now)


def _read(db: apsw.Connection, kept: Any, reader: Reader) -> Sequence[News]:
    done = {kind: kept["all"].get(kind, stamp) for kind, stamp in reader.source.latest(db, reader.now).items()}
    return reader.source.read(db, done, reader.me, reader.now)


def _unseen(found: Sequence[News], kept: Any) -> list[News]:
    return [each for each in found if each.stamp > kept["rows"].get(each.row, {}).get(each.kind, float("-inf"))]

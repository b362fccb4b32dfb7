"""A search over messages, tasks and customers, page by page; the dialog and `n` `N` go through its hits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import apsw

from frontdesk.storage import full_text
from frontdesk.storage.profile_store import ProfileStore
from frontdesk.storage.records import SearchHit

PAGE = 50
INDEX_AT_ONCE = 2_000
"""So many rows are indexed in one transaction: others wait for it less than is felt."""

BESIDE_MESSAGES = 5
"""So many customers and tasks stand above the messages where everything is searched."""


class SearchScope(StrEnum):
    """What is searched."""

    EVERYTHING = "everything"
    MESSAGES = "messages"
    TASKS = "tasks"
    CUSTOMERS = "customers"


@dataclass(frozen=True, slots=True)
class Found:
    """What a search has found so far.

    Attributes:
        limit: so many of the longest kind were asked for.
        more: the kinds of which there are more than are listed.
    """

    words: str
    kind: SearchScope = SearchScope.EVERYTHING
    hits: tuple[SearchHit, ...] = ()
    limit: int = PAGE
    more: frozenset[SearchScope] = frozenset()

    def of(self, kind: SearchScope) -> Sequence[SearchHit]:
        """The hits of one kind."""
        return (
            self.hits if kind is SearchScope.EVERYTHING else [hit for hit in self.hits if f"{hit.kind}s" == kind]
        )

    @property
    def can_grow(self) -> bool:
        """Whether a larger limit would bring further hits below the last."""
        last = SearchScope.MESSAGES if self.kind is SearchScope.EVERYTHING else self.kind
        return last in self.more


def index_all(store: ProfileStore, progress: Callable[[int], None] | None = None) -> None:
    """Index what a search can't find yet; `progress` is called with the number of rows left.

    The engine does it between its polls; a command without an engine waits for it here.
    """
    while left := full_text.unindexed(store.reading):
        if progress is not None:
            progress(left)
        store.write(lambda db: full_text.index_batch(db, INDEX_AT_ONCE)).result()


def find(db: apsw.Connection, words: str, kind: SearchScope = SearchScope.EVERYTHING, limit: int = PAGE) -> Found:
    """Customers, tasks and messages with all of the words, the newest of each first."""
    hits: list[SearchHit] = []
    more: set[SearchScope] = set()
    for each, read in (
        (SearchScope.CUSTOMERS, full_text.find_customers),
        (SearchScope.TASKS, full_text.find_tasks),
        (SearchScope.MESSAGES, full_text.find_messages),
    ):
        if kind not in (each, SearchScope.EVERYTHING):
            continue
        most = BESIDE_MESSAGES if kind is SearchScope.EVERYTHING and each is not SearchScope.MESSAGES else limit
        found = read(db, words, most + 1)
        hits += found[:most]
        if len(found) > most:
            more.add(each)
    return Found(words, kind, tuple(hits), limit, frozenset(more))


def grown(db: apsw.Connection, found: Found) -> Found:
    """The same search with twice as many hits."""
    return find(db, found.words, found.kind, 2 * found.limit)

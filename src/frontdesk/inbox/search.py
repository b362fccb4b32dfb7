"""A search over messages, tasks and customers, page by page; the dialog and `n` `N` go through its hits."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from frontdesk.app.reader import Reader
from frontdesk.storage.records import SearchHit

PAGE = 50
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


def find(reads: Reader, words: str, kind: SearchScope = SearchScope.EVERYTHING, limit: int = PAGE) -> Found:
    """Customers, tasks and messages with all of the words, the newest of each first."""
    hits: list[SearchHit] = []
    more: set[SearchScope] = set()
    for each, read in (
        (SearchScope.CUSTOMERS, reads.search_customers),
        (SearchScope.TASKS, reads.search_tasks),
        (SearchScope.MESSAGES, reads.search_messages),
    ):
        if kind not in (each, SearchScope.EVERYTHING):
            continue
        most = BESIDE_MESSAGES if kind is SearchScope.EVERYTHING and each is not SearchScope.MESSAGES else limit
        found = read(words, most + 1)
        hits += found[:most]
        if len(found) > most:
            more.add(each)
    return Found(words, kind, tuple(hits), limit, frozenset(more))


def grown(reads: Reader, found: Found) -> Found:
    """The same search with twice as many hits."""
    return find(reads, found.words, found.kind, 2 * found.limit)

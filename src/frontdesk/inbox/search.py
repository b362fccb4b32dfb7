"""A search over messages, tasks and customers, page by page."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

import apsw

from frontdesk.storage import full_text
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import SearchHit

PAGE = 50
INDEX_AT_ONCE = 2_000
"""So many rows are indexed in one transaction: others wait for it less than is felt."""

MAX_OTHER_HITS = 5
"""So many customers and tasks stand above the messages where everything is searched."""


class SearchScope(StrEnum):
    """The kinds of records that a search covers."""

    EVERYTHING = "everything"
    MESSAGES = "messages"
    TASKS = "tasks"
    CUSTOMERS = "customers"


class SearchResults(NamedTuple):
    """The results of a search; `limit` per kind, `more` names the kinds that have further ones."""

    words: str
    kind: SearchScope = SearchScope.EVERYTHING
    hits: tuple[SearchHit, ...] = ()
    limit: int = PAGE
    more: frozenset[SearchScope] = frozenset()

    def of(self, kind: SearchScope) -> Sequence[SearchHit]:
        return (
            self.hits if kind is SearchScope.EVERYTHING else [hit for hit in self.hits if f"{hit.kind}s" == kind]
        )

    @property
    def can_grow(self) -> bool:
        last = SearchScope.MESSAGES if self.kind is SearchScope.EVERYTHING else self.kind
        return last in self.more


def index_all(store: ProfileStore) -> None:
    """Index what a search can't find yet.

    The engine does this between polls; a command without an engine waits for it here.
    """
    while full_text.unindexed(store.reading):
        store.write(lambda db: full_text.index_batch(db, INDEX_AT_ONCE)).result()


def find(
    db: apsw.Connection, words: str, kind: SearchScope = SearchScope.EVERYTHING, limit: int = PAGE
) -> SearchResults:
    """Find customers, tasks and messages with all of the words, the newest of each first."""
    hits: list[SearchHit] = []
    more: set[SearchScope] = set()
    for each, read in (
        (SearchScope.CUSTOMERS, full_text.find_customers),
        (SearchScope.TASKS, full_text.find_tasks),
        (SearchScope.MESSAGES, full_text.find_messages),
    ):
        if kind not in (each, SearchScope.EVERYTHING):
            continue
        most = MAX_OTHER_HITS if kind is SearchScope.EVERYTHING and each is not SearchScope.MESSAGES else limit
        results = read(db, words, most + 1)
        hits += results[:most]
        if len(results) > most:
            more.add(each)
    return SearchResults(words, kind, tuple(hits), limit, frozenset(more))


def find_more(db: apsw.Connection, results: SearchResults) -> SearchResults:
    return find(db, results.words, results.kind, 2 * results.limit)

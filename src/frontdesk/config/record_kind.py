"""A kind of record that is listed, declared once for its screen and for the linear mode."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from frontdesk.config.facts import Fact
from frontdesk.config.render_context import RenderContext

RecordT = TypeVar("RecordT")
ListedT = TypeVar("ListedT", covariant=True)


class StoredListing(Protocol[ListedT]):
    """Records as they are stored; `read_at` is None before the first read."""

    @property
    def records(self) -> Sequence[ListedT]: ...
    @property
    def read_at(self) -> float | None: ...


@dataclass(frozen=True, slots=True)
class RecordKind(Generic[RecordT]):
    """A kind of record that is listed whole, sorted and filtered by each surface.

    Attributes:
        name: of one record; `plural` is the name of all.
        label: a record's name, which decides where an order doesn't.
        read: reads the list with a connection to the store.
        orders: by its words what an order sorts by, the largest first and unknown ones last; None for the name.
        facts: tells one of them; with a connection to the store.
        search_text: what a filter's words are looked for in.
        states: words of a filter that mean a state instead.
    """

    name: str
    plural: str
    key: Callable[[RecordT], str]
    label: Callable[[RecordT], str]
    read: Callable[[Any], StoredListing[RecordT]]
    orders: Mapping[str, Callable[[RecordT], float | None] | None]
    facts: Callable[[Any, RecordT, RenderContext], Iterable[Fact]]
    search_text: Callable[[RecordT], str]
    states: Mapping[str, Callable[[RecordT], bool]] = field(default_factory=dict)

    def in_order(self, records: Iterable[RecordT], order: str) -> list[RecordT]:
        value = self.orders[order]

        def sort_key(record: RecordT) -> tuple[float, str, str]:
            found = None if value is None else value(record)
            return math.inf if found is None else -found, self.label(record).casefold(), self.key(record)

        return sorted(records, key=sort_key)

    def matching(self, records: Iterable[RecordT], typed: str) -> list[RecordT]:
        """Return the records that have all typed words."""
        wanted = typed.casefold().split()
        return [each for each in records if not wanted or self._matches(each, wanted)]

    def _matches(self, record: RecordT, wanted: Sequence[str]) -> bool:
        text = self.search_text(record).casefold()
        return all(self.states[word](record) if word in self.states else word in text for word in wanted)

"""The cards of one board column as a sequence that holds only a part of the ids.

No more than `MAX_HELD_IDS` ids are held, and no look-up reads more; only `iter` reads all.
"""

from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import overload

import apsw

from frontdesk.storage import record_lookup
from frontdesk.storage.records import TaskRecord
from frontdesk.tasks import store as task_store
from frontdesk.tasks.store import board_sort_key
from frontdesk_api.contract.ids import StatusId, TaskId

MAX_HELD_IDS = 300
"""So many ids are held, half of them before the card that was asked for."""


class Ids(Sequence[TaskId]):
    """A sequence of ids that are read one at a time."""

    @abstractmethod
    def at(self, index: int) -> TaskId:
        """Return the id at an index that exists."""

    @overload
    def __getitem__(self, index: int) -> TaskId: ...
    @overload
    def __getitem__(self, index: slice) -> list[TaskId]: ...
    def __getitem__(self, index: int | slice) -> TaskId | list[TaskId]:
        if isinstance(index, slice):
            places = range(*index.indices(len(self)))
            return [self.at(each) for each in places] if len(places) <= MAX_HELD_IDS else list(self)[index]
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(index)
        return self.at(place)

    @abstractmethod
    def position_of(self, task_id: TaskId) -> int | None:
        """Return the index of an id, or None."""

    def index(self, value: object, start: int = 0, stop: int | None = None) -> int:
        """Return the index of a value; ValueError where it is missing."""
        place = self.position_of(TaskId(str(value)))
        if place is None or not start <= place < (len(self) if stop is None else stop):
            raise ValueError(value)
        return place

    def __contains__(self, value: object) -> bool:
        return self.position_of(TaskId(str(value))) is not None


class StoredCards(Ids):
    """The stored tasks of a status.

    Others write while it is in use: where the store has fewer by now, the last ids of a long column are empty
    until it is built again; where it has more, only `iter` has them all.
    """

    def __init__(self, db: apsw.Connection, status: StatusId, count: int):
        self._db = db
        self._status = status
        self._count = count
        self._from = 0
        self._held: list[TaskId] | None = None

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[TaskId]:
        is_short = self._count <= MAX_HELD_IDS
        return iter(self._load_window(0) if is_short else task_store.ids_of_status(self._db, self._status))

    def at(self, index: int) -> TaskId:
        """Return the id at an index; empty where the store has fewer by now."""
        held = self._load_window(index)
        place = index - self._from
        return held[place] if place < len(held) else TaskId("")

    def position_of(self, task_id: TaskId) -> int | None:
        if self._held is not None and task_id in self._held:
            return self._from + self._held.index(task_id)
        task = record_lookup.task(self._db, task_id)
        if task is None or task.status != self._status:
            return None
        rank = self.rank(board_sort_key(task, self._status))
        return rank if rank < self._count and self.at(rank) == task_id else None

    def rank(self, place: tuple[object, ...]) -> int:
        """Return how many precede a sort key (`board_sort_key`)."""
        return task_store.rank(self._db, self._status, place)

    def _load_window(self, index: int) -> list[TaskId]:
        """Return the ids around an index; of a short column all of them, as first read."""
        if self._held is None or not self._from <= index < self._from + MAX_HELD_IDS:
            self._from = max(0, index - MAX_HELD_IDS // 2) if self._count > MAX_HELD_IDS else 0
            self._held = task_store.ids_of_status(self._db, self._status, MAX_HELD_IDS, self._from)
        return self._held


class ListedCards(list[TaskId]):
    """The tasks of a status that match a filter, as `StoredCards` otherwise."""

    def __init__(self, db: apsw.Connection, status: StatusId, listed: Sequence[TaskId]):
        super().__init__(listed)
        self._db = db
        self._status = status

    def position_of(self, task_id: TaskId) -> int | None:
        return self.index(task_id) if task_id in self else None

    def rank(self, place: tuple[object, ...]) -> int:
        return bisect_left(self, place, key=self._sort_key)

    def _sort_key(self, task_id: TaskId) -> tuple[object, ...]:
        task = record_lookup.task(self._db, task_id)
        return () if task is None else board_sort_key(task, self._status)


class MovedCards(Ids):
    """Cards of a column without those moving `out` of it, and with those moving `into` it.

    `out` may hold cards that the column never had.
    """

    def __init__(
        self,
        stored: StoredCards | ListedCards,
        status: StatusId,
        out: Sequence[TaskId],
        into: Sequence[TaskRecord],
    ):
        self._stored = stored
        self._out = sorted(place for each in out if (place := stored.position_of(each)) is not None)
        places = sorted((board_sort_key(each, status), each.task_id) for each in into)
        self._into = {
            (rank := min(stored.rank(place), len(stored))) - bisect_left(self._out, rank) + number: task_id
            for number, (place, task_id) in enumerate(places)
        }

    def __len__(self) -> int:
        return len(self._stored) - len(self._out) + len(self._into)

    def __iter__(self) -> Iterator[TaskId]:
        out = set(self._out)
        ids = [each for index, each in enumerate(self._stored) if index not in out]
        for index, each in self._into.items():
            ids.insert(index, each)
        return iter(ids)

    def at(self, index: int) -> TaskId:
        if index in self._into:
            return self._into[index]
        stored = index - sum(each < index for each in self._into)
        for each in self._out:
            stored += each <= stored
        return self._stored[stored]

    def position_of(self, task_id: TaskId) -> int | None:
        for place, each in self._into.items():
            if each == task_id:
                return place
        stored = self._stored.position_of(task_id)
        if stored is None or stored in self._out:
            return None
        place = stored - bisect_left(self._out, stored)
        for at in self._into:
            place += at <= place
        return place

"""A relay in memory for one desk's tests: rows at positions, as `relay.client` gives and takes them."""

from collections.abc import Sequence
from typing import cast

from frontdesk.relay.client import RelayClient
from frontdesk.relay.connection import RelayUnreachable
from frontdesk.relay.records import JournalEntry, Observation, Row, Shared


class FakeRelay:
    """Rows by kind and id, and a journal.

    Attributes:
        read: how many rows each call of `since` gave.
        asked: how many keys each call of `messages` had.
        journal: the entries, each as often as it was sent.
        fails_after: so many entries are taken, then the relay can't be reached.
    """

    def __init__(self) -> None:
        self._position = 0
        self.rows: dict[tuple[str, str], Row] = {}
        self.read: list[int] = []
        self.asked: list[int] = []
        self.journal: list[JournalEntry] = []
        self.fails_after = 1_000_000

    desk = "desk"

    def as_client(self) -> RelayClient:
        return cast(RelayClient, self)

    def put(self, items: Sequence[Observation | Shared]) -> None:
        for each in items:
            self._position += 1
            self.rows[each.kind, each.id] = Row(self._position, each)

    def read_only_by_others(self, number: int) -> None:
        """Publish so many rows of lines that the desk may not see."""
        self._position += number

    async def lacking(self, items: Sequence[Observation]) -> list[Observation]:
        return [each for each in items if not self._has(each)]

    def _has(self, item: Observation) -> bool:
        row = self.rows.get((item.kind, item.id))
        return row is not None and isinstance(row.item, Observation) and row.item.digest == item.digest

    async def observe(self, _token: int, items: Sequence[Observation]) -> int:
        self.put(items)
        return self._position

    async def position(self) -> int:
        return self._position

    async def since(self, position: int, limit: int) -> list[Row]:
        after = sorted(
            (row for row in self.rows.values() if row.position > position), key=lambda row: row.position
        )
        self.read.append(len(after[:limit]))
        return after[:limit]

    async def tasks(self, position: int) -> list[Observation]:
        found = [row.item for row in self.rows.values() if row.item.kind == "task" and row.position <= position]
        return [each for each in found if isinstance(each, Observation)]

    async def newest_tasks(self, limit: int) -> list[Observation]:
        return self._observations("task", "")[-limit:]

    async def newest_page(self, prefix: str) -> list[Observation]:
        return self._observations("page", prefix)[-1:]

    def _observations(self, kind: str, prefix: str) -> list[Observation]:
        found = sorted(self.rows.values(), key=lambda row: row.position)
        items = [row.item for row in found if row.item.kind == kind and row.item.id.startswith(prefix)]
        return [each for each in items if isinstance(each, Observation)]

    async def messages(self, keys: Sequence[str]) -> list[Observation]:
        self.asked.append(len(keys))
        found = [self.rows["message", each].item for each in keys if ("message", each) in self.rows]
        return [each for each in found if isinstance(each, Observation)]

    async def record(self, entry: JournalEntry) -> None:
        if len(self.journal) >= self.fails_after:
            raise RelayUnreachable("cut")
        self.journal.append(entry)

    async def share(self, kind: str, id: str, line_id: str, body: str) -> None:
        self.put([Shared(kind, id, line_id, "agent-noa", 0.0, body)])

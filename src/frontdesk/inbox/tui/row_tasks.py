"""The task that each row of the list of conversations is about, which is the one that keys on the row work on.

Words about tasks in the view and the filter choose it; else it is the one due first. It stays as it was drawn: a
poll that brings another one changes a row when it is drawn again, and a row that keys work on once that moves on.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from frontdesk.inbox.store import conversations
from frontdesk.inbox.store.conversation_query import QueryTerm, row_terms
from frontdesk.storage import record_lookup
from frontdesk.storage.records import TaskRecord
from frontdesk.storage.sql import ReadConnection
from frontdesk_api.contract.ids import ConversationId, TaskId
from frontdesk_lines.widgets.row_list import RowList

MAX_DRAWN = 2048
"""So many rows at most keep the task that they were drawn with, as they keep their lines."""


class RowTasks:
    """Finds the task of each row of a list, and keeps it as long as the row is shown with it.

    Attributes:
        shown: the conversation beside the list, whose selected task keys work on.
    """

    def __init__(self, db: ReadConnection, rows: RowList) -> None:
        self._db, self._rows = db, rows
        self._wanted: Sequence[QueryTerm] = ()
        self._drawn: dict[str, TaskId] = {}
        self._outdated: set[str] = set()
        """Rows that keys work on, and that may be about another task once they no longer do."""
        self.shown: ConversationId | None = None

    @property
    def are_chosen(self) -> bool:
        return bool(row_terms(self._wanted))

    def choose_by(self, wanted: Sequence[QueryTerm], *, anew: bool) -> None:
        """Choose tasks by what is wanted; `anew` drops those that rows were drawn with."""
        self._wanted = wanted
        if anew:
            self._drawn.clear()

    def of(self, here: ConversationId) -> TaskId | None:
        return next(self._options(here), None)

    def draw(self, here: ConversationId) -> TaskRecord | None:
        """Return the task that a row is drawn with from now on."""
        for each in self._options(here):
            if (task := record_lookup.task(self._db, each)) is not None:
                self._keep(here, each)
                return task
        return None

    def of_marks(self, keys: Collection[str]) -> Mapping[str, str]:
        """Return the tasks that new marks on rows keep: none where a mark means the task due first."""
        if not self.are_chosen:
            return {}
        rows = [*map(ConversationId, keys)]
        drawn = {row: self._drawn[row] for row in rows if row in self._drawn}
        others = self.first_of([row for row in rows if row not in drawn])
        return {str(row): task for row, task in (*others.items(), *drawn.items())}

    def first_of(self, keys: Collection[ConversationId]) -> dict[ConversationId, TaskId]:
        """Return the tasks that rows would be about if they were drawn now, whatever marks on them mean."""
        found = conversations.row_tasks(self._db, keys)
        if self.are_chosen:
            found |= conversations.row_tasks(self._db, keys, self._wanted)
        return {key: tasks[0] for key, tasks in found.items()}

    def choose(self, here: ConversationId, task_id: TaskId) -> None:
        """Let a row be about another of its tasks as long as keys work on it."""
        if self._drawn.get(here) != task_id:
            self._keep(here, task_id)
            self._outdated.add(here)
            self._rows.refresh_keys([here])

    def draw_marked(self) -> None:
        """Draw rows again whose marks mean another task than they show."""
        kept = self._rows.marked_tasks.items()
        differing = {key for key, task in kept if self._drawn.get(key, task) != task}
        self._rows.refresh_keys(differing)

    def forget(self, keys: Collection[str] | None = None) -> None:
        """Choose the tasks of these or all rows again, of one that keys work on once they no longer do."""
        for key in [*self._drawn] if keys is None else keys:
            if self._is_held(key):
                self._outdated.add(key)
            else:
                self._drawn.pop(key, None)

    def release_rows(self) -> None:
        """Draw rows again that keys no longer work on, where these may be about another task now."""
        if released := {key for key in self._outdated if not self._is_held(key)}:
            self._outdated -= released
            self.forget(released)
            self._rows.refresh_keys(released)

    def _is_held(self, key: str) -> bool:
        return key in (self._rows.cursor_key, self.shown)

    def _keep(self, here: str, task_id: TaskId) -> None:
        self._drawn.pop(here, None)
        self._drawn[here] = task_id
        if len(self._drawn) > MAX_DRAWN:
            del self._drawn[next(iter(self._drawn))]

    def _options(self, here: ConversationId) -> Iterator[TaskId]:
        """Yield the task as marked, the one as drawn, the wanted ones, then all, of which any may be gone."""
        for kept in (self._rows.marked_tasks.get(here), self._drawn.get(here)):
            if kept is not None:
                yield TaskId(kept)
        yield from conversations.row_tasks(self._db, [here], self._wanted).get(here, ())
        yield from conversations.row_tasks(self._db, [here]).get(here, ())

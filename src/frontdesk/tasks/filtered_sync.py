"""Fetches the tasks to which a board is narrowed, a page at a time, and notes how far that came.

Called by the poller. At first its pages are walked, so that a filter shows what the walk over all
tasks has not come to yet; when they are known its first page is read again and again. Nothing is
concluded about tasks that these pages don't hold.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from frontdesk.api.client.errors import ABOUT_HOST, BadRequestInput, Refused
from frontdesk.api.contract.base import MAX_TASKS_LIMIT, JsonObject
from frontdesk.api.contract.ids import AgentId, ConversationId, LineId
from frontdesk.api.contract.tasks import TaskQuery
from frontdesk.storage.database import Store
from frontdesk.tasks import filter_query
from frontdesk.tasks.filter_query import FilterProgress, Scope
from frontdesk.tasks.sync import TaskPuller

MAX_PAGES = 10
"""So many pages of a filter are read at once; what is beyond comes with the walk over all tasks."""


@dataclass
class _FilterWalk:
    """Where the first walk through the pages of a filter stands."""

    cursor: JsonObject | None = None
    pages: int = 0
    seen: set[str] = field(default_factory=set)


class FilteredTasks:
    """The filters that boards are narrowed to.

    Attributes:
        walked: keys of those that are known, or of which as many pages were read as are at once.
        refused: keys of those that the platform says no to.
    """

    def __init__(self, pull: TaskPuller, store: Store, clock: Callable[[], float]):
        self._pull = pull
        self._store = store
        self._clock = clock
        self._walks: dict[str, _FilterWalk] = {}
        self._complete: set[str] = set()
        self.walked: set[str] = set()
        self.refused: set[str] = set()

    async def next_page(self, scope: Scope) -> bool:
        """The next page of a filter that isn't known yet, else its first; says whether anything differed."""
        walk = None
        if not self._pull.swept and scope.key not in self.walked:
            walk = self._walks.setdefault(scope.key, _FilterWalk())
        try:
            differed, page = await self._pull.tasks_page(query_for(scope, None if walk is None else walk.cursor))
        except (Refused, BadRequestInput) as error:
            if isinstance(error, ABOUT_HOST):
                raise
            self._walks.pop(scope.key, None)
            if walk is not None and walk.cursor is not None:
                # A cursor may have expired, which says nothing of the filter: what is beyond comes with the
                # walk over all tasks.
                self.walked.add(scope.key)
            else:
                self.refused.add(scope.key)
                await self._note(scope, FilterProgress(problem=str(error)))
            raise
        self.refused.discard(scope.key)
        cursor = page.cursor if page.has_more else None
        if walk is not None:
            walk.cursor, walk.pages = cursor, walk.pages + 1
            name = json.dumps(cursor, sort_keys=True)
            goes_round = name in walk.seen
            walk.seen.add(name)
            if cursor is None or goes_round or walk.pages >= MAX_PAGES:
                del self._walks[scope.key]
                self.walked.add(scope.key)
        if cursor is None or self._pull.swept:
            self._complete.add(scope.key)
        await self._note(scope, FilterProgress(complete=scope.key in self._complete))
        return differed

    async def _note(self, scope: Scope, stood: FilterProgress) -> None:
        """Only what differs is written: whoever looks is woken by it."""
        if filter_query.stand(self._store.reading, scope) != stood:
            now = self._clock()
            await self._store.run(lambda db: filter_query.put_stand(db, scope, stood, now))


def query_for(scope: Scope, cursor: JsonObject | None) -> TaskQuery:
    """A page of the tasks of a scope (docs/interface.md, List tasks); what isn't asked about isn't sent."""
    asked: dict[str, object] = {"limit": MAX_TASKS_LIMIT}
    if scope.line_id:
        asked["phoneNumberId"] = LineId(scope.line_id)
    if scope.agent_id:
        asked["agentId"] = AgentId(scope.agent_id)
    if scope.conversation_id:
        asked["participantsIdentifiers"] = ConversationId(scope.conversation_id)
    if cursor is not None:
        asked["lastEvaluatedKey"] = cursor
    return TaskQuery.model_validate(asked)

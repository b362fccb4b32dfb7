"""Smaller pages while the items of a list are large, if the request has a `limit` (docs/interface.md, Limits).

Both of these lists go on from a cursor that the platform made after the last item, so the limit may change between
any two pages: nothing is skipped or repeated.
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from frontdesk.api.client.errors import ReplyTooLarge, TooManyItems
from frontdesk.api.contract.ai_agents import AiAgentQuery
from frontdesk.api.contract.decode import Page
from frontdesk.api.contract.tasks import TaskQuery

QueryT = TypeVar("QueryT", TaskQuery, AiAgentQuery)
PageT = TypeVar("PageT", bound=Page[Any])

GROW_AFTER = 8
"""Number of pages that fit, after which twice as many items are requested."""

IGNORED_FOR = 10
"""Number of replies after which a host that ignored a smaller limit is given one again for a page too large."""


class PageLimit:
    """The number of items to request on the next page of one list.

    Args:
        full: the limit while nothing is too large, at least 1.

    Attributes:
        value: the limit of the next request, 1 to `full`.
    """

    def __init__(self, full: int):
        self._full = self.value = full
        self._fitting = 0
        self._ignored_for = 0

    async def fetch(self, query: QueryT, request: Callable[[QueryT], Awaitable[PageT]]) -> PageT:
        """Fetch a page, halving the limit while its items are too large together.

        Raises:
            ReplyTooLarge: a single item is too large, or the host ignores the limit; the next call begins with
                the limit that was reached, so that it costs one request.
        """
        while True:
            asked = query if self.value == self._full else query.model_copy(update={"limit": self.value})
            try:
                page = await request(asked)
            except ReplyTooLarge as error:
                if self.note_too_large():
                    continue
                if self.value == 1:
                    problem = f"{error.problem}, although only 1 item was requested"
                    raise ReplyTooLarge(problem, error.advice) from error
                raise
            except TooManyItems:
                if not self.note_too_many():
                    raise
                continue
            self.note_page(len(page.items) + len(page.broken))
            return page

    def note_too_large(self) -> bool:
        """Record a reply that was too large; return whether to request fewer items now."""
        self._fitting = 0
        if self._ignored_for:
            self._ignored_for -= 1
            return False
        if self.value == 1:
            return False
        self.value //= 2
        return True

    def note_too_many(self) -> bool:
        """Record a reply of far more items than requested; return whether to request the full number now."""
        if self.value == self._full:
            return False
        self._note_ignored()
        return True

    def note_page(self, count: int) -> None:
        """Record a page of `count` items that fitted."""
        if count > self.value < self._full:
            self._note_ignored()
            return
        self._ignored_for = max(0, self._ignored_for - 1)
        self._fitting += 1
        if self._fitting >= GROW_AFTER:
            self.value, self._fitting = min(self._full, self.value * 2), 0

    def _note_ignored(self) -> None:
        """Request full pages, since smaller limits change nothing at this host."""
        self.value, self._fitting, self._ignored_for = self._full, 0, IGNORED_FOR

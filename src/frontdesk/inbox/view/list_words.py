"""The words around the list of conversations: its title, its edge, its counts, and why it is empty."""

from collections.abc import Sequence
from typing import NamedTuple

from frontdesk.config.render_context import RenderContext
from frontdesk.inbox import filter_words
from frontdesk.inbox.filter_words import ALL, Query, View
from frontdesk.inbox.saved_views import shown_name
from frontdesk.inbox.store.conversation_query import OF_THREADS
from frontdesk.inbox.view.conversation_row import ORDER_WORDS, SHORT_ORDER_WORDS
from frontdesk.storage.coverage import Coverage, count_words
from frontdesk.storage.records import ConversationOrder, Health
from frontdesk.sync import status_view
from frontdesk_lines.display_text import show_line
from frontdesk_lines.lines import Line, Role, span

_NO_AGENT = (
    "This view needs your agent_id: set it",
    "in your profile, or log in again.",
)


class ListWords(NamedTuple):
    """What a list shows, in words.

    Attributes:
        query: the filter that is typed, beside that of the view.
        order: the chosen order; the list is `sorted_by` another one until enough was read.
        snoozed: how many are snoozed, which views leave out.
    """

    view: View
    query: Query
    order: ConversationOrder
    coverage: Coverage
    matching: int
    snoozed: int = 0
    sorted_by: ConversationOrder | None = None

    def title_forms(self) -> Sequence[Line]:
        """Return the title, the longest form first; numbers are never cut."""
        known = self.coverage.known
        count = count_words(known - self.snoozed, self.coverage.precision(of_threads=False))
        if self.view is not ALL or self.query.terms:
            count = count_words(known, self.coverage.precision(of_threads=False))
            matching = filter_words.precision(self.coverage, self.view.query, self.query)
            count = f"{count_words(self.matching, matching)} of {count}"
        # Before the first load, 0 would claim that there are none.
        snoozed = f" · {self.snoozed:,} snoozed" if self.snoozed else ""
        if not known:
            return [(span("Conversations"),)]
        words = f"{count}{snoozed}"
        return [(span("Conversations"), span(f" · {words}", Role.DIM)), (span(words, Role.DIM),)]

    def order_forms(self, *, with_share: bool = True) -> Sequence[Line]:
        """Return the order and the share that was read, the longest form first; numbers are never cut."""
        sorted_by = self.sorted_by or self.order
        order, short = ORDER_WORDS[sorted_by], SHORT_ORDER_WORDS[sorted_by]
        read = self._read if with_share else ""
        forms = (f"{order} · {read}", f"{short} · {read}", read) if read else (order, short)
        return [(span(each, Role.DIM),) for each in forms]

    def count_of(self, view: View, counted: tuple[int, Coverage] | None) -> str:
        """Return the count of a view by what had been read then; empty before anything is known of it."""
        if counted is None or not (self.coverage.known or self.coverage.is_listed):
            return ""
        count, coverage = counted
        return count_words(count, filter_words.precision(coverage, view.query), is_short=True)

    def why_empty(self, health: Health, context: RenderContext) -> Sequence[str]:
        other_views = f"Press {context.key('view.choose', 'b')} to open another view."
        if self.query.terms:
            where = "" if self.view is ALL else f" in {shown_name(self.view, context).text}"
            so_far = f" yet ({self._read})" if self._read else ""
            return (
                f"No conversation{where} matches",
                f"“{show_line(str(self.query), 40).text}”{so_far}.",
                f"Press {context.key('go.back', 'esc')} to clear the filter.",
            )
        if self.view.off:
            return (*_NO_AGENT, other_views)
        if health.fresh_at is None:
            return status_view.before_first(health, context)
        if self.view is not ALL and self.coverage.known:
            name = f"“{shown_name(self.view, context, 30).text}”"
            if self._read:
                return (f"Nothing in {name} yet", f"({self._read}).", other_views)
            return (f"The view {name} is empty.", other_views)
        return nothing_known(context)

    @property
    def is_of_threads(self) -> bool:
        return self.order in OF_THREADS or filter_words.is_of_threads(self.view.query, self.query)

    @property
    def _read(self) -> str:
        """Return the share that was read of what the list is chosen and sorted by; empty where it is all."""
        return self.coverage.words(of_threads=self.is_of_threads)


def nothing_known(context: RenderContext) -> Sequence[str]:
    return (
        "No conversations yet.",
        "They appear once they have a task",
        f"on the platform. Press {context.key('conversation.open', 'O')} to open others.",
    )

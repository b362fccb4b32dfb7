"""The list of AI agents, keyed by id.

Held by the AI agents screen.
"""

from collections.abc import Sequence

from frontdesk.ai_agents.view import HEIGHT, AgentOrder, in_order, matching, row, title
from frontdesk.storage import change_feed
from frontdesk.storage.documents import AI_AGENT
from frontdesk.storage.records import AiAgentListing, DocumentRecord, Event
from frontdesk.text.lines import Line
from frontdesk.tui.context import AppContext
from frontdesk.tui.panes.filtered_list_pane import ListedPane


class AiAgentsPane(ListedPane[AgentOrder]):
    """The AI agents that the platform lists."""

    thing = "AI agent"
    name_of_all = "AI agents"
    row_height = HEIGHT
    placeholder = "name, id, what it is for, role, tool, file, active, off"

    def __init__(self, app_context: AppContext, order: AgentOrder, filtered_by: str) -> None:
        super().__init__(app_context, "agents", order, filtered_by)
        self.listing = AiAgentListing()
        self._records: dict[str, DocumentRecord] = {}

    @property
    def record(self) -> DocumentRecord | None:
        """What the cursor is on."""
        return self._records.get(self.rows.cursor_key or "")

    @property
    def known(self) -> int:
        return len(self.listing.records)

    @property
    def was_read(self) -> bool:
        return self.listing.read_at is not None

    def is_about(self, events: frozenset[Event]) -> bool:
        return Event(change_feed.DOCUMENT, AI_AGENT) in events

    def differing(self) -> Sequence[str]:
        before, self.listing = self._records, self._app_context.services.queries.ai_agent_list()
        self._records = {each.document_id: each for each in self.listing.records}
        return [key for key, record in self._records.items() if before.get(key) != record]

    def wanted(self, here: str | None) -> Sequence[str]:
        found = matching(self.listing.records, self.typed)
        kept = self._records.get(here or "")
        if kept is not None and kept not in found:
            found.append(kept)
        return [each.document_id for each in in_order(found, self.order)]

    def heading(self, shown: int) -> Line:
        return title(shown, self.known)

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        record = self._records.get(key)
        if record is None:
            return ()
        samples = self._app_context.services.queries.token_samples(key)
        return row(record, samples, self.listing.read_at, width, self._app_context.view())

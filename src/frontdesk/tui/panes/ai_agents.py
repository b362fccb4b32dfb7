"""The list of AI agents: sorted, filtered as one types, keyed by id.

Held by the AI agents screen; it says which one the cursor is on and which one was opened.
"""

from dataclasses import dataclass

from textual.message import Message

from frontdesk.present import connection
from frontdesk.present.ai_agents import HEIGHT, Order, in_order, matching, row, title
from frontdesk.present.lines import Line, Role, span
from frontdesk.store import feed
from frontdesk.store.documents import AI_AGENT
from frontdesk.store.records import AiAgentListing, DocumentRecord, Event
from frontdesk.text import show_line
from frontdesk.tui.panes.typing_pane import TypingPane
from frontdesk.tui.room import Room
from frontdesk.tui.widgets.row_list import RowList

NOTHING = "The account has no AI agent."


class AiAgentsPane(TypingPane):
    """The AI agents that the platform lists."""

    placeholder = "name, id, what it is for, role, tool, file, active, off"

    @dataclass
    class Highlighted(Message):
        """The cursor stands on another AI agent, or on none."""

        agent_id: str | None

        def can_replace(self, message: Message) -> bool:
            """Only the last place of a moving cursor matters."""
            return isinstance(message, AiAgentsPane.Highlighted)

    @dataclass
    class Opened(Message):
        """An AI agent was chosen with enter."""

        agent_id: str

    @dataclass
    class ListChanged(Message):
        """The person chose another order or filter, which should outlast this run."""

    def __init__(self, room: Room, order: Order, filtered_by: str) -> None:
        super().__init__("agents", filtered_by)
        self._room = room
        self.order = order
        self.listing = AiAgentListing()
        self._records: dict[str, DocumentRecord] = {}
        self.rows = RowList(self._draw, row_height=HEIGHT, can_mark=False)

    def on_mount(self) -> None:
        self.read_again()

    @property
    def record(self) -> DocumentRecord | None:
        """What the cursor is on."""
        return self._records.get(self.rows.cursor_key or "")

    def store_changed(self, events: frozenset[Event]) -> None:
        """Show what differs, and nothing else."""
        if feed.EVERYTHING in events or Event(feed.DOCUMENT, AI_AGENT) in events:
            self.read_again()
        elif not self.rows.keys and any(event.kind == feed.HEALTH for event in events):
            self._show()

    def read_again(self) -> None:
        """Read the list, and show it."""
        before, self.listing = self._records, self._room.desk.reads.ai_agent_list()
        self._records = {each.document_id: each for each in self.listing.records}
        self._show()
        self.rows.refresh_keys(key for key, record in self._records.items() if before.get(key) != record)

    def sort(self, order: Order) -> None:
        """Sort by something else; the cursor stays where it is."""
        self.order = order
        self._show()
        self.post_message(self.ListChanged())

    def take(self, typed: str) -> None:
        self._show(anew=True)
        if typed and self.rows.keys:
            self.rows.move_to(self.rows.keys[0])
        self.post_message(self.ListChanged())

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self.post_message(self.Highlighted(event.key))

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.post_message(self.Opened(event.key))

    def _show(self, *, anew: bool = False) -> None:
        """The rows in their order. What comes by itself never takes away what the cursor is on."""
        known = self.listing.records
        found = matching(known, self.typed)
        here = self.record
        if here is not None and not anew and here not in found:
            found.append(here)
        keys = [each.document_id for each in in_order(found, self.order)]
        self.rows.set_empty(self._why_empty())
        self.rows.set_keys(keys)
        self.set_title(title(len(keys), len(known)))
        self.set_subtitle((span(f"by {self.order}", Role.DIM),))

    def _why_empty(self) -> tuple[Line, ...]:
        if self.typed and self.listing.records:
            words: tuple[str, ...] = (
                "No AI agent matches",
                f"“{show_line(self.typed, 40).text}”.",
                f"{self._room.key('go.back')} takes the filter off",
            )
        elif self.listing.read_at is None:
            words = connection.before_first(self._room.desk.reads.health(), self._room.view())
        else:
            words = (NOTHING, f"{self._room.key('view.refresh')} looks again.")
        return tuple((span(each, Role.DIM),) for each in words)

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        record = self._records.get(key)
        if record is None:
            return ()
        samples = self._room.desk.reads.token_samples(key)
        return row(record, samples, self.listing.read_at, width, self._room.view())

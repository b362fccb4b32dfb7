"""The list of workflows: sorted, filtered as one types, keyed by id.

Held by the workflows screen; it says which workflow the cursor is on and which one was opened.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from textual.message import Message

from frontdesk.contract.ids import WorkflowId
from frontdesk.present import connection
from frontdesk.present.lines import Line, Role, span
from frontdesk.present.workflow_list import HEIGHT, Order, Problems, in_order, matching, order_words, row, title
from frontdesk.store import feed
from frontdesk.store.documents import WORKFLOW
from frontdesk.store.records import Event, WorkflowListing, WorkflowRecord
from frontdesk.text import show_line
from frontdesk.tui.panes.typing_pane import TypingPane
from frontdesk.tui.room import Room
from frontdesk.tui.widgets.row_list import RowList

NOTHING = "The account has no workflow."


class WorkflowsPane(TypingPane):
    """The workflows that the platform lists."""

    placeholder = "name, id, channel, line, trigger, active, off, errors"

    @dataclass
    class Highlighted(Message):
        """The cursor stands on another workflow, or on none."""

        workflow_id: WorkflowId | None

        def can_replace(self, message: Message) -> bool:
            """Only the last place of a moving cursor matters."""
            return isinstance(message, WorkflowsPane.Highlighted)

    @dataclass
    class Opened(Message):
        """A workflow was chosen with enter."""

        workflow_id: WorkflowId

    @dataclass
    class ListChanged(Message):
        """The person chose another order or filter, which should outlast this run."""

    def __init__(self, room: Room, order: Order, filtered_by: str, problems: Mapping[str, Problems]) -> None:
        """A list that is read when it is mounted.

        Args:
            problems: what the check found so far, by id; it fills while the list is shown.
        """
        super().__init__("workflows", filtered_by)
        self._room = room
        self.order = order
        self._problems = problems
        self._listing = WorkflowListing()
        self._records: dict[str, WorkflowRecord] = {}
        self.rows = RowList(self._draw, row_height=HEIGHT, can_mark=False)

    def on_mount(self) -> None:
        self.read_again()

    @property
    def cursor(self) -> WorkflowId | None:
        """The workflow under the cursor."""
        key = self.rows.cursor_key
        return None if key is None else WorkflowId(key)

    @property
    def records(self) -> tuple[WorkflowRecord, ...]:
        """All that are listed, whatever the filter."""
        return self._listing.records

    @property
    def has_more(self) -> bool:
        """Whether the platform has workflows that it didn't list."""
        return self._listing.has_more

    def record(self, workflow_id: str | None) -> WorkflowRecord | None:
        """What is known of a workflow."""
        return self._records.get(workflow_id or "")

    def store_changed(self, events: frozenset[Event]) -> None:
        """Show what differs, and nothing else."""
        kinds = {event.kind for event in events}
        if feed.EVERYTHING in events or feed.WORKFLOW in kinds or Event(feed.DOCUMENT, WORKFLOW) in events:
            self.read_again()
        elif feed.HEALTH in kinds and not self.rows.keys:
            self._show()

    def read_again(self) -> None:
        """Read the list, and show it."""
        before, self._listing = self._records, self._room.desk.reads.workflow_list()
        self._records = {each.workflow_id: each for each in self._listing.records}
        self._show()
        self.rows.refresh_keys(key for key, record in self._records.items() if before.get(key) != record)

    def checked(self, workflow_ids: Iterable[str]) -> None:
        """The check found something else in these."""
        if self.order is Order.PROBLEMS or self.typed:
            self._show()
        self.rows.refresh_keys(workflow_ids)

    def sort(self, order: Order) -> None:
        """Sort by something else; the cursor stays on its workflow."""
        self.order = order
        self._show()
        self.post_message(self.ListChanged())

    def show(self, workflow_id: WorkflowId) -> bool:
        """Put the cursor on a workflow; False where it isn't listed, or the filter hides it."""
        return self.rows.move_to(workflow_id)

    def take(self, typed: str) -> None:
        self._show(anew=True)
        if typed and self.rows.keys:
            self.rows.move_to(self.rows.keys[0])
        self.post_message(self.ListChanged())

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self.post_message(self.Highlighted(None if event.key is None else WorkflowId(event.key)))

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.post_message(self.Opened(WorkflowId(event.key)))

    def _show(self, *, anew: bool = False) -> None:
        """The rows in their order. What the cursor is on stays, although the filter may want it no more:
        what comes by itself never takes it away."""
        known = self._listing.records
        found = matching(known, self.typed, self._problems, self._room.view())
        here = self._records.get(self.cursor or "")
        if here is not None and not anew and here not in found:
            found.append(here)
        keys = [each.workflow_id for each in in_order(found, self.order, self._problems)]
        self.rows.set_empty(self._why_empty())
        self.rows.set_keys(keys)
        self.set_title(title(len(keys), len(known), has_more=self._listing.has_more))
        self.set_subtitle((span(order_words(self.order), Role.DIM),))

    def _why_empty(self) -> tuple[Line, ...]:
        if self.typed and self._listing.records:
            words: tuple[str, ...] = (
                "No workflow matches",
                f"“{show_line(self.typed, 40).text}”.",
                f"{self._room.key('go.back')} takes the filter off",
            )
        elif self._listing.read_at is None:
            words = connection.before_first(self._room.desk.reads.health(), self._room.view())
        else:
            words = (NOTHING, f"{self._room.key('view.refresh')} looks again.")
        return tuple((span(each, Role.DIM),) for each in words)

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        record = self._records.get(key)
        if record is None:
            return ()
        return row(record, self._problems.get(key), width, self._room.view())

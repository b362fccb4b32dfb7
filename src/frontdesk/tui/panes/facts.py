"""Beside a thread: the customer, their tasks, and the tags given from here.

Held by the inbox. The tasks are a list of their own: the one under its cursor is what a key works on.
"""

from textual.app import ComposeResult
from textual.widgets import Static

from frontdesk.contract.ids import ConversationId, TaskId
from frontdesk.present.conversations import customer_facts, tags_given, task_row
from frontdesk.present.lines import Line, Role, span
from frontdesk.store import feed
from frontdesk.store.records import Event
from frontdesk.text import own
from frontdesk.tui.room import Room
from frontdesk.tui.safe import lines_content
from frontdesk.tui.widgets.pane import Pane
from frontdesk.tui.widgets.row_list import RowList


class FactsPane(Pane):
    """What is known of the open conversation."""

    DEFAULT_CSS = """
    FactsPane > Static { height: auto; max-height: 40%; padding: 0 1; }
    FactsPane > #tags { border-top: solid $border-blurred; }
    FactsPane > #customer { border-bottom: solid $border-blurred; }
    """

    def __init__(self, room: Room):
        super().__init__(id="facts", title=own("Customer"))
        self._room = room
        self.conversation_id: ConversationId | None = None
        self._shown: tuple[tuple[Line, ...], tuple[Line, ...]] = ((), ())
        self.tasks = RowList(
            self._draw,
            row_height=3,
            empty=((span("No task is known here.", Role.DIM),),),
        )

    def compose(self) -> ComposeResult:
        yield Static(id="customer")
        yield self.tasks
        yield Static(id="tags")

    @property
    def task_targets(self) -> tuple[TaskId, ...]:
        """The tasks that a key works on."""
        return tuple(TaskId(key) for key in self.tasks.targets)

    def open(self, conversation_id: ConversationId | None) -> None:
        """Show what is known of this conversation."""
        self.conversation_id = conversation_id
        self._read_again()

    def store_changed(self, events: frozenset[Event]) -> None:
        """Show what differs."""
        kinds = {event.kind for event in events}
        if feed.EVERYTHING in events or kinds & {feed.TASK, feed.CONVERSATION, feed.CHANGE}:
            self._read_again()
            self.tasks.refresh_keys(event.id for event in events if event.kind == feed.TASK)

    def on_resize(self) -> None:
        self._read_again()

    def _read_again(self) -> None:
        reads, view = self._room.desk.reads, self._room.view()
        conversation_id = self.conversation_id
        record = None if conversation_id is None else reads.conversation(conversation_id)
        if conversation_id is None or record is None:
            self.tasks.set_keys(())
            self._put((), ())
            return
        self.tasks.set_keys([task.task_id for task in reads.tasks_of(conversation_id)])
        width = max(8, self.content_size.width - 2)
        self._put(
            customer_facts(record, width, view),
            tags_given(reads.tags_given(conversation_id), width, view),
        )

    def _put(self, customer: tuple[Line, ...], tags: tuple[Line, ...]) -> None:
        if self._shown == (customer, tags) or not self.is_mounted:
            return
        self._shown = (customer, tags)
        self.query_one("#customer", Static).update(lines_content(customer))
        self.query_one("#tags", Static).update(lines_content(tags))

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        task = self._room.desk.reads.task(TaskId(key))
        return () if task is None else task_row(task, width, self._room.view())

"""The customer of the open conversation, their tasks, and the tags given from here."""

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.message import Message

from frontdesk.config.facts import lines
from frontdesk.inbox.store.customer_history import CustomerHistory, customer_history
from frontdesk.inbox.view.conversation_row import (
    LABEL_CELLS,
    MAX_TEXT_LINES,
    TASK_HEIGHT,
    customer_facts,
    task_row,
)
from frontdesk.outbox import queue as outbox_queue
from frontdesk.outbox.change_view import added_tags
from frontdesk.service_clocks import store as clock_store
from frontdesk.storage import change_feed, record_lookup
from frontdesk.storage.records import Event, TaskRecord
from frontdesk.tui.context import AppContext
from frontdesk_api.contract.ids import ConversationId, TaskId
from frontdesk_lines.display_text import trusted
from frontdesk_lines.lines import Line, Role, span
from frontdesk_lines.widgets.line_page import LineBox
from frontdesk_lines.widgets.pane import Pane
from frontdesk_lines.widgets.row_list import RowList

MIN_HEIGHT_FOR_TEXT = 26
"""Lines of a pane that shows the text of tasks, too."""

_OF_CUSTOMER = {change_feed.TASK, change_feed.CONVERSATION, change_feed.CHANGE}
_NOT_SELECTED: tuple[Line, ...] = ((span("No conversation selected.", Role.DIM),),)
_NOT_LOADED: tuple[Line, ...] = tuple(
    (span(words, Role.DIM),) for words in ("No tasks loaded.", "They come from the platform.")
)


class FactsPane(Pane):
    """Facts about the open conversation, above a list of its tasks."""

    DEFAULT_CSS = """
    FactsPane > LineBox { height: auto; margin-bottom: 1; }
    FactsPane > #customer { max-height: 45%; }
    FactsPane.-high > #customer { min-height: 12; }
    FactsPane > #tags { max-height: 25%; }
    """

    @dataclass(repr=False, eq=False)
    class MarksChanged(Message):
        """The number of marked tasks changed."""

        count: int

    class VisibilityChanged(Message):
        """The pane was shown or hidden."""

    def __init__(self, app_context: AppContext):
        super().__init__(id="facts", title=trusted("Customer"))
        self._app_context = app_context
        self._db = app_context.store.reading
        self.conversation_id: ConversationId | None = None
        self._history = CustomerHistory()
        self._customer = LineBox(self._customer_lines, id="customer")
        self._tags = LineBox(self._tag_lines, id="tags")
        self.tasks = RowList(self._draw, row_height=TASK_HEIGHT, empty=_NOT_SELECTED)

    def on_resize(self) -> None:
        # A low pane has room for the tasks, but not for their text.
        is_high = self.size.height >= MIN_HEIGHT_FOR_TEXT
        # In a high one the tasks stay in place, however many facts there are about the customer.
        self.set_class(is_high, "-high")
        text_lines = MAX_TEXT_LINES if is_high else 0
        self.tasks.set_row_height(TASK_HEIGHT + text_lines)

    def on_show(self) -> None:
        self.post_message(self.VisibilityChanged())

    def on_hide(self) -> None:
        self.post_message(self.VisibilityChanged())

    def compose(self) -> ComposeResult:
        yield self._customer
        yield self._tags
        yield self.tasks

    @property
    def task_targets(self) -> tuple[TaskId, ...]:
        return tuple(TaskId(key) for key in self.tasks.targets)

    class TaskHighlighted(Message):
        """The cursor moved to another task, or to none."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, FactsPane.TaskHighlighted)

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self.post_message(self.TaskHighlighted())

    def on_row_list_marked(self, event: RowList.Marked) -> None:
        event.stop()
        self.post_message(self.MarksChanged(len(event.keys)))

    def open(self, conversation_id: ConversationId | None, task_id: TaskId | None = None) -> None:
        """Show this conversation, another one with the cursor on a task."""
        is_other = conversation_id != self.conversation_id
        self.conversation_id = conversation_id
        self._read_again(anew=is_other)
        if is_other:
            self.select(task_id)

    def select(self, task_id: TaskId | None) -> None:
        """Move the cursor to a task; where that is gone, keys ask before they work on another one."""
        if task_id is not None and task_id != self.tasks.cursor_key and not self.tasks.move_to(task_id):
            self.tasks.displaced_key = task_id

    def store_changed(self, events: frozenset[Event]) -> None:
        kinds = {event.kind for event in events}
        mine = {event.kind for event in events if event.id == self.conversation_id}
        if change_feed.EVERYTHING in events or kinds & _OF_CUSTOMER or change_feed.THREAD in mine:
            self._read_again()
            self.tasks.refresh_keys(event.id for event in events if event.kind == change_feed.TASK)

    def _read_again(self, *, anew: bool = False) -> None:
        here, tasks = self.conversation_id, list[TaskRecord]()
        self._history = CustomerHistory()
        if here is not None:
            tasks = record_lookup.tasks_of_conversation(self._db, here)
            self._history = customer_history(self._db, here, tasks)
        self.tasks.set_empty(_NOT_SELECTED if here is None else _NOT_LOADED)
        self.tasks.set_keys([task.task_id for task in tasks], reset=anew)
        self._customer.redraw()
        self._tags.redraw()

    def _customer_lines(self, width: int) -> tuple[Line, ...]:
        store = self._app_context.store
        record = self.conversation_id and record_lookup.conversation(store.reading, self.conversation_id)
        if not record:
            return ()
        clock = clock_store.of_conversation(store.reading, record.conversation_id) if store.settings.sla else None
        view = self._app_context.view()
        return lines(customer_facts(record, view, self._history, clock), width, view, LABEL_CELLS)

    def _tag_lines(self, width: int) -> tuple[Line, ...]:
        if self.conversation_id is None:
            return ()
        return added_tags(outbox_queue.added_tags(self._db, self.conversation_id), width, self._app_context.view())

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        task = record_lookup.task(self._db, TaskId(key))
        text_lines = self.tasks.row_height - TASK_HEIGHT
        return () if task is None else task_row(task, width, self._app_context.view(), text_lines)

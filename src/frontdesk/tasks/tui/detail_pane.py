"""The detail of one task, beside the columns or in their place."""

from collections.abc import Callable

from textual.app import ComposeResult
from textual.timer import Timer

from frontdesk.api.contract.ids import TaskId
from frontdesk.outbox import queue as outbox_queue
from frontdesk.storage import change_feed, record_lookup
from frontdesk.storage.records import Event
from frontdesk.tasks.view import MAX_CHANGES, TaskFacts, detail
from frontdesk.text.display_text import trusted
from frontdesk.text.lines import Line, Role, span
from frontdesk.tui.context import AppContext
from frontdesk.tui.keymap import keys_line
from frontdesk.tui.widgets.line_page import LinePage
from frontdesk.tui.widgets.pane import Pane

FOLLOW_SECONDS = 0.15
"""How long the cursor rests on a card before the detail shows it."""

GONE = ((span("This task is gone from the platform.", Role.DIM),),)


class TaskDetail(Pane):
    """A task with its customer, its tags and its changes from here."""

    def __init__(self, app_context: AppContext):
        super().__init__(id="detail", title=trusted("Task"))
        self._app_context = app_context
        self.task_id: TaskId | None = None
        self.page = LinePage(self._lines)
        self._follow: Timer | None = None
        self.set_subtitle(keys_line(("enter", "conversation"), ("i", "raw"), ("esc", "close")))

    def compose(self) -> ComposeResult:
        yield self.page

    def show_task(self, task_id: TaskId | None) -> None:
        is_other = task_id != self.task_id
        self.task_id = task_id
        self.page.redraw(from_the_top=is_other)

    def follow_soon(self, wanted: Callable[[], TaskId | None]) -> None:
        """Show the task once the cursor has rested."""
        self.stop_following()
        self._follow = self.set_timer(FOLLOW_SECONDS, lambda: self.show_task(wanted()))

    def stop_following(self) -> None:
        """Keep the task that is shown."""
        if self._follow is not None:
            self._follow.stop()
            self._follow = None

    def store_changed(self, events: frozenset[Event]) -> None:
        """Update what differs."""
        kinds = {event.kind for event in events}
        if change_feed.EVERYTHING in events or kinds & {
            change_feed.TASK,
            change_feed.CHANGE,
            change_feed.CONVERSATION,
        }:
            self.page.redraw()

    def _lines(self, width: int) -> tuple[Line, ...]:
        if self.task_id is None:
            return ()
        db = self._app_context.store.reading
        task = record_lookup.task(db, self.task_id)
        if task is None:
            return GONE
        linked = task.conversation_id
        facts = TaskFacts(
            task,
            None if linked is None else record_lookup.conversation(db, linked),
            outbox_queue.recent_of(db, task.task_id, MAX_CHANGES),
            () if linked is None else outbox_queue.given_tags(db, linked),
        )
        return detail(facts, width, self._app_context.view())

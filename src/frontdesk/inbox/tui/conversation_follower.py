"""The conversation that the inbox shows.

It is shown after the list's cursor has rested: a held key sends no more than the list's bytes.
"""

from typing import NamedTuple

from textual.timer import Timer

from frontdesk.inbox.commands import InboxCommands
from frontdesk.inbox.tui.conversation_pane import ConversationsPane
from frontdesk.inbox.tui.customer_pane import FactsPane
from frontdesk.inbox.tui.thread_pane import ThreadPane
from frontdesk.storage import record_lookup
from frontdesk.storage.records import ConversationRecord, MessagePosition
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.pane_switcher import MultiPaneScreen
from frontdesk_api.contract.ids import ConversationId, TaskId

FOLLOW_SECONDS = 0.15
"""How long the cursor rests on a conversation before its thread is shown."""


class InboxPanes(NamedTuple):
    """The panes of the inbox, for the objects that work on them."""

    list: ConversationsPane
    thread: ThreadPane
    facts: FactsPane


class ConversationFollower:
    """Shows the conversation under the list's cursor in the thread and customer panes."""

    def __init__(self, screen: MultiPaneScreen, panes: InboxPanes) -> None:
        self._screen, self._panes = screen, panes
        self._timer: Timer | None = None
        self._cursor: ConversationId | None = None
        """Where the list's cursor was when a conversation was shown last."""
        self._opened: ConversationId | None = None
        """The conversation that was opened for reading, and is shown since."""

    @property
    def is_at_cursor(self) -> bool:
        """Return whether the cursor is where it was when a conversation was shown last."""
        return self._panes.list.cursor == self._cursor

    def show(self, conversation_id: ConversationId | None) -> None:
        self.stop()
        self._cursor = self._panes.list.cursor
        if conversation_id != self._panes.thread.conversation_id:
            self._opened = None
            self._panes.thread.open(conversation_id)
            self._open_facts(conversation_id)
            self._screen.post_message(BaseScreen.FocusChanged())
        self._screen.status_bar.update_hints()  # also for a cursor that came back: they may name where it was

    def open(self, conversation_id: ConversationId) -> None:
        """Show a conversation, mark it as read and focus its thread."""
        self.show(conversation_id)
        InboxCommands(self._screen.app_context.store).mark_read(conversation_id)
        self._screen.panes.focus_pane(self._panes.thread)
        self._opened = conversation_id

    def mark_arrived(self) -> None:
        """Mark as read what has come in an opened thread: somebody is at its end, and looks at the terminal."""
        thread, context = self._panes.thread, self._screen.app_context
        if self._opened is None or not (thread.is_at_end and self._screen.panes.is_at(thread)):
            return
        if self._screen.app.screen is self._screen and context.is_attended():
            InboxCommands(context.store).mark_arrived(self._opened)

    def show_message(self, conversation_id: ConversationId, key: MessagePosition, words: str) -> None:
        self.stop()
        self._cursor = self._panes.list.cursor
        self._opened = None
        self._panes.thread.open_at(conversation_id, key, words)
        self._open_facts(conversation_id)
        self._screen.post_message(BaseScreen.FocusChanged())

    def _open_facts(self, conversation_id: ConversationId | None) -> None:
        """Show facts with the cursor on the task that the conversation's row is about."""
        row_tasks = self._panes.list.row_tasks
        task_id = None if conversation_id is None else row_tasks.of(conversation_id)
        self._panes.facts.open(conversation_id, task_id)
        row_tasks.shown = conversation_id
        row_tasks.release_rows()

    def select_task(self) -> None:
        """Select the task that the row of the shown conversation is about in another list."""
        shown = self._panes.facts.conversation_id
        if shown is not None:
            self._panes.facts.select(self._panes.list.row_tasks.of(shown))

    def show_task_in_row(self) -> None:
        here, task_id = self._panes.list.cursor, self._panes.facts.tasks.cursor_key
        if here is not None and here == self._panes.facts.conversation_id and task_id is not None:
            self._panes.list.row_tasks.choose(here, TaskId(task_id))

    def show_cursor(self) -> None:
        """Show the conversation under the cursor, unless it is a first row that is about to be replaced."""
        if not self._panes.list.is_settling:
            self.show(self._panes.list.cursor)

    def catch_up(self) -> None:
        """Show the conversation under the cursor now: a key works on what the cursor is on."""
        if not self.is_at_cursor:
            self.show_cursor()

    def shown_record(self) -> ConversationRecord | None:
        """Return the conversation under the cursor, which is shown now; None where there is none."""
        self.catch_up()
        shown = self._panes.thread.conversation_id
        return None if shown is None else record_lookup.conversation(self._screen.app_context.store.reading, shown)

    def follow_soon(self) -> None:
        """Show the conversation under the cursor once that has rested; beside no thread, name the target."""
        self.stop()
        is_alone = self._screen.has_class("-alone")
        then = self._screen.status_bar.update_hints if is_alone else self.show_cursor
        self._timer = self._screen.set_timer(FOLLOW_SECONDS, then)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = None

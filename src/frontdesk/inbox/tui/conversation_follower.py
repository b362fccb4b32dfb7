"""Show the conversation under the list's cursor once the cursor has rested.

The delay keeps a held key from sending more than the list's bytes.
"""

from dataclasses import dataclass

from textual.timer import Timer

from frontdesk.api.contract.ids import ConversationId
from frontdesk.inbox.tui.conversation_pane import ConversationsPane
from frontdesk.inbox.tui.customer_pane import FactsPane
from frontdesk.inbox.tui.thread_pane import ThreadPane
from frontdesk.storage.records import MessagePosition
from frontdesk.tui.base_screen import BaseScreen

FOLLOW_SECONDS = 0.15
"""How long the cursor rests on a conversation before its thread is shown."""


@dataclass(frozen=True, slots=True, eq=False)
class InboxPanes:
    """The panes of the inbox, for the objects that work on them."""

    list: ConversationsPane
    thread: ThreadPane
    facts: FactsPane


class ConversationFollower:
    """Shows the conversation under the list's cursor in the thread and customer panes."""

    def __init__(self, screen: BaseScreen, panes: InboxPanes) -> None:
        self._screen, self._panes = screen, panes
        self._follow: Timer | None = None
        self._naming: Timer | None = None
        """Names the target in the footer where no thread follows the cursor."""
        self._cursor: ConversationId | None = None
        """Where the list's cursor was when a conversation was shown last."""

    @property
    def is_following(self) -> bool:
        """Return whether a conversation is shown once the cursor has rested."""
        return self._follow is not None

    @property
    def is_at_cursor(self) -> bool:
        """Return whether the cursor is where it was when a conversation was shown last."""
        return self._panes.list.cursor == self._cursor

    def show(self, conversation_id: ConversationId | None) -> None:
        """Show a conversation's thread and facts; none where nothing is listed."""
        self.stop()
        self._cursor = self._panes.list.cursor
        if conversation_id == self._panes.thread.conversation_id:
            return
        self._panes.thread.open(conversation_id)
        self._panes.facts.open(conversation_id)
        self._screen.status_bar.update_hints()
        self._screen.post_message(BaseScreen.FocusChanged())

    def show_message(self, conversation_id: ConversationId, key: MessagePosition, words: str) -> None:
        """Show a conversation's thread at a message, with these words highlighted."""
        self.stop()
        self._cursor = self._panes.list.cursor
        self._panes.thread.open_at(conversation_id, key, words)
        self._panes.facts.open(conversation_id)
        self._screen.post_message(BaseScreen.FocusChanged())

    def show_cursor(self) -> None:
        self.show(self._panes.list.cursor)

    def catch_up(self) -> None:
        """Show the conversation under the cursor now: a key works on what the cursor is on."""
        if not self.is_at_cursor:
            self.show_cursor()

    def follow_soon(self) -> None:
        """Show the conversation under the cursor once that has rested."""
        self.stop()
        self._follow = self._screen.set_timer(FOLLOW_SECONDS, self.show_cursor)

    def name_target_soon(self) -> None:
        """Name the target in the footer once the cursor has rested."""
        self.stop()
        self._naming = self._screen.set_timer(FOLLOW_SECONDS, self._screen.status_bar.update_hints)

    def stop(self) -> None:
        for timer in (self._follow, self._naming):
            if timer is not None:
                timer.stop()
        self._follow = self._naming = None

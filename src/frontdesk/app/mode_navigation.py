"""ModeNavigation: shows the screens of the app by key, for a record of another screen, and back."""

from collections.abc import Callable, Iterable
from typing import Any

from textual.app import App

from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.context import AppContext
from frontdesk_api.contract.ids import ConversationId
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import show_line, trusted

RECORD_MODES = {"task": "board", "campaign": "campaigns", "workflow": "workflows"}


class ModeNavigation:
    """Shows modes, and remembers the one that the way back leads to.

    Args:
        screens: the screens that were opened so far.
        current_screen: the mode's own screen, below any open dialog.
        mode_shown: called soon after another mode is shown.
    """

    def __init__(
        self,
        app: App[Any],
        app_context: AppContext,
        screens: Callable[[], Iterable[BaseScreen]],
        current_screen: Callable[[], BaseScreen | None],
        mode_shown: Callable[[], object],
    ) -> None:
        self._app, self._app_context = app, app_context
        self._screens, self._current_screen, self._mode_shown = screens, current_screen, mode_shown
        self._previous_mode = ""

    @property
    def is_visit(self) -> bool:
        """Return whether the screen shows just what the mode before opened."""
        screen = self._current_screen()
        return bool(self._previous_mode) and screen is not None and screen.back_actions.is_visit

    def show_mode(self, mode: str) -> None:
        """Show a mode by its own key, from which no way leads back."""
        self._previous_mode = ""
        self._switch_to(mode)

    def navigate_back(self) -> bool:
        """Close what was opened last in the screen, or show the mode before; filters stay."""
        screen = self._current_screen()
        if screen is not None and not self.is_visit and screen.back_actions.navigate_back():
            return True
        previous, self._previous_mode = self._previous_mode, ""
        if previous:
            self._return_to(previous)
        return bool(previous)

    def return_to_first(self, first_mode: str) -> bool:
        """Show the mode that the program opened with; False where that is shown already."""
        is_elsewhere = self._app.current_mode != first_mode
        if is_elsewhere:
            self._return_to(first_mode)
        return is_elsewhere

    def show_conversation(self, conversation_id: ConversationId) -> None:
        """Show a conversation in the inbox."""
        mode = self._app.current_mode
        self._previous_mode = "" if mode == "inbox" else mode
        self._switch_to("inbox")
        self._app.call_later(self._visit_conversation, conversation_id)

    def show_record(self, about: str, record_id: str) -> None:
        """Show a task, campaign or workflow on its screen."""
        self._previous_mode = self._app.current_mode
        self._switch_to(RECORD_MODES[about])
        self._app.call_later(self._move_to_record, about, record_id)

    def _return_to(self, mode: str) -> None:
        for each in self._screens():
            each.is_returned_to = each.key_context == mode
        self._switch_to(mode)

    def _switch_to(self, mode: str) -> None:
        self._app.switch_mode(mode)
        self._app.call_later(self._mode_shown)

    def _move_to_record(self, about: str, record_id: str) -> None:
        screen = self._current_screen()
        if screen is not None and not screen.record_actions.show_record(record_id):
            back = self._app_context.key("go.back")
            words = f"The {about} {show_line(record_id, 60).text} isn't listed here. Press {back} to go back."
            notify(self._app, trusted(words), severity="warning")

    def _visit_conversation(self, conversation_id: ConversationId) -> None:
        from frontdesk.inbox.tui.screen import InboxScreen

        if isinstance(screen := self._current_screen(), InboxScreen):
            screen.navigation.visit(conversation_id)

"""Resend, discard and undo the changes of an entry; those of a bulk change are confirmed first where many."""

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from frontdesk.activity.entries import droppable_changes
from frontdesk.activity.targets import find_target
from frontdesk.activity.tui.undo_action import undo_changes
from frontdesk.outbox.labels import inline_label
from frontdesk.storage.records import NEEDS_PERSON, Change
from frontdesk.text.display_text import counted, show_line, trusted
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.content import notify
from frontdesk.tui.context import AppContext
from frontdesk.tui.futures import on_done


class EntryActions:
    """The actions on the changes under the cursor."""

    def __init__(self, screen: BaseScreen, app_context: AppContext) -> None:
        self._screen, self._app_context = screen, app_context

    def retry(self, changes: Sequence[Change]) -> None:
        """Send a change again, or the undecided ones of several."""
        outbox = self._app_context.outbox
        if len(changes) == 1:
            self._report(outbox.retry(changes[0].change_id), f"Resending: {self.describe(changes)}")
            return
        undecided = [each for each in changes if each.state in NEEDS_PERSON]
        if not undecided:
            self._warn("None of these changes needs a decision.")
            return
        words = f"Resending {counted(len(undecided), 'change')}: {self._label(changes)}"
        self._report(outbox.retry_all([each.change_id for each in undecided]), words)

    def drop(self, changes: Sequence[Change]) -> None:
        """Discard a change; of several, the unsent and undecided ones, once that is confirmed."""
        if len(changes) == 1:
            words = f"Discarded: {self.describe(changes)}"
            self._report(self._app_context.outbox.drop(changes[0].change_id), words)
            return
        found = droppable_changes(changes)
        if not found:
            self._warn("All of these changes were sent, so there's nothing to discard.")
            return
        from frontdesk.tui.dialogs.base import Answered
        from frontdesk.tui.dialogs.confirm import ConfirmDialog

        count = counted(len(found), "change")
        dialog = ConfirmDialog(
            trusted(f"Discard · {self._label(changes)}"),
            trusted(f"Discard {count} of {len(changes):,}? Their values stay as they are on the platform."),
            yes=trusted(f"Discard {count}"),
        )

        def answered(answer: object) -> None:
            if isinstance(answer, Answered):
                dropping = [self._app_context.outbox.drop(each.change_id) for each in found]
                self._report(dropping[-1], f"Discarded {count}: {self._label(changes)}")

        self._screen.app.push_screen(dialog, answered)

    def undo(self, changes: Sequence[Change]) -> None:
        """Undo these changes, or report why that isn't possible."""
        undo_changes(self._screen.app, self._app_context, [each.change_id for each in changes])

    def describe(self, changes: Sequence[Change]) -> str:
        """Return the changes in a sentence: "Status Completed on "Late delivery" for Dana Levi"."""
        target = find_target(self._app_context.store.reading, changes[0])
        label = self._label(changes).removesuffix(f" {target.who.text}")
        if len(changes) > 1:
            return f"{label} on {target.who.text} and {len(changes) - 1:,} more"
        named = f"{target.what.text} for {target.who.text}" if target.what.text else target.who.text
        return f"{label} on {named if target.conversation_id else target.who.text}"

    def _label(self, changes: Sequence[Change]) -> str:
        return inline_label(show_line(changes[0].label, 60).text)

    def _report(self, future: "Future[Any]", words: str) -> None:
        on_done(self._screen.app, future, lambda done: self._show_outcome(done.exception(), words))

    def _show_outcome(self, error: BaseException | None, words: str) -> None:
        if error is None:
            notify(self._screen.app, trusted(words), timeout_seconds=3)
        else:
            said = str(error)
            notify(self._screen.app, show_line(said[:1].upper() + said[1:]), severity="warning")

    def _warn(self, words: str) -> None:
        notify(self._screen.app, trusted(words), severity="warning")

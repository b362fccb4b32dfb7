"""The keys for notes: write one about the open conversation, take one's own back."""

from typing import Any

from frontdesk.config.actions import Undo
from frontdesk.inbox.commands import InboxCommands
from frontdesk.inbox.note_changes import NO_TEAM, NoteDraft
from frontdesk.inbox.tui.conversation_follower import ConversationFollower, InboxPanes
from frontdesk.inbox.tui.note_drafts import HandOverParts, NoteDrafts
from frontdesk.outbox.batches import ActionResult
from frontdesk.storage import record_lookup
from frontdesk.storage.record_lookup import conversation_name
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.futures import on_done
from frontdesk_api.contract.ids import ConversationId, TaskId
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import SafeText, show_line, trusted
from frontdesk_lines.privacy import IS_HIDDEN, is_private

NOT_OWN = "You can only take back your own notes; move to one in the thread first."


class NoteActions:
    """Actions on the notes of the open conversation, and on views that the team shares."""

    def __init__(
        self,
        screen: BaseScreen,
        panes: InboxPanes,
        follower: ConversationFollower,
        hand_over: HandOverParts,
    ) -> None:
        self._screen, self._panes, self._follower, self._hand_over = screen, panes, follower, hand_over
        self._store = screen.app_context.store
        self._drafts = NoteDrafts(screen)

    def run(self, name: str) -> None:
        if name == "share_view":
            from frontdesk.inbox.tui.view_sharing import share_view

            share_view(self._screen, self._panes.list)
            return
        self._follower.catch_up()
        here = self._panes.thread.conversation_id
        if self._store.profile.team is None:
            self._warn(NO_TEAM)
        elif here is None:
            self._warn("No conversation is selected.")
        elif name == "take_back":
            self._take_back()
        elif is_private():
            shows = self._screen.app_context.key("app.privacy")
            self._warn(f"{IS_HIDDEN}. To write a note, press {shows} to show them.")
        elif name == "hand_over":
            from frontdesk.inbox.tui.hand_over import HandOverFlow

            selected = self._panes.facts.tasks.cursor_key
            task = None if selected is None else record_lookup.task(self._store.reading, TaskId(selected))
            HandOverFlow(self._screen, self._drafts, self._hand_over).start(here, task)
        else:
            self._ask_note(here)

    def _ask_note(self, here: ConversationId) -> None:
        name = conversation_name(self._store.reading, here)

        from frontdesk.tui.dialogs.base import on_answer

        def write(typed: str) -> None:
            self._write(self._drafts.draft_of(here, typed))

        dialog = self._drafts.dialog(SafeText(f"Note · {name.text}", name.was_sanitized), here)
        self._screen.app.push_screen(dialog, on_answer(write))

    def _write(self, draft: NoteDraft) -> None:
        kept = self._drafts.of(draft.conversation_id)

        def done(written: Any) -> None:
            if self._failed(written):
                kept.restore(draft.text)
                return
            undo = Undo.ALWAYS.hint(self._screen.app_context.key("change.undo"))
            notify(self._screen.app, trusted(f"Note saved: {undo}."), timeout_seconds=3)
            self._panes.thread.rows.action_cursor_last()

        on_done(self._screen.app, InboxCommands(self._store).write_note(draft), done)
        kept.forget()  # now: the next note may be typed before this one is written

    def _take_back(self) -> None:
        note, me = self._panes.thread.note_at_cursor, self._store.catalogue.me
        if note is None or not (note.change_id or (me is not None and note.author == me)):
            self._warn(NOT_OWN)
            return
        taken_back = InboxCommands(self._store).take_note_back(note, self._screen.app_context.outbox)
        on_done(self._screen.app, taken_back, self._report_taken_back)

    def _report_taken_back(self, done: Any) -> None:
        if self._failed(done):
            return
        result = done.result()
        if isinstance(result, ActionResult) and result.problems:
            self._warn(f"Nothing was done: {show_line(result.problems[0], 200).text}.")
        else:
            notify(self._screen.app, trusted("Note taken back."), timeout_seconds=3)

    def _failed(self, done: Any) -> bool:
        error = done.exception()
        if error is not None:
            why = show_line(str(error), 200)
            notify(self._screen.app, trusted(f"Nothing was done: {why.text}."), severity="error")
        return error is not None

    def _warn(self, words: str) -> None:
        notify(self._screen.app, trusted(words), severity="warning")

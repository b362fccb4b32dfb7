"""The dialog for a note's text with what was typed and not saved, for notes and for hand-overs."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, NamedTuple

from frontdesk.inbox.commands import known_people
from frontdesk.inbox.note_changes import NoteDraft, clean_note, mentioned_in
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.dialog_drafts import DialogDraft
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import TaskRecord
from frontdesk.tui.base_screen import BaseScreen
from frontdesk_api.contract.ids import AgentId, ConversationId
from frontdesk_lines.display_text import SafeText

if TYPE_CHECKING:
    from frontdesk.inbox.tui.note_dialog import NoteDialog
    from frontdesk.tui.dialogs.base import Dialog

DueDialogFor = Callable[[SafeText, SafeText, str], "Dialog[object]"]
HandOver = Callable[[ProfileStore, NoteDraft, TaskRecord | None, int | None], "Future[ActionResult]"]


class HandOverParts(NamedTuple):
    """What a hand-over needs of other features.

    Attributes:
        due_dialog: makes the dialog for a due time, from its title, the due time now and what was typed before.
        do: does it, with its task, None for none, and when that is due, Unix seconds, None for as it is.
    """

    due_dialog: DueDialogFor
    do: HandOver


class NoteDrafts:
    """The texts of notes and hand-overs that were typed and not saved, by conversation."""

    def __init__(self, screen: BaseScreen) -> None:
        self._screen, self._store = screen, screen.app_context.store

    def dialog(self, title: SafeText, here: ConversationId) -> "NoteDialog":
        from frontdesk.inbox.tui.note_dialog import NoteDialog

        view, me = self._screen.app_context.view(), self._store.catalogue.me
        names = {each: name for each, name in known_people(self._store).items() if each != me}
        people = {each: view.name(each) for each in names}
        draft = self.of(here)
        dialog = NoteDialog(title, people, names, draft=draft.text)
        dialog.keep_draft(draft.keep)
        return dialog

    def draft_of(self, here: ConversationId, typed: str, to: AgentId | None = None) -> NoteDraft:
        """Return a note with whom its text mentions."""
        return NoteDraft(here, typed, mentioned_in(clean_note(typed), known_people(self._store)), to)

    def of(self, here: ConversationId) -> DialogDraft:
        return self._screen.app_context.outbox.drafts.of("note", here)

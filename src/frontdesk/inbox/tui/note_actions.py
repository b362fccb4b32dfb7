"""The keys for notes: write one about the open conversation, take one's own back, hand a conversation over."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, NamedTuple

from frontdesk.config.actions import Undo
from frontdesk.inbox.changes import NO_TEAM, NoteDraft, clean_note, mentioned_in
from frontdesk.inbox.commands import InboxCommands, known_people
from frontdesk.inbox.tui.conversation_follower import ConversationFollower, InboxPanes
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.changes import COMPLETED
from frontdesk.outbox.dialog_drafts import DialogDraft
from frontdesk.outbox.task_fields import DUE
from frontdesk.outbox.verbs import RecordChange
from frontdesk.storage import record_lookup
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.record_lookup import conversation_name, task_for_customer
from frontdesk.storage.records import TaskRecord
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.futures import await_future, on_done
from frontdesk_api.contract.ids import AgentId, ConversationId, TaskId
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import SafeText, show_line, trusted
from frontdesk_lines.privacy import IS_HIDDEN, is_private

if TYPE_CHECKING:
    from frontdesk.inbox.tui.note_dialog import NoteDialog
    from frontdesk.tui.dialog_flow import DialogFlow
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


class HandOverFlow:
    """Asks for all parts of a hand-over, then does it as one action."""

    def __init__(self, screen: BaseScreen, drafts: NoteDrafts, parts: HandOverParts) -> None:
        self._screen, self._drafts, self._parts = screen, drafts, parts
        self._store = screen.app_context.store

    def start(self, here: ConversationId, task: TaskRecord | None) -> None:
        """Ask about a conversation; the task that keys on it work on is assigned, unless it is completed."""
        from frontdesk.tui.dialog_flow import DialogFlow

        flow = DialogFlow(self._screen, "hand over", here)
        flow.start(self._steps(flow, here, task))

    async def _steps(self, flow: "DialogFlow", here: ConversationId, selected: TaskRecord | None) -> None:
        from frontdesk.inbox.tui.note_dialog import ReceiverDialog
        from frontdesk.tui.dialogs.base import Answered
        from frontdesk.tui.dialogs.picker import NamedChoice

        view, me = self._screen.app_context.view(), self._store.catalogue.me
        task = selected if selected is not None and selected.status != COMPLETED else None
        people = [each for each in known_people(self._store) if each != me]
        choices = [NamedChoice(each, view.name(each), is_found_by_id=True) for each in people]
        title = self._title("Hand over", here, task)
        draft = flow.draft.get("to", "")
        dialog = ReceiverDialog(title, choices, placeholder="To whom? Type a name", can_type=True, draft=draft)
        whom = await flow.ask(dialog, "to")
        if not isinstance(whom, Answered):
            return
        to = AgentId(whom.value)
        due: object = None
        if task is not None:
            now = "no due date" if task.due_at is None else view.when(task.due_at)
            title, draft = self._title("Due", here, task), flow.draft.get("due", "")
            answer = await flow.ask(self._parts.due_dialog(title, trusted(now), draft), "due")
            if not isinstance(answer, Answered):
                return
            due = answer.value
        name = view.person(to).text
        title, kept = self._title(f"Hand over to {name}: what's left to do?", here), self._drafts.of(here)
        note = await flow.ask(self._drafts.dialog(title, here))
        if not isinstance(note, Answered):
            return
        flow.release_keys()
        what = self._drafts.draft_of(here, note.value, to)
        doing = self._parts.do(self._store, what, task, due.fields[DUE] if isinstance(due, RecordChange) else None)
        kept.forget()  # now: a note may be typed before this is written
        if await flow.report_errors(await_future(doing)) is None:
            kept.restore(note.value)
            return
        flow.forget_draft()
        undo = Undo.ALWAYS.hint(self._screen.app_context.key("change.undo"))
        why = (
            "the selected task is completed, so it wasn't assigned"
            if selected
            else "there is no open task to assign"
        )
        unassigned = f"; {why}" if task is None else ""
        notify(self._screen.app, trusted(f"Handed over to {name}{unassigned}: {undo}."), timeout_seconds=5)

    def _title(self, words: str, here: ConversationId, task: TaskRecord | None = None) -> SafeText:
        db = self._store.reading
        name = conversation_name(db, here) if task is None else task_for_customer(db, task)
        return SafeText(f"{words} · {name.text}", name.was_sanitized)


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

"""The dialogs that hand a conversation over: to whom, until when, and a note of what is open."""

from frontdesk.config.actions import Undo
from frontdesk.inbox.commands import known_people
from frontdesk.inbox.tui.note_drafts import HandOverParts, NoteDrafts
from frontdesk.outbox.changes import COMPLETED
from frontdesk.outbox.task_fields import DUE
from frontdesk.outbox.verbs import RecordChange
from frontdesk.storage.record_lookup import conversation_name, task_for_customer
from frontdesk.storage.records import TaskRecord
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.dialog_flow import DialogFlow
from frontdesk.tui.dialogs.base import Answered
from frontdesk.tui.futures import await_future
from frontdesk_api.contract.ids import AgentId, ConversationId
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import SafeText, trusted


class HandOverFlow:
    """Asks for all parts of a hand-over, then does it as one action."""

    def __init__(self, screen: BaseScreen, drafts: NoteDrafts, parts: HandOverParts) -> None:
        self._screen, self._drafts, self._parts = screen, drafts, parts
        self._store = screen.app_context.store

    def start(self, here: ConversationId, task: TaskRecord | None) -> None:
        """Ask about a conversation; the task that keys on it work on is assigned, unless it is completed."""
        flow = DialogFlow(self._screen, "hand over", here)
        flow.start(self._steps(flow, here, task))

    async def _steps(self, flow: DialogFlow, here: ConversationId, selected: TaskRecord | None) -> None:
        from frontdesk.inbox.tui.note_dialog import ReceiverDialog
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
        doing = self._parts.do(self._store, what, task, _seconds(due))
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


def _seconds(due: object) -> int | None:
    return due.fields[DUE] if isinstance(due, RecordChange) else None

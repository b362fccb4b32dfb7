"""Snoozing the selected conversations or tasks, with the words of the due dialog, or waking them."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from frontdesk.api.contract.ids import ConversationId, TaskId
from frontdesk.outbox import snoozes
from frontdesk.outbox.bulk import bulk_title
from frontdesk.outbox.dialog_drafts import DialogDraft
from frontdesk.outbox.snooze_view import AWAKE, state_words, wish_label, wish_words
from frontdesk.outbox.snoozes import SnoozeCommands
from frontdesk.storage import record_lookup
from frontdesk.storage.platform_clock import parse_by_clock, relative_fault
from frontdesk.storage.record_lookup import conversation_name
from frontdesk.storage.records import ChangeKind
from frontdesk.tasks.tui.bulk_actions import NAMED, BulkActions, LocalChange
from frontdesk.tasks.tui.selection import Selection
from frontdesk.text import relative_time
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.text.snooze_until import SnoozeWish
from frontdesk.tui.base_screen import BaseScreen

if TYPE_CHECKING:
    from frontdesk.tui.dialogs.base import Dialog
    from frontdesk.tui.dialogs.due import DuePreview

OpenDialog = Callable[[str, Selection, Sequence[str], "Dialog[Any]", Callable[[Any], None]], None]
"""Shows a dialog and keeps what is typed into it and not sent (`TaskActions`)."""


class SnoozeActions:
    """Snoozes conversations in the inbox, and tasks on the board or where tasks are marked.

    Args:
        show_next: moves on from the rows that leave the list.
    """

    def __init__(
        self,
        screen: BaseScreen,
        bulk: BulkActions,
        open_dialog: OpenDialog,
        draft: Callable[[str, Sequence[str]], DialogDraft],
        show_next: Callable[[Selection], None],
    ) -> None:
        self._screen, self._bulk, self._open, self._draft = screen, bulk, open_dialog, draft
        self._show_next, self._store = show_next, screen.app_context.store

    def choose(self, selection: Selection) -> None:
        """Ask until when to snooze the targets."""
        from frontdesk.text.due_presets import snooze_presets
        from frontdesk.tui.dialogs.due import DueDialog, DuePreset

        kind, ids = self._targets(selection)
        if not ids:
            is_task = kind is ChangeKind.SNOOZE_TASK
            self._bulk.refuse(trusted(selection.no_task if is_task else selection.no_conversation))
            return
        now, offset = self._now(), self._store.clock_offset()
        fault = relative_fault(offset).partition("; ")[0]
        presets = [
            DuePreset(
                each.digit,
                trusted(each.label),
                trusted(relative_time.moment(each.wish.until, now) if each.wish.until else ""),
                each.wish,
            )
            for each in snooze_presets(now)
            if not fault or each.wish.until is None
        ]
        dialog = DueDialog(
            self._title(kind, ids),
            presets,
            partial(self._preview, offset),
            current=trusted(self._current(kind, ids)),
            zero="wake now",
            hint=trusted(fault or "Also wakes when they write, unless you add “only”."),
            draft=self._draft("snooze", ids).text,
        )
        self._open("snooze", selection, ids, dialog, lambda wish: self.apply(selection, wish))

    def apply(self, selection: Selection, wish: SnoozeWish) -> None:
        """Snooze the targets at once, or after a plan where they aren't just the row under the cursor."""
        kind, ids = self._targets(selection)
        words = wish_words(wish, self._now())

        def change() -> None:
            until = None if wish.until is None else wish.until.timestamp()
            done = SnoozeCommands(self._store).snooze(
                kind, ids, until, on_message=wish.on_message, label=wish_label(wish, self._now())
            )
            did = "Awake again:" if wish.is_off else f"Snoozed {words}:"
            state = "awake" if wish.is_off else f"snoozed {words}"
            self._bulk.report(done, did, self._name(kind, ids[0]), selection=selection, state=state)
            if not wish.is_off:
                self._show_next(selection)  # while the rows are still where the person saw them

        verb = "Wake" if wish.is_off else "Snooze"
        local = LocalChange(verb, words or "awake", verb, is_named=True)
        self._bulk.plan_local(selection, ids, local, f"{kind.about}s", change)

    def _targets(self, selection: Selection) -> tuple[ChangeKind, Sequence[str]]:
        marked_tasks = bool(selection.marks) and selection.marks <= set(selection.tasks)
        if self._screen.key_context == "board" or marked_tasks:
            return ChangeKind.SNOOZE_TASK, selection.tasks
        return ChangeKind.SNOOZE_CONVERSATION, selection.conversations

    def _title(self, kind: ChangeKind, ids: Sequence[str]) -> SafeText:
        names = [self._name(kind, each) for each in ids[:NAMED]]
        return bulk_title("Snooze", names, len(ids), f"{kind.about}s")

    def _name(self, kind: ChangeKind, key: str) -> SafeText:
        db = self._store.reading
        if kind is ChangeKind.SNOOZE_CONVERSATION:
            return conversation_name(db, ConversationId(key))
        task = record_lookup.task(db, TaskId(key))
        return show_line(key, 40) if task is None else self._bulk.task_name(task)

    def _current(self, kind: ChangeKind, ids: Sequence[str]) -> str:
        view = self._screen.app_context.view()
        there = {snoozes.state_of(self._store.reading, kind, each, view.now) for each in ids}
        state = there.pop() if len(there) == 1 else None
        words = "different snoozes" if there else AWAKE if state is None else state_words(state, view)
        return f"{words} (in frontdesk only)"

    def _now(self) -> datetime:
        view = self._screen.app_context.view()
        return datetime.fromtimestamp(view.now, view.zone)

    def _wish_words(self, wish: SnoozeWish) -> str:
        return wish_words(wish, self._now())

    def _preview(self, clock_offset: float | None, words: str) -> "DuePreview":
        from frontdesk.text.due_parser import DueNotUnderstood
        from frontdesk.text.snooze_parser import parse_snooze
        from frontdesk.tui.dialogs.due import DuePreview

        try:
            wish = parse_by_clock(parse_snooze, words, self._now(), clock_offset)
        except DueNotUnderstood as error:
            why, _, examples = str(error).partition("; ")
            return DuePreview(show_line(why, 120), ok=False, warning=trusted(examples))
        if wish.is_off:
            return DuePreview(trusted("awake again"), ok=True, value=wish)
        return DuePreview(trusted(self._wish_words(wish)), ok=True, value=wish, warning=trusted(wish.note))

"""The actions on tasks and conversations, with their dialogs; each keeps the ids of when it was started."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from frontdesk.config.render_context import tag_ink
from frontdesk.inbox.commands import tags_change
from frontdesk.outbox import queue as outbox_queue
from frontdesk.outbox import snoozes
from frontdesk.outbox.bulk import bulk_title
from frontdesk.outbox.change_view import conflicting_texts
from frontdesk.outbox.changes import USED_TAG
from frontdesk.outbox.dialog_drafts import DialogDraft
from frontdesk.outbox.snooze_view import AWAKE, SNOOZE_VERB, snooze_change, state_words
from frontdesk.outbox.task_fields import BODY, TITLE
from frontdesk.outbox.verbs import RecordChange, Verb, VerbContext
from frontdesk.storage import record_lookup
from frontdesk.storage.clocks import relative_fault
from frontdesk.storage.coverage import tasks_precision
from frontdesk.storage.record_lookup import task_for_customer
from frontdesk.storage.records import Change, ChangeKind, TaskRecord
from frontdesk.tasks import store as task_store
from frontdesk.tasks.commands import (
    ASSIGN_ME,
    COMPLETE,
    DUE_VERB,
    due_change,
    edit_texts,
    field_words,
    people_change,
    status_change,
)
from frontdesk.tasks.tui.bulk_actions import BulkActions
from frontdesk.tasks.tui.selection import NAMED, Selection, TargetReason, dialog_title, row_name
from frontdesk.text import relative_time
from frontdesk.text.fuzzy import UnusableWords
from frontdesk.text.snooze_until import SnoozeWish
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.futures import on_done
from frontdesk_api import json_access
from frontdesk_api.contract.ids import AgentId, ConversationId, StatusId, TagId, TaskId
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import SafeText, show_error, show_line, trusted
from frontdesk_lines.privacy import IS_HIDDEN, is_private
from frontdesk_lines.widgets.row_list import RowList

if TYPE_CHECKING:
    from frontdesk.tasks.tui.dialogs import Assignment, Edited
    from frontdesk.tui.dialogs.base import Dialog
    from frontdesk.tui.dialogs.due import DueDialog

_Preset = tuple[str, str, object, datetime | None]
"""The digit, label, answer and time of a preset."""


class TaskActions:
    """Actions on the tasks and conversations selected on a screen."""

    def __init__(
        self,
        screen: BaseScreen,
        row_lists: Callable[[], Sequence[RowList]],
        show_next: Callable[[Selection], None],
    ) -> None:
        self.bulk = BulkActions(screen, row_lists, show_next)
        self._screen, self._store = screen, screen.app_context.store
        self._by_name: dict[str, Callable[[Selection], None]] = {
            "status": self._choose_status,
            **{verb.id.removeprefix("task."): partial(self._do, verb) for verb in (COMPLETE, ASSIGN_ME)},
            "complete_next": partial(self._do, COMPLETE, shows_next=True),
            "assign": self._choose_people,
            "due": self._choose_due,
            "edit": self._edit_texts,
        }

    def run(self, name: str, select: Callable[[], Selection]) -> None:
        if name == "stop":
            self.bulk.runs.stop()
        elif name == "failures":
            self.bulk.runs.show_failures()
        elif name == "snooze":
            self._choose_snooze(select())
        elif name == "tag":
            self._choose_tags(select())
        elif (selection := self.bulk.with_tasks(select())).known:
            self._by_name[name](selection)

    def context(self) -> VerbContext:
        """Return the context of words that are typed into a dialog."""
        return VerbContext(self._screen.app_context.view(), self._store)

    def _do(self, verb: Verb, selection: Selection, *, shows_next: bool = False) -> None:
        """Do a verb that needs no words."""
        try:
            change = verb.parse("", self.context()._replace(records=selection.records))
        except UnusableWords as error:
            notify(self._screen.app, show_line(f"{error}.", 200), severity="warning")
        else:
            self.bulk.do(change._replace(leaves=shows_next), selection, is_named=False)

    def _choose_status(self, selection: Selection) -> None:
        from frontdesk.tasks.tui.dialogs import StatusChoice, StatusDialog

        counts = task_store.counts_by_status(self._store.reading)
        precision = tasks_precision(self._store.reading)
        now = [task.status for task in selection.known]
        many = len(now) > 1
        choices = [
            StatusChoice(
                each.id,
                self._screen.app_context.view().status(each.id),
                counts.get(each.id, 0),
                precision,
                of_these=trusted(f"{now.count(each.id):,} of these" if many and each.id in now else ""),
            )
            for each in self._store.catalogue.statuses(counts)
        ]
        current = now[0] if len(set(now)) == 1 else None
        dialog = StatusDialog(dialog_title(self._store.reading, "Status", selection), choices, current)
        self._ask("status", selection, dialog, lambda status, context: status_change(StatusId(status), context))

    def _choose_people(self, selection: Selection) -> None:
        from frontdesk.tasks.tui.dialogs import AssignDialog, PersonChoice

        view = self._screen.app_context.view()
        choices = [
            PersonChoice(
                person.agent_id,
                view.name(person.agent_id),
                is_me=person.is_me,
                is_on=_on_all(person.agent_id, selection.known),
                seen=_on_how_many(person.agent_id, selection.known),
            )
            for person in self._store.catalogue.people(task_store.assigned_people(self._store.reading))
        ]
        draft = self._draft("assign", selection.tasks).text
        dialog = AssignDialog(dialog_title(self._store.reading, "Assign", selection), choices, draft=draft)

        def assign(chosen: "Assignment", context: VerbContext) -> RecordChange:
            add, remove = ([*map(AgentId, people)] for people in (chosen.add, chosen.remove))
            return people_change(add, remove, context, has_several=selection.size > 1)

        self._ask("assign", selection, dialog, assign)

    def _choose_due(self, selection: Selection) -> None:
        due = {task.due_at for task in selection.known}
        view = self._screen.app_context.view()
        if len(due) > 1:
            words = "different due dates"
        else:
            current = due.pop()
            words = "no due date" if current is None else f"due {view.when(current)}"
        draft = self._draft("due", selection.tasks).text
        dialog = self.due_dialog(dialog_title(self._store.reading, "Due", selection), trusted(words), draft)
        self._ask("due", selection, dialog)

    def due_dialog(
        self, title: SafeText, current: SafeText, draft: str = "", *, keeps: bool = False
    ) -> "DueDialog":
        """Make a dialog that answers with a change of the due date; with `keeps` its 0 answers with `KEEP`."""
        from frontdesk.text.due_presets import due_presets
        from frontdesk.tui.dialogs.due import KEEP

        context, presets = self.context(), list[_Preset]()
        for each in due_presets(self.context().now):
            is_kept = keeps and each.at is None
            answer = KEEP if is_kept else due_change(each.at, context)
            presets.append((each.digit, "leave it as it is" if is_kept else each.label, answer, each.at))
        zero = "leaves it" if keeps else "clears"
        return self._time_dialog(DUE_VERB, title, presets, current=current, zero=zero, draft=draft)

    def _choose_snooze(self, selection: Selection) -> None:
        from frontdesk.text.due_presets import snooze_presets

        context, is_task = self.context(), selection.rows_are_tasks
        thing, ids = selection.of_rows(snooze_change(SnoozeWish(), context))
        if not ids:
            self.bulk.refuse(trusted(selection.no_task if is_task else selection.no_conversation))
            return
        kind = ChangeKind.SNOOZE_TASK if is_task else ChangeKind.SNOOZE_CONVERSATION
        there = {snoozes.state_of(self._store.reading, kind, each, context.view.now) for each in ids}
        state = there.pop() if len(there) == 1 else None
        words = "different snoozes" if there else AWAKE if state is None else state_words(state, context.view)
        presets = [
            (each.digit, each.label, snooze_change(each.wish, context), each.wish.until)
            for each in snooze_presets(context.now)
        ]
        dialog = self._time_dialog(
            SNOOZE_VERB,
            bulk_title(
                "Snooze", [row_name(self._store.reading, each) for each in ids[:NAMED]], len(ids), f"{thing}s"
            ),
            presets,
            current=trusted(f"{words} (in frontdesk only)"),
            zero="wake now",
            hint="Also wakes when they write, unless you add “only”.",
            draft=self._draft("snooze", ids).text,
        )
        self._ask("snooze", selection, dialog, ids=ids)

    def _time_dialog(
        self, verb: Verb, title: SafeText, presets: Iterable["_Preset"], *, hint: str = "", **options: Any
    ) -> "DueDialog":
        """Make a dialog that answers with the change that a time in words means, or with a preset's answer."""
        from frontdesk.tui.dialogs.due import DueDialog, DuePreset, DuePreview

        offset, clock = self._store.clock_offset(), self._screen.app_context.clock
        context, fault = self.context(), relative_fault(offset).partition("; ")[0]
        now, unstored = context.now, context._replace(store=None, clock_offset=offset)

        def preview(words: str) -> DuePreview:
            """Parse words in a thread, which may not read the store."""
            try:
                change = verb.parse(words, unstored._replace(view=context.view._replace(now=clock())))
            except UnusableWords as error:
                why, _, examples = str(error).partition("; ")
                return DuePreview(show_line(why, 120), ok=False, warning=trusted(examples))
            return DuePreview(trusted(change.means), ok=True, value=change, warning=trusted(change.note))

        shown = [
            DuePreset(
                digit,
                trusted(label),
                trusted(relative_time.moment(at, now) if at else ""),
                answer,
                is_past=at is not None and at < now,
            )
            for digit, label, answer, at in presets
            if not fault or at is None
        ]
        return DueDialog(title, shown, preview, hint=trusted(fault or hint), **options)

    def _edit_texts(self, selection: Selection) -> None:
        if selection.size > 1 or selection.is_elsewhere:
            clear = self._screen.app_context.key("mark.clear")
            words = f"You can only edit one task at a time. Press {clear} to clear the marks."
            self.bulk.refuse(trusted(words), severity="information")
            return
        if is_private():
            shows = self._screen.app_context.key("app.privacy")
            self.bulk.refuse(trusted(f"{IS_HIDDEN}. To edit this one, press {shows} to show them."))
            return
        from frontdesk.tasks.tui.dialogs import EditDialog

        task = selection.known[0]
        texts = {TITLE: task.title, BODY: task.body}
        activity, draft = self._screen.app_context.key("go.activity"), self._draft("edit", selection.tasks).text
        dialog = EditDialog(
            dialog_title(self._store.reading, "Edit", selection), texts, activity_key=activity, draft=draft
        )
        self._open("edit", selection, selection.tasks, dialog, lambda edited: self._edit(selection, edited))

    def _choose_tags(self, selection: Selection) -> None:
        conversations = selection.conversations
        if not conversations:
            self.bulk.refuse(trusted(TargetReason.NOT_LINKED if selection.unlinked else selection.no_conversation))
            return
        from frontdesk.tui.dialogs.picker import TagChoice, TagDialog

        view = self._screen.app_context.view()
        given = self._added_to_all(conversations)
        used = [TagId(each) for each in reversed(outbox_queue.all_kept(self._store.reading, USED_TAG))]
        choices = [
            TagChoice(
                tag.id,
                show_line(tag.title, 60),
                show_line(tag_ink(tag), 40),
                trusted(view.stamp(given[tag.id]) if tag.id in given else ""),
            )
            for tag in self._store.catalogue.tags(given, used)
        ]
        names = [row_name(self._store.reading, each) for each in conversations[:NAMED]]
        title = bulk_title("Tag", names, len(conversations), "conversations")
        undo, draft = self._screen.app_context.key("change.undo"), self._draft("tag", conversations).text
        dialog = TagDialog(title, choices, undo_key=undo, draft=draft)

        def give(tags: Sequence[str], context: VerbContext) -> RecordChange | None:
            return tags_change([TagId(each) for each in tags], context) if tags else None

        self._ask("tag", selection, dialog, give, ids=conversations)

    def _added_to_all(self, conversations: Sequence[ConversationId]) -> dict[TagId, float]:
        """Return the tags given to each of them from here, and when that was last."""
        each = [
            {tag: at for tag, at, _ in outbox_queue.added_tags(self._store.reading, one)} for one in conversations
        ]
        return {tag: at for tag, at in each[0].items() if all(tag in given for given in each)}

    def _ask(
        self,
        kind: str,
        selection: Selection,
        dialog: "Dialog[Any]",
        change_of: Callable[[Any, VerbContext], RecordChange | None] = lambda change, _: change,
        ids: Sequence[str] = (),
    ) -> None:
        """Show a dialog, and make the change that its answer means on the selection.

        Args:
            ids: of the rows, where they aren't the tasks.
        """

        def answered(answer: Any) -> None:
            if (change := change_of(answer, self.context())) is not None:
                self.bulk.do(change, selection)

        self._open(kind, selection, ids or selection.tasks, dialog, answered)

    def _open(
        self,
        kind: str,
        selection: Selection,
        ids: Sequence[str],
        dialog: "Dialog[Any]",
        done: Callable[[Any], None],
    ) -> None:
        """Show a dialog; what is typed into it and not sent is kept for the next on these ids."""
        from frontdesk.tui.dialogs.base import on_answer

        # Keys typed behind a row that went away were meant for that row.
        dialog.accepts_queued_keys &= not selection.is_displaced
        accept_cursors = self.bulk.note_cursors()

        def answered(answer: object) -> None:
            if not selection.is_elsewhere:
                accept_cursors()  # the dialog's title names them
            done(answer)

        draft = self._draft(kind, ids)
        dialog.keep_draft(draft.keep)
        self._screen.app.push_screen(dialog, on_answer(answered, draft))

    def _draft(self, kind: str, ids: Sequence[str]) -> DialogDraft:
        """Return what was typed into this dialog about these ids and not sent."""
        return self._screen.app_context.outbox.drafts.of(kind, *ids)

    def _edit(self, selection: Selection, edited: "Edited") -> None:
        task = selection.known[0]
        restore = partial(self._draft("edit", (task.task_id,)).restore, edited.draft)
        editing = edit_texts(self._store, task.task_id, edited.texts, edited.before)
        did, what = f"Edited {field_words(edited.texts)} of", task_for_customer(self._store.reading, task)
        self.bulk.report(editing, did, what, selection=selection, state="up to date", not_done=restore)


def merge_texts(screen: BaseScreen, change: Change) -> None:
    """Ask for one text out of theirs and yours of a conflict, and send it in place of yours."""
    from frontdesk.tasks.tui.dialogs import MAX_LENGTHS, MergeDialog
    from frontdesk.tui.dialogs.base import on_answer

    context, names = screen.app_context, conflicting_texts(change)
    if is_private():
        shows = context.key("app.privacy")
        notify(screen.app, trusted(f"{IS_HIDDEN}. To edit this one, press {shows} to show them."))
        return
    theirs, yours = (
        {name: json_access.text(side.get(name)) for name in names} for side in (change.theirs or {}, change.fields)
    )
    if too_long := [name for name in names if max(len(theirs[name]), len(yours[name])) > MAX_LENGTHS[name]]:
        notify(screen.app, trusted(f"Too long to edit here: {field_words(too_long)}."), severity="warning")
        return
    task = record_lookup.task(context.store.reading, TaskId(change.target))
    on = show_line(change.target, 60) if task is None else task_for_customer(context.store.reading, task)

    def merge(edited: "Edited") -> None:
        others = {name: value for name, value in change.fields.items() if name not in names}
        fields = {**others, **edited.texts}
        did = f"Edited {field_words(names)} into one text:" if fields else "Kept their version:"
        on_done(
            screen.app,
            context.outbox.retry(change.change_id, fields=fields),
            lambda done: _report_merge(screen, done.exception(), f"{did} {on.text}"),
        )

    draft = context.outbox.drafts.of("merge", str(change.change_id))
    dialog = MergeDialog(trusted(f"Edit both · {on.text}"), theirs, yours, draft=draft.text)
    dialog.keep_draft(draft.keep)
    screen.app.push_screen(dialog, on_answer(merge, draft))


def _report_merge(screen: BaseScreen, error: BaseException | None, did: str) -> None:
    if error is None:
        notify(screen.app, trusted(did), timeout_seconds=3)
    else:
        notify(screen.app, trusted(f"Nothing was done: {show_error(error).text}"), severity="error")


def _on_all(agent_id: AgentId, tasks: Sequence[TaskRecord]) -> bool | None:
    """Return whether a person is on all of the tasks; None where on some."""
    on = sum(agent_id in task.assigned for task in tasks)
    return None if 0 < on < len(tasks) else on > 0


def _on_how_many(agent_id: AgentId, tasks: Sequence[TaskRecord]) -> SafeText:
    on = sum(agent_id in task.assigned for task in tasks)
    return trusted(f"on {on:,} of {len(tasks):,}" if on and len(tasks) > 1 else "")

"""The actions on tasks and conversations, with their dialogs; each keeps the ids of when it was started."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from frontdesk.api.contract.ids import AgentId, ConversationId, StatusId, TagId
from frontdesk.config.render_context import tag_ink
from frontdesk.inbox.commands import InboxCommands
from frontdesk.outbox import queue as outbox_queue
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.bulk import bulk_title
from frontdesk.outbox.changes import COMPLETED, USED_TAG
from frontdesk.outbox.dialog_drafts import DialogDraft
from frontdesk.outbox.task_fields import BODY, STATUS, TITLE
from frontdesk.storage.coverage import tasks_precision
from frontdesk.storage.platform_clock import parse_by_clock, relative_fault
from frontdesk.storage.record_lookup import conversation_name, task_for_customer
from frontdesk.storage.records import TaskRecord
from frontdesk.tasks import store as task_store
from frontdesk.tasks.commands import (
    WHO_ARE_YOU,
    TaskChange,
    TaskCommands,
    due_change,
    field_words,
    people_change,
    status_change,
)
from frontdesk.tasks.tui.bulk_actions import NAMED, BulkActions
from frontdesk.tasks.tui.selection import Selection, Targets
from frontdesk.tasks.tui.snooze_actions import SnoozeActions
from frontdesk.text import relative_time
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.text.privacy import IS_HIDDEN, is_private
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.content import notify
from frontdesk.tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from frontdesk.tasks.tui.dialogs import Edited
    from frontdesk.tui.dialogs.base import Dialog
    from frontdesk.tui.dialogs.due import DueDialog, DuePreview


class TaskActions:
    """Actions on the tasks and conversations selected on a screen."""

    def __init__(
        self,
        screen: BaseScreen,
        row_lists: Callable[[], Sequence[RowList]],
        show_next: Callable[[Selection], None],
    ) -> None:
        """Prepare the actions of a screen.

        Args:
            row_lists: the rows that are marked and worked on.
            show_next: moves on from the row that an action on these targets has dealt with.
        """
        self.bulk = BulkActions(screen, row_lists)
        self._screen, self._store, self.show_next = screen, screen.app_context.store, show_next
        self.snooze = SnoozeActions(screen, self.bulk, self._open, self.draft, show_next)
        self._by_name: dict[str, Callable[[Targets], None]] = {
            "status": self._choose_status,
            "complete": lambda targets: self.set_status(targets, COMPLETED, is_named=False),
            "complete_next": self._complete_and_show_next,
            "assign": self._choose_people,
            "assign_me": self._assign_me,
            "due": self._choose_due,
            "edit": self._edit_texts,
        }

    def run(self, name: str, select: Callable[[], Selection]) -> None:
        """Run the action of this name in the keymap, on what `select` returns."""
        if name == "stop":
            self.bulk.runs.stop()
        elif name == "failures":
            self.bulk.runs.show_failures()
        elif name == "snooze":
            self.snooze.choose(select())
        elif name == "tag":
            self._choose_tags(select())
        elif (targets := self.targets_of(select())) is not None:
            self._by_name[name](targets)

    def _choose_status(self, targets: Targets) -> None:
        from frontdesk.tasks.tui.dialogs import StatusChoice, StatusDialog

        counts = task_store.counts_by_status(self._store.reading)
        precision = tasks_precision(self._store.reading)
        now = [task.status for task in targets.tasks]
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
        dialog = StatusDialog(self.bulk.dialog_title("Status", targets), choices, current)
        self._open(
            "status",
            targets.selection,
            targets.ids,
            dialog,
            lambda status: self.set_status(targets, StatusId(status)),
        )

    def _choose_people(self, targets: Targets) -> None:
        from frontdesk.tasks.tui.dialogs import AssignDialog, PersonChoice

        view = self._screen.app_context.view()
        choices = [
            PersonChoice(
                person.agent_id,
                view.name(person.agent_id),
                is_me=person.is_me,
                is_on=_on_all(person.agent_id, targets.tasks),
                seen=_on_how_many(person.agent_id, targets.tasks),
            )
            for person in self._store.catalogue.people(task_store.assigned_people(self._store.reading))
        ]
        draft = self.draft("assign", targets.ids).text
        dialog = AssignDialog(self.bulk.dialog_title("Assign", targets), choices, draft=draft)
        self._open(
            "assign",
            targets.selection,
            targets.ids,
            dialog,
            lambda chosen: self._assign(targets, chosen.add, chosen.remove),
        )

    def _assign_me(self, targets: Targets) -> None:
        me = self._store.catalogue.me
        if me is None:
            notify(self._screen.app, trusted(WHO_ARE_YOU), severity="warning")
            return
        self._assign(targets, [me], [], is_named=False)

    def _choose_due(self, targets: Targets) -> None:
        due = {task.due_at for task in targets.tasks}
        view = self._screen.app_context.view()
        if len(due) > 1:
            words = "different due dates"
        else:
            current = due.pop()
            words = "no due date" if current is None else f"due {relative_time.when(current, view.now, view.zone)}"
        draft = self.draft("due", targets.ids).text
        dialog = self.due_dialog(self.bulk.dialog_title("Due", targets), trusted(words), draft)
        self._open("due", targets.selection, targets.ids, dialog, lambda at: self._set_due(targets, at))

    def due_dialog(
        self, title: SafeText, current: SafeText, draft: str = "", *, keeps: bool = False
    ) -> "DueDialog":
        """Make a dialog for a due time; with `keeps` its 0 answers with `KEEP` instead of None for no time."""
        from frontdesk.text.due_presets import due_presets
        from frontdesk.tui.dialogs.due import KEEP, DueDialog, DuePreset

        now, offset = self._now(), self._store.clock_offset()
        fault = relative_fault(offset).partition("; ")[0]
        presets = [
            DuePreset(
                each.digit,
                trusted("leave it as it is" if keeps and each.at is None else each.label),
                trusted(relative_time.moment(each.at, now) if each.at else ""),
                KEEP if keeps and each.at is None else each.at,
                is_past=each.at is not None and each.at < now,
            )
            for each in due_presets(now)
            if not fault or each.at is None
        ]
        zero = "leaves it" if keeps else "clears"
        return DueDialog(
            title,
            presets,
            partial(self._preview_due, offset),
            current=current,
            zero=zero,
            hint=trusted(fault),
            draft=draft,
        )

    def _edit_texts(self, targets: Targets) -> None:
        if targets.count > 1 or targets.selection.is_elsewhere:
            clear = self._screen.app_context.key("mark.clear")
            words = f"You can only edit one task at a time. Press {clear} to clear the marks."
            self.bulk.refuse(trusted(words), severity="information")
            return
        if is_private():
            shows = self._screen.app_context.key("app.privacy")
            self.bulk.refuse(trusted(f"{IS_HIDDEN}. To edit this one, press {shows} to show them."))
            return
        from frontdesk.tasks.tui.dialogs import EditDialog

        task = targets.tasks[0]
        texts = {TITLE: task.title, BODY: task.body}
        activity, draft = self._screen.app_context.key("go.activity"), self.draft("edit", targets.ids).text
        dialog = EditDialog(self.bulk.dialog_title("Edit", targets), texts, activity_key=activity, draft=draft)
        self._open("edit", targets.selection, targets.ids, dialog, lambda edited: self._edit(targets, edited))

    def _choose_tags(self, selection: Selection) -> None:
        conversations = selection.conversations
        if not conversations:
            words = "Nothing to tag: no conversation is linked." if selection.unlinked else ""
            self.bulk.refuse(trusted(words or selection.no_conversation))
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
                trusted(relative_time.stamp(given[tag.id], view.now, view.zone) if tag.id in given else ""),
            )
            for tag in self._store.catalogue.tags(given, used)
        ]
        names = [conversation_name(self._store.reading, each) for each in conversations[:NAMED]]
        title = bulk_title("Tag", names, len(conversations), "conversations")
        undo, draft = self._screen.app_context.key("change.undo"), self.draft("tag", conversations).text
        dialog = TagDialog(title, choices, undo_key=undo, draft=draft)
        self._open("tag", selection, conversations, dialog, lambda tags: self._give_tags(selection, tags))

    def targets_of(self, selection: Selection) -> Targets | None:
        """Return the tasks of a selection; without any, report why and return None."""
        known = task_store.among(self._store.reading, selection.tasks)
        found = Targets(tuple(known[each] for each in selection.tasks if each in known), selection)
        if not found.tasks:
            self.bulk.refuse(trusted(selection.no_task))
            return None
        return found

    def _added_to_all(self, conversations: Sequence[ConversationId]) -> dict[TagId, float]:
        """Return the tags given to each of them from here, and when that was last."""
        each = [
            {tag: at for tag, at, _ in outbox_queue.added_tags(self._store.reading, one)} for one in conversations
        ]
        return {tag: at for tag, at in each[0].items() if all(tag in given for given in each)}

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

        draft = self.draft(kind, ids)
        dialog.keep_draft(draft.keep)
        self._screen.app.push_screen(dialog, on_answer(answered, draft))

    def draft(self, kind: str, ids: Sequence[str]) -> DialogDraft:
        """Return what was typed into this dialog about these ids and not sent."""
        return self._screen.app_context.outbox.drafts.of(kind, *ids)

    def set_status(self, targets: Targets, status: StatusId, *, is_named: bool = True) -> None:
        """Set the status of tasks and report it."""
        self._plan(targets, status_change(status, *self._names_of(status)), is_named=is_named)

    def _complete_and_show_next(self, targets: Targets) -> None:
        change = status_change(COMPLETED, *self._names_of(COMPLETED))

        def complete(on: Targets) -> None:
            self.apply(on, change)
            self.show_next(targets.selection)  # while the rows are still where the person saw them

        self.bulk.plan_tasks(change, targets, complete, is_named=False)

    def _names_of(self, status: StatusId) -> tuple[str, str]:
        """Return the name of a status, and the same as it is shown."""
        label = self._store.catalogue.status(status)
        return label, self._screen.app_context.view().status(status).text

    def _assign(
        self, targets: Targets, add: Sequence[str], remove: Sequence[str], *, is_named: bool = True
    ) -> None:
        view = self._screen.app_context.view()
        people = [[AgentId(each) for each in found] for found in (add, remove)]
        change = people_change(view, *people, has_several=targets.count > 1)
        self._plan(targets, change, is_named=is_named)

    def _set_due(self, targets: Targets, at: datetime | None) -> None:
        when = "" if at is None else relative_time.moment(at, self._now())
        self._plan(targets, due_change(int(at.timestamp()) if at else 0, when))

    def _plan(self, targets: Targets, change: TaskChange, *, is_named: bool = True) -> None:
        self.bulk.plan_tasks(change, targets, lambda on: self.apply(on, change), is_named=is_named)

    def apply(self, targets: Targets, change: TaskChange) -> "Future[ActionResult]":
        """Change the tasks, and report it."""
        applied = TaskCommands(self._store).apply(targets.ids, change)
        first, selection = self.first_name(targets), targets.selection
        if targets.count == 1 and targets.tasks[0].status == COMPLETED and STATUS not in change.fields:
            first = trusted(f"{first.text} (completed)")
        self.bulk.report(applied, change.did, first, selection=selection, state=change.state)
        return applied

    def _edit(self, targets: Targets, edited: "Edited") -> None:
        task = targets.tasks[0]
        restore = partial(self.draft("edit", (task.task_id,)).restore, edited.draft)
        editing = TaskCommands(self._store).edit(task.task_id, edited.texts, edited.before)
        did, what = f"Edited {field_words(edited.texts)} of", self.first_name(targets)
        self.bulk.report(editing, did, what, selection=targets.selection, state="up to date", not_done=restore)

    def _give_tags(self, selection: Selection, tags: Sequence[str]) -> None:
        tag_ids = [TagId(each) for each in tags]
        if not tag_ids:
            return
        ids = selection.conversations
        titles = [self._screen.app_context.view().tag(each) for each in tag_ids]
        did = f"Tagged {' '.join(f'#{title.text}' for title in titles)}:"
        what = conversation_name(self._store.reading, ids[0])
        self.bulk.plan_tags(
            selection,
            titles,
            lambda: self.bulk.report(
                InboxCommands(self._store).give_tags(ids, tag_ids),
                did,
                what,
                selection=selection,
                state=f"tagged {' '.join(f'#{title.text}' for title in titles)}",
                undo=self._screen.app_context.keymap["conversation.tag"].undo,
            ),
        )

    def first_name(self, targets: Targets) -> SafeText:
        """Name the first of the tasks, with its customer."""
        return task_for_customer(self._store.reading, targets.tasks[0])

    def _preview_due(self, clock_offset: float | None, words: str) -> "DuePreview":
        from frontdesk.text.due_parser import DueNotUnderstood, parse_due
        from frontdesk.tui.dialogs.due import DuePreview

        try:
            due = parse_by_clock(parse_due, words, self._now(), clock_offset)
        except DueNotUnderstood as error:
            why, _, examples = str(error).partition("; ")
            return DuePreview(show_line(why, 120), ok=False, warning=trusted(examples))
        if due.at is None:
            return DuePreview(trusted("no due date"), ok=True, value=None)
        view = self._screen.app_context.view()
        away = relative_time.distance_words(due.seconds, view.now)
        return DuePreview(
            trusted(f"{relative_time.moment(due.at, self._now())} · {away}"),
            ok=True,
            value=due.at,
            warning=trusted(due.note),
        )

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._screen.app_context.clock(), self._screen.app_context.zone)


def _on_all(agent_id: AgentId, tasks: Sequence[TaskRecord]) -> bool | None:
    """Return whether a person is on all of the tasks; None where on some."""
    on = sum(agent_id in task.assigned for task in tasks)
    return None if 0 < on < len(tasks) else on > 0


def _on_how_many(agent_id: AgentId, tasks: Sequence[TaskRecord]) -> SafeText:
    """Describe on how many of several tasks a person is."""
    on = sum(agent_id in task.assigned for task in tasks)
    return trusted(f"on {on:,} of {len(tasks):,}" if on and len(tasks) > 1 else "")

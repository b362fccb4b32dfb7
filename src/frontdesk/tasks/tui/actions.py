"""What a person does to tasks and conversations: the dialogs, bound to ids when they open.

A screen that has tasks mixes it in and says what its keys work on; what is done goes to `app.services`,
and the toast says how to take it back.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from frontdesk.activity.view.target_name import task_for_customer
from frontdesk.api.contract.ids import AgentId, ConversationId, StatusId, TagId, TaskId
from frontdesk.outbox import bulk_progress_view
from frontdesk.outbox.commands import COMPLETED, due_fields, people_fields, status_fields
from frontdesk.storage.records import Connection, TaskRecord
from frontdesk.tasks.tui.bulk_actions import DISPLACED, NAMED, Bulk, Selection, Targets
from frontdesk.text import relative_time
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.tui.content import notify
from frontdesk.tui.context import AppContext
from frontdesk.tui.keymap import Keymap

if TYPE_CHECKING:
    from frontdesk.tasks.tui.edit_dialog import Edited
    from frontdesk.tui.dialogs.base import Dialog
    from frontdesk.tui.dialogs.due import DuePreview


class TaskActions(Bulk):
    """Actions on tasks and conversations, for a `BaseScreen`."""

    def __init__(self, app_context: AppContext, keymap: Keymap) -> None:
        super().__init__(app_context, keymap)
        self._drafts: dict[tuple[str, tuple[str, ...]], str] = {}
        """What was typed and not sent, by the dialog and the ids that it was opened on."""

    def selection(self) -> Selection:
        """What a key works on now; every key of this screen that changes something asks here."""
        raise NotImplementedError

    def task_targets(self) -> tuple[TaskId, ...]:
        """The tasks that a key works on now."""
        return self.selection().tasks

    def conversation_targets(self) -> tuple[ConversationId, ...]:
        """The conversations that a key works on now."""
        return self.selection().conversations

    def no_task_words(self) -> str:
        """Why there is no task to work on."""
        return self.loading_words() or "No task is selected."

    def no_conversation_words(self) -> str:
        """Why there is no conversation to work on."""
        return self.loading_words() or "No conversation is selected."

    def loading_words(self) -> str:
        """That rows aren't there to be selected yet; empty where the platform's were read once."""
        health = self._services.queries.health()
        if health.fresh_at is not None:
            return ""
        is_coming = health.state in (Connection.STARTING, Connection.LIVE, Connection.WAITING)
        return "The list is still loading." if is_coming else "Nothing could be read yet."

    def action_status(self) -> None:
        if (targets := self._targets()) is None:
            return
        from frontdesk.tasks.tui.status_dialog import StatusChoice, StatusDialog

        counts = self._services.queries.task_counts()
        now = [task.status for task in targets.tasks]
        many = len(now) > 1
        choices = [
            StatusChoice(
                each.id,
                show_line(each.name, 40),
                counts.get(each.id, 0),
                of_these=trusted(f"{now.count(each.id):,} of these" if many and each.id in now else ""),
            )
            for each in self._services.catalogue.statuses(counts)
        ]
        current = now[0] if len(set(now)) == 1 else None
        dialog = StatusDialog(self.dialog_title("Status", targets), choices, current)
        self._open(
            "status",
            targets.chosen,
            targets.ids,
            dialog,
            lambda status: self.set_status(targets, StatusId(status)),
        )

    def action_complete(self) -> None:
        if (targets := self._targets()) is not None:
            self.set_status(targets, COMPLETED, is_named=False)

    def action_assign(self) -> None:
        if (targets := self._targets()) is None:
            return
        from frontdesk.tasks.tui.assign_dialog import AssignDialog, PersonChoice

        choices = [
            PersonChoice(
                person.agent_id,
                show_line(person.name, 60),
                is_me=person.is_me,
                is_on=_on_all(person.agent_id, targets.tasks),
                seen=_on_how_many(person.agent_id, targets.tasks),
            )
            for person in self._services.catalogue.people(self._services.queries.people_seen())
        ]
        dialog = AssignDialog(
            self.dialog_title("Assign", targets), choices, draft=self._draft("assign", targets.ids)
        )
        self._open(
            "assign",
            targets.chosen,
            targets.ids,
            dialog,
            lambda chosen: self._assign(targets, chosen.add, chosen.remove),
        )

    def action_assign_me(self) -> None:
        if (targets := self._targets()) is None:
            return
        me = self._services.catalogue.me
        if me is None:
            words = "Who are you? Set agent_id in the profile, or FRONTDESK_AGENT_ID."
            notify(self.app, trusted(words), severity="warning")
            return
        self._assign(targets, [me], [], is_named=False)

    def action_due(self) -> None:
        if (targets := self._targets()) is None:
            return
        from frontdesk.text.due_presets import due_presets
        from frontdesk.tui.dialogs.due import DueDialog, DuePreset

        now = self._now()
        presets = [
            DuePreset(
                each.digit,
                trusted(each.label),
                trusted(relative_time.moment(each.at, now) if each.at else ""),
                each.at,
                is_past=each.at is not None and each.at < now,
            )
            for each in due_presets(now)
        ]
        due = {task.due_at for task in targets.tasks}
        view = self.app_context.view()
        if len(due) > 1:
            words = "at different times"
        else:
            current = due.pop()
            words = "no due date" if current is None else f"due {relative_time.when(current, view.now, view.zone)}"
        draft = self._draft("due", targets.ids)
        title = self.dialog_title("Due", targets)
        dialog = DueDialog(title, presets, self._preview_due, current=trusted(words), draft=draft)
        self._open("due", targets.chosen, targets.ids, dialog, lambda at: self._set_due(targets, at))

    def action_edit(self) -> None:
        if (targets := self._targets()) is None:
            return
        if targets.count > 1 or targets.chosen.is_elsewhere:
            clear = self.app_context.key("mark.clear")
            words = f"Title and body are edited on the task under the cursor alone; {clear} takes the marks off."
            self.refuse(trusted(words), severity="information")
            return
        from frontdesk.tasks.tui.edit_dialog import BODY, TITLE, EditDialog

        task = targets.tasks[0]
        texts = {TITLE: task.title, BODY: task.body}
        activity, draft = self.app_context.key("go.activity"), self._draft("edit", targets.ids)
        dialog = EditDialog(self.dialog_title("Edit", targets), texts, activity_key=activity, draft=draft)
        self._open("edit", targets.chosen, targets.ids, dialog, lambda edited: self._edit(targets, edited))

    def action_tag(self) -> None:
        chosen = self.selection()
        conversations = chosen.conversations
        if not conversations:
            words = "No conversation is selected: the task is linked to none." if chosen.unlinked else ""
            self.refuse(trusted(words or self.no_conversation_words()))
            return
        from frontdesk.outbox.commands import USED_TAG
        from frontdesk.tui.dialogs.tags import TagChoice, TagDialog

        view = self.app_context.view()
        given = self._given_to_all(conversations)
        used = [TagId(each) for each in reversed(self._services.queries.all_kept(USED_TAG))]
        choices = [
            TagChoice(
                tag.id,
                show_line(tag.title, 60),
                show_line(tag.color, 40),
                trusted(relative_time.stamp(given[tag.id], view.now, view.zone) if tag.id in given else ""),
            )
            for tag in self._services.catalogue.tags(given, used)
        ]
        names = [self.conversation_name(each) for each in conversations[:NAMED]]
        title = bulk_progress_view.named("Tag", names, len(conversations), "conversations")
        undo, draft = self.app_context.key("change.undo"), self._draft("tag", conversations)
        dialog = TagDialog(title, choices, undo_key=undo, draft=draft)
        self._open("tag", chosen, conversations, dialog, lambda tags: self._give_tags(chosen, tags))

    def _targets(self) -> Targets | None:
        """What a key works on now, or None after it was said that there is nothing."""
        chosen = self.selection()
        known = self._services.queries.tasks_among(chosen.tasks)
        found = Targets(tuple(known[each] for each in chosen.tasks if each in known), chosen)
        if not found.tasks:
            self.refuse(trusted(self.no_task_words()))
            return None
        return found

    def _given_to_all(self, conversations: Sequence[ConversationId]) -> dict[TagId, float]:
        """Tags that were given from here to each of them, and when that was last."""
        each = [{tag: at for tag, at, _ in self._services.queries.tags_given(one)} for one in conversations]
        return {tag: at for tag, at in each[0].items() if all(tag in given for given in each)}

    def _open(
        self,
        kind: str,
        chosen: Selection,
        ids: Sequence[str],
        dialog: "Dialog[Any]",
        done: Callable[[Any], None],
    ) -> None:
        """Show a dialog; what was typed into one that is closed with Esc is kept for the next on these ids."""
        from frontdesk.tui.dialogs.base import Closed

        # Keys typed behind a row that went away were meant for that row.
        dialog.takes_typed_ahead &= chosen.doubt != DISPLACED
        self.accept_cursors()  # the dialog's title names them
        meant_for = (kind, tuple(ids))

        def answered(result: Any) -> None:
            self._drafts.pop(meant_for, None)
            if isinstance(result, Closed):
                if result.draft:
                    self._drafts[meant_for] = result.draft
            elif result is not None:
                done(result.value)

        self.app.push_screen(dialog, answered)

    def _draft(self, kind: str, ids: Sequence[str]) -> str:
        """What was typed and not sent, where it was meant for these; another's is nobody else's."""
        return self._drafts.get((kind, tuple(ids)), "")

    def set_status(self, targets: Targets, status: StatusId, *, is_named: bool = True) -> None:
        """Put tasks into a status and say so."""
        name = show_line(self._services.catalogue.status(status), 40).text
        did = name if status == COMPLETED else f"→ {name}:"
        deed = "Complete" if status == COMPLETED else f"Status → {name}"
        state = "completed" if status == COMPLETED else f"in {name}"
        self.plan_tasks(
            deed,
            targets,
            status_fields(status),
            lambda on: self.say(
                self._services.set_status(on.ids, status), did, self._first_of(on), chosen=on.chosen, state=state
            ),
            state=state,
            is_named=is_named,
        )

    def _assign(
        self, targets: Targets, add: Sequence[str], remove: Sequence[str], *, is_named: bool = True
    ) -> None:
        on, off = [AgentId(each) for each in add], [AgentId(each) for each in remove]
        names = self.app_context.view().person
        did = [f"Assigned to {', '.join(names(each).text for each in on)}"] if on else []
        did += [f"took off {', '.join(names(each).text for each in off)}"] if off else []
        words = ", ".join(did)
        words = f"{words[:1].upper()}{words[1:]}:"
        states = [f"assigned to {', '.join(names(each).text for each in on)}"] if on else []
        states += [f"not assigned to {', '.join(names(each).text for each in off)}"] if off else []
        state = " and ".join(states)
        self.plan_tasks(
            "Assign",
            targets,
            people_fields(on, off),
            lambda these: self.say(
                self._services.assign(these.ids, on, off),
                words,
                self._first_of(these),
                chosen=these.chosen,
                state=state,
            ),
            state=state,
            is_named=is_named,
        )

    def _set_due(self, targets: Targets, at: datetime | None) -> None:
        words = "no due date" if at is None else f"due {relative_time.moment(at, self._now())}"
        value = int(at.timestamp()) if at else 0
        did = words[:1].upper() + words[1:]
        state = words if at else "without a due date"
        self.plan_tasks(
            did,
            targets,
            due_fields(value),
            lambda on: self.say(
                self._services.set_due(on.ids, value, words),
                f"{did}:",
                self._first_of(on),
                chosen=on.chosen,
                state=state,
            ),
            state=state,
        )

    def _edit(self, targets: Targets, edited: "Edited") -> None:
        task = targets.tasks[0]

        def keep() -> None:
            self._drafts[("edit", (task.task_id,))] = edited.draft

        editing = self._services.edit(task.task_id, edited.texts, edited.before)
        did = f"Edited {' and '.join(edited.texts)} of"
        what, state = self._first_of(targets), "worded like this"
        self.say(editing, did, what, chosen=targets.chosen, state=state, not_done=keep)

    def _give_tags(self, chosen: Selection, tags: Sequence[str]) -> None:
        tag_ids = [TagId(each) for each in tags]
        if not tag_ids:
            return
        ids = chosen.conversations
        titles = [show_line(self._services.catalogue.tag(each).title, 40) for each in tag_ids]
        did = f"Tagged {' '.join(f'#{title.text}' for title in titles)}:"
        what = self.conversation_name(ids[0])
        self.plan_tags(
            chosen,
            titles,
            lambda: self.say(
                self._services.give_tags(ids, tag_ids),
                did,
                what,
                chosen=chosen,
                state=f"tagged {' '.join(f'#{title.text}' for title in titles)}",
                back=f"sent in 5 s, {self.app_context.key('change.undo')} takes it back",
            ),
        )

    def _first_of(self, targets: Targets) -> SafeText:
        """The first of the tasks that an action is on, with its customer."""
        return task_for_customer(self._services.queries, targets.tasks[0])

    def _preview_due(self, words: str) -> "DuePreview":
        from frontdesk.text.due_parser import DueNotUnderstood, parse_due
        from frontdesk.tui.dialogs.due import DuePreview

        try:
            due = parse_due(words, self._now())
        except DueNotUnderstood as error:
            why, _, examples = str(error).partition("; ")
            return DuePreview(show_line(why, 120), ok=False, warning=trusted(examples))
        if due.at is None:
            return DuePreview(trusted("no due date"), ok=True, value=None)
        view = self.app_context.view()
        away = relative_time.away(due.seconds, view.now)
        return DuePreview(
            trusted(f"{relative_time.moment(due.at, self._now())} · {away}"),
            ok=True,
            value=due.at,
            warning=trusted(due.note),
        )

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self.app_context.clock(), self.app_context.zone)


def _on_all(agent_id: AgentId, tasks: Sequence[TaskRecord]) -> bool | None:
    """Whether a person is on all of the tasks; None where on some."""
    on = sum(agent_id in task.assigned for task in tasks)
    return None if 0 < on < len(tasks) else on > 0


def _on_how_many(agent_id: AgentId, tasks: Sequence[TaskRecord]) -> SafeText:
    """Of many tasks, on how many a person is."""
    on = sum(agent_id in task.assigned for task in tasks)
    return trusted(f"on {on:,} of {len(tasks):,}" if on and len(tasks) > 1 else "")

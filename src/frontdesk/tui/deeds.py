"""What a person does to tasks and conversations: the dialogs, bound to ids when they open.

A screen that has tasks mixes it in and says what its keys work on; what is done goes to `Desk`,
and the toast says how to take it back.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import datetime
from typing import TYPE_CHECKING, Any

from frontdesk.contract.ids import AgentId, ConversationId, StatusId, TagId, TaskId
from frontdesk.desk.desk import Desk, Done
from frontdesk.present import times
from frontdesk.store.records import TaskRecord
from frontdesk.text import Shown, own, show_line
from frontdesk.tui.room import Room
from frontdesk.tui.safe import notify

if TYPE_CHECKING:
    from textual.screen import Screen

    from frontdesk.tui.dialogs.due import DuePreview
    from frontdesk.tui.dialogs.edit import Edited

    _Base = Screen[None]
else:
    _Base = object

COMPLETED = StatusId("completed")

ASK_ABOVE = 10
"""A deed on more than so many at once is asked about: `V` and one more key reach them all."""


class Deeds(_Base):
    """Actions on tasks and conversations, for a `DeskScreen`."""

    room: Room

    def task_targets(self) -> tuple[TaskId, ...]:
        """The tasks that a key works on now."""
        raise NotImplementedError

    def conversation_targets(self) -> tuple[ConversationId, ...]:
        """The conversations that a key works on now."""
        raise NotImplementedError

    def conversation_name(self, conversation_id: ConversationId) -> Shown:
        """What to call a conversation."""
        raise NotImplementedError

    def no_task_words(self) -> str:
        """Why there is no task to work on."""
        return "No task is chosen."

    def action_status(self) -> None:
        if not (tasks := self._tasks()):
            return
        from frontdesk.tui.dialogs.status import StatusChoice, StatusDialog

        ids = [task.task_id for task in tasks]
        counts = self._desk.reads.task_counts()
        choices = [
            StatusChoice(each.id, show_line(each.name, 40), counts.get(each.id, 0))
            for each in self._desk.catalogue.statuses(counts)
        ]
        current = {task.status for task in tasks}
        dialog = StatusDialog(self._title("Status", tasks), choices, current.pop() if len(current) == 1 else None)
        self._open("status", ids, dialog, lambda status: self.set_status(ids, StatusId(status)))

    def action_complete(self) -> None:
        if tasks := self._tasks():
            self.set_status([task.task_id for task in tasks], COMPLETED)

    def action_assign(self) -> None:
        if not (tasks := self._tasks()):
            return
        from frontdesk.tui.dialogs.assign import AssignDialog, PersonChoice

        ids = [task.task_id for task in tasks]
        catalogue = self._desk.catalogue
        choices = [
            PersonChoice(
                person.agent_id,
                show_line(person.name, 60),
                is_me=person.is_me,
                is_on=_on_all(person.agent_id, tasks),
            )
            for person in catalogue.people(self._desk.reads.people_seen())
        ]
        dialog = AssignDialog(self._title("Assign", tasks), choices, draft=self._draft("assign", ids))
        self._open("assign", ids, dialog, lambda chosen: self._assign(ids, chosen.add, chosen.remove))

    def action_assign_me(self) -> None:
        if not (tasks := self._tasks()):
            return
        me = self._desk.catalogue.me
        if me is None:
            words = "Who are you? Set agent_id in the profile, or FRONTDESK_AGENT_ID."
            notify(self.app, own(words), severity="warning")
            return
        self._assign([task.task_id for task in tasks], [me], [])

    def action_due(self) -> None:
        if not (tasks := self._tasks()):
            return
        from frontdesk.desk.presets import due_presets
        from frontdesk.tui.dialogs.due import DueDialog, DuePreset

        ids = [task.task_id for task in tasks]
        presets = [
            DuePreset(each.digit, own(each.label), own(_moment(each.at) if each.at else ""), each.at)
            for each in due_presets(self._now())
        ]
        due = {task.due_at for task in tasks}
        current = due.pop() if len(due) == 1 else None
        view = self.room.view()
        words = "" if current is None else f"now due {times.when(current, view.now, view.zone)}"
        draft = self._draft("due", ids)
        dialog = DueDialog(self._title("Due", tasks), presets, self._preview_due, current=own(words), draft=draft)
        self._open("due", ids, dialog, lambda at: self._set_due(ids, at))

    def action_edit(self) -> None:
        tasks = self._tasks()
        if len(tasks) > 1:
            notify(self.app, own("Title and body are edited on one task alone; esc takes the marks off."))
            return
        if not tasks:
            return
        from frontdesk.tui.dialogs.edit import BODY, TITLE, EditDialog

        task = tasks[0]
        texts = {TITLE: task.title, BODY: task.body}
        dialog = EditDialog(self._title("Edit", tasks), texts, draft=self._draft("edit", [task.task_id]))
        self._open("edit", [task.task_id], dialog, lambda edited: self._edit(task.task_id, edited))

    def action_tag(self) -> None:
        conversations = self.conversation_targets()
        if not conversations:
            notify(self.app, own("No conversation is chosen."), severity="warning")
            return
        from frontdesk.tui.dialogs.tags import TagChoice, TagDialog

        view = self.room.view()
        given = {tag: at for each in conversations for tag, at, _ in self._desk.reads.tags_given(each)}
        choices = [
            TagChoice(
                tag.id,
                show_line(tag.title, 60),
                show_line(tag.color, 20),
                own(f"given {times.stamp(given[tag.id], view.now, view.zone)}" if tag.id in given else ""),
            )
            for tag in self._desk.catalogue.tags(given)
        ]
        what = self.conversation_name(conversations[0]).text
        title = own(f"Tag · {what}" if len(conversations) == 1 else f"Tag · {len(conversations)} conversations")
        dialog = TagDialog(title, choices, draft=self._draft("tag", conversations))
        self._open("tag", conversations, dialog, lambda tags: self._give_tags(conversations, tags))

    @property
    def _desk(self) -> Desk:
        return self.room.desk

    def _tasks(self) -> list[TaskRecord]:
        found = [task for each in self.task_targets() if (task := self._desk.reads.task(each)) is not None]
        if not found:
            notify(self.app, own(self.no_task_words()), severity="warning")
        return found

    def _title(self, deed: str, tasks: Sequence[TaskRecord]) -> Shown:
        what = show_line(tasks[0].title or "(no title)", 40).text
        return own(f"{deed} · {what}" if len(tasks) == 1 else f"{deed} · {len(tasks)} tasks")

    def _open(self, kind: str, ids: Sequence[str], dialog: Any, done: Callable[[Any], None]) -> None:
        """Show a dialog; what was typed into one that is closed with Esc is kept for the next on these ids."""
        from frontdesk.tui.dialogs.dialog import Closed

        meant_for = (kind, tuple(ids))

        def answered(result: Any) -> None:
            self._drafts.pop(meant_for, None)
            if isinstance(result, Closed):
                if result.draft:
                    self._drafts[meant_for] = result.draft
            elif result is not None:
                done(result.value)

        self.app.push_screen(dialog, answered)

    @property
    def _drafts(self) -> dict[tuple[str, tuple[str, ...]], str]:
        drafts: dict[tuple[str, tuple[str, ...]], str] | None = self.__dict__.get("_kept_drafts")
        if drafts is None:
            drafts = self.__dict__["_kept_drafts"] = {}
        return drafts

    def _draft(self, kind: str, ids: Sequence[str]) -> str:
        """What was typed and not sent, where it was meant for these; another's is nobody else's."""
        return self._drafts.get((kind, tuple(ids)), "")

    def _once_sure(self, question: str, count: int, then: Callable[[], None]) -> None:
        """Ask first where a deed is on many."""
        if count <= ASK_ABOVE:
            then()
            return
        from frontdesk.tui.dialogs.confirm import ConfirmDialog
        from frontdesk.tui.dialogs.dialog import Done as Answered

        dialog = ConfirmDialog(own(f"{count:,} at once"), own(question), yes=own(f"Yes, all {count:,}"))
        self.app.push_screen(dialog, lambda answer: then() if isinstance(answer, Answered) else None)

    def set_status(self, ids: Sequence[TaskId], status: StatusId) -> None:
        """Put tasks into a status and say so."""
        name = self._desk.catalogue.status(status)
        self._once_sure(
            f"Set {len(ids):,} tasks to {show_line(name, 40).text}?",
            len(ids),
            lambda: self._say(self._desk.set_status(ids, status), f"→ {name}"),
        )

    def _assign(self, ids: Sequence[TaskId], add: Sequence[str], remove: Sequence[str]) -> None:
        on, off = [AgentId(each) for each in add], [AgentId(each) for each in remove]
        self._once_sure(
            f"Change who is on {len(ids):,} tasks?",
            len(ids),
            lambda: self._say(self._desk.assign(ids, on, off), "assigned"),
        )

    def _set_due(self, ids: Sequence[TaskId], at: datetime | None) -> None:
        words = "no due date" if at is None else f"due {_moment(at)}"
        value = int(at.timestamp()) if at else 0
        self._once_sure(
            f"Set {len(ids):,} tasks to {words}?",
            len(ids),
            lambda: self._say(self._desk.set_due(ids, value, words), words),
        )

    def _edit(self, task_id: TaskId, edited: "Edited") -> None:
        def keep() -> None:
            self._drafts[("edit", (task_id,))] = edited.draft

        self._say(self._desk.edit(task_id, edited.texts, edited.before), "edited", not_done=keep)

    def _give_tags(self, ids: Sequence[ConversationId], tags: Sequence[str]) -> None:
        chosen = [TagId(each) for each in tags]
        if chosen:
            self._once_sure(
                f"Give {len(chosen)} tag{'s' * (len(chosen) > 1)} to {len(ids):,} conversations? "
                "Tags can't be taken off.",
                len(ids),
                lambda: self._say(self._desk.give_tags(ids, chosen), "tagged; sent in 5 s"),
            )

    def _say(self, future: "Future[Done]", words: str, not_done: Callable[[], None] = lambda: None) -> None:
        """Say what was done once it is in the outbox, which is at once, or why it could not be."""
        future.add_done_callback(lambda finished: self.app.call_later(self._said, finished, words, not_done))

    def _said(self, finished: "Future[Done]", words: str, not_done: Callable[[], None]) -> None:
        error = finished.exception()
        if error is not None:
            not_done()
            notify(self.app, own(f"Not done: {show_line(str(error)).text}"), severity="error")
            return
        done = finished.result()
        for problem in done.problems:
            notify(self.app, show_line(problem), severity="warning")
        if not done.count:
            if not done.problems:
                notify(self.app, own("It is so already."))
            return
        what = "" if done.count == 1 else f"{done.count} "
        notify(self.app, own(f"{what}{words} · {self.room.key('change.undo')} undoes it"), timeout_seconds=3)

    def _preview_due(self, words: str) -> "DuePreview":
        from frontdesk.desk.due import DueNotUnderstood, parse_due
        from frontdesk.tui.dialogs.due import DuePreview

        try:
            due = parse_due(words, self._now())
        except DueNotUnderstood as error:
            return DuePreview(show_line(str(error), 120), ok=False)
        if due.at is None:
            return DuePreview(own("no due date"), ok=True, value=None)
        past = " · in the past" if due.is_past else ""
        return DuePreview(own(f"{_moment(due.at)}{past}"), ok=True, value=due.at)

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self.room.clock(), self.room.zone)


def _on_all(agent_id: AgentId, tasks: Sequence[TaskRecord]) -> bool | None:
    """Whether a person is on all of the tasks; None where on some."""
    on = sum(agent_id in task.assigned for task in tasks)
    return None if 0 < on < len(tasks) else on > 0


def _moment(at: datetime) -> str:
    return f"{at:%a} {at.day} {at:%b %H:%M} {at.tzname() or ''}".strip()

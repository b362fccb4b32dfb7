"""Deeds on many at the keys: the plan first, what was done in words, stopping, and what failed.

`Deeds` is built on it; what one deed works on is bound when its key is pressed.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from frontdesk.contract.ids import ConversationId, TaskId
from frontdesk.desk.bulk import Plan, cost
from frontdesk.desk.desk import Desk, Done
from frontdesk.desk.undoing import Stopped
from frontdesk.present import runs
from frontdesk.present.lines import Line, Role, Span, span
from frontdesk.present.workflow_changes import APART
from frontdesk.store.records import Change, ChangeKind, ChangeState, TaskRecord
from frontdesk.text import Shown, own, show_line
from frontdesk.tui.room import Room
from frontdesk.tui.safe import notify
from frontdesk.tui.settled import when_settled

if TYPE_CHECKING:
    from frontdesk.tui.dialogs.failures import Chosen
    from frontdesk.tui.dialogs.plan import PlanRow
    from frontdesk.tui.screens.desk_screen import DeskScreen

    _Base = DeskScreen
else:
    _Base = object

NAMED = 3
"""So many names of many stand in a title."""

NO_TASK = "no task is known"


@dataclass(frozen=True, slots=True)
class Targets:
    """What a key works on: tasks, and marked conversations that have none."""

    tasks: tuple[TaskRecord, ...]
    taskless: tuple[ConversationId, ...] = ()

    @property
    def ids(self) -> tuple[TaskId, ...]:
        """The tasks' ids, in the order shown."""
        return tuple(task.task_id for task in self.tasks)

    @property
    def count(self) -> int:
        """How many things were marked."""
        return len(self.tasks) + len(self.taskless)


class Bulk(_Base):
    """What deeds on one and on many share, for a `DeskScreen`."""

    room: Room
    _stopped_batch = ""

    def conversation_name(self, conversation_id: ConversationId) -> Shown:
        """What to call a conversation."""
        raise NotImplementedError

    @property
    def _desk(self) -> Desk:
        return self.room.desk

    def action_stop_run(self) -> None:
        """Stop the deed that the status line speaks of."""
        if not self.running_batch:
            notify(self.app, own("Nothing runs on many."), timeout_seconds=2)
            return
        self._stopped_batch = self.running_batch
        when_settled(self.app, self._desk.stop(self.running_batch), self._stopped)

    def action_failures(self) -> None:
        """List what the platform did not take of the newest deed with any."""
        found = self._desk.reads.failures()
        if not found:
            notify(self.app, own("Nothing failed that waits to be decided."), timeout_seconds=2)
            return
        from frontdesk.tui.dialogs.failures import FailuresDialog

        label = show_line(found[0].label, 40).text
        over = any(change.state is ChangeState.CONFLICT for change in found)
        words = (
            "Sent again, yours goes over what someone else wrote in a conflict."
            if over
            else "Nothing of it is sent."
        )
        dialog = FailuresDialog(
            own(f"{len(found):,} failed · {label}"),
            [self._failure(change) for change in found],
            says=(span(words, Role.DIM),),
        )
        self.app.push_screen(dialog, lambda answer: self._failure_chosen(getattr(answer, "value", None)))

    def run_ended(self, batch: str) -> None:
        """Say how a deed on many ended; failures stay until they are decided."""
        confirmed, failed = self._desk.reads.run_outcome(batch)
        was_stopped, self._stopped_batch = batch == self._stopped_batch, ""
        if failed:
            key = self.keymap["bulk.failures"].shown_key
            words = f"{failed:,} of {confirmed + failed:,} failed · {key} lists them"
            notify(self.app, own(words), severity="warning", timeout_seconds=10)
        elif confirmed and not was_stopped:
            notify(self.app, own(f"All {confirmed:,} sent."), timeout_seconds=3)

    def plan_tasks(
        self, deed: str, targets: Targets, fields: Mapping[str, Any], then: Callable[[Sequence[TaskId]], None]
    ) -> None:
        """Do it on one at once; on many show first what would become of each."""
        if targets.count == 1:
            then(targets.ids)
            return
        plan = self._desk.plan(targets.ids, fields)
        if not plan.will:
            notify(self.app, own(f"Nothing to change: {_the_others(plan, targets)}."))
            return
        from frontdesk.tui.dialogs.plan import PlanRow

        known = {task.task_id: task for task in targets.tasks}
        already, view = set(plan.already), self.room.view()

        def row(key: str) -> "PlanRow":
            task = known.get(TaskId(key))
            if task is None:
                return PlanRow(self.conversation_name(ConversationId(key)), (span(NO_TASK, Role.WARN),))
            if task.task_id in plan.gone:
                return PlanRow(self.task_name(task), (span("gone", Role.WARN),))
            if task.task_id in already:
                return PlanRow(self.task_name(task), (span("so already", Role.DIM),))
            return PlanRow(self.task_name(task), runs.becomes(task, fields, view))

        self._show_plan(
            own(f"{deed} · {targets.count:,} marked"),
            _in_numbers(plan, targets),
            ChangeKind.TASK,
            [*targets.taskless, *plan.gone, *plan.will, *plan.already],
            row,
            lambda: then(targets.ids),
            count=len(plan.will),
        )

    def plan_tags(self, ids: Sequence[ConversationId], tags: Sequence[Shown], then: Callable[[], None]) -> None:
        """Give tags to one at once; to many after a look, since nothing takes them off again."""
        if len(ids) == 1:
            then()
            return
        from frontdesk.tui.dialogs.plan import PlanRow

        undo = self.room.key("change.undo")
        gives = tuple(part for tag in tags for part in (span(" +#", Role.GOOD), Span(tag, Role.GOOD)))
        self._show_plan(
            own(f"Tag · {len(ids):,} conversations"),
            (span(f"{len(ids):,} conversations", Role.STRONG), span(" get", Role.DIM), *gives),
            ChangeKind.TAGS,
            ids,
            lambda key: PlanRow(self.conversation_name(ConversationId(key)), gives),
            then,
            count=len(ids),
            cannot_undo=[own(f"Once sent, tags can't be taken off; {undo} within 5 s takes them back.")],
        )

    def task_name(self, task: TaskRecord) -> Shown:
        """A task by its title, and whose it is."""
        title = show_line(task.title or "(no title)", 40).text
        whose = show_line(task.customer_name, 30).text
        return own(f"{title} ({whose})" if whose else title)

    def dialog_title(self, deed: str, targets: Targets) -> Shown:
        """A dialog's title: one task's own, or how many and the first ones'."""
        if targets.count == 1:
            return own(f"{deed} · {self.task_name(targets.tasks[0]).text}")
        names = [show_line(task.title or "(no title)", 24) for task in targets.tasks[:NAMED]]
        return runs.named(deed, names, targets.count, "marked")

    def say(
        self,
        future: "Future[Done]",
        did: str,
        what: Shown,
        *,
        word: str = "tasks",
        back: str = "",
        not_done: Callable[[], None] = lambda: None,
    ) -> None:
        """Say what was done once it is in the outbox, which is at once, or why it could not be.

        Args:
            did: as "Completed".
            back: how to take it back, where the key of undo alone doesn't say it.
            what: the name of the one that it was done on; of many the count is said.
        """

        def said(finished: "Future[Done]") -> None:
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
            way_back = back or f"{self.room.key('change.undo')} undoes it"
            on = what.text if what else f"{done.count:,} {word if done.count > 1 else word.removesuffix('s')}"
            notify(self.app, own(" · ".join(each for each in (did, on, way_back) if each)), timeout_seconds=3)

        when_settled(self.app, future, said)

    def _show_plan(
        self,
        title: Shown,
        numbers: Line,
        kind: ChangeKind,
        keys: Sequence[str],
        row: "Callable[[str], PlanRow]",
        then: Callable[[], None],
        *,
        count: int,
        cannot_undo: Sequence[Shown] = (),
    ) -> None:
        from frontdesk.tui.dialogs.dialog import Done as Answered
        from frontdesk.tui.dialogs.plan import PlanDialog

        settings = self._desk.settings
        costs = cost(count, kind, settings)
        spent = runs.cost(costs.requests, costs.seconds, settings.requests_per_minute)
        stop, undo = self.room.key("bulk.stop"), self.room.key("change.undo")
        back = () if cannot_undo else (span(f"{stop} stops it on the way, {undo} takes it back.", Role.DIM),)
        dialog = PlanDialog(
            title,
            [numbers, (span(spent, Role.DIM),)],
            keys,
            row,
            cannot_undo,
            yes=own(f"Yes, on {count:,}"),
            ways_back=back,
        )
        self.app.push_screen(dialog, lambda answer: then() if isinstance(answer, Answered) else None)

    def _stopped(self, finished: "Future[Stopped]") -> None:
        error = finished.exception()
        if error is not None:
            notify(self.app, own(f"Not stopped: {show_line(str(error)).text}"), severity="error")
            return
        done = finished.result()
        if not done.taken_back:
            notify(self.app, own("It is all sent already."), timeout_seconds=3)
            return
        sent = (
            f"{done.gone:,} were sent before · {self.room.key('change.undo')} undoes those"
            if done.gone
            else "none was sent"
        )
        notify(self.app, own(f"Stopped: {done.taken_back:,} taken back, {sent}"), timeout_seconds=5)
        self.say_status()

    def _failure(self, change: Change) -> Any:
        from frontdesk.tui.dialogs.failures import Failure

        state = "conflict" if change.state is ChangeState.CONFLICT else "refused"
        reason = show_line(change.reason or "no reason was given")
        return Failure(change.change_id, self._change_name(change), own(state), reason)

    def _change_name(self, change: Change) -> Shown:
        if change.kind is ChangeKind.TAGS:
            return self.conversation_name(ConversationId(change.target))
        if change.kind.about in APART:
            return show_line(change.fields.get("name") or change.target, 60)
        task = self._desk.reads.task(TaskId(change.target))
        return show_line(change.target, 60) if task is None else self.task_name(task)

    def _failure_chosen(self, chosen: "Chosen | None") -> None:
        if chosen is None:
            return
        if chosen.again:
            when_settled(self.app, self._desk.retry_all(chosen.again), self._retried)
        elif chosen.open is not None and (change := self._desk.reads.change(chosen.open)) is not None:
            self._open_changed(change)

    def _open_changed(self, change: Change) -> None:
        if change.kind is ChangeKind.TAGS:
            self.post_message(self.ConversationWanted(ConversationId(change.target)))
            return
        if change.kind.about in APART:
            words = f"A {change.kind.about} has no conversation; Activity (6) has it."
            notify(self.app, own(words), severity="warning")
            return
        task = self._desk.reads.task(TaskId(change.target))
        if task is not None and task.conversation_id is not None:
            self.post_message(self.ConversationWanted(task.conversation_id))
        else:
            notify(self.app, own("Its conversation isn't known."), severity="warning")

    def _retried(self, finished: "Future[int]") -> None:
        error = finished.exception()
        if error is not None:
            notify(self.app, show_line(str(error)), severity="warning")
        else:
            notify(self.app, own(f"Sent again: {finished.result():,}."), timeout_seconds=3)


def _in_numbers(plan: Plan, targets: Targets) -> Line:
    words: list[Span] = [span(f"{len(plan.will):,} of {targets.count:,} change", Role.STRONG)]
    if plan.already:
        words.append(span(f" · {len(plan.already):,} so already", Role.DIM))
    if plan.gone:
        words.append(span(f" · {len(plan.gone):,} can't: gone", Role.WARN))
    if targets.taskless:
        words.append(span(f" · {len(targets.taskless):,} can't: {NO_TASK}", Role.WARN))
    return tuple(words)


def _the_others(plan: Plan, targets: Targets) -> str:
    parts = [f"{len(plan.already):,} are so already" if plan.already else ""]
    parts.append(f"{len(plan.gone):,} are gone" if plan.gone else "")
    parts.append(f"of {len(targets.taskless):,} {NO_TASK}" if targets.taskless else "")
    return ", ".join(part for part in parts if part)

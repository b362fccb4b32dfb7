"""Undo and redo of the last actions of a profile, from any process, each in one write transaction.

Every change of an action carries its batch: those that did it, undid it (`undoes` names the original) and redid
it. The last one on each target gives its state there. Whether a sent one may be reversed, since nobody has changed
it again, decides the kind's `ChangeHandler`, as in `tasks.changes`.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from frontdesk.outbox import batches, queue
from frontdesk.outbox.batches import COUNTED_FIRST, ActionResult, Batch, BatchState
from frontdesk.outbox.changes import NotPossible, OutboxTransaction, cancel_unsent, update_lists
from frontdesk.outbox.labels import undo_label
from frontdesk.storage.records import NEEDS_PERSON, UNCONFIRMED, Change, ChangeKind, ChangeState, Made
from frontdesk_lines.display_text import counted

_UNSENT = (ChangeState.HELD, ChangeState.QUEUED)
_IN_EFFECT = (*UNCONFIRMED, ChangeState.CONFIRMED)
STOPPED = "stopped before sending"


@dataclass(frozen=True, slots=True)
class TooManyToUndo:
    """An action on so many records that it needs confirmation; `first` is a change of the first record."""

    label: str
    batch: str
    count: int
    first: Change


class UndoRequest(NamedTuple):
    """The conditions under which an undo or redo needs confirmation.

    Attributes:
        above: the maximum number of records without confirmation; None for any.
        confirmed_batch: the confirmed action's batch, the only one to change then.
        changes: the ids of the changes to undo, of one action; empty for those of the last action.
    """

    above: int | None = None
    confirmed_batch: str = ""
    changes: tuple[int, ...] = ()


ANY_SIZE = UndoRequest()

UndoOutcome = ActionResult | TooManyToUndo | None
"""The result of an undo or redo, or `None` if there is no action for it."""


def undo(outbox: OutboxTransaction, request: UndoRequest = ANY_SIZE) -> UndoOutcome:
    """Undo the newest action, or the named changes: unsent ones are dropped, sent ones reversed."""
    if request.changes:
        return _undo_changes(outbox, request)
    return _apply(outbox, request, is_undo=True)


def redo(outbox: OutboxTransaction, request: UndoRequest = ANY_SIZE) -> UndoOutcome:
    return _apply(outbox, request, is_undo=False)


class StopResult(NamedTuple):
    """The number of cancelled changes, the number sent before, and the state of the cancelled ones."""

    cancelled: int
    sent: int
    state: ChangeState = ChangeState.DROPPED


def stop(outbox: OutboxTransaction, batch: str) -> StopResult:
    """Cancel an action's unsent changes; those sent stay and are undone together.

    Changes made for the first time are dropped, so that redo doesn't repeat them. A stopped undo or redo leaves
    the rest unchanged and continues with the next `u` or `U`.
    """
    histories = _histories(queue.of_batch(outbox.db, batch))
    newest = max((history.last.made_at for history in histories), default=0.0)
    unsent = [each.last._replace(reason=STOPPED) for each in histories if each.last.state in _UNSENT]
    sent = sum(each.last.state not in _UNSENT and each.last.made_at == newest for each in histories)
    cancelled = take_back(outbox, unsent)
    is_dropped = not cancelled or any(each.undoes is None for each in cancelled)
    return StopResult(len(cancelled), sent, ChangeState.DROPPED if is_dropped else ChangeState.UNDONE)


def take_back(
    outbox: OutboxTransaction, changes: Iterable[Change], state: ChangeState | None = None
) -> list[Change]:
    """Cancel changes, with the reasons they have here; return those whose state is still as given.

    Their actions count as done as far as they are in effect, so that undo and redo go on from there.

    Args:
        state: their new state; None for `UNDONE` of those that undo or redo others, and `DROPPED` of the others.
    """
    db, cancelled = outbox.db, list[Change]()
    for each in changes:
        becomes = state or (ChangeState.DROPPED if each.undoes is None else ChangeState.UNDONE)
        if cancel_unsent(outbox, each, becomes, each.reason):
            cancelled.append(each)
    update_lists(db, outbox.handlers, cancelled)
    for batch in dict.fromkeys(each.batch for each in cancelled):
        action = batches.of_batch(db, batch)
        if action is not None and action.state is not BatchState.PAST:
            left = _histories(queue.of_batch(db, batch))
            is_on, is_off = any(each.is_done for each in left), any(each.is_undone for each in left)
            batches.move(
                db, action, BatchState.DONE if is_on else BatchState.UNDONE if is_off else BatchState.PAST
            )
    return cancelled


class _TargetHistory(NamedTuple):
    """The changes of an action on one target, oldest first."""

    changes: tuple[Change, ...]

    @property
    def last(self) -> Change:
        return self.changes[-1]

    @property
    def in_effect(self) -> Change | None:
        """The last change that is in effect, or presumably will be."""
        return next((each for each in reversed(self.changes) if each.state in _IN_EFFECT), None)

    def is_backward(self, change: Change) -> bool:
        """Return whether a change undoes the action."""
        by_id = {each.change_id: each for each in self.changes}
        backward = False
        undone = change.undoes
        while undone is not None:
            backward = not backward
            before = by_id.get(undone)
            undone = None if before is None else before.undoes
        return backward

    def why_not_undone(self, wanted: Collection[int]) -> str | None:
        """Return why these changes can't be undone here, or `None` if undo can be tried."""
        chosen = [each for each in self.changes if each.change_id in wanted]
        if all(map(self.is_backward, chosen)):
            return "this change is itself an undo; to bring back what it undid, redo it"
        if self.last.state in NEEDS_PERSON:
            return "it never took effect; discard it instead"
        if self.is_undone:
            return "it was undone already"
        if not self.is_done:
            return "it never took effect"
        if self.in_effect is not None and self.in_effect.change_id not in wanted:
            return "it was done again later; undo that"
        return None

    @property
    def is_done(self) -> bool:
        return self._is_last_step(backward=False)

    @property
    def is_undone(self) -> bool:
        """Return whether the action was in effect here and was undone."""
        return self._is_last_step(backward=True)

    def _is_last_step(self, *, backward: bool) -> bool:
        state, is_backward = self.last.state, self.is_backward(self.last)
        return (state in _IN_EFFECT and is_backward is backward) or (
            state is ChangeState.UNDONE and is_backward is not backward
        )


def _apply(outbox: OutboxTransaction, request: UndoRequest, *, is_undo: bool) -> UndoOutcome:
    """Undo or redo the next action, skipping actions without anything left to change."""
    db = outbox.db
    find = batches.newest_done if is_undo else batches.last_undone
    change_target = _undo_target if is_undo else _redo_target
    while (action := find(db)) is not None:
        if request.confirmed_batch not in ("", action.batch):
            words = f"Nothing was {'undone' if is_undo else 'redone'}, because something else was changed first."
            return ActionResult(0, (words,), label=action.label)
        histories = _histories(queue.of_batch(db, action.batch))
        affected = [each for each in histories if (each.is_done if is_undo else each.is_undone)]
        if (too_many := _find_too_many(request, action, affected)) is not None:
            return too_many
        changed, problems = _change_targets(outbox, histories, partial(change_target, outbox, action))
        done_state = BatchState.UNDONE if is_undo else BatchState.DONE
        batches.move(db, action, done_state if changed else BatchState.PAST)
        if changed or problems:
            return _action_result(action, histories, changed, problems)
    return None


def _undo_changes(outbox: OutboxTransaction, request: UndoRequest) -> UndoOutcome:
    """Undo changes of one action, which needn't be the last; the result says why it isn't possible."""
    db = outbox.db
    wanted = set(request.changes)
    first = next((found for each in request.changes if (found := queue.change(db, each)) is not None), None)
    if first is None:
        return None
    action = batches.of_batch(db, first.batch)
    if action is None:
        reason = f"{first.label}: only the last {batches.MAX_BATCHES} actions can be undone"
        return ActionResult(0, (reason,), label=first.label, first=first)
    histories = [
        each
        for each in _histories(queue.of_batch(db, action.batch))
        if wanted.intersection(change.change_id for change in each.changes)
    ]
    affected = [each for each in histories if each.why_not_undone(wanted) is None]
    if (too_many := _find_too_many(request, action, affected)) is not None:
        return too_many

    def undo_wanted(history: _TargetHistory) -> bool:
        why_not = history.why_not_undone(wanted)
        if why_not is None and _undo_target(outbox, action, history):
            return True
        raise NotPossible(why_not or "nothing to undo")

    changed, problems = _change_targets(outbox, histories, undo_wanted)
    is_partial = any(each.is_done for each in _histories(queue.of_batch(db, action.batch)))
    if changed and not is_partial:
        batches.move(db, action, BatchState.UNDONE)
    return replace(_action_result(action, histories, changed, problems), is_partial=is_partial)


def _change_targets(
    outbox: OutboxTransaction, histories: Sequence[_TargetHistory], change: Callable[[_TargetHistory], bool]
) -> tuple[list[Change], Mapping[str, int]]:
    """Change each target; return the last change of each changed target, and the number of each problem."""
    problems = Counter[str]()
    changed: list[Change] = []
    for history in histories:
        try:
            if change(history):
                changed.append(history.last)
        except NotPossible as error:
            problems[str(error)] += 1
    update_lists(outbox.db, outbox.handlers, changed)
    return changed, problems


def _find_too_many(
    request: UndoRequest, action: Batch, affected: Sequence[_TargetHistory]
) -> TooManyToUndo | None:
    """Return the confirmation that is needed first, or `None`."""
    if request.above is None or request.confirmed_batch or len(affected) <= request.above:
        return None
    return TooManyToUndo(action.label, action.batch, len(affected), affected[0].last)


def _action_result(
    action: Batch, histories: Sequence[_TargetHistory], changed: Sequence[Change], problems: Mapping[str, int]
) -> ActionResult:
    main = batches.counted_changes(changed)
    return ActionResult(
        len(main),
        tuple(_describe_problems(action, problems, histories)),
        action.batch if changed else "",
        action.label,
        # No list shows the update of a workflow before it is sent.
        any(each.kind is ChangeKind.WORKFLOW_UPDATE and each.state not in _UNSENT for each in changed),
        main[0] if main else histories[0].last,
    )


def _histories(changes: Iterable[Change]) -> list[_TargetHistory]:
    """Group a batch's changes by kind and target: a macro tags and snoozes one conversation."""
    by_target: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        kind = change.kind if change.kind in COUNTED_FIRST else change.kind.about
        by_target.setdefault((kind, change.target), []).append(change)
    return [_TargetHistory(tuple(changes)) for changes in by_target.values()]


def _describe_problems(
    action: Batch, problems: Mapping[str, int], histories: Sequence[_TargetHistory]
) -> Iterable[str]:
    main = batches.counted_changes([each.last for each in histories])
    total = len(main)
    targets = counted(total, main[0].kind.about)
    for reason, count in problems.items():
        where = f" on {count:,} of the {targets}" if count < total else f" on any of the {targets}"
        yield f"{action.label}{where if total > 1 else ''}: {reason}"


def _undo_target(outbox: OutboxTransaction, action: Batch, history: _TargetHistory) -> bool:
    in_effect = history.in_effect
    never = "it never took effect; see Activity"
    if history.last.state in NEEDS_PERSON:
        raise NotPossible(never)
    if not history.is_done:
        return False
    if in_effect is None or history.is_backward(in_effect):
        raise NotPossible(never)
    if in_effect.state in _UNSENT:
        return cancel_unsent(outbox, in_effect, ChangeState.UNDONE)
    made = Made(action.batch, undo_label(action.label), outbox.now, in_effect.change_id)
    return outbox.handlers[in_effect.kind].reverse(outbox.db, in_effect, made)


def _redo_target(outbox: OutboxTransaction, action: Batch, history: _TargetHistory) -> bool:
    if not history.is_undone:
        return False
    last, in_effect, (db, handlers, now) = history.last, history.in_effect, outbox
    if last.state in _UNSENT:
        return cancel_unsent(outbox, last, ChangeState.UNDONE)
    if last.state is not ChangeState.UNDONE:
        return handlers[last.kind].reverse(db, last, Made(action.batch, action.label, now, last.change_id))
    if in_effect is not None and not history.is_backward(in_effect):
        raise NotPossible("it is still in effect, because the undo wasn't accepted; see Activity")
    return handlers[last.kind].repeat_undone(db, last, now)

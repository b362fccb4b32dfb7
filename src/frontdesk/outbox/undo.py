"""Undo and redo of the last actions of a profile, from any process, each in one write transaction.

Every change of an action carries its batch: those that did it, undid it (`undoes` names the original) and redid
it. The last one on each target gives its state there.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import apsw

from frontdesk.outbox import batches, queue
from frontdesk.outbox.batches import Batch, BatchState
from frontdesk.outbox.changes import ChangeHandlers, NotPossible, show_again, take_back
from frontdesk.storage.records import NEEDS_PERSON, UNCONFIRMED, Change, ChangeKind, ChangeState

_UNSENT = (ChangeState.HELD, ChangeState.QUEUED)
_IN_EFFECT = (*UNCONFIRMED, ChangeState.CONFIRMED)
STOPPED = "stopped before it was sent"


@dataclass(frozen=True, slots=True)
class UndoResult:
    """The result of an undo or redo.

    Attributes:
        count: how many tasks and conversations it changed.
        problems: why it failed on the others.
        is_to_send: it shows only once the platform has confirmed it.
        first: a change of the first changed record, else of the action's first record.
    """

    label: str
    count: int
    problems: tuple[str, ...]
    batch: str = ""
    is_to_send: bool = False
    first: Change | None = None


@dataclass(frozen=True, slots=True)
class TooManyToUndo:
    """An action on so many records that it needs confirmation."""

    label: str
    batch: str
    count: int
    kind: ChangeKind
    first: Change | None = None


@dataclass(frozen=True, slots=True)
class UndoRequest:
    """When an undo or redo needs confirmation.

    Attributes:
        above: the largest number of records without confirmation; None for any.
        sure_of: the confirmed action's batch; then no other is changed.
    """

    above: int | None = None
    sure_of: str = ""


UNASKED = UndoRequest()


def undo(
    db: apsw.Connection, handlers: ChangeHandlers, now: float, asking: UndoRequest = UNASKED
) -> UndoResult | TooManyToUndo | None:
    """Undo the newest action: unsent changes are dropped, sent ones reversed; None without one."""
    return _apply(
        db,
        handlers,
        _Direction(batches.newest_done, BatchState.UNDONE, _undo_target, lambda history: history.is_done),
        now,
        asking,
    )


def redo(
    db: apsw.Connection, handlers: ChangeHandlers, now: float, asking: UndoRequest = UNASKED
) -> UndoResult | TooManyToUndo | None:
    """Redo the last undone action; None without one."""
    return _apply(
        db,
        handlers,
        _Direction(batches.last_undone, BatchState.DONE, _redo_target, lambda history: history.is_undone),
        now,
        asking,
    )


@dataclass(frozen=True, slots=True)
class StopResult:
    """How many changes were cancelled, and how many were sent before."""

    taken_back: int
    gone: int


def stop(db: apsw.Connection, handlers: ChangeHandlers, batch: str, now: float) -> StopResult:
    """Cancel an action's unsent changes; those sent stay and are undone together.

    Changes made for the first time are dropped, so that redo doesn't repeat them. A stopped undo or redo leaves
    the rest unchanged and continues with the next `u` or `U`.
    """
    histories = _histories(queue.of_batch(db, batch))
    newest = max((history.last.made_at for history in histories), default=0.0)
    taken: list[Change] = []
    gone = 0
    for history in histories:
        last = history.last
        if last.state in _UNSENT:
            state = ChangeState.DROPPED if last.undoes is None else ChangeState.UNDONE
            if take_back(db, handlers, last, state, now, STOPPED):
                taken.append(last)
        elif last.made_at == newest:
            gone += 1
    show_again(db, handlers, taken)
    deed = batches.of_batch(db, batch)
    if taken and deed is not None and deed.state is not BatchState.PAST:
        left = _histories(queue.of_batch(db, batch))
        is_on, is_off = any(each.is_done for each in left), any(each.is_undone for each in left)
        batches.move(db, deed, BatchState.DONE if is_on else BatchState.UNDONE if is_off else BatchState.PAST)
    return StopResult(len(taken), gone)


@dataclass(frozen=True, slots=True)
class _TargetHistory:
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
        """Whether a change undoes the action."""
        by_id = {each.change_id: each for each in self.changes}
        backward = False
        undone = change.undoes
        while undone is not None:
            backward = not backward
            before = by_id.get(undone)
            undone = None if before is None else before.undoes
        return backward

    @property
    def is_done(self) -> bool:
        return self._is_last_step(backward=False)

    @property
    def is_undone(self) -> bool:
        """Whether the action was in effect here and was undone."""
        return self._is_last_step(backward=True)

    def _is_last_step(self, *, backward: bool) -> bool:
        state, is_backward = self.last.state, self.is_backward(self.last)
        return (state in _IN_EFFECT and is_backward is backward) or (
            state is ChangeState.UNDONE and is_backward is not backward
        )


@dataclass(frozen=True, slots=True)
class _Direction:
    """Undo or redo: how to find the action, its next state, and how one target is changed."""

    find: Callable[[apsw.Connection], Batch | None]
    into: BatchState
    apply_to: Callable[[apsw.Connection, ChangeHandlers, Batch, _TargetHistory, float], bool]
    applies_to: Callable[[_TargetHistory], bool]


def _apply(
    db: apsw.Connection, handlers: ChangeHandlers, direction: _Direction, now: float, asking: UndoRequest
) -> UndoResult | TooManyToUndo | None:
    """Undo or redo the found action; one without anything left to change is skipped for the next."""
    while (deed := direction.find(db)) is not None:
        if asking.sure_of not in ("", deed.batch):
            return UndoResult(deed.label, 0, ("Something else was done meanwhile: nothing was turned.",))
        histories = _histories(queue.of_batch(db, deed.batch))
        large = _large(deed, [each for each in histories if direction.applies_to(each)])
        if asking.above is not None and not asking.sure_of and large.count > asking.above:
            return large
        problems = Counter[str]()
        turned: list[Change] = []
        for history in histories:
            try:
                if direction.apply_to(db, handlers, deed, history, now):
                    turned.append(history.last)
            except NotPossible as error:
                problems[str(error)] += 1
        show_again(db, handlers, turned)
        count = len(turned)
        batches.move(db, deed, direction.into if count else BatchState.PAST)
        if count or problems:
            is_to_send = any(_is_to_send(each) for each in turned)
            first = turned[0] if turned else histories[0].last
            words = tuple(_words(deed, problems, len(histories)))
            return UndoResult(deed.label, count, words, deed.batch, is_to_send, first)
    return None


def _is_to_send(last: Change) -> bool:
    """Whether this sends an update of a workflow, which no list shows meanwhile."""
    return last.kind is ChangeKind.WORKFLOW_UPDATE and last.state not in _UNSENT


def _large(deed: Batch, histories: Sequence[_TargetHistory]) -> TooManyToUndo:
    first = histories[0].last if histories else None
    kind = ChangeKind.TASK if first is None else first.kind
    return TooManyToUndo(deed.label, deed.batch, len(histories), kind, first)


def _histories(changes: Iterable[Change]) -> list[_TargetHistory]:
    """Group a batch's changes by target."""
    by_target: dict[str, list[Change]] = {}
    for change in changes:
        by_target.setdefault(change.target, []).append(change)
    return [_TargetHistory(tuple(changes)) for changes in by_target.values()]


def _words(deed: Batch, problems: Mapping[str, int], targets: int) -> Iterable[str]:
    for reason, count in problems.items():
        where = "" if targets == 1 else f", on {count:,} of {targets:,}"
        yield f"{deed.label}{where}: {reason}"


def _undo_target(
    db: apsw.Connection, handlers: ChangeHandlers, deed: Batch, history: _TargetHistory, now: float
) -> bool:
    in_effect = history.in_effect
    never = "it never took effect; Activity (6) has it"
    if history.last.state in NEEDS_PERSON:
        raise NotPossible(never)
    if not history.is_done:
        return False
    if in_effect is None or history.is_backward(in_effect):
        raise NotPossible(never)
    if in_effect.state in _UNSENT:
        return take_back(db, handlers, in_effect, ChangeState.UNDONE, now)
    label = f"Undo: {deed.label}"
    return handlers[in_effect.kind].reverse(db, in_effect, batch=deed.batch, label=label, now=now)


def _redo_target(
    db: apsw.Connection, handlers: ChangeHandlers, deed: Batch, history: _TargetHistory, now: float
) -> bool:
    if not history.is_undone:
        return False
    last, in_effect = history.last, history.in_effect
    if last.state in _UNSENT:
        return take_back(db, handlers, last, ChangeState.UNDONE, now)
    if last.state is not ChangeState.UNDONE:
        return handlers[last.kind].reverse(db, last, batch=deed.batch, label=deed.label, now=now)
    if in_effect is not None and not history.is_backward(in_effect):
        raise NotPossible("it is in effect: what took it back was not accepted; Activity (6) has it")
    return handlers[last.kind].make_again(db, last, now)

"""Undo and redo of the last actions of a profile, whichever process they were done in.

Each function runs inside one write transaction of the store. Every change of a
deed carries its batch: those that did it, those that took it back (`undoes` says which), and those
that did it again. The last one on each target says where the deed stands there.
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
    """What became of an undo or redo.

    Attributes:
        label: the action's.
        count: on how many tasks and conversations it was turned.
        problems: why not on the others, in words.
        batch: the action's.
        is_to_send: nothing shows it turned before the platform has taken what is sent for it.
        first: a change of the first task or conversation that it was turned on, else of the first it was about.
    """

    label: str
    count: int
    problems: tuple[str, ...]
    batch: str = ""
    is_to_send: bool = False
    first: Change | None = None


@dataclass(frozen=True, slots=True)
class TooManyToUndo:
    """An action on so many that it was not turned: the person is asked first, and names it when sure."""

    label: str
    batch: str
    count: int
    kind: ChangeKind
    first: Change | None = None


@dataclass(frozen=True, slots=True)
class UndoRequest:
    """When a person is to be asked.

    Attributes:
        above: an action on more than so many is not turned unasked; None turns any.
        sure_of: the batch of the action that they were asked about and said yes to; then no other is turned.
    """

    above: int | None = None
    sure_of: str = ""


UNASKED = UndoRequest()


def undo(
    db: apsw.Connection, handlers: ChangeHandlers, now: float, asking: UndoRequest = UNASKED
) -> UndoResult | TooManyToUndo | None:
    """Take the newest deed back: what is not sent is dropped, what was sent is changed to the values before.

    Answers None where there is nothing to take back.
    """
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
    """Do again what was undone last; None where nothing is."""
    return _apply(
        db,
        handlers,
        _Direction(batches.last_undone, BatchState.DONE, _redo_target, lambda history: history.is_undone),
        now,
        asking,
    )


@dataclass(frozen=True, slots=True)
class StopResult:
    """How many changes were taken back, and how many had gone before that."""

    taken_back: int
    gone: int


def stop(db: apsw.Connection, handlers: ChangeHandlers, batch: str, now: float) -> StopResult:
    """Take back what no sender has taken yet of what a deed does now; what went out stays, undone as one.

    What was done for the first time is dropped, so that a redo doesn't bring it. An undo or a redo that
    is stopped leaves the rest as it was before, and goes on with the next `u` or `U`.
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
        """The last change that is in effect, or will be as far as anybody knows."""
        return next((each for each in reversed(self.changes) if each.state in _IN_EFFECT), None)

    def is_backward(self, change: Change) -> bool:
        """Whether a change takes the action back, rather than doing it (again)."""
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
        """Whether the action is in effect here."""
        return self._is_last_step(backward=False)

    @property
    def is_undone(self) -> bool:
        """Whether it was, and was taken back."""
        return self._is_last_step(backward=True)

    def _is_last_step(self, *, backward: bool) -> bool:
        state, is_backward = self.last.state, self.is_backward(self.last)
        return (state in _IN_EFFECT and is_backward is backward) or (
            state is ChangeState.UNDONE and is_backward is not backward
        )


@dataclass(frozen=True, slots=True)
class _Direction:
    """Back or forth: which action, where it goes, how it is turned on one target, and whether it can be there."""

    find: Callable[[apsw.Connection], Batch | None]
    into: BatchState
    apply_to: Callable[[apsw.Connection, ChangeHandlers, Batch, _TargetHistory, float], bool]
    applies_to: Callable[[_TargetHistory], bool]


def _apply(
    db: apsw.Connection, handlers: ChangeHandlers, direction: _Direction, now: float, asking: UndoRequest
) -> UndoResult | TooManyToUndo | None:
    """Turn the deed that is found; one of which nothing is left to turn makes way for the next."""
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
    """Whether turning it back or forth sends an update of a workflow, which is laid over nothing meanwhile."""
    return last.kind is ChangeKind.WORKFLOW_UPDATE and last.state not in _UNSENT


def _large(deed: Batch, histories: Sequence[_TargetHistory]) -> TooManyToUndo:
    first = histories[0].last if histories else None
    kind = ChangeKind.TASK if first is None else first.kind
    return TooManyToUndo(deed.label, deed.batch, len(histories), kind, first)


def _histories(changes: Iterable[Change]) -> list[_TargetHistory]:
    """What a batch did to each of its targets."""
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

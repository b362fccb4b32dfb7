"""Undo and redo of the last deeds of a profile, whichever process they were done in.

Each function runs inside one write transaction of the store; `Desk` calls them. Every change of a
deed carries its batch: those that did it, those that took it back (`undoes` says which), and those
that did it again. The last one on each target says where the deed stands there.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import apsw

from frontdesk.contract.ids import ConversationId, TagId, TaskId
from frontdesk.desk.changes import NotPossible, add_tags, set_fields, show_again, take_back
from frontdesk.frozen import dataclass
from frontdesk.store import deeds, loose, outbox, tasks
from frontdesk.store.deeds import Deed, DeedState
from frontdesk.store.overlay import ASSIGNED, lay_over, merge_people, same_value
from frontdesk.store.records import NEEDS_PERSON, UNCONFIRMED, Change, ChangeKind, ChangeState, Json

_UNSENT = (ChangeState.HELD, ChangeState.QUEUED)
_STANDING = (*UNCONFIRMED, ChangeState.CONFIRMED)
_EMPTY = {"dueDate": 0, "title": "", "body": "", "statusCase": "open"}
"""How an unset field is sent."""


@dataclass(frozen=True, slots=True)
class Turned:
    """What became of an undo or redo.

    Attributes:
        label: the deed's.
        count: on how many tasks and conversations it was turned.
        problems: why not on the others, in words.
    """

    label: str
    count: int
    problems: tuple[str, ...]


def undo(db: apsw.Connection, now: float) -> Turned | None:
    """Take the newest deed back: what is not sent is dropped, what was sent is changed to the values before.

    Answers None where there is nothing to take back.
    """
    return _turn(db, deeds.newest_done, DeedState.UNDONE, _undo_on, now)


def redo(db: apsw.Connection, now: float) -> Turned | None:
    """Do again what was undone last; None where nothing is."""
    return _turn(db, deeds.last_undone, DeedState.DONE, _redo_on, now)


@dataclass(frozen=True, slots=True)
class _Course:
    """The changes of a deed on one target, oldest first."""

    deed: Deed
    changes: tuple[Change, ...]

    @property
    def last(self) -> Change:
        return self.changes[-1]

    @property
    def standing(self) -> Change | None:
        """The last change that is in effect, or will be as far as anybody knows."""
        return next((each for each in reversed(self.changes) if each.state in _STANDING), None)

    def is_backward(self, change: Change) -> bool:
        """Whether a change takes the deed back, rather than doing it (again)."""
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
        """Whether the deed is in effect here."""
        return self._stands(backward=False)

    @property
    def is_undone(self) -> bool:
        """Whether it was, and was taken back."""
        return self._stands(backward=True)

    def _stands(self, *, backward: bool) -> bool:
        state, is_backward = self.last.state, self.is_backward(self.last)
        return (state in _STANDING and is_backward is backward) or (
            state is ChangeState.UNDONE and is_backward is not backward
        )


_TurnOne = Callable[[apsw.Connection, _Course, float], bool]


def _turn(
    db: apsw.Connection,
    find: Callable[[apsw.Connection], Deed | None],
    into: DeedState,
    turn_one: _TurnOne,
    now: float,
) -> Turned | None:
    """Turn the deed that is found; one of which nothing is left to turn makes way for the next."""
    while (deed := find(db)) is not None:
        problems = Counter[str]()
        courses = _courses(db, deed)
        turned: list[Change] = []
        for course in courses:
            try:
                if turn_one(db, course, now):
                    turned.append(course.last)
            except NotPossible as error:
                problems[str(error)] += 1
        show_again(db, turned)
        count = len(turned)
        deeds.move(db, deed, into if count else DeedState.PAST)
        if count or problems:
            return Turned(deed.label, count, tuple(_words(deed, problems, len(courses))))
    return None


def _courses(db: apsw.Connection, deed: Deed) -> list[_Course]:
    by_target: dict[str, list[Change]] = {}
    for change in outbox.of_batch(db, deed.batch):
        by_target.setdefault(change.target, []).append(change)
    return [_Course(deed, tuple(changes)) for changes in by_target.values()]


def _words(deed: Deed, problems: Mapping[str, int], targets: int) -> Iterable[str]:
    for reason, count in problems.items():
        where = "" if targets == 1 else f", on {count:,} of {targets:,}"
        yield f"{deed.label}{where}: {reason}"


def _undo_on(db: apsw.Connection, course: _Course, now: float) -> bool:
    standing = course.standing
    never = "it never took effect; Activity (6) has it"
    if course.last.state in NEEDS_PERSON:
        raise NotPossible(never)
    if not course.is_done:
        return False
    if standing is None or course.is_backward(standing):
        raise NotPossible(never)
    if standing.state in _UNSENT:
        return take_back(db, standing, ChangeState.UNDONE, now)
    if standing.kind is ChangeKind.TAGS:
        raise NotPossible("already sent, and the platform can't take tags off")
    return _reverse(db, standing, course.deed, f"Undo: {course.deed.label}", now)


def _redo_on(db: apsw.Connection, course: _Course, now: float) -> bool:
    if not course.is_undone:
        return False
    last, standing = course.last, course.standing
    if last.state in _UNSENT:
        return take_back(db, last, ChangeState.UNDONE, now)
    if last.state is not ChangeState.UNDONE:
        return _reverse(db, last, course.deed, course.deed.label, now)
    if standing is not None and not course.is_backward(standing):
        raise NotPossible("it is in effect: what took it back was not accepted; Activity (6) has it")
    return _make_again(db, last, now)


def _reverse(db: apsw.Connection, change: Change, deed: Deed, label: str, now: float) -> bool:
    """A change back to the values before one that was sent, behind it where it is still on its way."""
    shown = _shown(db, change)
    if not _is_as_set(shown, change):
        raise NotPossible("it was changed again since")
    return set_fields(
        db,
        TaskId(change.target),
        _back(change),
        batch=deed.batch,
        label=label,
        now=now,
        undoes=change.change_id,
    )


def _make_again(db: apsw.Connection, change: Change, now: float) -> bool:
    """What was taken back unsent, once more."""
    if change.kind is ChangeKind.TAGS:
        tags = [TagId(each) for each in loose.texts(change.fields.get("tagIds"))]
        here = [ConversationId(change.target)]
        add_tags(db, here, tags, batch=change.batch, label=change.label, now=now)
        return True
    if not _is_as_before(_shown(db, change), change):
        raise NotPossible("it was changed again since")
    return set_fields(
        db,
        TaskId(change.target),
        change.fields,
        batch=change.batch,
        label=change.label,
        now=now,
        undoes=change.undoes,
    )


def _shown(db: apsw.Connection, change: Change) -> Json:
    raw = tasks.raw_task(db, TaskId(change.target))
    if raw is None:
        raise NotPossible("the task is gone")
    return lay_over(raw, outbox.live_for(db, change.target))


def _back(change: Change) -> dict[str, Any]:
    """The fields that bring the values before back; an unset field is sent as its empty value."""
    back: dict[str, Any] = {}
    for name, value in change.fields.items():
        before = change.base.get(name)
        if name == ASSIGNED:
            there = loose.texts(before)
            now = merge_people(there, value)
            back[name] = {
                "add": [person for person in there if person not in now],
                "remove": [person for person in now if person not in there],
            }
        else:
            back[name] = _EMPTY.get(name, "") if before is None else before
    return back


def _is_as_set(shown: Json, change: Change) -> bool:
    """Whether what the change did is still so; of people, those whom it put on or took off."""
    back = _back(change)
    return all(
        _are_on(shown, back[name]["remove"]) and _are_off(shown, back[name]["add"])
        if name == ASSIGNED
        else same_value(name, shown.get(name), value)
        for name, value in change.fields.items()
    )


def _is_as_before(shown: Json, change: Change) -> bool:
    """Whether everything that the change did is as it was before it."""
    back = _back(change)
    return all(
        _are_off(shown, back[name]["remove"]) and _are_on(shown, back[name]["add"])
        if name == ASSIGNED
        else same_value(name, shown.get(name), change.base.get(name))
        for name in change.fields
    )


def _are_on(shown: Json, people: Iterable[str]) -> bool:
    return set(people) <= set(loose.texts(shown.get(ASSIGNED)))


def _are_off(shown: Json, people: Iterable[str]) -> bool:
    return not set(people) & set(loose.texts(shown.get(ASSIGNED)))

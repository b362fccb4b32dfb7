"""Entries of Activity: the changes of one action as one row, and a resent change in place of the one before it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from frontdesk.outbox.changes import SENT_ANEW
from frontdesk.storage.records import NEEDS_PERSON, UNCONFIRMED, Change, ChangeKind, ChangeState

_DROPPABLE = (*NEEDS_PERSON, ChangeState.HELD, ChangeState.QUEUED)


@dataclass(frozen=True, slots=True)
class Entry:
    """What one action did, or one undo or redo of it.

    Attributes:
        key: stays the same when a change is resent.
        changes: the last change of each target, those that need a decision first.
    """

    key: str
    changes: tuple[Change, ...]

    @property
    def first(self) -> Change:
        return self.changes[0]

    @property
    def only(self) -> Change | None:
        """The change of an entry with one target; None for a bulk action."""
        return self.changes[0] if len(self.changes) == 1 else None

    @property
    def made_at(self) -> float:
        """The time of its newest change, Unix seconds."""
        return max(each.made_at for each in self.changes)

    @property
    def undecided(self) -> tuple[Change, ...]:
        return tuple(each for each in self.changes if each.state in NEEDS_PERSON)

    @property
    def states(self) -> Counter[ChangeState]:
        """How many of its changes are in each state, the one that matters most first."""
        found = Counter(each.state for each in self.changes)
        return Counter({state: found[state] for state in _BY_WEIGHT if state in found})


_BY_WEIGHT = (
    *(ChangeState.CONFLICT, ChangeState.REFUSED, ChangeState.UNKNOWN),
    *(ChangeState.SENDING, ChangeState.QUEUED, ChangeState.HELD),
    *(ChangeState.CONFIRMED, ChangeState.UNDONE, ChangeState.DROPPED),
)


def group_changes(newest_first: Sequence[Change]) -> list[Entry]:
    """Group changes into entries, the newest first.

    Changes of one batch and label are one entry, except where a target has several: an undo repeated, or a redo,
    is an entry of its own, and a resent change takes the place of the one before it.
    """
    entries: dict[str, dict[tuple[ChangeKind, str], Change]] = {}
    turns: dict[tuple[str, str, ChangeKind, str], int] = {}
    latest: dict[str, int] = {}
    for change in reversed(newest_first):
        record = (change.kind, change.target)
        name = (change.batch, change.label, *record)
        turn = turns.get(name, 0)
        before = entries.get(_key(change, turn), {}).get(record)
        if before is not None and not (before.state is ChangeState.DROPPED and before.reason == SENT_ANEW):
            turn += 1
        turns[name] = turn
        key = _key(change, turn)
        entries.setdefault(key, {})[record] = change
        latest[key] = change.change_id
    newest = sorted(entries, key=lambda each: latest[each], reverse=True)
    return [Entry(key, tuple(sorted(entries[key].values(), key=_weight))) for key in newest]


def droppable_changes(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return the changes that can be discarded: undecided or unsent ones."""
    return tuple(each for each in changes if each.state in _DROPPABLE)


def can_undo(changes: Iterable[Change]) -> bool:
    """Return whether an undo may be possible: something is, or presumably will be, in effect, and is no undo."""
    in_effect = (*UNCONFIRMED, ChangeState.CONFIRMED)
    return any(each.undoes is None and each.state in in_effect for each in changes)


def _weight(change: Change) -> int:
    return _BY_WEIGHT.index(change.state)


def _key(change: Change, turn: int) -> str:
    return f"{change.batch}/{change.label}/{turn}"

"""The pure parts of RowList: its marks, and the cursor's index among new keys."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

KeepsMarks = Callable[[Collection[str]], Collection[str]]
"""Returns which of these marked keys, no longer listed, stay marked."""


class RowMarks:
    """The marked keys of a list; each method that changes them returns whether it did.

    Args:
        keeps: decides which marked keys that are no longer listed stay marked; None for none.

    Attributes:
        all: the marked keys, listed or hidden.
        hidden: those that a filter or a view leaves out.
        tasks: by marked key the task that it means, for marks that keep one.
    """

    def __init__(self, keeps: KeepsMarks | None) -> None:
        self._keeps = keeps
        self.all: frozenset[str] = frozenset()
        self.hidden: frozenset[str] = frozenset()
        self.tasks: Mapping[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self.all)

    def set(self, keys: Iterable[str]) -> bool:
        """Mark these keys, which are listed or hidden already, and no others."""
        before, self.all = self.all, frozenset(keys)
        self.hidden &= self.all
        self.restore_tasks(self.tasks)
        return self.all != before

    def keep(self, marks: Iterable[str], listed: Iterable[str]) -> bool:
        """Mark those of these keys that are listed or kept by `keeps`."""
        before, marks = (self.all, self.hidden), frozenset(marks)
        shown = marks.intersection(listed)
        unlisted = marks - shown
        self.hidden = frozenset(self._keeps(unlisted)) if unlisted and self._keeps is not None else frozenset()
        self.all = shown | self.hidden
        self.restore_tasks(self.tasks)
        return (self.all, self.hidden) != before

    def restore_tasks(self, tasks: Mapping[str, str]) -> None:
        """Let each of these keys that is marked mean this task, and the others none."""
        self.tasks = {key: task for key, task in tasks.items() if key in self.all}

    def in_order(self, listed: Sequence[str]) -> tuple[str, ...]:
        """Return the marked keys in the order shown and then the hidden ones."""
        shown = [key for key in listed if key in self.all] if self.hidden != self.all else []
        return (*shown, *sorted(self.hidden))


def find_key(key: str, near: int, keys: Sequence[str]) -> int | None:
    """Return the index of a key, tried at `near` first; None where it is not listed."""
    if 0 <= near < len(keys) and keys[near] == key:
        return near
    try:
        return keys.index(key)
    except ValueError:
        return None


def cursor_index(cursor: str | None, at: int, before: Sequence[str], keys: Sequence[str]) -> int:
    """Return the cursor's index among new keys: its key, else the next still there, else the one before."""
    if cursor is None:
        return 0
    if (found := find_key(cursor, at, keys)) is not None:
        return found
    if at + 1 < len(before) and at < len(keys) and keys[at] == before[at + 1]:
        return at  # the row that followed has moved up: the usual case
    indexes = {key: index for index, key in enumerate(keys)}
    for key in (*before[at + 1 :], *reversed(before[:at])):
        if key in indexes:
            return min(indexes[key], len(keys) - 1)
    return min(at, len(keys) - 1)

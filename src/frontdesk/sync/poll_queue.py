"""The wanted polls in the order in which they run; `sync/scheduler.py` says when each is due.

1. `PollQueue` keeps the wanted polls in heaps: a decision costs as much with 3,000 open threads as with three.
2. `FairShares` chooses among those that are due: each kind has a weight, its minimum part of the budget while
   others wait. So no kind can starve another one, such as threads to read ahead the list of tasks.
"""

import heapq
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence

from frontdesk.sync.scheduler import DuePoll, Job, urgency

_Entry = tuple[float, str, int, DuePoll]
"""A place in a heap: when, whose, and a number of its own, so that no two polls are compared."""

_DEADLINES = "deadlines"
SPARE_ENTRIES = 64
"""Outdated places that a heap may have besides as many as there are polls."""


class PollQueue:
    """The wanted polls by the time at which they are due.

    Polls among which nothing but that time decides form a line, which is a heap; a decision looks at the first
    poll of each line. There are few lines, however many polls there are.

    A poll that may be due sooner than when it was placed has to be placed again. One that is due later needs
    nothing: when it comes first, it is computed again, and goes back.

    Args:
        due: returns when a job is due now; `None` if it isn't wanted.

    Attributes:
        polls: the wanted polls.
    """

    def __init__(self, due: Callable[[Job], DuePoll | None]):
        self._due = due
        self.polls: dict[Job, DuePoll] = {}
        self._lines = defaultdict[object, list[_Entry]](list)

    def place(self, job: Job) -> None:
        """Compute again when a job is due."""
        poll = self._due(job)
        if poll is None:
            self.polls.pop(job, None)
        elif self.polls.get(job) != poll:
            self.polls[job] = poll
            if not poll.has_failed:
                self._put((poll.share, poll.is_first_look, poll.has_moved, poll.can_wait), poll.at, poll)
                if poll.read_by is not None:
                    self._put(_DEADLINES, poll.read_by, poll)

    def first(self, now: float, failed: Collection[object] = ()) -> list[DuePoll]:
        """Return the first poll of each line and each failed one, the most urgent first.

        A deadline that is over goes before whatever else is due of its kind.
        """
        found = [poll for line in list(self._lines) if (poll := self._first(line, now)) is not None]
        for poll in self.among(failed):
            self.place(poll.job)
        return sorted([*found, *self.among(failed)], key=lambda due: urgency(due, now))

    def among(self, failed: Iterable[object]) -> list[DuePoll]:
        """Return the wanted polls among what has failed, where a change of a target may have a job's place."""
        return [self.polls[each] for each in failed if each in self.polls]

    def _put(self, line: object, at: float, poll: DuePoll) -> None:
        heap = self._lines[line]
        if len(heap) > 2 * len(self.polls) + SPARE_ENTRIES:
            heap[:] = [each for each in heap if self._is_current(each)]
            heapq.heapify(heap)
        heapq.heappush(heap, (at, poll.job.target, id(poll), poll))

    def _is_current(self, entry: _Entry) -> bool:
        return self.polls.get(entry[-1].job) is entry[-1]

    def _first(self, line: object, now: float) -> DuePoll | None:
        heap = self._lines[line]
        while heap:
            first, (at, _, _, poll) = heap[0], heap[0]
            if self._is_current(first):
                self.place(poll.job)
            if not self._is_current(first):
                if heap[0] is first:
                    heapq.heappop(heap)
            elif line != _DEADLINES:
                return poll
            else:
                return poll._replace(at=at, has_moved=True) if at <= now else None
        return None


class FairShares:
    """Start-time fair queuing: a request moves its share, a kind of polls, on by 1 / weight in virtual time.

    While several kinds wait, each gets requests in proportion to its weight; those that a kind doesn't need go to
    the others, and no kind saves up a claim while it has nothing to fetch.
    """

    def __init__(self) -> None:
        self._time = 0.0
        self._next = defaultdict[object, float](float)

    def choose(self, waiting: Sequence[DuePoll]) -> DuePoll:
        """Return the first of the waiting polls whose kind goes next."""
        return min(waiting, key=lambda each: (self._start(each), each.job.kind.rank))

    def charge(self, poll: DuePoll) -> None:
        """Count a poll's first request."""
        self._time = self._start(poll)
        self._next[poll.share] = self._time + 1 / poll.weight

    def charge_more(self, poll: DuePoll, requests: int) -> None:
        """Count a poll's further requests; a negative number takes some back."""
        self._next[poll.share] = max(0.0, self._next[poll.share] + requests / poll.weight)

    def _start(self, poll: DuePoll) -> float:
        return max(self._time, self._next[poll.share])

"""Fair shares for kinds of polls: the poller chooses by them among due polls.

Start-time fair queuing: while several kinds wait, each gets requests in proportion to its weight; requests that a
kind doesn't need go to the others, and no kind saves up a claim while it has nothing to fetch.
"""

from collections.abc import Iterable
from enum import StrEnum


class ReadShare(StrEnum):
    """Kinds of polls that have a share; of two with equal claims the first goes first."""

    THREADS = "threads"
    LIST = "list"
    CAMPAIGNS = "campaigns"
    SWEEP = "sweep"
    DOCUMENTS = "documents"
    UNSEEN_CAMPAIGNS = "unseen campaigns"
    READ_AHEAD = "read ahead"


WEIGHTS = {
    ReadShare.THREADS: 8.0,
    ReadShare.LIST: 8.0,
    ReadShare.CAMPAIGNS: 8.0,
    ReadShare.SWEEP: 3.0,
    ReadShare.DOCUMENTS: 3.0,
    ReadShare.UNSEEN_CAMPAIGNS: 3.0,
    ReadShare.READ_AHEAD: 1.0,
}

_RANK = {share: place for place, share in enumerate(ReadShare)}


class FairShares:
    """The claims of all kinds of polls, in virtual time: a request moves its kind on by 1 / weight."""

    def __init__(self) -> None:
        self._time = 0.0
        self._next = dict.fromkeys(ReadShare, 0.0)

    def choose(self, waiting: Iterable[ReadShare]) -> ReadShare:
        """Return the waiting kind that goes next.

        Raises:
            ValueError: no kind is waiting.
        """
        return min(waiting, key=lambda each: (self._start(each), _RANK[each]))

    def charge(self, share: ReadShare, requests: int = 1) -> None:
        """Count requests of a kind."""
        self._time = self._start(share)
        self._next[share] = self._time + requests / WEIGHTS[share]

    def charge_more(self, share: ReadShare, requests: int) -> None:
        """Count further requests of a poll that was charged before; a negative number takes some back."""
        self._next[share] = max(0.0, self._next[share] + requests / WEIGHTS[share])

    def _start(self, share: ReadShare) -> float:
        return max(self._time, self._next[share])

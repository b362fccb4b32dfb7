"""Order in which the poller fetches threads in the background."""

from collections.abc import Callable, Collection

from frontdesk.sync.resources import Resources

SET_ASIDE_SECONDS, MAX_SET_ASIDE_SECONDS = 60.0, 3_600.0
"""Seconds for which a thread that couldn't be fetched is skipped: twice as long each time, up to the maximum."""


class ThreadQueue:
    """Threads in order of fetching, with those that have a sign of a new message first.

    Then come those in which somebody may have answered elsewhere, then both ends of those never fetched, in
    turn. One end is at the top of the list by activity. The other has open tasks and was quiet for longest: those
    who wait longest are among these, and would be known last.
    """

    def __init__(self, resources: Resources, clock: Callable[[], float]):
        self._resources, self._clock = resources, clock
        self._aside_until: dict[str, float] = {}
        self._aside_seconds: dict[str, float] = {}
        self._never_read = ""
        self._from_oldest = False

    def choose(self, open_threads: Collection[str]) -> str:
        """Return the next thread to fetch that isn't open; empty if there is none."""
        now = self._clock()
        for each in [each for each, until in self._aside_until.items() if until <= now]:
            del self._aside_until[each]
        excluded = {*self._aside_until, *open_threads}
        count = len(excluded) + 1
        self._never_read = ""
        for each in (*self._resources.outdated_threads(count), *self._resources.threads_to_check(count)):
            if each not in excluded:
                return each
        # If nothing is left at the oldest end, the other end takes its turn.
        for from_oldest in (True, False) if self._from_oldest else (False,):
            for each in self._resources.never_read_threads(count, from_oldest=from_oldest):
                if each not in excluded:
                    self._never_read = each
                    return each
        return ""

    def set_aside(self, conversation_id: str) -> None:
        """Skip a thread that can't be fetched, for a time."""
        seconds = min(MAX_SET_ASIDE_SECONDS, 2 * self._aside_seconds.get(conversation_id, SET_ASIDE_SECONDS / 2))
        self._aside_seconds[conversation_id] = seconds
        self._aside_until[conversation_id] = self._clock() + seconds

    def note_read(self, conversation_id: str) -> None:
        """Record that a thread could be fetched."""
        self._aside_seconds.pop(conversation_id, None)

    def try_all(self) -> None:
        """Take back every thread that was set aside."""
        self._aside_until.clear()
        self._aside_seconds.clear()

    def note_begun(self, conversation_id: str) -> None:
        """Give the other end its turn when a thread's first fetch begins; an outdated thread takes no turn."""
        if conversation_id == self._never_read:
            self._from_oldest = not self._from_oldest

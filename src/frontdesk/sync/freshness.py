"""Age of the data on the screens: the engine reports late polls, and each screen finds its own among them.

A poll is late if its data is older than twice its interval. Ages are reported in steps, and the oldest of the last
seconds counts, so that a screen is seldom redrawn for them. Data whose interval exceeds `LIVE_SECONDS` while
nobody looks closely is reported with its maximum age, so that the words don't change with each poll.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from frontdesk.storage.records import LateRead
from frontdesk.sync.scheduler import FIRST_PAGE, JITTER, DuePoll, Job, PollKind

LIVE_SECONDS = 15.0
"""Maximum age in seconds of data that is called live, without its age."""

LATE_INTERVALS = 2.0
"""Number of intervals after which a poll is late."""

OPENED_SECONDS = 2.0
"""Seconds after opening data in which its lateness isn't reported, since it is being fetched."""

HELD_SECONDS = 45.0
"""Seconds without lateness after which it is no longer reported, so that the words don't alternate.

With five to seven running campaigns polls are late now and then, at most 40 s apart. Lateness through a failure or
a slow reply is reported until the next poll instead: it doesn't come back by itself.
"""

REPORT_SECONDS = 1.0
"""Seconds between two reports."""

MINUTE, HOUR, DAY = 60.0, 3_600.0, 86_400.0
AGE_STEPS = (
    *(5.0, 10.0, 15.0, 20.0, 30.0, 45.0),
    *(MINUTE * each for each in (1, 2, 5, 10, 20, 30)),
    *(HOUR * each for each in (1, 2, 6, 12, 24)),
)
"""Steps of the age in seconds; an age above the last step has no upper bound."""

_OLDEST = float("inf")


class _LateAge(NamedTuple):
    """An age that was too high at a moment, and the poll whose next run ends this, if any."""

    at: float
    age: float
    until_read: Job | None

    def is_held(self, now: float, unread_since_trouble: Collection[Job]) -> bool:
        """Return whether the age is still reported."""
        if self.age == _OLDEST or not 0 <= now - self.at < HELD_SECONDS:
            return False
        return self.until_read is None or self.until_read in unread_since_trouble


class LateReads:
    """The late data on the screens, computed for the poller once a second."""

    def __init__(self) -> None:
        self._shown: dict[Job, tuple[float, float]] = {}
        self._late_ages: dict[tuple[str, str], list[_LateAge]] = {}

    def update(
        self,
        on_screen: Iterable[DuePoll],
        read_at: Mapping[Job, float],
        now: float,
        *,
        unread_since_trouble: Collection[Job] = (),
        told_after: float = 0.0,
    ) -> tuple[LateRead, ...]:
        """Return the late and the old polls of the data on the screens.

        Args:
            read_at: when the last polls were requested, without those that this engine hasn't run.
            unread_since_trouble: polls that are late because of a failure or a slow reply. Their lateness ends
                with their next run; other lateness, from a budget that is too small, would come back at once.
            told_after: maximum seconds until this machine knows about a poll that another one has run.
        """
        polls = list(on_screen)
        self._shown = {each.job: (self._shown_since(each, now), each.interval) for each in polls}
        keys = {_key(each.job) for each in polls}
        self._late_ages = {
            key: [each for each in ages if each.is_held(now, unread_since_trouble)]
            for key, ages in self._late_ages.items()
            if key in keys
        }
        oldest = dict.fromkeys(keys, 0.0)
        for each in polls:
            at, key, interval = read_at.get(each.job), _key(each.job), each.interval or FIRST_PAGE
            age = _OLDEST if at is None else now - at
            if now - self._shown[each.job][0] < OPENED_SECONDS:
                continue
            if age > LATE_INTERVALS * interval + told_after:
                until_read = each.job if each.job in unread_since_trouble else None
                self._late_ages.setdefault(key, []).append(_LateAge(now, age, until_read))
            else:
                oldest[key] = max(oldest[key], age, interval * (1 + JITTER) + told_after)
        found = (self._report(key, oldest[key]) for key in sorted(keys))
        return tuple(each for each in found if each is not None)

    def _report(self, key: tuple[str, str], oldest: float) -> LateRead | None:
        """Return the late data of a key, or else data older than live; `oldest` is the age of other data."""
        late = [each.age for each in self._late_ages.get(key, ())]
        if late:
            return LateRead(*key, max_age(max(*late, oldest)))
        if oldest <= LIVE_SECONDS:
            return None
        return LateRead(*key, max(2 * LIVE_SECONDS, max_age(oldest) or 0.0), is_late=False)

    def _shown_since(self, poll: DuePoll, now: float) -> float:
        """Return when it was first shown; start over if its interval drops sharply."""
        since, interval = self._shown.get(poll.job, (now, poll.interval))
        return now if poll.interval < interval / LATE_INTERVALS else since


def max_age(age: float) -> float | None:
    """Return an upper bound of the age until the next report, or `None` if it was never fetched."""
    if age == _OLDEST:
        return None
    return next((step for step in AGE_STEPS if age + REPORT_SECONDS <= step), _OLDEST)


def _key(job: Job) -> tuple[str, str]:
    """Return the kind and id under which a poll is reported: all campaigns are on one screen."""
    return str(job.kind), "" if job.kind is PollKind.CAMPAIGN else job.target

"""Role of a machine in its team's polling, and the other machines' screens.

One of a team's machines polls tasks, threads and campaigns for all of them, and the others apply what it publishes
(docs/team.md). Workflows and AI agents are polled by each machine that shows them.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from frontdesk.storage.clients import Focus
from frontdesk.storage.records import Duty
from frontdesk.sync.scheduler import NO_WATCH, DuePoll, Job, PollKind, ThreadWatch

SHARED_KINDS = frozenset(
    {PollKind.THREAD, PollKind.TASKS_OF, PollKind.TASKS_HEAD, PollKind.TASKS_SWEEP, PollKind.THREAD_BEHIND}
)
"""Kinds of polls that only the leader runs; each machine makes a campaign's first poll itself."""

TOLD_AFTER_SECONDS = 5.0
"""Seconds until a poll of the leader is known: it reports every 2 s, and the others look every 2 s."""

NO_READS: Mapping[Job, float] = MappingProxyType({})


@dataclass(slots=True)
class TeamRole:
    """A machine's role in polling; `team.link` keeps it up to date, and the poller asks it.

    Attributes:
        polls_from: when a machine that has just lost its team begins to poll, so that not all begin at once.
        screens: the contents of the other machines' screens, for the leader.
        campaigns: the ids of the campaigns that the other machines watch, for the leader.
        read_at: when the leader requested the data that this machine shows, by poll; all its reports are applied.
        known_campaigns: the ids of the campaigns whose list of recipients this machine has fetched itself.
        thread_rest: seconds that open threads without a sign of a new message rest at the leader.
        watch: how open threads without an open task are checked at the leader.
        has_listed: whether the leader has fetched every task.
        untold: polls that the leader isn't asked for, so that this machine runs them.
    """

    duty: Duty = Duty.ALONE
    polls_from: float = 0.0
    screens: Sequence[Focus] = ()
    campaigns: frozenset[str] = frozenset()
    read_at: Mapping[Job, float] = field(default_factory=lambda: NO_READS)
    known_campaigns: set[str] = field(default_factory=set)
    thread_rest: float = 0.0
    watch: ThreadWatch = NO_WATCH
    has_listed: bool = False
    untold: frozenset[Job] = frozenset()

    @property
    def told_after(self) -> float:
        """The maximum seconds until a poll of the leader is known here."""
        return TOLD_AFTER_SECONDS if self.duty is Duty.FOLLOWS else 0.0

    def polls_later(self, now: float) -> bool:
        """Return whether this machine has just lost its team, and waits for a while before it polls for itself."""
        return self.duty is Duty.ALONE and now < self.polls_from

    def is_own(self, poll: DuePoll) -> bool:
        """Return whether this machine runs a poll itself."""
        if self.duty in (Duty.LEADS, Duty.ALONE):
            return True
        job = poll.job
        if job.kind is PollKind.CAMPAIGN:
            return poll.is_first_look or job not in self.read_at or job.target not in self.known_campaigns
        return job in self.untold or (job.kind not in SHARED_KINDS and poll.is_on_screen)

    @property
    def screens_of_others(self) -> Sequence[Focus]:
        """The screens of other machines that decide this one's polls, too."""
        return self.screens if self.duty is Duty.LEADS else ()

    def last_reads(self, own: Mapping[Job, float], jobs: Collection[Job]) -> Mapping[Job, float]:
        """Return when the data on the screens was requested, by this machine or by the leader."""
        if self.duty is not Duty.FOLLOWS:
            return own
        taken = {job: self.read_at[job] for job in jobs if job.kind in SHARED_KINDS and job in self.read_at}
        read_here = {job: at for job, at in own.items() if job.kind not in SHARED_KINDS or job in self.untold}
        return {**taken, **read_here}

"""What a desk reads for itself in a team, and what the others look at.

Of a team's desks one reads tasks, threads and campaigns for all of them, the others take what it publishes
(docs/team.md). Workflows and AI agents are read by whoever looks at them.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from frontdesk.storage.clients import Focus
from frontdesk.storage.records import Duty
from frontdesk.sync.scheduler import DuePoll, Job, PollKind

SHARED_KINDS = frozenset(
    {PollKind.THREAD, PollKind.TASKS_OF, PollKind.TASKS_HEAD, PollKind.TASKS_SWEEP, PollKind.THREAD_BEHIND}
)
"""What the leader alone reads; of campaigns each desk makes the first read itself."""

LEASE_SECONDS = 10.0
"""How long a desk leads its team without being heard (docs/team.md, Who leads)."""

TOLD_AFTER_SECONDS = 5.0
"""The leader tells when it has read what every 2 s, and the others look every 2 s."""

NO_READS: Mapping[Job, float] = MappingProxyType({})


@dataclass(slots=True)
class TeamRole:
    """A desk's part in reading; `app.team_link` keeps it up to date, and the poller asks it.

    Attributes:
        polls_from: a desk that has just lost its team begins to read at this time, so that not all begin at once.
        screens: what the other desks' screens show, for the leader.
        campaigns: the ids of the campaigns that the other desks watch, for the leader.
        read_at: when the leader has asked for what this desk shows, by poll; all that it told is applied.
        known_campaigns: the ids of the campaigns whose list of recipients this desk has read itself.
        thread_rest: how long the leader lets open threads without a sign of a new message rest, seconds.
        has_listed: whether the leader has met every task.
        untold: reads that the leader isn't asked for, so that this desk makes them.
    """

    duty: Duty = Duty.ALONE
    polls_from: float = 0.0
    screens: Sequence[Focus] = ()
    campaigns: frozenset[str] = frozenset()
    read_at: Mapping[Job, float] = field(default_factory=lambda: NO_READS)
    known_campaigns: set[str] = field(default_factory=set)
    thread_rest: float = 0.0
    has_listed: bool = False
    untold: frozenset[Job] = frozenset()

    @property
    def told_after(self) -> float:
        """Seconds after which a read of the leader is known here at the latest."""
        return TOLD_AFTER_SECONDS if self.duty is Duty.FOLLOWS else 0.0

    def is_own(self, poll: DuePoll, now: float) -> bool:
        """Whether this desk is to make a poll itself."""
        if self.duty is Duty.LEADS:
            return True
        if self.duty is Duty.ALONE:
            return now >= self.polls_from
        job = poll.job
        if job.kind is PollKind.CAMPAIGN:
            return poll.is_first_look or job not in self.read_at or job.target not in self.known_campaigns
        return job in self.untold or (job.kind not in SHARED_KINDS and poll.is_on_screen)

    def open_screens(self, own: Sequence[Focus]) -> Sequence[Focus]:
        """Return the screens by which is polled: of all desks for the leader."""
        return [*own, *self.screens] if self.duty is Duty.LEADS else own

    def last_reads(self, own: Mapping[Job, float], jobs: Collection[Job]) -> Mapping[Job, float]:
        """Return when what is on the screens was asked for, by this desk or by the leader."""
        if self.duty is not Duty.FOLLOWS:
            return own
        taken = {job: self.read_at[job] for job in jobs if job.kind in SHARED_KINDS and job in self.read_at}
        read_here = {job: at for job, at in own.items() if job.kind not in SHARED_KINDS or job in self.untold}
        return {**taken, **read_here}

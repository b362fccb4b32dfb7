"""What a desk tells its team of itself, and what it takes from the others' reports.

Every desk writes its report to the relay and reads those of the others, every `TeamTimes.look` seconds.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from frontdesk.campaigns import observations as campaign_observations
from frontdesk.campaigns.polled_campaigns import PolledCampaigns
from frontdesk.campaigns.store import campaigns
from frontdesk.relay.client import RelayClient
from frontdesk.relay.records import Leader, Looker
from frontdesk.storage import clients, record_lookup, team_state
from frontdesk.storage.database import Store
from frontdesk.storage.records import Duty, Health
from frontdesk.sync.scheduler import Job
from frontdesk.sync.team_role import TeamRole
from frontdesk.team.access import TeamTimes
from frontdesk.team.follower import Follower
from frontdesk.team.presence import (
    MAX_CAMPAIGNS,
    Report,
    colleagues_by_conversation,
    parse_report,
    shown_conversations,
    shown_jobs,
    untold_jobs,
)

AGES = (3.0, 5.0, 10.0, 15.0)
"""The steps in which the age of the leader's report is shown; the first is its usual age."""


@dataclass(frozen=True, slots=True)
class OwnReads:
    """What this desk reads itself, as its engine knows it.

    Attributes:
        health: its own connection to the platform.
        read_at: when it asked for what it has read, Unix seconds by poll.
        thread_rest: for how many seconds it lets open threads without a sign of a new message rest.
        has_listed: whether it has met every task itself.
        campaigns: the campaigns that it polls.
        read_by: by id, when a campaign must be read again, for its alerts.
        note_leader: called with what the leader has read of campaigns, Unix seconds by id.
    """

    health: Callable[[], Health]
    read_at: Callable[[], Mapping[Job, float]]
    thread_rest: Callable[[], float]
    has_listed: Callable[[], bool]
    campaigns: Callable[[], PolledCampaigns]
    read_by: Mapping[str, float]
    note_leader: Callable[[Mapping[str, float]], None]


class TeamReports:
    """The reports of a team's desks.

    Args:
        role: what this desk reads; what the others show is noted there.
        clock: Unix seconds; `steady`: seconds that never go back.
        wake: called when this desk has something to read itself.

    Attributes:
        leader: the leader's report.
        leader_name, leader_agent: the leading desk and its person; an empty name where no desk leads.
        leader_age: the age of the leader's report in seconds, in the steps of `AGES`.
    """

    def __init__(
        self,
        store: Store,
        role: TeamRole,
        follower: Follower,
        times: TeamTimes,
        own: OwnReads,
        *,
        clock: Callable[[], float],
        steady: Callable[[], float],
        wake: Callable[[], None],
    ):
        self._store, self._role, self._follower, self._times, self._own = store, role, follower, times, own
        self._clock, self._steady, self._wake = clock, steady, wake
        self.leader, self.leader_name, self.leader_agent, self.leader_age = Report(), "", "", AGES[0]
        self._exchanged_at = float("-inf")
        self._told_reads: Mapping[Job, float] = {}

    @property
    def rest_seconds(self) -> float:
        """Return the seconds until the next exchange."""
        return max(0.0, self._exchanged_at + self._times.look - self._steady())

    def exchange_soon(self) -> None:
        """Make the next exchange due, as after joining."""
        self._exchanged_at = float("-inf")

    def forget_told(self) -> None:
        """Begin to lead: this desk hasn't told anything of what it has read yet."""
        self._told_reads = {}

    async def read(self, relay: RelayClient) -> tuple[Leader | None, list[Looker]] | None:
        """Read the leader and the desks' reports; None where the next exchange isn't due."""
        if self.rest_seconds > 0:
            return None
        return await relay.leader(), await relay.lookers(self._times.present)

    async def apply(self, leader: Leader | None, lookers: Sequence[Looker]) -> None:
        """Apply the reports that were read; what the leader says that it has read is stored by now."""
        self._exchanged_at = self._steady()
        has_leader = leader is not None and leader.seconds_left > 0
        self.leader_name = leader.name if leader is not None and has_leader else ""
        reports = {each.desk: parse_report(each.parts) for each in lookers}
        # Of a leader without a report it isn't known what it has read: the screens show that as connecting.
        leader_desk = "" if leader is None else leader.desk
        self.leader = reports.get(leader_desk, Report())
        self.leader_agent = next((each.agent_id for each in lookers if each.desk == leader_desk), "")
        age = next((each.age for each in lookers if each.desk == leader_desk), AGES[-1])
        self.leader_age = next((step for step in AGES if age < step), AGES[-1])
        role = self._role
        role.screens = [focus for report in reports.values() for focus in report.screens]
        role.campaigns = frozenset(each for report in reports.values() for each in report.campaigns)
        role.read_at = {job: at - self._follower.offset for job, at in self.leader.read_at.items()}
        role.has_listed, role.thread_rest = self.leader.has_listed, self.leader.thread_rest
        await self._note_campaigns()
        await self.write_present(lookers)

    async def write_present(self, lookers: Sequence[Looker]) -> None:
        """Store who has which conversation open."""
        present = colleagues_by_conversation(lookers)
        if team_state.present(self._store.reading) != present:
            await self._store.run(lambda db: team_state.put_present(db, present))

    async def tell(self, relay: RelayClient, *, is_leading: bool, has_published: bool) -> None:
        """Write this desk's report to the relay.

        Args:
            has_published: whether all that this desk has read is published; what it reads is told after that.
        """
        screens = tuple(
            each for each in clients.open_screens(self._store.reading, self._clock()) if not each.paused
        )
        if is_leading and has_published:
            self._told_reads = self._reads_to_tell(screens)
        report = Report(screens, tuple(self._own.campaigns().own[:MAX_CAMPAIGNS]))
        if is_leading:
            health = self._own.health()
            report = replace(
                report,
                read_at=self._told_reads,
                thread_rest=self._own.thread_rest(),
                has_listed=self._own.has_listed(),
                state=health.state,
                reason=health.reason,
            )
        lines = record_lookup.lines_of(self._store.reading, shown_conversations(report))
        self._role.untold = untold_jobs(screens, lines)
        await relay.look(report.parts({**lines, **self._own.campaigns().lines}), self._follower.place.position)

    def _reads_to_tell(self, screens: Sequence[clients.Focus]) -> dict[Job, float]:
        """Return when the leader asked for what any desk shows, by the relay's clock."""
        reads, offset = self._own.read_at(), self._follower.offset
        readable = self._role.campaigns - self._own.campaigns().unreadable
        jobs = shown_jobs([*screens, *self._role.screens], readable)
        return {job: reads[job] + offset for job in jobs if job in reads}

    async def _note_campaigns(self) -> None:
        """Note what the leader has read of this desk's campaigns, though nothing differed."""
        role = self._role
        # What was unwatched meanwhile has missed changes.
        role.known_campaigns &= set(self._own.campaigns().own) - self._follower.changed_lists.keys()
        if role.duty is not Duty.FOLLOWS:
            return
        read_at = {job.target: at for job, at in role.read_at.items() if job.target in role.known_campaigns}
        if self._follower.campaigns_read_at.keys() - read_at.keys():
            self._wake()  # the leader doesn't read all of them any more
        self._follower.campaigns_read_at = read_at
        reads = campaign_observations.reads_to_note(self._store.reading, read_at, self._own.read_by)
        if reads:
            await self._store.run(lambda db: campaigns.note_unchanged(db, reads))
        self._own.note_leader(read_at)

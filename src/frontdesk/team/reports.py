"""What a desk tells its team of itself, and what it takes from the others' reports.

Every desk writes its report to the relay and reads those of the others, every `TeamTimes.look` seconds.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from frontdesk.campaigns import observations as campaign_observations
from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.sync import PolledCampaigns
from frontdesk.relay.client import RelayClient
from frontdesk.relay.records import Leader, Looker
from frontdesk.storage import clients, record_lookup, team_state
from frontdesk.storage.clients import Focus
from frontdesk.storage.database import Store
from frontdesk.storage.records import Connection, Duty, Health
from frontdesk.storage.team_state import Colleague
from frontdesk.sync.scheduler import HEAD, NO_WATCH, Job, PollKind, ThreadWatch, jobs_on
from frontdesk.sync.team_role import NO_READS, SHARED_KINDS, TeamRole
from frontdesk.tasks.task_filter import Scope
from frontdesk.team.access import TeamTimes
from frontdesk.team.follower import Follower

MAX_CAMPAIGNS = 200
"""So many of its watched campaigns a desk has read by the leader; the others it reads itself."""

_KINDS = {str(kind): kind for kind in (*SHARED_KINDS, PollKind.CAMPAIGN)}


@dataclass(frozen=True, slots=True)
class Report:
    """What one desk tells.

    Attributes:
        read_at: of the leader, when it asked for what the desks show, Unix seconds of the relay's clock.
        thread_rest: of the leader, how long it lets open threads without a sign rest, seconds.
        watch: of the leader, how it checks open threads without an open task.
        has_listed: of the leader, whether it has met every task.
        state, reason: of the leader, its connection to the platform.
    """

    screens: tuple[Focus, ...] = ()
    campaigns: tuple[str, ...] = ()
    read_at: Mapping[Job, float] = field(default_factory=lambda: NO_READS)
    thread_rest: float = 0.0
    watch: ThreadWatch = NO_WATCH
    has_listed: bool = False
    state: Connection = Connection.STARTING
    reason: str = ""

    def parts(self, lines: Mapping[str, str]) -> list[tuple[str, str]]:
        """Return it as the relay keeps it: JSON by line. The part without a line comes first.

        Everybody in the team may read that part, so a conversation whose line isn't known is left out.

        Args:
            lines: of conversations and campaigns, by their id; a campaign that isn't among them belongs to none.
        """
        screens: dict[str, list[object]] = defaultdict(list)
        campaigns: dict[str, list[str]] = defaultdict(list)
        reads: dict[str, list[object]] = defaultdict(list)
        for each in self.screens:
            if (line := _line_of(each, lines)) is not None:
                screens[line].append(each._asdict())
        for job, at in self.read_at.items():
            if (line := _line_of_job(job, lines)) is not None:
                reads[line].append([job.kind, job.target, round(at, 1)])
        for campaign_id in self.campaigns:
            campaigns[lines.get(campaign_id, "")].append(campaign_id)
        head: dict[str, object] = {
            "listed": self.has_listed,
            "state": self.state,
            "reason": self.reason,
            "rest": self.thread_rest,
            "watch": self.watch,
        }
        found = []
        for line in sorted({"", *screens, *campaigns, *reads}):
            part = {"screens": screens[line], "campaigns": campaigns[line], "reads": reads[line]}
            found.append((line, json.dumps(part if line else part | head)))
        return found


def parse_report(parts: Iterable[str]) -> Report:
    """Parse what another desk tells, as far as this version knows it; an unreadable part is left out."""
    screens: list[Focus] = []
    campaigns: list[str] = []
    read_at: dict[Job, float] = {}
    head = Report()
    for text in parts:
        try:
            said = json.loads(text)
            part = Report(
                tuple(_focus(each) for each in said["screens"]),
                tuple(str(each) for each in said.get("campaigns", ())[:MAX_CAMPAIGNS]),
                {Job(_KINDS[k], str(t)): float(at) for k, t, at in said.get("reads", ()) if k in _KINDS},
                float(said.get("rest", 0.0)),
                _watch(*said.get("watch", NO_WATCH)),
                bool(said.get("listed")),
                Connection(said.get("state", Connection.STARTING)),
                str(said.get("reason", "")),
            )
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            continue
        screens += part.screens
        campaigns += part.campaigns
        read_at |= part.read_at
        if "state" in said:
            head = part
    return replace(head, screens=tuple(screens), campaigns=tuple(campaigns), read_at=read_at)


def shown_conversations(report: Report) -> list[str]:
    """Return the conversations that a report names, whose lines `Report.parts` needs."""
    found = {each.conversation_id for each in report.screens}
    found |= {job.target for job in report.read_at if job.kind is PollKind.THREAD}
    keys = {each.tasks_of for each in report.screens}
    keys |= {job.target for job in report.read_at if job.kind is PollKind.TASKS_OF}
    found |= {_scope(key).conversation_id for key in keys}
    return sorted(found - {""})


def shown_jobs(screens: Iterable[Focus], campaigns: Iterable[str]) -> set[Job]:
    """Return the reads for a team of what screens show, and of watched campaigns."""
    shown = (job for each in screens for job in jobs_on(each) if job.kind in SHARED_KINDS)
    return {HEAD, *(Job(PollKind.CAMPAIGN, each) for each in campaigns), *shown}


def untold_jobs(screens: Iterable[Focus], lines: Mapping[str, str]) -> frozenset[Job]:
    """Return the shared reads of screens that the others aren't told of, since their line isn't known."""
    untold = [each for each in screens if _line_of(each, lines) is None]
    return frozenset(shown_jobs(untold, ()) - {HEAD})


def colleagues_by_conversation(reports: Iterable[tuple[Looker, Report]]) -> dict[str, list[Colleague]]:
    """Return who has which conversation open."""
    found: dict[str, set[Colleague]] = defaultdict(set)
    for looker, report in reports:
        for each in report.screens:
            if each.conversation_id:
                found[each.conversation_id].add(Colleague(looker.agent_id, looker.name))
    return {conversation: sorted(found[conversation]) for conversation in sorted(found)}


def _watch(seconds: Any, walk_pages: Any) -> ThreadWatch:
    return ThreadWatch(float(seconds), int(walk_pages))


def _focus(said: Mapping[str, Any]) -> Focus:
    return Focus(**{name: said[name] for name in Focus._fields if name in said})


def _line_of(shown: Focus, lines: Mapping[str, str]) -> str | None:
    """Return the line of what a screen shows: empty for what belongs to none, None where it isn't known."""
    if shown.conversation_id:
        return lines.get(shown.conversation_id)
    return _line_of_scope(_scope(shown.tasks_of), lines)


def _line_of_scope(scope: Scope, lines: Mapping[str, str]) -> str | None:
    if scope.line_id or not scope.conversation_id:
        return scope.line_id
    return lines.get(scope.conversation_id)


def _line_of_job(job: Job, lines: Mapping[str, str]) -> str | None:
    if job.kind is PollKind.TASKS_OF:
        return _line_of_scope(_scope(job.target), lines)
    return lines.get(job.target) if job.kind is PollKind.THREAD else lines.get(job.target, "")


def _scope(key: str) -> Scope:
    """Parse the key of a filter's tasks, which another desk may have told."""
    try:
        return Scope(*map(str, Scope.of_key(key)))
    except (ValueError, TypeError, RecursionError):
        return Scope()


AGES = (3.0, 5.0, 10.0, 15.0)
"""The steps in which the age of the leader's report is shown; the first is its usual age."""


@dataclass(frozen=True, slots=True)
class OwnReads:
    """What this desk reads itself, as its engine knows it.

    Attributes:
        health: its own connection to the platform.
        read_at: when it asked for what it has read, Unix seconds by poll.
        thread_rest: for how many seconds it lets open threads without a sign of a new message rest.
        watch: how it checks open threads without an open task.
        campaigns: the campaigns that it polls.
        read_by: by id, when a campaign must be read again, for its alerts.
        note_leader: called with what the leader has read of campaigns, Unix seconds by id.
    """

    health: Callable[[], Health]
    read_at: Callable[[], Mapping[Job, float]]
    thread_rest: Callable[[], float]
    watch: Callable[[], ThreadWatch]
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
        self._reports: dict[str, tuple[Looker, Report]] = {}

    @property
    def rest_seconds(self) -> float:
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
        leader = await relay.leader()
        return leader, await relay.lookers(self._times.present, "" if leader is None else leader.desk)

    async def apply(self, leader: Leader | None, lookers: Sequence[Looker]) -> None:
        """Apply the reports that were read; what the leader says that it has read is stored by now."""
        self._exchanged_at = self._steady()
        has_leader = leader is not None and leader.seconds_left > 0
        self.leader_name = leader.name if leader is not None and has_leader else ""
        before = self._reports
        self._reports = {
            each.desk: kept
            if (kept := before.get(each.desk)) is not None and kept[0] is each
            else (each, parse_report(each.parts))
            for each in lookers
        }
        reports = {desk: report for desk, (_, report) in self._reports.items()}
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
        role.watch = self.leader.watch
        await self._note_campaigns()
        await self.write_present(self._reports.values())

    async def write_present(self, reports: Iterable[tuple[Looker, Report]]) -> None:
        present = colleagues_by_conversation(reports)
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
                watch=self._own.watch(),
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

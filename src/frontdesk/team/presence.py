"""What a team's desks show, as they tell it each other through the relay."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from frontdesk.relay.records import Looker
from frontdesk.storage.clients import Focus
from frontdesk.storage.records import Connection
from frontdesk.storage.team_state import Colleague
from frontdesk.sync.scheduler import Job, PollKind
from frontdesk.sync.team_role import NO_READS, SHARED_KINDS
from frontdesk.tasks.task_filter import Scope

MAX_CAMPAIGNS = 200
"""So many of its watched campaigns a desk has read by the leader; the others it reads itself."""

_KINDS = {str(kind): kind for kind in (*SHARED_KINDS, PollKind.CAMPAIGN)}


@dataclass(frozen=True, slots=True)
class Report:
    """What one desk tells.

    Attributes:
        screens: what its screens show.
        campaigns: the ids of the campaigns that it watches.
        read_at: of the leader, when it asked for what the desks show, Unix seconds of the relay's clock.
        thread_rest: of the leader, how long it lets open threads without a sign rest, seconds.
        has_listed: of the leader, whether it has met every task.
        state, reason: of the leader, its connection to the platform.
    """

    screens: tuple[Focus, ...] = ()
    campaigns: tuple[str, ...] = ()
    read_at: Mapping[Job, float] = field(default_factory=lambda: NO_READS)
    thread_rest: float = 0.0
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
        }
        return [
            (line, json.dumps({**_part(screens[line], campaigns[line], reads[line]), **({} if line else head)}))
            for line in sorted({"", *screens, *campaigns, *reads})
        ]


def _part(screens: list[object], campaigns: list[str], reads: list[object]) -> dict[str, object]:
    return {"screens": screens, "campaigns": campaigns, "reads": reads}


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
    jobs = {Job(PollKind.TASKS_HEAD), *(Job(PollKind.CAMPAIGN, each) for each in campaigns)}
    for each in screens:
        if each.conversation_id:
            jobs.add(Job(PollKind.THREAD, each.conversation_id))
        if each.tasks_of:
            jobs.add(Job(PollKind.TASKS_OF, each.tasks_of))
    return jobs


def untold_jobs(screens: Iterable[Focus], lines: Mapping[str, str]) -> frozenset[Job]:
    """Return the shared reads of screens that the others aren't told of, since their line isn't known."""
    untold = [each for each in screens if _line_of(each, lines) is None]
    return frozenset(shown_jobs(untold, ()) - {Job(PollKind.TASKS_HEAD)})


def colleagues_by_conversation(lookers: Collection[Looker]) -> dict[str, list[Colleague]]:
    """Return who has which conversation open."""
    found: dict[str, set[Colleague]] = defaultdict(set)
    for looker in lookers:
        for each in parse_report(looker.parts).screens:
            if each.conversation_id:
                found[each.conversation_id].add(Colleague(looker.agent_id, looker.name))
    return {conversation: sorted(found[conversation]) for conversation in sorted(found)}


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

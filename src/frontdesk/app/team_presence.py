"""What a team's desks show, as they tell it each other through the relay."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from frontdesk.relay.records import Looker
from frontdesk.storage.clients import Focus
from frontdesk.storage.records import Connection
from frontdesk.sync.scheduler import Job, PollKind
from frontdesk.sync.team_role import SHARED_KINDS


@dataclass(frozen=True, slots=True)
class Report:
    """What one desk tells.

    Attributes:
        screens: what its screens show.
        read_at: of the leader, when it asked for what the desks show, Unix seconds of the relay's clock.
        has_listed: of the leader, whether it has met every task.
        state, reason: of the leader, its connection to the platform.
    """

    screens: tuple[Focus, ...] = ()
    read_at: Mapping[Job, float] | None = None
    has_listed: bool = False
    state: Connection = Connection.STARTING
    reason: str = ""

    def text(self) -> str:
        """Return it as the relay keeps it."""
        reads = None
        if self.read_at is not None:
            reads = [[job.kind, job.target, round(at, 1)] for job, at in self.read_at.items()]
        return json.dumps(
            {
                "screens": [asdict(each) for each in self.screens],
                "reads": reads,
                "listed": self.has_listed,
                "state": self.state,
                "reason": self.reason,
            }
        )


def parse_report(text: str) -> Report:
    """Parse what another desk tells, as far as this version knows it."""
    try:
        said = json.loads(text)
        reads = said.get("reads")
        kinds = {str(kind): kind for kind in SHARED_KINDS}
        return Report(
            tuple(_focus(each) for each in said["screens"]),
            None if reads is None else {Job(kinds[k], str(t)): float(at) for k, t, at in reads if k in kinds},
            bool(said.get("listed")),
            Connection(said.get("state", Connection.STARTING)),
            str(said.get("reason", "")),
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        return Report()


def shown_jobs(screens: Iterable[Focus]) -> set[Job]:
    """Return the shared reads of what screens show."""
    jobs = {Job(PollKind.TASKS_HEAD)}
    for each in screens:
        if each.conversation_id:
            jobs.add(Job(PollKind.THREAD, each.conversation_id))
        if each.tasks_of:
            jobs.add(Job(PollKind.TASKS_OF, each.tasks_of))
    return jobs


def names_by_conversation(lookers: Collection[Looker], names: Mapping[str, str]) -> dict[str, list[str]]:
    """Return who has which conversation open.

    Args:
        names: of agents by their id; others are named by their desk.
    """
    found: dict[str, list[str]] = {}
    for looker in lookers:
        name = names.get(looker.agent_id) or looker.name
        for each in parse_report(looker.what).screens:
            if each.conversation_id and name not in found.setdefault(each.conversation_id, []):
                found[each.conversation_id].append(name)
    return {conversation: sorted(found[conversation]) for conversation in sorted(found)}


def _focus(said: Mapping[str, Any]) -> Focus:
    return Focus(**{name: said[name] for name in Focus.__slots__ if name in said})

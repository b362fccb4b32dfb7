"""Tells a host that refuses every poll from one that refuses single ids; the poller keeps one for each host."""

from frontdesk.api.client.errors import NotFound, Refused
from frontdesk.sync.scheduler import Job, PollKind

_LISTS = frozenset(
    {PollKind.TASKS_HEAD, PollKind.TASKS_SWEEP, PollKind.WORKFLOWS, PollKind.WHOLE_WORKFLOWS, PollKind.AI_AGENTS}
)
"""Polls without an id, so a refusal isn't about an id."""

MIN_REFUSED = 3
"""Number of refused ids, without an answer in between, after which a host counts as refusing every poll."""


class Refusals:
    """The refused polls of one host since its last answer."""

    def __init__(self) -> None:
        self._lists_answered: set[PollKind] = set()
        self._refused: set[Job] = set()

    def answered(self, job: Job) -> None:
        if job.kind in _LISTS:
            self._lists_answered.add(job.kind)
        self._refused.clear()

    def refuse_all(self, job: Job, error: Refused) -> bool:
        """Record a refused poll; return whether the host refuses every poll, not single ids."""
        if job.kind in _LISTS:
            self._lists_answered.discard(job.kind)
            return not self._lists_answered
        if not isinstance(error, NotFound):
            self._refused.add(job)
        return not self._lists_answered and len(self._refused) >= MIN_REFUSED

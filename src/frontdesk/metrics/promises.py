"""Which responses and resolutions were within the targets of the service policies.

What may have been in time and may have been late has an unknown outcome: it isn't counted as either.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import apsw

from frontdesk.metrics.aggregation import Closing
from frontdesk.metrics.facts import Outcome, TimedResponse, ids_of_rows
from frontdesk.service_clocks import store as clock_store
from frontdesk.service_clocks.clocks import DONE, ClockKind, Policy, TaskStatuses, resolution_seconds
from frontdesk.service_clocks.policies import FindMatches, policy_of_each
from frontdesk.service_clocks.store import KnownTask


@dataclass(frozen=True, slots=True)
class Promises:
    """The service policies of a profile, and how to find out which conversations each is for."""

    policies: Sequence[Policy] = ()
    find_matches: FindMatches = lambda _db, _match, ids: ids

    @property
    def kinds(self) -> frozenset[ClockKind]:
        return frozenset(kind for each in self.policies for kind in each.targets)

    def of_conversations(self, db: apsw.Connection, ids: Collection[str]) -> dict[str, Policy]:
        return policy_of_each(self.policies, self.find_matches, db, ids)

    def judge_responses(self, db: apsw.Connection, found: Sequence[TimedResponse]) -> list[TimedResponse]:
        if not self.kinds - {ClockKind.RESOLUTION}:
            return [*found]
        ids = ids_of_rows(db, {each.conversation for each in found})
        policies = self.of_conversations(db, ids.values())
        of_rows = {number: policies.get(conversation_id) for number, conversation_id in ids.items()}
        return [each._replace(outcome=response_outcome(of_rows.get(each.conversation), each)) for each in found]

    def judge_closings(self, db: apsw.Connection, found: Sequence[Closing]) -> list[Closing]:
        if ClockKind.RESOLUTION not in self.kinds:
            return [*found]
        policies = self.of_conversations(db, {clock_owner(each) for each in found})
        tasks = [KnownTask(each.task.task_id, each.task.status, each.task.created_at) for each in found]
        statuses = clock_store.read_statuses(db, tasks)
        outcomes = [
            None
            if (policy := policies.get(clock_owner(each))) is None
            else resolution_outcome(policy, each, statuses[each.task.task_id])
            for each in found
        ]
        return [replace(each, outcome=outcome) for each, outcome in zip(found, outcomes, strict=True)]


def response_outcome(policy: Policy | None, response: TimedResponse) -> Outcome | None:
    """Return whether a response was in time, in business hours; None without a target."""
    if policy is None:
        return None
    if response.is_first is None or response.seconds is None:
        has_target = ClockKind.FIRST in policy.targets or ClockKind.NEXT in policy.targets
        return Outcome.UNKNOWN if has_target else None
    target = policy.targets.get(ClockKind.FIRST if response.is_first else ClockKind.NEXT)
    if target is None:
        return None
    # Business time is never longer than the time by the wall clock.
    is_kept = response.seconds <= target or (
        policy.hours.between(response.at - response.seconds, response.at) <= target
    )
    return Outcome.KEPT if is_kept else Outcome.MISSED


def resolution_outcome(policy: Policy, closing: Closing, statuses: TaskStatuses) -> Outcome | None:
    """Return whether a task was completed in time, in business hours; None without a target."""
    target = policy.targets.get(ClockKind.RESOLUTION)
    if target is None:
        return None
    if statuses.created_at is None:
        return Outcome.UNKNOWN
    until_then = tuple(each for each in statuses.changes if each.not_after <= closing.latest)
    if not any(each.after == DONE for each in until_then):
        # It was completed before its history begins: how long it was paused isn't known.
        longest = policy.hours.between(statuses.created_at, closing.latest)
        return Outcome.KEPT if longest <= target else Outcome.UNKNOWN
    least, most = resolution_seconds(
        policy, statuses._replace(changes=until_then), closing.earliest, closing.latest
    )
    if most <= target:
        return Outcome.KEPT
    return Outcome.MISSED if least > target else Outcome.UNKNOWN


def clock_owner(closing: Closing) -> str:
    """Return the conversation by which the policy of a task is found."""
    return closing.task.conversation_id or clock_store.lone_task(closing.task.task_id)

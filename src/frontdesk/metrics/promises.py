"""Which responses and resolutions were within the targets of the service policies.

What may have been in time and may have been late has an unknown outcome: it isn't counted as either.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import apsw

from frontdesk.metrics.aggregation import Closing
from frontdesk.metrics.facts import Outcome, ResponseGroup, TimedResponse, ids_of_rows
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

    def judge_responses(self, db: apsw.Connection, found: Sequence[ResponseGroup]) -> list[ResponseGroup]:
        """Count the outcomes of each group."""
        if not self.kinds - {ClockKind.RESOLUTION}:
            return [*found]
        policy_of = self._policy_of_row(db, found)
        judged = []
        for each in found:
            target = self._target_of_all(each.is_first)
            unsure = each
            if target is not None:
                unsure = each.only([place for place, seconds in enumerate(each.waited) if seconds > target])
            # Business time is never longer than the time by the wall clock.
            outcomes: dict[Outcome | None, int] = {Outcome.KEPT: len(each.waited) - len(unsure.waited)}
            for one in unsure.each():
                outcome = response_outcome(policy_of(one.conversation), one)
                outcomes[outcome] = outcomes.get(outcome, 0) + 1
            judged.append(each._replace(outcomes=outcomes))
        return judged

    def by_policy(self, db: apsw.Connection, found: Sequence[ResponseGroup]) -> list[ResponseGroup]:
        """Return the groups divided by the policy of their conversations."""
        if not self.policies:
            return [*found]
        policy_of = self._policy_of_row(db, found)
        divided = []
        for each in found:
            places = defaultdict[str, list[int]](list)
            for place, number in enumerate(each.conversations):
                policy = policy_of(number)
                places["" if policy is None else policy.name].append(place)
            divided += [each.only(some)._replace(policy=name) for name, some in places.items()]
        return divided

    def late_responses(self, db: apsw.Connection, found: Sequence[ResponseGroup]) -> list[TimedResponse]:
        policy_of = self._policy_of_row(db, found)
        every = (one for each in found for one in each.each())
        return [one for one in every if response_outcome(policy_of(one.conversation), one) is Outcome.MISSED]

    def judge_closings(self, db: apsw.Connection, found: Sequence[Closing]) -> list[Closing]:
        if ClockKind.RESOLUTION not in self.kinds:
            return [*found]
        policies = policy_of_each(self.policies, self.find_matches, db, {clock_owner(each) for each in found})
        judged, unsure = [], []
        for each in found:
            policy = policies.get(clock_owner(each))
            if policy is not None and ClockKind.RESOLUTION in policy.targets:
                if not is_surely_kept(policy, each):
                    unsure.append((policy, each))
                    continue
                each = Closing(each.task, each.earliest, each.latest, Outcome.KEPT)
            judged.append(each)
        tasks = [KnownTask(each.task.task_id, each.task.status, each.task.created_at) for _, each in unsure]
        statuses = clock_store.read_statuses(db, tasks)
        judged += [
            replace(each, outcome=resolution_outcome(policy, each, statuses[each.task.task_id]))
            for policy, each in unsure
        ]
        return judged

    def _policy_of_row(
        self, db: apsw.Connection, found: Sequence[ResponseGroup]
    ) -> Callable[[int], Policy | None]:
        """Return what finds the policy for the row number of a conversation."""
        if not self.policies[0].match:
            return lambda _: self.policies[0]
        ids = ids_of_rows(db, {number for each in found for number in each.conversations})
        policies = policy_of_each(self.policies, self.find_matches, db, ids.values())
        return {number: policies.get(each) for number, each in ids.items()}.get

    def _target_of_all(self, is_first: bool | None) -> float | None:
        """Return within what each response of a kind is in time; None where that depends on the conversation."""
        if is_first is None or self.policies[0].match or self.policies[0].hours is None:
            return None
        return self.policies[0].targets.get(ClockKind.FIRST if is_first else ClockKind.NEXT)


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
    if policy.hours is None:
        return Outcome.UNKNOWN
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
    if statuses.created_at is None or policy.hours is None:
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


def is_surely_kept(policy: Policy, closing: Closing) -> bool:
    """Return whether a task was completed in time even if its clock never stood still."""
    created, target = closing.task.created_at, policy.targets[ClockKind.RESOLUTION]
    if created is None or policy.hours is None:
        return False
    return closing.latest - created <= target or policy.hours.between(created, closing.latest) <= target


def clock_owner(closing: Closing) -> str:
    """Return the conversation by which the policy of a task is found."""
    return closing.task.conversation_id or clock_store.lone_task(closing.task.task_id)

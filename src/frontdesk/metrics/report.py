"""A report of a period, from a store."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import NamedTuple

import apsw

from frontdesk.config.render_context import Catalogue
from frontdesk.metrics import aggregation, alerts, facts
from frontdesk.metrics import store as metrics_store
from frontdesk.metrics.aggregation import Closing, Facts, GroupFilter
from frontdesk.metrics.alerts import ShownAlert
from frontdesk.metrics.facts import (
    ListedConversation,
    MessageGroup,
    Outcome,
    PresentCount,
    ReadCampaigns,
    RunningCampaign,
    TaskFact,
)
from frontdesk.metrics.models import (
    CAMPAIGNS,
    CUSTOMERS,
    KEPT,
    Breakdown,
    Dimension,
    Measure,
    MeasuredNumber,
    NumbersReport,
    ReportRow,
    Sources,
)
from frontdesk.metrics.periods import Period
from frontdesk.metrics.promises import Promises
from frontdesk.service_clocks import store as clock_store
from frontdesk.storage import clients, team_state
from frontdesk.storage.coverage import answers_as_of, is_listed, read_coverage
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import Duty
from frontdesk_api.contract.ids import AgentId

AT_ONCE = 50
"""So many quarters of an hour are counted in one transaction."""


def count_all(store: ProfileStore, period: Period) -> None:
    """Count what is stale in a period and the one before.

    The engine does this between polls; a command without an engine waits for it here.
    """
    start, end = period.before.start, period.end
    while metrics_store.stale(store.reading, start, end):
        store.write(lambda db: metrics_store.count_batch(db, AT_ONCE, start, end)).result()


class _Shares(NamedTuple):
    """The shares of what counts in one period that were read."""

    threads: float
    opened: float
    closed: float


class MetricsReader:
    """Reads the numbers of periods that end up to now.

    Args:
        db: a reading connection; what is stale was counted before.
        now: Unix seconds.
        promises: what answers and completions are promised within.
        read_campaigns: reads the campaigns, which are another feature's.

    Attributes:
        measures: what can be counted: without a promise nothing is in time or late.
        fresh_at: when all was last read, Unix seconds; None for never.
        answers_as_of: as `storage.coverage` has it.
    """

    def __init__(
        self,
        db: apsw.Connection,
        catalogue: Catalogue,
        now: float,
        promises: Promises | None = None,
        read_campaigns: ReadCampaigns = lambda _db, _now: (),
    ):
        self._db, self._catalogue, self._now = db, catalogue, now
        self._promises = promises or Promises()
        self._since = facts.history_since(db)
        self._is_listed, self._dated = is_listed(db), facts.dated_share(db)
        # A follower of a team is told only of what differs.
        self._trusts_checks = team_state.state(db).duty is Duty.FOLLOWS
        self.fresh_at, self.answers_as_of = clients.health(db).fresh_at, answers_as_of(db)
        self._campaigns = cache(lambda: read_campaigns(db, now))
        self._present_now = cache(lambda: facts.present_counts(db, now))
        self._waiting = cache(lambda: facts.waiting_by_quarter(db, now))
        self.measures = [each for each in Measure if self._is_measured(each)]

    def _is_measured(self, measure: Measure) -> bool:
        if measure is Measure.LATE:
            return bool(self._promises.kinds)
        return measure not in KEPT or KEPT[measure] in self._promises.kinds

    def report(self, period: Period, by: Sequence[Dimension] = ()) -> NumbersReport:
        before = period.before
        closed = self._closings(before.start, period.end)
        threads = facts.thread_shares(self._db, [period, before], trusts_checks=self._trusts_checks)
        shares = [self._shares(each, share) for each, share in zip((period, before), threads, strict=True)]
        groupings = [_grouping(each) for each in by]
        grouped = {each: self._read(period, each) for each in groupings or [None]}
        # Whatever they are grouped by, they add up to the same.
        now_numbers = self._numbers(period, shares[0], closed, next(iter(grouped.values())))
        compared = {each: self._read(before, each) for each in [_compared(each) for each in by] or [None]}
        before_numbers = self._numbers(before, shares[1], closed, next(iter(compared.values())))
        now_numbers[Measure.ALERTS], before_numbers[Measure.ALERTS] = map(self._alert_count, (period, before))
        now_numbers |= aggregation.present_numbers(self._present(), float(self._is_listed), self._certain())
        # How many there were then isn't kept.
        before_numbers |= {each: MeasuredNumber(None, 0.0) for each in Measure if each.is_present}
        kept = [each for each in self.measures if not each.is_present]
        return NumbersReport(
            period,
            before,
            [ReportRow(each, now_numbers[each], before_numbers[each]) for each in self.measures],
            Sources(shares[0].threads, self._since, self._is_listed, self.answers_as_of),
            [
                replace(
                    self._breakdown(each, period, shares[0], closed, grouped[grouping], self.measures),
                    before=self._breakdown(each, before, shares[1], closed, compared[each], kept).groups
                    if each in compared
                    else (),
                )
                for each, grouping in zip(by, groupings, strict=True)
            ],
            self.alerts(period),
        )

    def alerts(self, period: Period) -> list[ShownAlert]:
        return alerts.shown(self._db, period.start, period.end, self._now)

    def _alert_count(self, period: Period) -> MeasuredNumber:
        kept = aggregation.read_fraction(period, alerts.kept_since(self._now), self._now, self._now)
        return MeasuredNumber(alerts.count(self._db, period.start, period.end), kept)

    def overview(self, period: Period) -> list[Breakdown]:
        """Return the lines and the people, those in trouble first: now, and what they did in a period."""
        (threads,) = facts.thread_shares(self._db, [period], trusts_checks=self._trusts_checks)
        shares, closed = self._shares(period, threads), self._closings(period.start, period.end)
        return [
            self._breakdown(each, period, shares, closed, self._read(period, each), self.measures)
            for each in (Dimension.LINE, Dimension.AGENT)
        ]

    def list_conversations(
        self, period: Period, measure: Measure, group: GroupFilter | None = None
    ) -> list[ListedConversation]:
        """Return the conversations that a number of messages or responses was counted from.

        For a share in time those with a late response; `group` leaves those of one bar of a breakdown.
        """
        if measure in CUSTOMERS:
            found_now = facts.present_conversations(self._db, measure, self._now)
            if group is None:
                return [each for each, _ in found_now]
            its = self._group_facts(group.by)
            return [each for each, one in found_now if group.has_present(one, period, its)]
        kinds = {measure: kind for kind, measure in aggregation.KINDS.items()}
        if measure in kinds:
            return facts.conversations_with(self._db, period, kinds[measure], self._message_group(group, period))
        of_group = None if group is None else self._group_facts(group.by)
        tagged = (of_group and of_group.conversation_ids) or ()
        found = facts.responses(self._db, period, None if group is None else group.by, tagged)
        if group is not None and of_group is not None:
            if group.by is Dimension.SLA:
                found = self._promises.by_policy(self._db, found)
            found = group.responses(found, period, of_group)
        found = [each for each in found if each.is_first is aggregation.RESPONSE_KIND[measure]]
        if measure in KEPT:
            return facts.conversations_of(self._db, self._promises.late_responses(self._db, found))
        return facts.conversations_of(self._db, chain.from_iterable(each.each() for each in found))

    def list_tasks(
        self, period: Period, measure: Measure, group: GroupFilter | None = None
    ) -> list[tuple[TaskFact, float | None]]:
        """Return the tasks that a number was counted from, with how long they were open, the longest first.

        For a share in time those that were completed late; `group` leaves those of one bar of a breakdown.
        """
        # At: the moment by which the task belongs to a day or an hour.
        found: list[tuple[TaskFact, float | None, float | None]]
        if measure is Measure.OPENED:
            found = [(each, None, each.created_at) for each in facts.opened_tasks(self._db, period)]
        elif measure is Measure.OVERDUE:
            overdue = facts.overdue_seconds(self._db, self._now)
            found = [(each, overdue[each.task_id], None) for each in facts.tasks_by_id(self._db, overdue)]
        elif measure is Measure.BACKLOG:
            found = [(each, _age(each, self._now), None) for each in facts.open_tasks(self._db)]
        else:
            sure, _ = aggregation.closed_in(period, self._closings(period.start, period.end))
            if measure in KEPT:
                sure = [each for each in sure if each.outcome is Outcome.MISSED]
            found = [(each.task, each.seconds, each.latest) for each in sure]
        if group is not None:
            of_group = self._group_facts(group.by)
            found = [each for each in found if group.has_task(each[0], each[2], period, of_group, self._now)]
        listed = [(task, seconds) for task, seconds, _ in found]
        return sorted(listed, key=lambda each: (each[1] is None, -(each[1] or 0), each[0].task_id))

    def list_campaigns(self, measure: Measure, group: GroupFilter | None = None) -> list[RunningCampaign]:
        """Return the campaigns that a number was counted from, and those that may belong to it, by pace."""
        found = [
            each
            for each in self._campaigns()
            if (group is None or each.line_id == group.key)
            and (measure is not Measure.THROTTLED or each.is_throttled or not each.is_known)
        ]
        return sorted(found, key=lambda each: (-(each.pace or 0.0), each.name, each.campaign_id))

    def titles(self, tasks: Sequence[TaskFact]) -> Mapping[str, tuple[str, str]]:
        return facts.task_titles(self._db, [each.task_id for each in tasks])

    def _present(self, by: Dimension | None = None) -> list[PresentCount]:
        """Return what counts now, as a dimension groups it; of the whole desk without one."""
        campaigns = facts.campaign_counts(self._campaigns()) if by in (None, Dimension.LINE) else []
        if by is None:
            return [*self._waiting(), facts.due_totals(self._db, self._now), *campaigns]
        if by in (Dimension.HOUR, Dimension.DAY):
            return self._waiting()
        return [*self._present_now(), *campaigns] if by in (Dimension.LINE, Dimension.AGENT) else []

    def _certain(self, by: Dimension | None = None) -> dict[Measure, float]:
        """Return the share of what counts now of which it is known whether it counts, and whose it is."""
        campaigns = self._campaigns()
        placed = sum(bool(each.line_id) for each in campaigns) / len(campaigns) if campaigns and by else 1.0
        certain = {**dict.fromkeys(CAMPAIGNS, placed), Measure.LATE: float(clock_store.is_walked(self._db))}
        if by not in (Dimension.LINE, Dimension.AGENT):
            read = read_coverage(self._db)
            share = read.read / read.known if read.known else 1.0
            certain |= {Measure.WAITING: share, Measure.WAITING_LONG: share}
        return certain

    def _closings(self, since: float, until: float) -> list[Closing]:
        completed = facts.completed_since(self._db, since)
        ids = {each.task_id for each in completed}
        seen = facts.completions(self._db, since, ids)
        others = facts.tasks_by_id(self._db, {each.task_id for each in seen} - ids)
        found = aggregation.closings([*completed, *others], seen)
        within = [each for each in found if each.latest >= since and each.earliest < until]
        return self._promises.judge_closings(self._db, within)

    def _message_group(self, group: GroupFilter | None, period: Period) -> MessageGroup | None:
        if group is None:
            return None
        of_tag = [each for each, tags in self._tags(group.by).items() if group.key in tags]
        return MessageGroup(
            line_id=group.key if group.by is Dimension.LINE else None,
            author=group.key if group.by is Dimension.AGENT else None,
            conversation_ids=of_tag if group.by is Dimension.TAG else None,
            slots=group.slots(period),
        )

    def _tags(self, by: Dimension | None) -> Mapping[str, frozenset[str]]:
        return facts.tags_of_conversations(self._db) if by is Dimension.TAG else {}

    def _group_facts(self, by: Dimension | None) -> Facts:
        """Return what decides to which groups a response or a task belongs."""
        tags = self._tags(by)
        return Facts(
            messages=(),
            responses=(),
            created=(),
            closings=(),
            backlog=(),
            agent_name=lambda each: self._catalogue.person(AgentId(each)),
            agent_names=[each.name for each in self._catalogue.people(())],
            tags=tags,
            conversation_ids=facts.rows_of_ids(self._db, tags),
        )

    def _read(self, period: Period, by: Dimension | None) -> Facts:
        """Read messages and responses, in groups that a dimension doesn't tell apart, with waits in order."""
        of_groups = self._group_facts(by)
        found = facts.responses(self._db, period, by, of_groups.conversation_ids or ())
        if by is Dimension.SLA:
            found = self._promises.by_policy(self._db, found)
        judged = self._promises.judge_responses(self._db, found)
        return replace(
            of_groups,
            messages=facts.message_counts(self._db, period, by),
            # Sorted runs are merged in little time, for the whole and for each bar.
            responses=[each._replace(waited=sorted(each.waited)) for each in judged],
        )

    def _shares(self, period: Period, threads: float) -> _Shares:
        read = aggregation.read_fraction(period, 0.0, self.fresh_at, self._now)
        listed = float(self._is_listed)
        history = aggregation.read_fraction(period, self._since, self.fresh_at, self._now)
        return _Shares(threads * read, self._dated * read * listed, history * listed)

    def _numbers(
        self, period: Period, shares: _Shares, closed: Sequence[Closing], found: Facts
    ) -> dict[Measure, MeasuredNumber]:
        sure, unsure = aggregation.closed_in(period, closed)
        return {
            **aggregation.message_numbers(facts.kind_totals(found.messages), shares.threads),
            **aggregation.response_numbers(found.responses, shares.threads),
            Measure.OPENED: MeasuredNumber(facts.count_opened(self._db, period), shares.opened),
            **aggregation.closing_numbers(sure, len(unsure), shares.closed),
        }

    def _breakdown(
        self,
        by: Dimension,
        period: Period,
        shares: _Shares,
        closed: Sequence[Closing],
        found: Facts,
        measures: Sequence[Measure],
    ) -> Breakdown:
        sure, unsure = aggregation.closed_in(period, closed)
        daily_threads, daily_closed = {}, {}
        if by is Dimension.DAY:
            days = [*period.each_day()]
            of_days = facts.daily_thread_shares(self._db, days, trusts_checks=self._trusts_checks)
            for day, share in zip(days, of_days, strict=True):
                of_day = self._shares(day, share)
                key = day.first_day.isoformat()
                daily_threads[key] = of_day.threads
                daily_closed[key] = (of_day.closed, len(aggregation.closed_in(day, [*sure, *unsure])[1]))
        counts = [each for each in aggregation.MEASURES[by] if each in measures]
        present = self._present(by) if any(each.is_present for each in counts) else []
        counted = replace(
            found,
            created=facts.opened_tasks(self._db, period) if Measure.OPENED in counts else (),
            closings=sure,
            backlog=facts.open_tasks(self._db) if Measure.BACKLOG in counts and not present else (),
            unsure=unsure,
            threads=shares.threads,
            opened=shares.opened,
            closed=shares.closed,
            listed=float(self._is_listed),
            daily_threads=daily_threads,
            daily_closed=daily_closed,
            present=present,
            certain=self._certain(by),
            tagged=facts.tagged_messages(self._db, period, found.tags or {}),
        )
        return aggregation.break_down(by, period, counted, self._now, measures)


def _grouping(by: Dimension) -> Dimension | None:
    """Return by what messages and responses are grouped for a breakdown, which may be of tasks alone."""
    return by if Measure.FIRST_RESPONSES in aggregation.MEASURES[by] else None


def _compared(by: Dimension) -> Dimension | None:
    """Return by what the days before are grouped for a breakdown: their dates, for one, are others."""
    return None if by in (Dimension.DAY, Dimension.WEEK_HOUR) else _grouping(by)


def _age(task: TaskFact, now: float) -> float | None:
    return None if task.created_at is None else max(0.0, now - task.created_at)

"""A report of a period, from a store."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import apsw

from frontdesk.api.contract.ids import AgentId
from frontdesk.config.render_context import Catalogue
from frontdesk.metrics import counting, store
from frontdesk.metrics.counting import Closing, Facts
from frontdesk.metrics.models import (
    Breakdown,
    Dimension,
    Measure,
    MeasuredNumber,
    NumbersReport,
    ReportRow,
    Sources,
)
from frontdesk.metrics.periods import Period
from frontdesk.metrics.store import ListedConversation, TaskFact
from frontdesk.storage import clients
from frontdesk.storage.coverage import is_listed


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

    Attributes:
        fresh_at: when all was last read, Unix seconds; None for never.
    """

    def __init__(self, db: apsw.Connection, catalogue: Catalogue, now: float):
        self._db, self._catalogue, self._now = db, catalogue, now
        self._tasks = store.tasks(db)
        self._since = store.history_since(db)
        self._is_listed = is_listed(db)
        self.fresh_at = clients.health(db).fresh_at

    def report(self, period: Period, by: Sequence[Dimension] = ()) -> NumbersReport:
        """Return all numbers of a period, compared with the one before, and its breakdowns."""
        before = period.before
        closed = self._closings(before.start)
        threads = store.thread_shares(self._db, [period, before])
        shares = [self._shares(each, share) for each, share in zip((period, before), threads, strict=True)]
        now_numbers, before_numbers = (
            self._numbers(each, share, closed) for each, share in zip((period, before), shares, strict=True)
        )
        now_numbers[Measure.BACKLOG] = MeasuredNumber(
            len(counting.open_tasks(self._tasks)), float(self._is_listed)
        )
        before_numbers[Measure.BACKLOG] = MeasuredNumber(None, 0.0)  # how many were open then isn't kept
        return NumbersReport(
            period,
            before,
            [ReportRow(each, now_numbers[each], before_numbers[each]) for each in Measure],
            Sources(shares[0].threads, self._since, self._is_listed),
            [self._breakdown(each, period, shares[0], closed) for each in by],
        )

    def list_conversations(self, period: Period, measure: Measure) -> list[ListedConversation]:
        """Return the conversations that a number of messages was counted from."""
        kinds = {measure: kind for kind, measure in counting.KINDS.items()}
        if measure in kinds:
            return store.conversations_with(self._db, period, kinds[measure])
        return store.conversations_answered(self._db, period)

    def list_tasks(self, period: Period, measure: Measure) -> list[tuple[TaskFact, float | None]]:
        """Return the tasks that a number was counted from, with how long they were open, the longest first."""
        found: list[tuple[TaskFact, float | None]]
        if measure is Measure.OPENED:
            found = [(each, None) for each in counting.opened_in(period, self._tasks)]
        elif measure is Measure.BACKLOG:
            found = [(each, _age(each, self._now)) for each in counting.open_tasks(self._tasks)]
        else:
            sure, _ = counting.closed_in(period, self._closings(period.start))
            found = [(each.task, each.seconds) for each in sure]
        return sorted(found, key=lambda each: (each[1] is None, -(each[1] or 0), each[0].task_id))

    def titles(self, tasks: Sequence[TaskFact]) -> Mapping[str, tuple[str, str]]:
        """Return the titles and customers of tasks."""
        return store.task_titles(self._db, [each.task_id for each in tasks])

    def _closings(self, since: float) -> list[Closing]:
        completed = [
            each.task_id for each in self._tasks if counting.is_completed(each) and (each.updated_at or 0) >= since
        ]
        return counting.closings(self._tasks, store.completions(self._db, since, completed))

    def _shares(self, period: Period, threads: float) -> _Shares:
        read = counting.read_fraction(period, 0.0, self.fresh_at, self._now)
        listed = float(self._is_listed)
        dated = [each for each in self._tasks if each.created_at is not None]
        known = len(dated) / len(self._tasks) if self._tasks else 1.0
        history = counting.read_fraction(period, self._since, self.fresh_at, self._now)
        return _Shares(threads * read, known * read * listed, history * listed)

    def _numbers(
        self, period: Period, shares: _Shares, closed: Sequence[Closing]
    ) -> dict[Measure, MeasuredNumber]:
        sure, unsure = counting.closed_in(period, closed)
        return {
            **counting.message_numbers(store.kind_totals(self._db, period), shares.threads),
            **counting.response_numbers(store.response_seconds(self._db, period), shares.threads),
            Measure.OPENED: MeasuredNumber(len(counting.opened_in(period, self._tasks)), shares.opened),
            **counting.closing_numbers(sure, unsure, shares.closed),
        }

    def _breakdown(self, by: Dimension, period: Period, shares: _Shares, closed: Sequence[Closing]) -> Breakdown:
        sure, unsure = counting.closed_in(period, closed)
        tags = store.tags_of_conversations(self._db) if by is Dimension.TAG else {}
        daily_threads, daily_closed = {}, {}
        if by is Dimension.DAY:
            days = [*period.each_day()]
            of_days = store.thread_shares(self._db, days)
            for day, share in zip(days, of_days, strict=True):
                found = self._shares(day, share)
                key = day.first_day.isoformat()
                daily_threads[key] = found.threads
                daily_closed[key] = (found.closed, counting.closed_in(day, closed)[1])
        facts = Facts(
            messages=store.message_counts(self._db, period, by),
            responses=store.responses(self._db, period) if Measure.RESPONSES in counting.MEASURES[by] else [],
            created=counting.opened_in(period, self._tasks),
            closings=sure,
            backlog=counting.open_tasks(self._tasks),
            unsure=unsure,
            threads=shares.threads,
            opened=shares.opened,
            closed=shares.closed,
            listed=float(self._is_listed),
            daily_threads=daily_threads,
            daily_closed=daily_closed,
            agent_name=lambda each: self._catalogue.person(AgentId(each)),
            tags=tags,
            conversation_ids=store.conversation_numbers(self._db, tags),
            tagged=store.tagged_messages(self._db, period, tags),
        )
        return counting.break_down(by, period, facts, self._now)


def _age(task: TaskFact, now: float) -> float | None:
    return None if task.created_at is None else max(0.0, now - task.created_at)

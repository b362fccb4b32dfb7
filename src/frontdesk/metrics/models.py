"""Numbers with how much of what they are counted from was read."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from frontdesk.metrics.alerts import ShownAlert
from frontdesk.metrics.periods import Period
from frontdesk.service_clocks.clocks import ClockKind

MIN_SHARE = 0.5
"""A number from less than this share of what counts is shown as unknown."""


class Measure(StrEnum):
    """What is counted. Its value names it in files and commands."""

    INCOMING = "messages_in"
    ANSWERS = "messages_out"
    AUTOMATIC = "automatic_messages"
    FIRST_RESPONSES = "first_responses"
    FIRST_MEDIAN = "first_response_median"
    FIRST_P90 = "first_response_p90"
    FIRST_KEPT = "first_responses_in_time"
    NEXT_RESPONSES = "next_responses"
    NEXT_MEDIAN = "next_response_median"
    NEXT_P90 = "next_response_p90"
    NEXT_KEPT = "next_responses_in_time"
    OPENED = "tasks_opened"
    CLOSED = "tasks_closed"
    RESOLUTION_MEDIAN = "resolution_median"
    RESOLUTION_P90 = "resolution_p90"
    RESOLUTIONS_KEPT = "resolutions_in_time"
    BACKLOG = "backlog"
    ALERTS = "alerts"
    OVERDUE = "overdue_tasks"
    WAITING = "waiting"
    WAITING_LONG = "waiting_over_hour"
    LATE = "late"
    RUNNING = "running_campaigns"
    PACE = "campaign_pace"
    THROTTLED = "throttled_campaigns"

    @property
    def is_duration(self) -> bool:
        return self.endswith(("_median", "_p90"))

    @property
    def is_share(self) -> bool:
        """Return whether it is a share: 1 is all."""
        return self in KEPT

    @property
    def is_of_threads(self) -> bool:
        """Return whether it is counted from messages."""
        return not (self.is_present or self.startswith(("tasks", "resolution", "alerts")))

    @property
    def is_present(self) -> bool:
        """Return whether it is about now, so that it has no value of the days before."""
        return self is Measure.BACKLOG or self in PRESENT

    @property
    def thing(self) -> str:
        """Return the kind of record that it is counted from."""
        if self in CAMPAIGNS:
            return "campaign"
        return "conversation" if self.is_of_threads or self in CUSTOMERS else "task"


KEPT = {
    Measure.FIRST_KEPT: ClockKind.FIRST,
    Measure.NEXT_KEPT: ClockKind.NEXT,
    Measure.RESOLUTIONS_KEPT: ClockKind.RESOLUTION,
}
"""Shares within the target of a service policy, by the clock whose target it is."""


CUSTOMERS = (Measure.LATE, Measure.WAITING_LONG, Measure.WAITING)
CAMPAIGNS = (Measure.THROTTLED, Measure.RUNNING, Measure.PACE)
PRESENT = (*CUSTOMERS, Measure.OVERDUE, *CAMPAIGNS)
"""What is counted as it is now."""

TROUBLE = (Measure.LATE, Measure.WAITING_LONG, Measure.THROTTLED, Measure.OVERDUE)
"""By what people and lines are sorted, the first first: promises that are broken, then customers who wait, then
campaigns that are held up, then tasks."""


class Dimension(StrEnum):
    """By what numbers are broken down."""

    AGENT = "agent"
    LINE = "line"
    TAG = "tag"
    DAY = "day"
    HOUR = "hour"
    WEEKDAY = "weekday"
    WEEK_HOUR = "hour-of-week"
    SLA = "sla"
    STATUS = "status"
    AGE = "age"


TIMED: Mapping[Dimension, Callable[[datetime], str]] = {
    Dimension.DAY: lambda local: local.date().isoformat(),
    Dimension.HOUR: lambda local: str(local.hour),
    Dimension.WEEKDAY: lambda local: str(local.weekday()),
    Dimension.WEEK_HOUR: lambda local: f"{local.weekday()} {local.hour:02}",
}
"""The dimensions that tell moments apart, with the key of a local time."""

EARLIER = "earlier"
"""The key of those who have waited since before the period, by hour or day."""

DIMENSIONS = {"person": Dimension.AGENT, **{str(each): each for each in Dimension}}
"""By what people type."""


@dataclass(frozen=True, slots=True)
class MeasuredNumber:
    """A number and how far to trust it.

    Attributes:
        counted: what was counted; None where there was nothing to take it from, such as a median of no answers.
        share: how much of what it is counted from was read: 1 is all.
        of: how many a median or a share in time is of.
    """

    counted: float | None
    share: float = 1.0
    of: int = 0

    @property
    def value(self) -> float | None:
        """Return the number; None where there is none, or too little was read."""
        return self.counted if self.is_known else None

    @property
    def is_known(self) -> bool:
        return self.share >= MIN_SHARE


@dataclass(frozen=True, slots=True)
class ReportRow:
    """A measure now and in the days before."""

    measure: Measure
    now: MeasuredNumber
    before: MeasuredNumber


@dataclass(frozen=True, slots=True)
class MetricsGroup:
    """The numbers of one agent, line, tag, day, hour, weekday, hour of the week, SLA, status or age.

    Attributes:
        key: an id, a name, an ISO day, an hour 0 to 23, a weekday 0 (Monday) to 6, or both; empty for none.
    """

    key: str
    numbers: dict[Measure, MeasuredNumber]


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Groups by one dimension; each has the same measures.

    Attributes:
        before: the groups of the days before that have the same keys.
    """

    by: Dimension
    measures: tuple[Measure, ...]
    groups: Sequence[MetricsGroup]
    before: Sequence[MetricsGroup] = ()


@dataclass(frozen=True, slots=True)
class Sources:
    """What the numbers of a period are counted from.

    Attributes:
        threads: the share of threads that were read over the whole period.
        history_since: since when changes of tasks are kept, Unix seconds; None if that isn't known.
        is_listed: whether all tasks were listed at least once.
        answers_as_of: up to when answers from elsewhere are known, Unix seconds; None where that doesn't matter.
    """

    threads: float
    history_since: float | None
    is_listed: bool
    answers_as_of: float | None = None


@dataclass(frozen=True, slots=True)
class NumbersReport:
    """All numbers of a period, compared with the one before; `breakdowns` as they were requested.

    Attributes:
        alerts: those of the period, the latest first.
    """

    period: Period
    before: Period
    rows: Sequence[ReportRow]
    sources: Sources
    breakdowns: Sequence[Breakdown] = ()
    alerts: Sequence[ShownAlert] = ()

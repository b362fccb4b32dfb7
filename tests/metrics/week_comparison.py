"""The numbers of a simulated week beside the truth."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from frontdesk.metrics import store as metrics_store
from frontdesk.metrics.models import KEPT, PRESENT, Measure, MeasuredNumber, NumbersReport
from frontdesk.metrics.periods import Period, parse_period
from frontdesk.metrics.promises import Promises
from frontdesk.metrics.report import MetricsReader
from frontdesk.metrics.view import LABELS, value
from frontdesk.service_clocks.business_hours import BusinessHours
from frontdesk.service_clocks.clocks import ClockKind, Policy
from frontdesk.storage.sql import rows
from frontdesk.text.percentages import percent
from metrics.simulated_week import HOUR, MINUTE, WAITING, ZONE, StatusMove, Week
from metrics.true_numbers import share_of, true_numbers
from sample_records import NAMES

COMPLETED = "completed"
OFFICE = BusinessHours(ZONE, [[(8 * 3600, 18 * 3600)]] * 7)
TARGETS = {ClockKind.FIRST: 30 * MINUTE, ClockKind.NEXT: 30 * MINUTE, ClockKind.RESOLUTION: 4 * HOUR}
PROMISES = Promises((Policy("office", "", OFFICE, TARGETS, frozenset({WAITING})),))
UNCERTAIN_SHARE, UNCERTAIN_SECONDS = 0.1, 900.0
"""What a resolution may be wrong by (docs/numbers.md)."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One number as frontdesk has it, and the truth."""

    measure: Measure
    number: MeasuredNumber
    truth: float | None

    @property
    def is_fair(self) -> bool:
        """Whether the number is right as far as it says.

        One from a part is never more than the truth, and lacks no more of it than the part that wasn't read.
        """
        said, truth = self.number.value, self.truth
        if said is None:
            return not self.number.is_known or truth is None
        if truth is None:
            return False
        if self.measure in KEPT:
            return abs(said - truth) <= 1 - self.number.share + 1e-9
        if self.measure.is_duration:
            may_differ = max(UNCERTAIN_SECONDS, UNCERTAIN_SHARE * truth) if not self.measure.is_of_threads else 1.0
            return self.number.share < 1 or abs(said - truth) <= may_differ
        return said == truth if self.number.share == 1 else truth * self.number.share - 1 <= said <= truth


def report_of(week: Week, days: int) -> NumbersReport:
    """Return what frontdesk says of the whole week."""
    while metrics_store.count_batch(week.store, 500):
        pass
    period = parse_period(str(days), week.ended_at, ZONE)
    return MetricsReader(week.store, NAMES, week.ended_at, PROMISES).report(period)


def compare(week: Week, report: NumbersReport) -> list[Compared]:
    """Return each number beside the truth."""
    truth = _true_numbers(week, report.period)
    return [
        Compared(row.measure, row.now, truth[row.measure]) for row in report.rows if row.measure not in PRESENT
    ]


def _true_numbers(week: Week, period: Period) -> dict[Measure, float | None]:
    found = true_numbers(week.truth.messages, week.truth.tasks, period)
    created = {each["taskId"]: float(each["createdAt"]) for each in week.truth.tasks}
    closed = [each for each in week.truth.moves if each.after == COMPLETED]
    took = [each.at - created[each.task_id] for each in closed]
    return {
        Measure.ALERTS: 0.0,  # none was shown
        **found,
        Measure.FIRST_KEPT: _share_kept(week, ClockKind.FIRST),
        Measure.NEXT_KEPT: _share_kept(week, ClockKind.NEXT),
        Measure.CLOSED: len(closed),
        Measure.RESOLUTION_MEDIAN: share_of(took, 0.5),
        Measure.RESOLUTION_P90: share_of(took, 0.9),
        Measure.RESOLUTIONS_KEPT: _share(
            [_business_seconds(week, each, created[each.task_id]) for each in closed], ClockKind.RESOLUTION
        ),
    }


def _share_kept(week: Week, kind: ClockKind) -> float | None:
    """Return the share of responses within the target, by walking each thread."""
    waited = []
    threads: dict[str, list[dict[str, object]]] = {}
    for message in sorted(week.truth.messages, key=lambda each: float(each["createdAt"])):
        threads.setdefault(message["participantsIdentifiers"], []).append(message)
    for thread in threads.values():
        asked = answered = None
        for message in thread:
            at = float(str(message["createdAt"])) / 1000
            if message["messageDirection"] == "incoming":
                asked = at if asked is None else asked
            elif message["initiator"] == "person":
                is_first = answered is None or (asked is not None and asked - answered >= 24 * HOUR)
                if asked is not None and is_first == (kind is ClockKind.FIRST):
                    waited.append(OFFICE.between(asked, at))
                asked, answered = None, at
    return _share(waited, kind)


def _share(seconds: Sequence[float], kind: ClockKind) -> float | None:
    return sum(each <= TARGETS[kind] for each in seconds) / len(seconds) if seconds else None


def _business_seconds(week: Week, closing: StatusMove, created: float) -> float:
    """Return for how many business seconds the clock of a closed task ran."""
    moves = [each for each in week.truth.moves if each.task_id == closing.task_id and each.at <= closing.at]
    total, at, status = 0.0, created, "open"
    for move in moves:
        if status not in (COMPLETED, WAITING):
            total += OFFICE.between(at, move.at)
        at, status = move.at, move.after
    return total


@dataclass(frozen=True, slots=True)
class HistoryComparison:
    """The kept changes of statuses beside those that happened.

    Attributes:
        seen: kept changes whose interval has a true change to the same status in it.
        false: kept changes without one.
        happened: true changes, of which some fell between two reads.
        widths: of the intervals, in seconds.
    """

    seen: int
    false: int
    happened: int
    widths: Sequence[float]


def compare_history(week: Week) -> HistoryComparison:
    """Compare the tasks' history with what happened."""
    kept = rows(
        week.store,
        "SELECT task_id, json_extract(after, '$'), not_before, not_after FROM outbox.task_history"
        " WHERE field = 'statusCase'",
    )
    seen = false = 0
    for task_id, after, not_before, not_after in kept:
        is_true = any(
            each.task_id == task_id
            and each.after == after
            and (not_before is None or not_before - 1 <= each.at)
            and each.at <= not_after + 1
            for each in week.truth.moves
        )
        seen, false = seen + is_true, false + (not is_true)
    widths = sorted(float(row[3]) - float(row[2]) for row in kept if row[2] is not None)
    return HistoryComparison(seen, false, len(week.truth.moves), widths)


def table(found: Sequence[Compared]) -> list[str]:
    """Return the comparison as a Markdown table."""
    lines = ["| number | frontdesk | coverage | truth |", "|---|---:|---:|---:|"]
    for each in found:
        truth = value(each.measure, MeasuredNumber(each.truth))
        said = value(each.measure, each.number)
        fair = "" if each.is_fair else " (wrong)"
        lines.append(f"| {LABELS[each.measure]} | {said}{fair} | {percent(each.number.share)} | {truth} |")
    return lines


def ended(week: Week) -> str:
    """Return the simulated time of the end."""
    return datetime.fromtimestamp(week.ended_at, UTC).astimezone(ZONE).strftime("%A %H:%M")

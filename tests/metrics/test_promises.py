"""Which responses and resolutions were in time."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.metrics.aggregation import Closing
from frontdesk.metrics.facts import Outcome, TaskFact, TimedResponse
from frontdesk.metrics.promises import is_surely_kept, resolution_outcome, response_outcome
from frontdesk.service_clocks.business_hours import BusinessHours
from frontdesk.service_clocks.clocks import ClockKind, Policy, StatusChange, TaskStatuses

HOUR = 3600.0
OFFICE = BusinessHours(ZoneInfo("UTC"), [[(9 * 3600, 17 * 3600)]] * 5 + [[], []])
POLICY = Policy(
    "office",
    "",
    OFFICE,
    {ClockKind.FIRST: HOUR, ClockKind.NEXT: 2 * HOUR, ClockKind.RESOLUTION: 8 * HOUR},
    pauses=frozenset({"waiting"}),
)


def at(day: int, hour: float) -> float:
    """A day of November 2026; the 2nd is a Monday."""
    return datetime(2026, 11, day, tzinfo=UTC).timestamp() + hour * HOUR


def response(asked: float, answered: float, *, is_first: bool) -> TimedResponse:
    return TimedResponse(answered, "L1", "Marta", answered - asked, 1, is_first)


@pytest.mark.parametrize(
    ("asked", "answered", "is_first", "expected"),
    [
        (at(2, 10), at(2, 11), True, Outcome.KEPT),
        (at(2, 10), at(2, 11.1), True, Outcome.MISSED),
        (at(2, 10), at(2, 11.1), False, Outcome.KEPT),
        (at(2, 16.5), at(3, 9.5), True, Outcome.KEPT),
        (at(2, 16.5), at(3, 9.6), True, Outcome.MISSED),
        (at(6, 16.5), at(9, 9.5), True, Outcome.KEPT),
        (at(6, 20), at(8, 20), True, Outcome.KEPT),
    ],
)
def test_a_response_is_measured_in_business_hours(
    asked: float, answered: float, is_first: bool, expected: Outcome
) -> None:
    assert response_outcome(POLICY, response(asked, answered, is_first=is_first)) is expected


def test_a_response_without_a_target_has_no_outcome_and_one_of_unknown_beginning_an_unknown_one() -> None:
    late = response(at(2, 9), at(5, 9), is_first=True)
    unclear = TimedResponse(at(2, 9), "L1", "Marta", None, 1)
    only_resolution = Policy("tasks", "", OFFICE, {ClockKind.RESOLUTION: HOUR})
    assert response_outcome(None, late) is None
    assert response_outcome(only_resolution, late) is None
    assert response_outcome(only_resolution, unclear) is None
    assert response_outcome(POLICY, unclear) is Outcome.UNKNOWN
    unusable = POLICY._replace(hours=None)
    assert response_outcome(unusable, late) is Outcome.UNKNOWN
    assert resolution_outcome(unusable, CLOSING, TaskStatuses("t1", "completed", at(2, 9))) is Outcome.UNKNOWN
    assert not is_surely_kept(unusable, CLOSING)


CLOSING = Closing(TaskFact("t1", "completed", at(2, 9), at(2, 9), "L1", "L1#C1", ()), at(2, 9), at(2, 9))


def closed(earliest: float, latest: float, *changes: StatusChange, created: float = at(2, 9)) -> Outcome | None:
    task = TaskFact("t1", "completed", created, latest, "L1", "L1#C1", ())
    end = StatusChange(changes[-1].after if changes else "open", "completed", earliest, latest)
    statuses = TaskStatuses("t1", "completed", created, created, (*changes, end))
    return resolution_outcome(POLICY, Closing(task, earliest, latest), statuses)


def test_a_resolution_is_late_only_if_it_surely_was() -> None:
    assert closed(at(2, 16), at(2, 16.5)) is Outcome.KEPT
    assert closed(at(2, 16), at(3, 9.5)) is Outcome.UNKNOWN
    assert closed(at(3, 9.5), at(3, 10)) is Outcome.MISSED
    # The night between is no business time.
    assert closed(at(2, 16.5), at(3, 9)) is Outcome.KEPT


def test_a_paused_status_takes_no_time_and_a_change_seen_late_makes_it_unknown() -> None:
    paused = StatusChange("open", "waiting", at(2, 10), at(2, 10))
    assert closed(at(4, 10), at(4, 10), paused) is Outcome.KEPT
    seen_late = StatusChange("open", "waiting", at(2, 10), at(3, 12))
    assert closed(at(4, 10), at(4, 10), seen_late) is Outcome.UNKNOWN


def test_what_was_completed_before_the_history_is_in_time_or_unknown() -> None:
    task = TaskFact("t1", "completed", at(2, 9), at(2, 16), "L1", "L1#C1", ())
    before = TaskStatuses("t1", "completed", at(2, 9), at(20, 9))
    assert resolution_outcome(POLICY, Closing(task, at(2, 9), at(2, 16)), before) is Outcome.KEPT
    assert resolution_outcome(POLICY, Closing(task, at(2, 9), at(5, 16)), before) is Outcome.UNKNOWN
    no_creation = TaskStatuses("t1", "completed", None)
    assert resolution_outcome(POLICY, Closing(task, at(2, 9), at(2, 16)), no_creation) is Outcome.UNKNOWN


@few
@given(st.floats(0, 400), st.floats(0, 40), st.floats(0, 1))
def test_whenever_a_task_was_really_completed_the_outcome_does_not_contradict_it(
    hours: float, uncertain: float, share: float
) -> None:
    earliest = at(2, 9) + hours * HOUR
    latest = earliest + uncertain * HOUR
    truly = earliest + share * (latest - earliest)
    truth = Outcome.KEPT if OFFICE.between(at(2, 9), truly) <= 8 * HOUR else Outcome.MISSED
    assert closed(earliest, latest) in (truth, Outcome.UNKNOWN)

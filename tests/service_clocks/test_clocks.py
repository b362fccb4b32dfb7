"""Clocks from what is known of a thread and a task, and what they say where that is a part."""

from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.service_clocks.clocks import (
    NEW_CONTACT_SECONDS,
    ClockKind,
    ClockState,
    Policy,
    ServiceClock,
    StatusChange,
    TaskStatuses,
    ThreadAnswers,
    deadline,
    resolution_clock,
    response_clock,
    status_spans,
)
from service_clocks.desk import ALWAYS, TARGETS

HOUR = 3_600.0
T = 1_795_000_000.0
POLICY = Policy("Service", "", ALWAYS, TARGETS, frozenset({"standby"}))


def test_the_first_response_is_owed_from_the_first_message_nobody_answered() -> None:
    clock = response_clock(POLICY, ThreadAnswers(True, None, T))
    assert clock == ServiceClock(
        ClockKind.FIRST, "Service", ClockState.RUNNING, T, T + HOUR, T + HOUR, T + HOUR - 900
    )


def test_who_writes_again_within_a_day_of_an_answer_is_owed_the_next_response() -> None:
    soon = response_clock(POLICY, ThreadAnswers(True, T, T + NEW_CONTACT_SECONDS - 1))
    later = response_clock(POLICY, ThreadAnswers(True, T, T + NEW_CONTACT_SECONDS))
    assert soon is not None
    assert later is not None
    assert (soon.kind, later.kind) == (ClockKind.NEXT, ClockKind.FIRST)
    assert soon.due_at == T + NEW_CONTACT_SECONDS - 1 + 4 * HOUR


def test_who_was_answered_is_owed_nothing_and_a_thread_with_a_gap_is_unknown() -> None:
    assert response_clock(POLICY, ThreadAnswers(True, T, None)) is None
    unknown = response_clock(POLICY, ThreadAnswers(False, T, None))
    assert unknown == ServiceClock(ClockKind.NEXT, "Service", ClockState.UNKNOWN)


def test_without_a_target_there_is_no_clock_not_even_an_unknown_one() -> None:
    policy = Policy("Service", "", ALWAYS, {ClockKind.RESOLUTION: HOUR})
    assert response_clock(policy, ThreadAnswers(False)) is None
    assert resolution_clock(Policy("s", "", ALWAYS, {ClockKind.FIRST: HOUR}), TaskStatuses("t", "open", T)) is None


def test_a_policy_that_cant_be_used_has_unknown_clocks_where_one_is_owed() -> None:
    wrong = POLICY._replace(hours=None)
    first = response_clock(wrong, ThreadAnswers(True, None, T))
    assert first == ServiceClock(ClockKind.FIRST, "Service", ClockState.UNKNOWN)
    assert response_clock(wrong, ThreadAnswers(True, T, None)) is None
    task = resolution_clock(wrong, TaskStatuses("t", "open", T, T))
    assert task is not None
    assert (task.state, task.due_at) == (ClockState.UNKNOWN, None)
    assert resolution_clock(wrong, TaskStatuses("t", "completed", T, T)) is None


def test_a_task_known_from_the_start_has_an_exact_deadline_that_pauses_move() -> None:
    changes = (
        StatusChange("open", "standby", T + HOUR, T + HOUR),
        StatusChange("standby", "open", T + 3 * HOUR, T + 3 * HOUR),
    )
    clock = resolution_clock(POLICY, TaskStatuses("t", "open", T, T, changes))
    assert clock is not None
    assert (clock.due_at, clock.due_latest) == (T + 12 * HOUR, T + 12 * HOUR)


def test_a_paused_task_has_no_deadline_and_a_completed_one_no_clock() -> None:
    paused = resolution_clock(POLICY, TaskStatuses("t", "standby", T, T))
    assert paused is not None
    assert (paused.state, paused.due_at) == (ClockState.PAUSED, None)
    assert resolution_clock(POLICY, TaskStatuses("t", "completed", T, T)) is None


def test_what_happened_before_the_first_read_widens_the_deadline() -> None:
    clock = resolution_clock(POLICY, TaskStatuses("t", "open", T, T + 2 * HOUR))
    assert clock is not None
    assert (clock.due_at, clock.due_latest) == (T + 10 * HOUR, T + 12 * HOUR)


def test_a_change_between_two_reads_widens_the_deadline_by_the_time_between_them() -> None:
    changes = (
        StatusChange("open", "standby", T + HOUR, T + 2 * HOUR),
        StatusChange("standby", "open", T + 5 * HOUR, T + 5 * HOUR),
    )
    clock = resolution_clock(POLICY, TaskStatuses("t", "open", T, T, changes))
    assert clock is not None
    assert (clock.due_at, clock.due_latest) == (T + 13 * HOUR, T + 14 * HOUR)


def test_a_task_without_a_time_or_from_beyond_the_calendar_is_unknown() -> None:
    for created_at in (None, -5.0, 1e18):
        clock = resolution_clock(POLICY, TaskStatuses("t", "open", created_at, created_at))
        assert clock is not None
        assert (clock.state, clock.due_at) == (ClockState.UNKNOWN, None)
    never_read = resolution_clock(POLICY, TaskStatuses("t", "open", T))
    assert never_read is not None
    assert never_read.state is ClockState.UNKNOWN


MINUTE = 60
STATUSES = st.sampled_from(["open", "standby", "working", "completed"])


@settings(max_examples=60)
@given(
    lengths=st.lists(st.integers(1, 300), min_size=1, max_size=8),
    statuses=st.lists(STATUSES, min_size=8, max_size=8),
    before=st.lists(st.integers(0, 60), min_size=8, max_size=8),
    after=st.lists(st.integers(0, 60), min_size=8, max_size=8),
    read=st.integers(0, 400),
)
def test_the_true_deadline_lies_between_the_earliest_and_the_latest(
    lengths: list[int], statuses: list[str], before: list[int], after: list[int], read: int
) -> None:
    """A task goes through statuses; reads see each change some minutes late, and the first read is late too."""
    moments = [0]
    for each in lengths:
        moments.append(moments[-1] + each)
    steps = [(0, statuses[0])]
    for moment, status in zip(moments[1:], statuses[1:], strict=False):
        if status != steps[-1][1]:
            steps.append((moment, status))
    left, true_due = 10 * HOUR, None
    for (start, status), end in zip(steps, [*(at for at, _ in steps[1:]), None], strict=True):
        if status in ("standby", "completed"):
            continue
        if end is None or (end - start) * MINUTE >= left:
            true_due = T + start * MINUTE + left
            break
        left -= (end - start) * MINUTE
    known_from = min(read, moments[-1])
    seen: list[StatusChange] = []
    for at, (moment, status) in enumerate(steps[1:], 1):
        if moment <= known_from:
            continue
        low = max(known_from, moment - before[at], steps[at - 1][0])
        low = max(low, int((seen[-1].not_after - T) / MINUTE)) if seen else low
        following = steps[at + 1][0] if at + 1 < len(steps) else moment + 60
        high = min(moment + after[at], following)
        seen.append(StatusChange(steps[at - 1][1], status, T + low * MINUTE, T + high * MINUTE))
    if any(each.not_before is not None and each.not_before > each.not_after for each in seen):
        return
    task = TaskStatuses("t", steps[-1][1], T, T + known_from * MINUTE, tuple(seen))
    spans = status_spans(task, lambda status: status not in ("standby", "completed"))
    earliest = deadline(spans, 10 * HOUR, ALWAYS, counts_doubt=True)
    latest = deadline(spans, 10 * HOUR, ALWAYS, counts_doubt=False)
    if true_due is None:
        assert latest is None
    else:
        assert earliest is not None
        assert earliest <= true_due
        assert latest is None or true_due <= latest

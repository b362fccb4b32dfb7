"""The schedule as a table: what is polled in a situation, for whom, and how often."""

from collections.abc import Mapping
from typing import Any

import pytest

from frontdesk.campaigns.models import CampaignRecord
from frontdesk.storage.clients import Focus
from frontdesk.sync.scheduler import (
    AFTER_END_FOR,
    AWAY_AFTER,
    FILES,
    IDLE_AFTER,
    REQUESTED,
    DuePoll,
    Job,
    PollKind,
    PollRun,
    Shown,
    Situation,
    next_run,
    upcoming,
)
from sample_records import campaign_record

NOW = 1_000_000.0
INBOX = Focus("inbox", active_at=NOW)
EVEN = PollRun(NOW)
"""A job that just ran, without jitter."""


def campaign(status: str = "inProgress", **times: Any) -> CampaignRecord:
    return campaign_record(status=status, **{"read_at": NOW, **times})


def polls(*screens: Focus, **more: Any) -> dict[Job, DuePoll]:
    campaigns = {each.campaign_id: each for each in more.pop("campaigns", ())}
    situation = Situation(Shown(screens), campaigns, more.pop("runs", {}), **more)
    found = upcoming(situation, NOW)
    assert len({each.job for each in found}) == len(found), "nothing is asked for twice"
    return {each.job: each for each in found}


def intervals(found: Mapping[Job, DuePoll]) -> dict[str, float]:
    return {f"{job.kind} {job.target}".strip(): each.interval for job, each in found.items()}


BEHIND = {
    "tasks": 20.0,
    "sweep": 10.0,
    "workflows": 900.0,
    "whole workflows": 3600.0,
    "ai agents": 900.0,
}


@pytest.mark.parametrize(
    ("screens", "more", "expected"),
    [
        ((), {}, {"sweep": 0.0}),
        ((), {"swept": True}, BEHIND),
        ((), {"swept": True, "behind": "L1#C1"}, BEHIND | {"thread behind L1#C1": 0.0}),
        ((), {"behind": "L1#C1"}, {"sweep": 0.0}),
        ((INBOX,), {}, {"tasks": 5.0, "sweep": 0.0}),
        (
            (Focus("inbox", "L1#C1", active_at=NOW),),
            {"swept": True},
            BEHIND | {"thread L1#C1": 3.0, "tasks": 5.0},
        ),
        ((Focus("board", active_at=NOW),), {"swept": True}, BEHIND | {"tasks": 5.0}),
        ((Focus("board", tasks_of="f", active_at=NOW),), {"swept": True}, BEHIND | {"tasks of a filter f": 5.0}),
        ((Focus("board", tasks_of="f", active_at=NOW),), {}, {"tasks of a filter f": 0.0, "sweep": 0.0}),
        (
            (Focus("board", tasks_of="f", active_at=NOW),),
            {"walked": {"f"}},
            {"tasks of a filter f": 5.0, "sweep": 0.0},
        ),
        (
            (Focus("board", tasks_of="f", active_at=NOW),),
            {"refused": {"f"}},
            {"tasks of a filter f": 60.0, "sweep": 0.0},
        ),
        (
            (Focus("workflows", active_at=NOW),),
            {"swept": True},
            BEHIND | {"workflows": 60.0, "whole workflows": 30.0},
        ),
        (
            (Focus("workflows", active_at=NOW),),
            {"workflows_behind": True},
            {"workflows": 60.0, "whole workflows": 3.0, "sweep": 0.0},
        ),
    ],
)
def test_each_kind_has_its_interval_by_what_the_screens_show(
    screens: tuple[Focus, ...], more: dict[str, Any], expected: dict[str, float]
) -> None:
    assert intervals(polls(*screens, **more)) == expected


def test_agents_are_read_with_their_files_where_they_are_seen() -> None:
    found = polls(Focus("agents", active_at=NOW), swept=True)
    (job,) = [each for each in found if each.kind is PollKind.AI_AGENTS]
    assert job.target
    assert (found[job].interval, found[job].is_on_screen) == (60.0, True)


@pytest.mark.parametrize(
    ("quiet_seconds", "focused", "pace"),
    [
        (0.0, True, 1),
        (IDLE_AFTER, True, 1),
        (IDLE_AFTER, False, 3),
        (IDLE_AFTER + 1, True, 10),
        (IDLE_AFTER + 1, False, 10),
        (AWAY_AFTER, True, 10),
        (AWAY_AFTER + 1, True, 60),
        (AWAY_AFTER + 1, False, 60),
    ],
)
def test_what_is_seen_goes_as_much_slower_as_nobody_attends_to_it(
    quiet_seconds: float, focused: bool, pace: float
) -> None:
    focus = Focus("inbox", "L1#C1", focused=focused, active_at=NOW - quiet_seconds)
    found = intervals(polls(focus, swept=True))
    assert found["thread L1#C1"] == 3.0 * pace
    assert found["tasks"] == 5.0 * pace
    assert found["sweep"] == 10.0 * pace
    assert found["workflows"] == min(3600.0, 900.0 * pace)
    assert polls(focus, swept=True)[Job(PollKind.THREAD, "L1#C1")].is_on_screen
    both = intervals(
        polls(focus, focus._replace(conversation_id="L1#C2", active_at=NOW, focused=True), swept=True)
    )
    assert (both["thread L1#C1"], both["thread L1#C2"], both["sweep"]) == (3.0 * pace, 3.0, 10.0)


@pytest.mark.parametrize(
    ("record", "on_screen", "interval"),
    [
        (campaign(), True, 2.0),
        (campaign(), False, 15.0),
        (campaign("scheduled"), True, 2.0),
        (campaign("scheduled"), False, 15.0),
        (campaign("completed", completed_at=NOW - AFTER_END_FOR), True, None),
        (campaign("completed", completed_at=NOW - AFTER_END_FOR + 1), True, 60.0),
        (campaign("completed", completed_at=NOW - AFTER_END_FOR + 1), False, 60.0),
        (campaign("failed", failed_at=NOW - 1), False, 60.0),
        (campaign("completed", completed_at=NOW - 1, failed_at=NOW - 9999), False, 60.0),
        (campaign("completed"), True, None),
        (campaign("completed", read_at=None), True, 60.0),
    ],
)
def test_a_campaign_is_read_until_some_minutes_after_its_end(
    record: CampaignRecord, on_screen: bool, interval: float | None
) -> None:
    job, screen = Job(PollKind.CAMPAIGN, "c1"), Focus("campaigns" if on_screen else "inbox", active_at=NOW)
    found = polls(screen, campaigns=(record,)).get(job)
    assert (None if found is None else found.interval) == interval
    if found is not None:
        assert found.is_on_screen is on_screen
        assert found.weight == (8.0 if on_screen else 3.0)
    asked = polls(screen, campaigns=(record,), runs={job: REQUESTED})[job]
    assert asked.at <= NOW, "one that somebody asks for is read whatever its state"
    assert asked.interval == (interval or 0.0)


@pytest.mark.parametrize(("on_screen", "longest"), [(True, 6.0), (False, 15.0)])
def test_a_running_campaign_is_never_read_later_than_its_alerts_need(on_screen: bool, longest: float) -> None:
    job = Job(PollKind.CAMPAIGN, "c1")
    for quiet in (0.0, IDLE_AFTER + 1, AWAY_AFTER + 1):
        focus = Focus("campaigns" if on_screen else "inbox", active_at=NOW - quiet)
        slow = PollRun(NOW, slowdown=4.0)
        found = polls(focus, campaigns=(campaign(),), runs={job: slow})[job]
        assert found.interval <= longest
        assert found.at <= NOW + longest * 1.15


@pytest.mark.parametrize(
    ("run", "read_by", "expected"),
    [
        (None, NOW + 1, None),
        (PollRun(NOW - 5), NOW + 1, NOW + 1),
        (PollRun(NOW + 1), NOW + 1, None),
        (PollRun(NOW + 5, asked_at=NOW + 0.5), NOW + 1, NOW + 1),
        (PollRun(NOW + 5, asked_at=NOW + 1), NOW + 1, None),
        (PollRun(NOW - 5), None, None),
    ],
)
def test_a_deadline_stands_until_a_read_that_was_asked_for_after_it(
    run: PollRun | None, read_by: float | None, expected: float | None
) -> None:
    job = Job(PollKind.CAMPAIGN, "c1")
    deadlines = {} if read_by is None else {"c1": read_by}
    found = polls(INBOX, campaigns=(campaign(),), runs={} if run is None else {job: run}, read_by=deadlines)[job]
    assert found.read_by == expected
    if expected is not None:
        assert found.at <= expected


@pytest.mark.parametrize("chance", [0.0, 0.25, 0.5, 1.0])
def test_the_next_run_is_an_interval_after_the_last_one_with_its_jitter(chance: float) -> None:
    thread, sweep = Job(PollKind.THREAD, "L1#C1"), Job(PollKind.TASKS_SWEEP)
    run = PollRun(NOW - 1, slowdown=2.0, chance=chance)
    found = polls(Focus("inbox", "L1#C1", active_at=NOW), swept=True, runs={thread: run, sweep: run})
    jitter = 0.85 + 0.3 * chance
    assert found[thread].at == pytest.approx(NOW - 1 + 5.0 * jitter), (
        "an attentive person's data isn't stretched far"
    )
    assert found[sweep].at == pytest.approx(NOW - 1 + 20.0 * jitter)
    assert (found[thread].interval, found[sweep].interval) == (5.0, 20.0)


def test_a_job_that_finds_nothing_new_is_stretched_and_one_that_does_is_not() -> None:
    run = next_run(None, 5.0, differed=False, chance=0.2, asked_at=4.0)
    assert run == PollRun(5.0, 1.0, 0.2, 4.0)
    slowdowns = []
    for _ in range(6):
        run = next_run(run, 6.0, differed=False)
        slowdowns.append(run.slowdown)
    assert slowdowns == [1.5, 2.25, 3.375, 4.0, 4.0, 4.0]
    assert next_run(run, 7.0, differed=True) == PollRun(7.0, 1.0, 0.5, 0.0)


def test_what_was_just_opened_is_a_first_look_and_what_is_read_behind_is_none() -> None:
    thread, head = Job(PollKind.THREAD, "L1#C1"), Job(PollKind.TASKS_HEAD)
    runs = {Job(PollKind.TASKS_SWEEP): REQUESTED, head: EVEN}
    found = polls(Focus("inbox", "L1#C1", active_at=NOW), swept=True, runs=runs)
    assert {job for job, each in found.items() if each.is_first_look} == {thread}
    found = polls(Focus("inbox", "L1#C1", active_at=NOW), swept=True, runs={thread: EVEN, head: REQUESTED})
    assert {job for job, each in found.items() if each.is_first_look} == {head}


def test_at_the_start_what_nobody_sees_is_spread_and_samples_come_a_minute_later() -> None:
    for seed in range(1, 20):
        found = polls(INBOX, swept=True, begun_at=NOW, seed=seed)
        assert found[Job(PollKind.TASKS_HEAD)].at == 0.0
        assert NOW <= found[Job(PollKind.WORKFLOWS)].at <= NOW + 10
        assert NOW + 60 <= found[Job(PollKind.WHOLE_WORKFLOWS)].at <= NOW + 70
    assert polls(swept=True, begun_at=NOW, seed=0)[Job(PollKind.WORKFLOWS)].at == NOW
    starts = {polls(swept=True, begun_at=NOW, seed=seed)[Job(PollKind.WORKFLOWS)].at for seed in range(1, 50)}
    assert max(starts) - min(starts) > 8


@pytest.mark.parametrize(
    ("screen", "job", "weight", "interval"),
    [
        (Focus("inbox", "L1#C1"), Job(PollKind.THREAD, "L1#C1"), 8.0, 3.0),
        (Focus("inbox"), Job(PollKind.TASKS_HEAD), 8.0, 5.0),
        (Focus("board"), Job(PollKind.TASKS_HEAD), 8.0, 5.0),
        (Focus("board", tasks_of="f"), Job(PollKind.TASKS_OF, "f"), 8.0, 5.0),
        (Focus("campaigns"), Job(PollKind.CAMPAIGN, "c1"), 8.0, 2.0),
        (Focus("workflows"), Job(PollKind.WORKFLOWS), 1.0, 60.0),
        (Focus("workflows"), Job(PollKind.WHOLE_WORKFLOWS), 1.0, 30.0),
        (Focus("agents"), Job(PollKind.AI_AGENTS, FILES), 1.0, 60.0),
    ],
)
@pytest.mark.parametrize(
    ("focused", "quiet", "pace"), [(True, 0.0, 1.0), (False, 0.0, 3.0), (True, IDLE_AFTER + 1, 10.0)]
)
def test_what_is_on_a_screen_is_read_at_the_pace_of_those_who_see_it(
    screen: Focus, job: Job, weight: float, interval: float, *, focused: bool, quiet: float, pace: float
) -> None:
    """Another screen that somebody attends to hurries nothing that is only on this one."""
    seeing = screen._replace(focused=focused, active_at=NOW - quiet)
    other = Focus("elsewhere", active_at=NOW)
    known: dict[str, Any] = {"campaigns": (campaign("scheduled"),), "swept": True}
    found = polls(seeing, other, **known)[job]
    longest = min(interval * pace, 20.0) if job.kind is PollKind.TASKS_HEAD else interval * pace
    is_behind = longest < interval * pace
    assert found == DuePoll(0.0, job, longest, not is_behind, not is_behind)
    assert found.weight == weight
    again = polls(seeing, other, **known, runs={job: PollRun(NOW - 1)})[job]
    assert (again.at, again.is_first_look) == (NOW - 1 + longest, False)


@pytest.mark.parametrize(
    ("job", "weight", "interval"),
    [
        (Job(PollKind.TASKS_HEAD), 8.0, 20.0),
        (Job(PollKind.TASKS_SWEEP), 3.0, 10.0),
        (Job(PollKind.CAMPAIGN, "c1"), 3.0, 15.0),
        (Job(PollKind.WORKFLOWS), 1.0, 900.0),
        (Job(PollKind.WHOLE_WORKFLOWS), 1.0, 3_600.0),
        (Job(PollKind.AI_AGENTS), 1.0, 900.0),
        (Job(PollKind.THREAD_BEHIND, "L1#C1"), 1.0, 0.0),
    ],
)
@pytest.mark.parametrize("focused", [True, False])
def test_what_no_screen_shows_is_read_at_the_pace_of_the_most_attentive_one(
    job: Job, weight: float, interval: float, *, focused: bool
) -> None:
    known: dict[str, Any] = {"campaigns": (campaign("scheduled"),), "swept": True, "behind": "L1#C1"}
    screens = (Focus("elsewhere", focused=focused, active_at=NOW), Focus("elsewhere", active_at=NOW - AWAY_AFTER))
    found = polls(*screens, **known)[job]
    paced = min(3_600.0, interval if focused else 3 * interval)
    first = 60.0 if job.kind is PollKind.WHOLE_WORKFLOWS else 0.0
    assert found == DuePoll(first, job, paced)
    assert found.weight == weight
    again = polls(*screens, **known, runs={job: PollRun(NOW - 1)})[job]
    assert (again.at, again.is_on_screen) == (NOW - 1 + paced, False)


def test_whole_workflows_that_somebody_asked_for_are_due_at_once_and_no_other_document_with_them() -> None:
    whole = Job(PollKind.WHOLE_WORKFLOWS)
    for more in ({}, {"swept": True}):
        found = polls(INBOX, runs={whole: REQUESTED, Job(PollKind.WORKFLOWS): EVEN}, **more)[whole]
        assert (found.at, found.interval) == (0.0, 0.0)
    other = polls(INBOX, runs={Job(PollKind.WORKFLOWS): REQUESTED}, swept=True)[whole]
    assert other.interval == 3_600.0


def test_the_most_urgent_come_first_by_time_then_kind_then_who_waits_longest() -> None:
    """What is overdue is equally due; of one kind the longest overdue goes first."""
    threads = [Focus("inbox", f"L1#C{number}", active_at=NOW) for number in (1, 2)]
    runs = {
        Job(PollKind.THREAD, "L1#C1"): PollRun(NOW - 10),
        Job(PollKind.THREAD, "L1#C2"): PollRun(NOW - 20),
        Job(PollKind.TASKS_HEAD): PollRun(NOW - 1_000),
        Job(PollKind.TASKS_SWEEP): PollRun(NOW - 5),
        Job(PollKind.WORKFLOWS): PollRun(NOW - 890),
        Job(PollKind.WHOLE_WORKFLOWS): PollRun(NOW),
        Job(PollKind.AI_AGENTS): PollRun(NOW - 898),
    }
    order = [*polls(*threads, swept=True, runs=runs)]
    assert order == [
        Job(PollKind.THREAD, "L1#C2"),
        Job(PollKind.THREAD, "L1#C1"),
        Job(PollKind.TASKS_HEAD),
        Job(PollKind.AI_AGENTS),
        Job(PollKind.TASKS_SWEEP),
        Job(PollKind.WORKFLOWS),
        Job(PollKind.WHOLE_WORKFLOWS),
    ]

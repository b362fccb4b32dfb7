"""Many open threads: three are read at once, and those without an open task are checked in a time that is told."""

from collections import Counter
from itertools import pairwise

import pytest

from frontdesk.storage.clients import Focus
from frontdesk.storage.records import Duty
from frontdesk.sync.poller import AWAITED_SECONDS, THREADS_AT_ONCE, UNSIGNED_SECONDS
from frontdesk.sync.scheduler import (
    AWAY_AFTER,
    HEAD,
    MANY_THREADS,
    NO_WATCH,
    WATCH_SHARE,
    WATCHED_EVERY,
    DuePoll,
    Job,
    PollKind,
    ThreadWatch,
    thread_watch,
    upcoming,
)
from frontdesk_api.client.errors import RateLimited
from sync.simulated_reads import START, Simulation, share_below
from sync.simulated_team import SimulatedTeam

SWEEP = Job(PollKind.TASKS_SWEEP)


def inboxes(count: int, **how: object) -> Simulation:
    """So many screens, each with a conversation of its own."""
    return Simulation([Focus("inbox", f"t{number}") for number in range(count)], **how)  # type: ignore[arg-type]


def threads(sim: Simulation, since: float = 0.0) -> list[tuple[float, float]]:
    """Return when threads were asked for and had come."""
    return [
        (each.asked_at, each.at) for each in sim.reads if each.job.kind is PollKind.THREAD and each.at >= since
    ]


def most_at_once(spans: list[tuple[float, float]]) -> int:
    return max(sum(begun <= at < ended for begun, ended in spans) for at, _ in spans)


@pytest.mark.parametrize(
    ("with_task", "without_task", "walk_pages", "found"),
    [
        (0, 0, 3, ThreadWatch(WATCHED_EVERY)),
        (2, 0, 3, ThreadWatch(2 * 60 / (WATCH_SHARE * 120))),
        (3, 0, 3, ThreadWatch(3 * 60 / (WATCH_SHARE * 120), 3)),
        (30, 5, 3, ThreadWatch(8 * 60 / (WATCH_SHARE * 120), 3)),
        (30, 5, 31, ThreadWatch(35 * 60 / (WATCH_SHARE * 120))),
        (30, 5, 0, ThreadWatch(35 * 60 / (WATCH_SHARE * 120))),
    ],
)
def test_what_takes_fewer_requests_checks_the_threads_without_an_open_task(
    with_task: int, without_task: int, walk_pages: int, found: ThreadWatch
) -> None:
    assert thread_watch(with_task, without_task, walk_pages, 120) == found


def test_of_many_open_threads_three_are_read_at_once_and_none_of_them_twice() -> None:
    sim = inboxes(40, per_minute=3_000, per_second=50, latency=(1.0, 1.0))
    sim.run(30)
    assert most_at_once(threads(sim)) == THREADS_AT_ONCE
    for number in range(40):
        target = f"t{number}"
        spans = [(each.asked_at, each.at) for each in sim.reads if each.job.target == target]
        assert spans
        assert most_at_once(spans) == 1


def test_of_few_open_threads_one_is_read_at_a_time() -> None:
    sim = inboxes(MANY_THREADS, per_minute=3_000, per_second=50, latency=(1.0, 1.0))
    sim.run(30)
    assert most_at_once(threads(sim)) == 1


def test_a_throttling_host_is_tried_by_one_request_at_a_time() -> None:
    sim = inboxes(40, per_minute=3_000, per_second=50, latency=(1.0, 1.0))
    sim.run(10)
    throttled = sim.clock()
    sim.refuses = lambda job: RateLimited("slow", status=429) if job.kind is PollKind.THREAD else None
    sim.run(60)
    asked = [at for job, at in sim.asked if job.kind is PollKind.THREAD and at > throttled]
    assert sum(at <= throttled + 1.5 for at in asked) <= 2 * THREADS_AT_ONCE, "those that had begun"
    later = [at for at in asked if at > throttled + 3.0]
    assert later
    assert all(after - before >= 1.0 for before, after in pairwise(later))


def test_three_threads_that_hang_keep_neither_the_list_nor_a_campaign_waiting() -> None:
    sim = inboxes(40, per_minute=3_000, per_second=50)
    sim.run(10)
    sim.hangs = [PollKind.THREAD]
    since = sim.clock() + 1.0
    sim.run(12)
    assert not threads(sim, since)
    assert len([at for at in sim.times(PollKind.TASKS_HEAD) if at > since]) >= 3


def unsigned(count: int, *, has_task: bool) -> dict[str, bool]:
    return dict.fromkeys((f"t{number}" for number in range(count)), has_task)


def longest_unread(sim: Simulation, names: list[str], since: float) -> float:
    """Return the longest time between two requests for the same one of these."""
    asked = {each: [r.asked_at for r in sim.reads if r.job == Job(PollKind.THREAD, each)] for each in names}
    return max(
        after - before for at in asked.values() for before, after in pairwise([*at, sim.clock()]) if before > since
    )


@pytest.mark.parametrize("per_minute", [60, 120, 300])
def test_a_thread_that_no_task_tells_of_is_read_within_the_time_that_is_told(per_minute: int) -> None:
    """It was read when all others had been, at most every two minutes."""
    sim = inboxes(60, per_minute=per_minute, unsigned=unsigned(6, has_task=False), walk_pages=3)
    sim.run(400)
    assert sim.poller.watch == thread_watch(0, 6, 3, per_minute)
    assert longest_unread(sim, [*sim.unsigned], START + 100) <= sim.poller.watch.seconds * 1.15 + 1.0


def test_threads_with_a_closed_task_are_checked_by_the_walk_if_that_takes_fewer_requests() -> None:
    sim = inboxes(60, unsigned=unsigned(20, has_task=True), walk_pages=3)
    sim.run(300)
    assert sim.poller.watch == thread_watch(20, 0, 3, 120)
    walked = [at for at in sim.times(PollKind.TASKS_SWEEP) if at > START + 60]
    assert max(third - first for first, third in zip(walked, walked[3:], strict=False)) <= sim.poller.watch.seconds
    counts = Counter(each.job.target for each in sim.reads if each.job.kind is PollKind.THREAD)
    assert max(counts[each] for each in sim.unsigned) <= min(counts.values()) + 2, "and aren't read more often"
    sim.walk_pages = 21
    sim.run(UNSIGNED_SECONDS + 1)
    assert sim.poller.watch == thread_watch(20, 0, 21, 120)
    now = sim.clock()
    sim.run(200)
    assert longest_unread(sim, [*sim.unsigned], now) <= sim.poller.watch.seconds * 1.15 + 1.0
    late = [at for at in sim.times(PollKind.TASKS_SWEEP) if at > now]
    assert len(late) <= 21, "and the walk has its own pace again"


def test_a_message_waits_for_no_thread_that_is_only_checked() -> None:
    sim = inboxes(100, unsigned=unsigned(50, has_task=False))
    sim.run(100)
    for number in range(50, 80):
        sim.outdated = [f"t{number}"]
        wrote = sim.clock()
        sim.run(7.0)
        assert sim.times(PollKind.THREAD, target=f"t{number}")[-1] > wrote


def test_a_thread_without_an_open_task_is_read_when_it_is_opened_whatever_is_known_of_it() -> None:
    sim = inboxes(20, unsigned={"t1": False, "new": False}, walk_pages=3)
    sim.run(60)
    sim.current = {"new", "other"}
    opened = sim.clock()
    sim.show([*sim.screens, Focus("inbox", "new"), Focus("inbox", "other")])
    sim.run(2)
    assert sim.times(PollKind.THREAD, target="new")[0] > opened
    assert not sim.times(PollKind.THREAD, target="other")


def test_a_thread_whose_task_is_closed_meanwhile_is_watched_soon() -> None:
    sim = inboxes(20)
    sim.run(60)
    sim.unsigned = {"t7": False}
    now = sim.clock()
    sim.run(120)
    assert longest_unread(sim, ["t7"], now + UNSIGNED_SECONDS) <= sim.poller.watch.seconds * 1.15 + 1.0


def team_that_comes_at_once(**how: object) -> Simulation:
    """After a quiet time forty people open a thread each, of which nothing new is known but for the first one."""
    away = [Focus("campaigns", active_at=START - AWAY_AFTER - 1)]
    sim = Simulation(away, current={f"t{number}" for number in range(1, 40)}, **how)  # type: ignore[arg-type]
    sim.run(300)
    sim.show([Focus("inbox", f"t{number}", active_at=sim.clock()) for number in range(40)])
    return sim


def test_a_team_that_comes_at_once_waits_for_the_first_page_of_tasks_not_for_its_threads() -> None:
    sim = team_that_comes_at_once(unsigned={"t5": False, "t6": True})
    came_at = sim.clock()
    sim.run(4)
    listed_at = next(asked_at for job, asked_at in sim.asked if job == HEAD and asked_at >= came_at)
    assert listed_at <= came_at + 1
    assert {each.job.target for each in sim.reads if each.job.kind is PollKind.THREAD} == {"t0", "t5", "t6"}


def test_threads_wait_for_a_first_page_that_hangs_only_some_seconds() -> None:
    sim = team_that_comes_at_once(hangs={PollKind.TASKS_HEAD})
    came_at = sim.clock()
    sim.run(10)
    asked = [each for each in sim.reads if each.job.kind is PollKind.THREAD]
    assert asked[0].job.target == "t0"
    first = min(each.asked_at for each in asked if each.job.target != "t0")
    assert came_at + AWAITED_SECONDS <= first <= came_at + AWAITED_SECONDS + 1
    assert not any(
        each.is_first_look for each in sim.poller._queue.polls.values() if each.job.kind is PollKind.THREAD
    )


def test_one_desk_has_no_watch() -> None:
    sim = inboxes(MANY_THREADS, unsigned=unsigned(MANY_THREADS, has_task=False), walk_pages=1)
    sim.run(60)
    assert sim.poller.watch == NO_WATCH
    assert not sim.poller._watched


def own_thread(sim: Simulation, name: str) -> DuePoll:
    polls = upcoming(sim.poller._situated(sim.poller._shown, {}), sim.clock())
    return next(each for each in polls if each.job == Job(PollKind.THREAD, name))


def test_a_follower_tells_the_age_of_its_thread_by_the_leaders_watch() -> None:
    sim = inboxes(3, unsigned={"t0": False, "t1": True})
    role = sim.poller._role
    role.duty, role.thread_rest, role.watch = Duty.FOLLOWS, 90.0, ThreadWatch(22.0, 3)
    sim.run(10)
    assert [own_thread(sim, each).interval for each in ("t0", "t1", "t2")] == [22.0, 90.0, 90.0]
    role.watch = ThreadWatch(22.0)
    sim.run(10)
    assert [own_thread(sim, each).interval for each in ("t0", "t1", "t2")] == [22.0, 22.0, 90.0]
    assert not sim.reads


@pytest.mark.slow
@pytest.mark.parametrize(("desks", "most"), [(50, 4.5), (200, 5.0)])
def test_of_a_teams_messages_95_percent_are_read_within_seconds(desks: int, most: float) -> None:
    """With 120 requests a minute it was 6 and 37 s; `lab.proof` has 1,000 desks, too."""
    team = SimulatedTeam(desks, 120)
    team.live(400)
    news = sorted(age for ages in team.news.values() for age in ages)
    assert share_below(news, 0.95) <= most
    assert sum(at > team.clock() - 60 for at in team.requests) <= 120

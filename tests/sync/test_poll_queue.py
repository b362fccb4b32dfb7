"""The heaps return what a look at every poll would, starve nobody, and keep to weights and budget."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import few
from frontdesk.storage.clients import Focus
from frontdesk.storage.records import Duty
from frontdesk.sync.poll_queue import SPARE_ENTRIES, FairShares, PollQueue
from frontdesk.sync.poller import SHORTER
from frontdesk.sync.scheduler import DuePoll, Job, PollKind
from frontdesk_api.client.errors import ServerError
from sync.simulated_reads import START, Simulation, running_campaign

NAMES = tuple("abcdef")
SCREENS = st.builds(
    Focus,
    st.sampled_from(["inbox", "board", "campaigns", "workflows", "agents"]),
    st.sampled_from(["", *NAMES]),
    st.sampled_from(["", "f1", "f2"]),
    st.booleans(),
    active_at=st.sampled_from([0.0, START - 500.0, START - 7_000.0]),
)
STEPS = st.one_of(
    st.tuples(st.just("show"), st.lists(SCREENS, max_size=4)),
    st.tuples(st.just("others show"), st.lists(SCREENS, max_size=20)),
    st.tuples(st.just("watch"), st.sets(st.sampled_from(NAMES)), st.sampled_from(["inProgress", "completed"])),
    st.tuples(st.just("write"), st.lists(st.sampled_from(NAMES), unique=True)),
    st.tuples(st.just("ahead"), st.lists(st.sampled_from(NAMES), unique=True)),
    st.tuples(st.just("request"), st.sampled_from(["", "a", "thread", "whole workflows"])),
    st.tuples(st.just("fail"), st.sampled_from(["", *NAMES])),
    st.tuples(st.just("stall"), st.sampled_from(NAMES)),
    st.tuples(st.just("duty"), st.sampled_from([Duty.ALONE, Duty.LEADS, Duty.FOLLOWS])),
    st.tuples(
        st.just("wake"),
    ),
    st.tuples(st.just("wait"), st.floats(0.1, 900.0)),
)


def apply(sim: Simulation, what: str, values: tuple) -> None:  # type: ignore[type-arg]
    role = sim.poller._role
    match what, *values:
        case "show", screens:
            sim.show(screens)
        case "others show", screens:
            role.screens = [each if each.active_at else each._replace(active_at=sim.clock()) for each in screens]
        case "watch", names, status:
            sim.campaigns = [running_campaign(each, status) for each in sorted(names)]
        case "write", names:
            sim.outdated = names
        case "ahead", names:
            sim.ahead = names
        case "request", target:
            sim.refresh(target)
        case "fail", name:
            sim.refuses = lambda job: ServerError("broken", status=500) if name and job.target == name else None
        case "stall", name:
            sim.read_by[name] = sim.clock() + 20.0
            sim.poller.results.changed.add(Job(PollKind.CAMPAIGN, name))  # a poll that found it stalled has ended
        case "duty", duty:
            role.duty = duty
        case ("wake",):
            sim.poller.resume_after_sleep()
        case "wait", seconds:
            sim.run(seconds)


def check_places(sim: Simulation) -> None:
    poller = sim.poller
    poller._place_changed([*poller._screens[0]], sim.clock())
    placed, wanted = poller._queue.polls, {job: poller._due(job) for job in poller._situation.jobs()}
    for job, poll in wanted.items():
        if poll is not None and not poll.has_failed:
            slack = (1 / SHORTER - 1) * poller._situation.thread_rest
            assert placed[job].at <= poll.at + slack + 1e-6, job


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(STEPS, max_size=14), st.sampled_from([60, 300]))
def test_no_poll_is_due_before_the_time_that_it_is_placed_for(steps: list[tuple], per_minute: int) -> None:  # type: ignore[type-arg]
    """What is later by now is noticed when it comes first; what is sooner by now must have been placed anew."""
    sim = Simulation([Focus("inbox", "a")], per_minute=per_minute)
    for what, *values in steps:
        apply(sim, what, tuple(values))
        sim.run(0.01)
        check_places(sim)


def test_of_many_open_threads_one_with_a_sign_is_read_soon_and_all_of_them_sooner_with_a_larger_budget() -> None:
    sim = Simulation([Focus("inbox", f"t{number}") for number in range(40)], per_minute=300)
    sim.budget.pace = 60.0
    sim.run(100.0)
    assert sim.poller.thread_rest > 50.0
    sim.outdated = ["t7"]
    wrote = sim.clock()
    sim.run(5.0)
    assert sim.times(PollKind.THREAD, target="t7")[-1] > wrote
    sim.budget.pace = 300.0
    sim.run(1.0)
    assert sim.poller.thread_rest < 30.0
    check_places(sim)


def jobs(names: str) -> list[Job]:
    return [Job(kind, each) for kind in (PollKind.THREAD, PollKind.CAMPAIGN) for each in names]


PLACES = st.lists(
    st.tuples(st.sampled_from(jobs("abc")), st.floats(-50, 50), st.booleans(), st.booleans(), st.booleans()),
    max_size=60,
)


@given(PLACES, st.lists(st.sampled_from(jobs("abc")), max_size=5), st.floats(-50, 50))
def test_for_whatever_counts_the_first_poll_is_that_of_a_look_at_all(
    places: list[tuple[Job, float, bool, bool, bool]], dropped: list[Job], now: float
) -> None:
    polls = dict[Job, DuePoll]()
    queue = PollQueue(polls.get)
    for job, at, has_moved, can_wait, is_first_look in places:
        polls[job] = DuePoll(at, job, 3.0, True, is_first_look, has_moved=has_moved, can_wait=can_wait)
        queue.place(job)
    for job in dropped:
        polls.pop(job, None)  # nobody has placed it anew: it is noticed when it comes first
    found, every = queue.first(now), sorted(polls.values(), key=lambda each: each.at)
    counts: list[Callable[[DuePoll], bool]] = [
        lambda _: True,
        lambda each: each.is_first_look,
        lambda each: not each.can_wait,
        lambda each: each.job.kind is PollKind.CAMPAIGN,
    ]
    for is_counted in counts:
        first = next((each for each in every if is_counted(each)), None)
        assert min((each.at for each in found if is_counted(each)), default=None) == (first and first.at)
    assert len(found) <= len(polls)
    assert sum(map(len, queue._lines.values())) <= 16 * (2 * len(jobs("abc")) + SPARE_ENTRIES + 1)


def test_a_poll_that_moves_often_leaves_few_outdated_places() -> None:
    poll = DuePoll(1e6, Job(PollKind.TASKS_HEAD), 5.0)
    polls = {poll.job: poll}
    queue = PollQueue(polls.get)
    for number in range(1_000):
        polls[poll.job] = poll._replace(at=1e6 - number)
        queue.place(poll.job)
    assert sum(map(len, queue._lines.values())) <= SPARE_ENTRIES + 4
    assert queue.first(0.0) == [polls[poll.job]]


def test_a_deadline_that_is_over_goes_before_what_is_overdue_for_longer() -> None:
    late = DuePoll(1.0, Job(PollKind.CAMPAIGN, "a"), 2.0)
    needed = DuePoll(5.0, Job(PollKind.CAMPAIGN, "b"), 2.0, read_by=9.0)
    queue = PollQueue({late.job: late, needed.job: needed}.get)
    for job in (late.job, needed.job):
        queue.place(job)
    assert [each.job for each in queue.first(8.0)] == [late.job]
    assert [each.job for each in queue.first(9.0)] == [needed.job, late.job]


@few
@given(st.dictionaries(st.sampled_from(PollKind), st.integers(1, 40), min_size=1))
def test_of_polls_that_are_all_due_each_has_its_turn_by_the_weight_of_its_kind(
    kinds: dict[PollKind, int],
) -> None:
    at = {Job(kind, str(number)): 0.0 for kind, count in kinds.items() for number in range(count)}
    queue = PollQueue(lambda job: DuePoll(at[job], job, 0.0, is_on_screen=True))
    shares, served = FairShares(), Counter[Job]()
    for job in at:
        queue.place(job)
    whole, most = sum(kind.weight for kind in kinds), max(count / kind.weight for kind, count in kinds.items())
    turns = int(2 * whole * most) + len(at)
    for turn in range(1, turns + 1):
        poll = shares.choose(queue.first(1e9))
        shares.charge(poll)
        at[poll.job] = float(turn)
        served[poll.job] += 1
        queue.place(poll.job)
    assert served.keys() == at.keys(), "each within the turns of its kind"
    for kind, count in kinds.items():
        mine = [served[Job(kind, str(number))] for number in range(count)]
        assert max(mine) - min(mine) <= 1, "in turn"
        assert abs(sum(mine) - turns * kind.weight / whole) <= kind.weight + 2


def most_within(moments: list[float], seconds: float) -> int:
    return max((bisect_left(moments, at + seconds - 1e-6) - place for place, at in enumerate(moments)), default=0)


@pytest.mark.slow
@settings(max_examples=8)
@given(
    st.integers(0, 60),
    st.integers(0, 30),
    st.integers(0, 40),
    st.sampled_from([20, 60, 120, 300]),
    st.integers(1, 5),
)
def test_whatever_is_wanted_the_budget_holds_and_everything_shown_is_read(
    threads: int, running: int, filters: int, per_minute: int, per_second: int
) -> None:
    screens = [Focus("inbox", f"t{number}") for number in range(threads)]
    screens += [Focus("board", tasks_of=f"f{number}") for number in range(filters)] + [Focus("campaigns")]
    sim = Simulation(
        screens,
        [running_campaign(f"c{number}") for number in range(running)],
        per_minute=per_minute,
        per_second=per_second,
    )
    sim.run(60 + 60 * (threads + running + filters + 10) * 6 / per_minute)
    assert most_within(sim.requests, 60.0) <= per_minute
    assert most_within(sim.requests, 1.0) <= per_second
    shown = {Job(PollKind.THREAD, f"t{number}") for number in range(threads)}
    shown |= {Job(PollKind.TASKS_OF, f"f{number}") for number in range(filters)}
    shown |= {Job(PollKind.CAMPAIGN, f"c{number}") for number in range(running)}
    shown |= {Job(PollKind.TASKS_SWEEP), Job(PollKind.TASKS_HEAD)}
    assert shown <= {each.job for each in sim.reads}


def test_a_decision_takes_as_many_looks_with_three_thousand_open_threads_as_with_thirty() -> None:
    counts = []
    for threads in (30, 3_000):
        sim = Simulation([Focus("inbox", "t0")], per_minute=300)
        sim.poller._role.duty = Duty.LEADS
        sim.poller._role.screens = [Focus("inbox", f"t{number}", active_at=START) for number in range(1, threads)]
        sim.run(60.0)
        looks = 0
        due = sim.poller._queue._due

        def counted(job: Job, due: Callable[[Job], DuePoll | None] = due) -> DuePoll | None:
            nonlocal looks
            looks += 1
            return due(job)

        sim.poller._queue._due = counted
        decided = sim.decisions
        sim.run(10.0)
        counts.append(looks / (sim.decisions - decided))
    few_threads, many_threads = counts
    assert many_threads <= few_threads + 10


def test_many_boards_with_filters_of_their_own_leave_the_first_page_its_weight() -> None:
    """All were of one kind, in which a filter went first: with twenty the page was read once."""
    sim = Simulation([Focus("inbox", "t0"), *(Focus("board", tasks_of=f"f{number}") for number in range(20))])
    sim.run(60.0)
    assert len(sim.times(PollKind.TASKS_HEAD)) >= 8


def test_a_failed_change_of_a_campaign_is_not_taken_for_its_poll() -> None:
    """Both are a kind and an id, and equal; only the poll's has names."""
    asked: list[Job] = []

    def due(job: Job) -> DuePoll:
        asked.append(job)
        return DuePoll(START, Job(job.kind, job.target), 5.0, has_failed=len(asked) > 1)

    queue = PollQueue(due)
    queue.place(Job(PollKind.CAMPAIGN, "a"))
    found = queue.first(START, {("campaign", "a"), ("task", "t")})
    assert {each.job.target for each in found} == {"a"}

"""What a poll's end means for its next run, its host, and the other polls of that host."""

import random
from collections.abc import Sequence

import pytest

from frontdesk.sync.backoff import Backoff
from frontdesk.sync.poll_results import (
    FAULTY_REST_SECONDS,
    HOSTS,
    RUNS_KEPT,
    SET_ASIDE_SECONDS,
    SLOW_SECONDS,
    PollResults,
    ThreadQueue,
)
from frontdesk.sync.scheduler import REQUESTED, Job, PollKind, PollRun
from frontdesk_api.client.errors import (
    Ambiguous,
    ApiError,
    BadReply,
    BadRequestInput,
    CredentialsRefused,
    NotFound,
    NotSent,
    RateLimited,
    Refused,
    ReplyTooLarge,
    ServerError,
)
from frontdesk_api.contract.endpoints import Host

THREAD, OTHER = Job(PollKind.THREAD, "t1"), Job(PollKind.THREAD, "t2")
BEHIND = Job(PollKind.THREAD_BEHIND, "t1")
HEAD, SWEEP = Job(PollKind.TASKS_HEAD), Job(PollKind.TASKS_SWEEP)
CAMPAIGN = Job(PollKind.CAMPAIGN, "c1")
CHANCE = 0.25


class PollBench:
    """The results of polls, with two threads to read ahead; it is their resources, too."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.refused: set[Job] = set()
        self.backoff = Backoff(self.clock, random.Random(1))
        self.threads = ThreadQueue(self, self.clock)  # type: ignore[arg-type]
        self.results = PollResults(self, self.backoff, self.threads, self.clock, lambda: CHANCE)  # type: ignore[arg-type]

    def clock(self) -> float:
        return self.now

    def outdated_threads(self, count: int) -> Sequence[str]:
        return ["t1", "t2"][:count]

    def never_read_threads(self, count: int, *, from_oldest: bool = False) -> Sequence[str]:
        return []

    def threads_to_check(self, count: int) -> Sequence[str]:
        return []

    def was_refused(self, job: Job) -> bool:
        return job in self.refused

    def succeed(self, job: Job, asked_at: float = 999.0, *, differed: bool = True) -> None:
        self.results.note_success(job, asked_at, differed=differed)

    def fail(self, job: Job, error: ApiError) -> None:
        self.results.note_failure(job, error)


@pytest.fixture
def bench() -> PollBench:
    return PollBench()


def test_a_good_run_is_kept_with_its_moments(bench: PollBench) -> None:
    bench.succeed(HEAD, 998.5)
    assert bench.results.runs == {HEAD: PollRun(1_000.0, 1.0, CHANCE, 998.5)}
    assert bench.results.read_at == {HEAD: 998.5}
    assert bench.backoff.live_since(Host.BUSINESS) == 1_000.0
    bench.now = 1_010.0
    bench.succeed(HEAD, 1_009.0, differed=False)
    assert bench.results.runs == {HEAD: PollRun(1_010.0, 1.5, CHANCE, 1_009.0)}


def test_a_thread_read_ahead_is_as_fresh_as_an_open_one_and_keeps_no_run(bench: PollBench) -> None:
    bench.succeed(BEHIND)
    assert (bench.results.runs, bench.results.read_at) == ({}, {THREAD: 999.0})


def test_a_read_that_stored_a_refusal_is_no_answer_of_the_platform(bench: PollBench) -> None:
    bench.refused = {CAMPAIGN}
    bench.succeed(CAMPAIGN)
    assert (bench.results.read_at, bench.backoff.fresh_at) == ({}, None)
    assert bench.results.runs[CAMPAIGN].at == 1_000.0
    bench.refused = set()
    bench.succeed(CAMPAIGN)
    assert (bench.results.read_at, bench.backoff.fresh_at) == ({CAMPAIGN: 999.0}, 1_000.0)


@pytest.mark.parametrize(
    "error", [Refused("no", status=422), NotFound("gone", status=404), BadRequestInput("odd")]
)
def test_a_refusal_of_one_id_rests_and_says_that_the_host_answers(bench: PollBench, error: ApiError) -> None:
    bench.fail(THREAD, error)
    assert bench.results.runs == {THREAD: PollRun(1_000.0, 1.0, CHANCE)}
    assert not bench.backoff.has_failed(Host.BASE)
    assert bench.backoff.fresh_at is None
    assert bench.results.unread_since_trouble([THREAD, OTHER]) == {THREAD, OTHER}


def test_a_read_that_failed_and_is_refused_then_rests_no_longer_for_its_failure(bench: PollBench) -> None:
    bench.fail(CAMPAIGN, ServerError("x", status=500))
    bench.fail(CAMPAIGN, NotFound("gone", status=404))
    assert not bench.backoff.failed_reads


def test_a_host_that_refuses_every_list_is_a_failing_one(bench: PollBench) -> None:
    bench.fail(HEAD, Refused("no", status=422))
    assert bench.backoff.has_failed(Host.BUSINESS)
    bench.succeed(HEAD)
    bench.fail(SWEEP, Refused("no", status=422))
    assert not bench.backoff.has_failed(Host.BUSINESS), "one list was answered"


@pytest.mark.parametrize(
    "error",
    [NotSent("offline"), CredentialsRefused("no", status=401), ServerError("x", status=503, retry_after=5.0),
     RateLimited("slow", status=429)],
)  # fmt: skip
def test_a_failure_of_the_host_is_its_own_and_keeps_the_last_run(bench: PollBench, error: ApiError) -> None:
    bench.succeed(THREAD)
    before = dict(bench.results.runs)
    bench.fail(THREAD, error)
    assert bench.backoff.has_failed(Host.BASE)
    assert bench.results.runs == before
    assert not bench.backoff.has_failed(Host.BUSINESS)


@pytest.mark.parametrize(
    ("error", "is_set_aside"),
    [
        (Refused("no", status=422), True),
        (NotFound("gone", status=404), True),
        (BadRequestInput("odd"), True),
        (BadReply("half"), True),
        (ReplyTooLarge("large"), True),
        (NotSent("offline"), False),
        (CredentialsRefused("no", status=401), False),
        (RateLimited("slow", status=429), False),
        (ServerError("x", status=503, retry_after=5.0), False),
        (ServerError("x", status=500), True),
        (Ambiguous("lost"), True),
    ],
)
def test_a_thread_that_cannot_be_read_ahead_keeps_no_other_behind_it(
    bench: PollBench, error: ApiError, *, is_set_aside: bool
) -> None:
    bench.fail(BEHIND, error)
    assert bench.threads.choose(()) == ("t2" if is_set_aside else "t1")
    assert bench.results.runs == {}
    bench.now += SET_ASIDE_SECONDS
    assert bench.threads.choose(()) == "t1"


def test_a_thread_that_fails_again_is_set_aside_for_twice_as_long_and_after_a_read_anew(bench: PollBench) -> None:
    for seconds in (60.0, 120.0, 240.0, 480.0, 960.0, 1_920.0, 3_600.0, 3_600.0):
        bench.threads.set_aside("t1")
        bench.now += seconds - 0.1
        assert bench.threads.choose(()) == "t2"
        bench.now += 0.2
        assert bench.threads.choose(()) == "t1"
    bench.succeed(BEHIND)
    bench.threads.set_aside("t1")
    bench.now += SET_ASIDE_SECONDS
    assert bench.threads.choose(()) == "t1"


@pytest.mark.parametrize("error", [ReplyTooLarge("large"), ServerError("x", status=500), Ambiguous("lost")])
def test_a_failure_of_one_read_makes_it_wait_and_not_its_host(bench: PollBench, error: ApiError) -> None:
    for job in (HEAD, CAMPAIGN, BEHIND):
        bench.fail(job, error)
    assert not any(bench.backoff.has_failed(each) for each in Host)
    assert bench.backoff.failed_reads == {HEAD, CAMPAIGN, BEHIND}
    assert bench.backoff.ready_at(Host.CAMPAIGNS, CAMPAIGN) > 1_000.0
    assert bench.results.changed == {HEAD, CAMPAIGN, BEHIND}


def test_what_failed_is_due_at_once_when_its_host_answers_again(bench: PollBench) -> None:
    for job in (HEAD, SWEEP, CAMPAIGN, THREAD):
        bench.succeed(job)
    bench.fail(SWEEP, Refused("no", status=422))
    bench.fail(CAMPAIGN, Refused("no", status=422))
    bench.fail(HEAD, NotSent("offline"))
    bench.now += 100
    bench.succeed(HEAD, 1_099.0)
    runs = bench.results.runs
    assert runs[SWEEP] == PollRun(0.0, 1.0, CHANCE)
    assert (runs[CAMPAIGN].at, runs[THREAD].at, runs[HEAD].at) == (1_000.0, 1_000.0, 1_100.0)
    assert bench.results.unread_since_trouble([SWEEP, HEAD]) == {SWEEP, HEAD}
    bench.succeed(SWEEP, 1_199.0)
    assert bench.results.unread_since_trouble([SWEEP]) == set()


def test_a_slow_reply_makes_what_its_host_has_late_until_each_is_read_again(bench: PollBench) -> None:
    bench.succeed(THREAD, 1_000.0 - SLOW_SECONDS)
    bench.succeed(OTHER)
    assert bench.results.unread_since_trouble([OTHER]) == {OTHER}, "its host has just come to life"
    bench.now = 1_010.0
    bench.succeed(OTHER, 1_009.0)
    assert bench.results.unread_since_trouble([OTHER]) == set()
    bench.results.note_if_slow(THREAD, 1_010.0 - SLOW_SECONDS)
    assert bench.results.unread_since_trouble([OTHER]) == set(), "not yet slow"
    bench.results.note_if_slow(THREAD, 1_009.9 - SLOW_SECONDS)
    assert bench.results.unread_since_trouble([OTHER, THREAD, HEAD]) == {OTHER, THREAD}
    bench.now = 1_020.0
    bench.succeed(OTHER, 1_019.0)
    assert bench.results.unread_since_trouble([OTHER]) == set()
    bench.succeed(THREAD, 1_019.9 - SLOW_SECONDS)
    assert bench.results.unread_since_trouble([OTHER, THREAD]) == {OTHER, THREAD}, "slow again"


@pytest.mark.parametrize("job", [THREAD, BEHIND])
def test_a_poll_that_failed_through_a_fault_of_ours_rests(bench: PollBench, job: Job) -> None:
    bench.results.postpone(job)
    if job is BEHIND:
        assert (bench.results.runs, bench.threads.choose(())) == ({}, "t2")
    else:
        assert bench.results.runs == {job: PollRun(1_000.0 + FAULTY_REST_SECONDS, 1.0, CHANCE)}


def test_requested_polls_are_due_and_a_poll_that_counts_as_read_is_fresh(bench: PollBench) -> None:
    bench.results.request([THREAD, HEAD])
    assert bench.results.runs == {THREAD: REQUESTED, HEAD: REQUESTED}
    bench.results.count_as_read(THREAD, 1_000.0)
    assert (bench.results.runs[THREAD], bench.results.read_at) == (
        PollRun(1_000.0, 1.0, CHANCE),
        {THREAD: 1_000.0},
    )
    bench.fail(HEAD, NotSent("offline"))
    bench.results.forget()
    assert (bench.results.runs, bench.results.read_at) == ({}, {})
    bench.now += 100
    bench.succeed(SWEEP, 1_099.0)
    assert bench.results.runs.keys() == {SWEEP}


def test_of_very_many_runs_the_newest_half_is_kept(bench: PollBench) -> None:
    for number in range(RUNS_KEPT):
        bench.now += 1
        bench.succeed(Job(PollKind.CAMPAIGN, f"c{number}"), bench.now)
    assert len(bench.results.runs) == RUNS_KEPT
    bench.fail(Job(PollKind.CAMPAIGN, "c0"), Refused("no", status=422))
    bench.now += 1
    bench.succeed(HEAD, bench.now)
    assert len(bench.results.runs) == RUNS_KEPT // 2
    assert HEAD in bench.results.runs
    assert Job(PollKind.CAMPAIGN, f"c{RUNS_KEPT - 1}") in bench.results.runs
    assert Job(PollKind.CAMPAIGN, "c1") not in bench.results.runs
    assert bench.results.read_at.keys() <= bench.results.runs.keys()


def test_the_runs_of_what_is_shown_are_kept_however_many_they_are(bench: PollBench) -> None:
    shown = [Job(PollKind.THREAD, f"t{number}") for number in range(RUNS_KEPT)]
    bench.results.shown = set(shown)
    for job in (*shown, *(Job(PollKind.CAMPAIGN, f"c{number}") for number in range(RUNS_KEPT + 1))):
        bench.now += 1
        bench.succeed(job, bench.now)
    assert bench.results.runs.keys() >= set(shown)
    assert len(bench.results.runs) == RUNS_KEPT + RUNS_KEPT // 2


def test_each_kind_of_poll_has_its_host() -> None:
    assert {kind: HOSTS[kind] for kind in PollKind} == {
        PollKind.THREAD: Host.BASE,
        PollKind.THREAD_BEHIND: Host.BASE,
        PollKind.TASKS_OF: Host.BUSINESS,
        PollKind.TASKS_HEAD: Host.BUSINESS,
        PollKind.TASKS_SWEEP: Host.BUSINESS,
        PollKind.CAMPAIGN: Host.CAMPAIGNS,
        PollKind.WORKFLOWS: Host.WORKFLOWS,
        PollKind.WHOLE_WORKFLOWS: Host.WORKFLOWS,
        PollKind.AI_AGENTS: Host.AI,
    }

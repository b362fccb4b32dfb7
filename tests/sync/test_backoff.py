"""Four bad states told apart, and when a host is tried again."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.storage.records import Connection
from frontdesk.sync.backoff import (
    FIRST_SECONDS,
    FREED_AFTER_SECONDS,
    LONG_WAIT_SECONDS,
    MAX_ATTENDED_SECONDS,
    MAX_SECONDS,
    MIN_FAILED_READS,
    REFUSED_ATTENDED_SECONDS,
    REFUSED_SECONDS,
    RETRY_AFTER_SPREAD,
    UNANSWERED_SECONDS,
    Backoff,
)
from frontdesk_api.client.errors import (
    MAX_RETRY_AFTER,
    Ambiguous,
    ApiError,
    BadReply,
    CredentialsRefused,
    HttpError,
    Intercepted,
    NotFound,
    NotSent,
    RateLimited,
    Redirected,
    Refused,
    ReplyTooLarge,
    ServerError,
)


def refusal(kind: type[HttpError], status: int, retry_after: float | None = None) -> HttpError:
    return kind("it said no", status=status, retry_after=retry_after)


CASES = [
    (NotSent("no route"), Connection.OFFLINE),
    (Ambiguous("no answer"), Connection.OFFLINE),
    (Intercepted("a login page", interception="somebody between"), Connection.INTERCEPTED),
    (refusal(Redirected, 302), Connection.INTERCEPTED),
    (refusal(CredentialsRefused, 401), Connection.REFUSED),
    (refusal(RateLimited, 429), Connection.THROTTLED),
    (refusal(ServerError, 503), Connection.FAILING),
]


def backoff(now: list[float]) -> Backoff:
    return Backoff(lambda: now[0], random.Random(1))


def test_who_answers_between_is_said_without_advice_and_before_all_else() -> None:
    it = backoff([100.0])
    it.note_failure("ai", refusal(CredentialsRefused, 401))
    it.note_failure("business", Intercepted("somebody between; log in", interception="somebody between"))
    assert (it.health().state, it.health().reason) == (Connection.INTERCEPTED, "somebody between")


@pytest.mark.parametrize("error", [NotSent("no route"), Intercepted("a page", interception="a page")])
def test_while_a_person_waits_a_platform_that_is_not_reached_is_tried_soon(error: ApiError) -> None:
    now = [1000.0]
    it = backoff(now)
    for _ in range(12):
        it.note_failure("business", error)
    it.attended = True
    assert it.ready_at("business") <= now[0] + MAX_ATTENDED_SECONDS
    assert it.health().retry_at is None, "each of many quick tries would keep the status line busy"
    it.note_failure("ai", refusal(RateLimited, 429, 120))
    assert it.ready_at("ai") >= now[0] + 120, "what the platform asked for holds for everybody"


def test_while_a_person_waits_a_failing_platform_is_tried_soon_unless_it_asks_to_wait() -> None:
    now = [1000.0]
    it = backoff(now)
    it.attended = True
    for _ in range(12):
        it.note_failure("business", refusal(ServerError, 503))
        it.note_failure("ai", ReplyTooLarge("too large"))
    assert it.ready_at("business") <= now[0] + MAX_ATTENDED_SECONDS
    assert it.ready_at("ai") <= now[0] + MAX_ATTENDED_SECONDS
    it.note_failure("business", refusal(ServerError, 503, 60))
    assert it.ready_at("business") >= now[0] + 60


ABOUT_ONE_READ = [
    ReplyTooLarge("it failed"),
    BadReply("it failed"),
    Ambiguous("it failed"),
    ServerError("it failed", status=500),
    ServerError("it failed", status=503),
]
ABOUT_THE_HOST = [
    NotSent("no route"),
    Intercepted("a page", interception="a page"),
    refusal(CredentialsRefused, 401),
    refusal(RateLimited, 429),
    refusal(ServerError, 503, 30),
]


@pytest.mark.parametrize("error", ABOUT_ONE_READ)
def test_a_read_that_fails_rests_alone_however_often_and_is_said(error: ApiError) -> None:
    now = [1000.0]
    it = backoff(now)
    it.note_success("ai")
    for _ in range(5):
        it.note_failure("ai", error, "list")
    assert it.ready_at("ai", "another") <= now[0] < it.ready_at("ai", "list")
    assert (it.has_failed("ai"), it.has_failed("ai", "another"), it.has_failed("ai", "list")) == (
        False,
        False,
        True,
    )
    assert it.fresh_at == 1000.0
    assert it.health({"ai"}).state is Connection.LIVE
    assert (it.health({"ai", "list"}).state, it.health({"ai", "list"}).reason) == (Connection.FAILING, "it failed")
    it.note_success("ai", read="list")
    assert it.ready_at("ai", "list") <= now[0]
    assert it.health({"ai", "list"}).state is Connection.LIVE


@pytest.mark.parametrize("error", ABOUT_THE_HOST)
def test_what_concerns_the_host_makes_every_read_wait(error: ApiError) -> None:
    now = [1000.0]
    it = backoff(now)
    it.note_success("ai")
    it.note_failure("ai", error, "list")
    assert it.ready_at("ai", "another") > now[0]
    assert not it.failed_reads


@pytest.mark.parametrize("error", ABOUT_ONE_READ[1:])
def test_a_host_rests_once_several_reads_failed_without_an_answer_in_between(error: ApiError) -> None:
    now = [1000.0]
    it = backoff(now)
    for number in range(MIN_FAILED_READS - 1):
        it.note_failure("ai", error, number)
    it.note_success("ai", was_read=False)
    for number in range(MIN_FAILED_READS - 1):
        for _ in range(3):
            it.note_failure("ai", error, number)
    it.note_failure("business", error, "of another host")
    assert not it.has_failed("ai")
    for number in range(12):
        it.note_failure("ai", error, number)
    assert it.ready_at("ai", "another") > now[0]
    now[0] = 1300.0
    it.note_success("ai", read="another")
    assert it.health({"ai"}).state is Connection.LIVE
    assert all(it.ready_at("ai", number) <= now[0] + FREED_AFTER_SECONDS for number in range(12))


def test_replies_that_are_too_large_prove_that_the_host_answers() -> None:
    it = backoff([1000.0])
    it.note_failure("ai", NotSent("no route"))
    for number in range(5):
        it.note_failure("ai", ReplyTooLarge("too large"), number)
    assert it.health({"ai"}).state is Connection.LIVE


@pytest.mark.parametrize(("kind", "status"), [(RateLimited, 429), (ServerError, 503)])
def test_a_host_that_asks_for_a_long_wait_is_named_with_its_end(kind: type[HttpError], status: int) -> None:
    it = backoff([1000.0])
    it.note_failure("business", kind("it said no", status=status, retry_after=600, host="api.example.com"))
    health = it.health()
    assert (health.state, health.reason) == (Connection.ASKED_TO_WAIT, "api.example.com")
    assert health.retry_at is not None
    assert health.retry_at >= 1600
    it.reset()
    assert it.ready_at("business") == health.retry_at
    other = backoff([1000.0])
    other.note_failure("business", kind("it said no", status=status, retry_after=LONG_WAIT_SECONDS))
    assert other.health().state is not Connection.ASKED_TO_WAIT


def test_an_answer_to_a_persons_try_ends_the_wait_and_another_refusal_begins_it_anew() -> None:
    now = [1000.0]
    it = backoff(now)
    it.note_failure("business", refusal(RateLimited, 429, 600))
    now[0] = 1300.0
    it.begin_try("business")
    it.note_failure("business", refusal(RateLimited, 429, 600))
    assert it.ready_at("business") >= 1900.0
    it.note_success("business")
    assert it.is_throttled("business"), "that answer was to an earlier request"
    it.begin_try("business")
    it.note_success("business")
    assert it.health().state is Connection.LIVE
    assert it.ready_at("business") == 0.0


def test_what_a_host_asked_for_holds_until_its_time_or_its_answer_to_a_try() -> None:
    now = [1000.0]
    it = backoff(now)
    it.note_failure("business", refusal(RateLimited, 429, 600))
    asked = it.health()
    for error in (NotSent("no route"), refusal(ServerError, 500), refusal(RateLimited, 429)):
        it.note_failure("business", error)
        assert it.health() == asked
    it.begin_try("business")
    it.note_failure("business", NotSent("no route"))
    assert it.health() == asked, "a try that isn't answered changes nothing"
    it.begin_try("business")
    it.note_failure("business", refusal(RateLimited, 429))
    assert it.health().state is Connection.THROTTLED
    assert it.ready_at("business") <= now[0] + MAX_SECONDS, "its newest answer asks for no more"


@pytest.mark.parametrize(("error", "state"), CASES)
def test_each_failure_is_called_by_its_name(error: ApiError, state: Connection) -> None:
    it = backoff([100.0])
    it.note_failure("business", error)
    assert it.health().state is state
    assert it.health().reason


def test_it_waits_longer_and_never_more_than_a_minute() -> None:
    now = [0.0]
    it = backoff(now)
    for _ in range(50):
        it.note_failure("business", NotSent("no route"))
        assert 0 < it.ready_at("business") - now[0] <= MAX_SECONDS


@given(st.floats(0.5, 3000), st.integers(0, 2**32))
def test_retry_after_is_obeyed_and_desks_do_not_return_in_one_moment(asked: float, seed: int) -> None:
    it = Backoff(lambda: 0.0, random.Random(seed))
    it.note_failure("business", refusal(RateLimited, 429, asked))
    assert asked <= it.ready_at("business") <= max(MAX_SECONDS, asked * (1 + RETRY_AFTER_SPREAD))
    it.reset()
    assert it.ready_at("business") >= asked, "a person's refresh leaves a host in peace that throttles"


def test_a_retry_after_of_years_is_capped() -> None:
    it = backoff([0.0])
    it.note_failure("business", refusal(RateLimited, 429, 1e9))
    assert it.ready_at("business") <= MAX_RETRY_AFTER


def test_every_429_is_told_to_the_budget() -> None:
    told: list[bool] = []
    it = Backoff(lambda: 0.0, random.Random(1), throttled=lambda: told.append(True))
    it.note_failure("business", refusal(RateLimited, 429))
    it.note_failure("ai", refusal(ServerError, 503))
    it.note_failure("ai", NotSent("no route"))
    assert len(told) == 1


def test_a_503_is_told_too_and_one_read_that_has_it_for_ever_once() -> None:
    told: list[bool] = []
    it = Backoff(lambda: 0.0, random.Random(1), throttled=lambda: told.append(True))
    for _ in range(5):
        it.note_failure("business", refusal(ServerError, 503), "t1")
        it.note_success("business", read="another")
    assert len(told) == 1, "one item that answers so slows nothing else"
    for number in range(3):
        it.note_failure("business", refusal(ServerError, 503), f"other {number}")
        it.note_success("business", read="another")
    assert len(told) == 4, "each of several may be the platform's"
    it.note_failure("business", refusal(ServerError, 500), "t2")
    assert len(told) == 4
    it.note_failure("business", refusal(RateLimited, 429), "t2")
    assert len(told) == 5


def test_after_a_reset_the_first_failure_waits_as_the_first_does() -> None:
    now = [0.0]
    it = backoff(now)
    for _ in range(12):
        it.note_failure("business", NotSent("no route"))
    it.reset()
    assert it.ready_at("business") == 0.0
    it.note_failure("business", NotSent("no route"))
    assert it.ready_at("business") <= 2.0


def test_a_clock_that_was_set_back_leaves_no_moment_in_the_far_future() -> None:
    now = [100_000.0]
    it = backoff(now)
    it.note_success("ai")
    it.note_failure("business", refusal(RateLimited, 429, 30.0))
    now[0] -= 7200
    it.adjust_to_clock(7200)
    assert now[0] + 30 <= it.ready_at("business") <= now[0] + 35
    fresh_at = it.health().fresh_at
    assert fresh_at is not None
    assert fresh_at <= now[0]


def test_the_next_try_is_named_when_it_is_not_soon() -> None:
    it = backoff([1000.0])
    it.note_failure("business", refusal(RateLimited, 429, 90.0))
    assert it.health().retry_at == it.ready_at("business")


def test_what_an_engine_before_this_one_read_is_as_old_as_it_is() -> None:
    it = backoff([1000.0])
    it.fresh_at = 400.0
    assert it.health().fresh_at == 400.0
    it.note_failure("business", NotSent("no route"))
    assert it.health().fresh_at == 400.0
    it.note_success("business")
    assert it.health().fresh_at == 1000.0


def test_one_hosts_trouble_is_not_anothers() -> None:
    it = backoff([0.0])
    it.note_failure("ai", NotSent("no route"))
    it.note_success("business")
    assert it.ready_at("business") == 0.0
    assert it.health().state is Connection.OFFLINE
    it.note_success("ai")
    assert it.health().state is Connection.LIVE


def test_an_answer_to_what_was_asked_before_a_429_does_not_take_its_retry_after_off() -> None:
    now = [1000.0]
    state = backoff(now)
    state.note_failure("base", refusal(RateLimited, 429, 30))
    state.note_success("base")
    assert state.is_throttled("base")
    assert state.ready_at("base") >= 1030
    assert state.health().fresh_at == 1000.0
    now[0] = state.ready_at("base")
    state.note_success("base")
    assert state.health().state is Connection.LIVE


def test_an_answer_that_is_owed_for_some_seconds_is_said_from_when_on() -> None:
    now = [1000.0]
    it = backoff(now)
    it.note_success("business")
    live = it.health()
    assert it.add_unanswered(live, UNANSWERED_SECONDS - 0.1) == live
    waits = it.add_unanswered(live, UNANSWERED_SECONDS)
    assert (waits.state, waits.since) == (Connection.WAITING, 1000.0 - UNANSWERED_SECONDS)
    now[0] += 3.1
    assert it.add_unanswered(live, UNANSWERED_SECONDS + 3) == waits, "the same moment, told by two clocks"
    assert it.add_unanswered(live, 0.0) == live
    now[0] += 60
    assert it.add_unanswered(live, UNANSWERED_SECONDS).since == now[0] - UNANSWERED_SECONDS


def test_what_is_known_to_be_bad_is_said_before_an_answer_that_is_owed() -> None:
    for error, state in CASES:
        it = backoff([1000.0])
        it.note_failure("business", error)
        assert it.add_unanswered(it.health(), 10.0).state is state


@pytest.mark.parametrize(
    ("error", "is_live"),
    [
        (refusal(ServerError, 503), True),
        (NotSent("no route"), True),
        (refusal(CredentialsRefused, 401), True),
        (refusal(Redirected, 302), True),
        (refusal(NotFound, 404), False),
        (refusal(Refused, 418), False),
    ],
)
def test_an_accepted_change_ends_all_but_the_refusal_of_every_read(error: ApiError, is_live: bool) -> None:
    now = [1000.0]
    it = backoff(now)
    it.note_failure("business", error)
    failed = it.health()
    now[0] = 1500.0
    it.note_success("business", was_read=False)
    assert (it.health().state is Connection.LIVE) is is_live
    assert it.health().since == (1500.0 if is_live else failed.since)
    assert it.health().fresh_at is None, "it returned no data"
    it.note_success("business")
    assert it.health().state is Connection.LIVE
    now[0] = 1600.0
    it.note_success("business", was_read=False)
    assert (it.health().since, it.health().fresh_at) == (1500.0, 1500.0)


@pytest.mark.parametrize(("error", "state"), CASES)
def test_a_state_is_as_old_as_its_first_failure_and_its_reason_is_the_last_ones(
    error: ApiError, state: Connection
) -> None:
    now = [1000.0]
    it = backoff(now)
    for now[0] in (1000.0, 1100.0, 1200.0):
        it.note_failure("business", error)
    assert (it.health().state, it.health().since) == (state, 1000.0)
    now[0] = 1300.0
    it.note_failure("business", ReplyTooLarge("too large"))
    failing_since = 1000.0 if state is Connection.FAILING else 1300.0
    assert (it.health().state, it.health().since) == (Connection.FAILING, failing_since)
    assert it.health().reason == "too large"


@given(st.integers(0, 2**32), st.integers(1, 14))
def test_each_failure_may_wait_twice_as_long_and_none_less_than_a_second(seed: int, failures: int) -> None:
    it = Backoff(lambda: 0.0, random.Random(seed))
    for number in range(1, failures + 1):
        it.note_failure("business", NotSent("no route"))
        assert FIRST_SECONDS <= it.ready_at("business") <= min(MAX_SECONDS, FIRST_SECONDS * 2.0**number)


def test_waits_are_spread_over_their_whole_range() -> None:
    waits = []
    for seed in range(200):
        it = Backoff(lambda: 0.0, random.Random(seed))
        for _ in range(12):
            it.note_failure("business", NotSent("no route"))
        waits.append(it.ready_at("business"))
    assert min(waits) < MAX_SECONDS / 10
    assert max(waits) > MAX_SECONDS * 0.9


def test_refused_credentials_wait_their_own_time() -> None:
    it = backoff([0.0])
    it.note_failure("business", refusal(CredentialsRefused, 401))
    assert it.ready_at("business") == REFUSED_SECONDS


def test_the_worst_of_the_needed_hosts_is_told_and_only_of_those() -> None:
    now = [0.0]
    it = backoff(now)
    for now[0], host, error in (
        (1.0, "a", refusal(ServerError, 503)),
        (2.0, "b", NotSent("no route")),
        (3.0, "c", refusal(RateLimited, 429, 10)),
        (4.0, "d", refusal(CredentialsRefused, 401)),
        (5.0, "e", Intercepted("a page", interception="a page")),
    ):
        it.note_failure(host, error)
    now[0] = 6.0
    it.note_success("f")
    for hosts, state, since in (
        ("abcdef", Connection.INTERCEPTED, 5.0),
        ("abcdf", Connection.REFUSED, 4.0),
        ("abcf", Connection.OFFLINE, 2.0),
        ("acf", Connection.THROTTLED, 3.0),
        ("af", Connection.FAILING, 1.0),
        ("f", Connection.LIVE, 6.0),
        ("", Connection.STARTING, None),
    ):
        health = it.health(hosts)
        assert (health.state, health.fresh_at) == (state, 6.0)
        assert since is None or health.since == since
    assert it.health().state is Connection.INTERCEPTED
    assert it.health("f").retry_at is None
    now[0] = 7.0
    it.note_success("g")
    assert it.health("fg").since == 7.0, "all live since the last of them is"


def test_a_clock_that_is_set_back_shifts_every_moment_by_as_much() -> None:
    now = [10_000.0]
    it = backoff(now)
    it.note_success("ai")
    it.note_failure("business", refusal(RateLimited, 429, 90))
    before = it.health()
    assert before.retry_at is not None
    it.adjust_to_clock(7200)
    after = it.health()
    assert (after.since, after.fresh_at, after.retry_at) == (10_000.0 - 7200, 2800.0, before.retry_at - 7200)
    nothing_read = backoff(now)
    nothing_read.adjust_to_clock(7200)
    assert nothing_read.health().fresh_at is None


def test_a_host_is_live_since_its_first_answer_after_a_failure_or_at_all() -> None:
    now = [1000.0]
    it = backoff(now)
    assert (it.live_since("a"), it.has_failed("a"), it.is_throttled("a")) == (0.0, False, False)
    it.note_success("a")
    now[0] = 1100.0
    it.note_success("a")
    assert (it.live_since("a"), it.live_since("b")) == (1000.0, 0.0)
    for error, is_throttled in ((NotSent("no route"), False), (refusal(RateLimited, 429), True)):
        it.note_failure("a", error)
        assert (it.live_since("a"), it.has_failed("a"), it.is_throttled("a")) == (0.0, True, is_throttled)
    now[0] = 1300.0
    it.note_success("a")
    assert (it.live_since("a"), it.has_failed("a"), it.is_throttled("a")) == (1300.0, False, False)
    it.begin_try("never used")
    assert not it.has_failed("never used")


@pytest.mark.parametrize(
    ("error", "is_common"),
    [
        (NotSent("no route"), True),
        (Intercepted("a page", interception="a page"), True),
        (refusal(CredentialsRefused, 401), True),
        (refusal(RateLimited, 429), True),
        (refusal(ServerError, 503), False),
        (refusal(RateLimited, 429, 600), False),
    ],
)
def test_a_host_that_answers_again_lets_others_in_the_same_trouble_be_tried_soon(
    error: ApiError, is_common: bool
) -> None:
    pause = REFUSED_ATTENDED_SECONDS if isinstance(error, CredentialsRefused) else FREED_AFTER_SECONDS
    for seed in range(5):
        now = [1000.0]
        it = Backoff(lambda now=now: now[0], random.Random(seed))
        for host in ("a", "b", "other"):
            for _ in range(12):
                it.note_failure(host, error)
        it.note_failure("other", BadReply("half of it"))
        before = {host: it.ready_at(host) for host in ("b", "other")}
        now[0] = 1001.0
        it.begin_try("a")
        it.note_success("a")
        assert it.ready_at("other") == before["other"]
        latest = max(1000.0 + pause, 1002.0) if is_common else before["b"]
        for it.attended in (False, True):
            assert it.ready_at("b") <= latest
            assert it.ready_at("b") >= min(before["b"], 1000.0 + pause)


@pytest.mark.parametrize(("kind", "status"), [(RateLimited, 429), (ServerError, 503)])
def test_hosts_that_are_freed_keep_what_they_asked_for(kind: type[HttpError], status: int) -> None:
    now = [1000.0]
    it = backoff(now)
    it.note_failure("a", refusal(kind, status))
    it.note_failure("b", refusal(kind, status, 100))
    it.begin_try("a")
    it.note_success("a")
    assert it.ready_at("b") >= 1100.0


def test_refused_credentials_are_tried_by_one_host_after_the_other_while_a_person_waits() -> None:
    now = [1000.0]
    it = backoff(now)
    it.attended = True
    for host in ("a", "b", "c"):
        it.note_failure(host, refusal(CredentialsRefused, 401))
    assert [it.ready_at(host) for host in ("a", "b", "c")] == [1010.0, 1020.0, 1030.0]
    it.attended = False
    assert [it.ready_at(host) for host in ("a", "b", "c")] == [1060.0, 1060.0, 1060.0]
    it.attended = True
    now[0] = 1059.9
    it.note_failure("a", refusal(CredentialsRefused, 401))
    assert it.ready_at("a") == 1059.9 + 10.0
    now[0] = 1060.0
    it.note_failure("b", refusal(CredentialsRefused, 401))
    assert it.ready_at("b") == 1059.9 + 10.0 + 60.0, "after a minute of refusals a minute lies between two tries"
    it.reset()
    it.note_failure("c", refusal(CredentialsRefused, 401))
    assert it.ready_at("c") == 1060.0 + 60.0


def test_throttling_without_a_time_is_tried_sooner_for_a_person_in_its_first_minute() -> None:
    for seed in range(8):
        now = [1000.0]
        it = Backoff(lambda now=now: now[0], random.Random(seed))
        it.attended = True
        for _ in range(12):
            it.begin_try("a")
            it.note_failure("a", refusal(RateLimited, 429))
            assert it.ready_at("a") <= 1010.0
        now[0] = 1060.0
        it.begin_try("a")
        it.note_failure("a", refusal(RateLimited, 429))
        attended = it.ready_at("a")
        it.attended = False
        assert it.ready_at("a") == attended, "after that it waits as it does while nobody looks"


class NoChance(random.Random):
    """The earliest moment of each range."""

    def random(self) -> float:
        return 0.0


@pytest.mark.parametrize(("seconds", "is_named"), [(12.0, False), (12.5, True)])
def test_only_a_retry_in_more_than_twelve_seconds_is_named(seconds: float, *, is_named: bool) -> None:
    it = Backoff(lambda: 1000.0, NoChance())
    it.note_failure("a", refusal(ServerError, 503, seconds))
    assert it.ready_at("a") == 1000.0 + seconds
    assert it.health().retry_at == (1000.0 + seconds if is_named else None)


def test_a_clock_that_is_set_back_keeps_how_long_credentials_have_been_refused() -> None:
    now = [10_000.0]
    it = backoff(now)
    it.attended = True
    it.note_failure("a", refusal(CredentialsRefused, 401))
    now[0] = 10_100.0
    it.note_failure("a", refusal(CredentialsRefused, 401))
    assert it.ready_at("a") == 10_160.0
    now[0] -= 7_200
    it.adjust_to_clock(7_200)
    assert it.ready_at("a") == 2_960.0
    it.note_failure("b", refusal(CredentialsRefused, 401))
    assert it.ready_at("b") == 3_020.0, "a minute after the try of the other host"


def test_each_429_after_an_answer_is_told_again_and_none_in_between() -> None:
    told: list[bool] = []
    now = [1000.0]
    it = Backoff(lambda: now[0], random.Random(1), throttled=lambda: told.append(True))
    for host in ("a", "b", "a"):
        it.note_failure(host, refusal(RateLimited, 429))
    assert len(told) == 1
    it.note_success("c")
    it.note_failure("b", refusal(RateLimited, 429))
    assert len(told) == 1, "no throttled host has answered"
    it.begin_try("a")
    it.note_success("a")
    it.note_failure("b", refusal(RateLimited, 429))
    assert len(told) == 2


@pytest.mark.parametrize(
    "error", [NotSent("no route"), refusal(CredentialsRefused, 401), refusal(ServerError, 503)]
)
def test_a_429_is_told_again_after_an_answer_whatever_failed_in_between(error: ApiError) -> None:
    told: list[bool] = []
    now = [1000.0]
    it = Backoff(lambda: now[0], random.Random(1), throttled=lambda: told.append(True))
    it.note_failure("a", refusal(RateLimited, 429))
    now[0] += 3_600
    it.note_failure("a", error)
    it.note_failure("a", refusal(RateLimited, 429))
    assert len(told) == 1, "it has not answered since"
    now[0] += 3_600
    it.note_failure("a", error)
    now[0] += 3_600
    it.note_success("a")
    it.note_failure("a", refusal(RateLimited, 429))
    assert len(told) == 2


def test_reads_that_failed_are_forgotten_once_nobody_wants_them_and_they_may_be_tried() -> None:
    now = [1000.0]
    it = backoff(now)
    for read in ("one", "two"):
        it.note_failure("ai", ServerError("broken", status=500), read)
    assert set(it.failed_reads) == {"one", "two"}
    it.forget_reads({"one"})
    assert set(it.failed_reads) == {"one", "two"}, "its wait isn't over"
    now[0] = max(it.ready_at("ai", "one"), it.ready_at("ai", "two"))
    it.forget_reads({"one"})
    assert set(it.failed_reads) == {"one"}
    it.reset()
    assert it.ready_at("ai", "one") == 0.0

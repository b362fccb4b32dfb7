"""Four bad states told apart, and when a host is tried again."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.api.client.errors import (
    MAX_RETRY_AFTER,
    Ambiguous,
    ApiError,
    CredentialsRefused,
    HttpError,
    Intercepted,
    NotSent,
    RateLimited,
    Redirected,
    ReplyTooLarge,
    ServerError,
)
from frontdesk.storage.records import Connection
from frontdesk.sync.backoff import (
    LONG_WAIT_SECONDS,
    MAX_ATTENDED_SECONDS,
    MAX_SECONDS,
    RETRY_AFTER_SPREAD,
    UNANSWERED_SECONDS,
    Backoff,
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


def test_a_reply_that_is_too_large_makes_its_read_wait_and_nothing_else() -> None:
    now = [1000.0]
    it = backoff(now)
    it.note_success("ai")
    for _ in range(5):
        it.note_failure("ai", ReplyTooLarge("too large"), "list")
    assert it.ready_at("ai", "another") <= now[0] < it.ready_at("ai", "list")
    assert not it.has_failed("ai")
    assert it.fresh_at == 1000.0
    assert it.health({"ai"}).state is Connection.LIVE
    assert it.health({"ai", "list"}).reason == "too large"
    it.note_failure("ai", Ambiguous("no answer"), "list")
    assert it.ready_at("ai", "another") > now[0], "what concerns the host makes every read wait"
    it.note_success("ai", read="list")
    assert it.ready_at("ai", "list") <= now[0]
    assert it.health({"ai", "list"}).state is Connection.LIVE


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

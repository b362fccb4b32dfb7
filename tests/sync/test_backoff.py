"""Four bad states told apart, and when a host is tried again (design.md, section 6)."""

import random

import pytest

from frontdesk.client.errors import (
    Ambiguous,
    ApiError,
    CredentialsRefused,
    HttpError,
    NotSent,
    RateLimited,
    ServerError,
)
from frontdesk.store.records import Connection
from frontdesk.sync.backoff import ATTENDED_MOST, MOST_SECONDS, Backoff


def refusal(kind: type[HttpError], status: int, retry_after: float | None = None) -> HttpError:
    return kind("it said no", status=status, retry_after=retry_after)


CASES = [
    (NotSent("no route"), Connection.OFFLINE),
    (Ambiguous("no answer"), Connection.OFFLINE),
    (refusal(CredentialsRefused, 401), Connection.REFUSED),
    (refusal(RateLimited, 429), Connection.THROTTLED),
    (refusal(ServerError, 503), Connection.FAILING),
]


def backoff(now: list[float]) -> Backoff:
    return Backoff(lambda: now[0], random.Random(1))


def test_while_a_person_waits_an_unreachable_platform_is_tried_soon() -> None:
    now = [1000.0]
    it = backoff(now)
    for _ in range(12):
        it.failed("business", NotSent("no route"))
    it.attended = True
    assert it.ready_at("business") <= now[0] + ATTENDED_MOST
    assert it.health().retry_at == it.ready_at("business")
    it.failed("ai", refusal(RateLimited, 429, 120))
    assert it.ready_at("ai") >= now[0] + 120, "what the platform asked for holds for everybody"


@pytest.mark.parametrize(("error", "state"), CASES)
def test_each_failure_is_called_by_its_name(error: ApiError, state: Connection) -> None:
    it = backoff([100.0])
    it.failed("business", error)
    assert it.health().state is state
    assert it.health().reason


def test_it_waits_longer_and_never_more_than_a_minute() -> None:
    now = [0.0]
    it = backoff(now)
    for _ in range(50):
        it.failed("business", NotSent("no route"))
        assert 0 < it.ready_at("business") - now[0] <= MOST_SECONDS


def test_retry_after_is_obeyed() -> None:
    it = backoff([0.0])
    it.failed("business", refusal(RateLimited, 429, 90.0))
    assert it.ready_at("business") == 90.0


def test_one_hosts_trouble_is_not_anothers() -> None:
    it = backoff([0.0])
    it.failed("ai", NotSent("no route"))
    it.worked("business")
    assert it.ready_at("business") == 0.0
    assert it.health().state is Connection.OFFLINE
    it.worked("ai")
    assert it.health().state is Connection.LIVE

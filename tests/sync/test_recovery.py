"""How soon screens are live again after a failure, and how seldom it is tried meanwhile, in simulated time."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from frontdesk.storage.clients import Focus
from frontdesk.storage.records import Connection
from frontdesk.sync.backoff import REFUSED_ATTENDED_SECONDS, REFUSED_SECONDS
from frontdesk.sync.poll_results import HOSTS
from frontdesk.sync.scheduler import Job, PollKind
from frontdesk.sync.status_view import view_health
from frontdesk_api.client.errors import (
    Ambiguous,
    ApiError,
    Conflict,
    CredentialsRefused,
    HttpError,
    Intercepted,
    NotFound,
    NotSent,
    RateLimited,
    Refused,
    ServerError,
)
from frontdesk_api.contract.endpoints import Host
from frontdesk_api.contract.ids import ConversationId
from sync.simulated_reads import START, Simulation, running_campaign

LIVE_WITHIN = 15
"""Seconds (tests/lab/faults/matrix/faults.md)."""

SCREENS = [
    *(Focus("inbox", ConversationId("1#2")), Focus("board"), Focus("board", tasks_of='["L1", "", ""]')),
    *(Focus("campaigns"), Focus("workflows"), Focus("agents")),
]
Respond = Callable[[Job], ApiError | None]


def refusal(kind: type[HttpError], status: int, retry_after: float | None = None) -> HttpError:
    return kind("it said no", status=status, retry_after=retry_after)


ERRORS = [
    *(refusal(Refused, 400), refusal(CredentialsRefused, 401), refusal(CredentialsRefused, 403)),
    *(refusal(NotFound, 404), refusal(Conflict, 409), refusal(RateLimited, 429), refusal(RateLimited, 429, 3)),
    *(refusal(ServerError, 500), refusal(ServerError, 503, 3), NotSent("no route"), Ambiguous("no answer")),
    Intercepted("a page", interception="a page"),
]


class Outage:
    """A person at one screen, and a platform that fails while `error` is set."""

    def __init__(self, focus: Focus, only: Callable[[Job], bool] = lambda _: True) -> None:
        self.error: ApiError | None = None
        self.focus = focus
        self.sim = Simulation(
            [focus], [running_campaign("c0")], refuses=lambda job: self.error if only(job) else None
        )

    def state(self) -> Connection:
        poller = self.sim.poller
        health = self.sim.backoff.health(poller.needed | poller.wanted)
        return view_health(health._replace(late=poller.late_reads()), self.focus).state

    def run(self, seconds: int) -> list[Connection]:
        """Return what the status line said at each second."""
        states = list[Connection]()
        self.sim.run(seconds, lambda: states.append(self.state()))
        return states

    def requests(self, since: float) -> list[float]:
        return [at for _, at in self.sim.asked if at >= since]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_after_an_outage_the_screen_is_live_within_fifteen_seconds(number: int) -> None:
    for focus in (SCREENS[number % len(SCREENS)], SCREENS[(number + 3) % len(SCREENS)]):
        it = Outage(focus)
        assert it.run(60)[-1] is Connection.LIVE
        it.error = ERRORS[number]
        it.sim.refresh()
        told = it.run(25)
        assert Connection.LIVE not in told[-10:], f"{focus}: it isn't said to be live before"
        it.error = None
        assert set(it.run(30)[LIVE_WITHIN:]) == {Connection.LIVE}, focus


def test_refused_credentials_are_tried_by_one_host_at_a_time_and_then_seldom() -> None:
    it = Outage(Focus("board"))
    it.run(60)
    it.error = refusal(CredentialsRefused, 401)
    it.run(300)
    at = it.requests(START + 60)
    hosts = len(it.sim.poller.needed)
    first = [each for each in at if each < START + 120]
    assert len(first) <= hosts + 60 / REFUSED_ATTENDED_SECONDS + 1
    assert len(at) - len(first) <= (300 - 60) / REFUSED_SECONDS + hosts
    assert min(after - before for before, after in pairwise(at[hosts:])) >= 0.9 * REFUSED_ATTENDED_SECONDS


@pytest.mark.parametrize("error", [NotSent("no route"), refusal(ServerError, 500), refusal(RateLimited, 429)])
def test_a_failing_platform_gets_less_than_half_of_the_budget(error: ApiError) -> None:
    it = Outage(Focus("board"))
    it.run(60)
    it.error = error
    it.run(120)
    for minute in range(2):
        begin = START + 60 + 60 * minute
        count = len([at for at in it.requests(begin) if at < begin + 60])
        assert 1 <= count < it.sim.per_minute / 2


def test_nothing_is_sent_before_a_retry_after_is_over() -> None:
    it = Outage(Focus("inbox", ConversationId("1#2")))
    it.run(60)
    it.error = refusal(RateLimited, 429, 40)
    it.run(100)
    by_host: dict[str, list[float]] = {}
    for job, at in it.sim.asked:
        if at >= START + 60:
            by_host.setdefault(HOSTS[job.kind], []).append(at)
    assert len(by_host) >= 2
    for times in by_host.values():
        tries = [at for at in times if at > times[0] + 1]  # two polls may be under way at the first 429
        assert tries
        assert min(after - before for before, after in pairwise([times[0], *tries])) >= 40


def test_one_429_of_each_host_halves_the_budget_once_and_another_after_an_answer_again() -> None:
    it = Outage(Focus("board"))
    it.run(60)
    full = it.sim.budget.per_minute
    it.error = refusal(RateLimited, 429)
    it.run(25)
    assert full / 2 <= it.sim.budget.per_minute <= full / 2 + 0.1 * full
    it.error = None
    it.run(20)
    it.error = refusal(RateLimited, 429)
    it.run(10)
    assert it.sim.budget.per_minute <= 0.35 * full


def test_what_was_refused_is_read_at_once_when_its_host_answers_again() -> None:
    """Its whole interval had to go by: an hour for the samples of the workflows' counters."""
    it = Outage(Focus("workflows"), only=lambda job: HOSTS[job.kind] is Host.WORKFLOWS)
    it.run(60)
    it.error = refusal(Refused, 400)
    it.sim.refresh()
    it.run(40)
    it.error = None
    since = it.sim.clock()
    it.run(LIVE_WITHIN)
    read = {each.job.kind for each in it.sim.reads if each.at >= since}
    assert {PollKind.WORKFLOWS, PollKind.WHOLE_WORKFLOWS} <= read


def test_a_thread_that_alone_was_refused_is_live_with_its_next_read() -> None:
    """It was "delayed" for 45 s more."""
    focus = Focus("inbox", ConversationId("1#2"))
    it = Outage(focus, only=lambda job: job.kind is PollKind.THREAD)
    it.run(60)
    it.error = refusal(Refused, 400)
    assert it.run(20)[-1] is Connection.DELAYED
    it.error = None
    assert it.run(10)[-1] is Connection.LIVE

"""The budget of requests: so many a second and a minute, evenly, fewer after a 429."""

import asyncio
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.config.request_pace import burst
from frontdesk.sync.budget import (
    ALLOWANCE,
    MIN_PER_MINUTE,
    PURPOSE,
    WEIGHTS,
    Allowance,
    Budget,
    RequestPurpose,
    spending_as,
    urgent,
)
from frontdesk.sync.scheduler import CAN_WAIT_LEAVES
from sync.simulated_reads import START, VirtualLoop

PURPOSES = st.sampled_from(list(RequestPurpose))


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def spend_all(budget: Budget, purpose: RequestPurpose = RequestPurpose.READS) -> int:
    """Spend until no more fits at this moment; how many did."""
    spent = 0
    while budget.wait_seconds(purpose) <= 0:
        budget.spend(purpose)
        spent += 1
    return spent


def spend_for(
    budget: Budget, clock: Clock, seconds: float, *purposes: RequestPurpose
) -> dict[RequestPurpose, list[float]]:
    """Let these spend whatever they get for so long; when each did."""
    spent: dict[RequestPurpose, list[float]] = {each: [] for each in purposes}
    end = clock.now + seconds
    while clock.now < end:
        ready = [each for each in purposes if budget.wait_seconds(each) <= 0]
        for each in ready:
            if budget.wait_seconds(each) <= 0:
                budget.spend(each)
                spent[each].append(clock.now)
        if not ready:
            clock.now += max(1e-6, min(budget.wait_seconds(each) for each in purposes))
    return spent


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.floats(0, 3), PURPOSES, st.booleans(), st.booleans()), min_size=1, max_size=300),
    st.sampled_from([1, 4, 10, 60, 120]),
)
def test_no_second_and_no_minute_has_more_than_it_may(
    steps: list[tuple[float, RequestPurpose, bool, bool]], per_minute: int
) -> None:
    clock = Clock()
    budget = Budget(5, per_minute, clock)
    spent: list[float] = []
    for pause, purpose, first_look, is_throttled in steps:
        clock.now += pause
        if is_throttled:
            budget.throttled()
        while budget.wait_seconds(purpose, first_look=first_look) <= 0:
            budget.spend(purpose, first_look=first_look)
            spent.append(clock.now)
    for at in spent:
        assert sum(1 for each in spent if at - 1 < each <= at) <= 5
        assert sum(1 for each in spent if at - 60 < each <= at) <= per_minute


def spent_on(before: list[RequestPurpose], pause: float) -> tuple[Clock, Budget]:
    """Return a budget of which these requests have taken their part, each once it might, some seconds later."""
    clock = Clock()
    budget = Budget(5, 60, clock)
    for each in before:
        clock.now += max(0.0, budget.wait_seconds(each))
        budget.spend(each)
    clock.now += pause
    return clock, budget


@given(st.floats(0, 100), PURPOSES, st.booleans(), st.lists(PURPOSES, max_size=100))
def test_after_the_wait_that_it_names_there_is_room(
    pause: float, purpose: RequestPurpose, first_look: bool, before: list[RequestPurpose]
) -> None:
    clock, budget = spent_on(before, pause)
    wait = budget.wait_seconds(purpose, first_look=first_look)
    assert 0 <= wait <= 60
    clock.now += wait + 1e-6
    assert budget.wait_seconds(purpose, first_look=first_look) <= 0


@pytest.mark.slow
@given(st.integers(20, 600), st.floats(0, 200))
def test_requests_are_spread_over_the_minute(per_minute: int, idle: float) -> None:
    """With two sliding windows a busy minute was a burst and then a stall of half a minute."""
    clock = Clock()
    budget = Budget(1000, per_minute, clock)
    spend_for(budget, clock, 70, RequestPurpose.READS)
    clock.now += idle
    begun = clock.now
    at = spend_for(budget, clock, 180, RequestPurpose.READS)[RequestPurpose.READS]
    later = [each for each in at if each > begun]
    gaps = [after - before for before, after in pairwise(later)]
    assert max(gaps) <= 1.25 * 60 / per_minute
    assert len(at) >= 0.85 * 3 * per_minute, "and most of the budget is used"


def test_a_burst_is_small_and_a_person_has_one_of_their_own() -> None:
    budget = Budget(1000, 120, Clock())
    assert spend_all(budget) == 8
    assert spend_all(budget, RequestPurpose.REQUESTED) == 1
    assert budget.wait_seconds(RequestPurpose.PERSON) == 0
    assert spend_all(budget, RequestPurpose.PERSON) == 8


@pytest.mark.parametrize("present", [(RequestPurpose.PERSON, RequestPurpose.READS), tuple(RequestPurpose)])
def test_each_spender_has_a_share_that_no_other_can_take(present: tuple[RequestPurpose, ...]) -> None:
    clock = Clock()
    budget = Budget(5, 120, clock)
    spend_for(budget, clock, 60, *present)
    spent = {each: len(at) for each, at in spend_for(budget, clock, 600, *present).items()}
    for each in present:
        share = WEIGHTS[each] / sum(WEIGHTS[other] for other in present)
        assert spent[each] == pytest.approx(share * 10 * 60 * budget.per_second, rel=0.05)


@pytest.mark.parametrize("alone", RequestPurpose)
def test_what_others_leave_flows_on(alone: RequestPurpose) -> None:
    clock = Clock()
    budget = Budget(5, 120, clock)
    assert len(spend_for(budget, clock, 600, alone)[alone]) == pytest.approx(600 * budget.per_second, rel=0.02)


def test_polls_leave_room_for_a_change_at_any_moment() -> None:
    clock = Clock()
    budget = Budget(5, 120, clock)
    for _ in range(50):
        spend_for(budget, clock, 7.3, RequestPurpose.READS, RequestPurpose.REQUESTED)
        assert budget._wait_for(RequestPurpose.PERSON, 8.0) == 0


def test_a_first_look_takes_from_the_persons_burst_and_leaves_half_of_it() -> None:
    clock = Clock()
    budget = Budget(1000, 120, clock)
    spend_all(budget)
    looks = 0
    while budget.wait_seconds(first_look=True) <= 0:
        assert budget.spend(first_look=True) is RequestPurpose.PERSON
        looks += 1
    assert looks == 4
    assert spend_all(budget, RequestPurpose.PERSON) == 4


def test_a_request_that_was_not_made_is_given_back() -> None:
    budget = Budget(5, 120, Clock())
    spend_all(budget)
    budget.refund()
    assert spend_all(budget) == 1


def answers(budget: Budget, clock: Clock, seconds: float, pause: float = 5.0, *, is_quick: bool = True) -> None:
    """Let answers come for so long, one after each pause."""
    for _ in range(round(seconds / pause)):
        clock.now += pause
        budget.note_answer(is_quick=is_quick)


def test_a_429_halves_the_minute_and_while_answers_are_quick_a_tenth_comes_back_each_minute() -> None:
    clock = Clock()
    budget = Budget(5, 120, clock)
    budget.throttled()
    assert budget.per_minute == 60
    for allowed in (72, 84, 96, 108, 120, 120):
        answers(budget, clock, 60)
        assert budget.per_minute == pytest.approx(allowed, abs=1)


def test_the_pace_is_learned_up_to_the_most_by_quick_answers_alone() -> None:
    clock = Clock()
    budget = Budget(5, 300, clock, 120)
    assert budget.per_minute == 120
    clock.now += 3_600
    assert budget.per_minute == 120, "nothing was asked"
    answers(budget, clock, 3_600, is_quick=False)
    assert budget.per_minute == 120
    answers(budget, clock, 60)
    assert budget.per_minute == pytest.approx(150, abs=1)
    answers(budget, clock, 600, 60.0)
    assert budget.per_minute == pytest.approx(200, abs=1), "of a minute between two answers ten seconds count"
    answers(budget, clock, 3_600)
    assert (budget.per_minute, budget.pace) == (300, 300)
    spend_all(budget)
    answers(budget, clock, 60)
    assert sum(1 for _ in range(spend_all(budget))) <= 5, "never more than in a second"


@pytest.mark.parametrize(("kept", "expected"), [(None, 120), (90, 90), (400, 120), (3, MIN_PER_MINUTE)])
def test_a_kept_pace_is_taken_up_within_the_limits(kept: float | None, expected: int) -> None:
    assert Budget(5, 120, Clock(), kept).per_minute == expected


def test_a_teams_share_bounds_the_pace_and_leaves_what_was_learned() -> None:
    budget = Budget(5, 300, Clock(), 150)
    budget.set_share(40)
    assert (budget.per_minute, budget.pace) == (40, 150)
    budget.set_share(600)
    assert budget.per_minute == 150
    budget.set_share(None)
    assert budget.per_minute == 150


def test_after_a_429_requests_are_spread_over_the_smaller_minute() -> None:
    clock = Clock()
    budget = Budget(5, 120, clock)
    spend_for(budget, clock, 120, RequestPurpose.READS)
    budget.throttled()
    at = spend_for(budget, clock, 60, RequestPurpose.READS)[RequestPurpose.READS]
    assert 45 <= len(at) <= 72
    assert max(after - before for before, after in pairwise(at)) < 1.5


def test_it_never_falls_below_a_floor() -> None:
    clock = Clock()
    budget = Budget(5, 120, clock)
    for _ in range(20):
        clock.now += 2
        budget.throttled()
    assert MIN_PER_MINUTE <= budget.per_minute <= MIN_PER_MINUTE + 1
    small = Budget(5, 4, Clock())
    small.throttled()
    assert small.per_minute == 4


def test_several_429_of_one_moment_count_once() -> None:
    budget = Budget(5, 120, Clock())
    for _ in range(4):
        budget.throttled()
    assert budget.per_minute == 60


def test_after_a_sleep_the_minutes_that_the_platform_counts_are_over() -> None:
    budget = Budget(1000, 120, Clock())
    before = sum(spend_all(budget, each) for each in RequestPurpose)
    budget.reset_after_sleep()
    assert sum(spend_all(budget, each) for each in RequestPurpose) == before


@pytest.mark.parametrize("per_second", [0.2, 0, -3])
def test_a_setting_without_sense_is_one_a_second(per_second: float) -> None:
    assert spend_all(Budget(per_second, 120, Clock())) == 1


@pytest.mark.parametrize("per_minute", [-1, 0, 1, 2, 5])
def test_a_small_setting_is_kept_and_nobody_waits_for_ever(per_minute: int) -> None:
    clock = Clock()
    budget = Budget(5, per_minute, clock)
    for each in RequestPurpose:
        assert spend_for(budget, clock, 600, each)[each]


@given(st.floats(0, 100), PURPOSES, st.booleans(), st.lists(PURPOSES, max_size=60))
def test_before_the_wait_that_it_names_there_is_no_room(
    pause: float, purpose: RequestPurpose, first_look: bool, before: list[RequestPurpose]
) -> None:
    clock, budget = spent_on(before, pause)
    wait = budget.wait_seconds(purpose, first_look=first_look)
    if wait > 0.002:
        clock.now += wait - 0.001
        assert budget.wait_seconds(purpose, first_look=first_look) == pytest.approx(0.001, abs=1e-6)


def test_idle_time_fills_a_bucket_to_its_size_and_no_further() -> None:
    for seconds in (60.0, 6_000.0):
        clock = Clock()
        budget = Budget(1000, 120, clock)
        before = [spend_all(budget, each) for each in RequestPurpose]
        clock.now += seconds
        assert [spend_all(budget, each) for each in RequestPurpose] == before == [8, 8, 1]


@pytest.mark.parametrize("purpose", RequestPurpose)
def test_a_refund_never_makes_more_than_a_full_bucket_and_frees_the_second(purpose: RequestPurpose) -> None:
    clock = Clock()
    budget = Budget(5, 120, clock)
    most = spend_all(budget, purpose)
    clock.now += 600
    budget.refund(purpose)
    assert spend_all(budget, purpose) == most
    second = Budget(1, 120, clock)
    second.spend(purpose)
    assert second.wait_seconds(RequestPurpose.PERSON) > 0
    second.refund(purpose)
    assert second.wait_seconds(RequestPurpose.PERSON) == 0
    Budget(1, 120, clock).refund(purpose)


def test_two_429_further_apart_than_a_second_count_twice() -> None:
    for pause, expected in ((0.9, 60), (1.0, 30)):
        clock = Clock()
        budget = Budget(5, 120, clock)
        budget.throttled()
        clock.now += pause
        budget.throttled()
        assert budget.per_minute == expected
        assert spend_all(Budget(1000, expected, clock)) >= spend_all(budget), "the burst is that of the cut minute"


class TestTaking:
    """Requests that wait for room, on a virtual clock."""

    @pytest.fixture
    def loop(self) -> Iterator[VirtualLoop]:
        loop = VirtualLoop()
        yield loop
        loop.close()

    def test_a_request_waits_for_room_of_its_own_spender(self, loop: VirtualLoop) -> None:
        budget, at = Budget(1000, 120, loop.time), []

        async def take(purpose: RequestPurpose) -> None:
            with spending_as(purpose):
                await budget.take()
            at.append((purpose, loop.time()))

        spend_all(budget)
        wait = budget.wait_seconds()
        loop.run_until_complete(take(RequestPurpose.READS))
        with urgent():
            loop.run_until_complete(budget.take())
        loop.run_until_complete(take(RequestPurpose.PERSON))
        assert at == [
            (RequestPurpose.READS, pytest.approx(START + wait)),
            (RequestPurpose.PERSON, pytest.approx(START + wait)),
        ]
        assert PURPOSE.get() is RequestPurpose.READS

    def test_the_first_request_of_a_poll_is_paid_for_and_each_is_counted(self, loop: VirtualLoop) -> None:
        budget = Budget(1000, 120, loop.time)
        allowance = Allowance(prepaid=1)

        async def poll() -> list[float]:
            ALLOWANCE.set(allowance)
            waits = []
            for _ in range(3):
                await budget.take()
                waits.append(loop.time() - START)
            return waits

        spend_all(budget)
        first, second, third = loop.run_until_complete(poll())
        assert first == 0.0 < second < third
        assert allowance == Allowance(prepaid=0, requests=3)

    def test_a_new_poll_does_not_overtake_one_that_has_begun(self, loop: VirtualLoop) -> None:
        budget = Budget(1000, 120, loop.time)
        spend_all(budget)
        alone = budget.wait_seconds()

        async def both() -> tuple[float, float, float]:
            waiting = asyncio.ensure_future(budget.take())
            await asyncio.sleep(0)
            behind = budget.wait_seconds()
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            cancelled = budget.wait_seconds()
            await budget.take()
            return behind, cancelled, budget.wait_seconds()

        behind, cancelled, after = loop.run_until_complete(both())
        assert behind == pytest.approx(2 * alone)
        assert cancelled == pytest.approx(alone), "one that gave up keeps nobody back"
        assert after == pytest.approx(alone)

    def test_without_waiting_nobody_is_counted_as_waiting(self, loop: VirtualLoop) -> None:
        budget = Budget(1000, 120, loop.time)
        loop.run_until_complete(budget.take())
        assert spend_all(budget) == 7


def test_polls_that_can_wait_leave_half_of_the_bucket() -> None:
    clock = Clock()
    budget = Budget(100.0, 120, clock)
    size = int(burst(120))
    for _ in range(size - int(size * CAN_WAIT_LEAVES)):
        assert budget.wait_seconds(leaves=CAN_WAIT_LEAVES) == 0
        budget.spend()
    assert budget.wait_seconds(leaves=CAN_WAIT_LEAVES) > 0
    assert budget.wait_seconds() == 0

"""The budget of requests: so many a second and a minute, fewer after a 429."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.sync.budget import MIN_PER_MINUTE, Budget


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def spend_all(budget: Budget, **how: bool) -> int:
    """Spend until no more fits at this moment; how many did."""
    spent = 0
    while budget.wait_seconds(**{"urgent": False, **how}) <= 0:
        budget.spend()
        spent += 1
    return spent


@given(st.lists(st.tuples(st.floats(0, 3), st.booleans(), st.booleans()), min_size=1, max_size=300))
def test_no_second_and_no_minute_has_more_than_it_may(steps: list[tuple[float, bool, bool]]) -> None:
    clock = Clock()
    budget = Budget(5, 60, clock)
    spent: list[float] = []
    for pause, urgent, is_throttled in steps:
        clock.now += pause
        if is_throttled:
            budget.throttled()
        if budget.wait_seconds(urgent=urgent) <= 0:
            budget.spend()
            spent.append(clock.now)
    for at in spent:
        assert sum(1 for each in spent if at - 1 < each <= at) <= 5
        assert sum(1 for each in spent if at - 60 < each <= at) <= 60


@given(st.floats(0, 100), st.booleans(), st.integers(0, 200))
def test_after_the_wait_that_it_names_there_is_room(pause: float, urgent: bool, before: int) -> None:
    clock = Clock()
    budget = Budget(5, 60, clock)
    for _ in range(before):
        clock.now += max(0.0, budget.wait_seconds(urgent=True))
        budget.spend()
    clock.now += pause
    wait = budget.wait_seconds(urgent=urgent)
    assert 0 <= wait <= 60
    clock.now += wait + 1e-6
    assert budget.wait_seconds(urgent=urgent) <= 0


def test_a_share_of_each_minute_is_left_to_what_a_person_does() -> None:
    budget = Budget(1000, 100, Clock())
    assert spend_all(budget, behind=True) == 40
    assert spend_all(budget, requested=True) == 20, "up to 60: what a person asked for goes on beside the polls"
    assert spend_all(budget) == 15
    assert budget.wait_seconds(urgent=True) == 0
    assert spend_all(budget, urgent=True) == 25


def test_a_429_halves_the_minute_and_a_tenth_comes_back_each_minute() -> None:
    clock = Clock()
    budget = Budget(5, 120, clock)
    budget.throttled()
    assert budget.per_minute == 60
    for minutes, allowed in [(1, 72), (2, 84), (4, 108), (5, 120), (50, 120)]:
        clock.now = 60.0 * minutes
        assert budget.per_minute == allowed


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
    budget = Budget(1000, 100, Clock())
    budget.throttled()
    spend_all(budget, urgent=True)
    budget.reset_after_sleep()
    assert spend_all(budget, urgent=True) == 100


@pytest.mark.parametrize("per_second", [0.2, 0, -3])
def test_a_setting_without_sense_is_one_a_second(per_second: float) -> None:
    assert spend_all(Budget(per_second, 100, Clock())) == 1

"""The budget of requests (design.md, section 6)."""

from hypothesis import given
from hypothesis import strategies as st

from frontdesk.sync.budget import Budget


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@given(st.lists(st.tuples(st.floats(0, 3), st.booleans()), min_size=1, max_size=300))
def test_no_second_and_no_minute_has_more_than_it_may(steps: list[tuple[float, bool]]) -> None:
    clock = Clock()
    budget = Budget(5, 60, clock)
    spent: list[float] = []
    for pause, urgent in steps:
        clock.now += pause
        if budget.wait_seconds(urgent=urgent) <= 0:
            budget._spent.append(clock.now)
            spent.append(clock.now)
    for at in spent:
        assert sum(1 for each in spent if at - 1 < each <= at) <= 5
        assert sum(1 for each in spent if at - 60 < each <= at) <= 60


def test_a_share_of_each_minute_is_left_to_what_a_person_does() -> None:
    clock = Clock()
    budget = Budget(1000, 100, clock)
    while budget.wait_seconds(urgent=False) <= 0:
        budget._spent.append(clock.now)
    assert len(budget._spent) == 75
    assert budget.wait_seconds(urgent=True) == 0

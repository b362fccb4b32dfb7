"""Shares out of samples hold what they promise: checked by drawing many samples of known wholes."""

import random

import pytest

from frontdesk.campaigns.delivery_results import estimate, sampling_order
from frontdesk_api.contract.ids import CampaignId, CustomerId


@pytest.mark.parametrize(
    ("whole", "hits", "checked"),
    [(5_000, 410, 412), (5_000, 410, 60), (1_000, 20, 400), (300, 150, 200), (100_000, 2_000, 400), (40, 1, 20)],
)
def test_95_of_100_intervals_hold_the_true_share(whole: int, hits: int, checked: int) -> None:
    chance = random.Random(f"{whole} {hits} {checked}")
    people = [place < hits for place in range(whole)]
    held = 0
    for _ in range(1_000):
        found = estimate(sum(chance.sample(people, checked)), checked, whole)
        assert found is not None
        held += found.low <= hits / whole <= found.high
    assert held >= 935


def test_the_share_is_certain_where_all_were_looked_at_and_never_beyond_what_is_possible() -> None:
    everybody = estimate(24, 240, 240)
    assert everybody is not None
    assert (everybody.share, everybody.low, everybody.high) == (0.1, 0.1, 0.1)
    nobody = estimate(0, 412, 5_000)
    assert nobody is not None
    assert nobody.low == nobody.share == 0.0
    assert 0.0 < nobody.high < 0.01
    nearly = estimate(0, 239, 240)
    assert nearly is not None
    assert nearly.high <= 1 / 240
    assert estimate(0, 0, 240) is None


def test_more_looked_at_is_never_less_sure() -> None:
    reaches = [
        found.high - found.low for part in range(10, 5_001, 10) if (found := estimate(part // 10, part, 5_000))
    ]
    assert reaches == sorted(reaches, reverse=True)


def test_the_share_of_the_issue() -> None:
    found = estimate(34, 412, 5_000)
    assert found is not None
    assert f"{found.share:.1%}" == "8.3%"
    assert 0.024 < found.high - found.share < 0.030


def test_the_order_is_the_same_each_time_another_for_another_campaign_and_nothing_of_the_lists() -> None:
    numbers = [CustomerId(f"4477{place:08}") for place in range(4_000)]
    order = sampling_order(CampaignId("one"), numbers)
    assert order == sampling_order(CampaignId("one"), reversed(numbers))
    assert sorted(order) == numbers
    assert order[:50] != sampling_order(CampaignId("two"), numbers)[:50]
    # A sorted list's first half is in the first quarter of the order as often as its second one.
    early = sum(number < numbers[2_000] for number in order[:1_000])
    assert 430 < early < 570

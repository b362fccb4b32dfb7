"""What counters say by themselves: the remainder, the share, and which of them fell (docs/interface.md)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.campaigns.counters import (
    Counters,
    count_words,
    counter_doubt,
    done_of_all,
    finished_count,
    funnel,
    in_flight,
    lost_share,
    remaining,
    share_of_tried,
)
from frontdesk.campaigns.models import Correction, Sample, corrections
from sample_records import COUNTERS, HALF, NONE, SAMPLES

RECIPIENTS = st.integers(0, 10**6).map(float)


def test_in_flight_is_what_remains_of_the_total() -> None:
    assert in_flight(HALF) == 1000 - 300 - 500 - 50 - 20 - 10 - 20


def test_delivered_and_read_are_parts_of_sent_and_not_taken_off_again() -> None:
    assert in_flight(HALF) == in_flight(HALF._replace(delivered=0, read=0))


def test_without_what_was_sent_nothing_is_known_of_the_rest() -> None:
    """Counted as nothing, an absent sentCount would leave everybody to be written to, and make failures all."""
    lacking = HALF._replace(sent=None)
    assert (in_flight(lacking), remaining(lacking), done_of_all(lacking), finished_count(lacking)) == (None,) * 4
    assert (in_flight(HALF._replace(total=None)), done_of_all(HALF._replace(total=None))) == (None, None)
    assert in_flight(HALF._replace(pending=None)) is None
    assert remaining(HALF._replace(pending=None)) == remaining(HALF)


@pytest.mark.parametrize("field", ["failed", "opted_out", "duplicates", "too_many"])
def test_another_outcome_that_is_absent_never_makes_a_campaign_look_further_than_it_is(field: str) -> None:
    more, least = remaining(HALF._replace(**{field: None})), remaining(HALF)
    assert more is not None
    assert least is not None
    assert more > least


@few
@given(COUNTERS)
def test_the_remainder_is_never_negative_and_those_done_are_some_of_all(counters: Counters) -> None:
    flight, done = in_flight(counters), done_of_all(counters)
    assert flight is None or flight >= 0
    assert done is None or 0 <= done[0] <= done[1] == counters.total
    assert (flight is None) == (None in (counters.total, counters.sent, counters.pending))


@few
@given(st.lists(RECIPIENTS, min_size=7, max_size=7))
def test_buckets_that_add_up_give_back_the_one_that_is_no_field(buckets: list[float]) -> None:
    """docs/interface.md, Campaign counters, 2: total = pending + in flight + sent + failed + ..."""
    flight, pending, sent_count, failed, opted_out, duplicates, too_many = buckets
    counters = Counters(sum(buckets), pending, sent_count, None, None, failed, opted_out, duplicates, too_many)
    assert in_flight(counters) == flight
    if counters.total:
        done = done_of_all(counters)
        assert done is not None
        assert abs(done[0] - (counters.total - pending - flight)) < 1e-6


def test_those_done_have_a_known_outcome() -> None:
    assert done_of_all(HALF) == (600, 1000)
    assert done_of_all(NONE) is None
    assert done_of_all(HALF._replace(total=0)) is None
    assert done_of_all(NONE._replace(total=10, pending=0, sent=10)) == (10, 10)


def test_shares_are_of_all_recipients_and_none_where_there_is_nothing_to_share() -> None:
    shares = {each.label: each.share for each in funnel(HALF)}
    assert shares["recipients"] is None
    assert [shares[each] for each in ("sent", "delivered", "read", "failed")] == [0.5, 0.4, 0.1, 0.05]
    assert all(each.share is None for each in funnel(NONE._replace(sent=5, total=0)))


@few
@given(COUNTERS)
def test_every_share_is_from_0_to_1_and_what_is_left_is_never_negative(counters: Counters) -> None:
    assert all(each.share is None or 0 <= each.share <= 1 for each in funnel(counters))
    left = remaining(counters)
    assert left is None or left >= 0


def test_settled_is_what_sending_came_to_an_end_with() -> None:
    assert finished_count(HALF) == 570
    assert finished_count(NONE) is None


def test_the_share_that_failed_stays_the_same_while_the_same_share_fails() -> None:
    """Of all recipients it would rise from 0.9% to 9% here."""
    none = HALF._replace(
        pending=1000, sent=0, delivered=0, read=0, failed=0, opted_out=0, duplicates=0, too_many=0
    )
    shares = [
        share_of_tried(n * 0.09, none._replace(pending=1000 - n, sent=n * 0.91, failed=n * 0.09))
        for n in (100, 500, 900)
    ]
    assert shares == pytest.approx([0.09, 0.09, 0.09])
    assert share_of_tried(none.failed, none) is None, "nobody was tried yet"
    assert share_of_tried(HALF.failed, HALF._replace(sent=None)) is None


def test_who_was_lost_failed_or_was_throttled_and_is_a_share_of_those_tried() -> None:
    decided = {"pending": 0, "opted_out": 0, "duplicates": 0}
    lost = HALF._replace(sent=720, delivered=0, read=0, failed=10, too_many=270, **decided)
    assert (share_of_tried(lost.failed, lost), lost_share(lost)) == (0.01, 0.28)
    assert lost_share(lost._replace(failed=None)) == pytest.approx(270 / 990)
    assert lost_share(lost._replace(failed=None, too_many=None)) is None
    assert lost_share(lost._replace(sent=None)) is None
    assert count_words(lost) == ["720 of 1,000 sent", "10 failed", "270 throttled"]


def test_a_late_failure_is_a_correction_of_sent_and_pending_falls_by_itself() -> None:
    samples = [
        Sample(1.0, HALF),
        Sample(2.0, HALF._replace(pending=200, sent=597, failed=53)),
        Sample(3.0, HALF._replace(pending=200, sent=594, failed=56)),
        Sample(4.0, HALF._replace(pending=200, sent=594, failed=None)),
    ]
    assert corrections(samples) == [Correction(3.0, "sent", 3)]


@few
@given(SAMPLES)
def test_a_correction_is_of_a_known_amount_above_nothing(samples: list[Sample]) -> None:
    assert all(each.by > 0 for each in corrections(samples))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, ""),
        ({"total": None, "sent": 10**6}, ""),
        ({"total": 1000, "pending": 0, "sent": 900, "failed": 200, "opted_out": 0, "duplicates": 0, "too_many": 0},
         "the counters exceed the total"),
        ({"total": 400}, "the counters exceed the total"),
        ({"delivered": 501}, "more delivered than sent"),
        ({"delivered": 100, "read": 101}, "more read than delivered"),
        ({"failed": -1}, "failed can't be negative"),
        ({"total": 0, "pending": 0, "sent": 0, "delivered": 0, "read": 0, "failed": 0, "opted_out": 0,
          "duplicates": 0, "too_many": 0}, ""),
    ],
)  # fmt: skip
def test_counters_that_cannot_be_right_together_are_doubted(changes: dict[str, float | None], words: str) -> None:
    assert counter_doubt(HALF._replace(**changes)) == words

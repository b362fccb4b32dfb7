"""A campaign's numbers: the remainder, the share, the rate, and words for what is not known (field-notes.md)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.contract.ids import CampaignId, LineId
from frontdesk.present.campaigns import (
    STALLED_AFTER,
    detail,
    done_share,
    in_flight,
    in_order,
    rate_per_minute,
    row,
)
from frontdesk.store.records import CampaignRecord, Counters, Sample
from present.records import COUNTERS, NOW, PLAIN_VIEW, SAMPLES, VIEW, at, words

NONE = Counters(None, None, None, None, None, None, None, None, None)
HALF = Counters(
    total=1000,
    pending=300,
    sent=500,
    delivered=400,
    read=100,
    failed=50,
    opted_out=20,
    duplicates=10,
    too_many=20,
)
RECIPIENTS = st.integers(0, 10**6).map(float)


def campaign(status: str = "inProgress", counters: Counters = HALF, **more: object) -> CampaignRecord:
    plain: dict[str, object] = {
        "campaign_id": CampaignId("c1"),
        "name": "Weekend",
        "status": status,
        "counters": counters,
        "scheduled_at": None,
        "started_at": None,
        "completed_at": None,
        "failed_at": None,
        "failure_reason": "",
        "workflow_name": "Offers",
        "line_id": LineId("L1"),
        "source": "tags",
        "read_at": NOW,
        "problem": "",
        "raw": {},
    }
    return CampaignRecord(**(plain | more))  # type: ignore[arg-type]


def sent(seconds_ago: float, count: float | None) -> Sample:
    return Sample(NOW - seconds_ago, NONE._replace(total=1000.0, sent=count))


def test_in_flight_is_what_remains_of_the_total() -> None:
    assert in_flight(HALF) == 1000 - 300 - 500 - 50 - 20 - 10 - 20


def test_delivered_and_read_are_parts_of_sent_and_not_taken_off_again() -> None:
    assert in_flight(HALF) == in_flight(HALF._replace(delivered=0, read=0))


def test_in_flight_is_unknown_without_a_total_and_counts_what_is_absent_as_nothing() -> None:
    assert in_flight(NONE) is None
    assert in_flight(HALF._replace(total=None)) is None
    assert in_flight(NONE._replace(total=7)) == 7


@settings(deadline=None)
@given(COUNTERS)
def test_the_remainder_is_never_negative_and_the_share_from_0_to_1(counters: Counters) -> None:
    flight, share = in_flight(counters), done_share(counters)
    assert flight is None or flight >= 0
    assert share is None or 0 <= share <= 1
    assert (flight is None) == (counters.total is None)


@settings(deadline=None)
@given(st.lists(RECIPIENTS, min_size=7, max_size=7))
def test_buckets_that_add_up_give_back_the_one_that_is_no_field(buckets: list[float]) -> None:
    """field-notes.md, Campaign counters, 2: total = pending + in flight + sent + failed + ..."""
    flight, pending, sent_count, failed, opted_out, duplicates, too_many = buckets
    counters = Counters(sum(buckets), pending, sent_count, None, None, failed, opted_out, duplicates, too_many)
    assert in_flight(counters) == flight
    if counters.total:
        share = done_share(counters)
        assert share is not None
        assert abs(share - (1 - (pending + flight) / counters.total)) < 1e-9


def test_the_share_is_that_of_known_outcomes() -> None:
    assert done_share(HALF) == pytest.approx(0.6)
    assert done_share(NONE) is None
    assert done_share(HALF._replace(total=0)) is None
    assert done_share(NONE._replace(total=10, pending=0, sent=10)) == 1


@pytest.mark.parametrize(
    ("samples", "rate"),
    [
        ([], None),
        ([sent(10, 5)], None),
        ([sent(10, None), sent(5, None)], None),
        ([sent(60, 0), sent(0, 120)], 120),
        ([sent(30, 0), sent(0, 60)], 120),
        ([sent(120, 0), sent(0, 200)], 200),
        ([sent(90, 70)], 0),
        ([sent(90, 70), sent(80, 90)], 0),
        ([sent(30, 100), sent(0, 40)], 0),
        ([sent(30, 0), sent(15, None), sent(0, 60)], 120),
    ],
    ids=[
        "nothing known",
        "one sample",
        "no count known",
        "a minute",
        "half a minute",
        "from before the window",
        "stood still since",
        "both before the window",
        "a correction is no rate",
        "unknown in between",
    ],
)
def test_the_rate_is_of_the_last_minute_as_the_samples_tell_it(samples: list[Sample], rate: float | None) -> None:
    assert rate_per_minute(samples, NOW) == (None if rate is None else pytest.approx(rate))


@settings(deadline=None)
@given(SAMPLES)
def test_the_rate_is_never_negative(samples: list[Sample]) -> None:
    rate = rate_per_minute(samples, NOW)
    assert rate is None or rate >= 0


def test_running_ones_come_first_then_those_to_come_then_the_latest_that_ended() -> None:
    records = [
        campaign("completed", name="old", started_at=NOW - 500),
        campaign("scheduled", name="later"),
        campaign("failed", name="new", failed_at=NOW - 5),
        campaign("pending", name="soon"),
        campaign("inProgress", name="now"),
        campaign("teleporting", name="unknown"),
    ]
    assert [each.name for each in in_order(records)] == ["now", "soon", "later", "new", "old", "unknown"]


def test_unknown_and_nothing_look_different() -> None:
    said = words(*detail(campaign(counters=NONE._replace(total=10, sent=0)), [], 60, VIEW)).splitlines()
    assert next(line for line in said if line.startswith("delivered")).split() == ["delivered", "not", "known"]
    assert next(line for line in said if line.startswith("sent")).split()[:2] == ["sent", "0"]


def test_a_campaign_that_was_never_read_says_so() -> None:
    said = words(*row(campaign("", NONE, name="", read_at=None), [], 60, VIEW))
    assert "c1" in said
    assert "not read yet" in said
    assert "no counters yet" in said


def test_a_campaign_that_cannot_be_read_says_why() -> None:
    said = words(*row(campaign(problem="no campaign c1"), [], 60, VIEW))
    assert "can't be read" in said
    assert "no campaign c1" in said


def test_a_failed_campaign_says_its_reason() -> None:
    broken = campaign("failed", NONE, failure_reason="the audience is empty", failed_at=at(18, 9))
    assert "the audience is empty" in words(*row(broken, [], 80, VIEW))
    assert "the audience is empty" in words(*detail(broken, [], 80, VIEW))


def test_a_state_that_nobody_knows_is_shown_as_it_is() -> None:
    assert "teleporting" in words(*row(campaign("teleporting"), [], 80, VIEW))


def test_stalled_is_told_from_running_and_from_measuring() -> None:
    moving, still = [sent(30, 0), sent(1, 60)], [sent(STALLED_AFTER + 40, 0), sent(STALLED_AFTER + 5, 60)]
    assert "nothing moved since" not in words(*row(campaign(), moving, 100, VIEW))
    assert "nothing moved since 14:28" in words(*row(campaign(), still, 100, VIEW))
    assert "nothing moved" not in words(*row(campaign("completed"), still, 100, VIEW))
    assert "measuring" in words(*row(campaign(), [], 100, VIEW))
    assert "120/min" in words(*row(campaign(), [sent(30, 0), sent(0, 60)], 100, VIEW))


def test_a_scheduled_campaign_says_when_it_starts() -> None:
    assert "tomorrow 09:00" in words(*row(campaign("scheduled", NONE, scheduled_at=at(19, 9)), [], 100, VIEW))


def test_progress_is_said_in_numbers_and_not_by_the_bar_alone() -> None:
    said = words(*row(campaign(), [], 140, PLAIN_VIEW))
    assert "60 %" in said
    assert "700 of 1,000" in said
    assert said.isascii()


def test_what_went_wrong_is_in_the_funnel_and_what_did_not_happen_is_left_out() -> None:
    said = words(row(campaign(), [], 120, VIEW)[2])
    assert "50 failed" in said
    assert "20 opted out" in said
    assert "opted out" not in words(row(campaign(counters=HALF._replace(opted_out=0)), [], 120, VIEW)[2])


def test_the_detail_says_how_old_it_is_and_that_counters_still_move() -> None:
    said = words(*detail(campaign("completed", completed_at=at(18, 14)), [], 80, VIEW))
    assert "as of 14:30" in said
    assert "delivered and read still rise after the end" in said


def test_where_it_is_narrow_steps_are_left_out_whole_and_what_failed_is_said_last_of_all() -> None:
    lines = {width: words(row(campaign(), [], width, VIEW)[2]).strip() for width in (140, 60, 24)}
    assert lines[140].endswith("50 failed 5 %  20 opted out 2 %  10 duplicate 1 %  20 throttled 2 %")
    assert lines[60] == "500 sent 50 %  400 delivered 80 %  50 failed 5 %  …"
    assert lines[24] == "50 failed 5 %  …"

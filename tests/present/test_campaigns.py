"""A campaign's numbers: the remainder, the share, the rate, and words for what is not known (field-notes.md)."""

from hypothesis import strategies as st

from frontdesk.campaigns.pace import STALLED_AFTER
from frontdesk.contract.ids import CampaignId, LineId
from frontdesk.present.campaigns import detail, in_order, row
from frontdesk.store.records import CampaignRecord, Counters, Sample
from present.records import NOW, PLAIN_VIEW, VIEW, at, words

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

"""When an alert holds, and that it is told once: over polls, restarts and campaigns that ended long ago."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.campaigns.alert_rules import (
    BUILT_IN,
    AlertRule,
    AlertState,
    AlertStates,
    advance,
    counter_rate,
    current_matches,
    lookback_seconds,
    next_stall_at,
    parse,
    stalled_seconds,
)
from frontdesk.campaigns.counters import Counters
from frontdesk.campaigns.models import CampaignHistory, CampaignRecord, Sample, WatchInterval
from frontdesk.config.settings import AlertSetting
from frontdesk_api.contract.values import CAMPAIGN_ENDED
from sample_records import campaign_record

NOW = 1_700_000_000.0
NONE = Counters(None, None, None, None, None, None, None, None, None)


def counters(total: float = 10_000, **known: float) -> Counters:
    plain = NONE._replace(total=total, sent=0.0, failed=0.0, opted_out=0.0, duplicates=0.0, too_many=0.0)
    plain = plain._replace(**known)  # type: ignore[arg-type]
    rest = (
        plain.sent,
        plain.failed,
        plain.opted_out,
        plain.duplicates,
        plain.too_many,
    )
    return plain._replace(pending=max(0.0, total - sum(each or 0.0 for each in rest)))


def campaign(status: str = "inProgress", of: Counters | None = None, at: float = NOW) -> CampaignRecord:
    started_at = None if status in ("pending", "scheduled") else NOW - 3600
    return campaign_record(status=status, counters=of or counters(), started_at=started_at, read_at=at)


def rule(when: str, **more: object) -> AlertRule:
    return parse(AlertSetting(when, **more))  # type: ignore[arg-type]


def words(rules: list[AlertRule], record: CampaignRecord, samples: list[Sample] | None = None) -> list[str]:
    return [each.words for each in current_matches(rules, CampaignHistory(record, samples or [], ()))]


@pytest.mark.parametrize(("sent", "failed", "holds"), [
    (1, 1, False), (8, 2, True), (19, 1, False), (17, 2, False), (96, 4, False), (90, 10, True),
    (960, 40, False), (955, 45, True), (9_699, 301, True), (9_700, 300, False),
])  # fmt: skip
def test_a_share_holds_once_the_lower_end_of_its_interval_passes_the_limit(
    sent: int, failed: int, *, holds: bool
) -> None:
    """One of two is no alarm, 4 of 100 may be an accident; once all are tried, the share itself counts."""
    found = words([rule("failed > 3%")], campaign(of=counters(sent=sent, failed=failed)))
    assert bool(found) is holds


def test_a_share_is_said_with_its_counts() -> None:
    rules = [rule("failed > 3%")]
    of = counters(sent=9_699, failed=301)
    assert words(rules, campaign(of=of)) == ["failed 3.01% (301 of 10,000), limit 3%"]
    ended = counters(sent=96, failed=4)
    assert words(rules, campaign("stopped", of=ended)) == ["failed 4.0% (4 of 100), limit 3%"], (
        "nobody comes after"
    )
    assert words(rules, campaign("stopped", of=counters(sent=1, failed=1))) == []
    assert words([rule("failed > 3%", least=11)], campaign(of=counters(sent=6, failed=4))) == []
    assert words(rules, campaign(of=counters(sent=6, failed=4)._replace(total=None))) == [
        "failed 40.0% (4 of 10), limit 3%"
    ]
    assert words(rules, campaign(of=counters(sent=-5, failed=60))) == [], "numbers that can't be right"
    opted_out = [rule("optOut > 1%")]
    assert words(opted_out, campaign(of=counters(sent=8, opted_out=80))) == [], "they are known before any is sent"
    assert words(opted_out, campaign(of=counters(sent=8, opted_out=150))) == [
        "opted out 1.5% (150 of 10,000), limit 1%"
    ]
    assert words([rule("failed > 5")], campaign(of=counters(failed=6))) == ["failed 6, limit 5"]


def test_recipients_lost_to_throttling_raise_an_alert_by_default() -> None:
    of = counters(sent=7_200, too_many=2_800)
    assert words([*BUILT_IN], campaign(of=of)) == ["28.0% not reached: throttled (2,800 of 10,000), limit 3%"]


def test_what_is_not_known_is_no_alarm() -> None:
    every = [rule(each) for each in ("failed > 3%", "failed > 0", "throttled > 0/min", "sent < 5/min", "stalled")]
    assert words(every, campaign(of=NONE)) == []
    assert words(every, replace(campaign(of=counters(failed=500)), problem="nobody knows it")) == []
    assert advance(
        every, CampaignHistory(replace(campaign(of=counters(failed=500)), read_at=None), [], ()), {}
    ) == (
        {},
        (),
    )


def test_a_share_of_recipients_is_not_judged_where_part_of_them_is_not_known() -> None:
    """Counted as nothing, an absent sentCount would make every failure one of all."""
    unknown = counters(failed=500)._replace(sent=None)
    assert words([rule("failed > 3%")], campaign(of=unknown)) == []


def test_a_rate_is_well_again_only_after_a_minute_that_was_watched() -> None:
    throttled = rule("throttled > 100/min", again=True)
    told = {throttled.key: AlertState.RAISED}
    hole = [Sample(NOW - 3600, counters(too_many=0)), Sample(NOW, counters(too_many=600))]
    watched = (WatchInterval(NOW - 7200, NOW - 3600), WatchInterval(NOW, NOW))
    assert advance([throttled], CampaignHistory(campaign(), hole, watched), told)[0] == told
    quiet = (WatchInterval(NOW - 120, NOW),)
    after, _ = advance([throttled], CampaignHistory(campaign(), hole[1:], quiet), told)
    assert after == {throttled.key: AlertState.ARMED}


def test_rates_are_of_the_minute_before_the_last_read() -> None:
    grown = [Sample(NOW - ago, counters(too_many=count)) for ago, count in ((200, 0), (70, 5), (40, 65), (2, 145))]
    assert counter_rate(CampaignHistory(campaign(), grown, ()), "too_many") == pytest.approx(120)
    assert words([rule("throttled > 100/min")], campaign(), grown) == ["throttled 120/min, limit 100/min"]
    hole = [Sample(NOW - 3600, counters(too_many=0)), Sample(NOW, counters(too_many=600))]
    watched = [WatchInterval(NOW - 7200, NOW - 3600), WatchInterval(NOW, NOW)]
    assert counter_rate(CampaignHistory(campaign(), hole, watched), "too_many") == 0, "nobody saw when"
    fell = [Sample(NOW - 50, counters(too_many=9)), Sample(NOW, counters(too_many=3))]
    assert counter_rate(CampaignHistory(campaign(), fell, ()), "too_many") == 0


def test_too_slow_is_said_only_of_what_was_read_and_under_way_all_the_while() -> None:
    slow = [Sample(NOW - 90, counters(sent=100)), Sample(NOW - 30, counters(sent=105))]
    rules = [rule("sent < 20/min")]
    assert words(rules, campaign(), slow) == ["sent 2/min, minimum 20/min"]
    assert words(rules, campaign(), slow[1:]) == []
    assert words(rules, campaign("completed"), slow) == []
    assert words(rules, replace(campaign(), started_at=NOW - 20), slow) == []
    assert words(rules, campaign(of=counters(total=100, sent=100)), slow) == [], "nobody is left to write to"


def test_stalled_counts_up_to_the_last_read_and_not_while_nobody_read() -> None:
    moved = [Sample(NOW - 300, counters(sent=3))]
    assert stalled_seconds(CampaignHistory(campaign(at=NOW - 290), moved, ())) == 10
    assert words([rule("stalled")], campaign(at=NOW - 290), moved) == []
    assert words([rule("stalled")], campaign(at=NOW), moved) == ["stalled for at least 60 s"]
    assert words([rule("stalled")], campaign("completed"), moved) == []
    assert words([rule("stalled > 10min")], campaign(), moved) == []
    both = [rule("stalled"), rule("stalled > 10min"), rule("failed > 3%")]
    assert next_stall_at(both, CampaignHistory(campaign(at=NOW - 290), moved, ())) == pytest.approx(
        NOW - 240, abs=0.1
    )
    assert next_stall_at(both, CampaignHistory(campaign(at=NOW), moved, ())) == pytest.approx(NOW + 300, abs=0.1)
    assert next_stall_at(both[:1], CampaignHistory(campaign(at=NOW), moved, ())) is None, "that alert is raised"
    assert next_stall_at(both, CampaignHistory(campaign("completed"), moved, ())) is None
    delivered = [*moved, Sample(NOW - 5, counters(sent=3, delivered=3))]
    assert stalled_seconds(CampaignHistory(campaign(), delivered, ())) == 300, "deliveries are no sending"
    assert lookback_seconds([rule("stalled > 10min")]) > 600


def told(
    rules: list[AlertRule] | tuple[AlertRule, ...], *db: CampaignRecord, states: AlertStates | None = None
) -> list[str]:
    found: list[str] = []
    kept = states or {}
    for each in db:
        kept, new = advance(rules, CampaignHistory(each), kept)
        found += [one.words for one in new]
    return found


BAD, WELL = counters(sent=900, failed=100), counters(sent=995, failed=5)
NEAR = counters(sent=971, failed=29)


def test_it_is_told_once_and_again_only_after_it_was_well_and_where_that_is_asked_for() -> None:
    db = [campaign(of=each) for each in (WELL, BAD, BAD, NEAR, BAD, WELL, BAD)]
    assert told([rule("failed > 3%")], *db) == ["failed 10.0% (100 of 1,000), limit 3%"]
    assert len(told([rule("failed > 3%", again=True)], *db)) == 2, "just below the limit is not well"


def test_an_old_ended_campaign_tells_nothing_at_first_sight() -> None:
    assert told(BUILT_IN, campaign("completed", BAD), campaign("completed", BAD)) == []
    assert told(BUILT_IN, campaign("inProgress", BAD)) == ["failed 10.0% (100 of 1,000), limit 3%"], (
        "one under way does"
    )
    kept, _ = advance(BUILT_IN[1:], CampaignHistory(campaign("completed", BAD), [], ()), {})
    assert told(BUILT_IN, campaign("completed", BAD), states=kept) == [], "nor by a rule that is new"


def test_start_and_end_are_told_when_they_happen_also_between_two_runs() -> None:
    rules = [rule("starts"), rule("finished")]
    assert told(rules, campaign("scheduled"), campaign("pending"), campaign(), campaign("completed")) == [
        "started",
        "completed",
    ]
    assert told(rules, campaign(), campaign("stopped"), campaign("stopped")) == ["stopped"]
    assert told(rules, replace(campaign("scheduled")), replace(campaign("failed"), started_at=None)) == ["failed"]


SHARES = st.tuples(st.integers(0, 60), st.sampled_from(["scheduled", "inProgress", "completed"]))
RULES = [
    rule("failed > 3%"),
    rule("failed > 10%", again=True),
    rule("finished"),
    rule("starts"),
    rule("sent < 5/min"),
]


@few
@given(st.lists(SHARES, max_size=25), st.sets(st.integers(0, 24)))
def test_once_a_campaign_and_rule_over_any_polls_and_restarts(
    polls: list[tuple[int, str]], restarts: set[int]
) -> None:
    """A restart brings back what was kept; a second reader of the same states tells nothing more."""
    kept: AlertStates = {}
    counted: dict[str, int] = {}
    was_well: dict[str, bool] = {}
    for at, (failed, status) in enumerate(polls):
        record = campaign(status, counters(total=1000, sent=1000 - failed * 10, failed=failed * 10))
        held_before = {key for key, state in kept.items() if state is AlertState.RAISED}
        kept, new = advance(RULES, CampaignHistory(record), kept)
        if at in restarts:
            kept = {key: AlertState(str(state)) for key, state in kept.items()}
        assert advance(RULES, CampaignHistory(record), kept) == (kept, ()), "the same read tells nothing twice"
        for each in new:
            key = each.rule.key
            counted[key] = counted.get(key, 0) + 1
            assert key not in held_before
            assert counted[key] == 1 or (each.rule.setting.again and was_well.get(key))
            was_well[key] = False
        if failed <= 9:
            was_well["failed > 10%"] = True
        if at == 0 and status in CAMPAIGN_ENDED:
            assert not new
    assert counted.get("finished", 0) <= 1

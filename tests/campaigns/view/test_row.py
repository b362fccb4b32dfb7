"""A campaign's numbers in words and signs, and words for what is not known (docs/interface.md)."""

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.campaigns.alert_rules import BUILT_IN, AlertMatch
from frontdesk.campaigns.counters import Counters
from frontdesk.campaigns.delivery_results import DeliveryResultGroup, DeliveryResultsRecord
from frontdesk.campaigns.models import CampaignHistory, CampaignRecord, Sample, WatchInterval, sort_campaigns
from frontdesk.campaigns.reading_cache import CampaignBackground, CampaignReading, QueuedCampaign
from frontdesk.campaigns.store.alerts import Alert
from frontdesk.campaigns.throughput import STALLED_AFTER, CampaignState, Throughput, measure_throughput
from frontdesk.campaigns.time_left import Certainty, Eta
from frontdesk.campaigns.view import row as campaign_view
from frontdesk.campaigns.view.row import LABEL_CELLS, spark_line
from frontdesk.config.facts import lines
from frontdesk.config.render_context import RenderContext
from frontdesk_api.contract.ids import CampaignId, LineId
from frontdesk_lines.lines import Line, Role, width_of
from sample_records import HALF, NONE, NOW, PLAIN_VIEW, VIEW, at, campaign_record, words


def campaign(status: str = "inProgress", counters: Counters = HALF, **more: object) -> CampaignRecord:
    known = {"name": "Weekend", "workflow_name": "Offers", "line_id": LineId("L1"), **more}
    return campaign_record(status=status, counters=counters, **known)


def row(
    record: CampaignRecord,
    samples: Sequence[Sample],
    width: int,
    view: RenderContext,
    intervals: Sequence[WatchInterval] = (),
    alerts: Sequence[AlertMatch] = (),
    now: Throughput | None = None,
) -> tuple[Line, ...]:
    history = CampaignHistory(record, samples, intervals)
    return campaign_view.row(
        CampaignReading(history, now or measure_throughput(history, view.now), alerts), width, view
    )


def detail(
    record: CampaignRecord,
    samples: Sequence[Sample],
    width: int,
    view: RenderContext,
    alerts: Sequence[AlertMatch] = (),
) -> tuple[Line, ...]:
    return lines(campaign_view.about(CampaignHistory(record, samples), view, alerts), width, view, LABEL_CELLS)


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
    assert [each.name for each in sort_campaigns(records)] == ["now", "soon", "later", "new", "old", "unknown"]


def test_unknown_and_nothing_look_different() -> None:
    said = words(*detail(campaign(counters=NONE._replace(total=10, sent=0)), [], 60, VIEW)).splitlines()
    assert next(line for line in said if line.startswith("delivered")).split() == ["delivered", "unknown"]
    assert next(line for line in said if line.startswith("sent")).split()[:2] == ["sent", "0"]


@pytest.mark.parametrize(
    ("counters", "shown"),
    [
        (HALF, "600 of 1,000 60%"),
        (HALF._replace(pending=None), "600 of 1,000 60%"),
        (HALF._replace(sent=None), "Weekend measuring"),
        # A campaign that has ended, with many still on their way: none of them are done.
        (NONE._replace(total=5_239, pending=0, sent=2_043), "2,043 of 5,239 39%"),
        (NONE._replace(total=6, pending=2, sent=3), "3 of 6 50%"),
    ],
)
def test_the_percentage_is_of_the_count_beside_it(counters: Counters, shown: str) -> None:
    assert shown in " ".join(words(*row(campaign(counters=counters), [], 100, VIEW)).split())


def test_a_campaign_that_was_never_read_says_so() -> None:
    said = words(*row(campaign("", NONE, name="", read_at=None), [], 60, VIEW))
    assert "c1" in said
    assert "not loaded yet" in said
    assert "0" not in said


def test_a_campaign_that_cannot_be_read_says_why() -> None:
    said = words(*row(campaign(problem="no campaign c1"), [], 60, VIEW))
    assert "unreadable" in said
    assert "no campaign c1" in said
    assert "stop watching" not in said, "it was read before, so its id is right"


@pytest.mark.parametrize("width", [40, 60])
def test_an_id_that_no_campaign_has_says_how_its_row_is_taken_off(width: int) -> None:
    wrong = campaign(problem="no campaign c1", read_at=None)
    for draw in (row, detail):
        said = words(*draw(wrong, [], width, VIEW))
        assert "no campaign c1" in said
        assert "Wrong id? Press x to stop watching it." in said


def test_a_failed_campaign_says_its_reason() -> None:
    broken = campaign("failed", NONE, failure_reason="the audience is empty", failed_at=at(18, 9))
    assert "the audience is empty" in words(*row(broken, [], 80, VIEW))
    assert "the audience is empty" in words(*detail(broken, [], 80, VIEW))


def test_a_state_that_nobody_knows_is_shown_as_it_is() -> None:
    assert "teleporting" in words(*row(campaign("teleporting"), [], 80, VIEW))


def test_stalled_is_told_from_running_and_from_measuring() -> None:
    moving, still = [sent(30, 0), sent(1, 60)], [sent(STALLED_AFTER + 40, 0), sent(STALLED_AFTER + 5, 60)]
    assert "no progress since" not in words(*row(campaign(), moving, 100, VIEW))
    assert "no progress since 14:28" in words(*row(campaign(), still, 100, VIEW))
    assert "no progress" not in words(*row(campaign("completed"), still, 100, VIEW))
    assert "measuring" in words(*row(campaign(), [], 100, VIEW))
    assert "120/min" in words(*row(campaign(), [sent(30, 0), sent(0, 60)], 100, VIEW))


@pytest.mark.parametrize(("failed", "role"), [(0, Role.TEXT), (30, Role.TEXT), (31, Role.BAD)])
def test_only_more_failed_than_usual_draw_the_eye(failed: float, role: Role) -> None:
    rest = {"pending": 0, "opted_out": 0, "duplicates": 0, "too_many": 0}
    counters = HALF._replace(total=1_000, sent=1_000 - failed, failed=failed, **rest)
    funnel = row(campaign("completed", counters), [], 100, VIEW)[1]
    at = next(place for place, each in enumerate(funnel) if "failed" in each.text.text)
    assert (funnel[at - 1].text.text, funnel[at - 1].role) == (f"{failed:g}", role)


def test_a_counter_without_room_is_left_out_and_failed_ones_stay() -> None:
    counters = HALF._replace(total=1_000, opted_out=12, duplicates=5, too_many=7)
    assert "…" not in words(row(campaign("completed", counters), [], 200, VIEW)[1])
    large = Counters(44_000, 16_000, 26_400, 24_500, 10_970, 616, 279, 0, 132)
    second = words(row(campaign("completed", large), [], 76, VIEW)[1]).strip()
    assert second == "26,400 sent 60%  24,500 delivered 56%  10,970 read 25%  616 failed 1%  …"


def test_numbers_are_in_the_same_cells_of_each_row() -> None:
    small, large = (HALF._replace(total=HALF.total * n, pending=HALF.pending * n) for n in (1, 1_000))
    shares = [words(row(campaign(counters=each), [], 55, VIEW)[0]).index("%") for each in (small, large)]
    assert shares[0] == shares[1]


def test_a_long_reason_goes_on_below_in_the_details() -> None:
    reason = "The audience has no recipients that this line may write to."
    failed = words(*detail(campaign("failed", NONE, failure_reason=reason), [], 40, VIEW))
    assert reason in " ".join(failed.split())


def test_a_scheduled_campaign_says_when_it_starts() -> None:
    assert "tomorrow 09:00" in words(*row(campaign("scheduled", NONE, scheduled_at=at(19, 9)), [], 100, VIEW))


def in_progress(count: int = 31, **more: float) -> list[Sample]:
    """Reads each two seconds of a minute in which two a second were sent."""
    return [
        Sample(
            NOW - 2 * (count - 1) + 2 * n,
            HALF._replace(sent=400.0 + 4 * n, pending=480.0 - 4 * n, too_many=0.0, **more),
        )
        for n in range(count)
    ]


def test_a_running_one_says_how_fast_and_until_when_and_how_sure_that_is() -> None:
    samples = in_progress()
    record = campaign(counters=samples[-1].counters, started_at=NOW - 240)
    said = words(*row(record, samples, 100, VIEW))
    assert "120/min" in said
    assert re.search(r"(done|about) 14:\d\d to 14:\d\d", said), said
    shown = words(*detail(record, samples, 60, VIEW))
    assert "120/min in the last minute" in shown
    assert "130/min since start" in shown
    assert re.search(r"done by   14:3\d to 14:3\d\s+done in   [\d.]+ to [\d.]+ min", shown), shown
    assert re.search("estimate  (rough|fair|good): the pace", shown)


@pytest.mark.parametrize("width", [34, 74])
def test_when_it_ends_is_whole_beside_the_list_and_alone(width: int) -> None:
    shown = [words(each).rstrip() for each in detail(campaign(), in_progress(), width, VIEW)]
    (ends,) = (each for each in shown if each.startswith("done by"))
    assert re.fullmatch(r"done by   \d\d:\d\d to \d\d:\d\d", ends)


def test_the_times_of_the_end_are_rounded_outwards_as_the_range_is() -> None:
    record = campaign(started_at=NOW - 240)
    now = Throughput(CampaignState.MOVING, NOW + 20, None, 0.0, 120.0, 120.0, Eta(100.0, 160.0, Certainty.FAIR))
    view, history = VIEW._replace(now=NOW + 21), CampaignHistory(record, in_progress())
    shown = words(*lines(campaign_view.about(history, view, now=now), 60, view, LABEL_CELLS))
    # 14:30:20 and 100 to 160 seconds: between 14:32:00 and 14:33:00.
    assert "done 14:32 to 14:33" in words(*row(record, in_progress(), 100, view, now=now))
    assert re.search(r"done by   14:32 to 14:33\s+done in   1.5 to 3 min", shown), shown


def test_the_workflow_s_id_stands_beside_its_name() -> None:
    history = CampaignHistory(campaign(), in_progress())
    assert "workflow  Offers  …4b7d8e9f" in words(
        *lines(campaign_view.about(history, VIEW, workflow_id="…4b7d8e9f"), 60, VIEW, LABEL_CELLS)
    )


def test_the_time_left_is_about_so_much_where_little_is_known() -> None:
    samples = in_progress(7)
    assert "about " in words(*row(campaign(counters=samples[-1].counters), samples, 100, VIEW))


def test_stalled_says_for_how_long_and_has_no_end_in_sight() -> None:
    still = [sent(200, 0), sent(125, 60)]
    record = campaign(counters=still[-1].counters._replace(pending=940.0))
    said = words(*row(record, still, 100, VIEW))
    assert "stalled 2 min: no progress since 14:27" in said
    assert "done" not in said
    assert "done by   unknown: no progress since 14:27" in words(*detail(record, still, 60, VIEW))
    read = Sample(NOW - 20, still[-1].counters._replace(read=9.0))
    assert "stalled 2 min: nothing sent since 14:27" in words(*row(record, [*still, read], 100, VIEW))


def test_throttled_says_how_many_in_the_last_minute() -> None:
    samples = [
        each._replace(counters=each.counters._replace(too_many=10.4 * n)) for n, each in enumerate(in_progress())
    ]
    said = words(*row(campaign(counters=samples[-1].counters), samples, 100, VIEW))
    assert "throttled: 312 in the last minute" in said


def test_waiting_for_its_time_counts_down_by_the_minute() -> None:
    record = campaign("scheduled", NONE, scheduled_at=NOW + 72 * 60 + 59)
    said = words(*row(record, [], 100, VIEW))
    assert "starts in 1 h 12 min · 15:42 your time" in said
    for later in range(0, 60, 7):
        assert words(*row(record, [], 100, VIEW._replace(now=NOW + later))) == said
    late = campaign("scheduled", NONE, scheduled_at=NOW - 60)
    assert "was due 14:29 your time" in words(*row(late, [], 100, VIEW))


def test_a_completed_one_says_that_counters_still_rise_while_it_is_read() -> None:
    fresh, old = (campaign("completed", completed_at=NOW - ago) for ago in (60, 3600))
    assert "completed; delivered and read can still rise" in words(*row(fresh, [], 100, VIEW))
    assert "still rise" not in words(*row(old, [], 100, VIEW))
    assert "completed 13:30" in words(*row(old, [], 100, VIEW))


def test_a_counter_that_fell_is_a_correction_with_its_time_and_listed_in_the_detail() -> None:
    samples = [sent(200, 90), sent(125, 100), sent(60, 97), sent(0, 130)]
    record = campaign(counters=samples[-1].counters)
    assert "correction: sent fell by 3 (14:29)" in words(*row(record, samples, 140, VIEW))
    assert "sent fell by 3 (14:29)" in words(*detail(record, samples, 60, VIEW))
    many = [sent(900 - n, 500 + (n % 2)) for n in range(40)]
    assert "and 13 earlier" in words(*detail(record, many, 60, VIEW))


def test_a_hole_has_its_own_sign_and_nothing_sent_the_lowest_one() -> None:
    start = NOW - NOW % 10
    view = VIEW._replace(now=start)
    samples = [Sample(start - 90, NONE._replace(total=9e3, sent=0.0))]
    samples += [Sample(start - 80, NONE._replace(total=9e3, sent=20.0))]
    intervals = [WatchInterval(start - 90, start - 60), WatchInterval(start - 30, start)]
    record = campaign(counters=samples[-1].counters, read_at=start)
    assert words(row(record, samples, 100, view, intervals)[1]).split()[0] == "▇▁▁┈┈┈▁▁▁"
    ascii_view = PLAIN_VIEW._replace(now=start)
    assert words(row(record, samples, 100, ascii_view, intervals)[1]).split()[0] == "%__???___"


@few
@given(
    st.lists(st.none() | st.just(0.0) | st.floats(0.001, 1e9), min_size=24, max_size=24),
    st.booleans(),
)
def test_each_step_of_a_sparkline_is_a_hole_nothing_or_something_to_the_eye(
    steps: list[float | None], is_older: bool
) -> None:
    text = "".join(part.text.text for part in spark_line(steps, VIEW, is_older=is_older))
    assert len(text) == 24
    first = next((place for place, each in enumerate(steps) if is_older or each is not None), 24)
    for place, each in enumerate(steps):
        wanted = " " if place < first else "┈" if each is None else "▁" if each == 0 else "▂▃▄▅▆▇█"
        assert text[place] in wanted


def test_after_a_restart_the_hole_is_shown_though_what_was_before_it_has_left_the_sparkline() -> None:
    start = NOW - NOW % 10
    samples = [Sample(start - ago, NONE._replace(total=9e3, sent=900.0 - ago)) for ago in (800, 30, 10, 0)]
    intervals = [WatchInterval(start - 30, start)]
    record = campaign(counters=samples[-1].counters, read_at=start)
    drawn = words(row(record, samples, 100, VIEW._replace(now=start), intervals)[1])
    assert drawn.split()[0].lstrip("┈") == "███"
    assert drawn.startswith("┈" * 40)
    drawn = words(row(record, samples[1:], 100, VIEW._replace(now=start), intervals)[1])
    assert drawn.split()[0] == "███"


@few
@given(st.floats(0, 4_000), st.sampled_from([12, 24, 60]))
def test_a_curve_that_grows_moves_a_fifth_of_itself_at_once(passed: float, cells: int) -> None:
    """A read paints one cell, not all of them."""
    samples = [Sample(NOW - 700 + 2 * n, NONE._replace(total=9e9, sent=40.0 * n * n)) for n in range(2_400)]
    record = campaign(counters=samples[-1].counters)

    def curve(now: float) -> str:
        seen = [each for each in samples if each.at <= now]
        history = CampaignHistory(record, seen, [WatchInterval(samples[0].at, now)])
        reading = CampaignReading(history, measure_throughput(history, now), ())
        return "".join(each.text.text for each in campaign_view.pace_curve(reading, cells, VIEW._replace(now=now)))

    before, after = curve(NOW + passed), curve(NOW + passed + 10)
    assert len(before) == len(after) == cells
    grown, shift = len(before.rstrip()), cells // 5
    if len(after.rstrip()) > grown:
        assert len(after.rstrip()) == grown + 1
    else:
        assert len(after.rstrip()) == grown + 1 - shift


def test_a_line_that_dropped_is_said_and_nothing_is_made_up_since() -> None:
    samples = in_progress()
    record = campaign(counters=samples[-1].counters)
    later = VIEW._replace(now=NOW + 300)
    lines = row(record, samples, 100, later)
    assert "not updated since 14:30" in words(*lines)
    assert "stalled" not in words(*lines)
    fresh = row(record, samples, 100, VIEW)
    assert re.search(r"60% +about 14:32 to 14:36", words(fresh[0]))
    assert "120/min" in words(fresh[1])
    assert "5 min old" in words(lines[0])
    assert "/min" not in words(lines[1])
    facts = words(*detail(record, samples, 60, later))
    assert "unknown: not updated lately" in facts
    assert "last minute" not in facts


def test_the_start_of_a_scheduled_campaign_is_counted_down_only_while_it_is_read() -> None:
    record = campaign("scheduled", NONE, scheduled_at=NOW + 600.0)
    assert "starts in 10 min · 14:40 your time" in words(*row(record, [], 100, VIEW))
    later = words(*row(record, [], 100, VIEW._replace(now=NOW + 120)))
    assert "starts 14:40 your time" in later


def test_what_can_not_be_shown_whole_in_a_narrow_row_is_left_out() -> None:
    samples = in_progress()
    record = campaign(counters=samples[-1].counters)
    assert "600 of 1,000" in words(row(record, samples, 74, VIEW)[0])
    narrow = words(row(record, samples, 52, VIEW)[0])
    assert "of 1,000" not in narrow
    assert "about 14:32 to 14:36" in narrow
    stalled = [sent(300, 0), sent(200, 60)]
    record = campaign(counters=stalled[-1].counters)
    assert words(row(record, stalled, 60, VIEW)[1]).startswith("stalled 3 min"), "not the curve"


def test_progress_is_said_in_numbers() -> None:
    said = words(*row(campaign(), [], 140, PLAIN_VIEW))
    assert "60%" in said
    assert "600 of 1,000" in said
    assert said.isascii()


def test_what_went_wrong_is_in_the_funnel_and_what_did_not_happen_is_left_out() -> None:
    said = words(row(campaign("completed"), [], 120, VIEW)[1])
    assert "50 failed" in said
    assert "20 opted out" in said
    assert "opted out" not in words(row(campaign("completed", HALF._replace(opted_out=0)), [], 120, VIEW)[1])


def test_the_detail_says_how_old_it_is_and_that_counters_still_move() -> None:
    said = words(*detail(campaign("completed", completed_at=at(18, 14)), [], 80, VIEW))
    assert "as of 14:30" in said
    assert "delivered and read can still rise" in said


def test_where_it_is_narrow_steps_are_left_out_whole_and_what_failed_is_said_last_of_all() -> None:
    lines = {width: words(row(campaign("completed"), [], width, VIEW)[1]).strip() for width in (140, 60, 24)}
    assert lines[140].endswith("50 failed 5%  20 opted out  10 duplicate  20 throttled  100 in flight")
    assert lines[60] == "500 sent 50%  400 delivered 40%  50 failed 5%  …"
    assert lines[24] == "50 failed 5%  …"


@pytest.mark.parametrize(("failed", "share"), [(0, "0%"), (4, "<1%"), (5, "<1%"), (6, "1%"), (997, ">99%")])
def test_some_is_never_shown_as_none_and_not_all_never_as_all(failed: int, share: str) -> None:
    counters = NONE._replace(total=1000.0, sent=1000.0 - failed, failed=float(failed))
    shown = words(row(campaign("completed", counters), [], 140, VIEW)[1])
    assert f"{failed} failed {share}" in shown


FAILED = AlertMatch(BUILT_IN[0], "4.2", "failed 4.2% so far, limit 3%")
STALLED = AlertMatch(BUILT_IN[1], "75", "stalled for at least 60 s")


@pytest.mark.parametrize("width", [30, 60, 100])
def test_on_a_row_an_alert_has_its_sign_and_its_words(width: int) -> None:
    record = replace(campaign(), name="A campaign with a name that needs a lot of room on every row")
    lines = row(record, [], width, PLAIN_VIEW, alerts=[FAILED, STALLED])
    assert {width_of(line) for line in lines} == {width}
    assert words(lines[0]).startswith("! A")
    shown = "! failed 4.2% so far, limit 3% and 1 more" if width > 30 else "! failed 4.2% so far, limit 3…"
    assert words(lines[1]).strip() == shown


def test_a_hostile_name_stays_on_the_row_of_an_alert() -> None:
    hostile = replace(campaign(), name="\x1b[2J\u202e")
    said = words(*row(hostile, [], 80, PLAIN_VIEW, alerts=[FAILED]))
    assert "\x1b" not in said
    assert "\u202e" not in said


def test_the_detail_has_a_line_for_each() -> None:
    plain = detail(campaign(), [], 60, PLAIN_VIEW)
    lines = detail(campaign(), [], 60, PLAIN_VIEW, [FAILED, STALLED])
    assert [words(line).strip() for line in lines[2:4]] == [f"! {FAILED.words}", f"! {STALLED.words}"]
    assert (*lines[:2], *lines[4:]) == plain


def test_in_a_narrow_pane_no_word_of_the_counters_is_cut() -> None:
    for width in range(28, 50):
        steps = [words(each) for each in detail(campaign(), [Sample(NOW, HALF)], width, VIEW)]
        assert not [each for each in steps if "…" in each and "%" in each], width


@pytest.mark.parametrize("width", [24, 30, 34, 35, 40, 52, 78])
def test_all_shares_of_the_detail_are_of_all_recipients(width: int) -> None:
    shown = " ".join(words(*detail(campaign(), [Sample(NOW, HALF)], width, VIEW)).split())
    assert "shares of all recipients" in shown
    counts = re.findall(r"([\d,]+) ([\d.]+)%", shown)
    assert len(counts) == 9
    assert all(float(share) == float(count) / 10 for count, share in counts)
    assert "lost 12% of 570 attempts" in shown


def test_counters_that_cannot_be_right_get_no_percentage_and_no_end() -> None:
    wrong = HALF._replace(sent=900.0, failed=300.0, pending=0.0)
    samples = [Sample(NOW - 60 + n, wrong._replace(sent=wrong.sent - 60 + n)) for n in range(0, 61, 2)]
    record = campaign(counters=wrong, started_at=NOW - 300)
    drawn = "\n".join(words(line) for line in row(record, samples, 100, VIEW))
    assert "the counters exceed the total: these numbers can't be right" in drawn
    shown = "\n".join(words(line) for line in detail(record, samples, 60, VIEW))
    assert "done by   unknown: the counters can't be right" in shown
    for each in (drawn, shown):
        assert "%" not in each
        assert "14:3" not in each
    assert "doubtful numbers" in words(row(record, samples, 50, VIEW)[0])


RESULTS = DeliveryResultsRecord(
    total=5_000,
    checked=412,
    groups=(
        DeliveryResultGroup("failed", "131026", "Undeliverable", 34),
        DeliveryResultGroup("tooManyRequests", "", "", 5),
        DeliveryResultGroup("sent", "", "", 373),
    ),
)


def queued(record: CampaignRecord, ends: tuple[float, float] | None) -> QueuedCampaign:
    history = CampaignHistory(record)
    return QueuedCampaign(CampaignReading(history, measure_throughput(history, NOW), ()), ends)


def with_background(record: CampaignRecord, background: CampaignBackground, width: int = 78) -> str:
    told = campaign_view.about(CampaignHistory(record, [Sample(NOW, HALF)]), VIEW, background=background)
    return words(*lines(told, width, VIEW, LABEL_CELLS))


def test_the_detail_says_why_messages_failed_with_intervals_and_counts_the_throttled() -> None:
    shown = " ".join(with_background(campaign(), CampaignBackground(RESULTS)).split())
    assert "why messages failed · checked 412 of 5,000 throttled (platform's count) 20 2.0% of all" in shown
    assert "131026 undeliverable 34 8.3% (6.0 to 11.2)" in shown
    assert "too many requests" not in shown, "the platform counts them, all of them"
    unchecked = with_background(campaign(source="excel"), CampaignBackground(DeliveryResultsRecord()))
    assert "Not checked yet. Press E to check a sample." in unchecked
    by_tags = with_background(campaign(source="tags"), CampaignBackground(DeliveryResultsRecord()))
    assert "Unknown: the audience is defined by tags." in by_tags
    flawless = campaign(counters=HALF._replace(failed=0.0, too_many=0.0))
    assert "why messages failed" not in with_background(flawless, CampaignBackground(DeliveryResultsRecord()))


def test_the_detail_has_the_queue_of_the_line_with_the_times_of_day_that_all_are_done_by() -> None:
    later = campaign("scheduled", NONE._replace(total=900), name="Later", scheduled_at=NOW + 7_200)
    later = replace(later, campaign_id=CampaignId("later"))
    queue = [queued(campaign(), (NOW + 7_000, NOW + 8_900)), queued(later, None)]
    background = CampaignBackground(DeliveryResultsRecord(), queue=queue)
    shown = " ".join(with_background(campaign(), background).split())
    assert "queue of Acme Home Weekend 400 left, done 16:25 to 17:00" in shown
    assert "Later 900 left, starts 16:30, end unknown" in shown
    assert "queue of" not in with_background(campaign(), background._replace(queue=queue[:1])), (
        "nothing to wait for"
    )


@pytest.mark.parametrize("view", [VIEW, PLAIN_VIEW])
def test_the_pace_of_the_whole_run_has_times_of_day_holes_and_a_sign_at_each_alert(view: RenderContext) -> None:
    begin = NOW - 3_600
    samples = [Sample(begin + 10 * n, NONE._replace(total=9e3, sent=20.0 * n)) for n in range(361)]
    intervals = [WatchInterval(begin, begin + 1_200), WatchInterval(begin + 2_400, NOW)]
    record = campaign(counters=samples[-1].counters, started_at=begin)
    history = CampaignHistory(record, samples, intervals)
    raised = [Alert("k", record.campaign_id, "", "failed 4%", begin + 3_000, None)]
    drawn = campaign_view.pace_chart(history, measure_throughput(history, NOW), raised, 80, view)
    said = [words(each) for each in drawn]
    assert {width_of(each) for each in drawn[2:]} == {80}
    assert "150" in said[2]
    for time_of_day in ("13:30", "13:45", "14:00", "14:15", "14:30"):
        assert time_of_day in said[-1]
    (axis,) = (each for each in said if view.glyphs.warning in each)
    assert axis.index(view.glyphs.warning) == 4 + round(75 * 3_000 / 3_600)
    inked = [place for place in range(4, 80) if any(each[place] not in " -─" for each in said[3:-2])]
    assert not [place for place in inked if 4 + 76 / 3 + 2 < place < 4 + 76 * 2 / 3 - 2], "nobody watched"
    assert len(inked) > 40
    assert words(*drawn).isascii() == (view is PLAIN_VIEW)


def test_there_is_no_chart_before_the_start_or_without_room() -> None:
    history = CampaignHistory(campaign("scheduled", NONE))
    assert campaign_view.pace_chart(history, measure_throughput(history, NOW), (), 80, VIEW) == ()
    history = CampaignHistory(campaign(started_at=NOW - 60), [Sample(NOW, HALF)])
    assert campaign_view.pace_chart(history, measure_throughput(history, NOW), (), 20, VIEW) == ()

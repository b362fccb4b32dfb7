"""Campaigns aligned on their start: what was seen stands, what was not watched is unknown."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.campaigns.comparison import (
    CurveMeasure,
    ReadingSource,
    baseline,
    curve,
    have_other_sizes,
    holes,
    name_stem,
    predecessor,
    progress_of,
    rate_at,
    reading,
)
from frontdesk.campaigns.counters import Counters
from frontdesk.campaigns.models import CampaignHistory, CampaignRecord, Sample, WatchInterval
from frontdesk_api.contract.ids import CampaignId
from sample_records import campaign_record

START = 1_700_000_000.0
DAY = 86_400.0
HOLE_SECONDS = 90


def campaign(campaign_id: str = "c1", **more: object) -> CampaignRecord:
    known = {"name": "Weekend offers", "workflow_name": "Offers", "started_at": START, "read_at": None}
    return campaign_record(campaign_id=CampaignId(campaign_id), **{"counters": counters(0), **known, **more})


def counters(sent: float | None, total: float | None = 1000.0) -> Counters:
    return Counters(total, None, sent, None, None, None, None, None, None)


def history(*seen: tuple[float, float], intervals: list[tuple[float, float]], **more: object) -> CampaignHistory:
    """A course from pairs of seconds since the start and sent, and stretches in seconds since the start."""
    start = more.get("started_at", START)
    begins = start if isinstance(start, float) else START
    return CampaignHistory(
        campaign(**more),  # type: ignore[arg-type]
        tuple(Sample(begins + at, counters(sent)) for at, sent in seen),
        tuple(WatchInterval(begins + since, begins + until) for since, until in intervals),
    )


POLLS = st.lists(st.tuples(st.integers(1, 300), st.integers(0, 3)), min_size=1, max_size=30)
"""Seconds since the read before, and how many more were sent by then."""


@few
@given(POLLS, st.integers(-200, 200))
def test_what_was_read_is_what_is_said_and_nothing_is_said_of_a_hole(
    polls: list[tuple[int, int]], begins: int
) -> None:
    at, sent = START + begins, 0
    db: list[tuple[float, int]] = []
    for gap, more in polls:
        at, sent = at + gap, sent + more
        db.append((at, sent))
    samples = [db[0], *(now for before, now in pairwise(db) if now[1] != before[1])]
    intervals: list[tuple[float, float]] = []
    for moment, _ in db:
        if intervals and moment - intervals[-1][1] <= HOLE_SECONDS:
            intervals[-1] = (intervals[-1][0], moment)
        else:
            intervals.append((moment, moment))
    seen = CampaignHistory(
        campaign(),
        tuple(Sample(when, counters(n)) for when, n in samples),
        tuple(WatchInterval(*each) for each in intervals),
    )
    for (moment, value), (following, _) in zip(db, [*db[1:], (db[-1][0] + 1e6, 0)], strict=True):
        if moment < START:
            continue
        assert reading(seen, moment - START) == (ReadingSource.SEEN, counters(value))
        between = reading(seen, (moment + following) / 2 - START)
        if following - moment <= HOLE_SECONDS:
            assert between == (ReadingSource.SEEN, counters(value))
        else:
            assert between.known in (ReadingSource.HOLE, ReadingSource.NOT_YET)
            assert between.counters is None
    parts = curve(seen, CurveMeasure.SENT, seen.length, 50) if seen.length else []
    for part in parts:
        assert all(earlier[0] < later[0] and earlier[1] <= later[1] for earlier, later in pairwise(part))
        assert any(since <= START + part[0][0] and START + part[-1][0] <= until for since, until in intervals)
    unwatched = list(holes(seen, db[-1][0]))
    assert all(since < until for since, until in unwatched)
    for since, until in unwatched:
        assert reading(seen, (since + until) / 2 - START).counters is None


@few
@given(POLLS, st.floats(0, 1e9))
def test_the_day_of_the_start_makes_no_difference(polls: list[tuple[int, int]], days: float) -> None:
    pairs, at, sent = [], 0.0, 0.0
    for gap, more in polls:
        at, sent = at + gap, sent + more
        pairs.append((at, sent))
    moved = START + round(days)
    here = history(*pairs, intervals=[(0, at)])
    there = history(*pairs, intervals=[(0, at)], started_at=moved)
    for seconds, _ in pairs:
        assert reading(here, seconds) == reading(there, seconds)
        assert rate_at(here, seconds) == rate_at(there, seconds)
        known = progress_of(here, there, CurveMeasure.SENT, seconds)
        assert known is not None
        assert known.by in (0, None)


def test_behind_is_a_share_of_the_others_count_and_points_of_the_total() -> None:
    mine = history((0, 0), (300, 410), intervals=[(0, 400)])
    theirs = history((0, 0), (300, 500), intervals=[(0, 900)], campaign_id="c0", started_at=START - 7 * DAY)
    found = progress_of(mine, theirs, CurveMeasure.SENT, 300)
    assert found == (410, 500, -0.18, ReadingSource.SEEN)
    shares = progress_of(mine, theirs, CurveMeasure.SENT, 300, of_total=True)
    assert shares is not None
    assert shares.by is not None
    assert round(shares.by, 4) == -0.09


def test_one_that_had_ended_by_then_stands_with_its_last_counters() -> None:
    mine = history((0, 0), (300, 410), intervals=[(0, 400)])
    ended = history((0, 0), (200, 900), intervals=[(0, 210)], status="completed", campaign_id="c0")
    assert reading(ended, 300) == (ReadingSource.LAST, counters(900))
    found = progress_of(mine, ended, CurveMeasure.SENT, 300)
    assert found is not None
    assert found.known is ReadingSource.LAST
    running = history((0, 0), (200, 900), intervals=[(0, 210)])
    assert reading(running, 300) == (ReadingSource.NOT_YET, None)


def test_unknown_counters_and_nothing_sent_yet_are_no_share() -> None:
    nothing = history((0, 0), intervals=[(0, 100)])
    mine = history((0, 5), intervals=[(0, 100)])
    assert progress_of(mine, nothing, CurveMeasure.READ, 50) is None
    found = progress_of(mine, nothing, CurveMeasure.SENT, 50)
    assert found is not None
    assert found.by is None
    assert curve(mine, CurveMeasure.READ, 100, 10) == []


def test_a_campaign_that_has_not_started_has_no_place_on_the_clock() -> None:
    later = CampaignHistory(
        campaign(started_at=None), (Sample(START, counters(0)),), (WatchInterval(START, START + 9),)
    )
    assert reading(later, 0).known is ReadingSource.NOT_YET
    assert curve(later, CurveMeasure.SENT, 100, 10) == []
    assert later.length == 0
    assert list(holes(later, START + 100)) == []


def test_a_rate_is_not_made_across_a_hole() -> None:
    seen = history((0, 0), (30, 100), (90, 200), intervals=[(0, 40), (90, 200)])
    assert rate_at(seen, 30) == 200
    assert rate_at(seen, 100) is None
    assert rate_at(seen, 160) == 0


def test_the_one_to_be_measured_by_is_the_latest_before_it_of_the_same_workflow_or_name() -> None:
    now = campaign(name="Weekend offers 21 Nov", raw={"workflowId": "w2"}, workflow_name="")
    week = campaign("c7", name="weekend OFFERS (14. November)", started_at=START - 7 * DAY, workflow_name="x")
    older = campaign("c14", name="Weekend offers 7 Nov", started_at=START - 14 * DAY, workflow_name="x")
    flow = campaign("w", name="Other", started_at=START - 3 * DAY, raw={"workflowId": "w2"})
    after = campaign("later", name="Weekend offers 28 Nov", started_at=START + 7 * DAY)
    never = campaign("never", name="Weekend offers 1 Dec", started_at=None)
    assert predecessor(now, [now, older, week, after, never]) is week
    assert predecessor(now, [older, week, flow]) is flow
    assert predecessor(now, [after, never, now]) is None
    assert (
        predecessor(campaign(name="2026-11-21", workflow_name=""), [campaign("x", name="14", workflow_name="")])
        is None
    )


def test_without_one_alike_those_marked_are_measured_by_each_other() -> None:
    now = campaign(name="New", workflow_name="a")
    other = campaign("o", name="Old", workflow_name="b", started_at=START - DAY)
    third = campaign("p", name="Older", workflow_name="c", started_at=START - 2 * DAY)
    assert baseline(now, [now, other, third]) is other
    assert baseline(other, [now]) is now
    assert baseline(now, [now]) is None


def test_a_name_is_the_same_but_for_its_date() -> None:
    assert name_stem("Weekend offers, Sat 21st Nov 2026 (week 47)") == "weekend offers"
    assert name_stem("מבצע סוף שבוע 21/11") == name_stem("מבצע סוף שבוע 14/11") != ""
    assert name_stem("2026-11-21") == ""


def test_between_old_samples_that_were_thinned_counters_lie_on_a_line_and_say_so() -> None:
    seen = history((0, 0), (600, 1000), (630, 1010), intervals=[(0, 700)])
    thinned = CampaignHistory(seen.record, seen.samples, seen.intervals, thinned_before=START + 10_000)
    assert reading(seen, 300) == (ReadingSource.SEEN, counters(0))
    assert reading(thinned, 300) == (ReadingSource.ABOUT, counters(500))
    assert reading(thinned, 600) == (ReadingSource.SEEN, counters(1000))
    assert reading(thinned, 615) == (ReadingSource.SEEN, counters(1000))
    assert reading(thinned, 690) == (ReadingSource.SEEN, counters(1010))
    assert rate_at(thinned, 300) == 100
    apart = CampaignHistory(
        seen.record,
        seen.samples,
        (WatchInterval(START, START + 100), WatchInterval(START + 550, START + 700)),
        START + 10_000,
    )
    assert reading(apart, 90) == (ReadingSource.SEEN, counters(0))
    assert reading(apart, 300) == (ReadingSource.HOLE, None)
    assert reading(apart, 575) == (ReadingSource.ABOUT, counters(500))


def test_a_read_long_after_the_end_makes_no_picture_longer() -> None:
    day = 86_400
    running = history((0, 0), (300, 10), intervals=[(0, 400)])
    done = history(
        (0, 0), (300, 10), intervals=[(0, 400), (day, day)], status="completed", completed_at=START + 300
    )
    stopped = history((0, 0), (300, 10), intervals=[(0, 400), (day, day)], status="stopped")
    late = history((day, 10), intervals=[(day, day)], status="stopped")
    assert [each.span for each in (running, done, stopped, late)] == [400, 1050, 1050, 0]


@pytest.mark.parametrize(
    ("totals", "differ"),
    [((1_000, 1_100), False), ((1_000, 1_101), True), ((1_000, None), False), ((1_000, 0), False), ((5,), False)],
)
def test_counts_of_other_sizes_are_compared_as_shares(totals: tuple[float | None, ...], differ: bool) -> None:
    assert have_other_sizes(campaign(counters=counters(0, each)) for each in totals) is differ

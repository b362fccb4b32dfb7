"""How fast and until when: rates, holes, standing and the range of the end, from reads of the counters."""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.campaigns import throughput
from frontdesk.campaigns.counters import Counters
from frontdesk.campaigns.models import CampaignHistory, CampaignRecord, Sample, WatchInterval
from frontdesk.campaigns.throughput import (
    LOOKBACK_SECONDS,
    STALLED_AFTER,
    CampaignState,
    Throughput,
    line_load,
    measure_throughput,
    rate_per_minute,
    rates_from,
)
from frontdesk.campaigns.time_left import Certainty, LineLoad, Point
from sample_records import CAMPAIGNS, NOW, SAMPLES, campaign_record

NONE = Counters(None, None, None, None, None, None, None, None, None)


def sent(seconds_ago: float, count: float | None) -> Sample:
    return Sample(NOW - seconds_ago, NONE._replace(total=1000.0, sent=count))


def running(counters: Counters, status: str = "inProgress", started_ago: float | None = None) -> CampaignRecord:
    started_at = None if started_ago is None else NOW - started_ago
    return campaign_record(counters=counters, status=status, started_at=started_at, read_at=NOW)


def history(total: int, rates: list[float], every: float = 2.0, **more: float) -> list[Sample]:
    """Reads each two seconds of a campaign that sends so many a second in each of these seconds, until now."""
    found = []
    for number in range(0, len(rates) + 1, int(every)):
        done = sum(rates[:number])
        counters = NONE._replace(total=float(total), sent=done, pending=total - done, failed=0.0, **more)
        found.append(Sample(NOW - len(rates) + number, counters))
    return found


def of(
    samples: list[Sample], intervals: Sequence[WatchInterval] = (), started_ago: float | None = None
) -> Throughput:
    record = running(samples[-1].counters, started_ago=started_ago)
    return measure_throughput(CampaignHistory(record, samples, intervals), NOW)


@pytest.mark.parametrize(
    ("samples", "rate"),
    [
        ([], None),
        ([sent(10, 5)], None),
        ([sent(10, None), sent(5, None)], None),
        ([sent(60, 0), sent(0, 120)], 120),
        ([sent(30, 0), sent(0, 60)], 120),
        ([sent(120, 0), sent(0, 200)], 100),
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


@few
@given(SAMPLES)
def test_the_rate_is_never_negative(samples: list[Sample]) -> None:
    rate = rate_per_minute(samples, NOW)
    assert rate is None or rate >= 0


def test_what_rose_in_a_hole_belongs_to_no_rate() -> None:
    samples = [sent(100, 0), sent(80, 40), sent(20, 900), sent(0, 940)]
    intervals = [WatchInterval(NOW - 100, NOW - 80), WatchInterval(NOW - 20, NOW)]
    assert rate_per_minute(samples, NOW, intervals=intervals) == pytest.approx(120)


def test_nothing_is_said_before_enough_was_seen_after_a_hole() -> None:
    samples = [sent(100, 0), sent(80, 40), sent(2, 900), sent(0, 940)]
    intervals = [WatchInterval(NOW - 100, NOW - 80), WatchInterval(NOW - 2, NOW)]
    assert rate_per_minute(samples, NOW, intervals=intervals) is None
    assert of(samples, intervals).state is CampaignState.MEASURING


def test_a_hole_is_a_hole_and_nothing_is_nothing() -> None:
    at = NOW - NOW % 10
    samples = [Sample(at - 60, NONE._replace(sent=0.0)), Sample(at - 40, NONE._replace(sent=40.0))]
    intervals = [WatchInterval(at - 60, at - 40), WatchInterval(at - 20, at)]
    assert rates_from(samples, intervals, at, at - 70, 10.0) == [
        None,
        pytest.approx(120),
        pytest.approx(120),
        None,
        None,
        0.0,
        0.0,
    ]


@few
@given(
    SAMPLES,
    st.lists(st.tuples(st.floats(0, 150), st.floats(0, 60)), max_size=4),
    st.floats(0, 300),
)
def test_a_step_is_a_hole_just_where_less_than_half_of_it_was_watched(
    samples: list[Sample], watched: list[tuple[float, float]], shift: float
) -> None:
    intervals, until = [], NOW - 200 - shift
    for gap, length in watched:
        intervals.append(WatchInterval(until + gap, until + gap + length))
        until = intervals[-1].until
    at = max([until, *(each.at for each in samples)])
    steps = rates_from(samples, intervals, at, at // 10 * 10 - 240, 10.0)
    assert len(steps) == 24
    assert all(each is None or (each >= 0 and math.isfinite(each)) for each in steps)
    if intervals:
        seen = [*intervals[:-1], WatchInterval(intervals[-1].since, at)]
        end = at // 10 * 10
        for place, step in enumerate(steps):
            begin = end - (24 - place) * 10
            covered = sum(max(0.0, min(begin + 10, each.until) - max(begin, each.since)) for each in seen)
            assert (step is None) == (covered < 5)


@pytest.mark.slow
@given(CAMPAIGNS, SAMPLES)
def test_whatever_comes_the_range_is_ordered_and_finite_and_no_rate_is_negative(
    record: CampaignRecord, samples: list[Sample]
) -> None:
    found = measure_throughput(CampaignHistory(record, samples), NOW)
    assert found.at <= NOW
    assert found.too_many >= 0
    assert all(each is None or each >= 0 for each in (found.minute_rate, found.start_rate))
    if found.eta is not None:
        low, high, _ = found.eta
        assert 0 <= low <= high
        assert math.isfinite(high)


def test_moving_stalled_throttled_and_waiting_are_told_apart() -> None:
    steady = history(1000, [5.0] * 40)
    assert of(steady).state is CampaignState.MOVING
    still = steady[-1]._replace(at=NOW - STALLED_AFTER)
    assert (
        measure_throughput(CampaignHistory(running(still.counters), [*steady[:-1], still]), NOW).since
        == NOW - STALLED_AFTER
    )
    lone = measure_throughput(CampaignHistory(running(still.counters), [still]), NOW)
    assert (lone.state, lone.eta) == (CampaignState.STALLED, None)
    held = [each._replace(counters=each.counters._replace(too_many=float(n))) for n, each in enumerate(steady)]
    assert of(held).state is CampaignState.THROTTLED
    assert of(held).too_many == 20
    single = [*steady[:-1], steady[-1]._replace(counters=steady[-1].counters._replace(too_many=1.0))]
    first = [each._replace(counters=each.counters._replace(too_many=0.0)) for each in single[:-1]]
    assert of([*first, single[-1]]).state is CampaignState.MOVING
    for status, state in (
        ("scheduled", CampaignState.SCHEDULED),
        ("pending", CampaignState.PREPARING),
        ("completed", CampaignState.ENDED),
        ("stopped", CampaignState.ENDED),
        ("", CampaignState.UNREAD),
        ("teleporting", CampaignState.UNKNOWN),
    ):
        assert measure_throughput(CampaignHistory(running(NONE, status), []), NOW).state is state


def test_deliveries_do_not_hide_that_nothing_is_sent_any_more() -> None:
    samples = [
        Sample(NOW - 90 + n * 10, NONE._replace(total=9.0, pending=5.0, sent=4.0, delivered=float(n)))
        for n in range(10)
    ]
    assert of(samples).state is CampaignState.STALLED


def test_there_is_no_range_where_all_is_throttled_nor_where_nothing_moves() -> None:
    samples = [
        Sample(NOW - 60 + n * 2, NONE._replace(total=900.0, pending=800.0, sent=9.0, too_many=float(n)))
        for n in range(31)
    ]
    assert (of(samples).state, of(samples).eta) == (CampaignState.THROTTLED, None)
    assert of([sent(90, 5), sent(70, 9)]).eta is None


def test_little_known_is_wide_and_rough_and_a_long_even_pace_is_narrow_and_good() -> None:
    young, old = of(history(9000, [50.0] * 12), started_ago=12), of(history(9000, [50.0] * 120), started_ago=120)
    assert young.eta is not None
    assert old.eta is not None
    assert young.eta.certainty is Certainty.ROUGH
    assert old.eta.certainty is Certainty.GOOD
    assert young.eta.high_seconds / young.eta.low_seconds > old.eta.high_seconds / old.eta.low_seconds
    assert of(history(9000, [50.0] * 6)).eta is None


def test_a_pace_that_halved_widens_the_range_to_hold_both() -> None:
    found = of(history(20000, [40.0] * 240 + [20.0] * 60), started_ago=300).eta
    assert found is not None
    left = 20000 - 240 * 40 - 60 * 20
    assert found.low_seconds < left / 40 < left / 20 < found.high_seconds
    assert found.certainty is not Certainty.GOOD


def paces(chance: random.Random) -> Iterator[float]:
    """Messages a second of a line that is uneven from moment to moment, and for minutes at a time."""
    while True:
        regime = chance.uniform(30, 60)
        for _ in range(chance.randrange(20, 120)):
            yield max(0.0, chance.gauss(regime, regime / 3))


def test_the_range_holds_the_real_end_nearly_always_on_uneven_lines() -> None:
    within = tried = 0
    for seed in range(60):
        chance, total, rates, done = random.Random(seed), 12_000, [], 0.0
        for rate in paces(chance):
            if done >= total:
                break
            rates.append(rate)
            done += rate
        for share in (0.1, 0.3, 0.6):
            seen = max(10, int(len(rates) * share)) // 2 * 2
            found = of(history(total, rates[:seen])[-int(LOOKBACK_SECONDS) :], started_ago=seen).eta
            assert found is not None
            tried += 1
            within += found.low_seconds <= len(rates) - seen <= found.high_seconds
    assert within / tried >= 0.85, within / tried


def test_a_long_past_is_not_walked_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    lately = history(5_000, [2.0] * 900)
    first = lately[0]
    past = [Sample(NOW - 90_000 + place * 60, first.counters._replace(sent=0.0)) for place in range(1_400)]
    intervals = [WatchInterval(past[0].at, past[-1].at), WatchInterval(first.at, NOW)]
    record = running(lately[-1].counters, started_ago=90_000)
    walked: list[int] = []
    real = throughput.rises
    monkeypatch.setattr(
        throughput, "rises", lambda samples, *rest: walked.append(len(samples)) or real(samples, *rest)
    )
    told = measure_throughput(CampaignHistory(record, [*past, *lately], intervals), NOW)
    near = measure_throughput(CampaignHistory(record, lately[-302:], intervals[1:]), NOW)
    # The range of the end counts all that was seen.
    assert told._replace(eta=None) == near._replace(eta=None)
    assert told.eta is not None
    assert max(walked) <= LOOKBACK_SECONDS / 2 + 2


def test_a_campaign_that_hangs_before_its_start_is_not_reckoned_with() -> None:
    def planned(changed_ago: float) -> CampaignHistory:
        raw = {"lastModified": (NOW - changed_ago) * 1000}
        return CampaignHistory(replace(running(NONE, "pending"), raw=raw))

    assert line_load(planned(30), NOW, 500) == LineLoad((), 500, 1.0)
    assert line_load(planned(3_600), NOW, 500) is None


def test_one_that_runs_counts_from_its_start_to_its_last_read() -> None:
    samples = [sent(60, 0), sent(20, 0), sent(5, 200)]
    record = running(samples[-1].counters, started_ago=20)
    load = line_load(CampaignHistory(record, samples, [WatchInterval(NOW - 60, NOW)]), NOW)
    assert load == LineLoad([Point(NOW - 20, 0.0), Point(NOW - 5, 200.0), Point(NOW, 200.0)], 800.0)

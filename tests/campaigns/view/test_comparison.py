"""Rows of a comparison: exactly as wide as asked, harmless, and words for every way of not knowing."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from examples import few
from frontdesk.campaigns.comparison import CurveMeasure
from frontdesk.campaigns.models import CampaignHistory, WatchInterval
from frontdesk.campaigns.view import comparison as campaign_comparison
from frontdesk.campaigns.view.charts import round_span, round_up
from frontdesk_lines.lines import width_of
from sample_records import CAMPAIGNS, NOW, PLAIN_VIEW, SAMPLES, VIEW, WIDTHS, assert_harmless

COURSES = st.builds(
    lambda record, samples, watched: CampaignHistory(
        record, tuple(samples), (WatchInterval(NOW - 300, NOW),) if watched else (), NOW - 100
    ),
    CAMPAIGNS,
    SAMPLES,
    st.booleans(),
)


@pytest.mark.slow
@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])
@given(
    history=COURSES,
    other=COURSES,
    width=WIDTHS,
    seconds=st.floats(0, 1e6),
    view=st.sampled_from([VIEW, PLAIN_VIEW]),
)
def test_rows_fill_their_width_and_hold_no_control(history, other, width, seconds, view) -> None:  # type: ignore[no-untyped-def]
    lines = (
        campaign_comparison.heading(width),
        campaign_comparison.row(history, 0, seconds, width, view),
        campaign_comparison.legend(other, 5, width, view),
    )
    assert [width_of(line) for line in lines] == [width] * 3
    told = [
        span
        for measure in CurveMeasure
        for of_total in (False, True)
        for span in campaign_comparison.describe_lead(history, other, measure, seconds, view, of_total=of_total)
    ]
    assert told
    assert_harmless((*lines, tuple(told)))


@few
@given(st.floats(1e-9, 1e15))
def test_a_scale_ends_at_or_above_what_is_drawn_and_not_far(value: float) -> None:
    assert value <= round_up(value) <= 2 * value * 1.0001


@few
@given(st.floats(1, 1e9))
def test_an_axis_of_time_is_round_and_long_enough(seconds: float) -> None:
    assert seconds <= round_span(seconds)
    assert round_span(round_span(seconds)) == round_span(seconds)


def test_times_since_the_start_are_said_to_the_second_while_that_matters() -> None:
    said = [campaign_comparison.length(each) for each in (0, 40, 750, 3_900, 200_000)]
    assert said == ["0 s", "40 s", "12 min 30 s", "1 h 05 min", "2 d 07 h"]

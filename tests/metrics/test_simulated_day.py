"""Numbers and history of a desk whose colleagues work elsewhere too, beside the truth."""

import pytest

from metrics.simulated_week import run_week
from metrics.week_comparison import compare, compare_history, report_of


@pytest.mark.lab
def test_what_a_desk_says_of_a_day_is_true_as_far_as_it_says(seeded_bytes: bytes) -> None:
    week = run_week(seeded_bytes, days=1, contacts=16, requests_per_minute=12, open_hours=4)
    report = report_of(week, 1)
    compared = compare(week, report)
    assert [each for each in compared if not each.is_fair] == []
    assert report.sources.threads > 0.9
    history = compare_history(week)
    assert history.false == 0
    assert history.seen >= 0.9 * history.happened > 10

"""How a number has changed, in words."""

import pytest

from frontdesk.metrics.models import Measure, MeasuredNumber, ReportRow
from frontdesk.metrics.view import change


@pytest.mark.parametrize(
    ("measure", "now", "before", "words"),
    [
        (Measure.INCOMING, (110, 1), (100, 1), "+10%"),
        (Measure.INCOMING, (90, 0.8), (100, 0.9), "-10%"),
        (Measure.INCOMING, (100, 1), (100, 1), "same"),
        (Measure.INCOMING, (109, 1), (10, 1), "+990%"),
        (Measure.OPENED, (129, 1), (4, 1), "×32"),
        (Measure.OPENED, (129, 1), (0, 1), ""),
        (Measure.INCOMING, (110, 1), (6, 0.62), "62% loaded"),
        (Measure.INCOMING, (60, 0.6), (60, 1), "60% loaded"),
        (Measure.INCOMING, (110, 1), (6, 0.49), ""),
        (Measure.FIRST_MEDIAN, (60, 1), (120, 0.62), "-50%"),
    ],
)
def test_a_change_is_said_where_both_were_read_alike(
    measure: Measure, now: tuple[float, float], before: tuple[float, float], words: str
) -> None:
    assert change(ReportRow(measure, MeasuredNumber(*now), MeasuredNumber(*before))) == words

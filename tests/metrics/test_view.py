"""Numbers, how they have changed, and their charts, as text."""

import pytest

from frontdesk.metrics.models import Breakdown, Dimension, Measure, MeasuredNumber, MetricsGroup, ReportRow
from frontdesk.metrics.view import BarChart, HeatMap, change, value_of
from frontdesk_lines.lines import Line
from sample_records import PLAIN_VIEW


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


@pytest.mark.parametrize(
    ("measure", "number", "words"),
    [
        (Measure.FIRST_KEPT, MeasuredNumber(1 / 3, 1.0, 6), "2 of 6"),
        (Measure.FIRST_KEPT, MeasuredNumber(2 / 3, 1.0, 24), "67% of 24"),
        (Measure.FIRST_KEPT, MeasuredNumber(None, 1.0, 0), "-"),
        (Measure.FIRST_KEPT, MeasuredNumber(1.0, 0.4, 2), "?"),
        (Measure.FIRST_MEDIAN, MeasuredNumber(840.0, 1.0, 1_200), "14 min (n=1,200)"),
        (Measure.FIRST_MEDIAN, MeasuredNumber(840.0, 0.4, 12), "?"),
        (Measure.INCOMING, MeasuredNumber(1_200.0), "1,200"),
    ],
)
def test_a_share_and_a_median_say_how_many_they_are_of(
    measure: Measure, number: MeasuredNumber, words: str
) -> None:
    assert value_of(measure, number) == words


def text_of(line: Line) -> str:
    return "".join(each.text.text for each in line)


def groups(measure: Measure, **numbers: float | None) -> list[MetricsGroup]:
    return [MetricsGroup(key.strip("_"), {measure: MeasuredNumber(each)}) for key, each in numbers.items()]


def test_today_is_drawn_over_the_day_before() -> None:
    measure = Measure.INCOMING
    now, before = groups(measure, _9=8, _10=0, _11=4), groups(measure, _9=4, _10=2, _11=8, _12=100)
    found = Breakdown(Dimension.HOUR, (measure,), now, before)
    chart = BarChart(found, measure, PLAIN_VIEW, ("Fri 27 Nov", "Thu 26 Nov"))
    alone = BarChart(Breakdown(Dimension.HOUR, (measure,), now), measure, PLAIN_VIEW, ("", ""))
    assert text_of(alone.line("9", 20)) == "09:00 ############ 8"
    assert text_of(chart.heading(30)) == "      Fri 27 Nov  | Thu 26 Nov"
    assert [text_of(chart.line(key, 20)) for key in chart.keys] == [
        "09:00 ###|##### 8  4",
        "10:00  |        0  2",
        "11:00 ####    | 4  8",
    ]


def test_a_heat_map_has_the_hours_that_have_anything_and_unknown_is_no_zero() -> None:
    measure = Measure.INCOMING
    numbers = {"0 09": 8.0, "0 10": 0.0, "0 11": 1.0, "0 12": 0.0, "4 09": 4.0, "4 10": 0.0, "4 12": 0.0}
    found = [MetricsGroup(key, {measure: MeasuredNumber(each)}) for key, each in numbers.items()]
    unread = MetricsGroup("4 11", {measure: MeasuredNumber(3.0, 0.2)})
    chart = HeatMap(Breakdown(Dimension.WEEK_HOUR, (measure,), [*found, unread]), measure, PLAIN_VIEW)
    assert chart.keys == ["9", "10", "11"]
    lines = [chart.heading(30), *(chart.line(key, 30) for key in chart.keys)]
    assert [text_of(each).rstrip() for each in lines] == [
        "       Mon  Fri",
        "09:00 #  8 +  4",
        "10:00    0    0",
        "11:00 .  1    ?",
    ]


def test_where_numbers_have_no_room_a_heat_map_has_signs_and_unknown_is_no_zero() -> None:
    measure = Measure.INCOMING
    numbers = {"0 09": (8_000.0, 1.0), "0 10": (0.0, 1.0), "4 09": (4_000.0, 1.0), "4 10": (3.0, 0.2)}
    found = [MetricsGroup(key, {measure: MeasuredNumber(*each)}) for key, each in numbers.items()]
    chart = HeatMap(Breakdown(Dimension.WEEK_HOUR, (measure,), found), measure, PLAIN_VIEW)
    lines = [chart.heading(13), *(chart.line(key, 13) for key in chart.keys)]
    assert [text_of(each) for each in lines] == ["      Mon Fri", "09:00   #   +", "10:00       ?"]

"""From facts to numbers."""

from collections import Counter
from collections.abc import Sequence
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.metrics import aggregation
from frontdesk.metrics.aggregation import Closing, Facts, break_down, closed_in, closings, percentile
from frontdesk.metrics.facts import Completion, MessageCount, Outcome, ResponseGroup, TaskFact
from frontdesk.metrics.models import MIN_SHARE, Dimension, Measure, MeasuredNumber
from frontdesk.metrics.periods import parse_period
from frontdesk.metrics.store import ANSWER, INCOMING
from frontdesk.service_clocks.clocks import DONE

ZONE = ZoneInfo("Europe/Berlin")
NOW = 1_790_000_000.0
WEEK = parse_period("7", NOW, ZONE)
MINUTE = 60.0


def task(number: int, status: str = "open", created: float | None = NOW - 3600, **fields: object) -> TaskFact:
    given = {"updated_at": NOW, "line_id": "L1", "conversation_id": f"L1#C{number}", "assigned": (), **fields}
    return TaskFact(f"t{number}", status, created, **given)  # type: ignore[arg-type]


def response(at: float, author: str, seconds: float | None, number: int, is_first: bool | None) -> ResponseGroup:
    """One response of line L1, as if it were grouped by each dimension."""
    return ResponseGroup(at, "L1", author, number, is_first, [at], [seconds or 0.0], [number])


@few
@given(st.lists(st.floats(0, 1e9), min_size=1), st.floats(0.01, 1))
def test_a_percentile_is_the_smallest_that_this_share_does_not_exceed(values: list[float], share: float) -> None:
    found = percentile(values, share)
    assert found in values
    assert sum(each <= found for each in values) >= share * len(values) - 1e-6
    assert sum(each < found for each in values) < share * len(values) + 1e-6


def test_of_nothing_there_is_no_median() -> None:
    assert percentile([], 0.5) is None
    numbers = aggregation.response_numbers([], 1.0)
    assert numbers[Measure.FIRST_RESPONSES].value == 0
    assert numbers[Measure.FIRST_MEDIAN] == MeasuredNumber(None, 1.0)


def test_below_half_a_number_is_unknown_and_not_zero() -> None:
    assert MeasuredNumber(0, MIN_SHARE).value == 0
    assert MeasuredNumber(0, MIN_SHARE - 0.01).value is None
    assert not MeasuredNumber(0, MIN_SHARE - 0.01).is_known


def test_a_closing_is_where_the_history_has_it_and_else_between_creation_and_last_change() -> None:
    seen, unseen, open_again = task(1, DONE), task(2, DONE, updated_at=NOW - MINUTE), task(3)
    found = closings(
        [seen, unseen, open_again, task(4, DONE, is_pending=True)],
        [Completion("t1", NOW - 600, NOW - 300), Completion("t3", None, NOW - 120)],
    )
    assert found == [
        Closing(seen, NOW - 600, NOW - 300),
        Closing(unseen, NOW - 3600, NOW - MINUTE),
        Closing(open_again, NOW - 3600, NOW - 120),
    ]


def test_a_closing_that_may_be_outside_is_not_counted_but_lowers_the_share() -> None:
    inside, across = Closing(task(1), NOW - 600, NOW - 300), Closing(task(2), WEEK.start - 10, WEEK.start + 10)
    before = Closing(task(3), WEEK.start - 20, WEEK.start - 10)
    sure, unsure = closed_in(WEEK, [inside, across, before])
    assert (sure, unsure) == ([inside], [across])
    assert aggregation.closing_numbers(sure, len(unsure), 1.0)[Measure.CLOSED] == MeasuredNumber(1, 0.5)


def test_how_long_a_task_was_open_is_known_only_to_a_tenth() -> None:
    created = NOW - 10_000
    assert Closing(task(1, created=created), NOW - 900, NOW).seconds == 10_000
    assert Closing(task(1, created=created), NOW - 2_000, NOW).seconds is None
    assert Closing(task(1, created=None), NOW - 1, NOW).seconds is None


@few
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=20))
def test_open_and_closed_in_two_periods_side_by_side_never_count_one_closing_twice(
    spans: list[tuple[float, float]],
) -> None:
    length = WEEK.end - WEEK.before.start
    closed = [
        Closing(task(at), WEEK.before.start + length * min(span), WEEK.before.start + length * max(span))
        for at, span in enumerate(spans)
    ]
    both = [*closed_in(WEEK, closed)[0], *closed_in(WEEK.before, closed)[0]]
    assert len(both) == len({each.task.task_id for each in both})


def test_the_time_in_which_nothing_was_read_lowers_the_share() -> None:
    length = NOW - WEEK.start
    assert aggregation.read_fraction(WEEK, 0.0, NOW - 60, NOW) == 1.0
    assert aggregation.read_fraction(WEEK, 0.0, None, NOW) == 0.0
    assert round(aggregation.read_fraction(WEEK, NOW - length / 4, NOW, NOW), 6) == 0.25
    assert round(aggregation.read_fraction(WEEK, 0.0, NOW - length / 2, NOW), 6) == 0.5
    assert aggregation.read_fraction(WEEK.before, 0.0, NOW, NOW) == 1.0


_AGENTS = ("Marta", "Noa", "")
_MESSAGES = st.lists(
    st.builds(
        MessageCount,
        st.integers(0, 100).map(lambda slot: WEEK.start + 900 * slot),
        st.sampled_from(["L1", "L2", ""]),
        st.sampled_from(_AGENTS),
        st.sampled_from([INCOMING, ANSWER]),
        st.integers(1, 5),
    )
)
_RESPONSES = st.lists(
    st.builds(
        lambda at, line_id, author, took: response(at, author, took[0], 1, took[1])._replace(line_id=line_id),
        st.integers(0, 100).map(lambda slot: WEEK.start + 900.5 * slot),
        st.sampled_from(["L1", "L2", ""]),
        st.sampled_from(_AGENTS),
        st.just((None, None)) | st.tuples(st.floats(0, 1e5), st.booleans()),
    )
)


@few
@given(_MESSAGES, _RESPONSES, st.lists(st.integers(0, 100), max_size=8))
def test_the_groups_of_each_dimension_add_up_to_the_whole(
    messages: Sequence[MessageCount], responses: Sequence[ResponseGroup], ages: list[int]
) -> None:
    tasks = [task(at, created=NOW - age * 86_400) for at, age in enumerate(ages)]
    opened = [each for each in tasks if WEEK.start <= (each.created_at or 0.0) < WEEK.end]
    facts = Facts(messages, responses, opened, [], tasks)
    totals = Counter(dict.fromkeys((INCOMING, ANSWER), 0))
    for each in messages:
        totals[each.kind] += each.messages
    for by in (Dimension.LINE, Dimension.DAY, Dimension.HOUR, Dimension.WEEKDAY, Dimension.AGENT):
        found = break_down(by, WEEK, facts, NOW)
        summed = {
            measure: sum(group.numbers[measure].counted or 0 for group in found.groups)
            for measure in found.measures
            if not (measure.is_duration or measure.is_share)
        }
        assert summed[Measure.ANSWERS] == totals[ANSWER]
        for measure, is_first in ((Measure.FIRST_RESPONSES, True), (Measure.NEXT_RESPONSES, False)):
            assert summed[measure] == sum(each.is_first is is_first for each in responses)
        assert summed.get(Measure.INCOMING, totals[INCOMING]) == totals[INCOMING]
        assert summed.get(Measure.OPENED, len(facts.created)) == len(facts.created)
        assert summed.get(Measure.BACKLOG, len(tasks)) == len(tasks)
    for by in (Dimension.STATUS, Dimension.AGE):
        found = break_down(by, WEEK, facts, NOW)
        assert sum(group.numbers[Measure.BACKLOG].counted or 0 for group in found.groups) == len(tasks)


def test_a_completion_that_may_be_within_the_days_lowers_the_share_of_its_own_group() -> None:
    sure = Closing(task(1, DONE, line_id="L1"), WEEK.start + 60, WEEK.start + 90)
    unsure = [Closing(task(at, DONE, line_id="L2"), WEEK.start - 60, WEEK.start + 60) for at in range(2, 5)]
    facts = Facts([], [], [], [sure], [], unsure=unsure)
    by_line = {each.key: each.numbers for each in break_down(Dimension.LINE, WEEK, facts, NOW).groups}
    assert by_line["L1"][Measure.CLOSED] == MeasuredNumber(1, 1.0)
    assert by_line["L2"][Measure.CLOSED] == MeasuredNumber(0, 0.0)
    by_day = {each.key: each.numbers for each in break_down(Dimension.WEEKDAY, WEEK, facts, NOW).groups}
    of_days = [each[Measure.CLOSED].share for each in by_day.values() if Measure.CLOSED in each]
    assert all(share == 0.25 for share in of_days)


def test_a_response_that_may_be_first_or_next_lowers_the_share_of_both() -> None:
    known = response(WEEK.start, "Marta", 60.0, 7, is_first=True)
    numbers = aggregation.response_numbers([known, response(WEEK.start, "Marta", None, 8, is_first=None)], 1.0)
    assert numbers[Measure.FIRST_RESPONSES] == MeasuredNumber(1, 0.5)
    assert numbers[Measure.NEXT_RESPONSES] == MeasuredNumber(0, 0.0)
    assert numbers[Measure.NEXT_RESPONSES].value is None


def test_a_share_in_time_is_of_what_is_known_and_says_how_much_that_is() -> None:
    kept, missed, unknown = Outcome.KEPT, Outcome.MISSED, Outcome.UNKNOWN
    assert aggregation.kept_share([kept, kept, missed, None], 1.0) == MeasuredNumber(2 / 3, 1.0, 3)
    assert aggregation.kept_share([kept, missed, unknown, unknown], 1.0) == MeasuredNumber(0.5, 0.5, 2)
    assert aggregation.kept_share([unknown], 1.0) == MeasuredNumber(None, 0.0)
    assert aggregation.kept_share([None], 0.8) == MeasuredNumber(None, 0.8)


def test_a_tag_has_the_messages_and_tasks_of_its_conversations() -> None:
    tags = {"L1#C1": frozenset({"vip", "refund"}), "L1#C2": frozenset({"vip"})}
    facts = Facts(
        [],
        [response(WEEK.start, "Marta", 60.0, 7, is_first=True)],
        [task(1), task(3)],
        [],
        [task(1), task(2), task(3)],
        tags=tags,
        conversation_ids={7: "L1#C2"},
        tagged=[("L1#C1", INCOMING, 3), ("L1#C2", INCOMING, 2), ("L1#C2", ANSWER, 1)],
    )
    found = {each.key: each.numbers for each in break_down(Dimension.TAG, WEEK, facts, NOW).groups}
    assert [found["vip"][each].value for each in (Measure.INCOMING, Measure.ANSWERS, Measure.BACKLOG)] == [5, 1, 2]
    assert [found["refund"][each].value for each in (Measure.INCOMING, Measure.OPENED)] == [3, 1]
    assert found["vip"][Measure.FIRST_MEDIAN].value == 60.0

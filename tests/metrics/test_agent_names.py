"""Of an agent whose messages and tasks can't be matched, numbers are unknown and not 0."""

from frontdesk.metrics.aggregation import without_unmatched
from frontdesk.metrics.models import Measure, MeasuredNumber, MetricsGroup

BOTH = (Measure.ANSWERS, Measure.BACKLOG)


def known(key: str, authors: set[str], assigned: set[str], names: set[str]) -> list[Measure]:
    """Which numbers of this agent are known."""
    group = MetricsGroup(key, {each: MeasuredNumber(0.0) for each in BOTH})
    (found,) = without_unmatched([group], authors, assigned, names)
    return [each for each, number in found.numbers.items() if number.is_known]


def test_an_author_without_a_known_id_may_have_tasks() -> None:
    assert known("Noa Ben-David", {"Noa Ben-David"}, {"Noa"}, {"Noa"}) == [Measure.ANSWERS]


def test_an_agent_without_messages_may_have_written_under_an_unmatched_name() -> None:
    assert known("Noa", {"Noa Ben-David"}, {"Noa"}, {"Noa"}) == [Measure.BACKLOG]
    assert known("agent-pilar", {"Pilar Gómez"}, {"agent-pilar"}, set()) == [Measure.BACKLOG]


def test_where_all_names_are_matched_a_zero_is_one() -> None:
    assert known("Noa", {"Marta"}, {"Noa"}, {"Noa", "Marta"}) == [*BOTH]
    assert known("Marta", {"Marta", "Stranger"}, set(), {"Noa", "Marta"}) == [*BOTH]
    assert known("", {"Stranger"}, {""}, set()) == [*BOTH], "nobody is assigned"

"""Which of an agent's numbers are known: messages have their author's name, tasks the ids of their assignees."""

from collections.abc import Collection
from dataclasses import replace

from frontdesk.metrics.models import MetricsGroup


def without_unmatched(
    group: MetricsGroup, authors: Collection[str], assigned: Collection[str], names: Collection[str]
) -> MetricsGroup:
    """Return an agent's numbers, of which those are unknown that may stand under another name.

    Args:
        authors: the names that messages have.
        assigned: the names of tasks' assignees; their ids where no name is known.
        names: the names that are known for ids.
    """
    unmatched = {each for each in authors if each} - {*assigned, *names}
    if not group.key or not unmatched or (group.key in authors and group.key not in unmatched):
        return group
    # An author whose id isn't known may have tasks; an agent without messages may be such an author.
    of_threads = group.key not in unmatched
    numbers = {
        measure: replace(number, share=0.0) if measure.is_of_threads == of_threads else number
        for measure, number in group.numbers.items()
    }
    return replace(group, numbers=numbers)

"""Messages have their author's name, tasks the ids of their assignees: which numbers of an agent are known."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from frontdesk.metrics.models import MetricsGroup


def without_unmatched(
    groups: Sequence[MetricsGroup], authors: Collection[str], assigned: Collection[str], names: Collection[str]
) -> list[MetricsGroup]:
    """Return agents' numbers, of which those are unknown that may stand under another name.

    Args:
        authors: the names that messages have.
        assigned: the names of tasks' assignees; their ids where no name is known.
        names: the names that are known for ids.
    """
    unmatched = {each for each in authors if each} - {*assigned, *names}
    if not unmatched:
        return [*groups]
    # An author whose id isn't known may have tasks; an agent without messages may be such an author.
    return [
        _without(each, of_threads=each.key not in unmatched)
        if each.key and (each.key in unmatched or each.key not in authors)
        else each
        for each in groups
    ]


def _without(group: MetricsGroup, *, of_threads: bool) -> MetricsGroup:
    """Return a group whose numbers of threads, or of tasks, are unknown."""
    numbers = {
        measure: replace(number, share=0.0) if measure.is_of_threads == of_threads else number
        for measure, number in group.numbers.items()
    }
    return replace(group, numbers=numbers)

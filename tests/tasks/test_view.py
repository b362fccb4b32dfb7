"""The board's filter as text."""

import pytest

from frontdesk.storage.coverage import Precision
from frontdesk.tasks.task_filter import FilterProgress, TaskFilter, TaskTerm, TermField
from frontdesk.tasks.view import filter_line, progress_lines
from sample_records import (
    VIEW,
)

LINE = TaskFilter((TaskTerm(TermField.LINE, "L1"),))
WORDS = TaskFilter((TaskTerm(TermField.WORDS, "late"), TaskTerm(TermField.LINE, "L1", is_not=True)))


@pytest.mark.parametrize(
    ("wanted", "stood", "words", "short"),
    [
        (WORDS, None, "12 of the loaded tasks", "12 loaded"),
        (LINE, None, "checking with the platform; 12 so far", "12 so far"),
        (LINE, FilterProgress(), "loading more; 12 so far", "12 so far"),
        (LINE, FilterProgress(problem="no\x1b[2J"), "12 loaded; couldn't load more: no␛[2J", "12 loaded; error"),
        (LINE, FilterProgress(complete=True), "12 tasks", "12"),
    ],
)
def test_whether_all_tasks_that_match_are_loaded_is_shown(
    wanted: TaskFilter, stood: FilterProgress | None, words: str, short: str
) -> None:
    found = progress_lines(wanted, stood, 12, Precision.EXACT)
    assert ["".join(part.text.text for part in line) for line in found] == [words, short]


def test_what_can_not_be_asked_for_stands_beside_what_is() -> None:
    wanted = TaskFilter((TaskTerm(TermField.OVERDUE, "overdue", is_not=True),), ("tag: is not one of \x1b",))
    said = "".join(part.text.text for part in filter_line(wanted, VIEW))
    assert said.startswith("not is overdue")
    assert said.endswith("tag: is not one of ␛")

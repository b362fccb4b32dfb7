"""Figures that were measured name their run: its date, and the command that measures again."""

import re

import pytest

from .pages import DOCS, section

_DATE = re.compile(
    r"\b20\d\d-\d\d-\d\d\b|\b\d{1,2} (?:January|February|March|April|May|June|July|August|September|October"
    r"|November|December) 20\d\d\b"
)
_COMMAND = re.compile(r"^    .*(?:\.venv/bin/|python -m |\.ci/run)", re.MULTILINE)
NOT_MEASURED = {"security.md"}
"""It promises, and names a test for each promise."""

PAGES = sorted(
    set(re.findall(r"\(([\w-]+\.md)\)", section(DOCS / "index.md", "Performance and trust"))) - NOT_MEASURED
)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_with_figures_names_the_date_and_the_command_of_its_run(name: str) -> None:
    page = (DOCS / name).read_text(encoding="utf-8")
    assert _DATE.search(page)
    assert _COMMAND.search(page)


def test_the_pages_are_those_that_are_proofs() -> None:
    assert {"faults.md", "simulation.md", "numbers-proof.md", "fuzzing.md"} <= set(PAGES)

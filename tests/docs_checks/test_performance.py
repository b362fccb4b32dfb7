"""The page of figures is the kept run, and what architecture says of them is what that run counted."""

import json
import re
from pathlib import Path

import pytest

from lab.benchmarks.performance_page import draw_page

ROOT = Path(__file__).parents[2]
RUN = json.loads((ROOT / "tests/lab/benchmarks/performance.json").read_text())


def test_the_page_is_drawn_from_the_kept_run() -> None:
    assert (ROOT / "tests/lab/benchmarks/performance.md").read_text() == draw_page(RUN)


@pytest.mark.parametrize(
    ("words", "count", "unit"),
    [
        (r"(?:sends|costs) about (\d+) bytes", "inbox, a cursor move: bytes", 1),
        (r"about ([\d.]+) kB", "inbox, a cursor move: bytes after", 1000),
    ],
)
def test_what_a_key_sends_is_told_as_it_was_counted(words: str, count: str, unit: int) -> None:
    found = re.search(words, " ".join((ROOT / "docs/architecture.md").read_text().split()))
    assert found is not None, f"docs/architecture.md no longer says {words}: take it out of this test"
    assert float(found[1]) * unit == pytest.approx(RUN["counts"][count], rel=0.06)


def test_a_figure_that_was_not_measured_is_no_number() -> None:
    name = "terminal-beside"
    bare = {**RUN, "benchmarks": {name: {"state": "not measured"}}, "counts": {}}
    page = draw_page(bare)
    assert page.count("Not measured.") == 2
    assert " ms" not in page.partition("## Measure it")[0]

"""Each claim of docs/quality.md names the command that measures it and the date of its last run."""

import re

import pytest

from .pages import DOCS, headings, section

PAGE = DOCS / "quality.md"
CLAIMS = list(headings(PAGE.read_text(encoding="utf-8")))[1:]
_DATE = re.compile(r"^20\d\d-\d\d-\d\d\b", re.MULTILINE)
_COMMAND = re.compile(r"^\$ .*(?:\.venv/bin/|python -m )", re.MULTILINE)


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_names_the_date_and_the_command_of_its_run(claim: str) -> None:
    text = section(PAGE, claim)
    assert _DATE.search(text)
    assert _COMMAND.search(text)


def test_the_results_beside_the_tests_are_linked() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in ("performance", "numbers_proof", "faults", "simulation", "fuzzing"):
        assert f"/{name}.md)" in text

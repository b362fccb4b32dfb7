"""Every numbered rule of the interface has a test that carries its number.

Numbers stand in a test's name, first of all: `test_16_17_...`, ranges as `test_5_to_12_...`. Names are read from
the files, so nothing has to be imported and a test that can't be collected still counts as missing where it fails.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
RULES = range(1, 236)
UNTESTED: dict[int, str] = {}
"""Rules that can't be tested here, each with its reason."""

_NUMBERS = re.compile(r"test_((?:\d+_(?:to_\d+_)?)+)")
_RANGE = re.compile(r"(\d+)(?:_to_(\d+))?_")


def numbers_in(name: str) -> set[int]:
    """The rules that a test's name says it checks."""
    found = _NUMBERS.match(name)
    numbers: set[int] = set()
    for first, last in _RANGE.findall(found[1] if found else ""):
        numbers.update(range(int(first), int(last or first) + 1))
    return numbers


def named_tests() -> Iterator[str]:
    """Every test function under tests/."""
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                yield node.name


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("test_2_what", {2}),
        ("test_16_17_to_19_130_the_error", {16, 17, 18, 19, 130}),
        ("test_rule_7_small", set()),
        ("test_a_page_of_25_messages", set()),
        ("test_161_a_404_is_no_rule", {161}),
    ],
)
def test_numbers_are_read_from_the_front_of_a_name(name: str, numbers: set[int]) -> None:
    assert numbers_in(name) == numbers


def test_every_rule_has_a_test_or_a_reason() -> None:
    covered = {number for name in named_tests() for number in numbers_in(name)}
    assert covered <= set(RULES), "a number that is no rule"
    missing = set(RULES) - covered - set(UNTESTED)
    assert missing == set(), f"no test carries {sorted(missing)}"
    assert not covered & set(UNTESTED), "a rule that has a test needs no reason"
    assert all(reason.strip() for reason in UNTESTED.values())

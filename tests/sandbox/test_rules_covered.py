"""Every numbered rule of tests/sandbox/rules.md has a test that names it, and no test names another.

A test says which it checks in a marker, `@pytest.mark.rules("16-18 70")`. Markers are read from the files, so
nothing has to be imported and a test that can't be collected still counts as missing where it fails.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGE = TESTS / "sandbox" / "rules.md"
UNTESTED: dict[int, str] = {}
"""Rules that can't be tested here, each with its reason."""

_RULE = re.compile(r"^(\d+)\. \S", re.MULTILINE)
_SPEC = re.compile(r"\d+(-\d+)?( \d+(-\d+)?)*")


def numbers_in(spec: str) -> set[int]:
    """The rules that a marker names: numbers and ranges between blanks."""
    assert _SPEC.fullmatch(spec), spec
    numbers: set[int] = set()
    for each in spec.split():
        first, _, last = each.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    return numbers


def specs_in(source: str) -> Iterator[str]:
    """What the markers of a file's tests say."""
    if "pytest.mark.rules" not in source:
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.rules":
                    yield ast.literal_eval(decorator.args[0])


def rules() -> list[int]:
    """The numbers of the page, in its order."""
    return [int(number) for number in _RULE.findall(PAGE.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(
    ("spec", "numbers"), [("2", {2}), ("16 17-19 130", {16, 17, 18, 19, 130}), ("5-6 8", {5, 6, 8})]
)
def test_a_marker_names_numbers_and_ranges(spec: str, numbers: set[int]) -> None:
    assert numbers_in(spec) == numbers


def test_markers_are_read_from_tests_alone() -> None:
    source = """
@pytest.mark.slow
@pytest.mark.rules("1-3")
def test_one(): ...

class TestMore:
    @pytest.mark.rules("4")
    async def test_two(self): ...

@pytest.mark.rules("5")
def helper(): ...
"""
    assert sorted(specs_in(source)) == ["1-3", "4"]


def test_the_page_numbers_its_rules_without_a_gap() -> None:
    assert rules() == list(range(1, len(rules()) + 1))


def test_every_rule_has_a_test_or_a_reason() -> None:
    covered = {
        number
        for path in sorted(TESTS.rglob("test_*.py"))
        for spec in specs_in(path.read_text(encoding="utf-8"))
        for number in numbers_in(spec)
    }
    assert covered <= set(rules()), "a number that is no rule"
    missing = set(rules()) - covered - set(UNTESTED)
    assert missing == set(), f"no test names {sorted(missing)}"
    assert not covered & set(UNTESTED), "a rule that has a test needs no reason"
    assert all(reason.strip() for reason in UNTESTED.values())

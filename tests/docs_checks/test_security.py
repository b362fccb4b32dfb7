"""docs/security.md names a test for each promise, and the test exists."""

import re

from .pages import DOCS, table

PAGE = DOCS / "security.md"
_TEST = re.compile(r"\[`(\w+)`\]\(([^)]+\.py)\)")


def test_each_promise_has_a_test_that_exists() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = table(text, "promise")
    assert len(rows) > 5
    for promise, tested_by in [*rows, *((row[0], row[-1]) for row in table(text, "place"))]:
        tests = _TEST.findall(tested_by)
        assert tests, promise
        for name, path in tests:
            assert f"def {name}(" in (PAGE.parent / path).read_text(encoding="utf-8"), promise

"""The page of the fault matrix has the modes and operations that exist: who adds one runs the matrix again."""

import re
from typing import get_args

from frontdesk_sandbox.faults import Kind
from lab.faults.matrix.files import RECOVERS, SENTENCE
from lab.faults.matrix.judgement import Finding
from lab.faults.matrix.modes import MODES
from lab.faults.matrix.page import PAGE
from lab.faults.matrix.sample import OPERATIONS
from lab.faults.replaced_files import FILES, REPLACEMENTS

from .pages import DOCS, codes, first_cells, section, table

TROUBLESHOOTING = DOCS / "troubleshooting.md"


def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def test_every_kind_of_fault_is_a_mode() -> None:
    assert {mode.rule["kind"] for mode in MODES} == {*get_args(Kind)}


def test_the_page_has_every_mode_and_every_operation() -> None:
    assert [codes(row[0]) for row in table(page(), "mode")] == [[mode.name] for mode in MODES]
    assert first_cells(page(), "operation") == [*OPERATIONS]


def test_every_mode_has_met_every_operation() -> None:
    assert {row[2] for row in table(page(), "mode")} == {str(len(OPERATIONS))}
    assert {row[1] for row in table(page(), "operation")} == {str(len(MODES))}


def test_the_totals_are_those_of_the_tables_and_no_finding_is_left_out() -> None:
    totals = dict(table(page(), "figure"))
    by_mode, by_operation = table(page(), "mode"), table(page(), "operation")
    found = 0
    for column, finding in enumerate(Finding, 2):
        counted = sum(int(row[column + 1]) for row in by_mode)
        assert counted == sum(int(row[column]) for row in by_operation) == int(totals[str(finding)])
        found += counted
    named = section(PAGE, "What isn't right yet") if found else ""
    assert len(re.findall(r"^- `", named, re.MULTILINE)) == found


def test_every_file_has_been_replaced_by_everything() -> None:
    rows = table(page(), "file")
    assert [codes(row[0]) for row in rows] == [[name] for name in FILES]
    assert {len(row) for row in rows} == {1 + len(REPLACEMENTS)}
    good = sum(cell in (SENTENCE, RECOVERS) for row in rows for cell in row[1:])
    total = next(row[1] for row in table(page(), "figure") if row[0] == "starts on replaced files")
    assert total.startswith(f"{good} of {len(FILES) * len(REPLACEMENTS)} end")


def test_the_words_of_the_status_line_can_be_looked_up() -> None:
    explained = {
        words.partition(" (")[0] for words in first_cells(section(TROUBLESHOOTING, "The status line"), "it says")
    }
    assert {codes(row[1])[0].partition(" (")[0] for row in table(page(), "mode")} <= explained


def test_what_misses_a_target_is_counted() -> None:
    rows = table(page(), "mode")
    for name, column in (("engine at most", -2), ("live again within", -1)):
        total = next(row[1] for row in table(page(), "figure") if row[0].startswith(name))
        kept = sum("missed" not in row[column] for row in rows)
        assert total.startswith(f"{kept} of {len(rows)} modes")

"""A sample of the fault matrix (`faults.matrix`; results: faults.md), judged by the platform's own log."""

from pathlib import Path
from shutil import copytree

import pytest

from frontdesk.storage.database_files import LEADER_LOCK, OUTBOX_FILE
from frontdesk.storage.records import Change, ChangeKind, ChangeState
from frontdesk_api.contract import endpoints
from lab.faults.matrix.bench import run_cells
from lab.faults.matrix.files import RECOVERS, SENTENCE, run_starts
from lab.faults.matrix.judgement import Cell, Finding, judge_change
from lab.faults.matrix.modes import MODES
from lab.faults.matrix.operations import MadeChange
from lab.faults.matrix.sample import OPERATIONS, sample

GROUPS = sample()


def test_every_operation_of_the_interface_has_cells() -> None:
    assert sorted(OPERATIONS) == sorted(each.name for each in endpoints.OPERATIONS)


def test_the_sample_has_every_mode_and_every_operation() -> None:
    pairs = [pair for group in GROUPS for pair in group]
    assert [mode for mode, _ in pairs] == [*MODES]
    assert {name for _, name in pairs} == {*OPERATIONS}
    for group in GROUPS:
        assert len({name for _, name in group}) == len(group)


@pytest.mark.lab
@pytest.mark.parametrize("number", range(len(GROUPS)))
def test_no_fault_loses_doubles_or_misstates_anything(
    seeded: Path, filled_store: Path, tmp_path: Path, number: int
) -> None:
    data = Path(copytree(seeded, tmp_path / "data"))
    copytree(filled_store, tmp_path / "profile")
    cells = run_cells(tmp_path, data, GROUPS[number])
    assert [str(cell) for cell in cells if cell.findings] == []
    assert len(cells) == len(GROUPS[number])


@pytest.mark.lab
def test_a_start_on_a_replaced_file_ends_with_a_sentence_or_recovers(filled_store: Path, tmp_path: Path) -> None:
    places = [(LEADER_LOCK, "folder"), (f"{OUTBOX_FILE}-wal", "garbage")]
    assert [each.outcome for each in run_starts(tmp_path, filled_store, places)] == [SENTENCE, RECOVERS]


MADE = MadeChange(ChangeKind.TASK, "t1", ("PATCH", "/tasks/t1"), ("PATCH", "/tasks/t1"))


def change(state: ChangeState, reason: str = "") -> Change:
    return Change(1, "b", ChangeKind.TASK, "t1", {}, {}, "change", state, 0.0, 0.0, reason=reason)


@pytest.mark.parametrize(
    ("found", "effects", "finding"),
    [
        (None, 0, Finding.LOST),
        (change(ChangeState.CONFIRMED), 0, Finding.LOST),
        (change(ChangeState.CONFIRMED), 1, None),
        (change(ChangeState.CONFIRMED), 2, Finding.DOUBLED),
        (change(ChangeState.REFUSED), 1, Finding.WRONG),
        (change(ChangeState.REFUSED), 0, None),
        (change(ChangeState.CONFLICT, "no clear response"), 1, None),
        (change(ChangeState.CONFLICT, "nothing was sent"), 1, Finding.WRONG),
        (change(ChangeState.CONFLICT, "the platform accepted it, but"), 0, Finding.WRONG),
        (change(ChangeState.UNKNOWN), 1, Finding.STUCK),
    ],
)
def test_the_judge_knows_what_must_not_be(found: Change | None, effects: int, finding: Finding | None) -> None:
    cell = Cell("mode", "operation")
    judge_change(cell, MADE, found, effects)
    assert [each for each, _ in cell.findings] == ([finding] if finding else [])

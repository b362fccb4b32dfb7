"""Whole desks under simulation: what must hold does, whatever a seed lets happen, and faults planted are found.

simulation.md tells what is simulated. `.ci/run` runs some of the seeds beside the tests. A violation names its
seed, and a seed is the same run each time.
"""

import pytest

from lab.sample import cases
from lab.simulation.invariants import Invariant
from lab.simulation.planted import PLANTED, planted
from lab.simulation.planted_table import PAGE, broken_invariant, first_finding, read_table
from lab.simulation.seeds import make_platform, simulate
from lab.simulation.team import Violation

SEEDS_FOR_STALE_ROWS, ONE_IN = 25, 7
"""How many seeds are tried in place of a row's own, and how many rarely found faults may then be missed."""


@pytest.fixture(scope="module")
def platform(seeded_bytes: bytes) -> bytes:
    return make_platform(seeded_bytes)


@pytest.mark.lab
def test_the_same_seed_is_the_same_run(platform: bytes) -> None:
    first, second = (simulate(3, platform) for _ in range(2))
    assert first == second
    assert first.requests > 0


@pytest.mark.lab
def test_planted_faults_are_found_by_the_seeds_of_the_table(platform: bytes) -> None:
    """A change of the program moves the moments of a run, and with them the seeds: then others are tried."""
    table = read_table()
    assert len(table) >= 25
    tried = cases(table, 8)
    stale = [each for each in tried if broken_invariant(each.fault, each.seed, platform) is None]
    missed = [each.fault for each in stale if first_finding(each.fault, SEEDS_FOR_STALE_ROWS, platform) is None]
    assert ONE_IN * len(missed) <= len(tried), f"search anew with python -m lab.simulation.planted_table: {missed}"


@pytest.mark.lab
def test_a_violation_is_replayed_exactly(platform: bytes) -> None:
    found = read_table()[0]
    told = set()
    for _ in range(2):
        with planted(found.fault), pytest.raises(Violation, match=f"^seed {found.seed} at ") as violation:
            simulate(found.seed, platform)
        told.add(str(violation.value))
    assert len(told) == 1


def test_the_page_names_each_planted_fault_and_each_invariant() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [each for each in PLANTED if f"| {each} |" not in page] == []
    assert [each for each in Invariant if f"| {each} |" not in page] == []

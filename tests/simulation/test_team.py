"""Whole desks under simulation: what must hold does, whatever a seed lets happen, and faults planted are found.

`SIMULATION_SEEDS=2000 .venv/bin/pytest -m proof tests/simulation` goes further. A violation names its seed, and a
seed is the same run each time.
"""

import os
from pathlib import Path

import pytest

from simulation.planted import planted
from simulation.team import Violation, simulate

SEEDS = int(os.environ.get("SIMULATION_SEEDS", "60"))
PART = 10

FOUND_BY = {
    "never collides": 1,
    "no claim": 1,
    "orphans taken for done": 1,
    "unknown is taken for done": 1,
    "an answer that is lost is a refusal": 2,
    "no read before a patch": 1,
}
"""The first seed that finds each planted fault."""


@pytest.mark.proof
@pytest.mark.parametrize("first", range(1, SEEDS + 1, PART))
def test_nothing_is_lost_doubled_overwritten_or_left_undone(
    first: int, tmp_path: Path, seeded_bytes: bytes
) -> None:
    for seed in range(first, min(first + PART, SEEDS + 1)):
        simulate(seed, tmp_path / str(seed), seeded_bytes)


@pytest.mark.slow
def test_the_same_seed_is_the_same_run(tmp_path: Path, seeded_bytes: bytes) -> None:
    first, second = (simulate(3, tmp_path / name, seeded_bytes) for name in "ab")
    assert first == second != "[]"


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "seed"), FOUND_BY.items())
def test_a_planted_fault_is_found(fault: str, seed: int, tmp_path: Path, seeded_bytes: bytes) -> None:
    with planted(fault), pytest.raises(Violation, match=f"^seed {seed} at "):
        simulate(seed, tmp_path / "desks", seeded_bytes)

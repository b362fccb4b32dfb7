"""Whole desks under simulation: what must hold does, whatever a seed lets happen, and faults planted are found.

docs/simulation.md tells what is simulated. `SIMULATION_SEEDS=2000 .venv/bin/pytest -m proof tests/simulation` goes
further. A violation names its seed, and a seed is the same run each time.
"""

import os

import pytest

from simulation.planted import planted
from simulation.seeds import make_platform, simulate
from simulation.team import Violation

SEEDS = int(os.environ.get("SIMULATION_SEEDS", "300"))
PART = 50
"""Seeds in one test: fewer would cost more for the tests than for the seeds."""

FOUND_BY = {
    "never collides": 1,
    "no claim": 1,
    "a claim that does not look": 12,
    "orphans sent again at once": 27,
    "orphans taken for done": 3,
    "unknown is taken for done": 12,
    "unknown is taken for lost": 24,
    "an answer that is lost is a refusal": 7,
}
"""The first seed that finds each planted fault."""


@pytest.fixture(scope="module")
def platform(seeded_bytes: bytes) -> bytes:
    return make_platform(seeded_bytes)


@pytest.mark.proof
@pytest.mark.parametrize("first", range(1, SEEDS + 1, PART))
def test_nothing_is_lost_doubled_overwritten_or_left_undone(first: int, platform: bytes) -> None:
    for seed in range(first, min(first + PART, SEEDS + 1)):
        simulate(seed, platform)


@pytest.mark.slow
def test_the_same_seed_is_the_same_run(platform: bytes) -> None:
    first, second = (simulate(3, platform) for _ in range(2))
    assert first == second
    assert first.requests > 0


@pytest.mark.slow
def test_a_violation_is_replayed_exactly(platform: bytes) -> None:
    told = set()
    for _ in range(2):
        with planted("no claim"), pytest.raises(Violation) as violation:
            simulate(FOUND_BY["no claim"], platform)
        told.add(str(violation.value))
    assert len(told) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "seed"), FOUND_BY.items())
def test_a_planted_fault_is_found(fault: str, seed: int, platform: bytes) -> None:
    with planted(fault), pytest.raises(Violation, match=f"^seed {seed} at "):
        simulate(seed, platform)

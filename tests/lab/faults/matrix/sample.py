"""A sample of the matrix for each run of the tests: every mode once, every operation at least twice."""

from lab.faults.matrix.modes import MODES, Mode
from lab.faults.matrix.operations import READS, WRITES

OPERATIONS = (*WRITES, *READS)
"""The operations that cells exist for, by the endpoint's name."""


def sample() -> list[list[tuple[Mode, str]]]:
    """Return groups of cells; within one no operation comes twice, so that they share an engine."""
    size = len(OPERATIONS)
    groups = [MODES[start : start + size] for start in range(0, len(MODES), size)]
    return [
        [(mode, OPERATIONS[(place + number) % size]) for place, mode in enumerate(group)]
        for number, group in enumerate(groups)
    ]

"""Fixtures of the poller's tests."""

from collections.abc import Iterator

import pytest

from sync.simulated_reads import Simulation


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """Close the simulations that a test has opened."""
    yield
    while Simulation.opened:
        Simulation.opened.pop().close()

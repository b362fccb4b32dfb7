"""A desktop over a store of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from linear.running_session import Desktop


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Desktop]:
    made = Desktop(tmp_path / "profile")
    yield made
    made.store.close()

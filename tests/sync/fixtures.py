"""Fixtures: the sandbox of `tests/sandbox` and an engine over it; a sender with a platform to step into."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from frontdesk.campaigns.alert_rules import AlertRule
from new_store import open_store
from sandbox.asking import Sandbox
from sync.running_engine import Clocks, Start, Works, running
from sync.scene import Scene


@pytest.fixture
def works(sandbox: Sandbox, tmp_path: Path) -> Start:
    """Starts an engine: `async with works() as it: ...`."""

    def start(
        settle_after: float = 0.0,
        clocks: Clocks | None = None,
        rules: Sequence[AlertRule] = (),
        *,
        read_only: bool = False,
    ) -> AbstractAsyncContextManager[Works]:
        return running(sandbox, tmp_path / "profile", settle_after, clocks, rules, read_only=read_only)

    return start


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with open_store(tmp_path / "profile") as store:
        yield Scene(store)

"""Fixtures: the sandbox of `tests/sandbox` and an engine over it; a sender with a platform to step into."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, closing
from pathlib import Path

import pytest
from filelock import FileLock

from frontdesk.campaigns.alert_rules import AlertRule
from new_store import open_store
from sandbox.asking import Sandbox
from sandbox.fixtures import shared_folder, world_in_memory
from sync.running_engine import Clocks, Rewrite, Start, Works, run, running
from sync.scene import Scene


@pytest.fixture(scope="session")
def filled_store(seeded_bytes: bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store into which an engine has read all of the small business, never opened by a test."""
    return fill_once(shared_folder(tmp_path_factory) / "filled", seeded_bytes)


def fill_once(filled: Path, seeded_bytes: bytes, rewrite: Rewrite | None = None) -> Path:
    """Fill a store for all processes of the tests, unless one of them has done so."""
    begun = filled.with_name(f"{filled.name}-incomplete")

    async def fill() -> None:
        async with running(Sandbox(world), begun, settle_after=0.0, rewrite=rewrite) as it:
            await it.until(lambda: it.engine.has_read_all)

    with FileLock(filled.with_suffix(".lock")):
        if not filled.exists():
            shutil.rmtree(begun, ignore_errors=True)
            with closing(world_in_memory(seeded_bytes)) as world:
                run(fill)
            begun.rename(filled)
    return filled


@pytest.fixture
def works(sandbox: Sandbox, tmp_path: Path, filled_store: Path) -> Start:
    """Starts an engine: `async with works() as it: ...`; with `is_filled` on a store that has read all before."""

    def start(
        settle_after: float = 0.0,
        clocks: Clocks | None = None,
        rules: Sequence[AlertRule] = (),
        *,
        read_only: bool = False,
        is_filled: bool = False,
    ) -> AbstractAsyncContextManager[Works]:
        folder = tmp_path / "profile"
        if is_filled:
            folder = tmp_path / "filled"  # the test may have another store open
            shutil.copytree(filled_store, folder)
        return running(sandbox, folder, settle_after, clocks, rules, read_only=read_only)

    return start


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with open_store(tmp_path / "profile") as store:
        yield Scene(store)

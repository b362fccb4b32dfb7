"""A sandbox in this process, seeded once and copied for each test.

`sandbox` has the small business in memory and without a crowd; `make_sandbox` takes other options and has a
folder, so that it can be opened again. `still` is one for all tests of a process.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest
from filelock import FileLock

from frontdesk_sandbox.options import SandboxOptions
from frontdesk_sandbox.storage import Storage
from frontdesk_sandbox.world import Clock, World, open_world
from sandbox.asking import Sandbox, stop_seeded_campaigns


def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all workers of a run."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def world_in_memory(content: bytes, clock: Clock | None = None) -> World:
    """Open the business whose file has this content; it is the caller's to close."""
    connection = apsw.Connection(":memory:")
    connection.deserialize("main", content)
    return open_world(SandboxOptions(crowd=False), clock, storage=Storage(connection))


def file_bytes(folder: Path) -> bytes:
    """Read the file of a data folder that nobody has open, for `world_in_memory`."""
    with closing(apsw.Connection(str(folder / "sandbox.db"))) as connection:
        # Memory holds no write-ahead log.
        connection.execute("PRAGMA journal_mode=DELETE")
        return connection.serialize("main")


@pytest.fixture(scope="session")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the small business, never opened by a test itself; one for all workers of a run."""
    shared = shared_folder(tmp_path_factory)
    folder, begun = shared / "seeded", shared / "seeded-incomplete"
    with FileLock(shared / "seeded.lock"):
        if not folder.exists():
            shutil.rmtree(begun, ignore_errors=True)
            open_world(SandboxOptions(data=begun, crowd=False)).close()
            begun.rename(folder)
    return folder


@pytest.fixture(scope="session")
def seeded_bytes(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of `seeded`, to be opened in memory."""
    copied = tmp_path_factory.mktemp("bytes")
    shutil.copy(seeded / "sandbox.db", copied)
    return file_bytes(copied)


@pytest.fixture(scope="session")
def still(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """One sandbox for all tests that change nothing, or nothing that another of them looks at."""
    folder = tmp_path_factory.mktemp("still") / "data"
    shutil.copytree(seeded, folder)
    world = open_world(SandboxOptions(data=folder, crowd=False))
    yield Sandbox(world)
    world.close()


@pytest.fixture
def make_sandbox(seeded: Path, tmp_path: Path) -> Iterator[Callable[..., Sandbox]]:
    """Starts a sandbox with these options; two calls open the same data one after the other."""
    opened: list[World] = []

    def make(**options: Any) -> Sandbox:
        for world in opened:
            world.close()
        opened.clear()
        folder = tmp_path / "data"
        if not folder.exists():
            shutil.copytree(seeded, folder)
        world = open_world(replace(SandboxOptions(data=folder, crowd=False), **options))
        opened.append(world)
        return Sandbox(world)

    yield make
    for world in opened:
        world.close()


@pytest.fixture
def sandbox(seeded_bytes: bytes) -> Iterator[Sandbox]:
    """The small business, nothing moving by itself."""
    with closing(world_in_memory(seeded_bytes)) as world:
        yield Sandbox(world)


@pytest.fixture
def quiet(sandbox: Sandbox) -> Sandbox:
    """The small business with none of its own campaigns under way, so that time passes quickly."""
    return stop_seeded_campaigns(sandbox)

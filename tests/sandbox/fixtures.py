"""A sandbox in this process, seeded once and copied for each test.

`sandbox` has the small business without a crowd; `make_sandbox` takes other options.
"""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from frontdesk.sandbox.options import SandboxOptions
from frontdesk.sandbox.world import World, open_world
from sandbox.asking import Sandbox, stop_seeded_campaigns


@pytest.fixture(scope="session")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the small business, never opened by a test itself."""
    folder = tmp_path_factory.mktemp("seeded")
    open_world(SandboxOptions(data=folder, crowd=False)).close()
    return folder


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
def sandbox(make_sandbox: Callable[..., Sandbox]) -> Sandbox:
    """The small business, nothing moving by itself."""
    return make_sandbox()


@pytest.fixture
def quiet(sandbox: Sandbox) -> Sandbox:
    """The small business with none of its own campaigns under way, so that time passes quickly."""
    return stop_seeded_campaigns(sandbox)

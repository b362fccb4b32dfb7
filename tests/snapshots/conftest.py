"""Fixtures: the desk that is filled once for all snapshots, and a copy of it for each."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from frontdesk.storage.database import Store
from frontdesk_lines.display_text import set_terminal
from new_store import open_store
from sandbox.fixtures import shared_folder
from snapshots import desk
from snapshots.settled_app import run


@pytest.fixture(scope="session")
def desk_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a filled store, never opened by a test; one for all workers of a run."""
    folder = shared_folder(tmp_path_factory) / "desk"
    begun = folder.with_name("desk-incomplete")
    with FileLock(folder.with_suffix(".lock")):
        if not folder.exists():
            shutil.rmtree(begun, ignore_errors=True)
            run(desk.make_desk(begun))
            begun.rename(folder)
    return folder


@pytest.fixture
def desk_store(desk_folder: Path, tmp_path: Path) -> Iterator[Store]:
    with Store(shutil.copytree(desk_folder, tmp_path / "desk")) as store:
        yield store


@pytest.fixture
def empty_store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "empty") as store:
        yield store


@pytest.fixture(autouse=True)
def _same_terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("NO_COLOR", raising=False)
    yield
    set_terminal(emoji_as_text=False)

"""A scene of two workflows, made once and copied for each test."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from frontdesk.workflows import store as workflow_store
from new_store import open_store
from sandbox.asking import Sandbox
from sandbox.fixtures import world_in_memory
from workflows.delivery_scene import WorkflowScene

KEPT = "('wf-welcome', 'wf-draft-chairs')"
"""Each look reads the list whole: two are a list as well as eight."""


@pytest.fixture(scope="session")
def two_workflows(seeded_bytes: bytes, tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Path]:
    """A sandbox with no messages and few workflows, and a store that has read these."""
    folder = tmp_path_factory.mktemp("two") / "profile"
    with closing(apsw.Connection(":memory:")) as db:
        db.deserialize("main", seeded_bytes)
        db.execute(f"DELETE FROM messages; DELETE FROM workflows WHERE id NOT IN {KEPT}; VACUUM")
        content = db.serialize("main")
    with closing(world_in_memory(content)) as world, open_store(folder) as store:
        now = world.clock.now_ms() / 1000
        listed = Sandbox(world).post("/workflows", {}).json()["result"]
        store.write(lambda db: [workflow_store.put_whole(db, each, now) for each in listed]).result()
    return content, folder


@pytest.fixture
def scene(two_workflows: tuple[bytes, Path], tmp_path: Path) -> Iterator[WorkflowScene]:
    content, read = two_workflows
    with (
        closing(world_in_memory(content)) as world,
        open_store(shutil.copytree(read, tmp_path / "profile")) as store,
    ):
        yield WorkflowScene(store, Sandbox(world))

"""The desk that all counts are taken on: the sandbox of a fixed seed at a fixed time, read page by page."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from frontdesk.storage import full_text
from frontdesk.storage.database import Store
from frontdesk_sandbox.world import World
from sandbox.asking import Sandbox
from snapshots.desk import StandingClock, open_sandbox
from terminal.conftest import fill


@contextmanager
def opened_world() -> Iterator[World]:
    """The small business, in a folder of its own."""
    with TemporaryDirectory() as folder:
        world = open_sandbox(Path(folder) / "sandbox", StandingClock())
        try:
            yield world
        finally:
            world.close()


def make_store(folder: Path) -> None:
    """Make a store that knows all tasks and the newest page of all threads, ready to be searched."""
    with opened_world() as world:
        fill(Sandbox(world), folder)
    with Store(folder) as store:
        while store.write(lambda db: full_text.index_batch(db, 20_000)).result():
            pass

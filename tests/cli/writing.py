"""What tests of commands that write share: tasks of the sandbox, engines, and what the outbox has."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from cli.commandline import Frontdesk
from cli.sandbox_service import SandboxService
from frontdesk.outbox import queue
from frontdesk.storage import clients
from frontdesk.storage.lease import Lease
from frontdesk.storage.records import Change

LINE = "442079460018"
NOWHERE = "http://127.0.0.1:1"


@pytest.fixture
def tasks(service: SandboxService) -> list[str]:
    """Two new tasks' ids."""
    return [new_task(service, f"New {n}") for n in "ab"]


def recorded(frontdesk: Frontdesk) -> list[Change]:
    with frontdesk.store() as store:
        return queue.recent(store.reading)


def writes(service: SandboxService, task: str) -> int:
    return service.asked("PATCH").count(f"/tasks/{task}")


def process(frontdesk: Frontdesk, *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "frontdesk", *words],
        env=frontdesk.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def until(is_so: Callable[[], object], seconds: float = 30.0) -> None:
    give_up_at = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < give_up_at
        time.sleep(0.02)


@contextmanager
def engine(frontdesk: Frontdesk, *options: str) -> Iterator["subprocess.Popen[str]"]:
    """Run `frontdesk sync` until it polls."""
    running = process(frontdesk, *options, "sync")
    try:
        with frontdesk.store() as store:
            until(lambda: clients.health(store.reading).fresh_at)
        yield running
    finally:
        running.terminate()
        running.communicate(timeout=20)


@contextmanager
def elsewhere(frontdesk: Frontdesk) -> Iterator[None]:
    """Hold the lease, as an engine that doesn't send anything."""
    with frontdesk.store() as store:
        lease = Lease(store.folder)
        assert lease.lock_file()
        assert store.write(lease.acquire).result()
        yield
        lease.unlock_file()


def new_task(service: SandboxService, title: str = "New", **fields: str) -> str:
    made = service.control("tasks", {"title": title, "statusCase": "open", "phoneNumberId": LINE, **fields})
    return str(made.get("taskId") or made["task"]["taskId"])

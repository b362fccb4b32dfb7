"""An engine that is stopped while it sends is taken over, and can't send when it goes on."""

import contextlib
import os
import signal
import subprocess
from collections import Counter
from typing import Any

import apsw
import pytest

from frontdesk.demo.sandbox_process import demo_profile
from frontdesk.outbox import queue
from frontdesk.storage import clients
from frontdesk.storage.database import Store
from frontdesk.storage.lease import LEASE_SECONDS
from frontdesk.storage.records import UNCONFIRMED, ChangeState, Connection
from frontdesk.storage.sql import first
from frontdesk_api.contract.ids import StatusId, TaskId
from lab.faults.test_processes import Shared, shared, wait
from sandbox.fixtures import seeded
from services import Services
from terminal.service import FRONTDESK, wait_until_nothing_runs

__all__ = ["seeded", "shared"]

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("pty")]

TAKEOVER_SECONDS = LEASE_SECONDS + 30
"""The lease and a few seconds, on a machine that others keep busy."""


def owner(store: Store) -> int:
    """The process that holds the lease."""
    row = first(store.reading, "SELECT owner FROM outbox.lease")
    return 0 if row is None else int(row[0].partition("-")[0] or 0)


def patches(shared: Shared) -> Counter[str]:
    seen: list[dict[str, Any]] = shared.service.ask("GET", "/sandbox/requests")
    return Counter(each["path"] for each in seen if each["method"] == "PATCH")


def has_arrived(shared: Shared) -> bool:
    """Whether the sandbox holds the PATCH that it delays; its log has it only once it is answered."""
    (fault,) = shared.service.ask("GET", "/sandbox/faults")
    return bool(fault["times"] == 0)


def test_a_stopped_engine_is_taken_over_in_the_middle_of_a_send(shared: Shared) -> None:
    ids = [TaskId(shared.service.ask("POST", "/sandbox/tasks", [{"title": "A task"}])[0]["taskId"]) for _ in "ab"]
    engines = {}
    for name in ("first", "second"):
        process = shared.start(name, FRONTDESK, "sync")
        engines[process.pid] = process
        wait("an engine polls", lambda: (shared.folder / "store.db").exists())
    with Store(shared.folder) as store:
        db = store.reading
        services = Services(store, demo_profile(shared.service.url))
        wait("one is live", lambda: clients.health(db).state is Connection.LIVE and owner(store))
        wait(
            "the tasks are known",
            lambda: all(first(db, "SELECT 1 FROM tasks WHERE task_id = ?", (each,)) for each in ids),
        )
        stopped = owner(store)
        shared.service.ask(
            "PUT",
            "/sandbox/faults",
            [{"path": "^/tasks/", "method": "PATCH", "kind": "delay", "seconds": 8, "times": 1}],
        )
        services.tasks.set_status(ids[:1], StatusId("completed")).result()
        wait("it is being sent", lambda: queue.count(db, (ChangeState.SENDING,)) and has_arrived(shared))
        stop(engines[stopped], shared)
        services.tasks.set_status(ids[1:], StatusId("completed")).result()
        taken_over = wait("another one took over", lambda: owner(store) != stopped, TAKEOVER_SECONDS)
        wait("all is confirmed", lambda: queue.count(db, UNCONFIRMED) == 0)
        engines[stopped].send_signal(signal.SIGCONT)
        wait("it has noticed", lambda: "stood still" in log(shared))
        services.tasks.set_status(ids, StatusId("open")).result()
        wait("all is confirmed again", lambda: queue.count(db, UNCONFIRMED) == 0)
        assert owner(store) != stopped
        assert {each.state for each in queue.recent(db)} == {ChangeState.CONFIRMED}
        assert patches(shared) == {f"/tasks/{each}": 2 for each in ids}
    for process in engines.values():
        assert process.stdin is not None
        process.stdin.close()
        process.terminate()
        process.wait(timeout=60)
    wait_until_nothing_runs(shared.home)
    print(f"\ntaken over {taken_over:.1f} s after SIGSTOP")


def test_a_read_only_engine_polls_while_the_one_that_sends_is_stopped(shared: Shared) -> None:
    writer = shared.start("writer", FRONTDESK, "sync")
    wait("an engine polls", lambda: (shared.folder / "store.db").exists())
    with Store(shared.folder) as store:
        db = store.reading
        wait("it is live", lambda: clients.health(db).state is Connection.LIVE and owner(store) == writer.pid)
        reader = shared.start("reader", FRONTDESK, "--read-only", "sync")
        writer.send_signal(signal.SIGTSTP)
        os.waitid(os.P_PID, writer.pid, os.WSTOPPED | os.WNOWAIT)
        wait("the read-only one took over", lambda: owner(store) == reader.pid, TAKEOVER_SECONDS)
        wait("it is live", lambda: clients.health(db).state is Connection.LIVE)
        writer.send_signal(signal.SIGCONT)
        wait("it gave way", lambda: owner(store) == writer.pid)
        wait("it is live again", lambda: clients.health(db).state is Connection.LIVE)
    for process in (writer, reader):
        assert process.stdin is not None
        process.stdin.close()
        process.terminate()
        process.wait(timeout=60)
    wait_until_nothing_runs(shared.home)


def log(shared: Shared) -> str:
    return "".join(path.read_text() for path in (shared.home.folder / "state").rglob("frontdesk.log"))


def stop(process: "subprocess.Popen[bytes]", shared: Shared) -> None:
    """Stop it, though not in a transaction: nobody can write then until it goes on or is ended."""
    with contextlib.closing(apsw.Connection(str(shared.folder / "outbox.db"))) as db:
        db.set_busy_timeout(200)
        db.execute("ATTACH ? AS store", (str(shared.folder / "store.db"),))
        while True:
            process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
            try:
                db.execute("BEGIN IMMEDIATE")
                db.execute("ROLLBACK")
            except apsw.BusyError:
                process.send_signal(signal.SIGCONT)
            else:
                return

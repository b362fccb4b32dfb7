"""`ctrl+z` on `frontdesk sync`: the process stops once its writer has ended its transaction."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from frontdesk.storage.database_files import OUTBOX_FILE
from new_store import open_store

pytestmark = pytest.mark.slow

ENGINE = """
import asyncio, sys, time
from pathlib import Path
from frontdesk.engine.terminal_stop import stopped_between_writes
from frontdesk.storage.database import Store

def write(db):
    print("in a transaction", flush=True)
    sys.stdin.readline()

async def main():
    with Store(Path(sys.argv[1])) as store, stopped_between_writes(store):
        for _ in range(2):
            await store.run(write)
        print("done", flush=True)

asyncio.run(main())
"""


def can_write(folder: Path) -> bool:
    """Whether another process can begin a transaction now."""
    with contextlib.closing(apsw.Connection(str(folder / OUTBOX_FILE))) as db:
        try:
            db.execute("BEGIN IMMEDIATE")
        except apsw.BusyError:
            return False
        db.execute("ROLLBACK")
    return True


def test_it_stops_between_two_transactions_and_goes_on(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    engine = subprocess.Popen(
        [sys.executable, "-c", ENGINE, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with engine:
        try:
            assert engine.stdin is not None
            assert engine.stdout is not None
            assert engine.stdout.readline() == "in a transaction\n"
            assert not can_write(tmp_path)
            for _ in range(2):  # a second press means the same stop
                engine.send_signal(signal.SIGTSTP)
            engine.stdin.write("\n")
            engine.stdin.flush()
            stopped = os.waitid(os.P_PID, engine.pid, os.WSTOPPED | os.WNOWAIT)
            assert stopped is not None
            assert stopped.si_status == signal.SIGSTOP
            assert can_write(tmp_path), "nobody waits for the one that is stopped"
            engine.send_signal(signal.SIGCONT)
            assert engine.stdout.readline() == "in a transaction\n"
            engine.stdin.write("\n")
            engine.stdin.flush()
            assert engine.stdout.readline() == "done\n"
            assert engine.wait(timeout=60) == 0
        finally:
            engine.kill()

"""An engine above its memory ends in order, and its process starts again by itself, later and later."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from frontdesk.config import credentials
from frontdesk.config.processes import memory_bytes
from frontdesk.config.settings import Settings
from frontdesk.demo.sandbox_process import demo_profile
from frontdesk.engine import main as engine_main
from frontdesk.engine.supervisor import (
    LONG_RUN_SECONDS,
    MAX_WAIT_SECONDS,
    TOO_MUCH_MEMORY,
    MemoryExceeded,
    RestartPolicy,
)
from frontdesk.storage import clients
from frontdesk.storage.database import Store
from frontdesk.storage.lease import try_acquire
from frontdesk.storage.records import Connection
from frontdesk_api.credentials import CredentialSet, Secret
from lab.faults.test_processes import wait
from sync.running_engine import URL, run

MEGABYTE = 1_000_000


def test_memory_is_what_this_process_uses_now() -> None:
    before = memory_bytes()
    assert before is not None
    block = bytearray(os.urandom(1)) * (64 * MEGABYTE)
    with_block = memory_bytes()
    assert with_block is not None
    assert 60 * MEGABYTE < with_block - before < 80 * MEGABYTE
    del block
    after = memory_bytes()
    assert after is not None
    if sys.platform == "linux":  # elsewhere it is the most that it ever was
        assert after < with_block - 50 * MEGABYTE


def test_the_first_restart_is_at_once_and_later_ones_in_a_row_wait_longer_and_longer() -> None:
    policy, waits = RestartPolicy(), []
    for _ in range(12):
        policy = policy.after(LONG_RUN_SECONDS / 2)
        waits.append(policy.wait_seconds)
    assert waits[:4] == [0.0, 15.0, 30.0, 60.0]
    assert waits == sorted(waits)
    assert waits[-1] == MAX_WAIT_SECONDS
    assert policy.after(LONG_RUN_SECONDS).wait_seconds == 0.0, "a long run ends the row"


@pytest.mark.parametrize(("short_runs", "waits"), [(0, False), (1, True)])
def test_an_engine_above_its_memory_ends_gives_its_lease_up_and_says_when_it_starts_again(
    store: Store, monkeypatch: pytest.MonkeyPatch, short_runs: int, waits: bool
) -> None:
    cookie = CredentialSet(Secret("token=x"), Secret("key"))
    monkeypatch.setattr(credentials, "load_credentials", lambda *_: cookie)
    policy = RestartPolicy(max_memory_bytes=1, short_runs=short_runs)

    async def story() -> None:
        with pytest.raises(MemoryExceeded) as ended:
            await engine_main.run_engine(
                demo_profile(URL), Settings(), store.folder, with_parent=False, policy=policy
            )
        assert ended.value.next_run == RestartPolicy(1, short_runs + 1)
        lease = await try_acquire(store)
        assert lease is not None, "it was given up"
        lease.unlock_file()

    run(story)
    health = clients.health(store.reading)
    assert health.state is Connection.STOPPED
    assert (health.reason == TOO_MUCH_MEMORY) is (health.retry_at is not None) is waits


@pytest.mark.slow
def test_the_process_starts_again_as_a_new_program_with_the_same_id(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "TZ": "UTC"}
    account = {"FRONTDESK_BASE_URL": URL, "FRONTDESK_COOKIE": "token=x", "FRONTDESK_API_KEY": "key"}
    folder = tmp_path / "store"
    command = [sys.executable, "-m", "frontdesk.engine.main", "--with-parent", "--store", str(folder)]
    with subprocess.Popen(
        [*command, "--max-memory-bytes=1"], env=home | account, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None

        def waits() -> bool:
            if not (folder / "store.db").exists():
                return False
            with Store(folder) as store:
                return clients.health(store.reading).retry_at is not None

        wait("it waits for its third run", waits)
        assert process.poll() is None, "it waits, after a second short run"
        command_line = Path(f"/proc/{process.pid}/cmdline")
        if command_line.exists():
            wait("it has started again", lambda: command_line.read_bytes().count(b"--short-runs=2") == 1)
            assert command_line.read_bytes().count(b"--short-runs") == 1
        process.stdin.close()
        assert process.wait(timeout=30) == 0, "while it waits it ends with whoever started it"

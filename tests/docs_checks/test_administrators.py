"""What docs/administrators.md tells to type works: backup and restore of an open store, the service's unit."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from frontdesk.outbox import queue
from frontdesk.storage.database import Store

from .pages import DOCS, code_blocks, section

PAGE = DOCS / "administrators.md"
FOLDER = Path(".local/share/frontdesk/profiles/acme")
DRAFT, KEY = "search", "half typed"

pytestmark = pytest.mark.slow


def run(script: str, home: Path) -> None:
    environ = {"HOME": str(home), "PATH": os.environ["PATH"]}
    subprocess.run(["sh", "-e", "-c", script], env=environ, check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="SQLite's shell isn't installed")
def test_a_backup_of_an_open_store_has_what_is_in_its_log_alone_and_can_be_restored(tmp_path: Path) -> None:
    backup, restore = code_blocks(section(PAGE, "Back up and restore"))
    folder = tmp_path / FOLDER
    with Store(folder) as store:
        store.write(lambda db: queue.keep(db, DRAFT, KEY, "a text", 1.0)).result()
        shutil.copy(folder / "outbox.db", tmp_path / "copied.db")
        run(backup, tmp_path)
        store.write(lambda db: queue.keep(db, DRAFT, KEY, "a later text", 2.0)).result()
    assert (tmp_path / "outbox-backup.db").stat().st_mode & 0o777 == 0o600
    assert b"a text" not in (tmp_path / "copied.db").read_bytes()
    run(restore.replace("frontdesk --read-only outbox list", "true"), tmp_path)
    with Store(folder) as store:
        assert queue.kept(store.reading, DRAFT, KEY) == "a text"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd isn't installed")
def test_the_unit_of_the_service_is_one(tmp_path: Path) -> None:
    [unit] = [each for each in code_blocks(section(PAGE, "Keep it running")) if "[Service]" in each]
    path = tmp_path / "frontdesk-sync.service"
    path.write_text(unit.replace("/usr/local/bin/frontdesk", "/bin/true"), encoding="utf-8")
    environ = {"PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path)}
    checked = subprocess.run(
        ["systemd-analyze", "--user", "verify", str(path)],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (checked.returncode, checked.stderr) == (0, "")

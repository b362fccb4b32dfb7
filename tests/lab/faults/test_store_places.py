"""What may stand beside the stores, and in the place of the locks, when a profile or the demo is opened."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from frontdesk.app import run_demo
from frontdesk.config.file_access import NotRegularFile
from frontdesk.demo.sandbox_process import DemoBusy, DemoSandbox
from frontdesk.engine import main as engine_main
from frontdesk.storage.database_files import (
    LEADER_LOCK,
    OUTBOX_FILE,
    STORE_FILE,
    StoreUnusable,
    prepare,
    unsent_elsewhere,
)
from frontdesk.tasks import store as task_store
from frontdesk_sandbox.options import SandboxCannotStart
from frontdesk_sandbox.storage import Storage
from lab.faults.replaced_files import BESIDE, GARBAGE, LOCKS, NO_FILES, make_dangling_link, replace
from new_store import open_store

DEMO_LOCKS = ("demo.lock", "demo-sandbox.lock")
DEMO_FILES = tuple(f"demo/sandbox/{name}" for name in ("sandbox.log", "sandbox.db", "sandbox.db-wal"))


@pytest.fixture(params=NO_FILES)
def replaced(request: pytest.FixtureRequest) -> Callable[[Path], None]:
    return NO_FILES[request.param]


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """A closed store with one task."""
    with open_store(tmp_path) as store:
        store.write(lambda db: task_store.put(db, [{"taskId": "t1", "title": "Kept"}])).result()
    return tmp_path


@pytest.mark.parametrize("name", [*BESIDE, *LOCKS])
def test_what_is_no_file_in_the_store_is_named(profile: Path, replaced: Callable[[Path], None], name: str) -> None:
    sentence = replace(profile / name, replaced)
    with pytest.raises(StoreUnusable) as caught:
        prepare(profile)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("name", [*BESIDE, *LOCKS])
def test_garbage_beside_the_store_costs_nothing(profile: Path, name: str) -> None:
    (profile / name).write_bytes(GARBAGE)
    with open_store(profile) as store:
        assert task_store.raw_task(store.reading, "t1") is not None
        store.write(lambda db: task_store.put(db, [{"taskId": "t2", "title": "New"}])).result()
    with open_store(profile) as store:
        assert task_store.raw_task(store.reading, "t2") is not None


@pytest.mark.parametrize("name", [LEADER_LOCK, STORE_FILE, f"{OUTBOX_FILE}-wal"])
def test_an_engine_ends_with_the_sentence(
    profile: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.setenv("HOME", str(profile / "home"))
    monkeypatch.setenv("FRONTDESK_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setattr(engine_main, "_log_to_file", lambda folder: None)
    sentence = replace(profile / name, Path.mkdir)
    assert engine_main.main(["--store", str(profile)]) == 2
    assert capsys.readouterr().err == f"frontdesk: {sentence}\n"


def test_a_pipe_in_another_profile_keeps_nobody_waiting(profile: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    os.mkfifo(other / OUTBOX_FILE)
    assert unsent_elsewhere(tmp_path / "-") == []


@pytest.mark.parametrize("name", [*DEMO_LOCKS, *DEMO_FILES])
def test_a_replaced_file_of_the_demo_is_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    replaced: Callable[[Path], None],
    name: str,
) -> None:
    monkeypatch.setattr(run_demo, "data_root", lambda: tmp_path)
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    sentence = replace(tmp_path / name, replaced)
    assert run_demo.run_demo([], len) == 2
    assert capsys.readouterr().err == f"frontdesk: {sentence}\n"
    if (other := (tmp_path / name).with_name("other file")).exists():
        assert other.read_bytes() == GARBAGE


def test_a_folder_in_the_place_of_the_demos_pipe_is_named(tmp_path: Path) -> None:
    (tmp_path / "demo.pipe").mkdir()
    with pytest.raises(NotRegularFile):
        DemoSandbox(tmp_path)
    assert (tmp_path / "demo.pipe").is_dir()


def test_the_demo_starts_over_garbage(tmp_path: Path) -> None:
    for name in DEMO_LOCKS:
        (tmp_path / name).write_bytes(GARBAGE)
    make_dangling_link(tmp_path / "demo.pipe")
    sandbox = DemoSandbox(tmp_path)
    port = int(sandbox.address.rpartition(":")[2])
    sandbox.leave()
    assert (tmp_path / "demo-sandbox.lock").read_text() == str(port)


PORTS = (b"", b"0", b"65536", b"-1", b"9" * 5000, "٣٤".encode(), GARBAGE)


def test_a_terminal_joins_no_port_that_is_none(tmp_path: Path) -> None:
    first = DemoSandbox(tmp_path)
    try:
        for content in PORTS:
            (tmp_path / "demo-sandbox.lock").write_bytes(content)
            with pytest.raises(DemoBusy, match="close it there first"):
                DemoSandbox(tmp_path)
    finally:
        first.leave()


def test_a_port_that_another_program_has_taken_is_named(tmp_path: Path) -> None:
    first = DemoSandbox(tmp_path)
    try:
        assert first._process is not None
        first._process.kill()
        first._process.wait()
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
            (tmp_path / "demo-sandbox.lock").write_text(str(port))
            with pytest.raises(DemoBusy, match=f"the demo's port {port} is taken; close the demo in the other"):
                DemoSandbox(tmp_path)
    finally:
        first.leave()


@pytest.mark.parametrize("name", ["sandbox.db", "sandbox.db-wal"])
@pytest.mark.parametrize("how", ["pipe", "folder"])
def test_a_sandbox_names_what_is_no_file(tmp_path: Path, name: str, how: str) -> None:
    sentence = replace(tmp_path / name, NO_FILES[how])
    with pytest.raises(SandboxCannotStart) as caught:
        Storage.open(tmp_path).close()
    assert str(caught.value) == sentence

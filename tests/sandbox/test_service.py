"""The service as a process of its own: how it starts, is cut, is killed, and ends."""

import itertools
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import httpx
import pytest

from frontdesk_sandbox.__main__ import main
from sandbox.asking import ACCOUNT
from sandbox.serving import ARGUMENTS, Forked, Process


@pytest.fixture
def folder(seeded: Path, tmp_path: Path) -> Path:
    return Path(copytree(seeded, tmp_path / "data"))


FORKED = pytest.mark.xdist_group("forked services")
"""On one worker, whose server for forks imports everything once."""


def start(folder: Path, **options: Any) -> Forked:
    """Start a service without the command line's own start, which takes longer than most tests."""
    return Forked(folder.parent / "errors", data=folder, crowd=False, **options)


@pytest.fixture
def service(folder: Path) -> Iterator[Process]:
    process = Process("--data", str(folder), "--no-crowd")
    yield process
    process.end()


@pytest.mark.rules("203")
def test_says_one_line_and_ends_cleanly_without_waiting_for_anybody(folder: Path) -> None:
    """Before, it serves what no sandbox in this process shows: paths on the wire, and broken connections."""
    process = Process("--data", str(folder))
    assert process.line == f"sandbox ready at {process.url}\n"
    with httpx.Client(base_url=process.url, headers=ACCOUNT) as client:
        assert client.post("/workflows/returns%2Fv2/analytics/reset").json()["id"] == "returns/v2"
        for kind in ("drop", "truncate"):
            client.put("/sandbox/faults", json=[{"path": "^/tasks", "kind": kind}])
            with pytest.raises(httpx.RemoteProtocolError):
                client.post("/tasks/list", json={})
        client.put("/sandbox/faults", json=[])
        assert client.post("/tasks/list", json={}).is_success
        # The connection stays open, and somebody else's answer would come in an hour.
        client.put("/sandbox/faults", json=[{"path": "^/tasks", "kind": "delay", "seconds": 3600, "times": 1}])
        host, port = process.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as waiting:
            waiting.sendall(b"GET /tasks/x HTTP/1.1\r\nHost: localhost:%d\r\n\r\n" % int(port))
            while client.get("/sandbox/faults").json()[0]["times"] != 0:
                pass
            assert process.end(signal.SIGINT) == (0, "", "")


@pytest.mark.slow
@FORKED
@pytest.mark.rules("235")
def test_what_was_answered_survives_a_kill(folder: Path) -> None:
    first = start(folder)
    task = httpx.post(f"{first.url}/sandbox/tasks", json={"title": "Kept"}).json()
    changed = httpx.patch(f"{first.url}/tasks/{task['taskId']}", json={"title": "Changed"}, headers=ACCOUNT).json()
    first.end(signal.SIGKILL)
    second = start(folder)
    assert httpx.get(f"{second.url}/tasks/{task['taskId']}", headers=ACCOUNT).json() == changed
    assert second.end() == (0, "")


@FORKED
def test_virtual_time_does_not_run_backwards_over_a_kill(folder: Path) -> None:
    """docs/interface.md, Crowd; though it is kept only now and then, and runs faster than real time."""
    seen = 0
    for _ in range(2):
        process = start(folder, speed=1000.0)
        first = now = httpx.get(f"{process.url}/sandbox/health").json()["now"]
        assert first >= seen
        while now < first + 60_000:
            now = httpx.get(f"{process.url}/sandbox/health").json()["now"]
        seen = now
        process.end(signal.SIGKILL)


@FORKED
@pytest.mark.rules("235")
@pytest.mark.parametrize("answers", [1, 40])
def test_a_kill_in_mid_write_leaves_the_old_row_or_the_new(folder: Path, answers: int) -> None:
    """Killed while one write after another is under way: what was answered is there, and nothing is half."""
    first = start(folder)
    task = httpx.post(f"{first.url}/sandbox/tasks", json={"title": "0", "body": "0"}).json()
    answered: list[int] = []
    enough = threading.Event()

    def write() -> None:
        with httpx.Client(base_url=first.url, headers=ACCOUNT) as client:
            for number in itertools.count(1):
                # Large, so that a kill has something to fall into.
                patch = {"title": str(number), "body": str(number) * 20_000}
                try:
                    assert client.patch(f"/tasks/{task['taskId']}", json=patch).is_success
                except httpx.HTTPError:
                    return
                answered.append(number)
                if number == answers:
                    enough.set()

    writer = threading.Thread(target=write)
    writer.start()
    assert enough.wait(60)
    first.end(signal.SIGKILL)
    writer.join(60)
    second = start(folder)
    after = httpx.get(f"{second.url}/tasks/{task['taskId']}", headers=ACCOUNT).json()["task"]
    assert second.end() == (0, "")
    assert int(after["title"]) - answered[-1] in (0, 1)
    assert after["body"] == after["title"] * 20_000
    assert after["unreadCount"] == int(after["title"])


@pytest.mark.slow
def test_a_second_one_on_the_same_folder_or_port_is_told(service: Process, folder: Path, tmp_path: Path) -> None:
    port = service.url.rpartition(":")[2]
    for options in (["--data", str(folder)], ["--port", port, "--data", str(tmp_path / "other")]):
        refused = subprocess.run([*ARGUMENTS, *options], capture_output=True, text=True, check=False)
        assert refused.returncode == 2
        assert refused.stdout == ""
        assert refused.stderr.startswith("frontdesk: ")
        assert len(refused.stderr.splitlines()) == 1


@pytest.mark.parametrize("speed", ["inf", "nan", "1e308", "0", "-1", "fast"])
def test_a_speed_that_no_clock_can_follow_is_refused(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, speed: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--port", "0", "--data", str(tmp_path / "data"), "--speed", speed])
    assert ended.value.code == 2
    assert "speed" in capfd.readouterr().err
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("how", ["the parent goes", "it is told to end"])
def test_a_service_with_a_parent_serves_on_its_socket_and_ends_cleanly_and_silently(
    folder: Path, how: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        number = listening.fileno()
        options = ("--with-parent", "--listen-fd", str(number), "--data", str(folder), "--no-crowd")
        process = Process(*options, pass_fds=(number,), stdin=subprocess.PIPE)
        assert process.url.endswith(f":{listening.getsockname()[1]}")
        assert httpx.get(f"{process.url}/sandbox/health").json()["status"] == "ok"
        assert process.end(None if how == "the parent goes" else signal.SIGTERM) == (0, "", "")

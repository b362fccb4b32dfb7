"""Connections that say nothing more are closed."""

import queue
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest

from frontdesk_sandbox import connections, service
from frontdesk_sandbox.options import SandboxOptions


@pytest.fixture
def address(seeded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """A service that waits a fifth of a second, on a thread."""
    monkeypatch.setattr(connections, "MAX_SILENT_SECONDS", 0.2)
    options = SandboxOptions(port=0, data=Path(copytree(seeded, tmp_path / "data")), crowd=False)
    announced: queue.Queue[str] = queue.Queue()
    stop = threading.Event()
    thread = threading.Thread(target=service.run, args=(options, announced.put, stop))
    thread.start()
    host, port = announced.get(timeout=30).removeprefix("http://").split(":")
    yield host, int(port)
    stop.set()
    thread.join()


HEAD = b"POST /tasks/list HTTP/1.1\r\nHost: localhost\r\n"


BEGUN = {"nothing": b"", "a word": b"PO", "headers": HEAD, "a body": HEAD + b"Content-Length: 9\r\n\r\n{"}


@pytest.mark.parametrize("begun", BEGUN.values(), ids=BEGUN)
def test_half_a_request_is_not_waited_for_for_good(address: tuple[str, int], begun: bytes) -> None:
    with socket.create_connection(address, timeout=30) as connection:
        connection.sendall(begun)
        assert is_closed(connection)


def test_headers_that_trickle_in_gain_no_time(address: tuple[str, int]) -> None:
    with socket.create_connection(address, timeout=0.02) as connection:
        connection.sendall(HEAD)
        assert any(is_closed(connection, b"A: b\r\n") for _ in range(500))


def is_closed(connection: socket.socket, more: bytes = b"") -> bool:
    """Send more, and wait until the other side closes or the time of the socket is over."""
    try:
        connection.sendall(more)
        return connection.recv(1) == b""
    except TimeoutError:
        return False
    except ConnectionError:
        return True

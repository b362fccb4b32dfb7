"""What `frontdesk web` starts in each tab, and what it refuses."""

import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from cli.commandline import Frontdesk
from frontdesk.app import run_web as command


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, list[str], dict[str, str]]]:
    """The port, the arguments of each tab and its variables of what would have been served."""
    found: list[tuple[int, list[str], dict[str, str]]] = []

    async def serve(port: int, arguments: Sequence[str], origin: str) -> int:
        passed = {
            name: value
            for name, value in os.environ.items()
            if name in ("FRONTDESK_PROFILE", "FRONTDESK_READ_ONLY")
        }
        found.append((port, list(arguments), passed))
        return 0

    monkeypatch.setattr(command, "_serve", serve)
    return found


def test_the_options_before_it_are_those_of_each_tab(
    nowhere: Frontdesk, started: list[tuple[int, list[str], dict[str, str]]]
) -> None:
    config = Path(nowhere.environ["XDG_CONFIG_HOME"]) / "frontdesk" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[profiles.work]\nbase_url = "https://platform.example"\n')
    assert nowhere("web").status == 0
    assert nowhere("--profile", "work", "--read-only", "web", "--port", "8400").status == 0
    assert nowhere("--privacy", "web", "--demo").status == 0
    assert started == [
        (0, [], {}),
        (8400, [], {"FRONTDESK_PROFILE": "work", "FRONTDESK_READ_ONLY": "1"}),
        (0, ["--privacy", "demo"], {}),
    ]


def test_a_profile_that_does_not_exist_is_refused_before_any_tab(
    nowhere: Frontdesk, started: list[tuple[int, list[str], dict[str, str]]]
) -> None:
    assert "no profile named 'wrok'" in nowhere.fails(2, "--profile", "wrok", "web")
    assert started == []


def test_the_board_needs_a_store_and_a_public_url_is_an_origin(
    nowhere: Frontdesk, started: list[tuple[int, list[str], dict[str, str]]]
) -> None:
    assert "run `frontdesk --profile demo web --board`" in nowhere.fails(2, "web", "--board", "--demo")
    assert "no profile" in nowhere("web", "--board").err
    for url in (
        "http://desk.example.com",
        "desk.example.com",
        "https://desk.example.com/board",
        "https://a@b",
        "https://",
    ):
        assert "--public-url: write the address" in nowhere.fails(2, "web", "--public-url", url)
    assert started == []


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Desk.Example.com/", "https://desk.example.com"),
        ("https://desk.example.com:443", "https://desk.example.com"),
        (" https://desk.example.com:8443 ", "https://desk.example.com:8443"),
        ("https://büro.example", "https://xn--bro-hoa.example"),
        ("https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443"),
    ],
)
def test_a_public_url_is_written_as_browsers_write_an_origin(url: str, origin: str) -> None:
    assert command.public_origin(url) == origin


def test_without_its_packages_it_names_the_line_that_brings_them(
    nowhere: Frontdesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "find_spec", lambda _: None)
    ran = nowhere("web")
    assert ran.status == 2
    assert "browser support isn't installed; run: " in ran.err
    assert "'frontdesk[web]'" in ran.err


BAD_REQUESTS = {
    "no http": b"\x16\x03\x01\x02\0\x01\0\r\n\r\n",
    "a header that isn't ASCII": b"GET / HTTP/1.1\r\nHost: HOST\r\nX: \xff\r\n\r\n",
    "a name that isn't ASCII": b"GET / HTTP/1.1\r\nHost: HOST\r\nX\xff: x\r\n\r\n",
    "a token that isn't ASCII": b"GET /screen HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\n"
    b"Sec-WebSocket-Protocol: \xff\r\n\r\n",
    "NUL": b"GET / HTTP/1.1\r\nHost: HOST\r\nX: \0\r\n\r\n",
    "overlong": b"GET / HTTP/1.1\r\nHost: HOST\r\nX: " + b"x" * 9_000 + b"\r\n\r\n",
    "many": b"GET / HTTP/1.1\r\nHost: HOST\r\n" + b"X: x\r\n" * 999 + b"\r\n",
    "an address": b"GET http://[::1 HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "two hosts": b"GET / HTTP/1.1\r\nHost: HOST\r\nHost: HOST\r\n\r\n",
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere 127.0.0.2 is no address")
def test_it_listens_on_one_address_and_bad_requests_are_a_400_and_no_line_on_the_terminal(
    nowhere: Frontdesk,
) -> None:
    command = [sys.executable, "-m", "frontdesk", "web", "--demo"]
    with subprocess.Popen(
        command, env=nowhere.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=allow_few_files
    ) as running:
        try:
            assert running.stdout is not None
            host, _, port = (
                running.stdout.readline().decode().partition("http://")[2].partition("/#")[0].partition(":")
            )
            assert host == "127.0.0.1"
            for other in ("127.0.0.2", "::1"):
                with pytest.raises(OSError, match=r"refused|assign"):
                    socket.create_connection((other, int(port)))
            idle = [socket.create_connection((host, int(port))) for _ in range(300)]
            for name, request in BAD_REQUESTS.items():
                with socket.create_connection((host, int(port))) as connection:
                    connection.sendall(request.replace(b"HOST", f"{host}:{port}".encode()))
                    assert b" 400 Bad Request\r\n" in connection.recv(99), name
            for each in idle:
                each.close()
            running.send_signal(signal.SIGTERM)
            assert running.communicate() == (b"", b"")
            assert running.returncode == 0
        finally:
            running.kill()


def allow_few_files() -> None:
    """Leave the server fewer files than it is sent connections."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))


def test_a_port_that_is_taken_is_refused_in_a_sentence(nowhere: Frontdesk) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = nowhere("web", "--port", str(port))
    assert ran.status == 2
    assert f"port {port} can't be used (Address already in use); choose another one with --port" in ran.err

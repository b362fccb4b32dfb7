"""Over a real socket: what stands on the wire, and what a broken connection means."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from api.client.fake_server import CREDENTIALS
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import Ambiguous, NotSent
from frontdesk_api.client.transport import ONCE
from frontdesk_api.contract.tasks import TaskUpdate
from frontdesk_api.hosts import Hosts

TASK = b'{"task":{"taskId":"t1"}}'
DONE = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(TASK), TASK)


class Wire:
    """A server that sends the given bytes for each request, and closes when told to."""

    def __init__(self, answer: bytes, *, closes: bool = False) -> None:
        self.answer = answer
        self.closes = closes
        self.connections = 0
        self.heads: list[str] = []

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                self.heads.append(head)
                for line in head.lower().splitlines():
                    if line.startswith("content-length:"):
                        await reader.readexactly(int(line.partition(":")[2]))
                writer.write(self.answer)
                await writer.drain()
                if self.closes:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def ask(self, work: Callable[[PlatformClient], Awaitable[Any]]) -> Any:
        async def run() -> Any:
            server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
            port = server.sockets[0].getsockname()[1]
            hosts = Hosts(f"http://127.0.0.1:{port}")
            try:
                async with PlatformClient(hosts, CREDENTIALS, retry=ONCE) as client:
                    return await work(client)
            finally:
                server.close()

        return asyncio.run(run())


def change(client: PlatformClient) -> Any:
    return client.update_task("t1", TaskUpdate(title="x"))


@pytest.mark.rules("204")
def test_the_request_line_holds_percent_23_and_the_headers_once() -> None:
    wire = Wire(b'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"success"')
    wire.ask(lambda client: client.assign_tags("972#1/ü", ["t"]))
    head = wire.heads[0]
    assert head.startswith("POST /conversations/972%231%2F%C3%BC/tags HTTP/1.1\r\n")
    assert head.lower().count("\r\ncookie: token=canary-cookie\r\n") == 1
    assert head.lower().count("\r\nx-api-key: canary-key\r\n") == 1
    assert "authorization" not in head.lower()


def test_writes_never_ride_on_a_kept_connection_and_reads_do() -> None:
    async def thrice(one: Callable[[], Awaitable[Any]]) -> None:
        for _ in range(3):
            await one()

    writing, reading = Wire(DONE), Wire(DONE)
    writing.ask(lambda client: thrice(lambda: change(client)))
    reading.ask(lambda client: thrice(lambda: client.get_task("t1")))
    assert (writing.connections, reading.connections) == (3, 1)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\n",
        b"garbage\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_a_write_whose_answer_breaks_off_is_ambiguous(answer: bytes) -> None:
    with pytest.raises(Ambiguous):
        Wire(answer, closes=True).ask(change)


@pytest.mark.parametrize("is_write", [True, False])
def test_interim_responses_without_end_are_bounded_by_the_deadline(
    monkeypatch: pytest.MonkeyPatch, *, is_write: bool
) -> None:
    monkeypatch.setattr("frontdesk_api.client.client.READ_SECONDS", 0.2)
    interim = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n"

    async def never_finish(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            while True:
                writer.write(interim * 20)
                await writer.drain()
        writer.close()

    async def run() -> None:
        server = await asyncio.start_server(never_finish, "127.0.0.1", 0)
        hosts = Hosts(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        try:
            async with PlatformClient(hosts, CREDENTIALS, retry=ONCE, write_seconds=0.2) as client:
                await (change(client) if is_write else client.get_task("t1"))
        finally:
            server.close()

    with pytest.raises(Ambiguous, match="no complete response within"):
        asyncio.run(run())


def ask_server(
    respond: Callable[[asyncio.StreamWriter], Awaitable[None]], request: Callable[[PlatformClient], Awaitable[Any]]
) -> None:
    """Send a request to a server that writes this once it has read the head."""

    answered = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            await respond(writer)
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()
        answered.set()

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        hosts = Hosts(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        try:
            async with PlatformClient(hosts, CREDENTIALS, retry=ONCE) as client:
                await request(client)
        finally:
            server.close()
            await answered.wait()

    asyncio.run(run())


def test_a_read_waits_for_the_head_of_its_reply_no_longer_when_interim_responses_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("frontdesk_api.client.transport.HEADERS_SECONDS", 0.1)

    async def never_finish(writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 20)
            await writer.drain()
            await asyncio.sleep(0.01)

    with pytest.raises(Ambiguous, match="didn't respond in time"):
        ask_server(never_finish, lambda client: client.get_task("t1"))


@pytest.mark.parametrize(("length", "is_given_up"), [(1_000_000, True), (60, False)])
def test_a_body_that_can_not_be_complete_in_time_is_given_up_early(
    monkeypatch: pytest.MonkeyPatch, length: int, *, is_given_up: bool
) -> None:
    monkeypatch.setattr("frontdesk_api.client.transport.PACE_SECONDS", 0.1)
    body = TASK.ljust(length)

    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n".encode())
        for byte in body:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.005)

    given_up = pytest.raises(Ambiguous, match="responds too slowly")
    with given_up if is_given_up else contextlib.nullcontext():
        ask_server(drip, lambda client: client.get_task("t1"))


def test_a_refused_connection_is_not_sent() -> None:
    async def run() -> None:
        hosts = Hosts("http://127.0.0.1:1")
        async with PlatformClient(hosts, CREDENTIALS, retry=ONCE) as client:
            await change(client)

    with pytest.raises(NotSent):
        asyncio.run(run())


def test_a_host_that_speaks_no_tls_is_not_sent_to() -> None:
    async def answer_plainly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async def run() -> None:
        server = await asyncio.start_server(answer_plainly, "127.0.0.1", 0)
        hosts = Hosts(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        try:
            async with PlatformClient(hosts, CREDENTIALS, retry=ONCE) as client:
                await change(client)
        finally:
            server.close()

    with pytest.raises(NotSent):
        asyncio.run(run())

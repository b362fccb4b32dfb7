"""Servers that aren't the team's PostgreSQL, and a line to the real one that can be cut."""

import asyncio
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import trustme

from frontdesk.config.team import RelayAddress

AUTHORITY = trustme.CA()

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def fake_server(
    answer: Answer, is_local: bool = True, ca_file: str | None = None
) -> AsyncIterator[RelayAddress]:
    """Serve connections of TCP with `answer`, at an address that counts as local or not."""

    served: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.append(writer)
        with suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            await answer(reader, writer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield RelayAddress("127.0.0.1", server.sockets[0].getsockname()[1], "noa", "f", is_local, ca_file)
    finally:
        for writer in served:
            writer.transport.abort()
        server.close()
        await server.wait_closed()


async def read_startup(reader: asyncio.StreamReader) -> bytes:
    """Read a message without a type: a request for TLS or the parameters of a session."""
    [length] = struct.unpack("!i", await reader.readexactly(4))
    return await reader.readexactly(length - 4)


def message(kind: bytes, content: bytes) -> bytes:
    return kind + struct.pack("!i", len(content) + 4) + content


async def refuse_tls(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await read_startup(reader)
    writer.write(b"N")
    await reader.read()


async def offer_tls(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await read_startup(reader)
    writer.write(b"S")
    await writer.drain()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    AUTHORITY.issue_cert("relay.test").configure_cert(context)
    transport = writer.transport
    try:
        await writer.start_tls(context)
        await reader.read()
    finally:
        if (
            writer.transport is None
        ):  # Python 3.11 forgets it where the handshake fails, and stumbles over that later
            writer._transport = transport


async def be_old(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Greet as PostgreSQL 13."""
    await read_startup(reader)
    for name, value in (("server_version", "13.9"), ("client_encoding", "UTF8")):
        writer.write(message(b"S", f"{name}\0{value}\0".encode()))
    writer.write(message(b"R", struct.pack("!i", 0)) + message(b"K", bytes(8)) + message(b"Z", b"I"))
    await reader.read()


async def be_silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()


async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(1)


async def be_a_web_server(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(1)
    writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    await reader.read()


@asynccontextmanager
async def cuttable(address: RelayAddress) -> AsyncIterator[tuple[RelayAddress, Callable[[], None]]]:
    """Pass connections on to a server's socket; the function cuts them all, and no new one comes through."""
    writers: list[asyncio.StreamWriter] = []
    is_cut = False

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65_536):
                writer.write(data)
        writer.close()

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if is_cut:
            writer.close()
            return
        far_reader, far_writer = await asyncio.open_unix_connection(f"{address.host}/.s.PGSQL.{address.port}")
        writers.extend((writer, far_writer))
        await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer))

    def cut() -> None:
        nonlocal is_cut
        is_cut = True
        for writer in writers:
            writer.transport.abort()

    server = await asyncio.start_server(connect, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        yield RelayAddress("127.0.0.1", port, address.user, address.database, is_local=True), cut
        cut()

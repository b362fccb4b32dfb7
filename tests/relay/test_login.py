"""Logging in: only SCRAM is answered, and at a socket only a server of oneself, root or postgres."""

import asyncio
import os
import socket
import struct
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from hashlib import md5
from pathlib import Path

import pytest

from frontdesk.config.team import RelayAddress
from frontdesk.relay import scram
from frontdesk.relay.connection import RelayError, RelayRefused, connect
from postgres_server import PASSWORD, Team

from .fake_servers import be_old, fake_server, message, read_startup

pytestmark = pytest.mark.anyio

OK, CLEAR_TEXT, MD5, GSS, SASL, CONTINUE, FINAL = 0, 3, 5, 7, 10, 11, 12
SALT = b"salt"
NOBODY = 65_534


def asks(status: int, content: bytes = b"") -> bytes:
    return message(b"R", struct.pack("!I", status) + content)


SCRAM = asks(SASL, b"SCRAM-SHA-256\0\0")
READY = message(b"S", b"server_version\x0015.0\0") + message(b"K", bytes(8)) + message(b"Z", b"I")


@asynccontextmanager
async def server_that_says(*parts: bytes) -> AsyncIterator[tuple[RelayAddress, bytearray]]:
    """Say one part after each message of the client; what it sends is kept."""
    heard = bytearray()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.extend(await read_startup(reader))
        for part in parts:
            nonce = heard.rpartition(b",r=")[2]
            writer.write(part.replace(b"NONCE", bytes(nonce)) if b"NONCE" not in part else _with(part, nonce))
            heard.extend(await reader.read(10_000))
        await reader.read()

    async with fake_server(answer) as address:
        yield address, heard


def _with(part: bytes, nonce: bytes) -> bytes:
    """Fill the client's nonce into a message, whose length changes with it."""
    content = part[5:].replace(b"NONCE", nonce)
    return message(part[:1], content)


def challenge(iterations: int) -> bytes:
    return asks(CONTINUE, b"r=NONCEx,s=c2FsdA==,i=%d" % iterations)


def assert_silent(heard: bytes) -> None:
    """Assert that nothing was sent from which the password could be read or used again."""
    inner = md5(f"{PASSWORD}noa".encode()).hexdigest()
    for each in (PASSWORD, inner, md5(inner.encode() + SALT).hexdigest()):
        assert each.encode() not in heard
    assert b"p\0\0\0" not in heard or b"SCRAM-SHA-256" in heard


@pytest.mark.parametrize(
    "parts",
    [
        [asks(CLEAR_TEXT)],
        [asks(MD5, SALT)],
        [asks(GSS)],
        [asks(SASL, b"PLAIN\0\0")],
        [SCRAM, asks(CLEAR_TEXT)],
        [SCRAM, challenge(1), asks(MD5, SALT)],
        [asks(OK) + asks(CLEAR_TEXT)],
        [message(b"N", b"SNOTICE\0\0") + asks(CLEAR_TEXT)],
        [message(b"R", b"")],
        [b"R\0\0\0\0" + struct.pack("!I", CLEAR_TEXT)],
    ],
    ids=str,
)
async def test_a_password_is_answered_with_scram_alone(parts: Sequence[bytes]) -> None:
    async with server_that_says(*parts) as (address, heard):
        with pytest.raises(RelayError) as refused:
            await connect(address, PASSWORD)
    assert_silent(heard)
    if parts != [message(b"R", b"")] and b"PLAIN" not in parts[0]:
        assert "doesn't ask for the password by SCRAM, and it wasn't sent" in str(refused.value)
        assert "scram-sha-256 in its pg_hba.conf" in str(refused.value)
        assert isinstance(refused.value, RelayRefused)


@pytest.mark.parametrize("split", [1, 4, 7])
async def test_a_question_that_comes_in_pieces_is_seen(split: int) -> None:
    heard = bytearray()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.extend(await read_startup(reader))
        for piece in (asks(CLEAR_TEXT)[:split], asks(CLEAR_TEXT)[split:]):
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)
        heard.extend(await reader.read())

    async with fake_server(answer) as address:
        with pytest.raises(RelayRefused, match="wasn't sent"):
            await connect(address, PASSWORD)
    assert_silent(heard)


async def test_a_server_that_does_not_prove_to_know_the_password_is_refused() -> None:
    async with server_that_says(SCRAM, challenge(1), asks(OK) + READY) as (address, _):
        with pytest.raises(RelayRefused, match="doesn't ask for the password by SCRAM"):
            await connect(address, PASSWORD)


async def test_a_challenge_that_takes_long_is_not_computed() -> None:
    async with server_that_says(SCRAM, challenge(9_000_000)) as (address, heard):
        with pytest.raises(RelayRefused, match="doesn't ask for the password by SCRAM"):
            await connect(address, PASSWORD)
    assert b"c=biws" not in heard


async def test_it_is_known_whether_the_server_asked(team: Team) -> None:
    connection = await connect(team.add("noa"), PASSWORD)
    assert connection.was_asked_for_password
    await connection.close()
    connection = await connect(team.address("postgres"), "")
    assert not connection.was_asked_for_password
    await connection.close()


async def test_what_an_old_server_says_is_read_as_before() -> None:
    async with fake_server(be_old) as address:
        with pytest.raises(RelayRefused, match="needs 14 or newer"):
            await connect(address, PASSWORD)


# Sockets


@asynccontextmanager
async def socket_of(uid: int, folder: Path) -> AsyncIterator[tuple[RelayAddress, bytearray]]:
    """A server in clear text at a socket on which another user listens."""
    heard, closed = bytearray(), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.extend(await read_startup(reader))
        writer.write(asks(CLEAR_TEXT))
        with suppress(ConnectionError):
            heard.extend(await reader.read())
        writer.close()
        closed.set()

    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(folder / ".s.PGSQL.5432"))
    os.seteuid(uid)  # who listens counts
    try:
        server = await asyncio.start_unix_server(serve, sock=listening)
    finally:
        os.seteuid(os.getuid())
    async with server:
        yield RelayAddress(str(folder), 5432, "noa", "f", is_local=True), heard
        await closed.wait()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be somebody else")
async def test_another_users_server_at_a_socket_is_refused(tmp_path: Path) -> None:
    async with socket_of(NOBODY, tmp_path) as (address, heard):
        with pytest.raises(RelayRefused) as refused:
            await connect(address, PASSWORD)
    assert f"is served by another user of this machine (uid {NOBODY}), and the password wasn't sent" in str(
        refused.value
    )
    assert_silent(heard)


async def test_ones_own_server_at_a_socket_is_asked(tmp_path: Path) -> None:
    async with socket_of(os.geteuid(), tmp_path) as (address, _):
        with pytest.raises(RelayRefused, match="doesn't ask for the password by SCRAM"):
            await connect(address, PASSWORD)


async def test_where_the_system_does_not_say_who_listens_the_file_does(
    team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = team.add("noa")
    monkeypatch.delattr(socket, "SO_PEERCRED")
    await (await connect(address, PASSWORD)).close()
    monkeypatch.setattr(scram, "SERVER_USERS", ())
    monkeypatch.setattr(os, "geteuid", lambda: NOBODY)
    with pytest.raises(RelayRefused, match="another user of this machine"):
        await connect(address, PASSWORD)


async def test_without_a_host_the_environment_names_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with server_that_says(asks(CLEAR_TEXT)) as (other, heard):
        monkeypatch.setenv("PGHOST", "127.0.0.1")
        monkeypatch.setattr("frontdesk.relay.connection.SOCKET_FOLDERS", (str(tmp_path),))
        with pytest.raises(RelayError, match="can't be reached"):
            await connect(other._replace(host=""), PASSWORD)
    assert heard == b""

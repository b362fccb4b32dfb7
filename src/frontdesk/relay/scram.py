"""asyncpg's login with SCRAM alone, to a server that may be trusted with it.

A password in clear text or as MD5 can be read by whatever listens on a port or socket. asyncpg sends it whenever
it is asked, and has no setting against that: its `asyncpg.protocol.Protocol`, which reads what the server says, is
replaced here by one that looks at each message first. `relay.connection` alone uses it.
"""

import asyncio
import os
import re
import socket
import struct
from contextlib import suppress
from typing import Any

import asyncpg

SERVER_USERS = ("root", "postgres")
"""Besides oneself, who may run the server at a socket."""

REFUSED = "FD004"
"""The SQLSTATE with which a refusal reaches asyncpg's caller; the text goes on after the server's name."""

_OK, _CONTINUE = 0, 11
_LOGINS = ((_OK,), (10, _CONTINUE, 12, _OK))
"""What a server says until the login is done: nothing is asked, or SCRAM up to its own proof."""

_ITERATIONS = re.compile(rb",i=\d{1,6}$")
"""asyncpg computes them while everything else waits; PostgreSQL's default is 4096."""

NOT_SCRAM = (
    "doesn't ask for the password by SCRAM, and it wasn't sent: others could read it; the database administrator "
    "must set scram-sha-256 in its pg_hba.conf, and a new password with `frontdesk team add NAME --new-password`"
)


class ScramProtocol(asyncpg.protocol.Protocol):  # type: ignore[misc]
    """Ends a login that asks for anything but SCRAM, before it is answered."""

    def __init__(self, *args: Any):
        super().__init__(*args)
        self._unread, self._is_done, self._is_refused = bytearray(), False, False
        self.said: tuple[int, ...] = ()
        self.tls = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        if (secured := transport.get_extra_info("ssl_object")) is not None:
            self.tls = secured.version()
        if stranger := _stranger_behind(transport.get_extra_info("socket")):
            self._refuse(stranger)

    def data_received(self, data: bytes) -> None:
        if self._is_done:
            super().data_received(data)
            return
        self._unread += data
        while len(self._unread) >= 5 and not self._is_refused:
            kind, length = struct.unpack_from("!cI", self._unread)
            if len(self._unread) <= length:
                return
            message = bytes(self._unread[: length + 1])
            del self._unread[: length + 1]
            if length < 4 or (kind == b"R" and not self._is_answered(message[5:])):
                self._refuse(NOT_SCRAM)
                return
            super().data_received(message)
            if kind == b"Z":
                self._is_done = True
                super().data_received(bytes(self._unread))
                return

    def _is_answered(self, content: bytes) -> bool:
        """Return whether a request of the login is answered."""
        status = int.from_bytes(content[:4])
        self.said = (*self.said, status)
        is_known = any(each[: len(self.said)] == self.said for each in _LOGINS)
        return is_known and (status != _CONTINUE or _ITERATIONS.search(content) is not None)

    def _refuse(self, text: str) -> None:
        """Fail as if the server had refused, and read no more."""
        fields = f"SFATAL\0C{REFUSED}\0M{text}\0\0".encode()
        super().data_received(b"E" + struct.pack("!I", len(fields) + 4) + fields)
        self._is_refused = True


class ScramConnection(asyncpg.Connection):  # type: ignore[misc]
    """A connection that knows how it logged in.

    Attributes:
        tls: the version of TLS, as far as what answers here, which may be a pooler; empty without.
        is_pooled: whether a pooler answers. Each transaction may then meet another session of the server, so
            notices don't arrive.
    """

    def __init__(self, protocol: ScramProtocol, *args: Any):
        super().__init__(protocol, *args)
        self.was_asked_for_password = len(protocol.said) > 1
        self.tls, self.is_pooled = protocol.tls, False


def _stranger_behind(connected: socket.socket) -> str:
    """Return why the server at a socket of this machine isn't answered; empty for no reason."""
    if connected.family != getattr(socket, "AF_UNIX", None):
        return ""
    import pwd

    uid = _server_uid(connected)
    known = {os.geteuid()}
    for name in SERVER_USERS:
        with suppress(KeyError):
            known.add(pwd.getpwnam(name).pw_uid)
    if uid in known:
        return ""
    return (
        f"is served by another user of this machine (uid {uid}), and the password wasn't sent; there, "
        "it is sent only to a server that you, root or postgres run: check who runs it, or use its host's name"
    )


def _server_uid(connected: socket.socket) -> int:
    """Return as whom the process listens; without Linux, whose file the socket is."""
    if not hasattr(socket, "SO_PEERCRED"):
        return os.stat(connected.getpeername()).st_uid
    credentials = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("iII"))
    uid: int = struct.unpack("iII", credentials)[1]
    return uid


asyncpg.protocol.Protocol = ScramProtocol

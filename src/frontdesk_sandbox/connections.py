"""HTTP/1.1 connections of the sandbox: cut by faults, and closed when the other side says nothing more."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_SILENT_SECONDS = 30.0
"""Maximum time that a connection may wait for a request, for the rest of one, or for its reader."""

_WAITS_FOR_CLIENT = (h11.IDLE, h11.SEND_BODY)

_open: dict[tuple[str, int], asyncio.Transport] = {}


class CuttableProtocol(H11Protocol):
    """A connection known by its peer, so that a fault can cut it.

    uvicorn limits only the pause after a response. Here the first request, a request's headers, each part of its
    body and the reading of the response are limited, too: a half-open connection must not stay for good.
    """

    _deadline: asyncio.TimerHandle | None = None
    _write_deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self.client is not None:
            _open[self.client] = transport
        self._limit_wait()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.client is not None:
            _open.pop(self.client, None)
        for deadline in (self._deadline, self._write_deadline):
            if deadline is not None:
                deadline.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._limit_wait()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._write_deadline = self.loop.call_later(MAX_SILENT_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._write_deadline is not None:
            self._write_deadline.cancel()

    def _limit_wait(self) -> None:
        """Start the time for what is awaited; headers that trickle in don't start it again."""
        state = self.conn.their_state
        if self._deadline is not None and state is not h11.IDLE:
            self._deadline.cancel()
            self._deadline = None
        if self._deadline is None and state in _WAITS_FOR_CLIENT:
            self._deadline = self.loop.call_later(MAX_SILENT_SECONDS, self.transport.abort)


def close_all() -> None:
    for transport in list(_open.values()):
        transport.close()


def transport_of(scope: dict[str, Any]) -> asyncio.Transport:
    """Find the connection of a request; raise ConnectionAbortedError if it has ended, or there is no network."""
    client = scope.get("client")
    transport = _open.get(tuple(client)) if client else None
    if transport is None:
        raise ConnectionAbortedError("a fault rule dropped this request")
    return transport


async def close_connection(scope: dict[str, Any]) -> None:
    """Close the connection of a request after what has been written to it, without a further byte."""
    transport_of(scope).close()
    # uvicorn answers 500 for an application that returns early, unless it has seen the connection end.
    while tuple(scope["client"]) in _open:  # noqa: ASYNC110 - at most a few turns of the loop
        await asyncio.sleep(0)


async def wait_until_closed(scope: dict[str, Any]) -> None:
    """Wait until the connection of a request has ended, by either side."""
    while tuple(scope["client"]) in _open:  # noqa: ASYNC110 - the protocol has a table, not an event
        await asyncio.sleep(0.01)

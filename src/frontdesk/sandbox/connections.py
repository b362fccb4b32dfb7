"""Gives the application the sockets under its requests, so that a fault can cut one.

Used by the service as uvicorn's protocol class; the application asks for a transport by peer address.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

_open: dict[tuple[str, int], asyncio.Transport] = {}


class CuttableProtocol(H11Protocol):
    """HTTP/1.1 whose connections can be found by the address of their other end."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Remember the transport under its peer."""
        super().connection_made(transport)
        if self.client is not None:
            _open[self.client] = transport

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        if self.client is not None:
            _open.pop(self.client, None)
        super().connection_lost(exc)


def close_all() -> None:
    """Close every connection: the service ends, and nobody is waited for."""
    for transport in list(_open.values()):
        transport.close()


async def cut(scope: dict[str, Any]) -> None:
    """Close the connection of a request after what has been written to it, without a further byte."""
    client = scope.get("client")
    transport = _open.get(tuple(client)) if client else None
    if transport is None:
        raise ConnectionAbortedError("the sandbox was told to drop this request")
    transport.close()
    # uvicorn answers 500 for an application that returns early, unless it has seen the connection end.
    while tuple(client or ()) in _open:  # noqa: ASYNC110 - at most a few turns of the loop
        await asyncio.sleep(0)

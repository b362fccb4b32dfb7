"""Answers that break HTTP itself, written past the server's own HTTP layer (docs/command-line.md, Faults)."""

import asyncio
import time
from collections.abc import Iterator
from typing import Any

from frontdesk.sandbox.connections import transport_of, wait_until_closed
from frontdesk.sandbox.responses import Response

_LINES_AT_ONCE = 50
_PAUSE_SECONDS = 0.01
"""5,000 lines a second: without a pause they would also be a flood, which is another fault."""

MISSING_BYTES = 1_000
"""How much more than it has an answer of the kind `longer` announces."""


async def send_broken(kind: str, answer: Response, seconds: float, scope: dict[str, Any]) -> None:
    """Write an answer that the kind breaks, and wait until the connection has ended.

    Args:
        seconds: how long the kind `drip` takes for the whole answer.
    """
    transport = transport_of(scope)
    if kind == "drip":
        await _drip(transport, _head(answer, len(answer.body)) + answer.body, seconds)
    elif kind == "longer":
        transport.write(_head(answer, len(answer.body) + MISSING_BYTES) + answer.body)
    elif kind == "shorter":
        transport.write(_head(answer, len(answer.body) // 2) + answer.body)
    elif kind == "cut":
        head = _head(answer, len(answer.body))
        transport.write(head[: len(head) // 2])
    else:
        for lines in _endless(kind, answer):
            if transport.is_closing():
                break
            transport.write(lines)
            await asyncio.sleep(_PAUSE_SECONDS)
    if kind in ("drip", "shorter", "cut"):
        transport.close()
    # `longer` keeps the connection open: what it announced may still come, until the client gives up.
    await wait_until_closed(scope)


def _endless(kind: str, answer: Response) -> Iterator[bytes]:
    if kind == "headers":
        yield f"HTTP/1.1 {answer.status} OK\r\n".encode()
    line = b"X-More: yes\r\n" if kind == "headers" else b"HTTP/1.1 100 Continue\r\n\r\n"
    while True:
        yield line * _LINES_AT_ONCE


async def _drip(transport: asyncio.Transport, content: bytes, seconds: float) -> None:
    began = time.monotonic()
    sent = 0
    while sent < len(content) and not transport.is_closing():
        share = min(1.0, (time.monotonic() - began + _PAUSE_SECONDS) / max(seconds, _PAUSE_SECONDS))
        until = max(sent + 1, int(len(content) * share))
        transport.write(content[sent:until])
        sent = until
        await asyncio.sleep(_PAUSE_SECONDS)


def _head(answer: Response, length: int) -> bytes:
    lines = [f"HTTP/1.1 {answer.status} OK", "content-type: application/json", f"content-length: {length}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()

"""A slow, lossy line as a TCP proxy on loopback, for kernels without netem.

It is a model, not a network. What it does to each direction of a connection, by itself:

- What is read is cut into segments of at most `SEGMENT` bytes; each arrives `delay` seconds after it was read.
- One segment of every `1 / loss`, at a place drawn with the seed, is lost: it arrives one retransmission timeout
  later. That is two round trips, the least that Linux takes for a segment with nothing behind it. A retransmission
  isn't lost again.
- TCP delivers in order: what is behind a lost segment waits for it, for at most that timeout.

Left out: bandwidth, queues, acknowledgements, congestion windows, jitter, and the handshake. Nagle's algorithm is
off at the proxy, so what delays small writes is the programs' own doing.
"""

import random
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import SimpleQueue

SEGMENT = 1_448
"""Bytes of a segment of an Ethernet's 1,500 with timestamps."""


@dataclass(frozen=True)
class Line:
    """A line's properties: seconds in each direction, and the share of segments that are lost."""

    delay: float
    loss: float

    @property
    def round_trip(self) -> float:
        return 2 * self.delay

    @property
    def timeout(self) -> float:
        """How much later a lost segment arrives, in seconds."""
        return 2 * self.round_trip


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment: when the proxy read it and when it passed it on (`time.monotonic()`), and its bytes."""

    sent_at: float
    arrives_at: float
    size: int
    is_lost: bool


@dataclass
class Direction:
    """One direction of a connection, and all that has passed."""

    line: Line
    dice: random.Random
    segments: list[Segment] = field(default_factory=list)
    _left: int = 0
    _lost_in: int = 0

    def pass_on(self, size: int, now: float) -> Segment:
        """Decide when a segment of this size arrives, and note it."""
        is_lost = self._is_lost()
        at = now + self.line.delay + (self.line.timeout if is_lost else 0.0)
        if self.segments:
            at = max(at, self.segments[-1].arrives_at)
        segment = Segment(now, at, size, is_lost)
        self.segments.append(segment)
        return segment

    def _is_lost(self) -> bool:
        if self.line.loss <= 0:
            return False
        if self._left == 0:
            self._left = round(1 / self.line.loss)
            self._lost_in = self.dice.randrange(self._left)
        self._left -= 1
        return self._left == self._lost_in


class SlowLink:
    """A proxy to a port; `up` and `down` are of the connection that was made last.

    Attributes:
        port: where it listens.
    """

    def __init__(self, target_port: int, line: Line, seed: int) -> None:
        self._target_port, self._line, self._seed = target_port, line, seed
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.up = self.down = Direction(line, random.Random(seed))
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:  # closed
                return
            server = socket.create_connection(("127.0.0.1", self._target_port))
            self.up = Direction(self._line, random.Random(self._seed))
            self.down = Direction(self._line, random.Random(self._seed + 1))
            for source, sink, direction in ((client, server, self.up), (server, client, self.down)):
                source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                waiting: SimpleQueue[tuple[float, bytes]] = SimpleQueue()
                threading.Thread(target=_read, args=(source, direction, waiting), daemon=True).start()
                threading.Thread(target=_write, args=(sink, waiting), daemon=True).start()


def _read(source: socket.socket, direction: Direction, waiting: "SimpleQueue[tuple[float, bytes]]") -> None:
    data = b"more"
    while data:
        try:
            data = source.recv(SEGMENT)
        except OSError:
            data = b""
        at = direction.pass_on(len(data), time.monotonic()).arrives_at if data else time.monotonic()
        waiting.put((at, data))


def _write(sink: socket.socket, waiting: "SimpleQueue[tuple[float, bytes]]") -> None:
    """Pass on what arrives; an empty piece is the end."""
    while True:
        at, data = waiting.get()
        time.sleep(max(0.0, at - time.monotonic()))
        try:
            if not data:
                sink.shutdown(socket.SHUT_RDWR)
                return
            sink.sendall(data)
        except OSError:
            return


@contextmanager
def slow_link(target_port: int, line: Line, seed: int = 1) -> Iterator[SlowLink]:
    """A proxy to a port of loopback until the end of the block."""
    link = SlowLink(target_port, line, seed)
    try:
        yield link
    finally:
        link.close()

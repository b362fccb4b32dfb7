"""The way from one desk to the platform, with the faults that a seed draws."""

import asyncio
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx

from frontdesk.sandbox.application import Application
from frontdesk.sandbox.world import World

LONGEST_SECONDS = 25.0
"""A request without an answer has arrived within this, or never does; below `sender.SETTLE_AFTER`."""

FAULTS = (
    "refused",
    "lost before",
    "lost after",
    "late",
    "twice",
    "slow",
    "busy",
    "down",
    "down after",
    "torn",
    "login page",
)


@dataclass(frozen=True)
class Arrival:
    """A request that changes something and was carried out."""

    at: float
    desk: str
    method: str
    path: str
    body: object
    change_ids: frozenset[int]
    is_again: bool


@dataclass(frozen=True)
class Sent:
    """A request that left a desk.

    Attributes:
        read_at: when the platform told the desk last what it has at this path; 0 for never.
        change_ids: the changes that it carries.
    """

    desk: str
    request: httpx.Request
    body: object
    read_at: float
    change_ids: frozenset[int]

    @property
    def method(self) -> str:
        return self.request.method

    @property
    def path(self) -> str:
        return self.request.url.path


@dataclass
class Wire:
    """All that any desk's requests did, in the order in which the platform carried them out.

    Attributes:
        leaves: called when a request leaves its desk.
        arrives: called right before the platform carries a request out, and whether a proxy repeats it.
        is_done: called with a PATCH that was carried out.
    """

    clock: Callable[[], float]
    leaves: Callable[[Sent], None]
    arrives: Callable[[Sent, bool], None]
    is_done: Callable[[Sent], None]
    arrivals: list[Arrival] = field(default_factory=list)


class Network(httpx.AsyncBaseTransport):
    """One desk's network.

    Attributes:
        faults: 0 to 1, how many requests meet a fault.
        is_up: whether anything leaves the desk.
        sent_at: when each request left, in the desk's steady seconds.
        claimed: the ids of the changes that a request carries, by its path.
    """

    claimed: Callable[[str], frozenset[int]]

    def __init__(self, desk: str, world: World, wire: Wire, chance: random.Random):
        self._through = httpx.ASGITransport(app=Application(world))
        self._desk, self._wire, self._chance = desk, wire, chance
        self.faults = 0.0
        self.is_up = True
        self.sent_at: list[float] = []
        self._read_at: dict[str, float] = {}
        self._late: set[asyncio.Task[None]] = set()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.sent_at.append(asyncio.get_running_loop().time())
        path = request.url.path
        sent = Sent(
            self._desk,
            request,
            json.loads(request.content) if request.content else None,
            self._read_at.get(path, 0.0),
            self.claimed(path) if request.method == "PATCH" else frozenset(),
        )
        self._wire.leaves(sent)
        fault = self._chance.choice(FAULTS) if self._chance.random() < self.faults else ""
        await asyncio.sleep(self._chance.uniform(0.02, 0.3))
        if not self.is_up or fault == "refused":
            raise httpx.ConnectError("refused", request=request)
        if fault == "lost before":
            raise httpx.ReadError("", request=request)
        if fault == "busy":
            return _refusal(request, 429, {"Retry-After": "3"})
        if fault == "down":
            return _refusal(request, 503)
        if fault == "login page":
            page = "<html>Welcome</html>"
            return httpx.Response(200, text=page, headers={"Content-Type": "text/html"}, request=request)
        if fault == "late":
            self._deliver_later(sent)
            raise httpx.ReadError("", request=request)
        if fault == "slow":
            await asyncio.sleep(self._chance.uniform(1, 20))
        answer = await self._arrive(sent)
        if fault == "twice":  # a proxy that got no answer in time asks again
            answer = await self._arrive(sent, is_again=True)
        await asyncio.sleep(self._chance.uniform(0.02, 0.3))
        if fault == "lost after" or not self.is_up:
            raise httpx.ReadError("", request=request)
        if fault == "down after":
            return _refusal(request, 503)
        if fault == "torn":
            raise httpx.RemoteProtocolError("peer closed connection without a complete body", request=request)
        return answer

    async def settle(self) -> None:
        """Wait until nothing is under way any more."""
        await asyncio.gather(*self._late)

    async def _arrive(self, sent: Sent, *, is_again: bool = False) -> httpx.Response:
        self._wire.arrives(sent, is_again)
        answer = await self._through.handle_async_request(sent.request)
        now = self._wire.clock()
        if sent.method == "GET":
            self._read_at[sent.path] = now
        elif sent.method == "PATCH" and answer.is_success:
            arrival = Arrival(now, self._desk, sent.method, sent.path, sent.body, sent.change_ids, is_again)
            self._wire.arrivals.append(arrival)
            self._wire.is_done(sent)
        return answer

    def _deliver_later(self, sent: Sent) -> None:
        async def deliver() -> None:
            await asyncio.sleep(self._chance.uniform(1, LONGEST_SECONDS))
            await self._arrive(sent)

        task = asyncio.create_task(deliver())
        self._late.add(task)
        task.add_done_callback(self._late.discard)


def _refusal(request: httpx.Request, status: int, headers: dict[str, str] | None = None) -> httpx.Response:
    body = {"error": "fault", "message": "not now"}
    return httpx.Response(status, json=body, headers=headers, request=request)

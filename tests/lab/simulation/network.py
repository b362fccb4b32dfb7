"""The way from one desk to the platform, with the faults that a seed draws.

A request that has left travels by itself: it arrives whatever becomes of the process that sent it.
"""

import asyncio
import contextvars
import json
import random
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import httpx

from frontdesk_sandbox.application import Application
from frontdesk_sandbox.world import World
from lab.simulation.virtual_loop import Process

T = TypeVar("T")

LONGEST_SECONDS = 25.0
"""A request without an answer has arrived within this, or never does; below `sender.SETTLE_AFTER`."""

RETRY_AFTER_SECONDS = 3

FAULTS = (
    "refused connection",
    "lost before",
    "lost after",
    "late",
    "twice",
    "slow",
    "slow answer",
    "busy",
    "bad request",
    "down",
    "down after",
    "torn",
    "login page",
)


FAULTS_OF_CHANGES = (*FAULTS, "late", "late", "lost after")
FAULTS_OF_READS = (*FAULTS, "slow answer", "slow answer", "slow answer")
"""What is hardest to be right about strikes more often: changes that arrive unseen, and answers that are old."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A request that leaves a desk.

    Attributes:
        process: the engine's that sends it.
        target: the id of the task, conversation or campaign that it changes; empty for a read.
        change_ids: the changes that it carries.
        read_at: when the platform told this engine what it has at this path, if that was its request before this
            one; infinite if not.
    """

    desk: str
    process: Process
    request: httpx.Request
    body: Any
    target: str
    change_ids: frozenset[int]
    read_at: float

    @property
    def path(self) -> str:
        return self.request.url.path

    @property
    def host(self) -> str:
        """The part of the platform that it goes to, which has a pause of its own after a 429."""
        first = self.path.split("/")[1]
        return "base" if first in ("getMessages", "conversations") else first


@dataclass(frozen=True, slots=True)
class Arrival:
    """A request that changes something and was carried out; `is_again` if a proxy repeated it."""

    at: float
    sent: Sent
    is_again: bool


class Observer(Protocol):
    """Whoever judges what happens on the wire."""

    def begins(self, sent: Sent) -> None:
        """An engine begins a request: it has paid for it, and connects."""

    def leaves(self, sent: Sent) -> None:
        """Its last byte leaves the desk."""

    def arrives(self, sent: Sent, is_again: bool) -> None:
        """The platform is about to carry it out."""

    def is_done(self, sent: Sent, is_again: bool) -> None:
        """The platform has carried out a change."""

    def is_answered(self, sent: Sent, status: int) -> None:
        """The engine has the answer."""


@dataclass
class Link:
    """A desk's connection.

    Attributes:
        faults: 0 to 1, how many requests meet a fault: reads half as often, changes twice as often.
        is_up: whether anything leaves the desk.
        swallows_changes: whether something on the way lets reads pass and answers no change.
    """

    faults: float = 0.0
    is_up: bool = True
    swallows_changes: bool = False


@dataclass
class Platform:
    """The platform, and all that reached it in the order in which it was carried out."""

    world: World
    observer: Observer
    chance: random.Random
    arrivals: list[Arrival] = field(default_factory=list)
    travelling: set[asyncio.Task[Any]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.door = httpx.ASGITransport(app=Application(self.world))

    def travel(self, way: Coroutine[Any, Any, T], *, is_change: bool) -> asyncio.Task[T]:
        """Let something happen on the way, which belongs to no process."""
        task = asyncio.get_running_loop().create_task(way, context=contextvars.Context())
        if is_change:
            self.travelling.add(task)
            task.add_done_callback(self.travelling.discard)
        return task

    async def settle(self) -> None:
        """Wait until no change is on its way any more."""
        while self.travelling:
            await asyncio.wait(self.travelling)

    async def carry_out(self, sent: Sent, *, is_again: bool = False) -> httpx.Response:
        self.observer.arrives(sent, is_again)
        answer = await self.door.handle_async_request(sent.request)
        if sent.target and answer.is_success:
            self.arrivals.append(Arrival(asyncio.get_running_loop().time(), sent, is_again))
            self.observer.is_done(sent, is_again)
        return answer


class Network(httpx.AsyncBaseTransport):
    """One engine's way to the platform.

    Args:
        claimed: the ids of the changes that are being sent to a target.

    Attributes:
        begun_at: when each request was begun, in the loop's seconds.
    """

    def __init__(
        self,
        desk: str,
        process: Process,
        link: Link,
        platform: Platform,
        claimed: Callable[[str], frozenset[int]],
    ) -> None:
        self.desk, self.process, self._link, self._platform = desk, process, link, platform
        self._claimed, self._chance = claimed, platform.chance
        self.begun_at: list[float] = []
        self._read_at: dict[str, float] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        now, path = asyncio.get_running_loop().time(), request.url.path
        self.begun_at.append(now)
        body = json.loads(request.content) if request.content else None
        target = target_of(request.method, path, body)
        carried = self._claimed(target) if target else frozenset()
        read_at = self._read_at.pop(path, float("inf"))
        sent = Sent(self.desk, self.process, request, body, target, carried, read_at)
        self._platform.observer.begins(sent)
        is_hit = self._chance.random() < self._link.faults * (2 if target else 0.5)
        fault = self._chance.choice(FAULTS_OF_CHANGES if target else FAULTS_OF_READS) if is_hit else ""
        await asyncio.sleep(self._chance.uniform(0.02, 0.3))
        if self.process.is_dead or not self._link.is_up or fault == "refused connection":
            raise httpx.ConnectError("refused", request=request)
        if (trace := request.extensions.get("trace")) is not None:
            # As httpcore does: what stands still while it connects may not send.
            await trace("http11.send_request_headers.started", {})
        self._platform.observer.leaves(sent)
        travelling = self._platform.travel(self._travel(sent, fault), is_change=bool(sent.target))
        answer, told_at = await asyncio.shield(travelling)
        if isinstance(answer, Exception):
            raise answer
        if request.method == "GET" and answer.is_success:
            self._read_at[path] = told_at
        self._platform.observer.is_answered(sent, answer.status_code)
        return answer

    async def _travel(self, sent: Sent, fault: str) -> tuple[httpx.Response | Exception, float]:
        """Return the answer, or the error that the engine sees, and when the platform gave it."""
        request, told_at = sent.request, 0.0
        lost = httpx.ReadError("", request=request)
        await self._wait(0.02, 0.3)
        if fault == "lost before" or (sent.target and self._link.swallows_changes):
            return lost, told_at
        if fault == "busy":
            return _refusal(request, 429, {"Retry-After": str(RETRY_AFTER_SECONDS)}), told_at
        if fault == "bad request" and sent.target:
            return _refusal(request, 400), told_at
        if fault == "down":
            return _refusal(request, 503), told_at
        if fault == "login page":
            return _answer(request, 200, b"<html>Welcome</html>", {"Content-Type": "text/html"}), told_at
        if fault == "late":
            self._platform.travel(self._arrive_late(sent), is_change=bool(sent.target))
            return lost, told_at
        if fault == "slow":
            await self._wait(1, 20)
        if not self._link.is_up:
            return lost, told_at
        told_at = asyncio.get_running_loop().time()
        answer = await self._platform.carry_out(sent)
        if fault == "twice":  # a proxy that got no answer in time asks again
            await self._wait(0, 3)
            answer = await self._platform.carry_out(sent, is_again=True)
        if fault == "slow answer":
            await self._wait(1, 14)
        await self._wait(0.02, 0.3)
        if fault == "lost after" or not self._link.is_up:
            return lost, told_at
        if fault == "down after":
            return _refusal(request, 503), told_at
        if fault == "torn":
            torn = httpx.RemoteProtocolError("peer closed connection without a complete body", request=request)
            return torn, told_at
        return answer, told_at

    async def _arrive_late(self, sent: Sent) -> None:
        await self._wait(1, LONGEST_SECONDS)
        await self._platform.carry_out(sent)

    async def _wait(self, least: float, most: float) -> None:
        await asyncio.sleep(self._chance.uniform(least, most))


def target_of(method: str, path: str, body: Any) -> str:
    """Return the id of what a request changes; empty where it only reads."""
    _, first, *rest = path.split("/")
    if method == "PATCH" and first == "tasks":
        return rest[0]
    if first == "conversations" and rest[1:] == ["tags"]:
        return rest[0]
    if (method, path) == ("POST", "/campaigns"):
        return str(body["id"])
    return ""


def _refusal(request: httpx.Request, status: int, headers: dict[str, str] | None = None) -> httpx.Response:
    content = b'{"error": "fault", "message": "not now"}'
    return _answer(request, status, content, {"Content-Type": "application/json", **(headers or {})})


def _answer(request: httpx.Request, status: int, content: bytes, headers: dict[str, str]) -> httpx.Response:
    """Make an answer that wasn't read yet, as one that comes from a network."""
    length = {"Content-Length": str(len(content))}
    return httpx.Response(status, headers=headers | length, stream=httpx.ByteStream(content), request=request)

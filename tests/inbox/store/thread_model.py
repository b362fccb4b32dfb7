"""A platform that holds one thread and pages it as docs/interface.md, Get messages, says, for the machine.

Newest first by `createdAt` alone; messages of one moment in an order that has nothing to do with
their ids. It can break items, leave times out, fail, and change while it is walked.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx


@dataclass
class Message:
    """One message as the platform holds it.

    Attributes:
        rank: its place among messages of its moment, the higher the newer.
        revisions: the states that it has had; the last one is what pages show.
        is_broken: it is sent without its id.
        tells_time: whether it is sent with `createdAt`.
    """

    each: str
    at: int
    rank: float
    is_broken: bool = False
    tells_time: bool = True
    revisions: list[dict[str, Any]] = field(default_factory=list)

    def change(self, **fields: Any) -> None:
        last = (
            self.revisions[-1] if self.revisions else {"messageId": self.each, "message": f"words of {self.each}"}
        )
        times = {"createdAt": self.at} if self.tells_time else {}
        self.revisions.append({**last, **times, **fields})

    def sent(self) -> object:
        """The item as a page shows it."""
        state = self.revisions[-1]
        return {**state, "messageId": None} if self.is_broken else state


class ThreadPlatform(httpx.AsyncBaseTransport):
    """Answers Get messages.

    Attributes:
        failures: what the next requests meet instead of an answer, if anything.
        meanwhile: what happens on the platform between the pages of a walk, in order.
        requests: how many arrived.
    """

    def __init__(self, page_size: int):
        self.page_size = page_size
        self.messages: dict[str, Message] = {}
        self.failures: list[str] = []
        self.meanwhile: list[Callable[[], None]] = []
        self.requests = 0

    def newest_first(self) -> list[Message]:
        return sorted(self.messages.values(), key=lambda each: (each.at, each.rank), reverse=True)

    def page(self, start: dict[str, Any] | None) -> dict[str, Any]:
        thread = self.newest_first()
        if start is not None:
            found = self.messages.get(start["messageId"])
            if found is not None and found.at == start["createdAt"]:
                thread = thread[thread.index(found) + 1 :]
            else:  # a message that isn't there any more: what could be after it
                thread = [each for each in thread if each.at <= start["createdAt"]]
        page, more = thread[: self.page_size], len(thread) > self.page_size
        answer: dict[str, Any] = {"dbObject": [each.sent() for each in page], "hasMoreItemsToFetch": more}
        if more:
            answer["lastEvaluatedKey"] = {"messageId": page[-1].each, "createdAt": page[-1].at}
        return answer

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests += 1
        failure = self.failures.pop(0) if self.failures else ""
        body = json.loads(await request.aread())
        if failure == "refused":
            raise httpx.ConnectError("refused", request=request)
        if failure == "lost":
            raise httpx.ReadError("", request=request)
        if failure == "failing":
            return _answer(500, {"error": "slug", "message": "because"})
        if failure == "garbage":
            return _answer(200, ["no page"])
        if self.meanwhile and body.get("startKey") is not None:
            self.meanwhile.pop(0)()
        return _answer(200, self.page(body.get("startKey")))


def _answer(status: int, body: object) -> httpx.Response:
    async def stream() -> Any:
        yield json.dumps(body).encode()

    return httpx.Response(status, headers={"content-type": "application/json"}, content=stream())

"""A platform that answers from a list and remembers what it was asked."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any, TypeVar

import httpx

from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.transport import RetryPolicy
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_api.hosts import Hosts

ResultT = TypeVar("ResultT")
Answer = httpx.Response | Exception | Callable[[httpx.Request], Awaitable[httpx.Response]]

HOSTS = Hosts(
    "https://base.test",
    "https://campaigns.test",
    "https://workflows.test",
    "https://business.test",
    "https://ai.test/v",
)
CREDENTIALS = CredentialSet(Secret("token=canary-cookie"), Secret("canary-key"), Secret("canary-bearer"))


def reply(body: Any, status: int = 200, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, json=body, headers=named)


def error(status: int, **headers: str) -> httpx.Response:
    """A refusal with the Error body."""
    return reply({"error": "slug", "message": "because"}, status, **headers)


def task(task_id: str = "t1", **fields: Any) -> dict[str, Any]:
    return {"taskId": task_id, **fields}


class Platform:
    """Give it answers; the last one is repeated."""

    def __init__(self, *answers: Answer, **options: Any) -> None:
        self._answers = list(answers)
        self.requests: list[httpx.Request] = []
        self.slept: list[float] = []
        self.options = options

    async def _handle(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, httpx.Response):
            return httpx.Response(answer.status_code, headers=answer.headers, content=_stream(answer.content))
        given = await answer(request)
        return given if not given.is_closed else httpx.Response(given.status_code, content=_stream(given.content))

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def client(self) -> PlatformClient:
        retry = RetryPolicy(sleep=self._sleep, random=lambda: 1.0)
        options = {"retry": retry, "transport": httpx.MockTransport(self._handle), **self.options}
        return PlatformClient(options.pop("hosts", HOSTS), options.pop("credentials", CREDENTIALS), **options)

    def ask(self, work: Callable[[PlatformClient], Awaitable[ResultT]]) -> ResultT:
        async def run() -> ResultT:
            async with self.client() as client:
                return await work(client)

        return asyncio.run(run())

    @property
    def request(self) -> httpx.Request:
        assert len(self.requests) == 1
        return self.requests[0]

    @property
    def line(self) -> str:
        """Method and target of the only request, as they stand in the request line."""
        return f"{self.request.method} {self.request.url.raw_path.decode()}"

    def bodies(self) -> list[Any]:
        return [json.loads(request.content) for request in self.requests]


async def _stream(body: bytes) -> AsyncIterator[bytes]:
    """As from the network, in pieces: a response made from bytes counts as read already."""
    for at in range(0, len(body), 7 if len(body) < 1000 else 100_000):
        yield body[at : at + (7 if len(body) < 1000 else 100_000)]


async def collect(pages: Any) -> list[Any]:
    return [page async for page in pages]


def ids(pages: Iterable[Any], name: str) -> list[str]:
    return [getattr(item.value, name) for page in pages for item in page.items]

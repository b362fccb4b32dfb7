"""Services and a sender over the sandbox's workflows and webhooks; a test can step into every request.

Imported by the tests of this folder.
"""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx

from frontdesk.demo.sandbox_process import demo_profile
from frontdesk.engine.features import make_sender
from frontdesk.outbox import queue as outbox_queue
from frontdesk.outbox.sender import Sender
from frontdesk.storage.database import Store
from frontdesk.storage.records import Change, ChangeState
from frontdesk.sync.backoff import Backoff
from frontdesk.workflows import store as workflow_store
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.transport import ONCE
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_sandbox import fixtures
from frontdesk_sandbox.application import Application
from sandbox.asking import BEARER, Sandbox
from services import Services
from sync.running_engine import HOSTS

Step = Callable[[httpx.Request], httpx.Response | None]
LOST = httpx.ReadError("")
NOT_SENT = httpx.ConnectError("refused")


class Through(httpx.AsyncBaseTransport):
    """The way to the sandbox.

    Attributes:
        before: asked before a request leaves, and `after` when it was carried out; each may raise or answer
            instead. They run in the sender's loop, in which nobody asks the sandbox anything.
    """

    def __init__(self, sandbox: Sandbox):
        self._through = httpx.ASGITransport(app=Application(sandbox.world))
        self.before: Step = lambda _: None
        self.after: Step = lambda _: None
        self.asked: list[tuple[str, str]] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked.append((request.method, request.url.path))
        instead = self.before(request)
        answer = instead or await self._through.handle_async_request(request)
        return self.after(request) or answer


class WorkflowScene:
    """On a clock that a test moves; the store has read the sandbox's workflows."""

    def __init__(self, store: Store, sandbox: Sandbox):
        self.store, self.sandbox = store, sandbox
        self.through = Through(sandbox)
        self.now = sandbox.world.clock.now_ms() / 1000
        self.services = Services(store, demo_profile("http://127.0.0.1:1"), clock=lambda: self.now)
        self.credentials = CredentialSet(
            Secret(fixtures.COOKIE), Secret(fixtures.API_KEY), Secret(fixtures.BEARER)
        )
        self.backoff = Backoff(lambda: self.now)
        self.sender = self._sender(None)

    def send(self, later: float = 6.0) -> None:
        """Let time pass, and the sender work."""
        self.now += later

        async def send() -> None:
            async with PlatformClient(HOSTS, self.credentials, transport=self.through, retry=ONCE) as client:
                self.sender = self._sender(client)
                await self.sender.send_due()

        asyncio.run(send())

    def adopt(self) -> None:
        """Another engine takes over what nobody sends any more."""
        asyncio.run(self.sender.confirmation.adopt_orphans())

    def settle(self) -> None:
        """Let all the looks pass that a change in doubt gets."""
        for _ in range(6):
            self.send(9.0)

    def _sender(self, client: Any) -> Sender:
        sender = make_sender(client, self.store, self.backoff, lambda: self.now, "me", steady=lambda: self.now)
        if hasattr(self, "sender"):
            sender.__dict__["_read_backs"] = self.sender.__dict__["_read_backs"]
        return sender

    def asked(self, method: str, path: str = "") -> int:
        """How many requests left, to paths that have this in them."""
        return sum(1 for way, at in self.through.asked if way == method and path in at)

    def lists(self) -> int:
        return sum(1 for way, at in self.through.asked if (way, at) == ("POST", "/workflows"))

    def stored(self, workflow_id: str) -> Any:
        """The workflow as the platform has it, or None."""
        result = self.sandbox.post("/workflows", {}).json()["result"]
        return next((each for each in result if each["id"] == workflow_id), None)

    def known(self, workflow_id: str) -> Any:
        """The workflow as this machine has it."""
        text = workflow_store.text(self.store.reading, workflow_id)
        return None if text is None else json.loads(text)

    def webhook(self, webhook_id: str) -> None:
        """Somebody has made one."""
        assert self.sandbox.post("/sandbox/webhooks", {"webhookId": webhook_id}, headers=BEARER).is_success

    def lose(
        self, method: str, path: str, *, when: str = "after", times: int = 1, error: Exception = LOST
    ) -> None:
        """Let so many such requests break before or after they are carried out."""
        left = [times]

        def step(request: httpx.Request) -> None:
            if request.method == method and path in request.url.path and left[0]:
                left[0] -= 1
                raise error

        setattr(self.through, when, step)

    def once(self, method: str, path: str, do: Callable[[], object], *, when: str = "before") -> None:
        """Do this once at the next such request."""

        def step(request: httpx.Request) -> None:
            if request.method == method and path in request.url.path:
                setattr(self.through, when, lambda _: None)
                do()

        setattr(self.through, when, step)

    def last(self) -> Change:
        return outbox_queue.recent(self.services.store.reading)[0]

    def states(self) -> list[ChangeState]:
        return [change.state for change in reversed(outbox_queue.recent(self.services.store.reading))]

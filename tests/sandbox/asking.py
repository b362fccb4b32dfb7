"""How tests ask a sandbox in their own process, and with which credentials.

Imported by the tests of this folder and by its conftest.
"""

import asyncio
from typing import Any

import httpx

from frontdesk.sandbox.application import Application
from frontdesk.sandbox.world import World

COOKIE = {"Cookie": "token=sandbox"}
KEY = {"x-api-key": "sandbox-key"}
ACCOUNT = COOKIE | KEY
OTHER = {"Cookie": "token=sandbox-other", "x-api-key": "other-key"}
BEARER = {"Authorization": "Bearer sandbox-bearer"} | KEY


class Sandbox:
    """Asks the application without a network."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.application = Application(world)

    def ask(self, method: str, path: str, *, headers: dict[str, str] = ACCOUNT, **more: Any) -> httpx.Response:
        """One request; `path` is sent as it is written."""
        return asyncio.run(self.asked(method, path, headers=headers, **more))

    async def asked(
        self, method: str, path: str, *, headers: dict[str, str] = ACCOUNT, **more: Any
    ) -> httpx.Response:
        """The same in a running loop."""
        transport = httpx.ASGITransport(app=self.application)
        async with httpx.AsyncClient(transport=transport, base_url="http://sandbox") as client:
            return await client.request(method, path, headers=headers, **more)

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.ask("GET", path, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> httpx.Response:
        return self.ask("POST", path, json=body, **more)

    def patch(self, path: str, body: Any, **more: Any) -> httpx.Response:
        return self.ask("PATCH", path, json=body, **more)

    def put(self, path: str, body: Any, **more: Any) -> httpx.Response:
        return self.ask("PUT", path, json=body, **more)

    def delete(self, path: str, **more: Any) -> httpx.Response:
        return self.ask("DELETE", path, **more)

    def advance(self, seconds: float) -> None:
        """Let virtual time pass, and what is due in it happen."""
        assert self.post("/sandbox/advance", {"seconds": seconds}).status_code == 200

    def task(self, **fields: Any) -> dict[str, Any]:
        """A fresh task."""
        return dict(self.post("/sandbox/tasks", fields).json())


def assert_error_body(response: httpx.Response, status: int) -> None:
    """Rules 16, 17: an object with the strings error and message."""
    assert response.status_code == status, response.text[:300]
    body = response.json()
    assert isinstance(body["error"], str)
    assert isinstance(body["message"], str)
    assert body["message"]


def stop_seeded_campaigns(sandbox: Sandbox) -> Sandbox:
    """Let nothing more come of the campaigns that the seed began."""
    storage = sandbox.world.storage
    with storage.writing():
        storage.run(
            "UPDATE campaigns SET status='stopped', due_at=NULL WHERE status IN ('inProgress', 'scheduled')"
        )
        storage.run("UPDATE recipients SET due_at=NULL")
    return sandbox

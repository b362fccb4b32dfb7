"""Whoever uses the platform itself, without faults and at once: colleagues and customers."""

import json
from typing import Any

import httpx

from frontdesk_api.contract.ids import ConversationId
from frontdesk_sandbox import fixtures
from frontdesk_sandbox.application import Application
from frontdesk_sandbox.world import World
from sandbox.asking import ACCOUNT

LINE, CUSTOMER = fixtures.LINES[0].id, "972500000001"
CONVERSATION = ConversationId(f"{LINE}#{CUSTOMER}")


class Colleague:
    """Asks the platform.

    Args:
        world: the platform's data.
    """

    def __init__(self, world: World) -> None:
        self._door = httpx.ASGITransport(app=Application(world))

    async def edit_task(self, task_id: str, fields: dict[str, Any]) -> None:
        await self.ask("PATCH", f"/tasks/{task_id}", fields)

    async def open_task(self, title: str, at: float) -> None:
        """Make a task of the customer, who was active at this moment, Unix seconds."""
        customer = {"phoneNumberId": CUSTOMER, "customerName": "Dana", "lastActiveAt": int(at * 1000)}
        fields = {"title": title, "phoneNumberId": LINE, "customer": customer}
        await self.ask("POST", "/sandbox/tasks", {**fields, "participantsIdentifiers": CONVERSATION})

    async def write_message(self, text: str) -> None:
        """Send a message of the customer."""
        await self.ask("POST", "/sandbox/messages", {"sender": CUSTOMER, "receiver": LINE, "message": text})

    async def ask(self, method: str, path: str, body: dict[str, Any]) -> Any:
        """Make a request, and return what it answers."""
        headers = {**ACCOUNT, "Content-Type": "application/json"}
        request = httpx.Request(method, f"http://sandbox{path}", headers=headers, content=json.dumps(body))
        reply = await self._door.handle_async_request(request)
        content = await reply.aread()
        assert reply.is_success, content
        return json.loads(content or b"null")

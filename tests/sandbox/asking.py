"""A sandbox in the tests' own process, its credentials, and the requests that many tests send."""

import asyncio
import atexit
import re
from threading import current_thread, main_thread
from typing import Any

import httpx

from frontdesk_api.contract.endpoints import Endpoint
from frontdesk_sandbox import fixtures
from frontdesk_sandbox.application import Application
from frontdesk_sandbox.world import World

COOKIE = {"Cookie": "token=sandbox"}
KEY = {"x-api-key": "sandbox-key"}
ACCOUNT = COOKIE | KEY
OTHER = {"Cookie": "token=sandbox-other", "x-api-key": "other-key"}
BEARER = {"Authorization": "Bearer sandbox-bearer"} | KEY

RUNNER = asyncio.Runner(loop_factory=asyncio.new_event_loop)
"""One loop for all requests of the main thread: to make and close one takes longer than many an answer."""

atexit.register(RUNNER.close)


class Sandbox:
    """Asks the application without a network."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.application = Application(world)

    def ask(self, method: str, path: str, *, headers: dict[str, str] = ACCOUNT, **more: Any) -> httpx.Response:
        """One request; `path` is sent as it is written."""
        asked = self.asked(method, path, headers=headers, **more)
        return RUNNER.run(asked) if current_thread() is main_thread() else asyncio.run(asked)

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
        storage.run("UPDATE recipients SET due_at=NULL WHERE due_at IS NOT NULL")
    return sandbox


def path_of(endpoint: Endpoint[Any], identity: str = "none", **ids: str) -> str:
    """The path of an operation, all ids `identity` but for those given, with the query that it needs."""
    path = re.sub(r"{(\w+)}", lambda found: ids.get(found[1], identity), endpoint.path)
    queries = {"create_workflow": "?folderId=folder-service", "list_ai_agents": "?flat=true"}
    return path + queries.get(endpoint.name, "")


def headers_of(endpoint: Endpoint[Any]) -> dict[str, str]:
    """The main account's credentials for an operation."""
    return BEARER if endpoint.name == "delete_webhook" else ACCOUNT


TAG = {"id": "tag-vip", "title": "VIP", "color": "gold", "associatedTo": "acme-home"}
PERSON = {"phoneNumberId": "+972501234567", "customerName": "Dana", "countryCode": "IL"}


def campaign(**changes: Any) -> dict[str, Any]:
    """A campaign to one person, with these changes; `...` leaves a field out."""
    body: dict[str, Any] = {
        "id": "c1",
        "name": "Autumn",
        "contentType": "triggerWorkflow",
        "workflowId": "wf-early-access",
        "workflowName": "Early access",
        "folderId": fixtures.CAMPAIGN_FOLDER,
        "whenToSendMessage": "now",
        "associatedToBusinessId": "972737001200",
        "isActive": True,
        "source": "excel",
        "customerList": [PERSON],
    }
    body |= changes
    return {name: value for name, value in body.items() if value is not ...}


def tags_campaign(**changes: Any) -> dict[str, Any]:
    """A campaign to the VIPs, with these changes."""
    return campaign(**({"source": "tags", "customerList": ..., "conversationTags": [TAG]} | changes))


def people(count: int) -> list[dict[str, str]]:
    return [{"phoneNumberId": f"+97250{place:07d}"} for place in range(count)]


def list_workflow(sandbox: Sandbox, identity: str) -> dict[str, Any]:
    """A workflow as it is listed, whole."""
    found = {each["id"]: each for each in sandbox.post("/workflows", {}).json()["result"]}
    return dict(found[identity])

"""The sandbox in a process of its own, with the canary's credentials in place of the usual ones."""

import contextlib
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx

from canary.echo_server import BEARER, COOKIE, KEY
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_sandbox import fixtures, request, service
from frontdesk_sandbox.options import SandboxOptions
from lab.faults import processes

CREDENTIALS = CredentialSet(Secret(COOKIE), Secret(KEY), Secret(BEARER))
HEADERS = {"Cookie": COOKIE, "x-api-key": KEY}
MANY_TIMES = 1_000_000


def _serve(data: Path, speed: float, announcing: Any) -> None:
    fixtures.COOKIE_NAME, _, rest = COOKIE.partition("=")
    token = rest.partition(";")[0]
    request.MAIN = replace(request.MAIN, token=token, api_key=KEY, bearer=BEARER)
    request.IDENTITIES = (request.MAIN, request.OTHER)
    service.run(SandboxOptions(port=0, data=data, crowd=False, speed=speed), announcing.send)


class Platform:
    """A running sandbox.

    Attributes:
        url: where it listens.
    """

    def __init__(self, url: str, client: httpx.AsyncClient) -> None:
        self.url = url
        self._client = client

    async def ask(self, method: str, path: str, body: object = None) -> Any:
        """One request of somebody else's, or of a control; its JSON."""
        answer = await self._client.request(method, path, json=body)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text[:300]}"
        return answer.json() if answer.content else None

    async def strike(self, *faults: dict[str, Any]) -> None:
        """Set the faults; none clears them."""
        await self.ask("PUT", "/sandbox/faults", list(faults))

    async def hits(self) -> list[int]:
        """How often each of the faults has struck; they were set with `times`: MANY_TIMES."""
        return [MANY_TIMES - each["times"] for each in await self.ask("GET", "/sandbox/faults")]

    async def carried_out(self, method: str, path: str) -> int:
        """How often the platform carried such a request out, whatever it answered."""
        found = await self.ask("GET", "/sandbox/requests")
        return sum(
            (each["method"], each["path"]) == (method, path) and each["outcome"] // 100 == 2 for each in found
        )


def exactly(path: str) -> str:
    """A fault's pattern for this path alone."""
    return f"^{re.escape(path)}$"


@contextlib.asynccontextmanager
async def running_platform(data: Path, speed: float) -> AsyncIterator[Platform]:
    """Start a sandbox on this data, and end it with the block."""
    process, url = processes.announced(_serve, data, speed)
    once = httpx.Limits(max_keepalive_connections=0)  # a kept one may just be closed by the other side
    try:
        async with httpx.AsyncClient(
            base_url=url, headers=HEADERS, timeout=600, trust_env=False, limits=once
        ) as client:
            yield Platform(url, client)
    finally:
        processes.kill(process)

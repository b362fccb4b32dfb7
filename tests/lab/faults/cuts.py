"""Named points at which an engine is cut off, as if the power had gone: no clean-up, no last word.

`processes.engine` takes them; the points are those between which the state of a change differs.
"""

import asyncio
import os
from typing import Any

import apsw
import httpx

from frontdesk.storage.database import Job, Store, T

REQUESTS = {
    "before the task is read": ("GET", "before"),
    "after the task is read": ("GET", "after"),
    "after the claim, before the first byte": ("PATCH", "before"),
    "when the platform has the PATCH, before its answer": ("PATCH", "sent"),
    "when the answer is there, before it is kept": ("PATCH", "after"),
}
WRITES = {
    "while the row that was read is written": ("put_row", "within"),
    "within the claim, before its commit": ("claim", "within"),
    "after the claim's commit": ("claim", "after"),
    "within the confirmation, before its commit": ("confirm", "within"),
    "after the confirmation's commit": ("confirm", "after"),
    "within the doubt, before its commit": ("mark_unknown", "within"),
    "after the doubt's commit": ("mark_unknown", "after"),
    "within the settlement of what never arrived": ("resolve", "within"),
    "while orphans are adopted": ("adopt_orphans", "within"),
}
POINTS = (*REQUESTS, *WRITES)
CAMPAIGN_REQUESTS = {
    "after a campaign's claim, before the first byte": ("POST", "before"),
    "when the platform has the campaign, before its answer": ("POST", "sent"),
    "when the answer about a campaign is there, before it is kept": ("POST", "after"),
    "before a campaign is read back": ("GET", "before"),
    "after a campaign is read back": ("GET", "after"),
}
CAMPAIGN_WRITES = {
    "within a campaign's claim, before its commit": ("claim", "within"),
    "after the commit of a campaign's claim": ("claim", "after"),
    "within a campaign's confirmation, before its commit": ("CampaignDelivery._confirm", "within"),
    "after the commit of a campaign's confirmation": ("CampaignDelivery._confirm", "after"),
    "within the doubt about a campaign, before its commit": ("mark_unknown", "within"),
    "after the commit of the doubt about a campaign": ("mark_unknown", "after"),
}
CAMPAIGN_POINTS = (*CAMPAIGN_REQUESTS, *CAMPAIGN_WRITES)
APART = {
    "update": ("PUT", "/workflows/"),
    "create": ("POST", "/workflows/"),
    "reset": ("POST", "/workflows/"),
    "webhook": ("DELETE", "/webhook/"),
}
"""What is sent of workflows and webhooks: each cut off at the same points."""

APART_REQUESTS = {
    "update: after the claim, before the first byte": ("update", "before"),
    "update: when the platform has it, before its answer": ("update", "sent"),
    "update: when the answer is there, before it is kept": ("update", "after"),
    "create: after the claim, before the first byte": ("create", "before"),
    "create: when the platform has it, before its answer": ("create", "sent"),
    "create: when the answer is there, before it is kept": ("create", "after"),
    "reset: after the claim, before the first byte": ("reset", "before"),
    "reset: when the platform has it, before its answer": ("reset", "sent"),
    "webhook: when the platform has it, before its answer": ("webhook", "sent"),
}
APART_WRITES = {
    "update: within the confirmation, before its commit": ("_WriteDelivery._confirm", "within"),
    "create: within the claim, before its commit": ("_WriteDelivery._claim", "within"),
    "create: after the confirmation's commit": ("_WriteDelivery._confirm", "after"),
}
APART_POINTS = (*APART_REQUESTS, *APART_WRITES)
STATUS = 77


def end() -> None:
    """What kill -9 does, told by its own exit status."""
    os._exit(STATUS)


class CutTransport(httpx.AsyncBaseTransport):
    """The way to the platform, which ends the process at a request about a single task, campaign or workflow."""

    def __init__(self, through: httpx.AsyncBaseTransport, point: str):
        self._through = through
        self._path = "/campaigns" if point in CAMPAIGN_REQUESTS else "/tasks/"
        self._method, self._when = (REQUESTS | CAMPAIGN_REQUESTS).get(point, ("", ""))
        if point in APART_REQUESTS:
            deed, self._when = APART_REQUESTS[point]
            self._method, self._path = APART[deed]

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        here = request.method == self._method and request.url.path.startswith(self._path)
        if here and self._when == "before":
            end()
        if here and self._when == "sent":
            task = asyncio.create_task(self._through.handle_async_request(request))
            # The bytes leave within the first turns of the loop, and arrive within this; what comes back is lost.
            await asyncio.wait({task}, timeout=0.25)
            end()
        answer = await self._through.handle_async_request(request)
        if here and self._when == "after":
            await answer.aread()
            end()
        return answer


class CutStore(Store):
    """A store that ends the process within or after one of the sender's writes."""

    def __init__(self, folder: Any, point: str):
        super().__init__(folder)
        self._write, self._when = (WRITES | CAMPAIGN_WRITES | APART_WRITES).get(point, ("", ""))

    async def run(self, job: Job[T]) -> T:
        write = self._write if "." in self._write else f"Confirmation.{self._write}"
        here = f"{write}." in getattr(job, "func", job).__qualname__

        def cut(db: apsw.Connection) -> T:
            result = job(db)
            if here and self._when == "within":
                end()
            return result

        result = await super().run(cut)
        if here and self._when == "after":
            end()
        return result

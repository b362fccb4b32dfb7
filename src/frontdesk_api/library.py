"""The stable names of the client as a library (docs/library.md)."""

import asyncio
import time

from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import (
    Ambiguous,
    ApiError,
    BadReply,
    BadRequestInput,
    Conflict,
    CredentialsMissing,
    CredentialsRefused,
    HttpError,
    NotFound,
    NotSent,
    PlanRequired,
    RateLimited,
    Refused,
    ServerError,
    UnsentWrite,
)
from frontdesk_api.client.transport import RetryPolicy
from frontdesk_api.contract.ai_agents import AiAgent, AiAgentQuery
from frontdesk_api.contract.campaigns import Campaign, CampaignCreate, CampaignCreated
from frontdesk_api.contract.decode import Broken, Item, Page
from frontdesk_api.contract.endpoints import Host
from frontdesk_api.contract.ids import (
    AgentId,
    CampaignId,
    ConversationId,
    CustomerId,
    FolderId,
    LineId,
    TagId,
    TaskId,
    WebhookId,
    WorkflowId,
)
from frontdesk_api.contract.messages import Message, MessageQuery
from frontdesk_api.contract.tasks import Task, TaskQuery, TaskUpdate
from frontdesk_api.contract.workflows import Workflow, WorkflowCreate, WorkflowCreated, WorkflowUpdate
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_api.hosts import Hosts

REQUESTS_A_SECOND = 10.0
"""Number of requests a second: half of the rate limit seen in the field (docs/interface.md)."""


class RequestPacer:
    """Allows a second's worth of requests at once, then spaces them evenly."""

    def __init__(self, a_second: float) -> None:
        self._a_second = a_second
        self._left = a_second
        self._at = time.monotonic()

    async def __call__(self, _host: Host) -> None:
        now = time.monotonic()
        self._left = min(self._a_second, self._left + (now - self._at) * self._a_second) - 1
        self._at = now
        if self._left < 0:
            await asyncio.sleep(-self._left / self._a_second)


__all__ = [
    "AgentId",
    "AiAgent",
    "AiAgentQuery",
    "Ambiguous",
    "ApiError",
    "BadReply",
    "BadRequestInput",
    "Broken",
    "Campaign",
    "CampaignCreate",
    "CampaignCreated",
    "CampaignId",
    "Conflict",
    "ConversationId",
    "CredentialSet",
    "CredentialsMissing",
    "CredentialsRefused",
    "CustomerId",
    "FolderId",
    "Hosts",
    "HttpError",
    "Item",
    "LineId",
    "Message",
    "MessageQuery",
    "NotFound",
    "NotSent",
    "Page",
    "PlanRequired",
    "PlatformClient",
    "RateLimited",
    "Refused",
    "RequestPacer",
    "RetryPolicy",
    "Secret",
    "ServerError",
    "TagId",
    "Task",
    "TaskId",
    "TaskQuery",
    "TaskUpdate",
    "UnsentWrite",
    "WebhookId",
    "Workflow",
    "WorkflowCreate",
    "WorkflowCreated",
    "WorkflowId",
    "WorkflowUpdate",
]

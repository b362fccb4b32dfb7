"""Client as a library: the stable names (docs/library.md), and a client by the name of a profile."""

import asyncio
import os
import time

from frontdesk.api.client.client import PlatformClient
from frontdesk.api.client.errors import (
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
from frontdesk.api.client.transport import MaySend, RetryPolicy, always
from frontdesk.api.contract.ai_agents import AiAgent, AiAgentQuery
from frontdesk.api.contract.campaigns import Campaign, CampaignCreate, CampaignCreated
from frontdesk.api.contract.decode import Broken, Item, Page
from frontdesk.api.contract.endpoints import Host
from frontdesk.api.contract.ids import (
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
from frontdesk.api.contract.messages import Message, MessageQuery
from frontdesk.api.contract.tasks import Task, TaskQuery, TaskUpdate
from frontdesk.api.contract.workflows import Workflow, WorkflowCreate, WorkflowCreated, WorkflowUpdate
from frontdesk.config.credential_sources import add_outside_credentials
from frontdesk.config.credentials import load_credentials
from frontdesk.config.settings import ConfigError, NoProfile, load_config, resolve_profile

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


def open_client(
    profile: str | None = None,
    *,
    retry: RetryPolicy | None = None,
    dry_run: bool = False,
    may_send: MaySend = always,
) -> PlatformClient:
    """Make the client of a profile, at the pace of the command line; close it with `async with`.

    The environment overrides the profile, as for every command; the setting `read_only` holds.

    Args:
        profile: the profile's name; by default that of a command without `--profile`.
        retry: the policy for retrying fetches.
        dry_run: raise `UnsentWrite` in place of each write.
        may_send: called before each part of a write leaves; False ends the request.

    Raises:
        ConfigError, NoProfile: no profile can be used.
        SecretError: the profile's credentials can't be loaded.
    """
    config = load_config()
    general = config.settings
    chosen = resolve_profile(config, os.environ, profile)
    credentials = load_credentials(chosen, add_outside_credentials(chosen, os.environ))
    return PlatformClient(
        chosen.hosts,
        credentials,
        gate=RequestPacer(REQUESTS_A_SECOND),
        retry=retry,
        ca_file=general.ca_file,
        proxy=general.proxy,
        read_only=general.read_only,
        dry_run=dry_run,
        may_send=may_send,
    )


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
    "ConfigError",
    "Conflict",
    "ConversationId",
    "CredentialsMissing",
    "CredentialsRefused",
    "CustomerId",
    "FolderId",
    "HttpError",
    "Item",
    "LineId",
    "Message",
    "MessageQuery",
    "NoProfile",
    "NotFound",
    "NotSent",
    "Page",
    "PlanRequired",
    "PlatformClient",
    "RateLimited",
    "Refused",
    "RetryPolicy",
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
    "open_client",
]

"""Declarations of the operations of docs/interface.md, for the client, the sandbox and the OpenAPI document."""

from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from frontdesk_api.contract.ai_agents import AiAgent, AiAgentQuery
from frontdesk_api.contract.base import MAX_TASKS_LIMIT, ClosedModel, Request, Resource
from frontdesk_api.contract.campaigns import Campaign, CampaignCreate, CampaignCreated
from frontdesk_api.contract.messages import Message, MessageQuery, TagAssignment
from frontdesk_api.contract.tasks import Task, TaskQuery, TaskUpdate
from frontdesk_api.contract.workflows import (
    FolderQuery,
    Workflow,
    WorkflowCreate,
    WorkflowCreated,
    WorkflowQuery,
    WorkflowUpdate,
)

ModelT = TypeVar("ModelT", bound=BaseModel)

_KIB, _MIB = 1024, 1024 * 1024

SHORT_BYTES = 64 * _KIB
"""Maximum size of refusals, and of successes of at most a word."""

_ONE_BYTES = 1 * _MIB
"""Maximum size of one task with long notes, or a message."""

_PAGE_BYTES = 4 * _MIB
"""Maximum size of 100 tasks or a page of messages, 40 KiB each."""

_AI_AGENTS_BYTES = 8 * _MIB
"""Maximum size of a page of AI agents, with long instructions and the names of every file."""

_WORKFLOW_BYTES = 8 * _MIB
"""Maximum size of one workflow, equal to the largest body that the sandbox accepts."""

_FOLDER_BYTES = 16 * _MIB
"""Maximum size of all documents of an account: the request has no cursor."""

_CAMPAIGN_BYTES = 16 * _MIB
"""Maximum size of a campaign: 50,000 recipients take 4.3 MB, and twice that with variables."""


class Host(StrEnum):
    """The five hosts (docs/interface.md, Hosts)."""

    BASE = "base_url"
    CAMPAIGNS = "campaigns_url"
    WORKFLOWS = "workflows_url"
    BUSINESS = "business_url"
    AI = "ai_url"


class Credentials(StrEnum):
    """The headers with credentials that an operation carries (docs/interface.md, Authentication)."""

    ACCOUNT = "Cookie and x-api-key"
    BEARER = "Authorization: Bearer and x-api-key"


class Retry(StrEnum):
    """Requests that may be retried automatically after a failure."""

    READ = "a read: repeat it"
    WRITE = "a write: only when nothing was sent"
    NEVER = "never automatically: read back first"


@dataclass(frozen=True, slots=True)
class One(Generic[ModelT]):
    """An answer with one object, alone or under `field`."""

    model: type[ModelT]
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Listing(Generic[ModelT]):
    """An answer with a page: items under `field`, hasMoreItemsToFetch and lastEvaluatedKey."""

    item: type[ModelT]
    field: str


@dataclass(frozen=True, slots=True)
class Word:
    """An answer with this JSON string."""

    value: str


@dataclass(frozen=True, slots=True)
class Anything:
    """An answer that the interface doesn't show: nothing at all or any JSON is a success."""


ReplyT = TypeVar("ReplyT", bound="One[Any] | Listing[Any] | Word | Anything")


@dataclass(frozen=True, slots=True)
class Endpoint(Generic[ReplyT]):
    """An operation of the interface.

    Attributes:
        route: the method and the path, with `{name}` for ids, which are percent-encoded.
        reply_bytes: the maximum size of a success.
        page_size: the number of items that a listing has if the request has no limit.
        title: the operation's name in the interface, if it isn't `name` in words.
        success: 201 for Create campaign; elsewhere the interface shows no code, so the client
            checks whether the answer fits `reply`.
        errors: the number of error answers with the Error body in the interface.
        specified: False for the graph PUT, which the interface names without a description.
    """

    name: str
    host: Host
    route: str
    reply: ReplyT
    retry: Retry
    _: KW_ONLY
    reply_bytes: int
    page_size: int = 0
    request: type[BaseModel] | None = None
    query: type[BaseModel] | None = None
    title: str = ""
    credentials: Credentials = Credentials.ACCOUNT
    success: int = 200
    errors: int = 2
    specified: bool = True

    @property
    def summary(self) -> str:
        return self.title or self.name.replace("_", " ").capitalize()

    @property
    def method(self) -> str:
        return self.route.split()[0]

    @property
    def path(self) -> str:
        return self.route.split()[1]


CREATE_CAMPAIGN = Endpoint(
    "create_campaign",
    Host.CAMPAIGNS,
    "POST /campaigns",
    One(CampaignCreated),
    Retry.NEVER,
    reply_bytes=_ONE_BYTES,
    request=CampaignCreate,
    success=201,
    errors=1,
)
GET_CAMPAIGN = Endpoint(
    "get_campaign", Host.CAMPAIGNS, "GET /campaigns/{id}", One(Campaign), Retry.READ, reply_bytes=_CAMPAIGN_BYTES
)
LIST_WORKFLOWS = Endpoint(
    "list_workflows",
    Host.WORKFLOWS,
    "POST /workflows",
    Listing(Workflow, "result"),
    Retry.READ,
    reply_bytes=_FOLDER_BYTES,
    page_size=5_000,
    request=WorkflowQuery,
)
CREATE_WORKFLOW = Endpoint(
    "create_workflow",
    Host.WORKFLOWS,
    "POST /workflows/{workflowId}",
    One(WorkflowCreated),
    Retry.NEVER,
    reply_bytes=_ONE_BYTES,
    request=WorkflowCreate,
    query=FolderQuery,
)
UPDATE_WORKFLOW = Endpoint(
    "update_workflow",
    Host.WORKFLOWS,
    "PUT /workflows/{workflowId}",
    One(Workflow),
    Retry.WRITE,
    reply_bytes=_WORKFLOW_BYTES,
    request=WorkflowUpdate,
    title="Update workflow graph",
    specified=False,
)
RESET_WORKFLOW_ANALYTICS = Endpoint(
    "reset_workflow_analytics",
    Host.WORKFLOWS,
    "POST /workflows/{workflowId}/analytics/reset",
    One(Workflow),
    Retry.NEVER,
    reply_bytes=_WORKFLOW_BYTES,
    errors=3,
)
LIST_TASKS = Endpoint(
    "list_tasks",
    Host.BUSINESS,
    "POST /tasks/list",
    Listing(Task, "dbObject"),
    Retry.READ,
    reply_bytes=_PAGE_BYTES,
    page_size=MAX_TASKS_LIMIT,
    request=TaskQuery,
    errors=3,
)
GET_TASK = Endpoint(
    "get_task",
    Host.BUSINESS,
    "GET /tasks/{taskId}",
    One(Task, "task"),
    Retry.READ,
    reply_bytes=_ONE_BYTES,
    errors=4,
)
UPDATE_TASK = Endpoint(
    "update_task",
    Host.BUSINESS,
    "PATCH /tasks/{taskId}",
    One(Task, "task"),
    Retry.WRITE,
    reply_bytes=_ONE_BYTES,
    request=TaskUpdate,
    errors=4,
)
GET_MESSAGES = Endpoint(
    "get_messages",
    Host.BASE,
    "POST /getMessages",
    Listing(Message, "dbObject"),
    Retry.READ,
    reply_bytes=_PAGE_BYTES,
    page_size=500,
    request=MessageQuery,
)
ASSIGN_TAGS = Endpoint(
    "assign_tags",
    Host.BASE,
    "POST /conversations/{id}/tags",
    Word("success"),
    Retry.WRITE,
    reply_bytes=SHORT_BYTES,
    request=TagAssignment,
    title="Assign tags to a conversation",
)
LIST_AI_AGENTS = Endpoint(
    "list_ai_agents",
    Host.AI,
    "GET /ai-agents",
    Listing(AiAgent, "agents"),
    Retry.READ,
    reply_bytes=_AI_AGENTS_BYTES,
    page_size=100,
    query=AiAgentQuery,
    title="List AI agents",
)
DELETE_WEBHOOK = Endpoint(
    "delete_webhook",
    Host.BASE,
    "DELETE /webhook/{webhookId}",
    Anything(),
    Retry.WRITE,
    reply_bytes=SHORT_BYTES,
    credentials=Credentials.BEARER,
)

OPERATIONS: tuple[Endpoint[Any], ...] = (
    CREATE_CAMPAIGN,
    GET_CAMPAIGN,
    LIST_WORKFLOWS,
    CREATE_WORKFLOW,
    UPDATE_WORKFLOW,
    RESET_WORKFLOW_ANALYTICS,
    LIST_TASKS,
    GET_TASK,
    UPDATE_TASK,
    GET_MESSAGES,
    ASSIGN_TAGS,
    LIST_AI_AGENTS,
    DELETE_WEBHOOK,
)


@cache
def field_names() -> frozenset[str]:
    """Return every field name that the interface declares, in any body."""
    models: list[type[BaseModel]] = [Resource, Request, ClosedModel]
    names = {"error", "message", "hasMoreItemsToFetch", "lastEvaluatedKey"}
    for model in models:
        models += model.__subclasses__()
        names |= model.model_fields.keys()
    replies = (each.reply for each in OPERATIONS)
    return frozenset(names | {field for each in replies if (field := getattr(each, "field", None)) is not None})

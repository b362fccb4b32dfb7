"""Each operation of docs/interface.md, declared once, for the client, the sandbox and the OpenAPI document."""

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from frontdesk.api.contract.ai_agents import AiAgent, AiAgentQuery
from frontdesk.api.contract.base import ClosedModel, Request, Resource
from frontdesk.api.contract.campaigns import Campaign, CampaignCreate, CampaignCreated
from frontdesk.api.contract.messages import Message, MessageQuery, TagAssignment
from frontdesk.api.contract.tasks import Task, TaskQuery, TaskUpdate
from frontdesk.api.contract.workflows import (
    FolderQuery,
    Workflow,
    WorkflowCreate,
    WorkflowCreated,
    WorkflowQuery,
    WorkflowUpdate,
)

ModelT = TypeVar("ModelT", bound=BaseModel)


class Host(StrEnum):
    """The five hosts (docs/interface.md, Hosts)."""

    BASE = "base_url"
    CAMPAIGNS = "campaigns_url"
    WORKFLOWS = "workflows_url"
    BUSINESS = "business_url"
    AI = "ai_url"


class Credentials(StrEnum):
    """The headers that an operation carries (docs/interface.md, Authentication)."""

    ACCOUNT = "Cookie and x-api-key"
    BEARER = "Authorization: Bearer and x-api-key"


class Retry(StrEnum):
    """What may be retried automatically after a failure."""

    READ = "a read: repeat it"
    WRITE = "a write: only when nothing was sent"
    NEVER = "never by itself: read back first"


@dataclass(frozen=True, slots=True)
class One(Generic[ModelT]):
    """The answer is one object, alone or under `field`."""

    model: type[ModelT]
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Listing(Generic[ModelT]):
    """The answer is a page: items under `field`, hasMoreItemsToFetch and lastEvaluatedKey."""

    item: type[ModelT]
    field: str


@dataclass(frozen=True, slots=True)
class Word:
    """The answer is this JSON string."""

    value: str


@dataclass(frozen=True, slots=True)
class Anything:
    """The interface doesn't show the answer: nothing at all or any JSON is a success."""


ReplyT = TypeVar("ReplyT", bound="One[Any] | Listing[Any] | Word | Anything")


@dataclass(frozen=True, slots=True)
class Endpoint(Generic[ReplyT]):
    """One operation.

    Attributes:
        path: with `{name}` for ids, which are percent-encoded.
        success: 201 for Create campaign; elsewhere the interface shows no code, so the client
            checks whether the answer fits `reply`.
        errors: how many error answers with the Error body the interface documents.
        specified: False for the graph PUT, which is named without its own description.
    """

    name: str
    summary: str
    host: Host
    method: str
    path: str
    reply: ReplyT
    retry: Retry
    request: type[BaseModel] | None = None
    query: type[BaseModel] | None = None
    credentials: Credentials = Credentials.ACCOUNT
    success: int = 200
    errors: int = 2
    specified: bool = True


CREATE_CAMPAIGN = Endpoint(
    name="create_campaign",
    summary="Create campaign",
    host=Host.CAMPAIGNS,
    method="POST",
    path="/campaigns",
    reply=One(CampaignCreated),
    retry=Retry.NEVER,
    request=CampaignCreate,
    success=201,
    errors=1,
)

GET_CAMPAIGN = Endpoint(
    name="get_campaign",
    summary="Get campaign",
    host=Host.CAMPAIGNS,
    method="GET",
    path="/campaigns/{id}",
    reply=One(Campaign),
    retry=Retry.READ,
)

LIST_WORKFLOWS = Endpoint(
    name="list_workflows",
    summary="List workflows",
    host=Host.WORKFLOWS,
    method="POST",
    path="/workflows",
    reply=Listing(Workflow, "result"),
    retry=Retry.READ,
    request=WorkflowQuery,
)

CREATE_WORKFLOW = Endpoint(
    name="create_workflow",
    summary="Create workflow",
    host=Host.WORKFLOWS,
    method="POST",
    path="/workflows/{workflowId}",
    reply=One(WorkflowCreated),
    retry=Retry.NEVER,
    request=WorkflowCreate,
    query=FolderQuery,
)

UPDATE_WORKFLOW = Endpoint(
    name="update_workflow",
    summary="Update workflow graph",
    host=Host.WORKFLOWS,
    method="PUT",
    path="/workflows/{workflowId}",
    reply=One(Workflow),
    retry=Retry.WRITE,
    request=WorkflowUpdate,
    specified=False,
)

RESET_WORKFLOW_ANALYTICS = Endpoint(
    name="reset_workflow_analytics",
    summary="Reset workflow analytics",
    host=Host.WORKFLOWS,
    method="POST",
    path="/workflows/{workflowId}/analytics/reset",
    reply=One(Workflow),
    retry=Retry.NEVER,
    errors=3,
)

LIST_TASKS = Endpoint(
    name="list_tasks",
    summary="List tasks",
    host=Host.BUSINESS,
    method="POST",
    path="/tasks/list",
    reply=Listing(Task, "dbObject"),
    retry=Retry.READ,
    request=TaskQuery,
    errors=3,
)

GET_TASK = Endpoint(
    name="get_task",
    summary="Get task",
    host=Host.BUSINESS,
    method="GET",
    path="/tasks/{taskId}",
    reply=One(Task, "task"),
    retry=Retry.READ,
    errors=4,
)

UPDATE_TASK = Endpoint(
    name="update_task",
    summary="Update task",
    host=Host.BUSINESS,
    method="PATCH",
    path="/tasks/{taskId}",
    reply=One(Task, "task"),
    retry=Retry.WRITE,
    request=TaskUpdate,
    errors=4,
)

GET_MESSAGES = Endpoint(
    name="get_messages",
    summary="Get messages",
    host=Host.BASE,
    method="POST",
    path="/getMessages",
    reply=Listing(Message, "dbObject"),
    retry=Retry.READ,
    request=MessageQuery,
)

ASSIGN_TAGS = Endpoint(
    name="assign_tags",
    summary="Assign tags to a conversation",
    host=Host.BASE,
    method="POST",
    path="/conversations/{id}/tags",
    reply=Word("success"),
    retry=Retry.WRITE,
    request=TagAssignment,
)

LIST_AI_AGENTS = Endpoint(
    name="list_ai_agents",
    summary="List AI agents",
    host=Host.AI,
    method="GET",
    path="/ai-agents",
    reply=Listing(AiAgent, "agents"),
    retry=Retry.READ,
    query=AiAgentQuery,
)

DELETE_WEBHOOK = Endpoint(
    name="delete_webhook",
    summary="Delete webhook",
    host=Host.BASE,
    method="DELETE",
    path="/webhook/{webhookId}",
    reply=Anything(),
    retry=Retry.WRITE,
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
    """Every field name that the interface declares, in any body."""
    models: list[type[BaseModel]] = [Resource, Request, ClosedModel]
    names = {"error", "message", "hasMoreItemsToFetch", "lastEvaluatedKey"}
    for model in models:
        models += model.__subclasses__()
        names |= model.model_fields.keys()
    replies = (each.reply for each in OPERATIONS)
    return frozenset(names | {field for each in replies if (field := getattr(each, "field", None)) is not None})

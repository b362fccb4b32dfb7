"""Tasks and the customers in them (docs/interface.md, Task and the three task operations)."""

from typing import Annotated

from pydantic import Field

from frontdesk_api.contract.base import MAX_TASKS_LIMIT, MIN_TASKS_LIMIT, JsonObject, Request, Resource
from frontdesk_api.contract.ids import AgentId, ConversationId, CustomerId, LineId, StatusId, TaskId
from frontdesk_api.contract.values import UnixSeconds, UnixUnstated


class Customer(Resource):
    """The customer of a conversation, inside a task."""

    profileImage: str | None = None
    customerName: str | None = None
    customerNickname: str | None = None
    description: str | None = None
    createdAt: UnixUnstated | None = None
    lastActiveAt: UnixUnstated | None = None
    email: str | None = None
    platform: str | None = None
    phoneNumberId: CustomerId | None = None
    countryCode: str | None = None
    associatedTo: str | None = None
    parsedPhoneNumber: str | None = None


class Task(Resource):
    """A task on a conversation. `dueDate` is Unix seconds; 0 and absent both mean no due date."""

    taskId: TaskId
    title: str | None = None
    body: str | None = None
    associatedTo: str | None = None
    statusCase: StatusId | None = None
    unreadCount: float | None = None
    agentIdentification: JsonObject | None = None
    createdAt: UnixUnstated | None = None
    updatedAt: UnixUnstated | None = None
    dueDate: UnixSeconds | None = None
    assignedAgentIds: list[AgentId] | None = None
    viewedByAgentIds: list[AgentId] | None = None
    phoneNumberId: LineId | None = None
    participantsIdentifiers: ConversationId | None = None
    customer: Customer | None = None


class TaskQuery(Request):
    """The query of List tasks (docs/interface.md), all optional."""

    phoneNumberId: LineId | None = None
    agentId: AgentId | None = None
    participantsIdentifiers: ConversationId | None = None
    lastEvaluatedKey: JsonObject | None = None
    limit: Annotated[int, Field(ge=MIN_TASKS_LIMIT, le=MAX_TASKS_LIMIT)] | None = None


class TaskUpdate(Request):
    """The body of Update task: only set fields are changed.

    `assignedAgentIds` replaces the whole list; `dueDate` is Unix seconds, 0 unsets it.
    """

    title: str | None = None
    body: str | None = None
    statusCase: StatusId | None = None
    assignedAgentIds: list[AgentId] | None = None
    viewedByAgentIds: list[AgentId] | None = None
    dueDate: UnixSeconds | None = None
    participantsIdentifiers: ConversationId | None = None
    phoneNumberId: LineId | None = None

"""AI agents, which are not people and can't be assigned (docs/interface.md, AI agent)."""

from typing import Annotated, Literal

from pydantic import Field

from frontdesk_api.contract.base import MIN_AI_AGENTS_LIMIT, JsonObject, Request, Resource
from frontdesk_api.contract.ids import AiAgentId, FolderId
from frontdesk_api.contract.values import UnixUnstated


class AiRole(Resource):
    """An instruction of an AI agent."""

    name: str | None = None
    description: str | None = None
    instructions: str | None = None
    webhook: str | None = None
    allRequired: bool | None = None
    tool: JsonObject | None = None


class VectorStore(Resource):
    """A knowledge store of an AI agent; it has `files` only if they were requested."""

    id: str | None = None
    required: bool | None = None
    files: list[JsonObject] | None = None
    fileNamesMapping: JsonObject | None = None


class AiAgent(Resource):
    """An AI agent with its roles."""

    id: AiAgentId
    name: str | None = None
    associatedTo: str | None = None
    folderId: FolderId | None = None
    profileImage: str | None = None
    description: str | None = None
    created: UnixUnstated | None = None
    lastModified: UnixUnstated | None = None
    tokensUsed: float | None = None
    isActive: bool | None = None
    roles: list[AiRole] | None = None
    vectorStore: VectorStore | None = None


class AiAgentQuery(Request):
    """The query of List AI agents (docs/interface.md); `exclusiveStartKey` is JSON, not yet URI-encoded."""

    flat: Literal[True]
    getFiles: Literal[True] | None = None
    limit: Annotated[int, Field(ge=MIN_AI_AGENTS_LIMIT)] | None = None
    exclusiveStartKey: str | None = None

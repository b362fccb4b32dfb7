"""AI agents, which are not people and can't be assigned (docs/interface.md, AI agent)."""

from typing import Annotated, Literal

from pydantic import Field

from frontdesk.api.contract.base import MIN_AI_AGENTS_LIMIT, JsonObject, Request, Resource
from frontdesk.api.contract.ids import AiAgentId, FolderId
from frontdesk.api.contract.times import UnixUnstated


class AiRole(Resource):
    """One of the things an AI agent is told to do."""

    name: str | None = None
    description: str | None = None
    instructions: str | None = None
    webhook: str | None = None
    allRequired: bool | None = None
    tool: JsonObject | None = None


class VectorStore(Resource):
    """Where an AI agent looks things up; files only when they were asked for."""

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
    """docs/interface.md, List AI agents: the query parameters, with their JSON types.

    `exclusiveStartKey` is the JSON of the last `lastEvaluatedKey`; URI-encoding is the URL's.
    """

    flat: Literal[True]
    getFiles: Literal[True] | None = None
    limit: Annotated[int, Field(ge=MIN_AI_AGENTS_LIMIT)] | None = None
    exclusiveStartKey: str | None = None

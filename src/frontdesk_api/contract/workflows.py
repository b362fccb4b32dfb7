"""Workflows, their graphs and analytics (docs/interface.md, Workflow and its operations)."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from frontdesk_api.contract.base import JsonObject, Request, Resource
from frontdesk_api.contract.ids import FolderId, NodeId, WorkflowId
from frontdesk_api.contract.values import UnixSeconds, UnixUnstated


class ExecutionNode(Resource):
    """A step of the graph that runs. Its sub-nodes are its labelled exits."""

    id: NodeId | None = None
    type: str | None = None
    category: str | None = None
    title: str | None = None
    parentId: str | None = None
    data: JsonObject | None = None
    connections: JsonObject | None = None
    subNodes: "list[ExecutionNode] | None" = None


class Position(Resource):
    """A node's position on the canvas."""

    x: float | None = None
    y: float | None = None


class CanvasNode(Resource):
    """A node in the editor."""

    id: NodeId | None = None
    type: str | None = None
    category: str | None = None
    parentId: str | None = None
    position: Position | None = None
    draggable: bool | None = None
    selected: bool | None = None
    data: JsonObject | None = None


class CanvasEdge(Resource):
    """A line between two nodes of the canvas."""

    id: str | None = None
    source: str | None = None
    target: str | None = None
    sourceHandle: str | None = None
    targetHandle: str | None = None
    type: str | None = None


class Canvas(Resource):
    """The editor's drawing, which isn't executed."""

    nodes: list[CanvasNode] | None = None
    edges: list[CanvasEdge] | None = None


class Analytics(Resource):
    """Server-managed counters; absent if the plan lacks canvas analytics, which doesn't mean zero."""

    totalStarted: float | None = None
    totalCompleted: float | None = None
    totalDropped: float | None = None
    lastUpdated: float | None = None
    nodeStats: JsonObject | None = None
    edgeStats: JsonObject | None = None
    buttonStats: JsonObject | None = None


class Workflow(Resource):
    """A stored workflow. `created` and `lastModified` are Unix seconds."""

    id: WorkflowId
    name: str | None = None
    folderId: FolderId | None = None
    associatedTo: str | None = None
    associatedToBusinessId: str | None = None
    associatedToPlatformId: str | None = None
    platformType: str | None = None
    isActive: bool | None = None
    created: UnixSeconds | None = None
    lastModified: UnixSeconds | None = None
    triggerType: str | None = None
    trigger: ExecutionNode | None = None
    variables: JsonObject | None = None
    data: Canvas | None = None
    parsedData: list[ExecutionNode] | None = None
    settings: JsonObject | None = None
    notes: str | None = None
    executionCount: float | None = None
    lastExecution: UnixUnstated | None = None
    analytics: Analytics | None = None
    selected: bool | None = None


class WorkflowDocument(Resource):
    """A workflow of which only the id is parsed: its graph may be megabytes."""

    id: WorkflowId


class WorkflowQuery(Request):
    """The body of List workflows (docs/interface.md): minimal data or whole documents."""

    getAllWorkflowsMinimalData: bool | None = None


class FolderQuery(Request):
    """The query of Create workflow: an existing folder."""

    folderId: Annotated[FolderId, Field(min_length=1)]


class _WorkflowGraph(Request):
    associatedToBusinessId: str | None = None
    associatedToPlatformId: str | None = None
    platformType: str | None = None
    triggerType: str | None = None
    notes: str | None = None
    trigger: ExecutionNode | None = None
    variables: JsonObject | None = None
    data: Canvas | None = None
    parsedData: list[ExecutionNode] | None = None
    settings: JsonObject | None = None
    selected: bool | None = None
    autoLayout: bool | None = None
    autoClean: bool | None = None


class WorkflowCreate(_WorkflowGraph):
    """The body of Create workflow; with `data.nodes`, autoLayout (alias autoClean) must be true."""

    name: str

    @model_validator(mode="after")
    def _nodes_need_layout(self) -> Self:
        if self.data is not None and self.data.nodes is not None and not (self.autoLayout or self.autoClean):
            raise ValueError("autoLayout must be true when data.nodes is sent")
        return self


class WorkflowUpdate(_WorkflowGraph):
    """The body of the graph PUT, which the interface doesn't describe."""

    name: str | None = None
    folderId: FolderId | None = None
    isActive: bool | None = None
    lastModified: UnixSeconds | None = None


class WorkflowCreated(Resource):
    """The answer of Create workflow; `lastModified` is kept for later graph updates."""

    message: str
    created: int
    lastModified: int

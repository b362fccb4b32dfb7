"""The field tables of the interface, written down by hand, and values for each kind of field.

The models are compared with it: a second pair of eyes.
"""

from typing import Any

from hypothesis import strategies as st
from pydantic import BaseModel

from frontdesk_api.contract.ai_agents import AiAgent, AiRole, VectorStore
from frontdesk_api.contract.campaigns import Campaign, Recipient
from frontdesk_api.contract.messages import AttachmentResource, ConversationTag, Message, MessageContext
from frontdesk_api.contract.tasks import Customer, Task
from frontdesk_api.contract.workflows import (
    Analytics,
    Canvas,
    CanvasEdge,
    CanvasNode,
    ExecutionNode,
    Position,
    Workflow,
)

STRING, NUMBER, BOOLEAN, OBJECT = "string", "number", "boolean", "object"
STRINGS, OBJECTS = "array of string", "array of object"

Table = dict[str, str]


def _table(**names: str) -> Table:
    """`string="id, name"` and so on as one field a key."""
    kinds = {"strings": STRINGS, "objects": OBJECTS}
    return {name: kinds.get(kind, kind) for kind, listed in names.items() for name in listed.split()}


CUSTOMER = _table(
    string="profileImage customerName customerNickname description email platform phoneNumberId countryCode"
    " associatedTo parsedPhoneNumber",
    number="createdAt lastActiveAt",
)
TASK = _table(
    string="taskId title body associatedTo statusCase phoneNumberId participantsIdentifiers",
    number="unreadCount createdAt updatedAt dueDate",
    object="agentIdentification customer",
    strings="assignedAgentIds viewedByAgentIds",
)
MESSAGE = _table(
    string="messageId sender receiver initiator status participantsIdentifiers message type messagePlatform"
    " creationPlatform associatedTo messageDirection informativeMessageType",
    number="createdAt updatedAt",
    boolean="hasReaction hasAttachment",
    object="translation error agentIdentification comment attachment richContent context attachmentBase64",
    objects="reactions",
)
CONTEXT = _table(string="id")  # and `from`, which is a word of Python: kept as an unknown field is
ATTACHMENT = _table(string="resourceId fileName fileMimeType fileType", number="fileSize")
CAMPAIGN = _table(
    string="id name description contentType workflowId workflowName folderId whenToSendMessage audienceCountry"
    " associatedToBusinessId source status associatedTo failureReason",
    number="scheduledAt created lastModified startedAt completedAt failedAt totalRecipients pendingCount sentCount"
    " deliveredCount readCount failedCount optOutCount duplicateMessageCount tooManyRequestsCount",
    boolean="isActive",
    objects="conversationTags customerList",
)
TAG = _table(string="id title color associatedTo")
RECIPIENT = _table(string="phoneNumberId customerName countryCode")
WORKFLOW = _table(
    string="id name folderId associatedTo associatedToBusinessId associatedToPlatformId platformType triggerType"
    " notes",
    number="created lastModified executionCount lastExecution",
    boolean="isActive selected",
    object="trigger variables data settings analytics",
    objects="parsedData",
)
EXECUTION_NODE = _table(string="id type category title parentId", object="data connections", objects="subNodes")
CANVAS = _table(objects="nodes edges")
CANVAS_NODE = _table(string="id type category parentId", boolean="draggable selected", object="position data")
POSITION = _table(number="x y")
CANVAS_EDGE = _table(string="id source target sourceHandle targetHandle type")
ANALYTICS = _table(
    number="totalStarted totalCompleted totalDropped lastUpdated", object="nodeStats edgeStats buttonStats"
)
AI_AGENT = _table(
    string="id name associatedTo folderId profileImage description",
    number="created lastModified tokensUsed",
    boolean="isActive",
    object="vectorStore",
    objects="roles",
)
ROLE = _table(string="name description instructions webhook", boolean="allRequired", object="tool")
VECTOR_STORE = _table(string="id", boolean="required", objects="files", object="fileNamesMapping")

TABLES: tuple[tuple[type[BaseModel], Table], ...] = (
    (Customer, CUSTOMER),
    (Task, TASK),
    (Message, MESSAGE),
    (MessageContext, CONTEXT),
    (AttachmentResource, ATTACHMENT),
    (Campaign, CAMPAIGN),
    (ConversationTag, TAG),
    (Recipient, RECIPIENT),
    (Workflow, WORKFLOW),
    (ExecutionNode, EXECUTION_NODE),
    (Canvas, CANVAS),
    (CanvasNode, CANVAS_NODE),
    (Position, POSITION),
    (CanvasEdge, CANVAS_EDGE),
    (Analytics, ANALYTICS),
    (AiAgent, AI_AGENT),
    (AiRole, ROLE),
    (VectorStore, VECTOR_STORE),
)

IDS: dict[type[BaseModel], str] = {
    Task: "taskId",
    Message: "messageId",
    Campaign: "id",
    Workflow: "id",
    AiAgent: "id",
}
"""The resources that come by themselves or in listings, and the field without which one can't be read."""

LOOSE = {
    "agentIdentification",
    "translation",
    "error",
    "comment",
    "attachment",
    "richContent",
    "variables",
    "settings",
    "tool",
    "fileNamesMapping",
    "nodeStats",
    "edgeStats",
    "buttonStats",
    "connections",
}
"""Objects whose inside the interface does not show: anything may be in them."""

GOOD: dict[str, tuple[object, ...]] = {
    STRING: ("", "x", "1", "שלום"),
    NUMBER: (0, -1, 1.5, 1_763_000_000, 1_763_000_000_000),
    BOOLEAN: (True, False),
    OBJECT: ({}, {"anyName": "x"}),
    STRINGS: ([], ["a", "b"]),
    OBJECTS: ([], [{}]),
}
BAD: dict[str, tuple[object, ...]] = {
    STRING: (5, 0.5, True, [], {}, ["x"]),
    NUMBER: ("1", "", True, [], {}),
    BOOLEAN: (0, 1, "true", "", [], {}),
    OBJECT: ("x", 5, True, [], [{}]),
    STRINGS: ("a", 5, True, {}, [5], [None], ["a", 5]),
    OBJECTS: ("a", 5, True, {}, [5], ["a"]),
}

# Whole numbers beyond 2**53 are no JSON numbers that two programs agree on.
NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
JSON_OBJECTS = st.dictionaries(st.text(max_size=8), JSON, max_size=4)

_VALUES: dict[str, st.SearchStrategy[Any]] = {
    STRING: st.text(max_size=12),
    NUMBER: NUMBERS,
    BOOLEAN: st.booleans(),
    OBJECT: st.just({}),
    STRINGS: st.lists(st.text(max_size=6), max_size=3),
    OBJECTS: st.just([]),
}


def objects_of(model: type[BaseModel], table: Table) -> st.SearchStrategy[dict[str, Any]]:
    """Whole objects as the platform may send them: any of the fields, loose ones of any inside, unknown ones."""
    values = {name: JSON_OBJECTS if name in LOOSE else _VALUES[kind] for name, kind in table.items()}
    identity = IDS[model]
    needed = {identity: st.text(min_size=1, max_size=12)}
    known = st.fixed_dictionaries(
        needed, optional={name: each for name, each in values.items() if name != identity}
    )
    unknown = st.dictionaries(st.text(max_size=10).filter(lambda name: name not in table), JSON, max_size=3)
    return st.builds(lambda one, other: {**other, **one}, known, unknown)

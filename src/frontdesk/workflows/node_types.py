"""The types of nodes that are known (docs/interface.md, Values seen)."""

from frontdesk.workflow_runtime.graph import CHANNELS, FALLBACK, TIMEOUT
from frontdesk.workflows.document import Node

STEP_TYPES = CHANNELS | {
    "assignTags",
    "assignAgent",
    "updateConversation",
    "updateCustomer",
    "workflowPointer",
    "if",
    "wait",
    "switch",
    "httpRequest",
    "ai",
    "task",
    "stickyNote",
}
EXIT_TYPES = frozenset({"answer", "conditionEvaluation", "switchCaseEvaluation", FALLBACK, TIMEOUT})

INBOUND = frozenset({"Messages Created", "New Conversation Started"})
"""Events of a trigger with which the customer opens the conversation."""


def is_trigger(node: Node) -> bool:
    """Whether a node says of itself that it is a trigger: there is one type for each channel."""
    return node.category == "Trigger" or node.type.endswith("Trigger")


def is_answer(sub: Node) -> bool:
    """Whether a customer's answer can choose this exit."""
    return sub.type not in (FALLBACK, TIMEOUT)

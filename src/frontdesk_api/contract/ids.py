"""Ids as distinct types; all are the platform's opaque strings, compared and sent back unchanged."""

from typing import NewType

LineId = NewType("LineId", str)
"""A business phone number: the interface's `phoneNumberId` in tasks and messages."""

CustomerId = NewType("CustomerId", str)
"""The customer: `targetPhoneNumberId`, and `phoneNumberId` inside `customer` and recipients."""

ConversationId = NewType("ConversationId", str)
"""`participantsIdentifiers` of a conversation: two ids joined with `#`, in no safe order (docs/interface.md)."""

TaskId = NewType("TaskId", str)
MessageId = NewType("MessageId", str)
TagId = NewType("TagId", str)
CampaignId = NewType("CampaignId", str)
WorkflowId = NewType("WorkflowId", str)
FolderId = NewType("FolderId", str)
NodeId = NewType("NodeId", str)
AgentId = NewType("AgentId", str)
"""A human who works conversations; never an AI agent."""

AiAgentId = NewType("AiAgentId", str)
WebhookId = NewType("WebhookId", str)
StatusId = NewType("StatusId", str)
"""A task's `statusCase`: open, standby, completed, or a custom id of the business."""

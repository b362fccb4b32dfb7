"""Campaigns (docs/interface.md, Campaign, Create campaign and Get campaign)."""

from typing import Annotated, Literal, Self

from pydantic import Field, RootModel, model_validator

from frontdesk_api.contract.base import ClosedModel, JsonObject, Resource
from frontdesk_api.contract.ids import CampaignId, CustomerId, FolderId, LineId, WorkflowId
from frontdesk_api.contract.messages import ConversationTag
from frontdesk_api.contract.values import UnixMillis


class Recipient(ClosedModel):
    """A recipient of a campaign. `phoneNumberId` is the number with its country code."""

    phoneNumberId: CustomerId
    customerName: str | None = None
    countryCode: str | None = None


class _CampaignFields(ClosedModel):
    id: CampaignId
    name: Annotated[str, Field(min_length=1)]
    description: str | None = None
    contentType: Literal["triggerWorkflow"]
    workflowId: WorkflowId
    workflowName: str
    folderId: FolderId
    whenToSendMessage: Literal["now", "future"]
    scheduledAt: UnixMillis | None = None
    audienceCountry: str | None = None
    associatedToBusinessId: LineId
    isActive: bool

    @model_validator(mode="after")
    def _future_has_a_time(self) -> Self:
        if self.whenToSendMessage == "future" and self.scheduledAt is None:
            raise ValueError("scheduledAt is required when whenToSendMessage is future")
        return self


class TagsCampaign(_CampaignFields):
    """A campaign for the conversations with the given tags."""

    source: Literal["tags"]
    conversationTags: list[ConversationTag]


class ListCampaign(_CampaignFields):
    """A campaign for an explicit list of numbers."""

    source: Literal["excel"]
    customerList: list[Recipient]


class CampaignCreate(RootModel[Annotated[TagsCampaign | ListCampaign, Field(discriminator="source")]]):
    """The body of Create campaign: one audience variant, unknown properties rejected."""


CREATE_FIELDS = frozenset(TagsCampaign.model_fields) | frozenset(ListCampaign.model_fields)
"""The fields of Create campaign; no operation changes them afterwards."""


class CampaignCreated(ClosedModel):
    """The body of a 201: a message with the created campaign's id, and no other property."""

    message: str


class Campaign(Resource):
    """A stored campaign with its status and counters; an absent counter is unknown, not 0."""

    id: CampaignId
    name: str | None = None
    description: str | None = None
    contentType: str | None = None
    workflowId: WorkflowId | None = None
    workflowName: str | None = None
    folderId: FolderId | None = None
    whenToSendMessage: str | None = None
    scheduledAt: UnixMillis | None = None
    audienceCountry: str | None = None
    associatedToBusinessId: LineId | None = None
    isActive: bool | None = None
    source: str | None = None
    conversationTags: list[JsonObject] | None = None
    customerList: list[JsonObject] | None = None
    status: str | None = None
    created: UnixMillis | None = None
    lastModified: UnixMillis | None = None
    associatedTo: str | None = None
    startedAt: UnixMillis | None = None
    completedAt: UnixMillis | None = None
    failedAt: UnixMillis | None = None
    failureReason: str | None = None
    totalRecipients: float | None = None
    pendingCount: float | None = None
    sentCount: float | None = None
    deliveredCount: float | None = None
    readCount: float | None = None
    failedCount: float | None = None
    optOutCount: float | None = None
    duplicateMessageCount: float | None = None
    tooManyRequestsCount: float | None = None

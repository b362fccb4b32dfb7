"""Messages of a thread, and the tags of conversations (docs/interface.md)."""

from typing import Annotated

from pydantic import Field

from frontdesk_api.contract.base import MIN_TAG_IDS, ClosedModel, JsonObject, Request, Resource
from frontdesk_api.contract.ids import ConversationId, CustomerId, LineId, MessageId, TagId
from frontdesk_api.contract.values import UnixMillis


class MessageContext(Resource):
    """The message that another one answers."""

    id: str | None = None
    # `from` is a Python keyword; extra="allow" keeps it under its own name.


class AttachmentResource(Resource):
    """`attachmentBase64`: a file's name, type and size, without its bytes."""

    resourceId: str | None = None
    fileName: str | None = None
    fileMimeType: str | None = None
    fileType: str | None = None
    fileSize: float | None = None


class Message(Resource):
    """One message. Status, type, initiator and direction are open strings."""

    messageId: MessageId
    sender: str | None = None
    receiver: str | None = None
    initiator: str | None = None
    status: str | None = None
    participantsIdentifiers: ConversationId | None = None
    message: str | None = None
    type: str | None = None
    messagePlatform: str | None = None
    creationPlatform: str | None = None
    associatedTo: str | None = None
    messageDirection: str | None = None
    informativeMessageType: str | None = None
    createdAt: UnixMillis | None = None
    updatedAt: UnixMillis | None = None
    hasReaction: bool | None = None
    hasAttachment: bool | None = None
    translation: JsonObject | None = None
    error: JsonObject | None = None
    agentIdentification: JsonObject | None = None
    comment: JsonObject | None = None
    attachment: JsonObject | None = None
    richContent: JsonObject | None = None
    context: MessageContext | None = None
    attachmentBase64: AttachmentResource | None = None
    reactions: list[JsonObject] | None = None


class MessageKey(Request):
    """A cursor in a thread: selects messages strictly older than this one."""

    messageId: MessageId
    createdAt: UnixMillis


class MessageQuery(Request):
    """The query of Get messages (docs/interface.md)."""

    phoneNumberId: LineId
    targetPhoneNumberId: CustomerId
    startKey: MessageKey | None = None


class ConversationTag(ClosedModel):
    """A tag as a campaign's audience names it: all four fields, no others."""

    id: TagId
    title: str
    color: str
    associatedTo: str


class TagAssignment(Request):
    """The body that adds tags to a conversation."""

    tagIds: Annotated[list[TagId], Field(min_length=MIN_TAG_IDS)]

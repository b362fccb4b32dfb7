"""Conversation tags (docs/interface.md, Conversation tag and Assign tags)."""

from typing import Annotated

from pydantic import Field

from frontdesk.api.contract.base import ClosedModel, Request
from frontdesk.api.contract.ids import TagId
from frontdesk.api.contract.limits import TAG_IDS_MIN


class ConversationTag(ClosedModel):
    """A tag as a campaign's audience names it: all four fields, no others."""

    id: TagId
    title: str
    color: str
    associatedTo: str


class TagAssignment(Request):
    """Tag ids to give to a conversation, at least one."""

    tagIds: Annotated[list[TagId], Field(min_length=TAG_IDS_MIN)]

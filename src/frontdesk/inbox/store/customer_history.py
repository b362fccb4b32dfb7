"""When a customer was first and last heard of, and their last campaign, as far as the store knows."""

from collections.abc import Sequence
from typing import NamedTuple

import apsw

from frontdesk.inbox.store import thread_pages, threads
from frontdesk.service_clocks.clocks import needs_no_answer
from frontdesk.storage.records import TaskRecord
from frontdesk.storage.sql import first, rows
from frontdesk_api import json_access
from frontdesk_api.contract.ids import ConversationId, LineId
from frontdesk_api.contract.values import UnixUnstated, unstated_to_seconds

MAX_SEARCHED = 500
"""So many of the newest stored messages are searched for a campaign's."""


class CustomerHistory(NamedTuple):
    """What is stored about a customer beside the conversation.

    Attributes:
        created_at: when the platform first knew the customer, Unix seconds.
        first_at: the oldest stored message, Unix seconds; None where none is stored.
        campaign_at: the last campaign's message, Unix seconds; None where none was found.
    """

    country: str = ""
    description: str = ""
    created_at: float | None = None
    first_at: float | None = None
    is_whole: bool = False
    campaign_at: float | None = None
    other_lines: tuple[LineId, ...] = ()
    needs_no_answer: bool = False


def customer_history(
    db: apsw.Connection, conversation_id: ConversationId, tasks: Sequence[TaskRecord]
) -> CustomerHistory:
    customers = [json_access.mapping(each.raw.get("customer")) for each in tasks]
    country, description = (
        next(filter(None, (json_access.text(each.get(name)) for each in customers)), "")
        for name in ("countryCode", "description")
    )
    lines = other_lines(db, conversation_id)
    times = [at for each in customers if (at := json_access.number(each.get("createdAt")))]
    created_at = min((unstated_to_seconds(UnixUnstated(at)) for at in times), default=None)
    ends = thread_pages.ends(db, conversation_id)
    if ends is None:
        return CustomerHistory(country, description, created_at, other_lines=lines)
    segments = threads.segments(db, conversation_id)
    is_whole = len(segments) == 1 and segments[0].complete
    found = first(
        db,
        "SELECT created_at FROM (SELECT created_at, raw FROM messages WHERE conversation ="
        " (SELECT rowid FROM conversations WHERE conversation_id = ?1)"
        " ORDER BY created_at DESC, message_id DESC LIMIT ?2)"
        " WHERE json_extract(raw, '$.initiator') = 'campaign' LIMIT 1",
        (conversation_id, MAX_SEARCHED),
    )
    campaign_at = None if found is None else float(found[0]) / 1000
    first_at = ends[0].created_at / 1000
    is_marked = needs_no_answer(db, conversation_id)
    return CustomerHistory(country, description, created_at, first_at, is_whole, campaign_at, lines, is_marked)


def other_lines(db: apsw.Connection, conversation_id: ConversationId) -> tuple[LineId, ...]:
    """Return the other lines on which this customer's id has a conversation, as far as they are known here.

    The latest active one is first.
    """
    found = rows(
        db,
        "SELECT other.line_id FROM conversations AS here JOIN conversations AS other USING (customer_id)"
        " WHERE here.conversation_id = ? AND other.line_id IS NOT NULL AND other.line_id <> here.line_id"
        " GROUP BY other.line_id ORDER BY max(coalesce(other.active_at, 0)) DESC, other.line_id",
        (conversation_id,),
    )
    return tuple(LineId(row[0]) for row in found)

"""Get messages (docs/interface.md, Get messages; docs/interface-rules.md, chapter 10).

The cursor is (createdAt, messageId), so that messages of one moment are neither lost nor repeated.
"""

from frontdesk.api.contract.messages import MessageQuery
from frontdesk.sandbox.answers import Response, page_answer
from frontdesk.sandbox.handlers.call import Call
from frontdesk.sandbox.world import World

_PAGE = "SELECT created_at, message_id, json FROM messages WHERE account=? AND line=? AND customer=?"
_NEWEST_FIRST = " ORDER BY created_at DESC, message_id DESC LIMIT ?"


def get_messages(world: World, call: Call) -> Response:
    """A page of one thread, newest first; an unknown pair is an empty thread (rule 195)."""
    query = call.body(MessageQuery)
    size = world.switches.message_page_size
    pair = (call.account, query.phoneNumberId, query.targetPhoneNumberId)
    if query.startKey is None:
        rows = world.storage.rows(_PAGE + _NEWEST_FIRST, *pair, size + 1)
    else:
        rows = world.storage.rows(
            _PAGE + " AND (created_at, message_id) < (?, ?)" + _NEWEST_FIRST,
            *pair,
            query.startKey.createdAt,
            query.startKey.messageId,
            size + 1,
        )
    page, has_more = rows[:size], len(rows) > size
    cursor = {"messageId": page[-1][1], "createdAt": page[-1][0]} if has_more else None
    return page_answer("dbObject", [row[2] for row in page], has_more, cursor)

"""Get messages, assign tags, delete a webhook (tests/sandbox/rules.md, chapters 10, 11, 13)."""

from frontdesk_api.contract.messages import MessageQuery, TagAssignment
from frontdesk_sandbox.request import Call
from frontdesk_sandbox.responses import Response, json_response, not_found, page_response
from frontdesk_sandbox.storage import find_conversation
from frontdesk_sandbox.world import World

_PAGE = "SELECT created_at, message_id, json FROM messages WHERE account=? AND line=? AND customer=?"
_NEWEST_FIRST = " ORDER BY created_at DESC, message_id DESC LIMIT ?"


def get_messages(world: World, call: Call) -> Response:
    """List a page of one thread, newest first; an unknown pair is an empty thread (rule 195).

    The cursor is (createdAt, messageId), so that messages of one moment are neither lost nor repeated.
    """
    query = call.body(MessageQuery)
    size = world.settings.message_page_size
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
    return page_response("dbObject", [row[2] for row in page], has_more, cursor)


def assign_tags(world: World, call: Call) -> Response:
    """Answer the JSON string "success"; giving a tag twice changes nothing (rule 208), and none can be taken."""
    wanted = dict.fromkeys(call.body(TagAssignment).tagIds)
    storage = world.storage
    where = find_conversation(storage, call.account, call.ids["id"])
    if where is None:
        raise not_found("conversation", call.ids["id"])
    for tag in wanted:
        if not storage.exists("tags", account=call.account, tag=tag):
            raise not_found("tag", tag)
    with storage.writing():
        if world.settings.tags_replace:
            storage.run("DELETE FROM conversation_tags WHERE account=? AND line=? AND customer=?", *where)
        storage.run_many(
            "INSERT OR IGNORE INTO conversation_tags VALUES(?,?,?,?)",
            [(where.account, tag, where.line, where.customer) for tag in wanted],
        )
        for tag in wanted:
            world.runs.queue_tag(where, tag, world.clock.now_ms())
    return json_response("success")


def delete_webhook(world: World, call: Call) -> Response:
    """Delete a webhook with an empty 200, since the body isn't shown."""
    webhook = call.ids["webhookId"]
    if not world.storage.run("DELETE FROM webhooks WHERE account=? AND id=?", call.account, webhook):
        raise not_found("webhook", webhook)
    return Response(200, b"")

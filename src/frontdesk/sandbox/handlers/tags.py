"""Assign tags to a conversation (docs/interface.md, Assign tags; docs/interface-rules.md,
chapter 11).

Tags can be given, not taken: the removal that the interface mentions is specified nowhere.
"""

from frontdesk.api.contract.messages import TagAssignment
from frontdesk.sandbox.answers import Response, json_answer, unknown
from frontdesk.sandbox.handlers.call import Call
from frontdesk.sandbox.threads import find_conversation
from frontdesk.sandbox.workflow_effects import Conversation
from frontdesk.sandbox.world import World


def assign_tags(world: World, call: Call) -> Response:
    """The JSON string "success"; giving a tag twice changes nothing (rule 208)."""
    wanted = dict.fromkeys(call.body(TagAssignment).tagIds)
    storage = world.storage
    pair = find_conversation(storage, call.account, call.ids["id"])
    if pair is None:
        raise unknown("conversation", call.ids["id"])
    for tag in wanted:
        if storage.row("SELECT 1 FROM tags WHERE account=? AND tag=?", call.account, tag) is None:
            raise unknown("tag", tag)
    with storage.writing():
        if world.switches.tags_replace:
            storage.run(
                "DELETE FROM conversation_tags WHERE account=? AND line=? AND customer=?", call.account, *pair
            )
        storage.run_many(
            "INSERT OR IGNORE INTO conversation_tags VALUES(?,?,?,?)",
            [(call.account, tag, *pair) for tag in wanted],
        )
        for tag in wanted:
            world.runs.put_down_tag(Conversation(call.account, *pair), tag, world.clock.now_ms())
    return json_answer("success")

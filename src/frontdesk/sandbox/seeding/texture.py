"""What makes single messages differ: delivery statuses, failures, reactions, replies, deletions.

Called by `seeding.threads` for each message it makes. A few carry values that nobody knows, because the
interface leaves status, type, initiator and direction open (rule 200).
"""

from random import Random
from typing import Any

from frontdesk.sandbox.campaign_messages import error_object
from frontdesk.sandbox.gestures import REACTIONS
from frontdesk.sandbox.outcomes import FAILURES

_UNKNOWN = (("status", "heldForReview"), ("type", "sticker"), ("initiator", "integration"), ("type", "poll"))


def add_texture(chance: Random, message: dict[str, Any], before: dict[str, Any] | None, answered: bool) -> None:
    """Change a fresh message in place; `answered` says that the customer wrote again after it."""
    draw = chance.random()
    if message["messageDirection"] == "outgoing" and message["type"] == "default":
        _deliver(chance, message, answered)
    if draw < 0.030:
        emoji = REACTIONS[int(chance.random() * len(REACTIONS))]
        message["hasReaction"] = True
        message["reactions"] = [{"emoji": emoji, "from": message["receiver"]}]
    elif draw < 0.075 and before is not None and before["message"]:
        message["context"] = {"from": before["sender"], "id": before["messageId"]}
    elif draw < 0.081 and message["type"] == "default":
        message |= {"type": "deleted", "message": ""}
    elif draw < 0.0825:
        name, value = _UNKNOWN[int(chance.random() * len(_UNKNOWN))]
        message[name] = value
    if message["initiator"] == "bot" and message["message"].endswith("?") and message["type"] == "default":
        message["richContent"] = {"buttons": [{"title": "✓"}, {"title": "✗"}]}


def _deliver(chance: Random, message: dict[str, Any], answered: bool) -> None:
    draw = chance.random()
    if draw < 0.012:
        code = FAILURES[int(chance.random() * len(FAILURES))]
        message |= {"status": "failed", "error": error_object(*code)}
        return
    if answered or draw < 0.70:
        message["status"] = "read"
    elif draw < 0.92:
        message["status"] = "delivered"
    message["updatedAt"] = message["createdAt"] + 1_000 + int(chance.random() * 90_000)

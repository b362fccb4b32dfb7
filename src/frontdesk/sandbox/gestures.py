"""What customers do beside writing: a reaction, an answer to one message.

Called by the crowd in its transaction.
"""

import json
from random import Random
from typing import Any

from frontdesk.sandbox.answers import encode
from frontdesk.sandbox.storage import Storage

REACTIONS = ("👍", "❤️", "😂", "🙏", "😮", "🇮🇱", "👨‍👩‍👧")


def newest_outgoing(storage: Storage, account: str, line: str, customer: str) -> dict[str, Any] | None:
    """The last message that this customer got, or None."""
    rows = storage.rows(
        "SELECT json FROM messages WHERE account=? AND line=? AND customer=? "
        "ORDER BY created_at DESC, message_id DESC LIMIT 12",
        account,
        line,
        customer,
    )
    for (stored,) in rows:
        message: dict[str, Any] = json.loads(stored)
        if message.get("messageDirection") == "outgoing" and message.get("type") == "default":
            return message
    return None


def react(storage: Storage, key: tuple[str, str, str], chance: Random, at_ms: int) -> bool:
    """Put a reaction under the last message that the customer got; False where there is none."""
    account, line, customer = key
    message = newest_outgoing(storage, account, line, customer)
    if message is None or message.get("hasReaction"):
        return False
    message |= {
        "hasReaction": True,
        "reactions": [{"emoji": REACTIONS[int(chance.random() * len(REACTIONS))], "from": customer}],
        "updatedAt": max(at_ms, message.get("updatedAt") or 0),
    }
    storage.run(
        "UPDATE messages SET json=? WHERE message_id=? AND account=?",
        encode(message),
        message["messageId"],
        account,
    )
    return True


def in_answer_to(storage: Storage, key: tuple[str, str, str], message: dict[str, Any]) -> dict[str, Any]:
    """The message as an answer to the last one that the customer got (docs/interface.md, Message)."""
    before = newest_outgoing(storage, *key)
    if before is None:
        return message
    return message | {"context": {"from": before["sender"], "id": before["messageId"]}}

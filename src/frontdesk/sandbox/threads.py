"""Conversations and their messages in storage: reading, inserting, and what a new message changes."""

import hashlib
from typing import Any, NamedTuple

from frontdesk.sandbox.responses import encode
from frontdesk.sandbox.storage import Storage

INSERT_MESSAGE = (
    "INSERT OR REPLACE INTO messages(account, line, customer, created_at, message_id, json) VALUES(?,?,?,?,?,?)"
)


class Conversation(NamedTuple):
    """The key of a conversation: an account's line and the customer on it."""

    account: str
    line: str
    customer: str


def customer_variables(customer: str, name: str | None) -> dict[str, str]:
    """Return the values of the placeholders for a customer, in campaigns and in workflows."""
    first = (name or "").split(" ")[0]
    return {"name": first or "there", "customer.name": name or customer, "customer.number": customer}


def find_conversation(storage: Storage, account: str, conversation: str) -> Conversation | None:
    """Find a stored conversation by its `participantsIdentifiers`."""
    where = split_conversation(storage, account, conversation)
    return where if where and storage.exists("conversations", **where._asdict()) else None


def split_conversation(storage: Storage, account: str, conversation: str) -> Conversation | None:
    """Match the halves against the account's lines, never by position (docs/interface.md)."""
    first, _, second = conversation.partition("#")
    for line, customer in ((first, second), (second, first)):
        if customer and storage.exists("lines", account=account, line=line):
            return Conversation(account, line, customer)
    return None


def find_customer_name(storage: Storage, where: Conversation) -> str | None:
    """Find the name of a conversation's customer, if one is known."""
    row = storage.row("SELECT name FROM conversations WHERE account=? AND line=? AND customer=?", *where)
    return row[0] if row else None


def find_platform(storage: Storage, account: str, line: str) -> str:
    """Return the platform of a line; WhatsApp for an unknown one."""
    row = storage.row("SELECT platform FROM lines WHERE account=? AND line=?", account, line)
    return str(row[0]) if row else "whatsapp"


def message_id(*parts: object) -> str:
    """Make an id that depends on the parts alone."""
    return "msg_" + hashlib.blake2b(repr(parts).encode(), digest_size=9).hexdigest()


def utterance_id(line: str, customer: str, serial: int, step: int) -> str:
    """Return the id of one line of a dialogue; ids of one moment sort in the order of the lines."""
    return f"{message_id(line, customer, serial)}_{step:02d}"


def make_message(
    where: Conversation, *, platform: str, incoming: bool, text: str, at_ms: int, identity: str
) -> dict[str, Any]:
    """Make a plain message."""
    return {
        "messageId": identity,
        "sender": where.customer if incoming else where.line,
        "receiver": where.line if incoming else where.customer,
        "initiator": "person",
        "status": "read" if incoming else "sent",
        "participantsIdentifiers": f"{where.line}#{where.customer}",
        "message": text,
        "type": "default",
        "messagePlatform": platform,
        "creationPlatform": platform if incoming else "web",
        "associatedTo": where.account,
        "messageDirection": "incoming" if incoming else "outgoing",
        "createdAt": at_ms,
        "updatedAt": at_ms,
        "hasReaction": False,
        "hasAttachment": False,
    }


def insert_message(
    storage: Storage, where: Conversation, message: dict[str, Any], name: str | None = None
) -> None:
    """Store a message and move the conversation's last activity; `name` counts if the customer has none yet."""
    created_at = message["createdAt"]
    storage.run(INSERT_MESSAGE, *where, created_at, message["messageId"], encode(message))
    storage.run(
        "INSERT INTO conversations(account, line, customer, last_at, name) VALUES(?,?,?,?,?) "
        "ON CONFLICT DO UPDATE SET last_at=max(coalesce(last_at, 0), excluded.last_at), "
        "name=coalesce(name, excluded.name)",
        *(*where, created_at, name),
    )


def set_opted_out(storage: Storage, where: Conversation, *, is_out: bool = True) -> None:
    """Set whether campaigns leave this customer alone on this line."""
    storage.run(
        "UPDATE conversations SET opted_out=? WHERE account=? AND line=? AND customer=?", int(is_out), *where
    )


def set_message_status(
    storage: Storage, account: str, identity: str, status: str, at_ms: int, error: dict[str, Any] | None = None
) -> None:
    """Move a message's status on; a later one stays."""
    storage.run(
        "UPDATE messages SET json=json_set(json, '$.status', ?, '$.updatedAt', "
        "max(?, coalesce(json_extract(json, '$.updatedAt'), 0))) "
        "WHERE message_id=? AND account=? "
        f"AND CASE json_extract(json, '$.status') {_RANKS} ELSE -1 END < ?",
        *(status, at_ms, identity, account, _RANK.get(status, 0)),
    )
    if error is not None:
        storage.run(
            "UPDATE messages SET json=json_set(json, '$.error', json(?)) WHERE message_id=? AND account=? "
            "AND json_extract(json, '$.status')=?",
            *(encode(error), identity, account, status),
        )


_RANK = {"pending": 0, "inProcess": 1, "sent": 2, "delivered": 3, "read": 4, "failed": 5, "tooManyRequests": 5}
_RANKS = " ".join(f"WHEN '{status}' THEN {rank}" for status, rank in _RANK.items())

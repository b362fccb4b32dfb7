"""Conversations and their messages in storage, and what happens when one more arrives.

Called by the seed, the crowd, the campaign engine and the controls.
"""

import hashlib
from typing import Any

from frontdesk.sandbox.responses import encode
from frontdesk.sandbox.storage import Storage

INSERT_MESSAGE = (
    "INSERT OR REPLACE INTO messages(account, line, customer, created_at, message_id, json) VALUES(?,?,?,?,?,?)"
)


def customer_variables(customer: str, name: str | None) -> dict[str, str]:
    """What the placeholders that name a customer stand for, in campaigns and in workflows."""
    first = (name or "").split(" ")[0]
    return {"name": first or "there", "customer.name": name or customer, "customer.number": customer}


def find_conversation(storage: Storage, account: str, conversation: str) -> tuple[str, str] | None:
    """The line and the customer of `participantsIdentifiers`, whichever half comes first, if it is known."""
    pair = split_conversation(storage, account, conversation)
    if pair is None:
        return None
    known = storage.row("SELECT 1 FROM conversations WHERE account=? AND line=? AND customer=?", account, *pair)
    return pair if known else None


def split_conversation(storage: Storage, account: str, conversation: str) -> tuple[str, str] | None:
    """The halves matched against the account's lines, never by position (docs/interface.md)."""
    first, _, second = conversation.partition("#")
    for line, customer in ((first, second), (second, first)):
        if customer and storage.row("SELECT 1 FROM lines WHERE account=? AND line=?", account, line):
            return line, customer
    return None


def message_id(*parts: object) -> str:
    """An id that the same parts always give."""
    return "msg_" + hashlib.blake2b(repr(parts).encode(), digest_size=9).hexdigest()


def utterance_id(line: str, customer: str, serial: int, step: int) -> str:
    """The id of one line of a dialogue; those of one moment sort in the order in which they were said."""
    return f"{message_id(line, customer, serial)}_{step:02d}"


def make_message(
    *, account: str, line: str, customer: str, platform: str, incoming: bool, text: str, at_ms: int, identity: str
) -> dict[str, Any]:
    """A plain message; callers add what makes theirs special."""
    return {
        "messageId": identity,
        "sender": customer if incoming else line,
        "receiver": line if incoming else customer,
        "initiator": "person",
        "status": "read" if incoming else "sent",
        "participantsIdentifiers": f"{line}#{customer}",
        "message": text,
        "type": "default",
        "messagePlatform": platform,
        "creationPlatform": platform if incoming else "web",
        "associatedTo": account,
        "messageDirection": "incoming" if incoming else "outgoing",
        "createdAt": at_ms,
        "updatedAt": at_ms,
        "hasReaction": False,
        "hasAttachment": False,
    }


def insert_message(
    storage: Storage, account: str, line: str, customer: str, message: dict[str, Any], name: str | None = None
) -> None:
    """Store a message of a thread and move the conversation's last activity; a name, where none is known."""
    created_at = message["createdAt"]
    storage.run(INSERT_MESSAGE, account, line, customer, created_at, message["messageId"], encode(message))
    storage.run(
        "INSERT INTO conversations(account, line, customer, last_at, name) VALUES(?,?,?,?,?) "
        "ON CONFLICT DO UPDATE SET last_at=max(coalesce(last_at, 0), excluded.last_at), "
        "name=coalesce(name, excluded.name)",
        account,
        line,
        customer,
        created_at,
        name,
    )


def set_opted_out(storage: Storage, key: tuple[str, str, str], *, is_out: bool = True) -> None:
    """Whether campaigns leave this customer alone on this line; `key` is account, line, customer."""
    storage.run(
        "UPDATE conversations SET opted_out=? WHERE account=? AND line=? AND customer=?", int(is_out), *key
    )


def set_message_status(
    storage: Storage,
    account: str,
    identity: str,
    status: str,
    at_ms: int,
    error: dict[str, Any] | None = None,
) -> None:
    """Move a message's status on; what is already further along stays there."""
    storage.run(
        "UPDATE messages SET json=json_set(json, '$.status', ?, '$.updatedAt', "
        "max(?, coalesce(json_extract(json, '$.updatedAt'), 0))) "
        "WHERE message_id=? AND account=? "
        f"AND CASE json_extract(json, '$.status') {_RANKS} ELSE -1 END < ?",
        status,
        at_ms,
        identity,
        account,
        _RANK.get(status, 0),
    )
    if error is not None:
        storage.run(
            "UPDATE messages SET json=json_set(json, '$.error', json(?)) WHERE message_id=? AND account=? "
            "AND json_extract(json, '$.status')=?",
            encode(error),
            identity,
            account,
            status,
        )


_RANK = {"pending": 0, "inProcess": 1, "sent": 2, "delivered": 3, "read": 4, "failed": 5, "tooManyRequests": 5}
_RANKS = " ".join(f"WHEN '{status}' THEN {rank}" for status, rank in _RANK.items())

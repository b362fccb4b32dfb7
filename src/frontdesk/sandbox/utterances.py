"""Turns a script's line into a message: who says it, on which line, with which words in the gaps.

Called by the seed for whole threads and by the crowd for the next line of one.
"""

import hashlib
from dataclasses import dataclass
from random import Random
from typing import Any

from frontdesk.sandbox.fixtures import AGENTS, Agent
from frontdesk.sandbox.phrases import LANGUAGES

CURRENCIES = {"en": "£{0}", "he": "{0} ₪", "ar": "{0} ₪", "es": "{0} €"}
INITIATORS = {"c": "person", "a": "person", "n": "person", "b": "bot", "i": "ai", "s": "bot"}
CREATED_ON = {"a": "web", "n": "web", "b": "workflow", "i": "aiAgent", "s": "workflow"}
FILE_TYPES = {"@image": ("image/jpeg", "image"), "@file": ("application/pdf", "document")}


@dataclass(frozen=True, slots=True)
class Voice:
    """A conversation as far as its messages need it."""

    account: str
    line: str
    platform: str
    customer: str
    name: str
    language: str

    @property
    def conversation(self) -> str:
        """`participantsIdentifiers`; in a few conversations the halves come the other way round."""
        if self.customer.endswith("7"):
            return f"{self.customer}#{self.line}"
        return f"{self.line}#{self.customer}"


@dataclass(frozen=True, slots=True)
class Words:
    """What fills the gaps of one dialogue, and the agent who answers in it."""

    gaps: dict[str, str]
    agent: Agent


def words_for(voice: Voice, serial: int, language: str | None = None) -> Words:
    """The words of a conversation's dialogue number `serial`: the same whenever they are asked for."""
    digest = hashlib.blake2b(f"{voice.customer}/{serial}".encode(), digest_size=8).digest()
    chance = Random(int.from_bytes(digest, "big"))
    spoken = LANGUAGES[language or voice.language]
    agent = AGENTS[int(chance.random() * len(AGENTS))]
    order, item, day = 10_000 + int(chance.random() * 9_000), chance.random(), chance.random()
    amount = 39 + int(chance.random() * 60) * 10
    gaps = {
        "name": voice.name.split(" ")[0],
        "order": str(order),
        "item": spoken.items[int(item * len(spoken.items))],
        "day": spoken.days[int(day * len(spoken.days))],
        "amount": CURRENCIES[voice.language].format(amount),
        "agent": agent.name.split(" ")[0],
    }
    return Words(gaps, agent)


def utter(voice: Voice, words: Words, said: tuple[str, str], at_ms: int, identity: str) -> dict[str, Any]:
    """One line of a script as a message."""
    who, template = said
    text = template.format_map(words.gaps)
    incoming = who == "c"
    message: dict[str, Any] = {
        "messageId": identity,
        "sender": voice.customer if incoming else voice.line,
        "receiver": voice.line if incoming else voice.customer,
        "initiator": INITIATORS[who],
        "status": "read" if incoming else "sent",
        "participantsIdentifiers": voice.conversation,
        "message": text,
        "type": "default",
        "messagePlatform": voice.platform,
        "creationPlatform": voice.platform if incoming else CREATED_ON[who],
        "associatedTo": voice.account,
        "messageDirection": "incoming" if incoming else "outgoing",
        "createdAt": at_ms,
        "updatedAt": at_ms,
        "hasReaction": False,
        "hasAttachment": False,
    }
    if who in "an":
        message["agentIdentification"] = {"name": words.agent.name, "email": words.agent.email}
    if who == "n":
        message |= {"type": "note", "status": "read"}
    elif who == "s":
        message |= {
            "type": "informative",
            "status": "read",
            "informativeMessageType": "conversationModeSwitched",
        }
    elif text.startswith("@"):
        message |= _attachment(text, identity)
    return message


def _attachment(text: str, identity: str) -> dict[str, Any]:
    kind, _, name = text.partition(" ")
    mime, file_type = FILE_TYPES[kind]
    size = 40_000 + int(identity[4:9], 16)
    return {
        "message": "",
        "hasAttachment": True,
        "attachment": {"type": file_type, "fileName": name},
        "attachmentBase64": {
            "resourceId": f"res_{identity[4:]}",
            "fileName": name,
            "fileMimeType": mime,
            "fileType": file_type,
            "fileSize": size,
        },
    }

"""Dialogues in four languages, and the messages that their lines become.

Read by the seed for whole threads and by the crowd for the next line of one.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from frontdesk_sandbox.data import read_table
from frontdesk_sandbox.fixtures import AGENTS, Agent
from frontdesk_sandbox.storage import Conversation, make_message, message_id

ItemT = TypeVar("ItemT")

INITIATORS = {"c": "person", "a": "person", "n": "person", "b": "bot", "i": "ai", "s": "bot"}
CREATED_ON = {"a": "web", "n": "web", "b": "workflow", "i": "aiAgent", "s": "workflow"}
_REPLIES_WITH = "abi"
"""The speakers who write to the customer: an agent, the bot, the AI agent."""

COMMENTED_ONE_IN = 3
_POSTS = read_table("messages")["posts"]
FILE_TYPES = {"@image": ("image/jpeg", "image"), "@file": ("application/pdf", "document")}


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A topic, and lines of a speaker (as the data files have it) and a text with gaps."""

    topic: str
    lines: tuple[tuple[str, str], ...]

    @property
    def questions(self) -> list[int]:
        """The numbers of lines after which an agent's answer is due; no thanks and no question to a bot."""
        speakers = "".join(who for who, _ in self.lines)
        return [found.end() for found in re.finditer("c(?=[ns]*a)", speakers.rstrip("a"))]


@dataclass(frozen=True, slots=True)
class Language:
    """A language's dialogues, names, and the words that fill the gaps.

    Attributes:
        amount: the format of a price.
        closings: the last words of an agent, for dialogues that don't end with any.
        exchanges: short dialogues, for threads that go on for years.
    """

    country: str
    amount: str
    greeting: str
    ai_reply: str
    closings: list[str]
    first_names: list[str]
    last_names: list[str]
    items: list[str]
    days: list[str]
    dialogues: tuple[Dialogue, ...]
    exchanges: tuple[Dialogue, ...]


def _read_language(code: str) -> Language:
    table = read_table(f"phrases_{code}")
    closings = table["closings"]
    return Language(
        **table | {name: _read_dialogues(table[name], closings) for name in ("dialogues", "exchanges")}
    )


def _read_dialogues(text: str, closings: Sequence[str]) -> tuple[Dialogue, ...]:
    """Parse dialogues, and give an agent the last word: a thank-you or a bot's advice leaves nobody waiting."""
    blocks = [block.splitlines() for block in text.removeprefix("= ").split("\n= ")]
    dialogues = []
    for number, (topic, *texts) in enumerate(blocks):
        lines = [(text[0], text[2:]) for text in texts if text]
        if lines[-1][0] != "a":
            lines.append(("a", closings[number % len(closings)]))
        dialogues.append(Dialogue(topic, tuple(lines)))
    return tuple(dialogues)


LANGUAGES = {code: _read_language(code) for code in ("en", "he", "ar", "es")}


def pick(chance: Random, items: Sequence[ItemT]) -> ItemT:
    """Pick one with a single draw of `random()`, which keeps seeded data the same."""
    return items[int(chance.random() * len(items))]


@dataclass(frozen=True, slots=True)
class Participant:
    """A customer in a conversation."""

    where: Conversation
    platform: str
    name: str
    language: str

    @property
    def conversation(self) -> str:
        """`participantsIdentifiers`; in a few conversations the halves come the other way round."""
        _account, line, customer = self.where
        return f"{customer}#{line}" if customer.endswith("7") else f"{line}#{customer}"


@dataclass(frozen=True, slots=True)
class Words:
    """The words for the gaps of one dialogue, and the agent who answers in it."""

    gaps: dict[str, str]
    agent: Agent


def choose_words(participant: Participant, serial: int, language: str | None = None) -> Words:
    """Choose the words of a conversation's dialogue number `serial`, always the same."""
    digest = hashlib.blake2b(f"{participant.where.customer}/{serial}".encode(), digest_size=8).digest()
    chance = Random(int.from_bytes(digest, "big"))
    spoken = LANGUAGES[language or participant.language]
    agent = pick(chance, AGENTS)
    order, item, day = 10_000 + int(chance.random() * 9_000), chance.random(), chance.random()
    amount = 39 + int(chance.random() * 60) * 10
    gaps = {
        "name": participant.name.split(" ")[0],
        "order": str(order),
        "item": spoken.items[int(item * len(spoken.items))],
        "day": spoken.days[int(day * len(spoken.days))],
        "amount": LANGUAGES[participant.language].amount.format(amount),
        "agent": agent.name.split(" ")[0],
    }
    return Words(gaps, agent)


def make_dialogue_message(
    participant: Participant, words: Words, line: tuple[str, str], at_ms: int, identity: str
) -> dict[str, Any]:
    who, template = line
    text = template.format_map(words.gaps)
    incoming = who == "c"
    message = make_message(
        participant.where,
        platform=participant.platform,
        incoming=incoming,
        text=text,
        at_ms=at_ms,
        identity=identity,
    )
    message |= {"initiator": INITIATORS[who], "participantsIdentifiers": participant.conversation}
    if not incoming:
        message["creationPlatform"] = CREATED_ON[who]
    if who in "an":
        message["agentIdentification"] = {"name": words.agent.name, "email": words.agent.email}
    if who == "n":
        message |= {"type": "note", "status": "read"}
    elif who == "s":
        message |= {"type": "informative", "status": "read", "informativeMessageType": "conversationModeSwitched"}
    elif text.startswith("@"):
        message |= _attachment(text, identity)
    return message


def add_comment(
    participant: Participant, dialogue: Dialogue, serial: int, step: int, message: dict[str, Any]
) -> None:
    """Make one dialogue in three on Instagram begin as a comment on a post that is answered privately."""
    digest = int(message_id("comment", *participant.where, serial)[4:12], 16)
    speaker, text = dialogue.lines[0]
    begins_in_words = speaker == "c" and not text.startswith("@")
    if participant.platform != "instagram" or not begins_in_words or digest % COMMENTED_ONE_IN:
        return
    post = _POSTS[digest // COMMENTED_ONE_IN % len(_POSTS)]
    comment = {"id": f"comment_{digest}", "postId": post["id"]}
    if step == 0 and message["type"] == "default":
        permalink = f"https://social.acme-home.example/p/{post['id']}"
        message |= {
            "type": "commentOnPost",
            "comment": comment | {"postText": post["text"], "permalink": permalink},
        }
    elif step == _first_reply(dialogue) and message["type"] == "default":
        said = text.format_map(choose_words(participant, serial).gaps)
        message |= {"type": "privateReply", "comment": comment | {"text": said}}


def _first_reply(dialogue: Dialogue) -> int | None:
    return next((step for step, (who, _text) in enumerate(dialogue.lines) if who in _REPLIES_WITH), None)


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

"""Tasks out of conversations: what is to be done, by whom, until when.

Called by `everything`.
"""

from random import Random
from typing import Any

from frontdesk.sandbox.fixtures import ACCOUNT, AGENTS, ME, STATUSES
from frontdesk.sandbox.phrases.task_words import TASK_WORDS
from frontdesk.sandbox.seeding.people import SeededCustomer, customer_object
from frontdesk.sandbox.seeding.threads import HOUR, Chapter, SeededThread
from frontdesk.sandbox.threads import message_id
from frontdesk.sandbox.utterances import words_for

HOUR_SECONDS = 3600
DAY_SECONDS = 24 * HOUR_SECONDS

_OPEN_SHARES = (0.50, 0.76, 0.88, 1.0, 1.0)
_DONE_SHARES = (0.24, 0.38, 0.46, 0.54, 1.0)
"""Cumulative shares in the order of STATUSES, for dialogues still open and for finished ones."""


def make_task(
    chance: Random, thread: SeededThread, person: SeededCustomer, chapter: Chapter, now_ms: int
) -> dict[str, Any]:
    """A task for one dialogue of a thread."""
    topic = chapter.script.topic
    latest = chapter is thread.chapters[-1]
    gaps = words_for(thread.voice, chapter.serial, "en").gaps
    words = TASK_WORDS[topic]
    title, body = words[int(chance.random() * len(words))]
    status = _status(chance, open_still=latest and not chapter.finished)
    people = _assigned(chance)
    updated = thread.last_at + int(chance.random() * 90_000)
    if not latest:
        updated = min(chapter.began_ms + int((1 + chance.random() * 40) * HOUR), thread.last_at)
    editor = AGENTS[int(chance.random() * len(AGENTS))]
    return {
        "taskId": "task_" + message_id("task", thread.voice.conversation, chapter.serial)[4:],
        "title": title.format_map(gaps),
        "body": body.format_map(gaps),
        "associatedTo": ACCOUNT,
        "statusCase": status,
        "unreadCount": 0 if status == "completed" else int(chance.random() ** 2 * 7),
        "agentIdentification": {"name": editor.name, "email": editor.email},
        "createdAt": min(chapter.began_ms, now_ms) // 1000,
        "updatedAt": min(updated, now_ms) // 1000,
        "dueDate": _due(chance, status, now_ms // 1000),
        "assignedAgentIds": people,
        "viewedByAgentIds": people[: int(chance.random() * (len(people) + 1))],
        "phoneNumberId": thread.voice.line,
        "participantsIdentifiers": thread.voice.conversation,
        "customer": customer_object(person, int(thread.messages[0]["createdAt"]), _last_incoming(thread), chance),
    }


def _status(chance: Random, open_still: bool) -> str:
    draw = chance.random()
    shares = _OPEN_SHARES if open_still else _DONE_SHARES
    return next(status.id for status, share in zip(STATUSES, shares, strict=True) if draw < share)


def _assigned(chance: Random) -> list[str]:
    draw = chance.random()
    if draw < 0.25:
        return []
    first = ME.id if draw < 0.50 else AGENTS[int(chance.random() * len(AGENTS))].id
    second = AGENTS[int(chance.random() * len(AGENTS))].id
    return [first, second] if draw > 0.85 and first != second else [first]


def _due(chance: Random, status: str, now: int) -> int:
    draw, hours = chance.random(), int(chance.random() * 20)
    # Whole hours, as people set them.
    this_hour = now - now % HOUR_SECONDS
    if draw < 0.30:
        return 0
    if status == "completed":
        return this_hour - hours * HOUR_SECONDS - DAY_SECONDS
    if draw < 0.45:
        return this_hour - hours * 4 * HOUR_SECONDS
    if draw < 0.65:
        return this_hour + (1 + hours // 3) * HOUR_SECONDS
    return this_hour + DAY_SECONDS + hours * 6 * HOUR_SECONDS


def _last_incoming(thread: SeededThread) -> int:
    for message in reversed(thread.messages):
        if message["messageDirection"] == "incoming":
            return int(message["createdAt"])
    return thread.last_at

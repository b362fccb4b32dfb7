"""Customers, and the tasks that their conversations lead to.

Numbers lie in ranges made up here; nobody is meant.
"""

from dataclasses import dataclass
from random import Random
from typing import Any

from frontdesk_sandbox.data import read_table
from frontdesk_sandbox.dialogues import LANGUAGES, Participant, choose_words, pick
from frontdesk_sandbox.fixtures import ACCOUNT, AGENTS, ME, STATUSES, Line
from frontdesk_sandbox.seeding.threads import HOUR, Chapter, SeededThread
from frontdesk_sandbox.storage import Conversation, message_id

HOUR_SECONDS = 3600
DAY_SECONDS = 24 * HOUR_SECONDS

_ISRAELI_PREFIXES = ("50", "52", "53", "54", "58")
_DESCRIPTIONS = read_table("messages")["customer_descriptions"]
_TASK_TITLES = read_table("task_titles")
_OPEN_SHARES = (0.50, 0.76, 0.88, 1.0, 1.0)
_DONE_SHARES = (0.24, 0.38, 0.46, 0.54, 1.0)
"""Cumulative shares in the order of STATUSES, for dialogues still open and for finished ones."""


@dataclass(frozen=True, slots=True)
class SeededCustomer:
    """A customer; `phone` is the number as people write it, where the platform has one."""

    id: str
    name: str
    language: str
    platform: str
    phone: str | None

    def on_line(self, line: Line) -> Participant:
        return Participant(Conversation(ACCOUNT, line.id, self.id), line.platform, self.name, self.language)


def make_customer(chance: Random, number: int, language: str, platform: str) -> SeededCustomer:
    """Make the customer with this running number; two numbers never give one id."""
    words = LANGUAGES[language]
    first = pick(chance, words.first_names)
    last = pick(chance, words.last_names)
    name = f"{first} {last}"
    if platform == "whatsapp":
        digits, phone = _phone(language, number)
        return SeededCustomer(digits, name, language, platform, phone)
    scattered = number * 7_919 % 100_003
    if platform == "instagram":
        return SeededCustomer(f"1784140{scattered:010d}", name, language, platform, None)
    if platform == "facebookMessenger":
        return SeededCustomer(f"68{scattered * 31:014d}", name, language, platform, None)
    return SeededCustomer(f"visitor-{scattered:06x}", name, language, platform, None)


def _make_customer_object(
    person: SeededCustomer, created_ms: int, last_active_ms: int, chance: Random
) -> dict[str, Any]:
    """Return the `customer` of a task (docs/interface.md, Task)."""
    handle = f"{person.platform[:2]}{person.id[-6:]}"
    shown: dict[str, Any] = {
        "profileImage": "",
        "customerName": person.name,
        "customerNickname": f"@{handle}" if person.platform == "instagram" else "",
        "description": _DESCRIPTIONS[int(chance.random() ** 3 * len(_DESCRIPTIONS))],
        "createdAt": created_ms,
        "lastActiveAt": last_active_ms,
        "email": f"{handle}@mail.example" if chance.random() < 0.4 else "",
        "platform": person.platform,
        "phoneNumberId": person.id,
        "associatedTo": ACCOUNT,
    }
    if person.phone is not None:
        shown |= {"countryCode": LANGUAGES[person.language].country, "parsedPhoneNumber": person.phone}
    return shown


def _phone(language: str, number: int) -> tuple[str, str]:
    block, position = divmod(number, 100_000)
    rest = f"{position * 7_919 % 100_000:05d}"
    if language == "es":
        digits = f"6{55 + block % 40:02d}0{rest}"
        return f"34{digits}", f"+34 {digits[:3]} {digits[3:6]} {digits[6:]}"
    if language == "en":
        digits = f"7{700 + block % 200:03d}9{rest}"
        return f"44{digits}", f"+44 {digits[:4]} {digits[4:]}"
    prefix = _ISRAELI_PREFIXES[number % 5]
    digits = f"{5 if language == 'he' else 6}{block % 10}{rest}"
    return f"972{prefix}{digits}", f"+972 {prefix}-{digits[:3]}-{digits[3:]}"


def make_task(
    chance: Random, thread: SeededThread, person: SeededCustomer, chapter: Chapter, now_ms: int
) -> dict[str, Any]:
    latest = chapter is thread.chapters[-1]
    gaps = choose_words(thread.participant, chapter.serial, "en").gaps
    words = _TASK_TITLES[chapter.dialogue.topic]
    title, body = pick(chance, words)
    status = _status(chance, open_still=latest and not chapter.finished)
    people = _assigned(chance)
    updated = thread.last_at + int(chance.random() * 90_000)
    if not latest:
        updated = min(chapter.began_ms + int((1 + chance.random() * 40) * HOUR), thread.last_at)
    editor = pick(chance, AGENTS)
    return {
        "taskId": "task_" + message_id("task", thread.participant.conversation, chapter.serial)[4:],
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
        "phoneNumberId": thread.participant.where.line,
        "participantsIdentifiers": thread.participant.conversation,
        "customer": _make_customer_object(
            person, int(thread.messages[0]["createdAt"]), _last_incoming(thread), chance
        ),
    }


def _status(chance: Random, open_still: bool) -> str:
    draw = chance.random()
    shares = _OPEN_SHARES if open_still else _DONE_SHARES
    return next(status.id for status, share in zip(STATUSES, shares, strict=True) if draw < share)


def _assigned(chance: Random) -> list[str]:
    draw = chance.random()
    if draw < 0.25:
        return []
    first = ME.id if draw < 0.50 else pick(chance, AGENTS).id
    second = pick(chance, AGENTS).id
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

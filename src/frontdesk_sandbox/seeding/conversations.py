"""Customers, their conversations with messages, and the tasks that these lead to.

A conversation is made of dialogues strung together, and ends as long ago as it should. Numbers lie in ranges made
up here; nobody is meant. A few messages carry values that nobody knows, because the interface leaves status, type,
initiator and direction open (rule 200).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp
from random import Random
from typing import Any, NamedTuple

from frontdesk_sandbox.campaign_delivery import FAILURES, error_object
from frontdesk_sandbox.data import read_table
from frontdesk_sandbox.dialogues import (
    LANGUAGES,
    Dialogue,
    Participant,
    add_comment,
    choose_words,
    make_dialogue_message,
    pick,
)
from frontdesk_sandbox.fixtures import ACCOUNT, AGENTS, ME, STATUSES, Line
from frontdesk_sandbox.storage import Conversation, message_id, utterance_id

MINUTE = 60_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR

_GAPS: dict[str, tuple[int, int]] = {
    "cc": (4_000, 40_000),
    "cb": (1_500, 3_000),
    "ci": (3_000, 9_000),
    "ca": (MINUTE, 25 * MINUTE),
    "bc": (15_000, 6 * MINUTE),
    "ic": (20_000, 6 * MINUTE),
    "ac": (20_000, 30 * MINUTE),
    "bb": (0, 0),  # the bot's second message leaves in the same millisecond: equal createdAt is real
    "aa": (8_000, 50_000),
}
_OTHER_GAP = (5_000, 4 * MINUTE)

_TABLE = read_table("messages")
_REACTIONS, _UNKNOWN_VALUES = _TABLE["reactions"], _TABLE["unknown_values"]


@dataclass(frozen=True, slots=True)
class Chapter:
    """One dialogue within a thread, and the number of its lines that were said."""

    serial: int
    dialogue: Dialogue
    index: int
    began_ms: int
    said: int

    @property
    def finished(self) -> bool:
        return self.said == len(self.dialogue.lines)


@dataclass(frozen=True, slots=True)
class SeededThread:
    """A conversation with its chapters, oldest first, and its messages."""

    participant: Participant
    chapters: tuple[Chapter, ...]
    messages: tuple[dict[str, Any], ...]

    @property
    def last_at(self) -> int:
        """The time of its newest message."""
        return int(self.messages[-1]["createdAt"])


class OpenQuestion(NamedTuple):
    """A customer's line that needs an agent's answer: the number of the dialogue, and of lines said by then."""

    dialogue: int
    said: int


def open_questions(language: str) -> list[OpenQuestion]:
    """Return the longest question of each dialogue in a language, the longest of all first."""
    longest = []
    for number, dialogue in enumerate(LANGUAGES[language].dialogues):
        texts = {said: dialogue.lines[said - 1][1] for said in dialogue.questions}
        spoken = {said: text for said, text in texts.items() if not text.startswith("@")}
        longest += sorted((len(text), OpenQuestion(number, said)) for said, text in spoken.items())[-1:]
    return [question for _, question in sorted(longest, reverse=True)]


def age_ms(rank: float) -> int:
    """Return the age of a conversation's last message; `rank` 0 is the latest, 1 the oldest.

    Spread evenly over magnitudes: minutes, hours, days, two months.
    """
    return int(1.2 * MINUTE * exp(11.1 * rank))


def make_thread(
    chance: Random,
    participant: Participant,
    ends_ms: int,
    wanted: int,
    long: bool = False,
    *,
    answered: bool = False,
    question: OpenQuestion | None = None,
) -> SeededThread:
    """Make a thread of about `wanted` messages whose newest is from `ends_ms`.

    Args:
        answered: an agent has the last word, as in nearly every thread of last week.
        question: how it ends instead.
    """
    language = LANGUAGES[participant.language]
    pool = language.exchanges if long else language.dialogues
    picks: list[int] = []
    total = 0
    while total < wanted:
        index = int(chance.random() * len(pool))
        if picks and index == picks[-1]:
            index = (index + 1) % len(pool)
        picks.append(index)
        total += len(pool[index].lines)
    if question is not None:
        picks[-1] = question.dialogue
    spread_days = 700 if long else 40
    chapters: list[tuple[Chapter, list[int]]] = []
    at = ends_ms
    for serial in range(len(picks) - 1, -1, -1):
        dialogue = pool[picks[serial]]
        said = len(dialogue.lines)
        if serial == len(picks) - 1 and question is not None:
            said = question.said
        elif serial == len(picks) - 1 and not (answered or long) and dialogue.questions and chance.random() < 0.8:
            said = pick(chance, dialogue.questions)
        times = _draw_times(chance, dialogue, said, at)
        chapters.append((Chapter(serial, dialogue, picks[serial], times[0], said), times))
        at = _avoid_night(times[0] - int(chance.random() * 2 * spread_days / len(picks) * DAY) - 20 * MINUTE)
    chapters.reverse()
    messages: list[dict[str, Any]] = []
    for chapter, times in chapters:
        messages += _make_messages(chance, participant, chapter, times)
    # Equal times sort by id, as the interface's cursor does.
    messages.sort(key=lambda message: (message["createdAt"], message["messageId"]))
    return SeededThread(participant, tuple(chapter for chapter, _times in chapters), tuple(messages))


def _avoid_night(at: int) -> int:
    """Move a time of the night to the evening before."""
    hour = at // HOUR % 24
    return at - (hour + 4) * HOUR if hour < 5 else at


def _make_messages(
    chance: Random, participant: Participant, chapter: Chapter, times: list[int]
) -> Iterator[dict[str, Any]]:
    words = choose_words(participant, chapter.serial)
    before: dict[str, Any] | None = None
    for step, at in enumerate(times):
        identity = utterance_id(participant.where.line, participant.where.customer, chapter.serial, step)
        message = make_dialogue_message(participant, words, chapter.dialogue.lines[step], at, identity)
        answered = any(who == "c" for who, _text in chapter.dialogue.lines[step + 1 : chapter.said])
        _add_details(chance, message, before, answered)
        _add_translation(chance, participant, chapter, step, message)
        add_comment(participant, chapter.dialogue, chapter.serial, step, message)
        before = message
        yield message


def _draw_times(chance: Random, dialogue: Dialogue, said: int, ends_ms: int) -> list[int]:
    times = [0]
    for step in range(1, said):
        low, high = _GAPS.get(dialogue.lines[step - 1][0] + dialogue.lines[step][0], _OTHER_GAP)
        times.append(times[-1] + low + int(chance.random() * (high - low)))
    shift = ends_ms - times[-1]
    return [time + shift for time in times]


def _add_translation(
    chance: Random, participant: Participant, chapter: Chapter, step: int, message: dict[str, Any]
) -> None:
    """Translate a few messages: the dialogues of a topic say the same in every language."""
    if participant.language == "en" or chance.random() >= 0.12 or message["hasAttachment"]:
        return
    same_topic = [
        dialogue
        for dialogue in LANGUAGES[participant.language].dialogues
        if dialogue.topic == chapter.dialogue.topic
    ]
    english = [dialogue for dialogue in LANGUAGES["en"].dialogues if dialogue.topic == chapter.dialogue.topic]
    if chapter.dialogue not in same_topic or len(english) != len(same_topic):
        return
    dialogue = english[same_topic.index(chapter.dialogue)]
    if len(dialogue.lines) != len(chapter.dialogue.lines):
        return
    words = choose_words(participant, chapter.serial, "en")
    text = dialogue.lines[step][1].format_map(words.gaps)
    message["translation"] = {"language": "en", "text": text}


def _add_details(chance: Random, message: dict[str, Any], before: dict[str, Any] | None, answered: bool) -> None:
    """Change a fresh message in place, but leave an agent's as an answer; `answered`: the customer wrote again."""
    draw = chance.random()
    is_answer = message["messageDirection"] == "outgoing" and message["initiator"] == "person"
    if message["messageDirection"] == "outgoing" and message["type"] == "default":
        _add_delivery(chance, message, answered)
    if draw < 0.030:
        emoji = pick(chance, _REACTIONS)
        message["hasReaction"] = True
        message["reactions"] = [{"emoji": emoji, "from": message["receiver"]}]
    elif draw < 0.075 and before is not None and before["message"]:
        message["context"] = {"from": before["sender"], "id": before["messageId"]}
    elif draw < 0.081 and message["type"] == "default" and not is_answer:
        message |= {"type": "deleted", "message": ""}
    elif draw < 0.0825 and not is_answer:
        name, value = pick(chance, _UNKNOWN_VALUES)
        message[name] = value
    if message["initiator"] == "bot" and message["message"].endswith("?") and message["type"] == "default":
        message["richContent"] = {"buttons": [{"title": "Yes, that's right"}, {"title": "No"}]}


def _add_delivery(chance: Random, message: dict[str, Any], answered: bool) -> None:
    draw = chance.random()
    if draw < 0.012:
        code = pick(chance, FAILURES)
        message |= {"status": "failed", "error": error_object(*code)}
        return
    if answered or draw < 0.70:
        message["status"] = "read"
    elif draw < 0.92:
        message["status"] = "delivered"
    message["updatedAt"] = message["createdAt"] + 1_000 + int(chance.random() * 90_000)


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
    if draw < 0.30:
        return 0
    if status == "completed":
        later = -hours - 24
    elif draw < 0.45:
        later = -4 * hours
    elif draw < 0.65:
        later = 1 + hours // 3
    else:
        later = 24 + 6 * hours
    return (now // 3_600 + later) * 3_600  # whole hours, as people set them


def _last_incoming(thread: SeededThread) -> int:
    for message in reversed(thread.messages):
        if message["messageDirection"] == "incoming":
            return int(message["createdAt"])
    return thread.last_at

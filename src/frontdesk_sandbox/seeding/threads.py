"""Conversations with their messages: dialogues strung together, ending as long ago as they should.

A few messages carry values that nobody knows, because the interface leaves status, type, initiator and
direction open (rule 200).
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
from frontdesk_sandbox.storage import utterance_id

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

"""Conversations with their messages: dialogues strung together, ending as long ago as they should.

Called by `everything`. What happens to single messages (failures, replies, reactions) is in `texture`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp
from random import Random
from typing import Any

from frontdesk.sandbox.phrases import LANGUAGES, Dialogue
from frontdesk.sandbox.seeding.texture import add_texture
from frontdesk.sandbox.threads import utterance_id
from frontdesk.sandbox.utterances import Voice, utter, words_for

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


@dataclass(frozen=True, slots=True)
class Chapter:
    """One dialogue within a thread: which, from when to when, and how many of its lines were said."""

    serial: int
    script: Dialogue
    index: int
    began_ms: int
    said: int

    @property
    def finished(self) -> bool:
        """Whether everything has been said."""
        return self.said == len(self.script.lines)


@dataclass(frozen=True, slots=True)
class SeededThread:
    """A conversation with its chapters, oldest first, and its messages."""

    voice: Voice
    chapters: tuple[Chapter, ...]
    messages: tuple[dict[str, Any], ...]

    @property
    def last_at(self) -> int:
        """When its newest message was created."""
        return int(self.messages[-1]["createdAt"])


def age_ms(rank: float) -> int:
    """How long ago a conversation's last message was; `rank` 0 is the latest, 1 the oldest.

    Spread evenly over magnitudes: minutes, hours, days, two months.
    """
    return int(1.2 * MINUTE * exp(11.1 * rank))


def make_thread(
    chance: Random, voice: Voice, ends_ms: int, wanted: int, long: bool = False, *, answered: bool = False
) -> SeededThread:
    """A thread of about `wanted` messages whose newest is from `ends_ms`.

    Args:
        answered: a person of the business has the last word, as in nearly every thread of last week.
    """
    spoken = LANGUAGES[voice.language]
    pool = spoken.pairs if long else spoken.scripts
    picks: list[int] = []
    total = 0
    while total < wanted:
        index = int(chance.random() * len(pool))
        if picks and index == picks[-1]:
            index = (index + 1) % len(pool)
        picks.append(index)
        total += len(pool[index].lines)
    spread_days = 700 if long else 40
    chapters: list[tuple[Chapter, list[int]]] = []
    at = ends_ms
    for serial in range(len(picks) - 1, -1, -1):
        script = pool[picks[serial]]
        said = len(script.lines)
        if serial == len(picks) - 1 and not long and chance.random() < 0.6:
            said = _cut(chance, script)
        if serial == len(picks) - 1 and answered:
            said = _up_to_answer(script)
        times = _times(chance, script, said, at)
        chapters.append((Chapter(serial, script, picks[serial], times[0], said), times))
        at = _daytime(times[0] - int(chance.random() * 2 * spread_days / len(picks) * DAY) - 20 * MINUTE)
    chapters.reverse()
    messages: list[dict[str, Any]] = []
    for chapter, times in chapters:
        messages += _said(chance, voice, chapter, times)
    # Equal times sort by id, as the interface's cursor does.
    messages.sort(key=lambda message: (message["createdAt"], message["messageId"]))
    return SeededThread(voice, tuple(chapter for chapter, _times_of in chapters), tuple(messages))


def _daytime(at: int) -> int:
    """The same time, or the evening before if it is night: people mostly write by day."""
    hour = at // HOUR % 24
    return at - (hour + 4) * HOUR if hour < 5 else at


def _said(chance: Random, voice: Voice, chapter: Chapter, times: list[int]) -> Iterator[dict[str, Any]]:
    words = words_for(voice, chapter.serial)
    before: dict[str, Any] | None = None
    for step, at in enumerate(times):
        identity = utterance_id(voice.line, voice.customer, chapter.serial, step)
        message = utter(voice, words, chapter.script.lines[step], at, identity)
        answered = any(who == "c" for who, _text in chapter.script.lines[step + 1 : chapter.said])
        add_texture(chance, message, before, answered)
        _translate(chance, voice, chapter, step, message)
        before = message
        yield message


def _cut(chance: Random, script: Dialogue) -> int:
    """Stop after one of the customer's lines: somebody has to answer, or the crowd goes on from there."""
    ends = [step + 1 for step, (who, _text) in enumerate(script.lines) if who == "c"]
    return ends[int(chance.random() * len(ends))]


def _up_to_answer(script: Dialogue) -> int:
    """All up to the last line of a person of the business; a script without one is said whole."""
    ends = [step + 1 for step, (who, _text) in enumerate(script.lines) if who == "a"]
    return ends[-1] if ends else len(script.lines)


def _times(chance: Random, script: Dialogue, said: int, ends_ms: int) -> list[int]:
    times = [0]
    for step in range(1, said):
        low, high = _GAPS.get(script.lines[step - 1][0] + script.lines[step][0], _OTHER_GAP)
        times.append(times[-1] + low + int(chance.random() * (high - low)))
    shift = ends_ms - times[-1]
    return [time + shift for time in times]


def _translate(chance: Random, voice: Voice, chapter: Chapter, step: int, message: dict[str, Any]) -> None:
    """Some messages carry a translation: the scripts of a topic say the same in every language."""
    if voice.language == "en" or chance.random() >= 0.12 or message["hasAttachment"]:
        return
    same_topic = [script for script in LANGUAGES[voice.language].scripts if script.topic == chapter.script.topic]
    english = [script for script in LANGUAGES["en"].scripts if script.topic == chapter.script.topic]
    if chapter.script not in same_topic or len(english) != len(same_topic):
        return
    script = english[same_topic.index(chapter.script)]
    if len(script.lines) != len(chapter.script.lines):
        return
    words = words_for(voice, chapter.serial, "en")
    text = script.lines[step][1].format_map(words.gaps)
    message["translation"] = {"language": "en", "text": text}

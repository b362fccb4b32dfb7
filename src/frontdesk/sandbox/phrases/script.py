"""A dialogue as data: who says what, about which topic.

Written by the language modules as plain text, a line an utterance: "c" customer, "b" bot, "i" AI agent,
"a" human agent, "n" internal note, "s" a notice of the platform.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One dialogue from the first question to the last thanks."""

    topic: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Language:
    """A language with its dialogues, names, and the words that fill the gaps.

    Attributes:
        fillers: values for {item} and {day}.
        pairs: short question and answer, for threads that go on for years.
    """

    code: str
    first_names: tuple[str, ...]
    last_names: tuple[str, ...]
    items: tuple[str, ...]
    days: tuple[str, ...]
    scripts: tuple[Dialogue, ...]
    pairs: tuple[Dialogue, ...]


def read_scripts(text: str) -> tuple[Dialogue, ...]:
    """Scripts out of text: a topic between equals signs, then the lines."""
    found: list[Dialogue] = []
    topic = ""
    lines: list[tuple[str, str]] = []
    for row in text.strip().splitlines():
        if row.startswith("="):
            if lines:
                found.append(Dialogue(topic, tuple(lines)))
            topic, lines = row.strip("= "), []
        elif row.strip():
            who, _, words = row.partition(" ")
            lines.append((who, words))
    found.append(Dialogue(topic, tuple(lines)))
    return tuple(found)

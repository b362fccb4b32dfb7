"""Pure functions that parse a typed line: command name, numbers of the list last printed, names."""

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import TypeVar

from frontdesk.text.fuzzy import NoSuchName, find_named

MAX_LINE_LETTERS = 20_000
"""The limit of a task's text."""

MIN_PREFIX_LETTERS = 3
"""The letters of a command's name that suffice where they are unique."""

MAX_NUMBERS = 10_000

_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_NUMBERS = re.compile(r"\d{1,9}(-\d{1,9})?(,\d{1,9}(-\d{1,9})?)*")


Id = TypeVar("Id", bound=str)


class NotUnderstood(Exception):
    """A line that can't be done as it is; the text says why and what can."""


def split(line: str) -> tuple[str, str]:
    """Return the first word of a line and the rest; both empty for an empty line. `/words` is `find words`."""
    clean = _UNSEEN.sub(" ", line[:MAX_LINE_LETTERS]).strip()
    if clean.startswith("/"):
        return "find", clean[1:].strip()
    first, _, rest = clean.partition(" ")
    return first, rest.strip()


def find_name(typed: str, names: Iterable[str]) -> str:
    """Return the name of a command that was typed: in any case, single letters as they are, or its first letters.

    Raises:
        NotUnderstood: there is none, or more than one begins so; the text has the nearest.
    """
    known = list(names)
    if typed in known:
        return typed
    lower = typed.lower()
    if len(lower) > 1 and lower in known:
        return lower
    begun = [name for name in known if name.startswith(lower)] if len(lower) >= MIN_PREFIX_LETTERS else []
    if len(begun) == 1:
        return begun[0]
    # Two letters that changed places are the likeliest mistake: `stauts` is status before it is stats.
    close = sorted(get_close_matches(lower, known, cutoff=0.5), key=lambda each: sorted(each) != sorted(lower))
    near = begun or close[:1]
    hint = f"Did you mean {' or '.join(near)}?" if near else "To list the commands, type help."
    raise NotUnderstood(f"Unknown command {typed[:40]}. {hint}")


def is_number_list(word: str) -> bool:
    """Whether a word names places of a list: `3`, `2,4` or `2-6`."""
    return _NUMBERS.fullmatch(word) is not None


def parse_numbers(word: str) -> list[int]:
    """Return the numbers that a word names, each once, in the order given.

    Raises:
        NotUnderstood: a range runs backwards or is too long.
    """
    found: dict[int, None] = {}
    for part in word.split(","):
        first, _, last = part.partition("-")
        low, high = int(first), int(last or first)
        if high < low:
            raise NotUnderstood(f"{part} isn't a valid range; write the lower number first, as in 2-6.")
        if high - low >= MAX_NUMBERS:
            raise NotUnderstood(f"{part} is too long; a range can have {MAX_NUMBERS:,} numbers at most.")
        found.update(dict.fromkeys(range(low, high + 1)))
    return list(found)


def split_numbers(words: str, *, all_of_them: bool = False) -> tuple[list[int] | None, str]:
    """Return the numbers in front of some words, or None where there are none, and the rest.

    Args:
        all_of_them: whether every further number belongs to them; else the first word alone.
    """
    parts = words.split()
    taken = 0
    while taken < len(parts) and is_number_list(parts[taken]) and (all_of_them or not taken):
        taken += 1
    if not taken:
        return None, words
    return parse_numbers(",".join(parts[:taken])), " ".join(words.split(None, taken)[taken:])


def find_choice(word: str, choices: Sequence[str]) -> str:
    """Return the choice that a word names or begins.

    Raises:
        NotUnderstood: it is none of them.
    """
    begun = [each for each in choices if each.startswith(word.lower())] if word else []
    if len(begun) != 1:
        unknown = f"Unknown value {word[:40]}. " if word else ""
        raise NotUnderstood(f"{unknown}Choose one of: {', '.join(choices)}.")
    return begun[0]


def find_record(typed: str, names: Mapping[Id, str], what: str, hint: str = "") -> Id:
    """Return the id of the record that was meant, by its id, its name or a part of that.

    Args:
        what: what they are, for the refusal: `status`, `person`.
        hint: a further sentence of the refusal.

    Raises:
        NotUnderstood: none or several are meant.
    """
    try:
        return find_named(typed, names, what)
    except NoSuchName as error:
        raise refusal(error, hint) from error


def refusal(error: Exception, hint: str = "") -> NotUnderstood:
    """Return an error's words as a sentence with a capital and a full stop."""
    text = str(error)
    return NotUnderstood(f"{text[:1].upper()}{text[1:]}.{hint and f' {hint}'}")

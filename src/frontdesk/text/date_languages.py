"""Times in other languages as English words, for `due_parser`.

dateparser skips words that it doesn't need, so it only translates here: its dictionaries translate a text if
they know every word, and `due_parser` must find a meaning for each word and number of the translation.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

MAX_LANGUAGES = 40
"""Maximum number of languages to try, the most used first; with all 205 some words take over a second."""
MAX_CHARACTERS = 60

_HEBREW_AT = re.compile(r"(?<!\w)ב[-־]?(?=\d)")
"""Hebrew writes "at" and "on" as a letter before the number; dateparser takes it for Monday."""
_LETTER = re.compile(r"(?<![^\W\d_])[a-z](?![^\W\d_]| ?[^\W\d_]{2})")
"""Matches a letter alone or beside a number; one before a word is a preposition."""
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]+")
_REWRITES = tuple(
    (re.compile(pattern), english)
    for pattern, english in (
        (r"\b0 day ago\b", "today"),
        (r"\b1 day ago\b", "yesterday"),
        (r"\b(am|pm) (\d{1,2}(?::\d\d)?)\b", r"\2\1"),
        (r"(?<!in )\b(\d{1,2}) hour\b(?! ago)", r"\1h"),
        (r"\bhour (\d{1,2})\b", r"\1h"),
    )
)
_ORDINAL = re.compile(r"\d(?:st|nd|rd|th)\b")
"""Ordinals that most languages skip as part of the number: `9th` is a day of the month and `9` a time."""
_BARE_NUMBER = re.compile(r"(?<![\d:])\d+(?!\d| (?:minute|hour|day|week|month|year))")
_ENGLISH = frozenset({"in", "at", "on", "by", "next", "this", "ago", "before"})
"""English words that a translation may contain; `in 9:30` isn't the time."""
_ZONES = re.compile(r"\b(?:utc|gmt|bst|msk|ist|wes?t|cet|cest|ees?t|[ecmp][sd]t)\b")
"""Time zones that are words in some language: `cet` is Thursday in Croatian."""
_DAYS = re.compile(r"(?:in )?\d+ (?:day|week|month|year)(?: \d+ (?:day|week|month|year))*(?: ago)?")


def to_english(text: str) -> Iterator[str]:
    """Translate from each language that knows all words of the text; a day without a time ends with `eod`."""
    text = _HEBREW_AT.sub("", text)
    if len(text) > MAX_CHARACTERS or not any(letter.isalpha() for letter in text):
        return
    if _ORDINAL.search(text) or _ZONES.search(text):
        return
    from dateparser.conf import settings

    kept, numbers = _ENGLISH.intersection(_WORD.findall(text)), {int(each) for each in _NUMBER.findall(text)}
    for locale in _locales():
        if locale.is_applicable(text, settings=settings):
            english = " ".join(locale.translate(text, settings=settings).split())
            # A number word is never part of a time: `3d to` isn't three days and two.
            if not kept <= {*english.split()} or not numbers.issuperset(map(int, _BARE_NUMBER.findall(english))):
                continue
            # Each letter means something in some language: `5x` is 5 October in Hungarian.
            letters = {locale.translate(letter, settings=settings) for letter in _LETTER.findall(text)}
            if letters <= {"", "hour"}:
                yield from _as_typed(english, text)


def _as_typed(english: str, text: str) -> Iterator[str]:
    """Rewrite dateparser's English as people type it; yield nothing if the moment would be a guess.

    `14 heures` alone may be a time or a number of hours, `um` is 1 in Portuguese, and `diese Woche` isn't a day.
    """
    numbers = _NUMBER.findall(text)
    if re.fullmatch(r"\d+ hour" if numbers else r"\d+(?: [ap]m)?", english):
        return
    has_day_word = len(_NUMBER.findall(english)) > len(numbers)
    for pattern, replacement in _REWRITES:
        english = pattern.sub(replacement, english)
    if has_day_word:  # `demain 9h` isn't one day and nine hours
        english = re.sub(r"\bin (\d+ day) (?=\d)", r"in \1 at ", english)
    if _DAYS.fullmatch(english):
        english += " eod"
    if not re.search(r"\b0 \w+ ago\b", english):
        yield english


@cache
def _locales() -> list[Any]:
    from dateparser.data.languages_info import language_order  # it takes a second to load
    from dateparser.languages.loader import LocaleDataLoader

    others = [each for each in language_order[:MAX_LANGUAGES] if each != "en"]
    return list(LocaleDataLoader().get_locales(languages=others))

"""Text normalized for search: words without case, accents, vowel points and lengthening.

Index and query use the same `normalize`. Scripts without blanks between words (Chinese, Japanese, Thai) are
indexed by character and searched for as a phrase.
"""

import re
import unicodedata
from functools import lru_cache

_ALIKE = str.maketrans(
    {
        "ـ": None,  # tatweel only lengthens a word
        "ٱ": "ا",
        "ى": "ي",
        "ة": "ه",
        "ı": "i",
        "ß": "ss",
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "æ": "ae",
        "œ": "oe",
    }
)
MAX_WORDS = 60
"""Maximum number of words to search for; a page pasted by mistake has more."""
MAX_SIGNS = 2_000

_NUMBER_RUN = r"(?<!\S)[+(]*\d[\d\s()+./\u2010-\u2015-]*\d(?!\S)"
_NUMBER_DIGITS = range(4, 16)
"""Matches a phone number in digits, or its beginning (E.164 allows 15)."""

_MAX_DECOMPOSED = 250
"""Maximum number of characters decomposed at once."""

_KEPT_TOGETHER = {"Nd", "Nl", "No", "Mc", "Co"}
_SIGN_BY_SIGN = (
    "["
    "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"  # Han and kana
    "]"
)


def normalize(text: str) -> str:
    """Return the text's words with one blank between them, as in the index."""
    if text.isascii():
        return " ".join(_ASCII_WORD.findall(text.lower()))
    return " ".join(_plain(text).translate(_WORD_SIGNS).split())


def normalize_name(*parts: str) -> str:
    """Return a customer's searchable text: names as words, and numbers without their signs."""
    numbers = ("".join(filter(str.isdigit, each)) for each in parts)
    return " ".join(filter(None, (*map(normalize, parts), *numbers)))


def normalize_with_indexes(text: str) -> tuple[str, list[int]]:
    """Normalize by character, with a blank before each word; also return each character's index in `text`."""
    folded = [" "]
    places = [0]
    for at, sign in enumerate(text):
        for part in _word_signs(sign):
            if part != " " or folded[-1] != " ":
                folded.append(part)
                places.append(at)
    return "".join(folded), places


def split_words(words: str) -> list[str]:
    """Split typed text into words or runs of characters; return the first `MAX_WORDS`."""
    return [piece for word in words[:MAX_SIGNS].split() if (piece := normalize(word))][:MAX_WORDS]


def join_numbers(words: str) -> str:
    """Write phone numbers as digits alone, equal in every notation: `053-602 2473` as 536022473."""

    def join(found: re.Match[str]) -> str:
        digits = "".join(each for each in found[0].replace("(0)", "") if each.isdecimal())
        is_number = len(digits) in _NUMBER_DIGITS
        return (digits.lstrip("0") or digits) if is_number else found[0]

    return re.sub(_NUMBER_RUN, join, words)


def fts_expression(words: str) -> str | None:
    """Build an FTS5 expression for all of the words, each as a prefix; `None` if there are none.

    Text without a blank is a phrase: a number with its signs, a Chinese word. A single letter is matched as a
    whole word, since too many words begin with it.
    """
    phrases = [_phrase(piece) for piece in split_words(words)]
    return " AND ".join(phrases) or None


def _plain(text: str) -> str:
    """Decompose first, then fold case, since bold letters have no case.

    Work in pieces: Python sorts a run of combining marks by moving each one past all others.
    """
    if len(text) > _MAX_DECOMPOSED:
        return "".join(_plain(text[at : at + _MAX_DECOMPOSED]) for at in range(0, len(text), _MAX_DECOMPOSED))
    apart = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFKD", apart.casefold()).translate(_ALIKE)


def _phrase(piece: str) -> str:
    quoted = " ".join(piece.split())
    last = quoted.rsplit(" ", 1)[-1]
    return f'"{quoted}"' + ("*" if len(last) > 1 else "")


_ASCII_WORD = re.compile(r"[a-z0-9]+")


@lru_cache(maxsize=4096)
def _word_signs(sign: str) -> str:
    return _plain(sign).translate(_WORD_SIGNS)


class _WordSigns(dict[int, str]):
    """A cache that maps a character to itself, a separator to a blank, a combining mark to nothing."""

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        category = unicodedata.category(sign)
        kept = " "
        if category[0] == "L" or category in _KEPT_TOGETHER:
            kept = f" {sign} " if re.match(_SIGN_BY_SIGN, sign) else sign
        elif category == "So":
            kept = f" {sign} "  # an emoji is a word
        elif category in ("Mn", "Me", "Cf"):
            kept = f" {sign} " if re.match(_SIGN_BY_SIGN, sign) else ""  # Thai vowels carry meaning
        return self.setdefault(code, kept)


_WORD_SIGNS = _WordSigns()

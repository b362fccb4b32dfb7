"""Forms of a credential to search for: the whole, parts of a Cookie, base64, hex.

`redaction` says which of them are tokens, replaced everywhere.
"""

import binascii
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum

_PREFIX_LETTERS = 8
_MIN_ENCODED_LETTERS = 8
"""Minimum length of a value that is searched for inside base64."""

ESCAPE = re.compile(
    r"(%[0-9A-Fa-f]{2}|\\(?:u00|x)[0-9A-Fa-f]{2}|&#[xX]0{0,6}[0-9A-Fa-f]{1,2};|&#0{0,6}[0-9]{1,3};"
    r"|\\[\"'\\/]|&(?:quot|amp|lt|gt|apos);)"
)
_NAMES = {
    "cookie": "cookie",
    "api_key": r"x?[-_ ]?api[-_ ]?key",
    "bearer": r"bearer|authorization",
    "team_password": "password",
}
_SECRET_NAME = re.compile(r"(?:sess|session|sid|token|csrf|xsrf|auth|jwt|secret|password)(?:[-_.]?id)?$", re.I)
_PIECE = re.compile(r"[A-Za-z0-9]+")
_WORDS = re.compile(r"(?:[A-Z][a-z]++|[a-z]{3,}+|[0-9]++)+|[A-Za-z]+")
_PLAIN = re.compile(
    r"[0-9]{4}-?[0-9]{2}-?[0-9]{2}[T _][0-9:.,]+(?:Z|[+ -][0-9:]+)?"  # a date with its time
    r"|[^@\s]+@[^@\s]+\.[A-Za-z]+"  # an e-mail address
    r"|[A-Za-z][A-Za-z0-9+.-]*:/.*"  # a URL
)
_URL_SAFE = str.maketrans("+/", "-_")


class Grade(IntEnum):
    """Places where a credential is replaced: after its name, as a whole word, or everywhere."""

    NAMED = 0
    WORD = 1
    TOKEN = 2


@dataclass(frozen=True, slots=True)
class CredentialValue:
    """One text to search for.

    Attributes:
        name: a pattern of the text before it, if the text is replaced only after that.
        cores: the invariant part of its base64, by alignment and alphabet, and its hex, in either case.
        prefix: its beginning, if the beginning alone is replaced in a refusal's words.
    """

    text: str
    grade: Grade
    name: str = ""
    cores: tuple[str, ...] = ()
    prefix: str = ""

    def __repr__(self) -> str:
        return "CredentialValue(***)"


@dataclass(frozen=True, slots=True)
class CookiePair:
    """One pair of a Cookie; `texts` are its value as written and unescaped."""

    name: str
    texts: tuple[str, ...]
    is_token: bool

    def __repr__(self) -> str:
        return "CookiePair(***)"


def credential_values(kind: str, text: str, public: Collection[str]) -> Iterator[CredentialValue]:
    """Yield the texts of a credential of a kind in `_NAMES`, without a Cookie's `public` parts."""
    if kind != "cookie":
        yield _value(text, _NAMES[kind], is_token=_is_long(text))
        return
    for whole in dict.fromkeys((text, text.replace(" ", "+"))):  # the second in the encoding of forms
        # A whole Cookie has no prefix: its beginning is the name of its first pair.
        yield replace(_value(whole, _NAMES[kind], is_token=_is_long(whole)), prefix="")
    for pair in cookie_pairs(text):
        if not set(pair.texts) & set(public):
            for each in pair.texts:
                yield _value(each, re.escape(pair.name) or _NAMES[kind], is_token=pair.is_token)


def cookie_parts(cookie: str, public: Collection[str] = ()) -> tuple[list[str], list[str]]:
    """Return the names of a Cookie's parts: first the tokens, then parts that are replaced only in refusals."""
    secret = [pair for pair in cookie_pairs(cookie) if not set(pair.texts) & set(public)]
    tokens, others = ([pair.name for pair in secret if pair.is_token is wanted] for wanted in (True, False))
    return tokens, others


class _Meanings(dict[str, str]):
    """A cache of the characters that escapes mean."""

    def __missing__(self, escape: str) -> str:
        if escape[0] == "\\" and escape[1] not in "ux":
            meaning = escape[1]
        elif escape[0] == "&":
            number = escape[2:-1]
            meaning = chr(int(number[1:], 16) if number[0] in "xX" else int(number))
        else:
            meaning = chr(int(escape[-2:], 16))
        self[escape] = meaning
        return meaning


_MEANINGS = _Meanings({"&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">", "&apos;": "'"})


def unescape(parts: list[str]) -> str:
    """Join a text that was split at its escapes, unescaping them once."""
    read = parts.copy()
    read[1::2] = map(_MEANINGS.__getitem__, parts[1::2])
    return "".join(read)


def cookie_pairs(cookie: str) -> list[CookiePair]:
    """Return the pairs of a Cookie that have a value."""
    found = []
    pairs = [pair.strip() for pair in cookie.split(";") if pair.strip()]
    for pair in pairs:
        name, _, value = pair.partition("=")
        if not value.strip("="):  # a value without a name may end in base64's padding
            name, value = "", pair
        value = decoded = value.strip().strip('"')
        while len(parts := ESCAPE.split(decoded)) > 1:
            decoded = unescape(parts)
        is_token = _is_long(decoded) if len(pairs) == 1 else _is_token(name.strip(), decoded)
        if decoded:
            found.append(CookiePair(name.strip(), tuple(dict.fromkeys((value, decoded))), is_token))
    return found


def _is_long(secret: str) -> bool:
    return len(secret) >= (16 if secret.isdigit() else 12)


def _is_token(name: str, text: str) -> bool:
    if len(text) < 16 or len(set(text)) < 8 or _PLAIN.fullmatch(text):
        return False
    if _SECRET_NAME.search(name) and any(map(str.isdigit, text)) and any(map(str.isalpha, text)):
        return True
    return sum(len(piece) for piece in _PIECE.findall(text) if not _WORDS.fullmatch(piece)) >= 8


def _value(text: str, name: str, *, is_token: bool) -> CredentialValue:
    kinds = len({_kind(letter) for letter in text})
    is_word = len(text) >= 8 or (len(text) >= 6 and kinds > 1)
    grade = Grade.TOKEN if is_token else Grade.WORD if is_word else Grade.NAMED
    cores = tuple(_cores(text.encode())) if len(text) >= _MIN_ENCODED_LETTERS else ()
    prefix = text[:_PREFIX_LETTERS] if is_token and len(text) >= 2 * _PREFIX_LETTERS else ""
    return CredentialValue(text, grade, name, cores, prefix)


def _kind(letter: str) -> int:
    return 0 if letter.islower() else 1 if letter.isupper() else 2 if letter.isdigit() else 3


def _cores(data: bytes) -> Iterator[str]:
    for before in range(3):
        encoded = binascii.b2a_base64(b"\0" * before + data, newline=False).decode()
        core = encoded[(0, 2, 3)[before] : (before + len(data)) * 8 // 6]
        yield core
        if (safe := core.translate(_URL_SAFE)) != core:
            yield safe
    yield from dict.fromkeys((data.hex(), data.hex().upper()))

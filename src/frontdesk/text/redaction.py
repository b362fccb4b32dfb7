"""Known credentials, kept out of everything that is shown, stored, logged or printed.

A platform that refuses a request may answer with the request itself. `config.credentials` and the client add the
values; the client redacts what the platform answers, `text` and the command line what they show.

A value is found as it is, with characters escaped (percent, JSON, HTML; up to three times over), and inside
base64 at any of the three alignments, standard or URL-safe. Where it is replaced depends on the value:

- A token is replaced everywhere. The API key, the Bearer token, a whole Cookie and the value of a Cookie's only
  pair are tokens from 12 characters on, digits alone from 16: shorter ones may be part of an id.
- One pair of several is a token if it has 16 characters or more, 8 of them different, at least 8 of them in
  pieces that mix letters and digits, and is no time, e-mail address or URL. `spring-sale-2026` is made of words
  and numbers; it is a token only under a name such as `session` or `csrf`.
- Every other value could be ordinary text. Only in a refusal's words is it replaced, and only as a whole word
  or inside base64; under 6 characters, or 6 and 7 of one kind, only right behind its name.
- In a refusal's words the beginning of a long token, 8 characters or more, is replaced too.
"""

import binascii
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import chain, count, cycle
from typing import Any

HIDDEN = "[credential hidden]"
"""In place of a credential. The client sends no body that contains it."""

LONGEST_FORM = 50_000
"""Characters that an escaped credential may take: what is cut after so many more cuts no credential in two."""

_LEVELS = 3
_PREFIX = 8
_ENCODED = 8
"""Characters that a value must have to be looked for inside base64."""

_ESCAPE = re.compile(
    r"(%[0-9A-Fa-f]{2}|\\u00[0-9A-Fa-f]{2}|&#[xX]0{0,6}[0-9A-Fa-f]{1,2};|&#0{0,6}[0-9]{1,3};"
    r"|\\[\"'\\/]|&(?:quot|amp|lt|gt|apos);)"
)
_NAMES = {"cookie": "cookie", "api_key": r"x?[-_ ]?api[-_ ]?key", "bearer": r"bearer|authorization"}
_SECRET_NAME = re.compile(r"(?:sess|session|sid|token|csrf|xsrf|auth|jwt|secret|password)(?:[-_.]?id)?$", re.I)
_PIECE = re.compile(r"[A-Za-z0-9]+")
_WORDS = re.compile(r"(?:[A-Z][a-z]++|[a-z]{3,}+|[0-9]++)+|[A-Za-z]+")
_PLAIN = re.compile(
    r"[0-9]{4}-?[0-9]{2}-?[0-9]{2}[T _][0-9:.,]+(?:Z|[+ -][0-9:]+)?"  # a date with its time
    r"|[^@\s]+@[^@\s]+\.[A-Za-z]+"  # an e-mail address
    r"|[A-Za-z][A-Za-z0-9+.-]*:/.*"  # a URL
)
_URL_SAFE = str.maketrans("+/", "-_")
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=")


class _Grade(IntEnum):
    NAMED = 0
    WORD = 1
    TOKEN = 2


@dataclass(frozen=True, slots=True)
class _Value:
    """One text to look for.

    Attributes:
        name: a pattern of what stands before it, where it is replaced only behind that.
        cores: the part of its base64 that is the same whatever stands around it, by alignment and alphabet.
        prefix: its beginning, where that alone is replaced in a refusal's words.
    """

    text: str
    grade: _Grade
    name: str = ""
    cores: tuple[str, ...] = ()
    prefix: str = ""

    def __repr__(self) -> str:
        return "_Value(***)"


@dataclass(frozen=True, slots=True)
class _Pair:
    """One pair of a Cookie.

    Attributes:
        texts: its value, and that without its escapes: what a server reads out of it.
    """

    name: str
    texts: tuple[str, ...]
    is_token: bool

    def __repr__(self) -> str:
        return "_Pair(***)"


@dataclass(frozen=True, slots=True)
class _KnownValues:
    """What a redactor looks for.

    Attributes:
        needles: texts of which one stands in every text that holds a token; none contains another.
        numbers: tokens that a JSON number may be.
    """

    values: tuple[_Value, ...] = ()
    tokens: tuple[_Value, ...] = ()
    needles: tuple[str, ...] = ()
    shortest: int = 0
    numbers: frozenset[int] = frozenset()

    def __repr__(self) -> str:
        return "_Known(***)"


class Redactor:
    """Replaces the credentials that were added to it. One that was replaced by another stays known."""

    def __init__(self) -> None:
        self._known = _KnownValues()
        self._public: frozenset[str] = frozenset()
        self._added: frozenset[tuple[str, str]] = frozenset()

    def add(self, credentials: Iterable[tuple[str, str]], public: Collection[str] = ()) -> None:
        """Add credentials, each by its kind (`cookie`, `api_key`, `bearer`) and its value.

        Args:
            public: parts of a Cookie that are no secret, such as the agent's id in the config.
        """
        added, known = self._added | set(credentials), self._public | set(public)
        if (added, known) == (self._added, self._public):
            return
        self._added, self._public = added, known
        values = [each for kind, text in sorted(added) for each in _values(kind, text, known)]
        tokens = tuple(each for each in values if each.grade is _Grade.TOKEN)
        needles: list[str] = []
        for needle in sorted({form for each in tokens for form in (each.text, *each.cores)}, key=len):
            if not any(shorter in needle for shorter in needles):
                needles.append(needle)
        shortest = len(needles[0]) if needles else 0
        numbers = frozenset(int(each.text) for each in tokens if each.text.isdecimal() and len(each.text) < 100)
        self._known = _KnownValues(tuple(values), tokens, tuple(needles), shortest, numbers)

    def redact(self, text: str) -> str:
        """The text without tokens; the same object where it has none."""
        return _without(text, _spans(text, self._known.tokens)) if self._is_in(text) else text

    def redact_refusal(self, text: str) -> str:
        """A refusal's words without any credential, short ones and beginnings included."""
        return _without(text, _spans(text, self._known.values, of_refusal=True))

    def redact_json(self, value: Any, keep: Collection[str] = ()) -> Any:
        """The JSON value without tokens in texts, keys and numbers; the same object where it has none.

        A key that the interface declares stays, and no two keys become one.

        Args:
            keep: fields of the outermost object that stay as they are.
        """
        if not self._known.needles or not self._is_in_json(value):
            return value
        from frontdesk.api.contract.endpoints import field_names  # not needed by a screen that starts

        declared = field_names()
        root = [value]
        holders: list[Any] = [root]
        while holders:
            holder = holders.pop()
            for place, part in list(enumerate(holder) if isinstance(holder, list) else holder.items()):
                if isinstance(part, dict | list | tuple):
                    holder[place] = dict(part) if isinstance(part, dict) else list(part)
                    holders.append(holder[place])
                elif isinstance(part, str):
                    holder[place] = self.redact(part)
                elif type(part) is int and part in self._known.numbers:
                    holder[place] = HIDDEN
            if isinstance(holder, dict) and any(isinstance(key, str) and self._is_in(key) for key in holder):
                parts = list(holder.items())
                holder.clear()
                for key, part in parts:
                    holder[key if key in declared else _unused(self.redact(key), holder)] = part
        if isinstance(value, dict):
            root[0] |= {name: value[name] for name in keep if name in value}
        return root[0]

    def _is_in(self, text: str) -> bool:
        """Whether the text holds a token, each level of its escapes looked through."""
        needles, shortest = self._known.needles, self._known.shortest
        if not needles:
            return False
        for _ in range(_LEVELS):
            if len(text) < shortest:
                return False
            for needle in needles:
                if needle in text:
                    return True
            if not ("%" in text or "\\" in text or "&" in text) or len(parts := _ESCAPE.split(text)) == 1:
                return False
            text = _unescaped(parts)
        return any(needle in text for needle in needles)

    def _is_in_json(self, value: Any) -> bool:
        """Whether a text, a key or a number in it holds a token: all texts are searched as one."""
        numbers = self._known.numbers
        texts: list[str] = []
        keys: set[Any] = set()
        holders: list[Any] = [(value,)]
        while holders:
            holder = holders.pop()
            if isinstance(holder, dict):
                keys.update(holder)
                holder = holder.values()
            for part in holder:
                if isinstance(part, str):
                    texts.append(part)
                elif isinstance(part, dict | list | tuple):
                    holders.append(part)
                elif numbers and type(part) is int and part in numbers:
                    return True
        texts += (key for key in keys if isinstance(key, str))
        return self._is_in("\0".join(texts))  # no credential and no escape goes on over a NUL


KNOWN = Redactor()
"""The credentials of this process: every profile's that it has loaded, and those that were replaced."""


def redact(text: str) -> str:
    """The text without this process's tokens."""
    return KNOWN.redact(text)


def redact_json(value: Any) -> Any:
    """The JSON value without this process's tokens."""
    return KNOWN.redact_json(value)


def cookie_parts(cookie: str, public: Collection[str] = ()) -> tuple[list[str], list[str]]:
    """The names of a Cookie's parts: those of tokens, and those that are replaced in refusals alone."""
    secret = [pair for pair in _pairs(cookie) if not set(pair.texts) & set(public)]
    tokens, others = ([pair.name for pair in secret if pair.is_token is wanted] for wanted in (True, False))
    return tokens, others


def _values(kind: str, text: str, public: Collection[str]) -> Iterator[_Value]:
    if kind != "cookie":
        yield _value(text, _NAMES[kind], is_token=_is_long(text))
        return
    for whole in dict.fromkeys((text, text.replace(" ", "+"))):  # the second as a form is encoded
        # No prefix of a whole Cookie: that is the name of its first pair.
        yield replace(_value(whole, _NAMES[kind], is_token=_is_long(whole)), prefix="")
    for pair in _pairs(text):
        if not set(pair.texts) & set(public):
            for each in pair.texts:
                yield _value(each, re.escape(pair.name) or _NAMES[kind], is_token=pair.is_token)


def _pairs(cookie: str) -> list[_Pair]:
    found = []
    pairs = [pair.strip() for pair in cookie.split(";") if pair.strip()]
    for pair in pairs:
        name, _, value = pair.partition("=")
        if not value.strip("="):  # a value without a name may end in base64's padding
            name, value = "", pair
        value = decoded = value.strip().strip('"')
        while len(parts := _ESCAPE.split(decoded)) > 1:
            decoded = _unescaped(parts)
        is_token = _is_long(decoded) if len(pairs) == 1 else _is_token(name.strip(), decoded)
        if decoded:
            found.append(_Pair(name.strip(), tuple(dict.fromkeys((value, decoded))), is_token))
    return found


def _is_long(secret: str) -> bool:
    return len(secret) >= (16 if secret.isdigit() else 12)


def _is_token(name: str, text: str) -> bool:
    if len(text) < 16 or len(set(text)) < 8 or _PLAIN.fullmatch(text):
        return False
    if _SECRET_NAME.search(name) and any(map(str.isdigit, text)) and any(map(str.isalpha, text)):
        return True
    return sum(len(piece) for piece in _PIECE.findall(text) if not _WORDS.fullmatch(piece)) >= 8


def _value(text: str, name: str, *, is_token: bool) -> _Value:
    kinds = len({_kind(letter) for letter in text})
    is_word = len(text) >= 8 or (len(text) >= 6 and kinds > 1)
    grade = _Grade.TOKEN if is_token else _Grade.WORD if is_word else _Grade.NAMED
    cores = tuple(_cores(text.encode())) if len(text) >= _ENCODED else ()
    prefix = text[:_PREFIX] if is_token and len(text) >= 2 * _PREFIX else ""
    return _Value(text, grade, name, cores, prefix)


def _kind(letter: str) -> int:
    return 0 if letter.islower() else 1 if letter.isupper() else 2 if letter.isdigit() else 3


def _cores(data: bytes) -> Iterator[str]:
    for before in range(3):
        encoded = binascii.b2a_base64(b"\0" * before + data, newline=False).decode()
        core = encoded[(0, 2, 3)[before] : (before + len(data)) * 8 // 6]
        yield core
        if (safe := core.translate(_URL_SAFE)) != core:
            yield safe


def _spans(text: str, values: Collection[_Value], *, of_refusal: bool = False) -> list[tuple[int, int]]:
    """Where the values stand in the text, each level of its escapes looked through."""
    found: list[tuple[int, int]] = []
    levels: list[list[str]] = []
    for _ in range(_LEVELS + 1):
        spans = list(_found(text, values, of_refusal=of_refusal))
        if spans:
            for parts in reversed(levels):
                starts = _starts(parts)
                spans = [(starts[start], starts[end]) for start, end in spans]
        found += spans
        parts = _ESCAPE.split(text)
        if len(parts) == 1:
            break
        text = _unescaped(parts)
        levels.append(parts)
    return found


def _found(text: str, values: Iterable[_Value], *, of_refusal: bool) -> Iterator[tuple[int, int]]:
    for value in values:
        for core in value.cores:
            for start in _places(text, core):
                yield _base64_around(text, start, start + len(core))
        if value.grade is _Grade.TOKEN:
            for start in _places(text, value.text):
                yield start, start + len(value.text)
            if of_refusal and value.prefix:
                for start in _places(text, value.prefix):
                    end = start
                    while text[start : end + 1] == value.text[: end + 1 - start] and end < len(text):
                        end += 1
                    yield start, end
        else:
            before = r"(?<![A-Za-z0-9])"
            if value.grade is _Grade.NAMED:
                before = rf"(?i:{value.name})(?:[^A-Za-z0-9]{{1,8}}(?i:bearer)?){{1,2}}?"
            for match in re.finditer(rf"{before}({re.escape(value.text)})(?![A-Za-z0-9])", text):
                yield match.span(1)


def _places(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _base64_around(text: str, start: int, end: int) -> tuple[int, int]:
    """All of the base64 that a piece is in; an escape before it, as in `\\nQUJD`, stays whole."""
    while start and text[start - 1] in _BASE64:
        start -= 1
    if start and text[start - 1] == "\\":
        start += 5 if text[start] == "u" else 1
    while end < len(text) and text[end] in _BASE64:
        end += 1
    return start, end


class _Meanings(dict[str, str]):
    """What each escape stands for, worked out once."""

    def __missing__(self, escape: str) -> str:
        if escape[0] == "\\" and escape[1] != "u":
            meaning = escape[1]
        elif escape[0] == "&":
            number = escape[2:-1]
            meaning = chr(int(number[1:], 16) if number[0] in "xX" else int(number))
        else:
            meaning = chr(int(escape[-2:], 16))
        self[escape] = meaning
        return meaning


_MEANINGS = _Meanings({"&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">", "&apos;": "'"})


def _unescaped(parts: list[str]) -> str:
    """The text that was split at its escapes, with these read once."""
    read = parts.copy()
    read[1::2] = map(_MEANINGS.__getitem__, parts[1::2])
    return "".join(read)


def _starts(parts: list[str]) -> list[int]:
    """Where each character of the unescaped text, and its end, came from in the text that was split."""
    starts: list[int] = []
    at = 0
    for part, is_escape in zip(parts, cycle((False, True))):
        starts += (at,) if is_escape else range(at, at + len(part))
        at += len(part)
    return [*starts, at]


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    if not spans:
        return text
    parts: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if end <= at:
            continue
        if start >= at and (start > at or not parts):
            parts += (text[at:start], HIDDEN)
        at = end
    parts.append(text[at:])
    return "".join(parts)


def _unused(key: str, taken: Collection[str]) -> str:
    """The key, with a number where another has become the same."""
    numbered = (f"{key} {number}" for number in count(2))
    return next(each for each in chain((key,), numbered) if each not in taken)

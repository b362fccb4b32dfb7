"""Known credentials, kept out of everything that is shown, stored, logged or printed.

A platform that refuses a request may answer with the request itself. `secrets` and the client add the
values; the client redacts what the platform answers, `text` and the command line what they show.

A value is found as it is, with characters escaped (percent, JSON, HTML; up to three times over), and inside
base64 at any of the three alignments, standard or URL-safe. How much is replaced depends on the value:

- A value that no ordinary text contains (16 characters or more; 8 or more of at least two kinds: lower case,
  upper case, digits, others) is replaced everywhere.
- A shorter or plainer value could be a word or a number of the business. Only in a refusal's words is it
  replaced, and only as a whole word; under 6 characters, or 6 and 7 of one kind, only right behind its name.
- In a refusal's words the beginning of a long value, 8 characters or more, is replaced too.
"""

import binascii
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

HIDDEN = "[credential hidden]"
"""In place of a credential. The client sends no body that contains it."""

LONGEST_FORM = 50_000
"""Characters that an escaped credential may take: what is cut after so many more cuts no credential in two."""

_LEVELS = 3
_PREFIX = 8
_MIN_CORE = 8
_ESCAPE = re.compile(
    r"%([0-9A-Fa-f]{2})|\\u00([0-9A-Fa-f]{2})|&#[xX]0*([0-9A-Fa-f]{1,2});|&#0*([0-9]{1,3});"
    r"|\\([\"'\\/])|&(quot|amp|lt|gt|apos);"
)
_ENTITIES = {"quot": '"', "amp": "&", "lt": "<", "gt": ">", "apos": "'"}
_NAMES = {"cookie": "cookie", "api_key": r"x?[-_ ]?api[-_ ]?key", "bearer": r"bearer|authorization"}
_URL_SAFE = str.maketrans("+/", "-_")
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=")


class _Grade(IntEnum):
    NAMED = 0
    WORD = 1
    ANYWHERE = 2


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
class _Known:
    values: tuple[_Value, ...] = ()
    needles: tuple[str, ...] = ()
    shortest: int = 0

    def __repr__(self) -> str:
        return "_Known(***)"


class Redactor:
    """Replaces the credentials that were added to it. One that was replaced by another stays known."""

    def __init__(self) -> None:
        self._known = _Known()
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
        values = {each.text: each for kind, text in sorted(added) for each in _values(kind, text, known)}
        everywhere = [each for each in values.values() if each.grade is _Grade.ANYWHERE]
        needles = sorted({form for each in everywhere for form in (each.text, *each.cores)}, key=len)
        needed: list[str] = []
        for needle in needles:
            if not any(shorter in needle for shorter in needed):
                needed.append(needle)
        self._known = _Known(tuple(values.values()), tuple(needed), len(needed[0]) if needed else 0)

    def redact(self, text: str) -> str:
        """The text without the credentials that no ordinary text contains; the same object where it has none."""
        known = self._known
        if not known.needles or len(text) < known.shortest:
            return text
        for needle in known.needles:
            if needle in text:
                break
        else:
            if not ("%" in text or "\\" in text or "&" in text) or _ESCAPE.search(text) is None:
                return text
        return _without(text, _spans(text, [each for each in known.values if each.grade is _Grade.ANYWHERE]))

    def redact_refusal(self, text: str) -> str:
        """A refusal's words without any credential, short ones and beginnings included."""
        return _without(text, _spans(text, self._known.values, of_refusal=True))

    def redact_json(self, value: Any, keep: Collection[str] = ()) -> Any:
        """The decoded JSON with every text redacted, keys too. Lists and objects are changed in place.

        Args:
            keep: fields of the outermost object that stay as they are.
        """
        root = [value]
        holders: list[Any] = [root]
        while holders:
            holder = holders.pop()
            for place, part in list(enumerate(holder) if isinstance(holder, list) else holder.items()):
                if holder is value and place in keep:
                    continue
                if isinstance(part, dict | list):
                    holders.append(part)
                elif isinstance(part, str):
                    holder[place] = self.redact(part)
                elif type(part) is int and self.redact(str(part)) == HIDDEN:
                    holder[place] = HIDDEN
            if isinstance(holder, dict) and any(self.redact(key) != key for key in holder):
                parts = list(holder.items())
                holder.clear()
                holder.update((self.redact(key), part) for key, part in parts)
        return root[0]


KNOWN = Redactor()
"""The credentials of this process: every profile's that it has loaded, and those that were replaced."""


def redact(text: str) -> str:
    """The text without this process's credentials."""
    return KNOWN.redact(text)


def _values(kind: str, text: str, public: Collection[str]) -> Iterator[_Value]:
    if kind != "cookie":
        yield _value(text, _NAMES[kind])
        return
    # No prefix of a whole Cookie: that is the name of its first pair.
    yield replace(_value(text, _NAMES[kind]), prefix="")
    if " " in text:
        yield replace(_value(text.replace(" ", "+"), _NAMES[kind]), prefix="")  # as a form is encoded
    for pair in text.split(";"):
        name, equals, value = pair.strip().partition("=")
        value = value.strip('"') if equals else name
        decoded = value
        while (unescaped := _unescape(decoded, None)) is not None:
            decoded = unescaped[0]  # what a server reads out of an encoded cookie
        for each in dict.fromkeys((value, decoded)):
            if each and each not in public:
                yield _value(each, re.escape(name) if equals and name else _NAMES[kind])


def _value(text: str, name: str) -> _Value:
    grade = _grade(text)
    cores = _cores(text.encode()) if grade is _Grade.ANYWHERE else ()
    prefix = text[:_PREFIX] if len(text) >= 2 * _PREFIX else ""
    return _Value(text, grade, name, tuple(each for each in cores if len(each) >= _MIN_CORE), prefix)


def _grade(text: str) -> _Grade:
    kinds = len({_kind(letter) for letter in text})
    if len(text) >= 16 or (len(text) >= 8 and kinds > 1):
        return _Grade.ANYWHERE
    if len(text) >= 8 or (len(text) >= 6 and kinds > 1):
        return _Grade.WORD
    return _Grade.NAMED


def _kind(letter: str) -> int:
    return 0 if letter.islower() else 1 if letter.isupper() else 2 if letter.isdigit() else 3


def _cores(data: bytes) -> Iterator[str]:
    for before in range(3):
        encoded = binascii.b2a_base64(b"\0" * before + data, newline=False).decode()
        core = encoded[(0, 2, 3)[before] : (before + len(data)) * 8 // 6]
        yield core
        if (safe := core.translate(_URL_SAFE)) != core:
            yield safe


def _spans(text: str, values: Iterable[_Value], *, of_refusal: bool = False) -> list[tuple[int, int]]:
    """Where the values stand in the text, each level of its escapes looked through."""
    values = list(values)
    found: list[tuple[int, int]] = []
    level: str = text
    starts: list[int] | None = None
    for _ in range(_LEVELS + 1):
        for start, end in _found(level, values, of_refusal=of_refusal):
            found.append((start, end) if starts is None else (starts[start], starts[end]))
        unescaped = _unescape(level, starts)
        if unescaped is None:
            break
        level, starts = unescaped
    return found


def _found(text: str, values: Iterable[_Value], *, of_refusal: bool) -> Iterator[tuple[int, int]]:
    for value in values:
        if value.grade is _Grade.ANYWHERE:
            for start in _places(text, value.text):
                yield start, start + len(value.text)
            for core in value.cores:
                for start in _places(text, core):
                    yield _base64_around(text, start, start + len(core))
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


def _unescape(text: str, starts: list[int] | None) -> tuple[str, list[int]] | None:
    """The text with its escapes read once, and where each character (and the end) came from; None without any."""
    if _ESCAPE.search(text) is None:
        return None
    if starts is None:
        starts = list(range(len(text) + 1))
    parts: list[str] = []
    kept: list[int] = []
    at = 0
    for escape in _ESCAPE.finditer(text):
        first, last = escape.span()
        parts.append(text[at:first])
        kept += starts[at : first + 1]
        percent, json_code, hexadecimal, decimal, quoted, entity = escape.groups()
        code = percent or json_code or hexadecimal
        if code or decimal:
            parts.append(chr(int(code, 16) if code else min(int(decimal), 0xFFFF)))
        else:
            parts.append(quoted or _ENTITIES[entity])
        at = last
    parts.append(text[at:])
    kept += starts[at:]
    return "".join(parts), kept


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

"""Known credentials, kept out of everything that is shown, stored, logged or printed.

A platform that refuses a request may answer with the request itself. A value is found as it is, with characters
escaped (percent, JSON, HTML; up to three times over), as hex, and inside base64 at any of the three alignments,
standard or URL-safe. The place of replacement depends on the value:

- A token is replaced everywhere. The API key, the Bearer token, a team's password, a whole Cookie and the value of
  a Cookie's only pair are tokens from 12 characters on, digits alone from 16: shorter ones may be part of an id.
- One pair of several is a token if it has 16 characters or more, 8 of them different, at least 8 of them in
  pieces that mix letters and digits, and isn't a time, e-mail address or URL. `spring-sale-2026` is made of words
  and numbers; it is a token only under a name such as `session` or `csrf`.
- Every other value could be ordinary text. Only in a refusal's words is it replaced, and only as a whole word
  or inside base64 or hex; under 6 characters, or 6 and 7 of one kind, only right after its name.
- In a refusal's words the beginning of a long token, 8 characters or more, is replaced too.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, count, cycle
from typing import Any

from frontdesk_api.credential_values import ESCAPE, CredentialValue, Grade, credential_values, unescape

HIDDEN = "[credential hidden]"
"""The text shown in place of a credential. The client sends no body that contains it."""

MAX_FORM_LETTERS = 50_000
"""Maximum length of an escaped credential: a cut this far after the visible text splits none in it."""

_LEVELS = 3
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=")


@dataclass(frozen=True, slots=True)
class _KnownValues:
    """The values that a redactor searches for.

    Attributes:
        needles: every text that holds a token contains one of these; none contains another.
        numbers: tokens that a JSON number may be.
    """

    values: tuple[CredentialValue, ...] = ()
    tokens: tuple[CredentialValue, ...] = ()
    needles: tuple[str, ...] = ()
    shortest: int = 0
    numbers: frozenset[int] = frozenset()

    def __repr__(self) -> str:
        return "_KnownValues(***)"


class Redactor:
    """Replaces the added credentials, including those since replaced by renewed ones."""

    def __init__(self) -> None:
        self._known = _KnownValues()
        self._public: frozenset[str] = frozenset()
        self._added: frozenset[tuple[str, str]] = frozenset()

    def add(self, credentials: Iterable[tuple[str, str]], public: Collection[str] = ()) -> None:
        """Add credentials by kind (`cookie`, `api_key`, `bearer`, `team_password`) and value.

        Args:
            public: parts of a Cookie that aren't secret, such as the agent's id in the config.
        """
        added, known = self._added | set(credentials), self._public | set(public)
        if (added, known) == (self._added, self._public):
            return
        self._added, self._public = added, known
        values = [each for kind, text in sorted(added) for each in credential_values(kind, text, known)]
        tokens = tuple(each for each in values if each.grade is Grade.TOKEN)
        needles: list[str] = []
        for needle in sorted({form for each in tokens for form in (each.text, *each.cores)}, key=len):
            if not any(shorter in needle for shorter in needles):
                needles.append(needle)
        shortest = len(needles[0]) if needles else 0
        numbers = frozenset(int(each.text) for each in tokens if each.text.isdecimal() and len(each.text) < 100)
        self._known = _KnownValues(tuple(values), tokens, tuple(needles), shortest, numbers)

    def redact(self, text: str) -> str:
        """Replace tokens; return the same object if there are none."""
        return _replace_spans(text, _spans(text, self._known.tokens)) if self._is_in(text) else text

    def redact_refusal(self, text: str) -> str:
        """Replace every credential, short ones and beginnings included."""
        return _replace_spans(text, _spans(text, self._known.values, of_refusal=True))

    def redact_json(self, value: Any, keep: Collection[str] = ()) -> Any:
        """Replace tokens in texts, keys and numbers; return the same object if there are none.

        A key that the interface declares stays, and no two keys become one.

        Args:
            keep: fields of the outermost object that stay unchanged.
        """
        if not self._known.needles or not self._is_in_json(value):
            return value
        from frontdesk_api.contract.endpoints import field_names  # not needed when a screen starts

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
                    holder[key if key in declared else _unique_key(self.redact(key), holder)] = part
        if isinstance(value, dict):
            root[0] |= {name: value[name] for name in keep if name in value}
        return root[0]

    def _is_in(self, text: str) -> bool:
        """Return whether the text contains a token, as it is or at any level of its escapes."""
        needles, shortest = self._known.needles, self._known.shortest
        if not needles:
            return False
        for _ in range(_LEVELS):
            if len(text) < shortest:
                return False
            for needle in needles:
                if needle in text:
                    return True
            if not ("%" in text or "\\" in text or "&" in text) or len(parts := ESCAPE.split(text)) == 1:
                return False
            text = unescape(parts)
        return any(needle in text for needle in needles)

    def _is_in_json(self, value: Any) -> bool:
        """Return whether a text, key or number in the value contains a token: all texts are searched as one."""
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
        return self._is_in("\0".join(texts))  # no credential or escape spans a NUL


KNOWN = Redactor()
"""All credentials that this process has loaded, including renewed ones."""


def redact(text: str) -> str:
    return KNOWN.redact(text)


def redact_json(value: Any) -> Any:
    return KNOWN.redact_json(value)


def _spans(text: str, values: Collection[CredentialValue], *, of_refusal: bool = False) -> list[tuple[int, int]]:
    """Find the values in the text, at each level of its escapes."""
    found: list[tuple[int, int]] = []
    levels: list[list[str]] = []
    for _ in range(_LEVELS + 1):
        spans = list(_found(text, values, of_refusal=of_refusal))
        if spans:
            for parts in reversed(levels):
                starts = _source_indexes(parts)
                spans = [(starts[start], starts[end]) for start, end in spans]
        found += spans
        parts = ESCAPE.split(text)
        if len(parts) == 1:
            break
        text = unescape(parts)
        levels.append(parts)
    return found


def _found(text: str, values: Iterable[CredentialValue], *, of_refusal: bool) -> Iterator[tuple[int, int]]:
    for value in values:
        for core in value.cores:
            for start in _find_all(text, core):
                yield _base64_around(text, start, start + len(core))
        if value.grade is Grade.TOKEN:
            for start in _find_all(text, value.text):
                yield start, start + len(value.text)
            if of_refusal and value.prefix:
                for start in _find_all(text, value.prefix):
                    end = start
                    while text[start : end + 1] == value.text[: end + 1 - start] and end < len(text):
                        end += 1
                    yield start, end
        else:
            before = r"(?<![A-Za-z0-9])"
            if value.grade is Grade.NAMED:
                before = rf"(?i:{value.name})(?:[^A-Za-z0-9]{{1,8}}(?i:bearer)?){{1,2}}?"
            for match in re.finditer(rf"{before}({re.escape(value.text)})(?![A-Za-z0-9])", text):
                yield match.span(1)


def _find_all(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _base64_around(text: str, start: int, end: int) -> tuple[int, int]:
    r"""Widen a range to the whole base64 text around it, without splitting an escape before it, as in `\nQUJD`."""
    while start and text[start - 1] in _BASE64:
        start -= 1
    if start and text[start - 1] == "\\":
        start += 5 if text[start] == "u" else 1
    while end < len(text) and text[end] in _BASE64:
        end += 1
    return start, end


def _source_indexes(parts: list[str]) -> list[int]:
    """Return the source index of each character of the unescaped text, and of its end."""
    starts: list[int] = []
    at = 0
    for part, is_escape in zip(parts, cycle((False, True))):
        starts += (at,) if is_escape else range(at, at + len(part))
        at += len(part)
    return [*starts, at]


def _replace_spans(text: str, spans: list[tuple[int, int]]) -> str:
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


def _unique_key(key: str, taken: Collection[str]) -> str:
    """Return the key, with a number added if another key is now equal to it."""
    numbered = (f"{key} {number}" for number in count(2))
    return next(each for each in chain((key,), numbered) if each not in taken)

"""Parse keys, the mouse and pastes from what a terminal sends; anything else is dropped.

Leans on `textual._xterm_parser.XTermParser`, which gets known sequences only, one at a time, on its `FOCUSIN` and
`FOCUSOUT`, `textual._ansi_sequences.ANSI_SEQUENCES_KEYS` and `textual._keyboard_protocol.FUNCTIONAL_KEYS` (8.2.8).
By itself that parser hands on what it doesn't know as keys: a late reply to a question of the program that ran
before, or an arrow that a slow line cut in two, would complete and assign.

Guarantees, by the grammar of ECMA-48 (5.4 and 5.6), that no byte of a control sequence or a control string is a
letter, however it is cut; that a paste is text up to its end or `SILENCE_SECONDS` of silence; and that no bytes
end the program.
"""

import re
import sys
from codecs import getincrementaldecoder
from collections.abc import Iterator
from itertools import groupby
from typing import cast

from textual import events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._keyboard_protocol import FUNCTIONAL_KEYS
from textual._xterm_parser import FOCUSIN, FOCUSOUT, XTermParser
from textual.message import Message

ESCAPE_SECONDS = 0.1
"""Delay after which a single ESC is the key."""
SILENCE_SECONDS = 2.0
"""Time that a sequence or a paste waits for its rest: a lost packet of a slow line takes a second."""
LATE_SECONDS, LONE_SECONDS = 3.0, 0.2
"""Time after the key `esc` in which the rest of a sequence may still come, and in which one character alone, which
may be a key, belongs to it or to a control string."""
LETTER_SECONDS = 0.5
"""Time that the first bytes of a letter wait for the others."""
MAX_TYPED_AHEAD = 2
"""Maximum number of letters in one piece that are keys whatever they do. Repeated ones count once."""
PART_SECONDS = 0.1
"""Maximum time between two parts of a paste without marks."""

PASTE_START, PASTE_END = "\x1b[200~", "\x1b[201~"
MAX_SEQUENCE = 4096
_TAIL_STARTS = tuple("[]OPX^_\\")
_C1 = {"\x8f": "\x1bO", "\x90": "\x1bP", "\x98": "\x1bX", **{chr(0x40 + at): f"\x1b{chr(at)}" for at in b"[\\]^_"}}
# A byte outside UTF-8 is a control of ECMA-48 where terminals with 8-bit controls begin or end a sequence with it.
_BYTES = {0xDC00 + byte: chr(byte) if chr(byte) in _C1 else "\ufffd" for byte in range(0x80, 0x100)}

_CSI, _SS3 = r"(?:\x1b\[|\x9b)", r"(?:\x1bO|\x8f)"
_UNIT = re.compile(
    rf"""
    (?P<sequence>
        {_CSI}(?: M[^\0-\x1f]{{3}}                  # a mouse report older than xterm's own
            | \[[\x20-\x7e]                         # a function key of Linux's console
            | (?:[378]|2[34])\$                     # a key with shift of rxvt
            | (?![M\[])[\x20-?]*[@-~] )
      | {_SS3}[\x20-?]*[@-~] )
  | (?P<broken>
        {_CSI}M[^\0-\x1f]{{0,2}}(?=[\0-\x1f])
      | (?:{_CSI}\[?|{_SS3}|\x1b[!-*,-.])[\x20-?]*(?=[^\x20-\x7e]) )
  | (?P<string> \x1b[\]PX^_] | [\x90\x98\x9d-\x9f] )
  | (?P<ignored> \x1b[\\c] | \x9c | \x1b[!-*,-.][\x20-/]*[0-~] )
  | (?P<meta> \x1b[\x7f\tbf] )
  | (?P<escape> \x1b(?=[^\[\]OPX^_!-*,-.]) )
  | (?P<letter> [^\x1b\x8f\x90\x98\x9b\x9d-\x9f] )
    """,
    re.VERBOSE | re.DOTALL,
)
"""One thing that a terminal sends; no match if its end is still to come.

`meta` is alt with an arrow, tab or backspace, which move and delete by words. `ESC c` isn't two keys, as `esc` and
any other letter are: it is the reset of hostile texts, and `c` completes a task. After ESC, `/`, `+` and the blank
are keys, although ECMA-35 knows sequences with them: no terminal sends those.
"""
_STRING_END = re.compile(r"[\x07\x9c\x18\x1a]|\x1b\\|(?=\x1b[^\\\x1b])", re.DOTALL)
_KEY = re.compile(r"\x1b\[(\d{1,7})(?:;\d{0,4}(?:;(\d{1,7}(?::\d{1,7}){0,20}))?)?([u~ABCDEFHPQRS])")
_REPORT = re.compile(
    r"\x1b\[(?:<\d{1,4};-?\d{1,6};-?\d{1,6}[mM]"  # the mouse
    r"|\?2026;\d\$y)"  # whether updates can be synchronized
)
"""Not the size: a late report would change the layout, and SIGWINCH tells of each change."""
_CONTROL = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class UnmarkedPaste(events.Paste):
    """Sent instead of keys that come in one piece: some terminals don't mark pastes, and slow lines join keys.

    Attributes:
        keys: what it is as keys.
        piece: these and what came before them in the piece, or in the part of it before.
    """

    def __init__(self, keys: list[events.Key], piece: list[events.Key]) -> None:
        super().__init__(_clean("".join(each.character or "" for each in keys)))
        self.keys, self.piece = keys, piece


class AltLetter(events.Key):
    """Sent for alt with `b` or `f`, as alt with an arrow is sent; without a text field it is esc and the letter.

    Attributes:
        letter: the letter after ESC.
    """

    def __init__(self, key: str, letter: str) -> None:
        super().__init__(key, None)
        self.letter = letter

    def as_keys(self, *, is_text: bool) -> list[events.Key]:
        """Return it as the move by a word that it is in a text field, else as esc and a letter in one piece."""
        if is_text:
            return [events.Key(self.key, None)]
        return [events.Key("escape", "\x1b"), events.Key(self.letter, self.letter)]


class InputReader:
    """Turns bytes into messages for the app; times are seconds of a steady clock."""

    def __init__(self) -> None:
        self._parser = XTermParser()
        self._decoder = getincrementaldecoder("utf-8")("surrogateescape")
        self._pending = ""
        self._pasted: list[str] | None = None
        self._piece: list[events.Key] = []
        self._is_in_string = self._is_typed_in_string = False
        self._read_at = self._escaped_at = self._unmarked_at = float("-inf")

    @property
    def is_within_input(self) -> bool:
        """True while `expire` may decide something about what has come."""
        is_string = self._pasted is not None or self._is_in_string
        return is_string or bool(self._pending or self._decoder.getstate()[0])

    def feed(self, data: bytes, now: float) -> list[Message]:
        """Return what these bytes complete."""
        text = self._decoder.decode(data).translate(_BYTES)
        since_escape = now - self._escaped_at
        # The rest of a sequence whose ESC was taken for the key.
        if text.startswith(_TAIL_STARTS) and since_escape < (LONE_SECONDS if len(text) == 1 else LATE_SECONDS):
            text = "\x1b" + text
        if self._is_in_string:
            # A second character that comes alone is a person's, to whom the string's first one was a key.
            is_typed = len(text) == 1 and now - self._read_at >= LONE_SECONDS
            self._is_in_string = not (is_typed and self._is_typed_in_string)
            self._is_typed_in_string = is_typed
        self._read_at, self._escaped_at = now, float("-inf")
        return self._read(text)

    def expire(self, now: float) -> list[Message]:
        """Return what the silence since the last bytes has decided."""
        silent = now - self._read_at
        if self._pasted is None and not self._is_in_string:
            if silent >= LETTER_SECONDS and self._decoder.getstate()[0]:
                return self._read(self._decoder.decode(b"", final=True).translate(_BYTES))
            if silent >= ESCAPE_SECONDS and self._pending == "\x1b":
                self._pending, self._escaped_at = "", self._read_at
                return [events.Key("escape", "\x1b")]
        if silent < SILENCE_SECONDS:
            return []
        rest, self._pending, self._is_in_string = self._pending, "", False
        return list(self._end_paste(rest))

    def _read(self, text: str) -> list[Message]:
        text, self._pending = self._pending + text, ""
        messages: list[Message] = []
        letters: list[events.Key] = []
        at = 0
        while at < len(text):
            if self._pasted is not None:
                at = self._take_pasted(text, at, messages)
            elif self._is_in_string:
                at = self._skip_string(text, at)
            elif unit := _UNIT.match(text, at):
                at = unit.end()
                found = list(self._messages(unit.lastgroup or "", unit[0]))
                messages += found
                if unit.lastgroup == "letter":
                    letters += (each for each in found if isinstance(each, events.Key))
            else:
                # A sequence that is too long isn't a key, but its end is still waited for.
                self._pending = text[at:] if len(text) - at < MAX_SEQUENCE else text[at : at + 2]
                break
        return self._join_unmarked(messages, letters)

    def _messages(self, kind: str, unit: str) -> Iterator[Message]:
        if kind == "letter":
            yield from self._parser.feed("\ufffd" if "\x80" <= unit <= "\x9f" else unit)
        elif kind == "meta":
            for each in self._parser.feed(unit):
                yield AltLetter(each.key, unit[1]) if isinstance(each, events.Key) and unit[1] in "bf" else each
        elif kind == "escape":
            yield events.Key("escape", "\x1b")
        elif kind == "string":
            self._is_in_string, self._is_typed_in_string = True, False
        elif kind == "sequence":
            sequence = _C1.get(unit[0], unit[0]) + unit[1:]
            if sequence == PASTE_START:
                self._pasted = []
            elif _is_known(sequence):
                yield from self._parser.feed(sequence)

    def _take_pasted(self, text: str, at: int, messages: list[Message]) -> int:
        """Take the pasted text and return its end; the first part of the mark after it is kept."""
        assert self._pasted is not None
        if (end := text.find(PASTE_END, at)) >= 0:
            messages += self._end_paste(text[at:end])
            return end + len(PASTE_END)
        cut = text.rfind("\x1b", max(at, len(text) - len(PASTE_END)))
        end = cut if cut >= 0 and PASTE_END.startswith(text[cut:]) else len(text)
        self._pasted.append(text[at:end])
        self._pending = text[end:]
        return len(text)

    def _end_paste(self, rest: str) -> Iterator[events.Paste]:
        pasted, self._pasted = self._pasted, None
        if pasted is not None and (text := _clean("".join([*pasted, rest]))):
            yield events.Paste(text)

    def _skip_string(self, text: str, at: int) -> int:
        if end := _STRING_END.search(text, at):
            self._is_in_string = False
            return end.end()
        self._pending = text[-1] if text.endswith("\x1b") else ""
        return len(text)

    def _join_unmarked(self, messages: list[Message], letters: list[events.Key]) -> list[Message]:
        """Replace each run of letters by a paste, if they may be one."""
        if not letters:
            return messages
        typed = sum(1 for _ in groupby(each.key for each in letters if each.is_printable))
        is_part = self._read_at - self._unmarked_at < PART_SECONDS
        if typed <= MAX_TYPED_AHEAD and not is_part:
            return messages
        self._unmarked_at = self._read_at
        self._piece = [*(self._piece if is_part else ()), *letters]
        are_letters = set(map(id, letters))
        joined: list[Message] = []
        for is_pasted, part in groupby(messages, key=lambda each: id(each) in are_letters):
            run = [*part]
            joined += [UnmarkedPaste(cast(list[events.Key], run), self._piece)] if is_pasted else run
        return joined


def _is_known(sequence: str) -> bool:
    """Return whether the parser knows what a sequence means, and can't fail at it."""
    if sequence in ANSI_SEQUENCES_KEYS or sequence in (FOCUSIN, FOCUSOUT) or _REPORT.fullmatch(sequence):
        return True
    if (key := _KEY.fullmatch(sequence)) is None:
        return False
    codes = [int(each) for each in (key[1], *(key[2] or key[1]).split(":"))]
    return f"{codes[0]}{key[3]}" in FUNCTIONAL_KEYS or (key[3] == "u" and all(map(_is_character, codes)))


def _is_character(code: int) -> bool:
    return code < 0xD800 or 0xDFFF < code <= sys.maxunicode


def _clean(pasted: str) -> str:
    return _CONTROL.sub("\ufffd", pasted.replace("\0", ""))

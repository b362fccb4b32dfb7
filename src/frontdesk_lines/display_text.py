"""Untrusted text made safe to show.

Every outside string reaches a screen, a table or a log through `SafeText`, without secrets (`secrets`), and hidden
while `privacy` is on. The store keeps the original: nothing here is ever sent back or compared.
"""

import logging
import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.util import find_spec

from frontdesk_lines import bidi, privacy
from frontdesk_lines.cell_width import cell_width, graphemes, max_cells
from frontdesk_lines.secrets import hide_secrets

LINE_LIMIT = 200
MAX_LOG_LINE = 2_000
BODY_LIMIT = 20_000
BODY_LINES = 400
MAX_MARKS_PER_LETTER = 4


@dataclass(frozen=True, slots=True)
class SafeText:
    """Text that is safe for a terminal. Not a `str`, so that no raw text is accepted in its place.

    Attributes:
        text: one line, free of control, bidi-override and filler characters.
        was_sanitized: True if something was replaced or removed.
    """

    text: str
    was_sanitized: bool = False

    def __len__(self) -> int:
        return len(self.text)

    def __bool__(self) -> bool:
        return bool(self.text)


NOTHING = SafeText("")

# C0 and DEL become visible pictures, as evidence of the attempt. C1 has no pictures.
_VISIBLE: dict[int, str | None] = {code: chr(0x2400 + code) for code in range(0x20)}
_VISIBLE[0x7F] = "␡"
_VISIBLE.update(dict.fromkeys((*range(128, 160), *range(55296, 57344)), "�"))
_VISIBLE.update({ord("\t"): "    ", ord("\n"): "␤", ord("\r"): None})
_VISIBLE.update({0x85: "␤", 0x2028: "␤", 0x2029: "␤"})
# Bidi overrides and isolates, zero-width and filler characters can make text look like other text.
_INVISIBLE = (0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x200B, 0x200E, 0x200F, 0x3164, 0xFEFF)
_INVISIBLE += (0xFFA0, *range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0xFFF9, 0xFFFC))
# Joiners of hieroglyphs, and the controls of shorthand and of musical notes, are invisible too.
_INVISIBLE += (*range(0x13430, 0x13440), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B))
_VISIBLE.update(dict.fromkeys((*_INVISIBLE, *range(0xE0000, 0xE1000))))
_SIZES = ((1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB"))
_JOINERS = "\u200c\u200d"
_BLANK_SIGNS = "\u2800\U0001d159"
"""Blanks of Braille and of musical notes, which take a cell."""
_SAFE_ASCII = re.compile(r"[ -~]*").fullmatch
_LINE_BREAK = re.compile("\r\n|[\n\x85\u2028\u2029]")


@dataclass(repr=False, eq=False)
class _Terminal:
    lays_out: bool = True
    emoji_as_text: bool = False
    reads_out: bool = False


# A process has one terminal; its abilities are set once, before the first text is made for it.
_terminal = _Terminal()


def set_terminal(
    *, lays_out: bool | None = None, emoji_as_text: bool | None = None, reads_out: bool | None = None
) -> None:
    """Set how this process' terminal treats text, before anything is shown.

    Args:
        lays_out: whether right-to-left text is ordered here, not by the terminal.
        emoji_as_text: whether emoji are written as names, such as `:red heart:`; only if the package emoji is
            installed.
        reads_out: whether a screen reader reads the output, so that tables are printed as sentences.
    """
    if lays_out is not None:
        _terminal.lays_out = lays_out
    if emoji_as_text is not None:
        _terminal.emoji_as_text = emoji_as_text and find_spec("emoji") is not None
    if reads_out is not None:
        _terminal.reads_out = reads_out


@contextmanager
def terminal_kept() -> Iterator[None]:
    """Set the terminal as it was before, after what is run in between has set it."""
    before = asdict(_terminal)
    try:
        yield
    finally:
        set_terminal(**before)


def is_read_out() -> bool:
    return _terminal.reads_out


def is_invisible(letter: str) -> bool:
    """Return whether a character beyond ASCII takes no cell, such as a joiner or a variation selector."""
    code = ord(letter)
    if code < 0x80:
        return False
    is_selector = 0xFE00 <= code <= 0xFE0F or 0xE0000 <= code < 0xE1000
    return is_selector or code in _INVISIBLE or unicodedata.category(letter) == "Cf"


def is_blank(text: str) -> bool:
    """Return whether a text looks empty: blanks, fillers, zero-width signs and lone marks."""
    return all(
        each.isspace()
        or each in _BLANK_SIGNS
        or is_invisible(each)
        or unicodedata.category(each) in ("Cc", "Mn", "Mc", "Me")
        for each in text
    )


def visible_name(*names: str | None) -> str:
    """Return the first name that doesn't look empty, or "" if there is none."""
    return next((each for each in names if each and not is_blank(each)), "")


def trusted(text: str) -> SafeText:
    """Wrap frontdesk's own text, which needs no cleaning."""
    return SafeText(text)


def file_size(size_bytes: int) -> SafeText:
    for unit, name in _SIZES:
        if size_bytes >= unit:
            return trusted(f"{size_bytes / unit:,.1f} {name}")
    return trusted(f"{size_bytes} B")


def show_line(raw: object, limit: int = LINE_LIMIT) -> SafeText:
    """Sanitize to one line of at most `limit` characters; a line break is shown as `␤`.

    While privacy is on, its letters and digits are hidden.
    """
    shown = show_label(raw, limit)
    return SafeText(privacy.hide(shown.text), shown.was_sanitized) if privacy.is_private() else shown


def show_name(raw: object, limit: int = LINE_LIMIT, *, kind: str, key: object) -> SafeText:
    """Sanitize a person's name or number; while privacy is on, return the person's alias.

    Args:
        kind: `Customer` or `Agent`.
        key: the person's id.
    """
    if privacy.is_private() and key:
        return trusted(privacy.alias(kind, str(key), str(raw or "")))
    return show_line(raw, limit)


def show_label(raw: object, limit: int = LINE_LIMIT) -> SafeText:
    """Sanitize like `show_line`, for text that neither names nor quotes a person: privacy leaves it readable.

    Only for labels of the config, the platform's words for a state, and frontdesk's own words.
    """
    if raw is None:
        return NOTHING
    text = hide_secrets(raw if isinstance(raw, str) else str(raw), limit)
    if len(text) <= limit and _SAFE_ASCII(text):
        return SafeText(text)
    return _clean(text, limit)


def show_error(error: BaseException, limit: int = LINE_LIMIT) -> SafeText:
    """Sanitize an error's text; privacy leaves it readable if `is_own_words` says that it quotes nobody."""
    show = show_label if getattr(error, "is_own_words", False) else show_line
    return show(str(error), limit)


def body_lines(raw: object, limit: int = BODY_LIMIT, lines: int = BODY_LINES) -> tuple[SafeText, ...]:
    """Sanitize to a limited number of lines; a last line counts the rest."""
    if raw is None:
        return ()
    text = raw if isinstance(raw, str) else str(raw)
    kept = hide_secrets(text, limit)[:limit]
    parts = _LINE_BREAK.split(kept)
    shown = [show_line(part, limit) for part in parts[:lines]]
    if len(text) > limit or len(parts) > lines:
        shown.append(trusted(f"… {len(text):,} characters in total; the rest isn't shown"))
    return tuple(shown)


def _clean(text: str, limit: int) -> SafeText:
    cut = len(text) > limit
    # U+FE0E asks for the plain form of a sign, to which terminals give any number of cells. Remove it first, since
    # it separates a joiner from the next letter.
    body = text[:limit].replace("\ufe0e", "")
    clean = body.translate(_VISIBLE)
    if not clean.isascii():
        clean = _limit_marks(clean)
    was_sanitized = clean != body
    if _terminal.emoji_as_text and not clean.isascii():
        clean = _name_emoji(clean)
        cut, clean = cut or len(clean) > limit, clean[:limit]
    return SafeText(clean + "…" if cut else clean, was_sanitized)


def _limit_marks(text: str) -> str:
    """Limit combining marks to four on a letter: more of them paint over the neighbouring lines.

    Removed: a mark at the very start, which would join the text before it, and a joiner between letters that
    never join, which misleads tmux. An unassigned code point is unknown to terminals, so it gets a cell.
    """
    kept: list[str] = []
    marks = 0
    for place, char in enumerate(text):
        category = unicodedata.category(char) if char >= "\u0300" else ""
        if char in _JOINERS:
            joined = (kept[-1] if kept else " ", text[place + 1 : place + 2] or " ")
            if any(each < "\u0600" or each in _JOINERS for each in joined):
                continue
        elif category[:1] == "M":
            marks += 1
            if marks > MAX_MARKS_PER_LETTER or not kept:
                continue
        else:
            marks = 0
            if category == "Cn" and cell_width(char) == 0:
                char = "\ufffd"
        kept.append(char)
    return "".join(kept)


def _name_emoji(text: str) -> str:
    from emoji import replace_emoji  # only if it was asked for

    def name(sign: str, data: dict[str, str]) -> str:
        return sign if sign < "\u2000" and len(sign) == 1 else data["en"].replace("_", " ")

    return str(replace_emoji(text, replace=name))


def lay_out(text: str, right_to_left: bool | None = None) -> str:
    """Order one line by its cells, left to right (UAX 9), unless the terminal does so.

    Call it last, on text that fits the width: the result is never measured, searched or copied.

    Args:
        right_to_left: the paragraph's direction; None for the line's own.
    """
    if text.isascii():
        return text
    laid = bidi.lay_out(text, right_to_left) if _terminal.lays_out else text
    return laid.replace(_LEFT_TO_RIGHT_MARK, "")


_LEFT_TO_RIGHT_MARK = "\u200e"
"""An invisible character that is left-to-right for every bidi algorithm; outside text never contains it."""


def enumerate_names(names: Iterable[str]) -> str:
    """Join names for an English sentence to be laid out: right-to-left neighbours keep their order."""
    mark = _LEFT_TO_RIGHT_MARK
    return ", ".join(f"{mark}{each}{mark}" if bidi.has_right_to_left(each) else each for each in names)


def capitalized(words: str) -> str:
    """Return the words with a capital first letter; leave the other letters unchanged."""
    return words[:1].upper() + words[1:]


def cut(text: str, width: int) -> str:
    """Cut to at most `width` cells of any terminal, marking the cut with `…`."""
    if max_cells(text) <= width:
        return text
    if width <= 0:
        return ""
    if text.isascii():
        return text[: width - 1] + "…" if not text.isspace() else text[:width]
    kept: list[str] = []
    left = width - 1
    for letter in graphemes(text):
        left -= max_cells(letter)
        if left < 0:
            break
        kept.append(letter)
    return "".join(kept).rstrip(_JOINERS) + "…"


def pad(text: str, width: int) -> str:
    """Cut or fill to exactly `width` cells."""
    text = cut(text, width)
    return text + " " * (width - cell_width(text))


def wrap(shown: SafeText, width: int) -> list[SafeText]:
    """Wrap at spaces if possible, to at most `width` cells of any terminal; only a single letter may be wider."""
    if max_cells(shown.text) <= width:
        return [shown]
    lines: list[str] = []
    line, used = "", 0
    for word in re.findall(r"\s+|\S+", shown.text):
        size = max_cells(word)
        if used + size <= width:
            line, used = line + word, used + size
            continue
        if word.isspace():
            lines.append(line)
            line, used = "", 0
            continue
        if line.strip():
            lines.append(line.rstrip())
            line, used = "", 0
        for letter in graphemes(word) if size > width else [word]:
            size = max_cells(letter)
            if used + size > width and line:
                lines.append(line)
                line, used = "", 0
            line, used = line + letter, used + size
    if line.strip():
        lines.append(line.rstrip())
    return [SafeText(part, shown.was_sanitized) for part in lines]


def lay_out_typed(text: str, cursor: int) -> tuple[str, int] | None:
    """Order a line that is being typed; return it and the cursor's index, or `None` if nothing changes."""
    return bidi.lay_out_typed(text, cursor) if _terminal.lays_out else None


def read_cells(text: str, laid: str, start: int, stop: int) -> str:
    """Return the letters of a line that are shown in these cells, in the order in which they are read.

    Args:
        laid: the line as `lay_out` orders it, in either direction; blanks may follow.
    """
    if not _terminal.lays_out:
        return "".join(letter for cell, letter in letter_cells(text) if start <= cell < stop)
    right_to_left = next((each for each in (True, False) if laid.startswith(lay_out(text, each))), False)
    return bidi.letters_in_cells(text, start, stop, right_to_left)


def letter_cells(text: str) -> Iterator[tuple[int, str]]:
    """Yield each letter of a line as shown, with the cell in which it begins."""
    at = 0
    for letter in graphemes(text):
        yield at, letter
        at += cell_width(letter)


class CleanLines(logging.Formatter):
    """Formats log records without control characters and credentials, since exceptions quote untrusted text."""

    def format(self, record: logging.LogRecord) -> str:
        return "\n".join(show_label(line, MAX_LOG_LINE).text for line in super().format(record).split("\n"))


def clean_stray_logs() -> None:
    """Clean the warnings that Python prints to standard error in a process without a log file."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(CleanLines("frontdesk: %(message)s"))


def counted(count: float, thing: str, things: str = "") -> str:
    return f"{count:,.0f} {thing if count == 1 else things or thing + 's'}"

"""Lines of spans with roles, cut and filled to a width; every row on a screen is made of them."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from frontdesk_lines.bidi import is_right_to_left
from frontdesk_lines.cell_width import cell_width, max_cells
from frontdesk_lines.display_text import NOTHING, SafeText, body_lines, cut, lay_out, pad, show_line, trusted, wrap
from frontdesk_lines.glyphs import Glyphs

LABEL_CELLS = 8
"""Width of a label in cells, including its trailing blank."""

MAX_JSON_LINES = 300
_MAX_JSON_LETTERS = 24_000
_MAX_LINE_LETTERS = 2_000


class Role(StrEnum):
    """The meaning of a span; themes style each one, never by colour alone."""

    TEXT = "text"
    STRONG = "strong"
    DIM = "dim"
    ACCENT = "accent"
    GOOD = "good"
    WARN = "warn"
    BAD = "bad"
    BADGE = "badge"
    LINE = "line"
    BOT = "bot"
    AGENT = "agent"
    CUSTOMER = "customer"
    PENDING = "pending"
    RULE = "rule"
    HIT = "hit"
    NOTE = "note"


class Span(NamedTuple):
    """A part of one line in one role.

    Attributes:
        ink: the colour of a sign whose colour is data, hex or a name.
        copied: the copied text, if it isn't the shown one: right-to-left text as written, nothing for a sign.
            A span that shows nothing joins its line with the next one, which only wrapping has parted.
    """

    text: SafeText
    role: Role = Role.TEXT
    ink: str = ""
    copied: str | None = None


Line = tuple[Span, ...]
EMPTY: Line = ()


def span(text: str | SafeText, role: Role = Role.TEXT) -> Span:
    """Build a span of frontdesk's own or sanitized text."""
    return Span(trusted(text) if isinstance(text, str) else text, role)


def sign(text: str, role: Role = Role.TEXT) -> Span:
    """Build a span that is seen but isn't copied: a dot, a border, the blanks beside a text."""
    return Span(trusted(text), role, copied="")


def column_gap(cells: int) -> Span:
    """Build the blanks between two columns, which are copied as two blanks."""
    return Span(trusted(" " * cells), copied="  ")


def width_of(spans: Iterable[Span]) -> int:
    return sum(cell_width(part.text.text) for part in spans)


def first_fitting(lines: Sequence[Line], width: int) -> Line:
    """Return the first of these lines that fits, else the last one; list the longest first."""
    return next((each for each in lines if width_of(each) <= width), lines[-1] if lines else EMPTY)


_DRAWN = r"[\u2500-\u259f]+|-{2,}"
"""Lines, bars and blocks, also in ASCII."""

_GAP = r" {2,}"


def read_out(line: str) -> str:
    """Return a line of a screen for speech: without drawing characters, and with commas between columns."""
    return re.sub(_GAP, ", ", re.sub(_DRAWN, "  ", line).strip())


def fit(left: Iterable[Span], width: int, right: Iterable[Span] = ()) -> Line:
    """Build one line of exactly `width` cells: `right` at the right edge, `left` cut to the rest.

    Right-to-left text is laid out here, after the cut, so that its end is cut.
    """
    right = tuple(right)
    if max_width_of(right) > width:
        right = tuple(_cut(right, width))
    # Leave room at the edge for text that a terminal may draw too wide, or it would paint beyond.
    if spare := max_width_of(right) - width_of(right):
        right = (*right, Span(trusted(" " * spare)))
    room = width - width_of(right)
    gap = 1 if right and room > 0 else 0
    kept = _cut(left, room - gap)
    fill = room - width_of(kept)
    middle = [Span(trusted(" " * fill), copied="  " if right else "")] if fill > 0 else []
    return lay_out_line((*kept, *middle, *right))


def fit_reading(words: Span, width: int, right: Iterable[Span] = (), lead: Iterable[Span] = ()) -> Line:
    """Build a line like `fit`, with right-to-left `words` aligned at the right, two cells before `right`.

    `lead` stays at the left edge.
    """
    lead, right = tuple(lead), tuple(right)
    gap = 2 if right else 0
    room = width - max_width_of(lead) - max_width_of(right) - gap
    if room < 1 or not is_right_to_left(words.text.text):
        return fit((*lead, words), width, right)
    text = cut(words.text.text, room)
    # Leave blanks after the text, since a terminal may draw it too wide.
    spare = max_cells(text) - cell_width(text)
    fill = sign(" " * (room - cell_width(text) - spare))
    laid = SafeText(lay_out(text, True) + " " * spare, words.text.was_sanitized)
    between = (column_gap(gap),) if gap else ()
    begins, ends = fit(lead, max_width_of(lead)), fit((), max_width_of(right), right)
    return (*begins, *((fill,) if fill.text else ()), Span(laid, words.role, words.ink, text), *between, *ends)


def crop(line: Iterable[Span], width: int) -> Line:
    """Cut a laid-out line to at most `width` cells."""
    kept: list[Span] = []
    for part in line:
        size = cell_width(part.text.text)
        if size > width:
            kept.append(part._replace(text=SafeText(pad(part.text.text, width), part.text.was_sanitized)))
            break
        kept.append(part)
        width -= size
    return tuple(kept)


def paragraph(shown: SafeText, width: int, role: Role = Role.TEXT) -> list[Line]:
    """Wrap text to lines of exactly `width` cells, right-aligned if it is right-to-left."""
    right_to_left = is_right_to_left(shown.text)
    lines: list[Line] = []
    for part, joint in wrap_joined(shown, width):
        text = cut(part.text, width)
        # Leave blanks after the text, since a terminal may draw it too wide.
        spare = max_cells(text) - cell_width(text) if right_to_left else width - cell_width(text)
        fill = sign(" " * (width - cell_width(text) - spare))
        laid = lay_out(text, right_to_left)
        shown_text = SafeText(laid + " " * spare, shown.was_sanitized)
        body = Span(shown_text, role, copied=None if laid == text else text)
        lines.append((fill, body, *joint) if fill.text else (body, *joint))
    return lines


def wrap_joined(shown: SafeText, width: int) -> Iterator[tuple[SafeText, Line]]:
    """Wrap text; with each part but the last comes the span that joins it with the next one in a copied text."""
    parts, at = wrap(shown, width), 0
    for place, part in enumerate(parts, start=1):
        at = shown.text.find(part.text, at) + len(part.text)
        if place == len(parts):
            yield part, EMPTY
        else:
            yield part, (Span(NOTHING, copied=shown.text[at : shown.text.find(parts[place].text, at)]),)


def labelled(
    label: str, words: SafeText, width: int, role: Role = Role.TEXT, cells: int = LABEL_CELLS
) -> Iterator[Line]:
    """Wrap words after a label of the given width."""
    lead = span(f"{label:<{cells}}", Role.DIM)
    for part, joint in wrap_joined(words, max(1, width - cells)):
        yield (*fit((lead, Span(part, role)), width), *joint)
        lead = sign(" " * cells)


def heading(words: str, width: int, glyphs: Glyphs) -> Line:
    """Build a rule with words in it."""
    text = f"{glyphs.rule * 2} {words} "
    return fit((span(text, Role.STRONG), sign(glyphs.rule * max(0, width - len(text)), Role.RULE)), width)


def signed(sign: str, words: SafeText, width: int, role: Role) -> Iterator[Line]:
    """Wrap words after a sign, which is before the first line."""
    lead = Span(trusted(f"{sign} "), role, copied="")
    for part, joint in wrap_joined(words, max(1, width - 2)):
        yield (*fit((lead, Span(part, role)), width), *joint)
        lead = Span(trusted("  "), role, copied="")


def wrapped(words: SafeText, width: int, role: Role) -> Sequence[Line]:
    return [(*fit((Span(part, role),), width), *joint) for part, joint in wrap_joined(words, max(1, width))]


class TableColumn(NamedTuple):
    """A column of numbers beside words.

    Attributes:
        width: in cells, including the gap before the column.
        rank: the column of the highest rank is dropped first.
    """

    label: str
    width: int
    rank: int


def fitting_columns(columns: Sequence[TableColumn], room: int) -> Sequence[TableColumn]:
    """Return the columns that fit into the room, in order; drop a column before a more important one."""
    kept: set[str] = set()
    for column in sorted(columns, key=lambda each: each.rank):
        room -= column.width
        if room < 0:
            break
        kept.add(column.label)
    return [each for each in columns if each.label in kept]


def json_lines(value: object, width: int, most: int = MAX_JSON_LINES) -> list[Line]:
    """Format the value indented and sanitized; a last line counts the rest."""
    lines: list[Line] = []
    text, is_whole = json_text(value)
    for each in text.split("\n"):
        if len(lines) >= most:
            is_whole = False
            break
        blanks = len(each) - len(each.lstrip(" "))
        shown = show_line(each.lstrip(" "), _MAX_LINE_LETTERS)
        indent = min(blanks, max(0, width // 2))
        for part in paragraph(shown, max(1, width - indent)):
            lines.append((span(" " * indent), *part) if indent else part)
    if not is_whole:
        lines = lines[:most]
        lines.append(fit([span("… more in the raw view", Role.DIM)], width))
    return lines


def json_body(value: object, letters: int, most: int) -> tuple[SafeText, ...]:
    """Format the value indented, with a `SafeText` for each line, for the caller to wrap."""
    text, is_whole = json_text(value, letters)
    found = body_lines(text, letters, most)
    return found if is_whole else (*found[:most], trusted("… more, not shown here"))


def json_text(value: object, letters: int = _MAX_JSON_LETTERS, indent: int | None = 2) -> tuple[str, bool]:
    """Format the value as JSON of at most `letters` characters; return it and whether it is complete.

    The text is written incrementally, so the rest costs nothing; too deep nesting ends it.
    """
    parts: list[str] = []
    room = letters
    try:
        for part in json.JSONEncoder(ensure_ascii=False, indent=indent, default=str).iterencode(value):
            parts.append(part[:room])
            room -= len(part)
            if room < 0:
                return "".join(parts), False
    except RecursionError:
        return "".join(parts), False
    return "".join(parts), True


def _cut(spans: Iterable[Span], width: int) -> list[Span]:
    kept: list[Span] = []
    for part in spans:
        if width <= 0:
            break
        text = cut(part.text.text, width)
        width -= max_cells(text)
        kept.append(
            part if text == part.text.text else part._replace(text=SafeText(text, part.text.was_sanitized))
        )
    return kept


def max_width_of(spans: Iterable[Span]) -> int:
    """Return the width of the spans on the least able terminal, in cells."""
    return sum(max_cells(part.text.text) for part in spans)


def lay_out_line(line: Iterable[Span]) -> Line:
    """Lay out each span of a line for `segments`."""
    return tuple(_lay_out(part) for part in line)


def _lay_out(part: Span) -> Span:
    laid = lay_out(part.text.text)
    if laid == part.text.text:
        return part
    return part._replace(text=SafeText(laid, part.text.was_sanitized), copied=part.text.text)

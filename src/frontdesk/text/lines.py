"""Lines of text with roles, cut and filled to a width; every row on a screen is made of them.

Called by the other modules of this folder and by widgets, which turn a role into a style.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from frontdesk.text.display_text import (
    SafeText,
    cell_width,
    cut,
    is_right_to_left,
    lay_out,
    most_cells,
    pad,
    trusted,
    wrap,
)


class Role(StrEnum):
    """What a stretch of text is for; a theme gives each one its look, never colour alone."""

    TEXT = "text"
    STRONG = "strong"
    DIM = "dim"
    ACCENT = "accent"
    GOOD = "good"
    WARN = "warn"
    BAD = "bad"
    BADGE = "badge"
    BOT = "bot"
    AGENT = "agent"
    CUSTOMER = "customer"
    PENDING = "pending"
    RULE = "rule"
    HIT = "hit"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one line in one role.

    `ink` is a colour of its own, as #rrggbb: for a sign whose colour is data; words say it too.
    """

    text: SafeText
    role: Role = Role.TEXT
    ink: str = ""


Line = tuple[Span, ...]
EMPTY: Line = ()


def span(text: str | SafeText, role: Role = Role.TEXT) -> Span:
    """A span of frontdesk's own words, or of text that was already made safe."""
    return Span(trusted(text) if isinstance(text, str) else text, role)


def width_of(spans: Iterable[Span]) -> int:
    """The cells that the spans take."""
    return sum(cell_width(part.text.text) for part in spans)


def fit(left: Iterable[Span], width: int, right: Iterable[Span] = ()) -> Line:
    """One line of exactly `width` cells: `right` at the right edge, `left` cut to what remains.

    Text written from right to left is laid out here, after the cut, so that what is cut is
    its end.
    """
    right = tuple(right)
    if _most(right) > width:
        right = tuple(_cut(right, width))
    # What a terminal may make wider than it should gets room at the edge, or it would paint beyond.
    if spare := _most(right) - width_of(right):
        right = (*right, Span(trusted(" " * spare)))
    room = width - width_of(right)
    gap = 1 if right and room > 0 else 0
    kept = _cut(left, room - gap)
    fill = room - width_of(kept)
    middle = [Span(trusted(" " * fill))] if fill > 0 else []
    return tuple(_laid(part) for part in (*kept, *middle, *right))


def fit_reading(words: Span, width: int, right: Iterable[Span] = (), lead: Iterable[Span] = ()) -> Line:
    """`fit`, with the words of a column at the edge where their reading begins.

    What is written from right to left stands before `right`, two cells from it, so that a name and
    the time beside it don't run into each other; `lead` stays at the left edge.
    """
    lead, right = tuple(lead), tuple(right)
    gap = 2 if right else 0
    room = width - _most(lead) - _most(right) - gap
    if room < 1 or not is_right_to_left(words.text.text):
        return fit((*lead, words), width, right)
    text = cut(words.text.text, room)
    # Blanks behind it are for what a terminal may make wider than it should.
    spare = most_cells(text) - cell_width(text)
    fill = span(" " * (room - cell_width(text) - spare))
    laid = SafeText(lay_out(text, True) + " " * (spare + gap), words.text.was_sanitized)
    begins, ends = fit(lead, _most(lead)), fit((), _most(right), right)
    return (*begins, *((fill,) if fill.text else ()), Span(laid, words.role, words.ink), *ends)


def crop(line: Iterable[Span], width: int) -> Line:
    """What is laid out already, in at most `width` cells."""
    kept: list[Span] = []
    for part in line:
        size = cell_width(part.text.text)
        if size > width:
            kept.append(Span(SafeText(pad(part.text.text, width), part.text.was_sanitized), part.role))
            break
        kept.append(part)
        width -= size
    return tuple(kept)


def paragraph(shown: SafeText, width: int, role: Role = Role.TEXT) -> list[Line]:
    """Running text as lines of exactly `width` cells, at the right edge where it reads that way."""
    right_to_left = is_right_to_left(shown.text)
    lines: list[Line] = []
    for part in wrap(shown, width):
        text = cut(part.text, width)
        # Blanks behind it are for what a terminal may make wider than it should.
        spare = most_cells(text) - cell_width(text) if right_to_left else width - cell_width(text)
        fill = Span(trusted(" " * (width - cell_width(text) - spare)))
        body = Span(SafeText(lay_out(text, right_to_left) + " " * spare, shown.was_sanitized), role)
        lines.append((fill, body) if fill.text else (body,))
    return lines


def _cut(spans: Iterable[Span], width: int) -> list[Span]:
    kept: list[Span] = []
    for part in spans:
        if width <= 0:
            break
        text = cut(part.text.text, width)
        width -= most_cells(text)
        kept.append(part if text == part.text.text else Span(SafeText(text, part.text.was_sanitized), part.role))
    return kept


def _most(spans: Iterable[Span]) -> int:
    return sum(most_cells(part.text.text) for part in spans)


def _laid(part: Span) -> Span:
    laid = lay_out(part.text.text)
    return part if laid == part.text.text else Span(SafeText(laid, part.text.was_sanitized), part.role)

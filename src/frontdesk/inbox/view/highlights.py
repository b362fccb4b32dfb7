"""Find the words of a search in a text, and draw it with them highlighted.

Words match as in the index (`text.normalize`): without case, accents and vowel points, by prefix.
"""

import unicodedata
from collections.abc import Sequence

from frontdesk.config.render_context import RenderContext
from frontdesk.storage.record_lookup import CUSTOMER
from frontdesk.storage.records import SearchHit
from frontdesk.text.normalize import MAX_SIGNS, normalize, normalize_with_indexes, split_words
from frontdesk_lines.bidi import is_right_to_left
from frontdesk_lines.cell_width import cell_width, graphemes
from frontdesk_lines.display_text import SafeText, cut, lay_out, show_line, show_name, trusted
from frontdesk_lines.lines import Line, Role, Span, fit, fit_reading, max_width_of, sign, span, wrap_joined

_STAND_INS: dict[str, str] = {
    "R": "\U00010800\U00010801\U00010802",
    "AL": "\U0001ee00\U0001ee01\U0001ee02",
    "L": "\u2c00\u2c01\u2c02",
    "EN": "\U0001d7ce\U0001d7cf\U0001d7d0",
    "AN": "\u0660\u06dd\u0661",
}
"""Rare letters and digits of each direction that replace a found word while a line is reordered, to follow it."""

_WINDOW = 4_000
"""Characters among which the first word is looked for at a time."""

EXCERPT_LEAD = 24
"""Characters of an excerpt before the first word that was searched for."""


def match_ranges(text: str, words: str) -> list[range]:
    """Return the positions of the searched words in a text, in order; they may overlap."""
    wanted = split_words(words)
    if not wanted or not text:
        return []
    folded, places = normalize_with_indexes(text)
    folded += " "
    hits: list[range] = []
    for piece in wanted:
        needle = _needle(piece)
        at = folded.find(needle)
        while at >= 0:
            hits.append(range(places[at + 1], places[at + len(piece)] + 1))
            at = folded.find(needle, at + 1)
    return sorted(hits, key=lambda each: each.start)


def _needle(piece: str) -> str:
    """Return a typed word as it begins a normalized one; a single letter is a whole word."""
    return f" {piece}" if len(piece.rsplit(" ", 1)[-1]) > 1 else f" {piece} "


def paragraph(shown: SafeText, width: int, words: str, role: Role = Role.TEXT) -> list[Line]:
    """Wrap a text into lines of exactly `width` cells with the searched words highlighted, also across lines."""
    hits = match_ranges(shown.text, words)
    is_hit = bytearray(len(shown.text))
    for each in hits:
        is_hit[each.start : each.stop] = b"\1" * len(each)
    right_to_left = is_right_to_left(shown.text)
    lines: list[Line] = []
    at = 0
    for part, joint in wrap_joined(shown, width):
        at = max(at, shown.text.find(part.text, at))
        text = cut(part.text, width)
        marks = is_hit[at : at + len(part.text)][: len(text)]
        at += len(part.text)
        fill = sign(" " * (width - cell_width(text)))
        body = _marked(text, marks, right_to_left=right_to_left, was_sanitized=shown.was_sanitized, role=role)
        lines.append((fill, *body, *joint) if right_to_left else (*body, fill, *joint))
    return lines


def fit_found(
    words: Span, width: int, searched: str, right: Sequence[Span] = (), lead: Sequence[Span] = ()
) -> Line:
    """Build a line like `fit` with the searched words highlighted, cut to the part around the first."""
    gap = 1 if right else 0
    room = width - max_width_of(lead) - max_width_of(right) - gap
    if room < 1 or not match_ranges(words.text.text, searched):
        return fit((*lead, words), width, right)
    text = cut(excerpt(words.text.text, searched, room), room)
    marks = bytearray(len(text))
    for each in match_ranges(text, searched):
        marks[each.start : each.stop] = b"\1" * len(each)
    right_to_left = is_right_to_left(words.text.text)
    body = _marked(
        text, marks, right_to_left=right_to_left, was_sanitized=words.text.was_sanitized, role=words.role
    )
    begins, ends = fit(lead, max_width_of(lead)), fit((), max_width_of(right), right)
    fill = Span(trusted(" " * (room - cell_width(text) + gap)), copied=" " * gap)
    return (*begins, *body, fill, *ends)


def excerpt(text: str, words: str, length: int) -> str:
    """Cut a text on one line to the part around the first of the words."""
    line = " ".join(text.split())
    hit = _first_match(line, words)
    begin = max(0, hit - EXCERPT_LEAD)
    if begin:
        blank = line.find(" ", begin, hit)
        begin = blank + 1 if blank >= 0 else begin
    part = line[begin : begin + length]
    return f"{'…' * (begin > 0)}{part}{'…' * (begin + length < len(line))}"


def _first_match(line: str, words: str) -> int:
    """Return where the first of the words begins; 0 without one.

    A cheap look tells where in a long text to look closely.
    """
    needles = [_needle(piece) for piece in split_words(words)]
    for begin in range(0, len(line), _WINDOW):
        part = line[begin : begin + _WINDOW + MAX_SIGNS]
        folded = f" {normalize(part)} "
        if any(each in folded for each in needles):
            # What begins a window may be the rest of a word; a word that begins there is in the window before.
            for hit in match_ranges(part, words):
                if hit.start or not begin:
                    return begin + hit.start
    return 0


def hit_row(hit: SearchHit, words: str, width: int, view: RenderContext) -> tuple[Line, Line]:
    who = show_name(hit.name or hit.conversation_id or "", 60, kind=CUSTOMER, key=hit.conversation_id or hit.name)
    right = [
        span(f"{hit.kind} ", Role.RULE),
        span(f"{view.stamp(hit.at):>6}", Role.DIM),
    ]
    top = fit_reading(span(who, Role.STRONG), width, right)
    said = show_line(excerpt(hit.text, words, max(1, width)), max(1, width))
    lines = paragraph(said, width, words, Role.DIM)
    return top, lines[0] if lines else fit([], width)


def _marked(
    text: str, marks: Sequence[int], *, right_to_left: bool, was_sanitized: bool, role: Role
) -> list[Span]:
    laid = lay_out(text, right_to_left)
    copied = None if laid == text else text
    if not any(marks):
        return [Span(SafeText(laid, was_sanitized), role, copied=copied)]
    if laid == text:
        shown_marks = list(marks)
    else:
        shown_marks = _moved_marks(text, marks, right_to_left=right_to_left)
        if len(shown_marks) != len(laid):
            return [Span(SafeText(laid, was_sanitized), role, copied=copied)]
    spans: list[Span] = []
    at = 0
    for letter in graphemes(laid):
        shown_role = Role.HIT if any(shown_marks[at : at + len(letter)]) else role
        at += len(letter)
        if spans and spans[-1].role is shown_role:
            spans[-1] = Span(SafeText(spans[-1].text.text + letter, was_sanitized), shown_role, copied=copied)
        else:
            spans.append(Span(SafeText(letter, was_sanitized), shown_role, copied=copied))
    return spans


def _moved_marks(text: str, marks: Sequence[int], *, right_to_left: bool) -> list[int]:
    """Return which characters of a reordered line are marked, by reordering it with stand-ins for them."""
    stand_ins = {
        direction: next((sign for sign in signs if sign not in text), "")
        for direction, signs in _STAND_INS.items()
    }
    replaced = "".join(
        (marked and stand_ins.get(unicodedata.bidirectional(sign), "")) or sign
        for sign, marked in zip(text, marks, strict=True)
    )
    used = {sign for sign in stand_ins.values() if sign}
    return [int(sign in used) for sign in lay_out(replaced, right_to_left)]

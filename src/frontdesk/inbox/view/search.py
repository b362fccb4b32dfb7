"""What a search found, as words: the part of a text where the words stand, and as rows of a list.

Used by the command line and the search dialog.
"""

from frontdesk.config.render_context import RenderContext
from frontdesk.inbox.view.highlights import found, paragraph
from frontdesk.storage.record_names import customer_of
from frontdesk.storage.records import ConversationRecord, SearchHit
from frontdesk.text import relative_time
from frontdesk.text.display_text import show_line, trusted
from frontdesk.text.lines import Line, Role, fit, fit_reading, span

BEFORE = 24
"""So much of the text stands before the first word that was searched for."""


def excerpt(text: str, words: str, length: int) -> str:
    """The part of a text around the first of the words, on one line."""
    line = " ".join(text.split())
    hits = found(line, words)
    begin = max(0, hits[0].start - BEFORE) if hits else 0
    if begin:
        blank = line.find(" ", begin)
        begin = blank + 1 if 0 <= blank < hits[0].start else begin
    part = line[begin : begin + length]
    return f"{'…' * (begin > 0)}{part}{'…' * (begin + length < len(line))}"


def hit_row(hit: SearchHit, words: str, width: int, view: RenderContext) -> tuple[Line, Line]:
    """Two lines: whose it is, what, and when; the words where they stand, told apart."""
    who = show_line(hit.name or hit.conversation_id or "", 60)
    right = [
        span(f"{hit.kind} ", Role.RULE),
        span(f"{relative_time.stamp(hit.at, view.now, view.zone):>6}", Role.DIM),
    ]
    top = fit_reading(span(who, Role.STRONG), width, right)
    said = show_line(excerpt(hit.text, words, max(1, width)), max(1, width))
    lines = paragraph(said, width, words, Role.DIM)
    return top, lines[0] if lines else fit([], width)


def found_row(record: ConversationRecord, width: int, view: RenderContext) -> Line:
    """One line: a conversation to jump to, with what tells it from others of a like name."""
    parts = [show_line(record.number, 24), show_line(view.names.line(record.line_id), 24)]
    beside = "  ".join(part.text for part in parts if part)
    right = [
        span(trusted(beside), Role.DIM),
        span(f" {relative_time.stamp(record.active_at, view.now, view.zone):>6}", Role.DIM),
    ]
    return fit_reading(span(customer_of(record), Role.STRONG), width, right, [span("  ")])

"""A conversation as a row of a list, and as facts beside its thread."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from frontdesk.api.contract.ids import StatusId, TagId
from frontdesk.config.render_context import RenderContext
from frontdesk.inbox.store.customer_history import CustomerHistory
from frontdesk.inbox.store.notes import TeamNote
from frontdesk.inbox.store.preview import UNKNOWN
from frontdesk.inbox.view.highlights import fit_found
from frontdesk.inbox.view.message import status_glyph
from frontdesk.inbox.view.present import present_words
from frontdesk.outbox.snooze_view import snooze_sign
from frontdesk.outbox.snoozes import SnoozeState
from frontdesk.service_clocks.store import NearestClock
from frontdesk.service_clocks.view import fact_spans, row_span
from frontdesk.storage.record_lookup import customer_of
from frontdesk.storage.records import ConversationOrder, ConversationRecord, TaskRecord
from frontdesk.storage.team_state import Colleague
from frontdesk.text import relative_time
from frontdesk.text.cell_width import cell_width
from frontdesk.text.display_text import SafeText, body_lines, cut, show_label, show_line, trusted, wrap
from frontdesk.text.lines import (
    Line,
    Role,
    Span,
    fit,
    fit_reading,
    labelled,
    max_width_of,
    paragraph,
    sign,
    span,
    width_of,
)

CLOSING_SECONDS = 2 * relative_time.HOUR
"""The row of a customer who waits warns this long before the window closes."""


MAX_CHIPS, MAX_CHIP_CELLS = 2, 10
MIN_NAME_CELLS, MAX_NAME_CELLS = 8, 18
"""A name has this much room before tags are left out."""

MIN_LINE_CELLS, MAX_LINE_CELLS = 40, 12
"""The least width of a row that names its line, and the most cells of the line's name."""

MIN_CLOCK_CELLS = 56
"""The least width of a row that names its line beside a service clock."""

MAX_TITLE_NAME_CELLS = 20
"""The most cells of a colleague's name in the title of a thread."""

MAX_OTHER_LINES = 3

MAX_PEOPLE = 2

MAX_OWNER_CELLS = 16
"""The most cells of a colleague's name behind a task's title."""

_LABEL_CELLS = 12
"""Cells of a fact's label, its trailing blank included."""

TASK_HEIGHT, MAX_TEXT_LINES = 3, 3
"""Lines of a task's row without its text, and the most lines of that."""

ORDER_WORDS = {
    ConversationOrder.WAITING: "longest waiting first",
    ConversationOrder.ACTIVITY: "most recent first",
    ConversationOrder.DUE: "earliest due first",
    ConversationOrder.NAME: "by name",
    ConversationOrder.SLA: "nearest deadline first",
}
"""The name of each order, for the edge of a list."""

SHORT_ORDER_WORDS = {
    ConversationOrder.WAITING: "longest wait",
    ConversationOrder.ACTIVITY: "recent",
    ConversationOrder.DUE: "due",
    ConversationOrder.NAME: "name",
    ConversationOrder.SLA: "deadline",
}


def title_of(
    record: ConversationRecord, view: RenderContext, present: Sequence[Colleague] = (), *, name_only: bool = False
) -> Line:
    """Return the title of a thread: the customer, their number and the line, and the colleagues who are there."""
    about = () if name_only else (show_line(record.number, 30), view.line(record.line_id, 30))
    title = [span(customer_of(record)), *(span(trusted(f" · {each.text}"), Role.DIM) for each in about if each)]
    if here := present_words(present, view, MAX_TITLE_NAME_CELLS):
        title.append(span(f" · {here}", Role.WARN))
    return tuple(title)


class RowFacts(NamedTuple):
    """What a row shows beside the conversation itself.

    Attributes:
        order: the list's, which decides the time in the row.
        status: of the task that the row is about; None without a task.
        tags: those added from here, the newest last.
        names_line: whether there are several lines, so that each row names its own.
        words: those that the list is filtered by, to be highlighted.
        present: the colleagues who have it open.
        call: the note that mentions the reader, or hands it over to them, and that they haven't seen.
        snooze: until when it is snoozed, or that it woke.
        clock: the nearest service clock.
    """

    order: ConversationOrder = ConversationOrder.WAITING
    status: StatusId | None = None
    tags: Sequence[TagId] = ()
    names_line: bool = False
    words: str = ""
    present: Sequence[Colleague] = ()
    call: TeamNote | None = None
    snooze: SnoozeState | None = None
    clock: NearestClock | None = None


NO_FACTS = RowFacts()


def row(
    record: ConversationRecord, width: int, view: RenderContext, facts: RowFacts = NO_FACTS
) -> tuple[Line, Line]:
    """Draw two lines: status, customer, tags and when; the last words, who works on it and what is urgent."""
    unread = record.unread > 0
    top_right: list[Span] = []
    if record.pending:
        top_right.append(sign(f"{view.glyphs.pending} ", Role.PENDING))
    if unread:
        top_right.append(span(f"{view.glyphs.unread}{record.unread} ", Role.BADGE))
    top_right.append(_sort_time(record, view, facts))
    name = customer_of(record)
    room = width - 2 - width_of(top_right) - max(MIN_NAME_CELLS, min(cell_width(name.text), MAX_NAME_CELLS))
    top_right[:0] = _chips(facts.tags, room, view)
    dot = sign(" ") if facts.status is None else view.status_sign(facts.status)
    shown_name = span(name, Role.STRONG if unread else Role.TEXT)
    top = fit_found(shown_name, width, facts.words, top_right, (dot, sign(" ")))
    lead, words = _last_words(record, view)
    below_right = _second_right(record, width, view, facts)
    return top, fit_found(words, width, facts.words, below_right, (sign("  "), *lead))


def _sort_time(record: ConversationRecord, view: RenderContext, facts: RowFacts) -> Span:
    """Draw the time that the list is sorted by; where it isn't known, a question mark."""
    order = facts.order
    if order is ConversationOrder.SLA:
        if facts.clock is None:
            return span("no deadline", Role.DIM)
        return row_span(facts.clock, view.now, view.zone)
    if order is ConversationOrder.DUE:
        due = relative_time.due(record.due_at, view.now, view.zone)
        return span("no due date", Role.DIM) if due is None else due
    if order is ConversationOrder.WAITING:
        doubt = "" if record.waiting_known else "?"
        if record.waiting_since is not None:
            waited = relative_time.short_duration(view.now - record.waiting_since)
            return span(f"{waited:>4} wait{doubt}")
        if doubt:
            return span("   ? wait", Role.DIM)
    return span(f"{relative_time.stamp(record.active_at, view.now, view.zone):>6}", Role.DIM)


def _chips(tags: Sequence[TagId], room: int, view: RenderContext) -> list[Span]:
    """Draw the newest tags, as far as there is room."""
    spans: list[Span] = []
    for each in tags[-MAX_CHIPS:]:
        title = view.tag(each, MAX_CHIP_CELLS)
        chip = [view.tag_sign(each), span(title, Role.DIM), span(" ")]
        if width_of(spans) + width_of(chip) <= room:
            spans += chip
    return spans


def _second_right(record: ConversationRecord, width: int, view: RenderContext, facts: RowFacts) -> list[Span]:
    """Draw the line or channel, the people, and the times that matter now."""
    parts: list[list[Span]] = []
    if facts.call is not None:
        parts.append([span("@you" if facts.call.hand_over_to is None else "handed to you", Role.BADGE)])
    elif here := present_words(facts.present, view):
        parts.append([span(here, Role.WARN)])
    elif facts.snooze is not None:
        parts.append([snooze_sign(facts.snooze, view)])
    elif facts.names_line and width >= (MIN_LINE_CELLS if facts.clock is None else MIN_CLOCK_CELLS):
        parts.append(_line_name(record, view))
    if facts.snooze is None and (facts.call is None or record.assigned != (view.names.me,)):
        parts.append(_people(record, view))
    if facts.clock is not None and facts.order is not ConversationOrder.SLA:
        parts.append([row_span(facts.clock, view.now, view.zone)])
    parts += [[each] for each in _clocks(record, view, facts)]
    return [part for each in parts if each for part in (span(" "), *each)]


def _line_name(record: ConversationRecord, view: RenderContext) -> list[Span]:
    """Draw the line's name, of a long one its last words; the channel for a line without a name."""
    has_name = view.names.line(record.line_id) != record.line_id
    words = (view.line(record.line_id) if has_name else view.channel(record.platform)).text.split()
    while len(words) > 1 and cell_width(" ".join(words)) > MAX_LINE_CELLS:
        del words[0]
    return [span(cut(" ".join(words), MAX_LINE_CELLS), Role.DIM)] if words else []


def _people(record: ConversationRecord, view: RenderContext) -> list[Span]:
    """Draw the initials of who works on its open tasks; a dash for nobody."""
    if not record.open_tasks and not record.assigned:
        return []
    people = [view.initials(each).text for each in record.assigned[:MAX_PEOPLE]]
    more = f" +{len(record.assigned) - MAX_PEOPLE}" if len(record.assigned) > MAX_PEOPLE else ""
    return [span(f"{', '.join(people)}{more}" if people else view.glyphs.nobody, Role.DIM)]


def found_row(record: ConversationRecord, width: int, view: RenderContext) -> Line:
    """Draw a conversation to jump to in one line, with its number and line."""
    parts = [show_line(record.number, 24), view.line(record.line_id, 24)]
    beside = "  ".join(part.text for part in parts if part)
    right = [
        span(trusted(beside), Role.DIM),
        span(f" {relative_time.stamp(record.active_at, view.now, view.zone):>6}", Role.DIM),
    ]
    return fit_reading(span(customer_of(record), Role.STRONG), width, right, [span("  ")])


def customer_facts(
    record: ConversationRecord,
    width: int,
    view: RenderContext,
    history: CustomerHistory | None = None,
    clock: NearestClock | None = None,
) -> tuple[Line, ...]:
    """Draw who the customer is and what decides whether to answer now; what isn't known is said to be so.

    Args:
        clock: the nearest service clock; its row stands only where there is one.
    """
    history = history or CustomerHistory()
    number, country = show_line(record.number, 40), show_line(history.country, 6)
    line, channel = view.line(record.line_id, 40), view.channel(record.platform)
    # Each row is always there: those below stay where they are while the cursor moves, and fewer bytes are sent.
    facts: list[tuple[str, Sequence[Span]]] = [
        (
            "number",
            [span(number), span(trusted(f" {country.text}" if country else ""), Role.DIM)] if number else [],
        ),
        ("channel", [span(channel)] if channel else []),
        ("line", [span(line)] if line else []),
        ("window", _window(record, view)),
        ("waiting", _waits(record, view, history)),
        *([("SLA", fact_spans(clock, view.now, view.zone))] if clock is not None else []),
        ("first seen", _first_seen(view, history)),
        ("last active", [span(relative_time.stamp(record.active_at, view.now, view.zone) or "unknown", Role.DIM)]),
        ("campaign", _campaign(view, history)),
    ]
    if history.other_lines:
        lines = ", ".join(view.line(each, 40).text for each in history.other_lines[:MAX_OTHER_LINES])
        more = len(history.other_lines) - MAX_OTHER_LINES
        words = show_label(f"{lines} and {more} more" if more > 0 else lines, 200)
        facts.append(("also on", [Span(words)]))
    if history.description.strip():
        facts.append(("about", [span(show_line(history.description, 200), Role.DIM)]))
    name = fit_reading(span(customer_of(record), Role.STRONG), width, [])
    return name, *(
        line for label, value in facts for line in _fact(label, value or [span("none", Role.DIM)], width)
    )


def _fact(label: str, value: Sequence[Span], width: int) -> Iterable[Line]:
    """Draw a label and its value; one that is too long continues on the next lines."""
    if len(value) == 1 and _LABEL_CELLS + width_of(value) > width:
        return labelled(label, value[0].text, width, value[0].role, _LABEL_CELLS)
    return (fit([span(f"{label:<{_LABEL_CELLS}}", Role.DIM), *value], width),)


def task_row(task: TaskRecord, width: int, view: RenderContext, text_lines: int = 0) -> tuple[Line, ...]:
    """Draw a task of a conversation: title; status and due; people; so many lines for its text."""
    mark = [sign(f" {view.glyphs.pending}", Role.PENDING)] if task.pending else []
    status = view.status(task.status, 20)
    done = task.status == "completed"
    due = None if done else relative_time.due(task.due_at, view.now, view.zone)
    dot = (view.status_sign(task.status), sign(" "))
    second = fit([*dot, span(status, Role.DIM)], width, [due] if due is not None else [])
    people = ", ".join(view.person(each).text for each in task.assigned)
    return (
        fit_reading(span(show_line(task.title or "(no title)"), Role.DIM if done else Role.TEXT), width, mark),
        second,
        fit([span(people or "unassigned", Role.DIM)], width),
        *_task_text(task.body, width, text_lines),
    )


def task_and_owner(task: TaskRecord, view: RenderContext) -> SafeText:
    """Return a task's title and, unless it is the reader's, whose it is: `"Late delivery" (Noa Bar's)`."""
    whose = ""
    if not task.assigned:
        whose = " (unassigned)"
    elif view.names.me not in task.assigned:
        more = f" +{len(task.assigned) - 1}" if len(task.assigned) > 1 else ""
        whose = f" ({cut(view.person(task.assigned[0]).text, MAX_OWNER_CELLS)}'s{more})"
    return trusted(f'"{show_line(task.title or "(no title)", 24).text}"{whose}')


def target_line(task: TaskRecord, place: int, count: int, width: int, view: RenderContext) -> Line:
    """Draw the task that keys work on in one line: status, title, people and due, and which of several it is.

    Args:
        place: its place among the customer's tasks, from 1.
        count: the number of the customer's tasks.
    """
    gap = span(view.glyphs.separator, Role.DIM)
    parts = [span(_names(task, view), Role.DIM)]
    if task.status == "completed":
        parts.append(span(view.status(task.status, 20), Role.DIM))
    elif (due := relative_time.due(task.due_at, view.now, view.zone)) is not None:
        parts.append(due)
    rest = [each for part in parts for each in (gap, part)]
    lead = [span(" "), view.status_sign(task.status), span(" ")]
    right = [span(f" {place} of {count} ", Role.DIM)] if count > 1 else []
    room = width - max_width_of((*lead, *rest, *right)) - 1
    title = show_line(task.title or "(no title)")
    shown = SafeText(cut(title.text, max(MIN_NAME_CELLS, room)), title.was_sanitized)
    return fit((*lead, span(shown, Role.STRONG), *rest), width, right)


def _names(task: TaskRecord, view: RenderContext) -> SafeText:
    """Return the names of the people on a task, the reader as "me"."""
    me = view.names.me
    names = [
        "me" if each == me else cut(view.name(each).text, MAX_OWNER_CELLS) for each in task.assigned[:MAX_PEOPLE]
    ]
    more = f" +{len(task.assigned) - MAX_PEOPLE}" if len(task.assigned) > MAX_PEOPLE else ""
    return trusted(f"{', '.join(names)}{more}" if names else "unassigned")


def _task_text(body: str, width: int, count: int) -> list[Line]:
    """Draw exactly so many lines of a task's text; a longer one ends with an ellipsis."""
    shown = body_lines(body) if count else ()
    whole = SafeText(" ".join(each.text for each in shown if each.text), any(each.was_sanitized for each in shown))
    parts = wrap(whole, max(1, width))
    if len(parts) > count:
        parts[count - 1 :] = [SafeText(" ".join(each.text for each in parts[count - 1 :]), whole.was_sanitized)]
    lines = [paragraph(SafeText(cut(each.text, width), each.was_sanitized), width, Role.DIM)[0] for each in parts]
    return [*lines, *[fit([], width)] * count][:count]


def _last_words(record: ConversationRecord, view: RenderContext) -> tuple[Line, Span]:
    """Return the sign or word before the last words, and these, or what is known instead."""
    about = span(show_line(record.preview), Role.DIM)
    if not record.thread_known:
        return ((span("task: ", Role.RULE),), about) if about.text else ((), span("not loaded yet", Role.DIM))
    if not about.text and record.preview_direction:
        about = span(UNKNOWN, Role.DIM)  # kept by a version that previewed no such message
    if record.preview_direction == "outgoing":
        return (status_glyph(record.preview_status, view.glyphs), span(" ")), about
    return (), about


def _clocks(record: ConversationRecord, view: RenderContext, facts: RowFacts) -> list[Span]:
    """Show a due time that is near or past, how long the customer waits, and when the free window closes.

    What the list is sorted by stands in the first line already, and a service clock says more than a wait.
    """
    order = facts.order
    due = relative_time.due(record.due_at, view.now, view.zone)
    clocks = [due] if due is not None and due.role is not Role.DIM and order is not ConversationOrder.DUE else []
    if record.waiting_since is not None:
        ends_at = _window_end(record)
        if ends_at is not None and 0 < ends_at - view.now <= CLOSING_SECONDS:
            clocks.append(span(f"closes ~{relative_time.clock(ends_at, view.zone)}", Role.WARN))
        if order is not ConversationOrder.WAITING and facts.clock is None:
            waited = relative_time.short_duration(view.now - record.waiting_since)
            clocks.append(span(f"{view.glyphs.waiting} {waited}", Role.DIM))
    return clocks


def _window_end(record: ConversationRecord) -> float | None:
    """Return the estimated end of free answers, or None."""
    if record.last_incoming_at is None or record.platform not in ("", "whatsapp"):
        return None
    return record.last_incoming_at + relative_time.WINDOW


def _window(record: ConversationRecord, view: RenderContext) -> list[Span]:
    """Estimate how long a free answer is possible, as the interface doesn't say; coloured while it is urgent."""
    if record.platform not in ("", "whatsapp"):
        return [span("unknown", Role.DIM)]
    ends_at = _window_end(record)
    if ends_at is None:
        unknown = "unknown, not loaded" if not record.thread_known else "unknown"
        return [span(unknown, Role.DIM)]
    if ends_at <= view.now:
        return [span("closed?", Role.DIM)]
    urgent = record.waiting_since is not None and ends_at - view.now <= CLOSING_SECONDS
    until = f"until ~{relative_time.time_within_day(ends_at, view.now, view.zone)}"
    return [span(until, Role.WARN if urgent else Role.TEXT)]


def _waits(record: ConversationRecord, view: RenderContext, history: CustomerHistory) -> list[Span]:
    doubt = "" if record.waiting_known else "?"
    if record.waiting_since is None:
        words = "no answer needed" if history.needs_no_answer else "no"
        return [span("unknown" if doubt else words, Role.DIM)]
    waited = f"{relative_time.short_duration(view.now - record.waiting_since)}{doubt}"
    last = record.last_incoming_at
    if last is None or last == record.waiting_since:
        return [span(waited)]
    return [span(waited), span(f", last {relative_time.short_duration(view.now - last)} ago", Role.DIM)]


def _first_seen(view: RenderContext, history: CustomerHistory) -> list[Span]:
    """Draw when the platform first knew the customer, else the first message that is loaded."""
    if history.created_at is not None:
        return [span(relative_time.stamp(history.created_at, view.now, view.zone), Role.DIM)]
    if history.first_at is None:
        return [span("unknown", Role.DIM)]
    first = relative_time.stamp(history.first_at, view.now, view.zone)
    return [span(first if history.is_whole else f"{first} or before", Role.DIM)]


def _campaign(view: RenderContext, history: CustomerHistory) -> list[Span]:
    if history.campaign_at is not None:
        return [span(f"last sent {relative_time.stamp(history.campaign_at, view.now, view.zone)}")]
    if history.first_at is None:
        return [span("unknown", Role.DIM)]
    return [span("none" if history.is_whole else "none loaded", Role.DIM)]

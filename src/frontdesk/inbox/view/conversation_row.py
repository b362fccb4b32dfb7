"""A conversation as a row of a list, and as facts beside its thread."""

from frontdesk.config.render_context import RenderContext, channel_name
from frontdesk.inbox.view.message import status_glyph
from frontdesk.storage.record_lookup import customer_of
from frontdesk.storage.records import ConversationOrder, ConversationRecord, TaskRecord
from frontdesk.text import relative_time
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.text.lines import Line, Role, Span, fit, fit_reading, span

CLOSING_SECONDS = 2 * relative_time.HOUR
"""The row of a customer who waits warns this long before the window closes."""


ORDER_WORDS = {
    ConversationOrder.WAITING: "longest waiting first",
    ConversationOrder.ACTIVITY: "most recent first",
    ConversationOrder.DUE: "earliest due first",
    ConversationOrder.NAME: "by name",
}
"""The name of each order, for the title of a list."""


def title_of(record: ConversationRecord, view: RenderContext) -> Line:
    """Return the title of a thread: the customer, their number and the line."""
    name, *about = (
        customer_of(record),
        show_line(record.number, 30),
        show_line(view.names.line(record.line_id), 30),
    )
    return span(name), *(span(trusted(f" · {each.text}"), Role.DIM) for each in about if each)


def row(record: ConversationRecord, width: int, view: RenderContext) -> tuple[Line, Line]:
    """Draw two lines: the customer and when; the last words and what is urgent."""
    unread = record.unread > 0
    top_right: list[Span] = []
    if record.pending:
        top_right.append(span(f"{view.glyphs.pending} ", Role.PENDING))
    if unread:
        top_right.append(span(f"{view.glyphs.unread} {record.unread} ", Role.BADGE))
    top_right.append(span(f"{relative_time.stamp(record.active_at, view.now, view.zone):>6}", Role.DIM))
    top = fit_reading(span(customer_of(record), Role.STRONG if unread else Role.TEXT), width, top_right)
    lead, words = _last_words(record, view)
    return top, fit_reading(words, width, _clocks(record, view), lead)


def found_row(record: ConversationRecord, width: int, view: RenderContext) -> Line:
    """Draw a conversation to jump to in one line, with its number and line."""
    parts = [show_line(record.number, 24), show_line(view.names.line(record.line_id), 24)]
    beside = "  ".join(part.text for part in parts if part)
    right = [
        span(trusted(beside), Role.DIM),
        span(f" {relative_time.stamp(record.active_at, view.now, view.zone):>6}", Role.DIM),
    ]
    return fit_reading(span(customer_of(record), Role.STRONG), width, right, [span("  ")])


def customer_facts(record: ConversationRecord, width: int, view: RenderContext) -> tuple[Line, ...]:
    """Draw the customer's name, number, platform, line and window."""
    facts = (
        ("name", customer_of(record)),
        ("number", show_line(record.number, 40)),
        ("channel", show_line(channel_name(record.platform), 40)),
        ("line", show_line(view.names.line(record.line_id), 40)),
        ("window", _window(record, view)),
    )
    return tuple(fit([span(f"{label:<7} ", Role.DIM), span(value)], width) for label, value in facts if value)


def task_row(task: TaskRecord, width: int, view: RenderContext) -> tuple[Line, Line, Line]:
    """Draw a task of a conversation in three lines: title; status and due; people."""
    mark = [span(f" {view.glyphs.pending}", Role.PENDING)] if task.pending else []
    status = show_line(view.names.status(task.status), 20)
    done = task.status == "completed"
    due = None if done else relative_time.due(task.due_at, view.now, view.zone)
    second = fit([span(status, Role.GOOD if done else Role.DIM)], width, [due] if due is not None else [])
    people = ", ".join(view.person(each).text for each in task.assigned)
    return (
        fit_reading(span(show_line(task.title or "(no title)"), Role.DIM if done else Role.TEXT), width, mark),
        second,
        fit([span(people or "unassigned", Role.DIM)], width),
    )


def _last_words(record: ConversationRecord, view: RenderContext) -> tuple[Line, Span]:
    """Return the sign or word before the last words, and these, or what is known instead."""
    about = span(show_line(record.preview), Role.DIM)
    if not record.thread_known:
        return ((span("task: ", Role.RULE),), about) if about.text else ((), span("not loaded yet", Role.DIM))
    if record.preview_direction == "outgoing":
        return (status_glyph(record.preview_status, view.glyphs), span(" ")), about
    return (), about


def _clocks(record: ConversationRecord, view: RenderContext) -> list[Span]:
    """Show a due time that is near or past, how long the customer waits, and when the free window closes."""
    due = relative_time.due(record.due_at, view.now, view.zone)
    clocks = [due] if due is not None and due.role is not Role.DIM else []
    if record.waiting_since is not None:
        ends_at = _window_end(record)
        if ends_at is not None and 0 < ends_at - view.now <= CLOSING_SECONDS:
            clocks.append(span(f"closes ~{relative_time.clock(ends_at, view.zone)}", Role.WARN))
        waited = view.now - record.waiting_since
        if waited < relative_time.HOUR:
            clocks.append(span(view.glyphs.waiting, Role.ACCENT))
        else:
            clocks.append(span(f"{view.glyphs.waiting} {relative_time.short_duration(waited)}", Role.WARN))
    return [part for each in clocks for part in (span(" "), each)][1:]


def _window_end(record: ConversationRecord) -> float | None:
    """Return the estimated end of free answers, or None."""
    if record.last_incoming_at is None or record.platform not in ("", "whatsapp"):
        return None
    return record.last_incoming_at + relative_time.WINDOW


def _window(record: ConversationRecord, view: RenderContext) -> SafeText:
    """Estimate how long a free answer is possible; the interface doesn't say."""
    ends_at = _window_end(record)
    if ends_at is None:
        return SafeText("")
    if ends_at <= view.now:
        return SafeText("closed?")
    return SafeText(f"open until ~{relative_time.time_within_day(ends_at, view.now, view.zone)}")

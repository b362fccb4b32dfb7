"""A conversation as a row of a list, and as facts beside its thread."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from frontdesk.config.facts import Fact
from frontdesk.config.render_context import RenderContext
from frontdesk.inbox.store.customer_history import CustomerHistory
from frontdesk.inbox.store.notes import TeamNote
from frontdesk.inbox.view.highlights import fit_found
from frontdesk.inbox.view.message import status_glyph
from frontdesk.inbox.view.note import present_words
from frontdesk.outbox.snooze_view import snooze_sign
from frontdesk.outbox.snoozes import SnoozeState
from frontdesk.service_clocks.clocks import Wait, wait_of
from frontdesk.service_clocks.store import NearestClock
from frontdesk.service_clocks.view import fact_spans, row_span
from frontdesk.storage.record_lookup import customer_of
from frontdesk.storage.records import ConversationOrder, ConversationRecord, TaskRecord
from frontdesk.storage.team_state import Colleague
from frontdesk.text import relative_time
from frontdesk.text.relative_time import spoken_length
from frontdesk_api.contract.ids import AgentId, StatusId, TagId
from frontdesk_lines.cell_width import cell_width, graphemes, max_cells
from frontdesk_lines.display_text import SafeText, body_lines, cut, show_label, show_line, trusted, wrap
from frontdesk_lines.lines import (
    Line,
    Role,
    Span,
    column_gap,
    crop,
    fit,
    fit_reading,
    max_width_of,
    paragraph,
    sign,
    span,
    width_of,
)
from frontdesk_lines.privacy import is_private

CLOSING_SECONDS = 2 * relative_time.HOUR
"""The row of a customer who waits warns this long before the window closes."""


MAX_CHIPS, MAX_CHIP_CELLS = 2, 10
MIN_NAME_CELLS, MAX_NAME_CELLS = 8, 18
"""A name has this much room before tags are left out."""

MIN_LINE_CELLS, MAX_LINE_CELLS = 10, 12
"""Cells of a row's column for the line."""

MIN_SHARED_CELLS, MAX_SHARED_CELLS = 22, 32
"""Cells of a row's columns for people and the due time."""

MIN_ROOMY_CELLS = 60
"""Minimum width of a row whose columns have wider gaps and deadlines their words."""

UNASSIGNED = "unassigned"

MIN_COMPACT_NAME_CELLS, MAX_COMPACT_NAME_CELLS = 13, 22
MAX_UNREAD_CELLS, MAX_STAMP_CELLS, MAX_WAIT_CELLS, MAX_DEADLINE_CELLS = 5, 6, 10, 13
"""Cells of the columns of a row in one line."""

MIN_WORD_CELLS = 70
"""Minimum width of a row in one line that calls a wait one."""

MIN_TEXT_CELLS, MIN_CHIPPED_TEXT_CELLS = 7, 24
"""Minimum cells of the last words beside news, and beside tags in one line."""

MAX_TITLE_NAME_CELLS = 20
"""The most cells of a colleague's name in the title of a thread."""

MAX_OTHER_LINES = 3

MAX_OWNER_CELLS = 16
"""The most cells of a colleague's name behind a task's title."""

MIN_TITLE_CELLS = 16
"""Minimum cells of a title above the thread; people make room for it."""

NO_VALUE = (span("none", Role.DIM),)

LABEL_CELLS = 12
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
        call: the note that mentions the reader, or hands it over to them, and that they haven't seen.
        snooze: until when it is snoozed, or that it woke.
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


class _DrawnRow(NamedTuple):
    """A conversation to be drawn as a row."""

    record: ConversationRecord
    view: RenderContext
    facts: RowFacts

    def in_two_lines(self, width: int) -> tuple[Line, Line]:
        """Draw status, customer, tags and time; below, columns for the last words, line, people and due."""
        waits = [part for each in self._waiting_signs() for part in (each, span(" "))]
        right = [*waits, *self._pending_sign(), *self._unread_sign(), self._sort_time()]
        name = self._customer()
        room = width - 2 - width_of(right) - max(MIN_NAME_CELLS, min(width_of([name]), MAX_NAME_CELLS))
        right[:0] = _chips(self.facts.tags, room, self.view)
        top = fit_found(name, width, self.facts.words, (span(" "), *right), self._status_sign())
        columns = self._columns(width)
        lead, words = self._last_words()
        text = fit_found(words, max(0, width - width_of(columns)), self.facts.words, (), (sign("  "), *lead))
        return top, crop((*text, *columns), width)

    def in_one_line(self, width: int) -> tuple[Line]:
        """Draw status, customer, unread, time and the last words; at the right, news and urgent times."""
        is_short = width < MIN_WORD_CELLS
        name_cells = 2 + min(MAX_COMPACT_NAME_CELLS, max(MIN_COMPACT_NAME_CELLS, width // 4))
        time_cells = MAX_STAMP_CELLS if is_short else MAX_WAIT_CELLS
        if self.facts.order in (ConversationOrder.DUE, ConversationOrder.SLA):
            time_cells = MAX_DEADLINE_CELLS
        columns = [
            *fit_found(self._customer(), name_cells, self.facts.words, self._pending_sign(), self._status_sign()),
            *fit([column_gap(1), *self._unread_sign()], MAX_UNREAD_CELLS),
            *fit([], time_cells, [self._sort_time(is_short=True, has_word=not is_short)]),
            span("  "),
        ]
        room = width - width_of(columns)
        urgent = [each for each in self._deadlines(room) if each.role is not Role.DIM]
        signs = [*self._news(), *urgent, *self._waiting_signs()]
        right = _as_fits(signs, max(0, room - MIN_TEXT_CELLS))
        chips = _chips(self.facts.tags, room - width_of(right) - MIN_CHIPPED_TEXT_CELLS, self.view)
        end = (*chips, *right) if right else tuple(chips[:-1])
        lead, words = self._last_words()
        text = fit_found(words, max(0, room), self.facts.words, (span(" "), *end) if end else (), lead)
        return (crop((*columns, *text), width),)

    def _customer(self) -> Span:
        return span(customer_of(self.record), Role.STRONG if self.record.unread > 0 else Role.TEXT)

    def _status_sign(self) -> Line:
        return (sign(" ") if self.facts.status is None else self.view.status_sign(self.facts.status), sign(" "))

    def _pending_sign(self) -> Line:
        return (sign(f"{self.view.glyphs.pending} ", Role.PENDING),) if self.record.pending else ()

    def _unread_sign(self) -> Line:
        return (
            (span(f"{self.view.glyphs.unread}{self.record.unread} ", Role.BADGE),)
            if self.record.unread > 0
            else ()
        )

    def _sort_time(self, *, is_short: bool = False, has_word: bool = True) -> Span:
        """Draw the time that the list is sorted by; if it isn't known, a question mark.

        Args:
            is_short: whether a deadline takes less room.
            has_word: whether a wait is called one.
        """
        order, word = self.facts.order, " wait" if has_word else ""
        if order is ConversationOrder.SLA:
            if self.facts.clock is None:
                return span("no deadline", Role.DIM)
            return row_span(self.facts.clock, self.view, is_short=is_short)
        if order is ConversationOrder.DUE:
            due = self.view.due(self.record.due_at, is_short=is_short)
            return span("no due date", Role.DIM) if due is None else due
        if order is ConversationOrder.WAITING:
            wait = wait_of(self.record, self.view.now)
            if wait.seconds is not None:
                return span(f"{relative_time.short_duration(wait.seconds):>4}{word}{wait.doubt}")
            if wait.doubt:
                return span(f"{wait.doubt:>4}{word}", Role.DIM)
        return span(f"{self.view.stamp(self.record.active_at):>6}", Role.DIM)

    def _columns(self, width: int) -> Line:
        """Draw the columns after the last words: line, or news in its place; people; at the right, the due time.

        People and the due time share their cells, so that a long deadline shortens the names beside it.
        """
        gap = column_gap(2 if width >= MIN_ROOMY_CELLS else 1)
        line_cells = min(MAX_LINE_CELLS, max(MIN_LINE_CELLS, width // 4 - 1)) if self.facts.names_line else 0
        shared_cells = min(MAX_SHARED_CELLS, max(MIN_SHARED_CELLS, width * 2 // 5))
        beside = self._news() or (self._line_name(line_cells),)
        most_cells = width - shared_cells - 2 * width_of([gap]) - MIN_TEXT_CELLS
        line_cells = max(line_cells, min(width_of(beside), most_cells))
        line = (gap, *fit(beside, line_cells)) if line_cells > 0 else ()
        room = shared_cells - len(UNASSIGNED) - 1
        deadlines = self._deadlines(room)
        due = _as_fits(deadlines, max(room, min(width_of(deadlines[:1]), shared_cells - MIN_NAME_CELLS)))
        people = self._people(shared_cells - width_of(due) - 1)
        return (*line, gap, *fit(people, shared_cells, due)) if line or people or due else ()

    def _news(self) -> Line:
        """Draw a call for the reader, the colleagues who have it open, or its snooze."""
        if self.facts.call is not None:
            return (span("@you" if self.facts.call.hand_over_to is None else "handed to you", Role.BADGE),)
        if here := present_words(self.facts.present, self.view):
            return (span(here, Role.WARN),)
        return () if self.facts.snooze is None else (snooze_sign(self.facts.snooze, self.view),)

    def _line_name(self, width: int) -> Span:
        """Draw the line's name, of a long one its last words; the channel for a line without a name."""
        has_name = self.view.names.line(self.record.line_id) != self.record.line_id
        words = (
            self.view.line(self.record.line_id) if has_name else self.view.channel(self.record.platform)
        ).text.split()
        while len(words) > 1 and cell_width(" ".join(words)) > width:
            del words[0]
        return span(trusted(cut(" ".join(words), width)), Role.LINE)

    def _people(self, width: int) -> Line:
        if not self.record.assigned:
            return (span(UNASSIGNED, Role.DIM),) if self.record.open_tasks else ()
        words = trusted(_people_words(self.record.assigned, self.view, width))
        return (span(words, Role.ACCENT if self.view.names.me in self.record.assigned else Role.AGENT),)

    def _last_words(self) -> tuple[Line, Span]:
        """Return the sign or word before the last words, and these, or what is known instead."""
        about = span(show_line(self.record.preview), Role.DIM)
        if not self.record.thread_known:
            return ((span("task: ", Role.RULE),), about) if about.text else ((), span("not loaded yet", Role.DIM))
        if self.record.preview_direction == "outgoing":
            return (status_glyph(self.record.preview_status, self.view.glyphs), span(" ")), about
        return (), about

    def _deadlines(self, room: int) -> list[Span]:
        """Draw the service clock and the due time, the most urgent first; what doesn't fit `room` is shortened.

        The time that the list is sorted by is in the first line already.
        """
        forms: list[tuple[Span, Span]] = []
        if self.facts.clock is not None and self.facts.order is not ConversationOrder.SLA:
            short = row_span(self.facts.clock, self.view, is_short=True)
            forms.append((row_span(self.facts.clock, self.view), short))
        due = self.view.due(self.record.due_at, is_short=True)
        if due is not None and self.facts.order is not ConversationOrder.DUE:
            forms.append((due, span(due.text.text.removeprefix("due "), due.role)))
        deadlines = [long if width_of([long]) <= room else short for long, short in forms]
        return sorted(deadlines, key=lambda each: (each.role is not Role.BAD, each.role is not Role.WARN))

    def _waiting_signs(self) -> Line:
        """Draw when the free window of a customer who waits closes, and how long they wait.

        The wait is left out where the list is sorted by it, and where a service clock says more.
        """
        waited = wait_of(self.record, self.view.now).seconds
        if waited is None:
            return ()
        signs: list[Span] = []
        ends_at = window_end(self.record)
        if ends_at is not None and 0 < ends_at - self.view.now <= CLOSING_SECONDS:
            signs.append(span(f"closes ~{relative_time.clock(ends_at, self.view.zone)}", Role.WARN))
        if self.facts.order is not ConversationOrder.WAITING and self.facts.clock is None:
            signs.append(span(f"{self.view.glyphs.waiting} {relative_time.short_duration(waited)}", Role.DIM))
        return tuple(signs)


def row(
    record: ConversationRecord, width: int, view: RenderContext, facts: RowFacts = NO_FACTS
) -> tuple[Line, Line]:
    return _DrawnRow(record, view, facts).in_two_lines(width)


def compact_row(
    record: ConversationRecord, width: int, view: RenderContext, facts: RowFacts = NO_FACTS
) -> tuple[Line]:
    return _DrawnRow(record, view, facts).in_one_line(width)


def _chips(tags: Sequence[TagId], room: int, view: RenderContext) -> list[Span]:
    spans: list[Span] = []
    for each in tags[-MAX_CHIPS:]:
        title = view.tag(each, MAX_CHIP_CELLS)
        chip = [view.tag_sign(each), span(title, Role.DIM), span(" ")]
        if width_of(spans) + width_of(chip) <= room:
            spans += chip
    return spans


def _people_words(assigned: Collection[AgentId], view: RenderContext, width: int) -> str:
    """Return the names of assigned people, the reader first: in full, else shortened, as they fit."""
    if not assigned:
        return UNASSIGNED
    people = sorted(assigned, key=lambda each: each != view.names.me)
    names, short = zip(*(_names(each, view) for each in people), strict=True)
    more = f" +{len(people) - 1}" if len(people) > 1 else ""
    forms = (", ".join(names), ", ".join(short), f"{short[0]}{more}")
    return next((each for each in forms if max_cells(each) <= width), f"{cut(short[0], width - len(more))}{more}")


def _names(agent_id: AgentId, view: RenderContext) -> tuple[str, str]:
    """Return an agent's name in full and in short: `Tom Fletcher` and `Tom F.`."""
    short = view.initials(agent_id).text
    if agent_id == view.names.me or view.names.person(agent_id) == agent_id:
        return short, short
    name = view.name(agent_id).text
    if is_private():
        return name, short
    first, *others = name.split() or [name]
    return name, f"{first} {graphemes(others[-1])[0]}." if others else first


def _as_fits(spans: Iterable[Span], room: int) -> Line:
    """Return the first of these and the others that fit, from right to left; the first is cut."""
    kept: list[Span] = []
    for each in spans:
        gap = [span(" ")] if kept else []
        if width_of([each, *gap, *kept]) <= room:
            kept = [each, *gap, *kept]
        elif not kept:
            kept = [Span(SafeText(cut(each.text.text, room), each.text.was_sanitized), each.role)]
    return tuple(kept)


def found_row(record: ConversationRecord, width: int, view: RenderContext) -> Line:
    parts = [show_line(record.number, 24), view.line(record.line_id, 24)]
    beside = "  ".join(part.text for part in parts if part)
    right = [
        span(trusted(beside), Role.DIM),
        span(f" {view.stamp(record.active_at):>6}", Role.DIM),
    ]
    return fit_reading(span(customer_of(record), Role.STRONG), width, right, [span("  ")])


def customer_facts(
    record: ConversationRecord,
    view: RenderContext,
    history: CustomerHistory | None = None,
    clock: NearestClock | None = None,
) -> Iterator[Fact]:
    """Tell who the customer is and what decides whether to answer now; what isn't known is said to be so.

    Each fact is always there: those below stay where they are while the cursor moves, and fewer bytes are sent.

    Args:
        clock: the nearest service clock; its row stands only where there is one.
    """
    history = history or CustomerHistory()
    name, country = span(customer_of(record), Role.STRONG), show_line(history.country, 6).text
    yield Fact("name", name.text, name.role, draw=lambda width: [fit_reading(name, width, [])])
    number = span(show_line(record.number, 40)), span(f" {country}" if country else "", Role.DIM)
    yield _in_one_line("number", number if record.number else NO_VALUE)
    for label, value in (("channel", view.channel(record.platform)), ("line", view.line(record.line_id, 40))):
        yield Fact(label, value or NO_VALUE)
    yield _window(record, view)
    yield _waits(record, view, history)
    if clock is not None:
        yield Fact("SLA", tuple(fact_spans(clock, view)))
    yield Fact("first seen", tuple(_first_seen(view, history)))
    active = view.stamp(record.active_at)
    yield Fact("last active", trusted(active or "unknown"), Role.DIM)
    yield Fact("campaign", tuple(_campaign(view, history)))
    if history.other_lines:
        lines = ", ".join(view.line(each, 40).text for each in history.other_lines[:MAX_OTHER_LINES])
        more = len(history.other_lines) - MAX_OTHER_LINES
        yield Fact("also on", show_label(f"{lines} and {more} more" if more > 0 else lines, 200))
    yield Fact("about", show_line(history.description.strip(), 200), Role.DIM)


def _in_one_line(label: str, value: Sequence[Span]) -> Fact:
    shown = (span(f"{label:<{LABEL_CELLS}}", Role.DIM), *value)
    return Fact(label, tuple(value), draw=lambda width: [fit(shown, width)])


def task_row(task: TaskRecord, width: int, view: RenderContext, text_lines: int = 0) -> tuple[Line, ...]:
    """Draw a task of a conversation: title; status and due; people; so many lines for its text."""
    mark = [sign(f" {view.glyphs.pending}", Role.PENDING)] if task.pending else []
    status = view.status(task.status, 20)
    done = task.status == "completed"
    due = None if done else view.due(task.due_at)
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
    """
    gap = span(view.glyphs.separator, Role.DIM)
    parts = [span(trusted(_people_words(task.assigned, view, max(MIN_NAME_CELLS, width // 3))), Role.DIM)]
    if task.status == "completed":
        parts.append(span(view.status(task.status, 20), Role.DIM))
    elif (due := view.due(task.due_at)) is not None:
        parts.append(due)
    lead = [span(" "), view.status_sign(task.status), span(" ")]
    right = [span(f" {place} of {count} ", Role.DIM)] if count > 1 else []
    title = show_line(task.title or "(no title)")

    def room() -> int:
        return width - max_width_of((*lead, *right)) - 1 - sum(max_width_of((gap, part)) for part in parts)

    # The row names the people too, so they make room for the title.
    if room() < min(MIN_TITLE_CELLS, cell_width(title.text)):
        del parts[0]
    shown = SafeText(cut(title.text, max(MIN_NAME_CELLS, room())), title.was_sanitized)
    rest = [each for part in parts for each in (gap, part)]
    return fit((*lead, span(shown, Role.STRONG), *rest), width, right)


def _task_text(body: str, width: int, count: int) -> list[Line]:
    """Draw exactly so many lines of a task's text; a longer one ends with an ellipsis."""
    shown = body_lines(body) if count else ()
    whole = SafeText(" ".join(each.text for each in shown if each.text), any(each.was_sanitized for each in shown))
    parts = wrap(whole, max(1, width))
    if len(parts) > count:
        parts[count - 1 :] = [SafeText(" ".join(each.text for each in parts[count - 1 :]), whole.was_sanitized)]
    lines = [paragraph(SafeText(cut(each.text, width), each.was_sanitized), width, Role.DIM)[0] for each in parts]
    return [*lines, *[fit([], width)] * count][:count]


def window_end(record: ConversationRecord) -> float | None:
    """Return the estimated end of free answers, or None."""
    if record.last_incoming_at is None or record.platform not in ("", "whatsapp"):
        return None
    return record.last_incoming_at + relative_time.WINDOW


def _window(record: ConversationRecord, view: RenderContext) -> Fact:
    """Estimate how long a free answer is possible, as the interface doesn't say; coloured while it is urgent."""
    ends_at = window_end(record)
    if ends_at is None:
        is_loaded = record.thread_known or record.platform not in ("", "whatsapp")
        return Fact("window", trusted("unknown" if is_loaded else "unknown, not loaded"), Role.DIM)
    if ends_at <= view.now:
        return Fact("window", trusted("closed?"), Role.DIM, said="closed (estimated)")
    urgent = wait_of(record, view.now).seconds is not None and ends_at - view.now <= CLOSING_SECONDS
    until = trusted(f"until ~{relative_time.time_within_day(ends_at, view.now, view.zone)}")
    said = f"open until about {view.spoken_moment(ends_at)} (estimated)"
    return Fact("window", until, Role.WARN if urgent else Role.TEXT, said=said)


def wait_words(wait: Wait) -> str:
    """Return a wait to be read out: `12 minutes, last wrote 10 minutes ago`."""
    again = "" if wait.again is None else f", last wrote {relative_time.distance_words(-wait.again, 0.0)}"
    return "" if wait.seconds is None else f"{spoken_length(wait.seconds)}{again}"


def _waits(record: ConversationRecord, view: RenderContext, history: CustomerHistory) -> Fact:
    wait = wait_of(record, view.now)
    if wait.seconds is None:
        words = "no answer needed" if history.needs_no_answer else "no"
        return Fact("waiting", trusted("unknown" if wait.doubt else words), Role.DIM)
    waited = [span(f"{relative_time.short_duration(wait.seconds)}{wait.doubt}")]
    if wait.again is not None:
        waited.append(span(f", last {relative_time.short_duration(wait.again)} ago", Role.DIM))
    return _in_one_line("waiting", waited)._replace(said=wait_words(wait))


def _first_seen(view: RenderContext, history: CustomerHistory) -> list[Span]:
    """Draw when the platform first knew the customer, else the first message that is loaded."""
    if history.created_at is not None:
        return [span(view.stamp(history.created_at), Role.DIM)]
    if history.first_at is None:
        return [span("unknown", Role.DIM)]
    first = view.stamp(history.first_at)
    return [span(first if history.is_whole else f"{first} or before", Role.DIM)]


def _campaign(view: RenderContext, history: CustomerHistory) -> list[Span]:
    if history.campaign_at is not None:
        return [span(f"last sent {view.stamp(history.campaign_at)}")]
    if history.first_at is None:
        return [span("unknown", Role.DIM)]
    return [span("none" if history.is_whole else "none loaded", Role.DIM)]

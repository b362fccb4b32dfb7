"""A task as a card of the board and in full, and the board's filter as text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from frontdesk.config.facts import GAP, Fact, heading, text
from frontdesk.config.facts import lines as draw_facts
from frontdesk.config.render_context import AGENT, RenderContext
from frontdesk.outbox.change_view import ChangeView, added_tags, field_name, state_role, stored_value
from frontdesk.outbox.snooze_view import SnoozeChangeView, snooze_sign
from frontdesk.outbox.snoozes import SNOOZE, SnoozeState
from frontdesk.outbox.task_fields import (
    ASSIGNED,
    BODY,
    DUE,
    SEEN_FIELDS,
    STATUS,
    TASK_FIELDS,
    TITLE,
    FieldKind,
    field_of,
)
from frontdesk.service_clocks.store import NearestClock
from frontdesk.service_clocks.view import fact_spans, row_span
from frontdesk.storage.coverage import Precision
from frontdesk.storage.record_lookup import customer_of, name_on_task
from frontdesk.storage.records import Change, ChangeState, ConversationRecord, TaskRecord
from frontdesk.tasks.history import Source, Transition
from frontdesk.tasks.task_filter import NOBODY, FilterProgress, TaskFilter, TaskTerm, TermField
from frontdesk.text import relative_time
from frontdesk_api import json_access
from frontdesk_api.contract.ids import AgentId, TagId
from frontdesk_lines.bidi import is_right_to_left
from frontdesk_lines.display_text import SafeText, body_lines, cut, show_line, show_name, trusted, wrap
from frontdesk_lines.glyphs import Glyphs
from frontdesk_lines.lines import Line, Role, Span, crop, fit, fit_reading, paragraph, sign, span, width_of

CARD_HEIGHT = 4
"""Lines of a card, the last one empty unless the title takes two."""

MIN_PEOPLE = 12
"""Cells for a card's people; where a service clock leaves fewer, it is shortened."""


def card(
    task: TaskRecord,
    width: int,
    view: RenderContext,
    snooze: SnoozeState | None = None,
    clock: NearestClock | None = None,
) -> tuple[Line, ...]:
    """Draw a card: title, customer and people; unread, due, and the snooze, service clock or age at the right."""
    signs = [span(f"{view.glyphs.unread}{task.unread}", Role.BADGE)] if task.unread else []
    if task.pending:
        signs.append(sign(f"{' ' * bool(signs)}{view.glyphs.pending}", Role.PENDING))
    done = task.status == "completed"
    title = _title(show_line(task.title or "(no title)"), width, signs, Role.DIM if done else Role.STRONG)
    customer = name_on_task(task, 40, task.customer_id or "") or trusted("no customer")
    due = None if done else view.due(task.due_at)
    second = fit_reading(span(customer), width, [due] if due is not None else [])
    age = view.stamp(task.updated_at or task.created_at)
    right = [span(age, Role.DIM)] if age else []
    if snooze is not None:
        right = [span(" "), snooze_sign(snooze, view)]
    elif clock is not None and not done:
        named = row_span(clock, view)
        has_room = width - width_of([named]) >= MIN_PEOPLE
        right = [named if has_room else row_span(clock, view, is_short=True)]
    third = fit(_names_of_people(task, view), width, right)
    return (*title, second, third, fit([], width))[:CARD_HEIGHT]


def _title(words: SafeText, width: int, signs: Sequence[Span], role: Role) -> list[Line]:
    """Draw a title in one or two lines, with signs at the end of the first one."""
    is_rtl = is_right_to_left(words.text)
    first, *rest = wrap(words, max(1, width - width_of(signs) - (1 + is_rtl if signs else 0)))
    end = SafeText(" ".join(each.text for each in rest), words.was_sanitized)
    return [
        fit_reading(span(part, role), width, at_end) if is_rtl else fit([span(part, role)], width, at_end)
        for part, at_end in ((first, signs), (end, []))[: 1 + bool(rest)]
    ]


def hidden_columns_line(left: Sequence[SafeText], right: Sequence[SafeText], width: int, signs: Glyphs) -> Line:
    """Draw the hidden columns on each side: the name of the nearest, and how many more."""
    sides: list[list[Span]] = []
    if left:
        sides.append([span(f"{signs.left} ", Role.DIM), span(left[-1], Role.DIM), _more(left)])
    if right:
        sides.append([span(right[0], Role.DIM), _more(right), span(f" {signs.right}", Role.DIM)])
    room = max(1, (width - 2 * (len(sides) - 1)) // max(1, len(sides)))
    parts = [part for side in sides for part in (span("  "), *_shortened(side, room))]
    return tuple(parts[1:])


def _more(names: Sequence[SafeText]) -> Span:
    return span(f" +{len(names) - 1}" if len(names) > 1 else "", Role.DIM)


def _shortened(side: Sequence[Span], width: int) -> Line:
    longest = max(side, key=lambda part: width_of([part]))
    room = max(1, width - width_of(side) + width_of([longest]))
    return tuple(part for each in side for part in (crop([each], room) if each is longest else (each,)))


def _names_of_people(task: TaskRecord, view: RenderContext) -> list[Span]:
    if not task.assigned:
        return [span("unassigned", Role.DIM)]
    words: list[Span] = []
    for each in task.assigned:
        if words:
            words.append(span(", ", Role.DIM))
        words.append(span(view.person(each), Role.ACCENT if each == view.names.me else Role.DIM))
    return words


LABEL_CELLS = 9
_CHANGE_VIEW, _SNOOZE_VIEW = ChangeView(), SnoozeChangeView()
MAX_CHANGES = 50
"""So many changes of a task are shown, and transitions; Activity and `frontdesk tasks history` list all."""


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """A task with its conversation, changes and history (the newest first) and tags from here."""

    task: TaskRecord
    conversation: ConversationRecord | None
    changes: Sequence[Change] = ()
    tags: Sequence[tuple[TagId, float, ChangeState]] = ()
    history: Sequence[Transition] = ()
    history_since: float | None = None
    snooze: SnoozeState | None = None
    clock: NearestClock | None = None


def detail(told: TaskFacts, width: int, view: RenderContext) -> tuple[Line, ...]:
    title = text(show_line(told.task.title or "(no title)"), Role.STRONG)
    return draw_facts((title, GAP, *about(told, view), *_story(told, view)), width, view, LABEL_CELLS)


def about(told: TaskFacts, view: RenderContext) -> Iterator[Fact]:
    """Tell a task without its text."""
    task, conversation = told.task, told.conversation

    def edited(name: str, value: Sequence[Span]) -> Fact:
        sent = () if name not in task.pending else (sign(f" {view.glyphs.pending}", Role.PENDING),)
        return Fact(TASK_FIELDS[name].label.lower(), (*value, *sent))

    yield edited(STATUS, (Span(view.status(task.status) or trusted("(no status)")),))
    yield edited(DUE, _due(task, view))
    if told.snooze is not None:
        yield Fact("snoozed", (snooze_sign(told.snooze, view), span("  in frontdesk only", Role.DIM)))
    if told.clock is not None:
        yield Fact("SLA", tuple(fact_spans(told.clock, view)))
    yield edited(ASSIGNED, _people(task, view))
    for name in (each.name for each in SEEN_FIELDS if each.name not in (TITLE, BODY, STATUS, DUE, ASSIGNED)):
        yield edited(name, (Span(stored_value(name, task.value(name), view)[0]),))
    yield Fact("unread", _unread(task))
    yield Fact("customer", _customer(told))
    yield Fact("number", "" if conversation is None else show_line(conversation.number, 40))
    customer = json_access.mapping(task.raw.get("customer"))
    for label, name in (("email", "email"), ("about", "description")):
        yield Fact(label, show_line(json_access.text(customer.get(name)), 200))
    yield Fact("channel", view.channel(task.platform))
    yield Fact("line", view.line(task.line_id) or trusted("none"))
    yield Fact("linked", show_line(task.conversation_id or "no conversation", 80), Role.DIM)
    for label, at in (("created", task.created_at), ("updated", task.updated_at)):
        yield Fact(label, (span("unknown", Role.DIM),)) if at is None else _stated(label, at, view)


def _stated(label: str, at: float, view: RenderContext) -> Fact:
    # The interface states no unit; the size of the number decides between seconds and milliseconds.
    shown = (span(view.full_moment(at)), span("  (estimated)", Role.DIM))
    return Fact(label, shown, said=f"{view.spoken_moment(at)} (estimated)")


def _due(task: TaskRecord, view: RenderContext) -> Sequence[Span]:
    if task.due_at is None:
        return [span("no due date", Role.DIM)]
    words = [span(view.full_moment(task.due_at))]
    loud = view.due(task.due_at)
    if task.due_at < view.now and task.status != "completed" and loud is not None:
        words.append(Span(trusted(f"  {loud.text.text}"), loud.role))
    return words


def _people(task: TaskRecord, view: RenderContext) -> list[Span]:
    if not task.assigned:
        return [span("unassigned", Role.DIM)]
    return [span(", ".join(view.person(each).text for each in task.assigned))]


def _unread(task: TaskRecord) -> Line:
    """Show our unread count, and the platform's where it differs: that one counts edits, too."""
    theirs = int(json_access.number(task.raw.get("unreadCount")) or 0)
    words = [span(f"{task.unread:,}", Role.BADGE if task.unread else Role.DIM)]
    if theirs != task.unread:
        words.append(span(f"  platform: {theirs:,}, including edits and messages read here", Role.DIM))
    return tuple(words)


def _customer(facts: TaskFacts) -> SafeText:
    if facts.conversation is not None:
        return customer_of(facts.conversation)
    return name_on_task(facts.task, 60, facts.task.customer_id or "") or trusted("unknown")


def _story(told: TaskFacts, view: RenderContext) -> Iterator[Fact]:
    body = body_lines(told.task.body)
    yield heading("Text")
    yield Fact(draw=lambda width: [part for each in body for part in paragraph(each, width)])
    if not body:
        yield text(trusted("no text"), Role.DIM)
    if told.task.conversation_id is not None:
        yield GAP
        yield Fact(draw=lambda width: added_tags(told.tags, width, view))
    yield heading("Changes made here")
    for change in told.changes:
        yield from _change(change, view)
    if not told.changes:
        yield text(trusted("nothing yet"), Role.DIM)
    yield heading("History")
    yield from history_facts(told.history, told.history_since, view)


def _change(change: Change, view: RenderContext) -> Iterator[Fact]:
    words = _SNOOZE_VIEW if SNOOZE in change.fields else _CHANGE_VIEW
    label = [span(show_line(change.label, 120), Role.STRONG)]
    made = [span(view.stamp(change.made_at), Role.DIM)]
    yield Fact(draw=lambda width: [fit(label, width, made)])
    state = [span(words.state_words(change, view.now), state_role(change))]
    for each in filter(None, (words.summary(change, view), state)):
        yield text((span("  "), *each))
    yield text(show_line(change.reason), Role.DIM, indent=2)


_NAMES = {
    TermField.LINE: "line",
    TermField.AGENT: "agent",
    TermField.CONVERSATION: "conversation",
    TermField.WORDS: "words",
    TermField.OVERDUE: "is",
    TermField.UNASSIGNED: "is",
    TermField.SNOOZED: "is",
}


def filter_line(wanted: TaskFilter, view: RenderContext) -> Line:
    """Describe each term of a filter, then what can't be used."""
    line: list[Span] = []
    for term in wanted.terms:
        kind = f"{'not ' * term.is_not}{_NAMES[term.field]} "
        line += [
            span(view.glyphs.separator, Role.DIM),
            span(kind, Role.DIM),
            span(term_value(term, view), Role.STRONG),
        ]
    for fault in wanted.faults:
        line += [span(view.glyphs.separator, Role.DIM), span(show_line(fault, 160), Role.BAD)]
    return tuple(line[1:])


def term_value(term: TaskTerm, view: RenderContext) -> SafeText:
    match term.field:
        case TermField.LINE:
            return view.line(term.value, 40)
        case TermField.AGENT:
            return view.person(AgentId(term.value)) if term.value != NOBODY else trusted("nobody")
        case _:
            return show_line(term.value, 40)


def line_words(wanted: TaskFilter, view: RenderContext) -> Line:
    lines = [term for term in wanted.terms if term.field is TermField.LINE]
    if not lines:
        return (span("all lines", Role.DIM),)
    words = [f"{'not ' * term.is_not}{term_value(term, view).text}" for term in lines]
    return (span(trusted(cut(", ".join(words), 40)), Role.ACCENT),)


def progress_lines(
    wanted: TaskFilter, progress: FilterProgress | None, count: int, precision: Precision
) -> tuple[Line, Line]:
    """Describe how many tasks match and whether all were fetched, in a long and a short form.

    Args:
        precision: whether all tasks were listed once.
    """
    if not any(wanted.scope):
        if precision is not Precision.EXACT:
            return _said(f"still loading; {count:,} so far", f"{count:,} so far", Role.WARN)
        return _said(f"{count:,} of the loaded tasks", f"{count:,} loaded", Role.DIM)
    if progress is None:
        return _said(f"checking with the platform; {count:,} so far", f"{count:,} so far", Role.WARN)
    if progress.problem:
        why = show_line(progress.problem, 80).text
        return _said(f"{count:,} loaded; couldn't load more: {why}", f"{count:,} loaded; error", Role.BAD)
    if not progress.complete:
        return _said(f"loading more; {count:,} so far", f"{count:,} so far", Role.WARN)
    return _said(f"{count:,} task{'s' * (count != 1)}", f"{count:,}", Role.DIM)


def _said(words: str, short: str, role: Role) -> tuple[Line, Line]:
    return (span(words, role),), (span(short, role),)


_LOADING: tuple[Line, ...] = ((span("still loading", Role.WARN),),)


def why_empty(
    wanted: TaskFilter, progress: FilterProgress | None, precision: Precision, view: RenderContext
) -> tuple[Line, ...]:
    is_loading = precision is not Precision.EXACT
    if not wanted:
        return ((span("no tasks yet," if is_loading else "no tasks", Role.DIM),), *_LOADING[: int(is_loading)])
    if len(wanted.terms) == 1 and not wanted.terms[0].is_not:
        (term,) = wanted.terms
        kind = _NAMES[term.field]
        what = {"words": "no tasks with", "is": "no tasks are"}.get(kind) or f"no tasks for {kind}"
        lines = [(span(what, Role.DIM),), (span(term_value(term, view), Role.STRONG), span(" here", Role.DIM))]
    else:
        lines = [(span("no tasks here", Role.DIM),), (span("match the filter", Role.DIM),)]
    if any(wanted.scope) and not (progress is not None and (progress.complete or progress.problem)):
        lines.append((span("checking the platform", Role.WARN),))
    elif is_loading and not any(wanted.scope):
        lines += _LOADING
    return (*lines, (span(f"{view.key('go.back', 'esc')} clear the filter", Role.DIM),))


VALUE_CELLS = 40


def history_facts(transitions: Sequence[Transition], since: float | None, view: RenderContext) -> Iterator[Fact]:
    for each in transitions:
        yield text((span(f"{field_name(each.name).text}: ", Role.DIM), *_values(each, view)))
        yield text(_when_and_who(each, view), Role.DIM, indent=2)
    yield text(history_coverage(bool(transitions), since, view), Role.DIM)


def transition_sentence(transition: Transition, view: RenderContext) -> SafeText:
    """Say one transition: `Status: Open → Waiting, between 10:02 and 10:07, Marta or someone else`."""
    values = "".join(part.text.text for part in _values(transition, view))
    return trusted(f"{field_name(transition.name).text}: {values}, {_when_and_who(transition, view).text}")


def history_coverage(has_any: bool, since: float | None, view: RenderContext) -> SafeText:
    if since is None:
        lost = "part of the history was lost with a damaged file"
        return trusted(lost if has_any else f"no changes recorded; {lost}")
    start = view.past_moment(since)
    words = "the history starts at {}" if has_any else "no changes since {}, when the history starts"
    return trusted(words.format(start))


def _values(transition: Transition, view: RenderContext) -> list[Span]:
    if field_of(transition.name).kind is FieldKind.LONG_TEXT:
        return [span("changed")]
    before, after = (
        trusted(cut(stored_value(transition.name, value, view)[0].text, VALUE_CELLS))
        for value in (transition.before, transition.after)
    )
    return [span(before, Role.DIM), span(view.glyphs.becomes, Role.DIM), span(after)]


def _when_and_who(transition: Transition, view: RenderContext) -> SafeText:
    when = relative_time.between(transition.not_before, transition.not_after, view.now, view.zone)
    if transition.source is Source.OWN:
        return trusted(f"{when}, changed here")
    if not transition.by:
        return trusted(when)
    # The platform names the last who changed the task, which may have been another change.
    name = show_name(transition.by, VALUE_CELLS, kind=AGENT, key=transition.by)
    return trusted(f"{when}, {name.text} or someone else")
